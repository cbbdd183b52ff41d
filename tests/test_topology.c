// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/memory.h"
#include "base/random.h"
#include "mesh/components.h"
#include "sample_meshes.h"

#include <stdlib.h>

// elements with random corners, so that sides are shared by none, two or many
static void random_elements(int* elements, int count, int corners, int vertex_count,
                            uint64_t seed) {
    pl_random random = {seed};
    for (int i = 0; i < count * corners; i++) elements[i] = pl_random_int(&random, vertex_count);
}

static bool names(const int* element, int corners, int vertex) {
    for (int k = 0; k < corners; k++)
        if (element[k] == vertex) return true;
    return false;
}

static bool has_edge(const int* elements, int count, int corners, int a, int b) {
    for (int e = 0; e < count; e++)
        if (names(elements + e * corners, corners, a) && names(elements + e * corners, corners, b))
            return true;
    return false;
}

static bool is_proper(const int* element, int corners) {
    for (int i = 0; i < corners; i++)
        for (int j = 0; j < i; j++)
            if (element[i] == element[j]) return false;
    return true;
}

// all of side i's vertices are on side j, found without sorting
static bool same_side(const int* elements, int corners, int i, int j) {
    const int *a = elements + i / corners * corners, *b = elements + j / corners * corners;
    for (int k = 0; k < corners; k++) {
        if (k == i % corners) continue;
        bool found = false;
        for (int l = 0; l < corners; l++) found |= l != j % corners && b[l] == a[k];
        if (!found) return false;
    }
    return true;
}

enum { RANDOM_ELEMENTS = 150, RANDOM_VERTICES = 12 };

TEST(topology_vertex_elements_against_brute_force)
{
    int elements[4 * RANDOM_ELEMENTS];
    for (int corners = 3; corners <= 4; corners++) {
        random_elements(elements, RANDOM_ELEMENTS, corners, RANDOM_VERTICES, 3);
        pl_adjacency around;
        pl_error error;
        CHECK_OK(pl_vertex_elements(elements, RANDOM_ELEMENTS, corners, RANDOM_VERTICES + 2,
                                    &around, &error),
                 &error);
        for (int v = 0; v < RANDOM_VERTICES + 2; v++) {
            int at = around.offsets[v];
            for (int e = 0; e < RANDOM_ELEMENTS; e++)
                if (names(elements + e * corners, corners, v)) CHECK_INT(around.items[at++], e);
            CHECK_INT(at, around.offsets[v + 1]);
        }
        pl_adjacency_free(&around);
    }
}

TEST(topology_edges_and_neighbours_against_brute_force)
{
    int elements[4 * RANDOM_ELEMENTS];
    for (int corners = 3; corners <= 4; corners++) {
        int count = 18; // few, so that not every pair is an edge
        random_elements(elements, count, corners, RANDOM_VERTICES, 5);
        pl_edges edges;
        pl_adjacency around;
        pl_error error;
        CHECK_OK(pl_edges_create(elements, count, corners, RANDOM_VERTICES, &edges, &error),
                 &error);
        CHECK_OK(pl_vertex_neighbours(&edges, RANDOM_VERTICES, &around, &error), &error);
        int at = 0;
        for (int a = 0; a < RANDOM_VERTICES; a++)
            for (int b = a + 1; b < RANDOM_VERTICES; b++)
                if (has_edge(elements, count, corners, a, b)) {
                    CHECK(edges.ends[2 * at] == a && edges.ends[2 * at + 1] == b);
                    at++;
                }
        CHECK_INT(at, edges.count);
        for (int a = 0; a < RANDOM_VERTICES; a++) {
            int item = around.offsets[a];
            for (int b = 0; b < RANDOM_VERTICES; b++)
                if (a != b && has_edge(elements, count, corners, a, b))
                    CHECK_INT(around.items[item++], b);
            CHECK_INT(item, around.offsets[a + 1]);
        }
        int per_element = corners == 3 ? 3 : 6, side = 0;
        for (int e = 0; e < count; e++)
            for (int i = 0; i < corners; i++)
                for (int j = i + 1; j < corners; j++, side++) {
                    int a = elements[e * corners + i], b = elements[e * corners + j];
                    int slot = corners == 3 ? i + j - 1 : i == 0 ? j - 1 : i + j;
                    int edge = edges.element_edges[e * per_element + slot];
                    if (a == b) CHECK_INT(edge, -1);
                    else
                        CHECK(edges.ends[2 * edge] + edges.ends[2 * edge + 1] == a + b &&
                              (edges.ends[2 * edge] == a || edges.ends[2 * edge] == b));
                }
        pl_adjacency_free(&around);
        pl_edges_free(&edges);
    }
}

