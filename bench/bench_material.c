// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Stress and projected tangent of the material laws on one thread, wide float through the table of
// laws against the double reference; the tangent is taken to the six 3 x 3 blocks of a tet.
#include "base/memory.h"
#include "base/random.h"
#include "bench.h"
#include "material/material.h"
#include "material/material_wide.h"

#include <stdio.h>

// The reference does a part of the elements, so that both sides take about as long: on a busy
// machine the longer of two runs is interrupted more often, which would flatter the shorter.
enum { COUNT = 1 << 12, BATCHES = COUNT / PL_LANES, SCALAR_PART = 16 };

typedef struct elements {
    pl_material m;
    pl_mat3 *F, *P;
    pl_mat3w *F_w, *P_w;
    pl_quatw* q_w;
} elements;

static bool create_elements(elements* e) {
    *e = (elements){.F = PL_ALLOC(pl_mat3, COUNT),
                    .P = PL_ALLOC(pl_mat3, COUNT),
                    .F_w = PL_ALLOC(pl_mat3w, BATCHES),
                    .P_w = PL_ALLOC(pl_mat3w, BATCHES),
                    .q_w = PL_ALLOC(pl_quatw, BATCHES)};
    if (!e->F || !e->P || !e->F_w || !e->P_w || !e->q_w) return false;
    pl_random random = {.state = 3};
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < 9; k++) {
            e->F[i].m[k] = (k % 4 == 0) + pl_random_uniform(&random, -0.15, 0.15);
            e->F_w[i / PL_LANES].m[k][i % PL_LANES] = (float)e->F[i].m[k];
        }
        e->q_w[i / PL_LANES].w[i % PL_LANES] = 1.0f;
    }
    return true;
}

static void destroy_elements(elements* e) {
    PL_FREE(e->F, pl_mat3, COUNT);
    PL_FREE(e->P, pl_mat3, COUNT);
    PL_FREE(e->F_w, pl_mat3w, BATCHES);
    PL_FREE(e->P_w, pl_mat3w, BATCHES);
    PL_FREE(e->q_w, pl_quatw, BATCHES);
}

static pl_material_w wide_material(const elements* e) {
    return (pl_material_w){pl_splat_w((float)e->m.mu), pl_splat_w((float)e->m.lambda),
                           pl_splat_w((float)e->m.rivlin)};
}

static void run_stress_w(void* user) {
    elements* e = user;
    const pl_material_law* law = pl_material_law_of(e->m.kind);
    pl_material_w m = wide_material(e);
    for (int i = 0; i < BATCHES; i++) law->stress(&m, &e->F_w[i], &e->q_w[i], &e->P_w[i]);
}

static void run_stress(void* user) {
    elements* e = user;
    for (int i = 0; i < COUNT / SCALAR_PART; i++) e->P[i] = pl_material_stress(&e->m, e->F[i]);
}

// the tangent's blocks between three vertices of a reference tet; the fourth's follow from theirs
static void run_tangent_w(void* user) {
    elements* e = user;
    const pl_material_law* law = pl_material_law_of(e->m.kind);
    pl_material_w m = wide_material(e);
    pl_vec3w axes[3] = {pl_splat_vec3_w(1.0f, 0.1f, 0.2f), pl_splat_vec3_w(0.3f, 1.0f, 0.1f),
                        pl_splat_vec3_w(0.1f, 0.2f, 1.0f)};
    for (int i = 0; i < BATCHES; i++) {
        pl_principal_w t;
        pl_mat3w sum = {{{0}}};
        law->principal(&m, &e->F_w[i], 1.0f, &t, NULL);
        pl_vec3w turned[3];
        for (int a = 0; a < 3; a++) turned[a] = pl_principal_turn_w(&t, axes[a]);
        for (int a = 0; a < 3; a++)
            for (int b = a; b < 3; b++) {
                pl_mat3w K = pl_principal_frame_block_w(&t, turned[a], turned[b]);
                sum = pl_mat3_add_w(sum, pl_principal_unturn_w(&t, K));
            }
        e->P_w[i] = sum;
    }
}

static void run_tangent(void* user) {
    elements* e = user;
    pl_vec3 axes[3] = {{1.0, 0.1, 0.2}, {0.3, 1.0, 0.1}, {0.1, 0.2, 1.0}};
    for (int i = 0; i < COUNT / SCALAR_PART; i++) {
        pl_principal t = pl_material_principal(&e->m, e->F[i], true);
        pl_mat3 sum = {{0}};
        for (int a = 0; a < 3; a++)
            for (int b = a; b < 3; b++)
                sum = pl_mat3_add(sum, pl_principal_block(&t, axes[a], axes[b]));
        e->P[i] = sum;
    }
}

static void bench_law(bench* b, elements* e, pl_material_kind kind, int repeats) {
    const char* law = pl_material_name(kind);
    char name[64];
    if (pl_material_from_young(kind, 1e5, 0.4, &e->m, NULL) != PL_OK) return;
    snprintf(name, sizeof name, "stress_%s_m", law);
    bench_result(b, name, COUNT / bench_seconds(run_stress_w, e, repeats) / 1e6, "M/s", NAN);
    snprintf(name, sizeof name, "stress_%s_vs_scalar", law);
    bench_result(b, name, SCALAR_PART * bench_ratio(run_stress_w, e, run_stress, e, repeats), "x",
                 NAN);
    snprintf(name, sizeof name, "tangent_%s_m", law);
    bench_result(b, name, COUNT / bench_seconds(run_tangent_w, e, repeats) / 1e6, "M/s", NAN);
    snprintf(name, sizeof name, "tangent_%s_vs_scalar", law);
    bench_result(b, name, SCALAR_PART * bench_ratio(run_tangent_w, e, run_tangent, e, repeats), "x",
                 NAN);
}

bool bench_material(bench* b) {
    elements e;
    bool done = create_elements(&e);
    for (int kind = 0; done && kind < PL_MATERIAL_COUNT; kind++)
        bench_law(b, &e, (pl_material_kind)kind, bench_quick(b) ? 9 : 51);
    if (!done) fprintf(stderr, "material: out of memory\n");
    destroy_elements(&e);
    return done;
}
