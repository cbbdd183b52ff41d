// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Springs and matrices that the levels of Projective Dynamics cannot take, or can only just take.
#include "base/memory.h"
#include "multigrid/scalar_mg_data.h"
#include "multigrid/scalar_multigrid.h"
#include "multigrid/scalar_springs.h"
#include "multigrid/small_inverse.h"
#include "sample_meshes.h"
#include "test.h"

#include <math.h>

typedef struct sample {
    pl_mesh* mesh;
    pl_block_matrix A;
    pl_scalar_mg* mg;
} sample;

// the graph's Laplacian and the identity, on a box
static void create(sample* s) {
    pl_error error;
    *s = (sample){.mesh = sample_box(4, 4, 4)};
    pl_adjacency graph = sample_graph(s->mesh);
    CHECK_OK(
        pl_block_matrix_setup(&s->A, s->mesh->vertex_count, 1, graph.offsets, graph.items, &error),
        &error);
    for (int r = 0; r < s->A.row_count; r++)
        for (int k = s->A.offsets[r]; k < s->A.offsets[r + 1]; k++)
            s->A.values[k] =
                s->A.columns[k] == r ? 1.0 + graph.offsets[r + 1] - graph.offsets[r] : -1.0;
    pl_adjacency_free(&graph);
    pl_scalar_mg_options options = {.hierarchy = {.counts = (int[]){2, 16}, .count_count = 2},
                                    .half_sweeps = 2};
    CHECK_OK(pl_scalar_mg_setup(&s->A, s->mesh->positions, &options, NULL, &s->mg, &error), &error);
    CHECK_OK(pl_scalar_mg_update(s->mg, s->mesh->positions, NULL, &error), &error);
}

static void destroy(sample* s) {
    pl_scalar_mg_destroy(s->mg);
    pl_block_matrix_free(&s->A);
    pl_mesh_destroy(s->mesh);
}

// sum of x after a cycle for b = 1
static double cycle_sum(sample* s) {
    pl_scalar_fine* f = pl_scalar_mg_fine(s->mg);
    double sum = 0.0;
    for (int i = 0; i < 4 * s->A.row_count; i++)
        f->b[4 * f->order.place[i / 4] + i % 4] = i % 4 < 3;
    pl_scalar_mg_cycle(s->mg);
    for (int i = 0; i < 4 * f->order.place_count; i++) sum += i % 4 < 3 ? (double)f->x[i] : 0.0;
    return sum;
}

// the levels stay as they were, and can be used
TEST(multigrid_springs_not_finite)
{
    const double wrong[] = {NAN, INFINITY, -INFINITY, 1e300};
    pl_error error;
    sample s;
    create(&s);
    pl_mg_spring spring = {.place = 7, .stiffness = 3.0};
    CHECK_OK(pl_scalar_mg_set_springs(s.mg, &spring, 1, &error), &error);
    double before = cycle_sum(&s);
    for (int k = 0; k < 4; k++)
        for (int block = 0; block < 2; block++) {
            pl_mg_spring bad = {.place = 7, .stiffness = 3.0, .has_block = block};
            *(block ? &bad.block[4] : &bad.stiffness) = wrong[k];
            error.text[0] = 0;
            CHECK_INT(pl_scalar_mg_set_springs(s.mg, &bad, 1, &error), PL_ERROR_DIVERGED);
            CHECK(strstr(error.text, "is not finite in"));
            CHECK(cycle_sum(&s) == before);
        }
    destroy(&s);
}

TEST(multigrid_scalar_matrix_not_finite)
{
    pl_error error;
    sample s;
    create(&s);
    double before = cycle_sum(&s), entry = s.A.values[s.A.diagonal[3]];
    const double wrong[] = {NAN, INFINITY, -1e9};
    for (int k = 0; k < 3; k++) {
        s.A.values[s.A.diagonal[3]] = wrong[k];
        CHECK_INT(pl_scalar_mg_update(s.mg, s.mesh->positions, NULL, &error), PL_ERROR_DIVERGED);
    }
    s.A.values[s.A.diagonal[3]] = entry;
    CHECK_OK(pl_scalar_mg_update(s.mg, s.mesh->positions, NULL, &error), &error);
    CHECK(cycle_sum(&s) == before);
    destroy(&s);
}

// Contacts only add stiffness, so that the inverse of a node can only become smaller by them.
static void check_node_blocks(const sample* s, int l) {
    const pl_block_level* level = pl_scalar_mg_level(s->mg, l);
    const pl_level_springs* springs = &s->mg->level_springs[l];
    CHECK(springs->mixed_count > 0);
    for (int k = 0; k < springs->mixed_count; k++) {
        const float* alone = level->inverse + 16 * (size_t)springs->mixed_nodes[k];
        const float* inverse = level->mixed[k].inverse;
        for (int i = 0; i < 12; i++) {
            CHECK(inverse[13 * i] >= 0.0f);
            CHECK(inverse[13 * i] <= 1.001f * alone[5 * (i / 3)]);
        }
    }
}

TEST(multigrid_springs_of_any_stiffness)
{
    pl_error error;
    sample s;
    create(&s);
    int rows = s.A.row_count, count = 0;
    pl_mg_spring* springs = PL_ALLOC(pl_mg_spring, rows);
    const double n[3] = {0.3 / 1.063, 1.0 / 1.063, 0.2 / 1.063};
    for (double k = 1e2; k < 1e31; k *= 1e3) {
        count = 0;
        for (int p = 0; p < pl_scalar_mg_fine(s.mg)->order.place_count; p++) {
            int row = pl_scalar_mg_fine(s.mg)->order.row[p];
            if (row < 0 || s.mesh->positions[3 * row + 1] > 1.5) continue;
            pl_mg_spring spring = {.place = p, .has_block = true};
            for (int r = 0, at = 0; r < 3; r++)
                for (int c = r; c < 3; c++) spring.block[at++] = k * n[r] * n[c];
            springs[count++] = spring;
        }
        CHECK_OK(pl_scalar_mg_set_springs(s.mg, springs, count, &error), &error);
        check_node_blocks(&s, 1);
        check_node_blocks(&s, 2);
        CHECK(isfinite(cycle_sum(&s)));
    }
    PL_FREE(springs, pl_mg_spring, rows);
    destroy(&s);
}

TEST(small_inverse_is_robust)
{
    double A[9] = {4.0, 1.0, 0.0, 1.0, 3.0, 0.5, 0.0, 0.5, 2.0}, inverse[9];
    CHECK(pl_invert_raised(3, A, inverse));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = 0.0;
            for (int k = 0; k < 3; k++) sum += A[3 * i + k] * inverse[3 * k + j];
            CHECK_NEAR(sum, i == j ? 1.0 : 0.0, 1e-14);
        }
    // of rank one: raised by little
    double B[4] = {1.0, 1.0, 1.0, 1.0};
    CHECK(pl_invert_raised(2, B, inverse));
    CHECK(B[0] > 1.0 && B[0] < 1.0 + 1e-6 && inverse[0] > 0.0);
    double wrong[3][4] = {{1.0, NAN, NAN, 1.0}, {INFINITY, 0.0, 0.0, 1.0}, {1.0, 9.0, 9.0, 1.0}};
    for (int k = 0; k < 3; k++) {
        inverse[0] = inverse[3] = 7.0;
        CHECK(!pl_invert_raised(2, wrong[k], inverse));
        CHECK(inverse[0] == 0.0 && inverse[3] == 0.0);
    }
}
