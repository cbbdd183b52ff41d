// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The levels of multigrid: who belongs to whom, and that affine maps of coarse nodes arrive at the
// vertices as they are.
#include "base/memory.h"
#include "multigrid/hierarchy.h"
#include "sample_meshes.h"

#include <pliant/generate.h>
#include <stdlib.h>

static pl_mg_hierarchy levels_of(const pl_mesh* mesh, int count_count, const int* counts) {
    pl_error error;
    pl_mg_hierarchy h;
    pl_adjacency graph = sample_graph(mesh);
    pl_mg_hierarchy_options options = {.counts = counts, .count_count = count_count};
    CHECK_OK(pl_mg_hierarchy_setup(&h, &graph, mesh->positions, &options, &error), &error);
    pl_adjacency_free(&graph);
    return h;
}

// Gives the node its part of x -> M x + m, in its frame: A X = M x + m
static void node_map(const pl_mg_frame* frame, const double M[3][3], const double m[3],
                     double A[3][4]) {
    for (int r = 0; r < 3; r++) {
        A[r][3] = m[r];
        for (int c = 0; c < 3; c++) {
            A[r][c] = M[r][c] * frame->scale;
            A[r][3] += M[r][c] * frame->centre[c];
        }
    }
}

// A_j = A_k T_j; by_identity: as the paper writes it
static void pull_map(const float* point, bool by_identity, double A[3][4], double out[3][4]) {
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) out[r][c] = A[r][c] * (by_identity ? 1.0 : (double)point[3]);
        out[r][3] = A[r][3];
        for (int c = 0; c < 3 && !by_identity; c++) out[r][3] += A[r][c] * (double)point[c];
    }
}

// the largest difference, over all vertices, from the affine map given to the coarsest nodes
static double map_error(const pl_mg_hierarchy* h, const double* positions, const double M[3][3],
                        const double m[3], bool by_identity) {
    double largest = 0.0;
    for (int i = 0; i < h->node_counts[0]; i++) {
        int path[PL_MG_MAX_LEVELS] = {i};
        for (int l = 1; l < h->level_count; l++) path[l] = h->transfers[l - 1].parent[path[l - 1]];
        int top = h->level_count - 1;
        double A[3][4], next[3][4];
        node_map(&h->frames[top][path[top]], M, m, A);
        for (int l = top - 1; l > 0; l--) {
            pull_map(h->transfers[l].point + 4 * (size_t)path[l], by_identity, A, next);
            memcpy(A, next, sizeof A);
        }
        const float* X = h->transfers[0].point + 4 * (size_t)i;
        for (int r = 0; r < 3; r++) {
            double found = 0.0, expected = m[r];
            for (int c = 0; c < 4; c++) found += A[r][c] * (double)X[c];
            for (int c = 0; c < 3; c++) expected += M[r][c] * positions[3 * (size_t)i + (size_t)c];
            largest = fmax(largest, fabs(found - expected));
        }
    }
    return largest;
}

TEST(mg_hierarchy_carries_affine_maps_through_all_levels)
{
    static const double turn[3][3] = {{0.8, -0.6, 0.0}, {0.6, 0.8, 0.0}, {0.0, 0.0, 1.0}};
    static const double any[3][3] = {{1.1, -0.3, 0.2}, {0.4, 0.7, 0.1}, {-0.2, 0.5, 1.3}};
    static const double shift[3] = {0.3, -2.0, 5.0};
    pl_mesh* mesh = sample_box(12, 6, 6);
    pl_mg_hierarchy h = levels_of(mesh, 3, (const int[]){3, 15, 80});
    CHECK_INT(h.level_count, 4);
    CHECK(map_error(&h, mesh->positions, turn, shift, false) < 1e-5);
    CHECK(map_error(&h, mesh->positions, any, shift, false) < 1e-5);
    // with an identity in place of T the coarse levels know translations only
    CHECK(map_error(&h, mesh->positions, turn, shift, true) > 0.5);
    pl_mg_hierarchy_free(&h);
    pl_mesh_destroy(mesh);
}