TEST(topology_sides_against_brute_force)
{
    int elements[4 * RANDOM_ELEMENTS], neighbours[4 * RANDOM_ELEMENTS];
    for (int corners = 3; corners <= 4; corners++) {
        int sides_count = RANDOM_ELEMENTS * corners;
        random_elements(elements, RANDOM_ELEMENTS, corners, RANDOM_VERTICES, 7);
        pl_side_groups sides;
        pl_error error;
        CHECK_OK(pl_side_groups_create(elements, RANDOM_ELEMENTS, corners, RANDOM_VERTICES, &sides,
                                       &error),
                 &error);
        pl_side_neighbours(&sides, neighbours);
        int seen[4] = {0};
        for (int i = 0; i < sides_count; i++) {
            if (!is_proper(elements + i / corners * corners, corners)) {
                CHECK_INT(neighbours[i], PL_SIDE_NONE);
                continue;
            }
            int others = 0, other = -1;
            for (int j = 0; j < sides_count; j++)
                if (j != i && is_proper(elements + j / corners * corners, corners) &&
                    same_side(elements, corners, i, j))
                    others++, other = j;
            int expected = others == 0   ? PL_SIDE_BOUNDARY
                           : others == 1 ? other
                                         : PL_SIDE_NON_MANIFOLD;
            CHECK_INT(neighbours[i], expected);
            int group = sides.group_of_side[i];
            CHECK_INT(sides.groups.offsets[group + 1] - sides.groups.offsets[group], others + 1);
            seen[others < 3 ? others : 3]++;
        }
        CHECK(seen[1] > 0 && seen[2] + seen[3] > 0);
        pl_side_groups_free(&sides);
    }
}

TEST(topology_equal_elements)
{
    int tets[] = {0, 1, 2, 3, 4, 1, 2, 3, 3, 2, 1, 0, 4, 4, 1, 2, 4, 4, 1, 2, 1, 3, 2, 0};
    int first[6], expected[] = {0, 1, 0, 3, 4, 0};
    pl_error error;
    CHECK_OK(pl_first_of_equal_elements(tets, 6, 4, 5, first, &error), &error);
    for (int i = 0; i < 6; i++) CHECK_INT(first[i], expected[i]);
    int triangles[] = {5, 1, 2, 2, 5, 1, 1, 2, 3};
    CHECK_OK(pl_first_of_equal_elements(triangles, 3, 3, 6, first, &error), &error);
    CHECK(first[0] == 0 && first[1] == 0 && first[2] == 2);
}

TEST(topology_one_vertex_in_everything_is_not_slow)
{
    // a fan of tets around vertex 0: one bucket holds all sides
    enum { COUNT = 200000 };
    int* tets = malloc(4 * COUNT * sizeof(int));
    for (int t = 0; t < COUNT; t++) {
        int tet[] = {0, 1, COUNT + 1 - t, COUNT + 2 - t};
        memcpy(tets + 4 * t, tet, sizeof tet);
    }
    pl_side_groups sides;
    pl_error error;
    CHECK_OK(pl_side_groups_create(tets, COUNT, 4, COUNT + 3, &sides, &error), &error);
    // COUNT inner faces but one between neighbours in the fan
    CHECK_INT(sides.groups.count, 4 * COUNT - (COUNT - 1));
    pl_side_groups_free(&sides);
    free(tets);
}

TEST(topology_components_and_orientation)
{
    pl_mesh *a = sample_box(2, 1, 1), *mesh = sample_join(a, a, 5.0);
    int* tet = mesh->tets + 4 * 3;
    int swapped = tet[0]; // one tet wound the other way round
    tet[0] = tet[1];
    tet[1] = swapped;
    pl_side_groups sides;
    pl_components components;
    pl_error error;
    int neighbours[4 * 24], count;
    CHECK_INT(mesh->tet_count, 24);
    CHECK_OK(pl_side_groups_create(mesh->tets, 24, 4, mesh->vertex_count, &sides, &error), &error);
    pl_side_neighbours(&sides, neighbours);
    CHECK_OK(pl_components_create(mesh->tets, 24, 4, neighbours, &components, &error), &error);
    CHECK_INT(components.count, 2);
    CHECK_INT(components.twisted_side, -1);
    for (int t = 0; t < 24; t++) {
        CHECK_INT(components.component[t], t >= 12);
        CHECK_INT(components.orientation[t], t == 3 ? -1 : 1);
    }
    CHECK_OK(pl_vertex_components(mesh->tets, 24, 4, mesh->vertex_count, NULL, &count, &error),
             &error);
    CHECK_INT(count, 2);
    pl_components_free(&components);
    pl_side_groups_free(&sides);
    pl_mesh_destroy(mesh);
    pl_mesh_destroy(a);
}

