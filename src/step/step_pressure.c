// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// On a closed surface pressure p has the energy p V, where V is the enclosed volume. On a patch
// with an open rim it has none: its work depends on the path. So energy is measured along the path
// of the iterates, as p times the volume that the patch sweeps. From one iterate x_k to a trial the
// path is straight, and
//
//   E(x) = work so far + p swept(x_k -> x)
//
// has the exact forces as its gradient at x_k, which is all that a line search needs. On closed
// surfaces E is p V up to a constant.
//
// A triangle with corners x_i has the gradient g_i = p/6 N, N = x0 x x1 + x1 x x2 + x2 x x0. With
// e_j = x_(j+1) - x_(j+2) its derivative is dg_i/dx_j = -p/6 [e_j]x, whose symmetric part is
// -p/12 [e_j - e_i]x. The rest cancels, except at the rim of a patch.
#include "step/step_pressure.h"
#include "step/step_objective.h"

#include <string.h>

void pl_step_pressure_setup(pl_step_pressure* p) {
    *p = (pl_step_pressure){.base = pl_array_of(sizeof(double)),
                            .work = pl_array_of(sizeof(double)),
                            .dead = pl_array_of(sizeof(double))};
}

void pl_step_pressure_free(pl_step_pressure* p) {
    pl_array_free(&p->base);
    pl_array_free(&p->work);
    pl_array_free(&p->dead);
    p->load_count = 0;
}

// false if memory runs out
static bool resize(pl_array* array, size_t count) {
    array->count = 0;
    return pl_array_add(array, count) != NULL || count == 0;
}

// Starts to measure work from x.
static void restart(pl_step_pressure* p, const double* x) {
    memcpy(p->base.data, x, p->base.count * sizeof(double));
    if (p->work.count) memset(p->work.data, 0, p->work.count * sizeof(double));
}

pl_status pl_step_pressure_begin(pl_step_pressure* p, const pl_pressure* loads, int load_count,
                                 int vertex_count, const double* x, const double* force,
                                 pl_error* error) {
    size_t triangle_count = 0, count = 3 * (size_t)vertex_count;
    p->loads = loads;
    p->load_count = load_count;
    if (load_count == 0) return PL_OK;
    for (int k = 0; k < load_count; k++) triangle_count += (size_t)loads[k].count;
    if (!resize(&p->base, count) || !resize(&p->dead, count) || !resize(&p->work, triangle_count))
        return pl_fail_memory(error, "pressure");
    memcpy(p->dead.data, force, count * sizeof(double));
    for (int k = 0; k < load_count; k++) pl_pressure_add(&loads[k], x, -1.0, p->dead.data);
    restart(p, x);
    return PL_OK;
}

static pl_status begin(void* user, const pl_step_objective* f, pl_error* error) {
    (void)error;
    restart(user, f->start);
    return PL_OK;
}

static void follow(void* user, const double* x, const int* piece_of, const double* lengths) {
    (void)piece_of, (void)lengths;
    pl_step_pressure* p = user;
    double *base = p->base.data, *work = p->work.data;
    for (int k = 0; k < p->load_count; k++) {
        const pl_pressure* load = &p->loads[k];
        for (int t = 0; t < load->count; t++)
            *work++ += load->pressure * pl_swept_volume(base, x, load->triangles + 3 * (size_t)t);
    }
    for (int k = 0; k < p->load_count; k++)
        for (int i = 0; i < 3 * p->loads[k].count; i++) {
            size_t at = 3 * (size_t)p->loads[k].triangles[i];
            memcpy(base + at, x + at, 3 * sizeof(double));
        }
}

// energy of triangle t of a load; work: that of its load
static double triangle_energy(const pl_step_pressure* p, const pl_pressure* load, int t,
                              const double* work, const double* x) {
    const int* v = load->triangles + 3 * (size_t)t;
    return work[t] + load->pressure * pl_swept_volume(p->base.data, x, v);
}