TEST(mg_hierarchy_is_a_tree)
{
    pl_mesh* mesh = sample_box(9, 5, 4);
    pl_mg_hierarchy h = levels_of(mesh, 2, (const int[]){4, 31});
    CHECK_INT(h.node_counts[0], mesh->vertex_count);
    CHECK_INT(h.node_counts[1], 31);
    CHECK_INT(h.node_counts[2], 4);
    for (int l = 0; l < 2; l++) {
        const pl_mg_transfer* t = &h.transfers[l];
        int listed = 0;
        for (int k = 0; k < t->coarse_count; k++) {
            CHECK(t->child_offsets[k + 1] > t->child_offsets[k]);
            for (int c = t->child_offsets[k]; c < t->child_offsets[k + 1]; c++, listed++) {
                CHECK_INT(t->parent[t->children[c]], k);
                CHECK(c == t->child_offsets[k] || t->children[c] > t->children[c - 1]);
            }
            CHECK_INT(t->parent[l == 0 ? h.samples[k] : k], k);
        }
        CHECK_INT(listed, t->fine_count);
    }
    pl_mg_hierarchy_free(&h);
    pl_mesh_destroy(mesh);
}

// the number of directions that no child of a node sees
static double unseen_rank(const pl_mg_hierarchy* h, int l, int node) {
    const float* P = h->transfers[l - 1].unseen + 16 * (size_t)node;
    return (double)P[0] + (double)P[5] + (double)P[10] + (double)P[15];
}