TEST(topology_moebius_strip_is_one_sided)
{
    int strip[] = {0, 1, 2, 2, 1, 3, 2, 3, 4, 4, 3, 5, 4, 5, 1, 1, 5, 0};
    int neighbours[18];
    pl_side_groups sides;
    pl_components components;
    pl_error error;
    CHECK_OK(pl_side_groups_create(strip, 6, 3, 6, &sides, &error), &error);
    pl_side_neighbours(&sides, neighbours);
    CHECK_OK(pl_components_create(strip, 6, 3, neighbours, &components, &error), &error);
    CHECK_INT(components.count, 1);
    CHECK(components.twisted_side >= 0);
    pl_components_free(&components);
    pl_side_groups_free(&sides);
}

static pl_status all_of_topology(const pl_mesh* mesh, pl_error* error) {
    pl_adjacency around = {0}, joined = {0};
    pl_edges edges = {0};
    pl_side_groups sides = {0};
    pl_components components = {0};
    int neighbours[4 * 6], first[6], count;
    const int *tets = mesh->tets, tet_count = mesh->tet_count, n = mesh->vertex_count;
    pl_status status = pl_vertex_elements(tets, tet_count, 4, n, &around, error);
    if (status == PL_OK) status = pl_edges_create(tets, tet_count, 4, n, &edges, error);
    if (status == PL_OK) status = pl_vertex_neighbours(&edges, n, &joined, error);
    if (status == PL_OK) status = pl_side_groups_create(tets, tet_count, 4, n, &sides, error);
    if (status == PL_OK) pl_side_neighbours(&sides, neighbours);
    if (status == PL_OK)
        status = pl_components_create(tets, tet_count, 4, neighbours, &components, error);
    if (status == PL_OK) status = pl_first_of_equal_elements(tets, tet_count, 4, n, first, error);
    if (status == PL_OK) status = pl_vertex_components(tets, tet_count, 4, n, NULL, &count, error);
    pl_adjacency_free(&around);
    pl_adjacency_free(&joined);
    pl_edges_free(&edges);
    pl_side_groups_free(&sides);
    pl_components_free(&components);
    return status;
}

TEST(topology_survives_every_failing_allocation)
{
    pl_mesh* mesh = sample_box(1, 1, 1);
    size_t before = pl_byte_count();
    int64_t nth = 1;
    for (;; nth++) {
        pl_error error;
        pl_inject_failure(nth);
        pl_status status = all_of_topology(mesh, &error);
        pl_inject_failure(0);
        CHECK_INT(pl_byte_count(), before);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
    }
    CHECK(nth > 15);
    pl_mesh_destroy(mesh);
}

TEST(topology_of_nothing)
{
    pl_mesh empty = {0};
    pl_error error;
    CHECK_OK(all_of_topology(&empty, &error), &error);
}

// lists by shares of many threads
TEST(topology_elements_by_threads_are_the_same)
{
    enum { ELEMENTS = 70001, VERTICES = 5000 };
    int* elements = PL_ALLOC(int, 4 * ELEMENTS);
    pl_adjacency one, many;
    pl_pool* pool;
    pl_error error;
    random_elements(elements, ELEMENTS, 4, VERTICES, 5);
    CHECK_OK(pl_pool_create(3, &pool, &error), &error);
    CHECK_OK(pl_vertex_elements(elements, ELEMENTS, 4, VERTICES, &one, &error), &error);
    CHECK_OK(pl_vertex_elements_by(pool, elements, ELEMENTS, 4, VERTICES, &many, &error), &error);
    CHECK(memcmp(one.offsets, many.offsets, (VERTICES + 1) * sizeof(int)) == 0);
    CHECK(memcmp(one.items, many.items, (size_t)one.offsets[VERTICES] * sizeof(int)) == 0);
    pl_adjacency_free(&one);
    pl_adjacency_free(&many);
    pl_pool_destroy(pool);
    PL_FREE(elements, int, 4 * ELEMENTS);
}