static double energy(const void* user, const double* x) {
    const pl_step_pressure* p = user;
    const double* work = p->work.data;
    double sum = 0.0;
    for (int k = 0; k < p->load_count; work += p->loads[k++].count)
        for (int t = 0; t < p->loads[k].count; t++)
            sum += triangle_energy(p, &p->loads[k], t, work, x);
    return sum;
}

static void add_energies(const void* user, const int* piece_of, const bool* chosen, const double* x,
                         double* energies) {
    const pl_step_pressure* p = user;
    const double* work = p->work.data;
    for (int k = 0; k < p->load_count; work += p->loads[k++].count)
        for (int t = 0; t < p->loads[k].count; t++) {
            int piece = piece_of[p->loads[k].triangles[3 * (size_t)t]];
            if (!chosen || chosen[piece])
                energies[piece] += triangle_energy(p, &p->loads[k], t, work, x);
        }
}

static void add_gradient(const void* user, const double* x, double* gradient) {
    const pl_step_pressure* p = user;
    for (int k = 0; k < p->load_count; k++) pl_pressure_add(&p->loads[k], x, -1.0, gradient);
}

// One block of the stiffness: rows of vertex v[i], columns of v[j], i != j.
static void stiffness_block(double pressure, const double* x, const int* v, int i, int j,
                            double block[9]) {
    // e_j - e_i = +-(2 x_k - x_i - x_j), k the third corner; plus if j follows i
    int k = 3 - i - j;
    pl_vec3 between =
        pl_add(pl_vec3_load(x + 3 * (size_t)v[i]), pl_vec3_load(x + 3 * (size_t)v[j]));
    pl_vec3 e = pl_sub(pl_scale(2.0, pl_vec3_load(x + 3 * (size_t)v[k])), between);
    pl_vec3 w = pl_scale(j == (i + 1) % 3 ? -pressure / 12.0 : pressure / 12.0, e);
    const double cross[9] = {0.0, -w.z, w.y, w.z, 0.0, -w.x, -w.y, w.x, 0.0};
    memcpy(block, cross, sizeof cross);
}

static void add_stiffness(const void* user, const double* x, double projected, pl_add_block add,
                          void* to) {
    const pl_step_pressure* p = user;
    (void)projected;
    for (int k = 0; k < p->load_count; k++)
        for (int t = 0; t < p->loads[k].count; t++) {
            const int* v = p->loads[k].triangles + 3 * (size_t)t;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    double block[9];
                    if (i == j) continue;
                    stiffness_block(p->loads[k].pressure, x, v, i, j, block);
                    add(to, v[i], v[j], block);
                }
        }
}

// The midpoint rule integrates g x h / 4 where the path has g x h / 3 (see pl_swept_volume).
static void add_created(const void* user, const int* piece_of, const double* start,
                        const double* end, double* created) {
    const pl_step_pressure* p = user;
    for (int k = 0; k < p->load_count; k++)
        for (int t = 0; t < p->loads[k].count; t++) {
            const int* v = p->loads[k].triangles + 3 * (size_t)t;
            pl_vec3 d[3];
            for (int i = 0; i < 3; i++)
                d[i] = pl_sub(pl_vec3_load(end + 3 * (size_t)v[i]),
                              pl_vec3_load(start + 3 * (size_t)v[i]));
            pl_vec3 turn = pl_cross(pl_sub(d[1], d[0]), pl_sub(d[2], d[0]));
            created[piece_of[v[0]]] +=
                p->loads[k].pressure / 72.0 * pl_dot(pl_add(pl_add(d[0], d[1]), d[2]), turn);
        }
}

pl_step_term pl_step_pressure_term(pl_step_pressure* p) {
    return (pl_step_term){.user = p,
                          .energy = energy,
                          .energies = add_energies,
                          .gradient = add_gradient,
                          .hessian = add_stiffness,
                          .is_indefinite = true,
                          .begin = begin,
                          .follow = follow,
                          .created = add_created};
}