TEST(mg_hierarchy_finds_what_affine_maps_do_nothing)
{
    pl_mesh* sheet = sample_sheet(16, 16); // in z = 0: the third column of a map does nothing
    pl_mg_hierarchy h = levels_of(sheet, 2, (const int[]){2, 20});
    for (int l = 1; l <= 2; l++)
        for (int k = 0; k < h.node_counts[l]; k++) {
            CHECK_NEAR(unseen_rank(&h, l, k), 1.0, 1e-5);
            CHECK_NEAR((double)h.transfers[l - 1].unseen[16 * k + 10], 1.0, 1e-5);
        }
    pl_mg_hierarchy_free(&h);
    pl_mesh_destroy(sheet);

    // as many nodes as vertices: each sees only translations; above them two nodes see all
    pl_mesh* box = sample_box(3, 3, 3);
    h = levels_of(box, 2, (const int[]){2, 64});
    CHECK_INT(h.node_counts[1], 64);
    for (int k = 0; k < 64; k++) CHECK_NEAR(unseen_rank(&h, 1, k), 3.0, 1e-5);
    for (int k = 0; k < 2; k++) CHECK_NEAR(unseen_rank(&h, 2, k), 0.0, 1e-5);
    // a held vertex is moved by no node: its own node does nothing at all
    unsigned char held[64] = {0};
    held[h.samples[5]] = 1;
    pl_mg_hierarchy_move(&h, box->positions, held);
    CHECK_NEAR(unseen_rank(&h, 1, 5), 4.0, 1e-5);
    CHECK_NEAR(unseen_rank(&h, 1, 6), 3.0, 1e-5);
    pl_mg_hierarchy_free(&h);
    pl_mesh_destroy(box);

    // two points on a line, and a tet
    static double line[6] = {0, 0, 0, 0.6, 0.8, 0};
    static int ends[2] = {1, 0}, offsets[3] = {0, 1, 2};
    pl_adjacency graph = {2, offsets, ends};
    pl_error error;
    pl_mg_hierarchy_options options = {0};
    CHECK_OK(pl_mg_hierarchy_setup(&h, &graph, line, &options, &error), &error);
    CHECK_INT(h.node_counts[1], 1);
    CHECK_NEAR(unseen_rank(&h, 1, 0), 2.0, 1e-5);
    pl_mg_hierarchy_free(&h);
    static double tet[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static int all[12] = {1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2}, tet_offsets[5] = {0, 3, 6, 9, 12};
    pl_adjacency tet_graph = {4, tet_offsets, all};
    CHECK_OK(pl_mg_hierarchy_setup(&h, &tet_graph, tet, &options, &error), &error);
    CHECK_NEAR(unseen_rank(&h, 1, 0), 0.0, 1e-5);
    pl_mg_hierarchy_free(&h);
}

TEST(mg_hierarchy_takes_parts_that_are_not_connected)
{
    pl_mesh *box = sample_box(3, 3, 3), *two = sample_join(box, box, 10.0);
    pl_mg_hierarchy h = levels_of(two, 1, (const int[]){1});
    CHECK_INT(h.node_counts[1], 2); // one for each part
    pl_mg_hierarchy_free(&h);
    pl_mesh* four = sample_join(two, two, 20.0);
    h = levels_of(four, 1, (const int[]){1});
    CHECK_INT(h.node_counts[1], 4);
    CHECK_INT(h.level_count, 3); // and the one that was asked for above them
    CHECK_INT(h.node_counts[2], 1);
    pl_mg_hierarchy_free(&h);
    pl_mesh_destroy(four);
    pl_mesh_destroy(two);
    pl_mesh_destroy(box);
}

// Counts of nodes, finest first, with the coarsest repeated; returns how many levels there are.
static int automatic_counts(int vertex_count, bool keeps_ratio, int padded[PL_MG_MAX_LEVELS - 1]) {
    int counts[PL_MG_MAX_LEVELS - 1];
    int count = pl_mg_automatic_counts(vertex_count, keeps_ratio, counts);
    CHECK(count >= 1 && counts[0] >= 1 && counts[count - 1] <= vertex_count);
    for (int k = 1; k < count; k++) CHECK(counts[k] > counts[k - 1]);
    for (int k = 0; k < PL_MG_MAX_LEVELS - 1; k++)
        padded[k] = counts[k < count ? count - 1 - k : 0];
    return count;
}

// 0.1 % more vertices change no level by more than 0.2 % and a node, and a level that comes or goes
// is a copy of the coarsest one.
TEST(mg_hierarchy_counts_do_not_jump)
{
    int before[PL_MG_MAX_LEVELS - 1], counts[PL_MG_MAX_LEVELS - 1], level_count = 0;
    for (int keeps_ratio = 0; keeps_ratio < 2; keeps_ratio++) {
        automatic_counts(1, keeps_ratio, before);
        for (int n = 1; n < 3000000; n += 1 + n / 1000) {
            level_count = automatic_counts(n, keeps_ratio, counts);
            for (int k = 0; k < PL_MG_MAX_LEVELS - 1; k++) {
                CHECK(abs(counts[k] - before[k]) <= 0.002 * before[k] + 1.0);
                before[k] = counts[k];
            }
        }
        CHECK(level_count >= 3);
    }
}

TEST(mg_hierarchy_settles_counts)
{
    pl_mesh* mesh = sample_box(2, 2, 2);
    pl_mg_hierarchy h = levels_of(mesh, 3, (const int[]){3, 100, 200});
    CHECK_INT(h.level_count, 3); // 100 and 200 are both all 27 vertices
    CHECK_INT(h.node_counts[1], 27);
    pl_mg_hierarchy_free(&h);
    pl_adjacency graph = sample_graph(mesh);
    pl_error error;
    pl_mg_hierarchy_options options = {.counts = (const int[]){9, 4}, .count_count = 2};
    CHECK(pl_mg_hierarchy_setup(&h, &graph, mesh->positions, &options, &error) ==
          PL_ERROR_ARGUMENT);
    CHECK_TEXT(error.text, "coarsest first");
    options = (pl_mg_hierarchy_options){.starts = (const int[]){26, 13},
                                        .start_count = 2,
                                        .counts = (const int[]){4},
                                        .count_count = 1};
    CHECK_OK(pl_mg_hierarchy_setup(&h, &graph, mesh->positions, &options, &error), &error);
    CHECK(h.samples[0] == 26 && h.samples[1] == 13);
    pl_mg_hierarchy_free(&h);
    options.starts = (const int[]){26, 26};
    CHECK(pl_mg_hierarchy_setup(&h, &graph, mesh->positions, &options, &error) ==
          PL_ERROR_ARGUMENT);
    pl_adjacency_free(&graph);
    pl_mesh_destroy(mesh);
}

TEST(mg_hierarchy_survives_want_of_memory)
{
    pl_mesh* mesh = sample_box(4, 3, 3);
    pl_adjacency graph = sample_graph(mesh);
    pl_mg_hierarchy_options options = {.counts = (const int[]){2, 12}, .count_count = 2};
    pl_error error;
    pl_status status = PL_ERROR_MEMORY;
    for (int nth = 1; status != PL_OK; nth++) {
        pl_mg_hierarchy h;
        pl_inject_failure(nth);
        status = pl_mg_hierarchy_setup(&h, &graph, mesh->positions, &options, &error);
        pl_inject_failure(0);
        CHECK(status == PL_OK || status == PL_ERROR_MEMORY);
        CHECK(nth < 200);
        pl_mg_hierarchy_free(&h);
    }
    pl_adjacency_free(&graph);
    pl_mesh_destroy(mesh);
}
