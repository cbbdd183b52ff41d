// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Energy of a tet: mu V |F - R|^2, whose matrix is 2 mu V g_i . g_j with g the gradients of the
// linear functions (Bouaziz 2014). Density 1, attachment stiffness 1, h = 1/30, gravity 9.8.
#include "s0_system.h"
#include "base/memory.h"
#include "bench_meshes.h"
#include "math/polar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TIME_STEP = 1.0 / 30.0;
enum { ITERATIONS = 10 };

static double gradients(const double* rest, const int* tet, double g[4][3]) {
    pl_vec3 e[3];
    for (int k = 0; k < 3; k++)
        e[k] = pl_sub(pl_vec3_load(rest + 3 * (size_t)tet[k + 1]),
                      pl_vec3_load(rest + 3 * (size_t)tet[0]));
    pl_vec3 n[3] = {pl_cross(e[1], e[2]), pl_cross(e[2], e[0]), pl_cross(e[0], e[1])};
    double six = pl_dot(e[0], n[0]);
    for (int k = 0; k < 3; k++) {
        g[k + 1][0] = n[k].x / six;
        g[k + 1][1] = n[k].y / six;
        g[k + 1][2] = n[k].z / six;
    }
    for (int c = 0; c < 3; c++) g[0][c] = -g[1][c] - g[2][c] - g[3][c];
    return six / 6.0;
}

static void assemble(s0_system* s, double mu) {
    for (int t = 0; t < s->mesh->tet_count; t++) {
        const int* tet = s->mesh->tets + 4 * (size_t)t;
        double g[4][3], volume = gradients(s->rest, tet, g);
        for (int i = 0; i < 4; i++) {
            s->mass[tet[i]] += 0.25 * volume;
            for (int j = 0; j < 4; j++)
                s->A.values[pl_block_matrix_find(&s->A, tet[i], tet[j])] +=
                    2.0 * mu * volume * (g[i][0] * g[j][0] + g[i][1] * g[j][1] + g[i][2] * g[j][2]);
        }
    }
    for (int v = 0; v < s->mesh->vertex_count; v++)
        s->A.values[s->A.diagonal[v]] += s->mass[v] / (TIME_STEP * TIME_STEP) + s->pins[v];
}

// b = -dg/dx at x; y: where the vertices would be without forces
static void right_side(s0_system* s, double mu, const double* y) {
    for (int v = 0; v < s->mesh->vertex_count; v++)
        for (int c = 0; c < 3; c++) {
            size_t i = 3 * (size_t)v + (size_t)c;
            s->b[i] = s->mass[v] * (y[i] - s->x[i]) / (TIME_STEP * TIME_STEP) +
                      s->pins[v] * (s->rest[i] - s->x[i]) - (c == 1 ? 9.8 * s->mass[v] : 0.0);
        }
    for (int t = 0; t < s->mesh->tet_count; t++) {
        const int* tet = s->mesh->tets + 4 * (size_t)t;
        double g[4][3], volume = gradients(s->rest, tet, g);
        pl_mat3 F = {{0}}, R;
        for (int k = 0; k < 4; k++)
            for (int e = 0; e < 9; e++)
                F.m[e] += s->x[3 * (size_t)tet[k] + (size_t)(e / 3)] * g[k][e % 3];
        pl_polar(F, &R, NULL);
        for (int k = 0; k < 4; k++)
            for (int e = 0; e < 9; e++)
                s->b[3 * (size_t)tet[k] + (size_t)(e / 3)] -=
                    2.0 * mu * volume * (F.m[e] - R.m[e]) * g[k][e % 3];
    }
}

// frames of exact Projective Dynamics, and then b of the next one's first iteration
static bool simulate(s0_system* s, double mu, int frames) {
    size_t count = 3 * (size_t)s->mesh->vertex_count;
    double *y = PL_ALLOC(double, count), *before = PL_ALLOC(double, count);
    double* step = PL_ALLOC(double, count);
    bool ok = y && before && step;
    for (int frame = 0; ok && frame <= frames; frame++) {
        memcpy(before, s->x, count * sizeof(double));
        for (size_t i = 0; i < count; i++) s->x[i] = y[i] = s->x[i] + TIME_STEP * s->velocity[i];
        for (int k = 0; k < ITERATIONS; k++) {
            right_side(s, mu, y);
            if (frame == frames) break;
            pl_direct_solve(s->direct, 3, s->b, step);
            for (size_t i = 0; i < count; i++) s->x[i] += step[i];
        }
        for (size_t i = 0; frame < frames && i < count; i++)
            s->velocity[i] = (s->x[i] - before[i]) / TIME_STEP;
    }
    PL_FREE(y, double, count);
    PL_FREE(before, double, count);
    PL_FREE(step, double, count);
    return ok;
}

