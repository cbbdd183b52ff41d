// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Reordering and colouring.
#include "../bench/mesh_order.h"
#include "base/memory.h"
#include "base/random.h"
#include "mesh/colouring.h"
#include "sample_meshes.h"

#include <pliant/generate.h>
#include <time.h>

// of this process, so that a busy machine fails no test
static double cpu_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static pl_mesh* make_box(int nx, int ny, int nz) {
    pl_generate_options options;
    pl_error error;
    pl_mesh* mesh;
    CHECK_OK(pl_generate_defaults("box", &options, &error), &error);
    options.count_x = nx, options.count_y = ny, options.count_z = nz;
    CHECK_OK(pl_generate("box", &options, &mesh, &error), &error);
    return mesh;
}

// vertices in random order
static void shuffle_vertices(pl_mesh* mesh, uint64_t seed) {
    pl_random random = {seed};
    int* place = PL_ALLOC(int, mesh->vertex_count);
    for (int v = 0; v < mesh->vertex_count; v++) place[v] = v;
    for (int v = mesh->vertex_count - 1; v > 0; v--) {
        int w = pl_random_int(&random, v + 1), keep = place[v];
        place[v] = place[w];
        place[w] = keep;
    }
    double* old = PL_ALLOC(double, 3 * (size_t)mesh->vertex_count);
    memcpy(old, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof(double));
    for (int v = 0; v < mesh->vertex_count; v++)
        memcpy(mesh->positions + 3 * (size_t)place[v], old + 3 * (size_t)v, 3 * sizeof(double));
    for (int i = 0; i < 4 * mesh->tet_count; i++) mesh->tets[i] = place[mesh->tets[i]];
    for (int i = 0; i < 3 * mesh->triangle_count; i++)
        mesh->triangles[i] = place[mesh->triangles[i]];
    PL_FREE(old, double, 3 * (size_t)mesh->vertex_count);
    PL_FREE(place, int, mesh->vertex_count);
}

static void check_permutation(const pl_ordering* o, int count) {
    CHECK_INT(o->count, count);
    for (int i = 0; i < count; i++) {
        CHECK(o->new_of_old[i] >= 0 && o->new_of_old[i] < count);
        CHECK_INT(o->old_of_new[o->new_of_old[i]], i);
    }
}

TEST(reorder_rcm_narrows_a_shuffled_bar)
{
    pl_mesh* mesh = make_box(40, 4, 4);
    shuffle_vertices(mesh, 7);
    pl_adjacency graph = sample_graph(mesh);
    pl_ordering order;
    pl_error error;
    CHECK_OK(pl_order_rcm(&graph, &order, &error), &error);
    check_permutation(&order, mesh->vertex_count);
    // a cross-section has 25 corners, 16 centres and 16 face vertices, and an edge spans at most
    // two of them
    CHECK(pl_bandwidth(&graph, NULL) > mesh->vertex_count / 2);
    CHECK(pl_bandwidth(&graph, &order) <= 2 * 57);
    pl_ordering_free(&order);
    pl_adjacency_free(&graph);
    pl_mesh_destroy(mesh);
}

// how far each row of the matrix reaches to the left of its diagonal, in all
static int64_t envelope(const pl_adjacency* graph, const pl_ordering* order, bool backwards) {
    int64_t sum = 0;
    for (int v = 0; v < graph->count; v++) {
        int row = order->new_of_old[v], reach = 0;
        for (int k = graph->offsets[v]; k < graph->offsets[v + 1]; k++) {
            int distance = row - order->new_of_old[graph->items[k]];
            if (backwards) distance = -distance;
            if (distance > reach) reach = distance;
        }
        sum += reach;
    }
    return sum;
}

// Liu and Sherman 1976: the reverse of the order never has the smaller envelope
TEST(reorder_rcm_is_reversed)
{
    pl_mesh* mesh = make_box(9, 7, 4);
    pl_adjacency graph = sample_graph(mesh);
    pl_ordering order;
    pl_error error;
    CHECK_OK(pl_order_rcm(&graph, &order, &error), &error);
    CHECK(envelope(&graph, &order, false) < envelope(&graph, &order, true));
    pl_ordering_free(&order);
    pl_adjacency_free(&graph);
    pl_mesh_destroy(mesh);
}

