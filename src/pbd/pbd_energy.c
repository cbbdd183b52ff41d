// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// These sums are needed in every frame, so they must be cheap: blocks run in parallel, and square
// roots and quotients of distances are computed several at a time.
#include "pbd/pbd_energy.h"
#include "material/material.h"

#include <math.h>

enum { VERTEX_BLOCK = 4096, CONSTRAINT_BLOCK = 2048, GROUP = 64, SUMS = 4 };

typedef struct energy_job {
    const pl_pbd_system* system;
    const pl_pbd_body* body;
    const pl_constraint_set* set;
} energy_job;

static const double* place_of(const energy_job* job, int particle) {
    const pl_pbd_body* b = job->body;
    return job->system->positions + 3 * (size_t)(b->first_vertex + pl_pbd_vertex_of(b, particle));
}

static double kinetic_part(int begin, int end, void* user) {
    const pl_pbd_system* s = user;
    double sum = 0.0;
    for (int i = begin; i < end; i++) {
        const double* v = s->velocities + 3 * (size_t)i;
        sum += s->mass[i] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    return 0.5 * sum;
}

static double tet_part(int begin, int end, void* user) {
    const energy_job* job = user;
    double sum = 0.0;
    for (int c = begin; c < end; c++) {
        const int* v = job->set->vertices + 4 * (size_t)c;
        const float* values = job->set->values + 12 * (size_t)c;
        pl_vec3 x = pl_vec3_load(place_of(job, v[0])), e[3];
        for (int k = 0; k < 3; k++) e[k] = pl_sub(pl_vec3_load(place_of(job, v[k + 1])), x);
        pl_mat3 inverse;
        for (int i = 0; i < 9; i++) inverse.m[i] = (double)values[i];
        pl_material law = {
            .kind = job->set->law, .mu = (double)values[10], .lambda = (double)values[11]};
        pl_mat3 F = pl_mat3_mul(pl_mat3_from_columns(e[0], e[1], e[2]), inverse);
        sum += (double)values[9] * pl_material_energy(&law, F);
    }
    return sum;
}

// Squared distances come first, so that the later loops have no indirect accesses.
static double distance_group(const energy_job* job, int begin, int end) {
    const pl_constraint_set* set = job->set;
    double energy[GROUP], sums[SUMS] = {0};
    int count = end - begin;
    for (int k = 0; k < count; k++) {
        const int* v = set->vertices + 2 * (size_t)(begin + k);
        const double *a = place_of(job, v[0]), *b = place_of(job, v[1]);
        double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        energy[k] = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    }
    for (int k = 0; k < count; k++) {
        double error = sqrt(energy[k]) - (double)set->values[begin + k];
        energy[k] = error * error / (double)set->compliance[begin + k];
    }
    for (int k = 0; k < count; k++) sums[k % SUMS] += energy[k];
    return 0.5 * (sums[0] + sums[1] + sums[2] + sums[3]);
}

static double distance_part(int begin, int end, void* user) {
    double sum = 0.0;
    for (int c = begin; c < end; c += GROUP)
        sum += distance_group(user, c, c + GROUP < end ? c + GROUP : end);
    return sum;
}

pl_method_energies pl_pbd_energies(const pl_pbd_system* s) {
    pl_method_energies e = {0};
    energy_job job = {.system = s};
    e.kinetic =
        pl_parallel_sum(s->pool, kinetic_part, s->vertex_count, VERTEX_BLOCK, (void*)(uintptr_t)s);
    for (int b = 0; b < s->body_count; b++) {
        job.body = &s->bodies[b];
        const pl_pbd_level* l = &job.body->hierarchy.levels[0];
        for (int k = 0; k < l->set_count; k++) {
            const pl_constraint_set* set = job.set = &l->sets[k];
            bool is_tet = set->kind == PL_CONSTRAINT_TET;
            if (!is_tet && (set->kind != PL_CONSTRAINT_DISTANCE || !set->compliance)) continue;
            e.elastic += pl_parallel_sum(s->pool, is_tet ? tet_part : distance_part, set->count,
                                         CONSTRAINT_BLOCK, &job);
        }
    }
    return e;
}