// the ears: the highest vertices of the left and of the right half, and what is near to them
static void pin_ears(s0_system* s) {
    const double* x = s->rest;
    double middle = 0.0;
    for (int v = 0; v < s->mesh->vertex_count; v++) middle += x[3 * v] / s->mesh->vertex_count;
    for (int side = 0; side < 2; side++) {
        int top = -1;
        for (int v = 0; v < s->mesh->vertex_count; v++)
            if ((x[3 * v] > middle) == (side == 1) && (top < 0 || x[3 * v + 1] > x[3 * top + 1]))
                top = v;
        for (int v = 0; v < s->mesh->vertex_count; v++)
            if (hypot(hypot(x[3 * v] - x[3 * top], x[3 * v + 1] - x[3 * top + 1]),
                      x[3 * v + 2] - x[3 * top + 2]) < 0.03)
                s->pins[v] = 1.0;
    }
}

static pl_status load(s0_system* s, bench* b, pl_error* error) {
    pl_status status =
        bench_quick(b)
            ? bench_solid_mesh(b, "tets_generated/armadillo_1k.msh", 1017, &s->mesh, error)
            : bench_solid_mesh(b, "tets_generated/armadillo_15k.msh.gz", 14590, &s->mesh, error);
    if (status == PL_OK) bench_make_unit_size(s->mesh);
    return status;
}

static pl_status build(s0_system* s, bench* b, double mu, int frames, pl_error* error) {
    pl_status status = load(s, b, error);
    if (status != PL_OK) return status;
    int n = s->mesh->vertex_count;
    size_t count = 3 * (size_t)n;
    pl_edges edges;
    status = pl_edges_create(s->mesh->tets, s->mesh->tet_count, 4, n, &edges, error);
    if (status != PL_OK) return status;
    status = pl_vertex_neighbours(&edges, n, &s->graph, error);
    pl_edges_free(&edges);
    if (status == PL_OK)
        status = pl_block_matrix_setup(&s->A, n, 1, s->graph.offsets, s->graph.items, error);
    s->b = PL_ALLOC(double, count);
    s->x = PL_ALLOC(double, count);
    s->velocity = PL_ALLOC(double, count);
    s->rest = PL_ALLOC(double, count);
    s->mass = PL_ALLOC(double, n);
    s->pins = PL_ALLOC(double, n);
    if (status == PL_OK && (!s->b || !s->x || !s->velocity || !s->rest || !s->mass || !s->pins))
        status = pl_fail_memory(error, "a system");
    if (status != PL_OK) return status;
    memcpy(s->rest, s->mesh->positions, count * sizeof(double));
    memcpy(s->x, s->rest, count * sizeof(double));
    pin_ears(s);
    assemble(s, mu);
    status = pl_direct_setup(&s->A, &s->direct, error);
    if (status == PL_OK) status = pl_direct_update(s->direct, &s->A, NULL, error);
    if (status == PL_OK && !simulate(s, mu, frames)) status = pl_fail_memory(error, "a system");
    return status;
}

bool s0_system_create(s0_system* s, bench* b, double mu, int frames) {
    pl_error error;
    *s = (s0_system){0};
    if (build(s, b, mu, frames, &error) == PL_OK) return true;
    fprintf(stderr, "pliant-bench: %s\n", error.text);
    s0_system_free(s);
    return false;
}

void s0_system_free(s0_system* s) {
    int n = s->mesh ? s->mesh->vertex_count : 0;
    size_t count = 3 * (size_t)n;
    PL_FREE(s->b, double, count);
    PL_FREE(s->x, double, count);
    PL_FREE(s->velocity, double, count);
    PL_FREE(s->rest, double, count);
    PL_FREE(s->mass, double, n);
    PL_FREE(s->pins, double, n);
    pl_direct_destroy(s->direct);
    pl_block_matrix_free(&s->A);
    pl_adjacency_free(&s->graph);
    pl_mesh_destroy(s->mesh);
    *s = (s0_system){0};
}