TEST(reorder_rcm_of_a_path_a_star_and_loose_vertices)
{
    // a path 3 - 0 - 4 - 1 - 2, then two vertices without neighbours
    int offsets[] = {0, 2, 4, 5, 6, 8, 8, 8};
    int items[] = {3, 4, 2, 4, 1, 0, 0, 1};
    pl_adjacency path = {7, offsets, items};
    pl_ordering order;
    pl_error error;
    CHECK_OK(pl_order_rcm(&path, &order, &error), &error);
    check_permutation(&order, 7);
    CHECK_INT(pl_bandwidth(&path, &order), 1);
    pl_ordering_free(&order);
    // the sort of many neighbours is not quadratic
    enum { RAYS = 200000 };
    pl_adjacency star = {RAYS + 1, PL_ALLOC(int, RAYS + 2), PL_ALLOC(int, 2 * RAYS)};
    star.offsets[1] = RAYS;
    for (int i = 0; i < RAYS; i++) {
        star.items[i] = i + 1;
        star.items[RAYS + i] = 0;
        star.offsets[i + 2] = RAYS + i + 1;
    }
    CHECK_OK(pl_order_rcm(&star, &order, &error), &error);
    check_permutation(&order, RAYS + 1);
    pl_ordering_free(&order);
    pl_adjacency_free(&star);
    pl_adjacency nothing = {0, (int[]){0}, NULL};
    CHECK_OK(pl_order_rcm(&nothing, &order, &error), &error);
    CHECK_INT(order.count, 0);
}

TEST(reorder_mesh_and_back)
{
    pl_mesh *mesh = make_box(6, 3, 3), *inner;
    pl_error error;
    shuffle_vertices(mesh, 3);
    double* values = PL_ALLOC(double, 2 * mesh->tet_count);
    for (int i = 0; i < 2 * mesh->tet_count; i++) values[i] = i;
    CHECK_OK(pl_mesh_add_field(mesh, PL_ELEMENT_TET, "v", 2, values, &error), &error);
    PL_FREE(values, double, 2 * mesh->tet_count);
    bench_mesh_order order;
    CHECK_OK(bench_mesh_reorder(mesh, &inner, &order, &error), &error);
    check_permutation(&order.tets, mesh->tet_count);
    check_permutation(&order.triangles, mesh->triangle_count);
    // data goes out as it came in, also what was computed inside
    double* back = PL_ALLOC(double, 3 * (size_t)mesh->vertex_count);
    pl_ordering_out(&order.vertices, inner->positions, 3 * sizeof(double), back);
    CHECK(memcmp(back, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof(double)) == 0);
    PL_FREE(back, double, 3 * (size_t)mesh->vertex_count);
    int lowest_before = 0;
    for (int t = 0; t < mesh->tet_count; t++) {
        int old = order.tets.old_of_new[t], lowest = mesh->vertex_count;
        for (int c = 0; c < 4; c++) {
            int v = inner->tets[4 * t + c];
            CHECK_INT(order.vertices.old_of_new[v], mesh->tets[4 * old + c]);
            if (v < lowest) lowest = v;
        }
        CHECK(lowest >= lowest_before);
        lowest_before = lowest;
        CHECK_NEAR(inner->fields[0].values[2 * t + 1], mesh->fields[0].values[2 * old + 1], 0.0);
    }
    // a region holds the same triangles
    const pl_region* ours = pl_mesh_region(inner, PL_ELEMENT_TRIANGLE, "x_min");
    for (int i = 0; i < ours->count; i++) {
        CHECK(i == 0 || ours->items[i - 1] < ours->items[i]);
        for (int c = 0; c < 3; c++)
            CHECK_NEAR(inner->positions[3 * inner->triangles[3 * ours->items[i] + c]], 0.0, 0.0);
    }
    bench_mesh_order_free(&order);
    pl_mesh_destroy(inner);
    pl_mesh_destroy(mesh);
}

LONG_TEST(reorder_two_hundred_thousand_vertices_in_time)
{
    pl_mesh* mesh = make_box(79, 36, 34);
    CHECK(mesh->vertex_count > 195000);
    shuffle_vertices(mesh, 11);
    pl_adjacency graph = sample_graph(mesh);
    pl_ordering order;
    pl_error error;
    double start = cpu_seconds();
    CHECK_OK(pl_order_rcm(&graph, &order, &error), &error);
    double seconds = cpu_seconds() - start;
    printf("  rcm of %d vertices: %.3f s, bandwidth %d\n", graph.count, seconds,
           pl_bandwidth(&graph, &order));
    pl_ordering_free(&order);
    pl_adjacency_free(&graph);
    pl_mesh_destroy(mesh);
}

