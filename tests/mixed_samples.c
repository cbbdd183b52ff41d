// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "mixed_samples.h"
#include "base/memory.h"
#include "base/random.h"
#include "sample_meshes.h"
#include "step/step_pattern.h"
#include "test.h"
#include "verify.h"

static pl_material material_of(pl_material_kind law, double poisson) {
    pl_material m;
    pl_error error;
    bool is_compressible = poisson < 0.5;
    CHECK_OK(pl_material_from_young(law, 1e4, is_compressible ? poisson : 0.3, &m, &error), &error);
    if (!is_compressible) m.mu = 3e3, m.lambda = INFINITY;
    return m;
}

static void find_pattern(mixed_sample* s) {
    pl_adjacency around = {0};
    pl_error error;
    CHECK_OK(pl_step_elements_around(&s->set, s->n, NULL, &around, &error), &error);
    CHECK_OK(pl_step_neighbours(&s->set, &around, 1, s->n, NULL, &s->pattern, &error), &error);
    pl_adjacency_free(&around);
}

void mixed_sample_disturb(mixed_sample* s, double amount, uint64_t seed) {
    pl_random random = {seed};
    for (int i = 0; i < 3 * s->n; i++)
        s->x[i] = s->mesh->positions[i] + pl_random_uniform(&random, -amount, amount);
    for (int v = 0; v < s->n; v++) s->p[v] = pl_random_uniform(&random, -2e3, 2e3);
}

mixed_sample mixed_sample_make(int fineness, pl_material_kind law, double poisson, double alpha,
                               bool in_matrix_only) {
    mixed_sample s = {0};
    pl_error error;
    CHECK_OK(
        verify_box(1, 1, 1, 2 * fineness, fineness, fineness, PL_PATTERN_FIVE, &s.mesh, &error),
        &error);
    s.n = s.mesh->vertex_count;
    CHECK(s.n <= MIXED_SAMPLE_VERTICES);
    pl_material* all = PL_ALLOC(pl_material, s.mesh->tet_count);
    for (int e = 0; e < s.mesh->tet_count; e++) all[e] = material_of(law, poisson);
    CHECK_OK(pl_tet_elements_setup(&s.set, s.mesh->positions, s.n, s.mesh->tets, s.mesh->tet_count,
                                   all, &error),
             &error);
    PL_FREE(all, pl_material, s.mesh->tet_count);
    find_pattern(&s);
    pl_mixed_options options = {alpha, in_matrix_only, NAN};
    CHECK_OK(pl_mixed_pressure_create(s.n, s.pattern.offsets, s.pattern.items, &options, NULL,
                                      &s.pressure, &error),
             &error);
    pl_block_matrix K;
    CHECK_OK(pl_block_matrix_setup(&K, s.n, 3, s.pattern.offsets, s.pattern.items, &error), &error);
    CHECK_OK(pl_element_set_locate(&s.set, &K, &error), &error);
    pl_block_matrix_free(&K);
    return s;
}

void mixed_sample_mix(mixed_sample* s, const double* pressures) {
    pl_error error;
    CHECK_OK(pl_mixed_tets_take(&s->set, s->n, pressures, &error), &error);
    CHECK_OK(pl_step_pieces_setup(&s->pieces, s->mesh->positions, s->n, s->pattern.offsets,
                                  s->pattern.items, &s->set, 1, &error),
             &error);
    CHECK_OK(pl_mixed_pressure_use(s->pressure, &s->set, &s->pieces, &error), &error);
}

void mixed_sample_free(mixed_sample* s) {
    pl_mixed_pressure_destroy(s->pressure);
    pl_step_pieces_free(&s->pieces);
    pl_element_set_free(&s->set);
    pl_adjacency_free(&s->pattern);
    pl_mesh_destroy(s->mesh);
}