TEST(reorder_survives_every_failing_allocation)
{
    pl_mesh *mesh = make_box(3, 2, 2), *inner;
    bench_mesh_order order;
    pl_error error;
    size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth++) {
        pl_inject_failure(nth);
        pl_status status = bench_mesh_reorder(mesh, &inner, &order, &error);
        pl_inject_failure(0);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
        CHECK(!inner);
        CHECK_INT(pl_byte_count(), before);
    }
    bench_mesh_order_free(&order);
    pl_mesh_destroy(inner);
    pl_mesh_destroy(mesh);
}

// ---- colouring

static void check_groups(const pl_colouring* c, int item_count) {
    CHECK_INT(c->item_count, item_count);
    CHECK_INT(c->groups.offsets[c->groups.count], item_count);
    for (int g = 0; g < c->groups.count; g++) {
        CHECK(c->groups.offsets[g] < c->groups.offsets[g + 1]);
        for (int k = c->groups.offsets[g]; k < c->groups.offsets[g + 1]; k++) {
            CHECK_INT(c->colours[c->groups.items[k]], g);
            CHECK(k == c->groups.offsets[g] || c->groups.items[k - 1] < c->groups.items[k]);
        }
    }
}

static double smallest_share(const pl_colouring* c) {
    int smallest = c->item_count;
    for (int g = 0; g < c->groups.count; g++) {
        int size = c->groups.offsets[g + 1] - c->groups.offsets[g];
        if (size < smallest) smallest = size;
    }
    return (double)smallest * c->groups.count / c->item_count;
}

TEST(colouring_of_a_graph_is_valid_and_balanced)
{
    pl_mesh* mesh = make_box(12, 10, 11);
    pl_adjacency graph = sample_graph(mesh);
    pl_colouring colouring;
    pl_error error;
    CHECK_OK(pl_colour_graph(&graph, &colouring, &error), &error);
    check_groups(&colouring, graph.count);
    int most = 0;
    for (int v = 0; v < graph.count; v++) {
        int degree = graph.offsets[v + 1] - graph.offsets[v];
        if (degree > most) most = degree;
        for (int k = graph.offsets[v]; k < graph.offsets[v + 1]; k++)
            CHECK(colouring.colours[v] != colouring.colours[graph.items[k]]);
    }
    CHECK(colouring.groups.count <= most + 1);
    CHECK(colouring.groups.count <= 6);
    CHECK(smallest_share(&colouring) > 0.5);
    pl_colouring_free(&colouring);
    pl_adjacency_free(&graph);
    pl_mesh_destroy(mesh);
}

TEST(colouring_of_tets_is_valid_and_balanced)
{
    pl_mesh* mesh = make_box(8, 7, 6);
    pl_colouring colouring;
    pl_error error;
    CHECK_OK(
        pl_colour_elements(mesh->tets, mesh->tet_count, 4, mesh->vertex_count, &colouring, &error),
        &error);
    check_groups(&colouring, mesh->tet_count);
    int* last = PL_ALLOC(int, mesh->vertex_count); // the last colour that met the vertex, + 1
    for (int g = 0; g < colouring.groups.count; g++)
        for (int k = colouring.groups.offsets[g]; k < colouring.groups.offsets[g + 1]; k++)
            for (int c = 0; c < 4; c++) {
                int v = mesh->tets[4 * colouring.groups.items[k] + c];
                CHECK(last[v] != g + 1);
                last[v] = g + 1;
            }
    PL_FREE(last, int, mesh->vertex_count);
    CHECK(colouring.groups.count >= 24); // as many tets meet at an inner vertex
    CHECK(colouring.groups.count <= 40);
    CHECK(smallest_share(&colouring) > 0.5);
    pl_colouring_free(&colouring);
    pl_mesh_destroy(mesh);
}

TEST(colouring_survives_every_failing_allocation)
{
    pl_mesh* mesh = make_box(2, 2, 2);
    pl_colouring colouring;
    pl_error error;
    size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth++) {
        pl_inject_failure(nth);
        pl_status status = pl_colour_elements(mesh->tets, mesh->tet_count, 4, mesh->vertex_count,
                                              &colouring, &error);
        pl_inject_failure(0);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
        CHECK_INT(pl_byte_count(), before);
    }
    pl_colouring_free(&colouring);
    pl_mesh_destroy(mesh);
    pl_adjacency nothing = {0, (int[]){0}, NULL};
    CHECK_OK(pl_colour_graph(&nothing, &colouring, &error), &error);
    CHECK_INT(colouring.groups.count, 0);
    pl_colouring_free(&colouring);
}
