// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// F = Ds Dm^-1 = sum_i x_i g_i' with g_i the rest gradient of corner i's shape function; so the
// gradient of the energy at corner i is V P g_i, and the block (i, j) of the Hessian is V times
// dP/dF contracted with g_i and g_j.
#include "elements/tet_elements.h"
#include "base/memory.h"
#include "elements/tet_lanes.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void tet_destroy(void* data) {
    pl_tet_data* d = data;
    PL_FREE(d->gradients, double, 12 * (size_t)d->count);
    PL_FREE(d->volumes, double, d->count);
    PL_FREE(d->materials, pl_material, d->count);
    PL_FREE(d, pl_tet_data, 1);
}

pl_mat3 pl_tet_deformation(const pl_tet_data* d, int e, const double* x) {
    const double* g = d->gradients + 12 * (size_t)e;
    pl_mat3 F = {{0.0}};
    for (int i = 0; i < 4; i++)
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) F.m[3 * r + c] += x[3 * i + r] * g[3 * i + c];
    return F;
}

static double tet_energy(const void* data, int e, const double* x) {
    const pl_tet_data* d = data;
    return d->volumes[e] * pl_material_energy(&d->materials[e], pl_tet_deformation(d, e, x));
}

static void tet_gradient(const void* data, int e, const double* x, double* gradient) {
    const pl_tet_data* d = data;
    pl_mat3 P = pl_material_stress(&d->materials[e], pl_tet_deformation(d, e, x));
    const double* g = d->gradients + 12 * (size_t)e;
    for (int i = 0; i < 4; i++)
        for (int r = 0; r < 3; r++)
            gradient[3 * i + r] =
                d->volumes[e] * (P.m[3 * r] * g[3 * i] + P.m[3 * r + 1] * g[3 * i + 1] +
                                 P.m[3 * r + 2] * g[3 * i + 2]);
}

void pl_tet_stiffness(const pl_tet_data* d, int e, const pl_principal* tangent, double* hessian) {
    const double* g = d->gradients + 12 * (size_t)e;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            pl_mat3 K =
                pl_principal_block(tangent, pl_vec3_load(g + 3 * i), pl_vec3_load(g + 3 * j));
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    hessian[12 * (3 * i + r) + 3 * j + c] = d->volumes[e] * K.m[3 * r + c];
        }
}

static void tet_hessian(const void* data, int e, const double* x, bool projected, double* hessian) {
    const pl_tet_data* d = data;
    pl_principal tangent =
        pl_material_principal(&d->materials[e], pl_tet_deformation(d, e, x), projected);
    pl_tet_stiffness(d, e, &tangent, hessian);
}

// 2 mu + lambda bounds the tangent of the corotated laws near the rest state
static void tet_projective(const void* data, int e, double* matrix) {
    const pl_tet_data* d = data;
    const double* g = d->gradients + 12 * (size_t)e;
    double weight = d->volumes[e] * (2.0 * d->materials[e].mu + fmax(d->materials[e].lambda, 0.0));
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            matrix[4 * i + j] = weight * (g[3 * i] * g[3 * j] + g[3 * i + 1] * g[3 * j + 1] +
                                          g[3 * i + 2] * g[3 * j + 2]);
}

void pl_tet_gather(const pl_element_set* set, int e, const double* x, double local[12]) {
    const int* v = set->corners + 4 * (size_t)e;
    for (int i = 0; i < 12; i++) local[i] = x[3 * (size_t)v[i / 3] + (size_t)(i % 3)];
}

void pl_tet_sum_gradients(const pl_element_set* set, const pl_tet_data* d, bool with_volume,
                          int first, int last, const double* x, double* gradient) {
    while (first < last) {
        if (last - first >= PL_TET_LANES &&
            pl_tet_lanes_gradient(d, set->corners, first, with_volume, x, gradient)) {
            first += PL_TET_LANES;
            continue;
        }
        double local[12], own[12];
        const int* v = set->corners + 4 * (size_t)first;
        pl_tet_gather(set, first, x, local);
        set->kind->gradient(set->data, first++, local, own);
        for (int i = 0; i < 12; i++) gradient[3 * (size_t)v[i / 3] + (size_t)(i % 3)] += own[i];
    }
}

double pl_tet_sum_energies(const pl_element_set* set, const pl_tet_data* d, bool with_volume,
                           int first, int last, const double* x) {
    double sum = 0.0;
    while (first < last) {
        if (last - first >= PL_TET_LANES &&
            pl_tet_lanes_energy(d, set->corners, first, with_volume, x, &sum)) {
            first += PL_TET_LANES;
            continue;
        }
        double local[12];
        pl_tet_gather(set, first, x, local);
        sum += set->kind->energy(set->data, first++, local);
    }
    return sum;
}

static void tet_gradients(const pl_element_set* set, int first, int last, const double* x,
                          double* gradient) {
    pl_tet_sum_gradients(set, set->data, true, first, last, x, gradient);
}

static double tet_energies(const pl_element_set* set, int first, int last, const double* x) {
    return pl_tet_sum_energies(set, set->data, true, first, last, x);
}

const pl_element_functions pl_tet_elements = {.name = "tet",
                                              .corner_count = 4,
                                              .energy = tet_energy,
                                              .gradient = tet_gradient,
                                              .hessian = tet_hessian,
                                              .projective = tet_projective,
                                              .destroy = tet_destroy,
                                              .gradients = tet_gradients,
                                              .energies = tet_energies};

// shape gradients and volume of one tet; false if the volume is zero
static bool prepare_tet(const double* rest, const int* v, double* gradients, double* volume) {
    pl_vec3 a = pl_vec3_load(rest + 3 * (size_t)v[0]);
    pl_vec3 e1 = pl_sub(pl_vec3_load(rest + 3 * (size_t)v[1]), a);
    pl_vec3 e2 = pl_sub(pl_vec3_load(rest + 3 * (size_t)v[2]), a);
    pl_vec3 e3 = pl_sub(pl_vec3_load(rest + 3 * (size_t)v[3]), a);
    double det = pl_dot(e1, pl_cross(e2, e3));
    double size = pl_norm(e1) * pl_norm(e2) * pl_norm(e3);
    if (!(det > DBL_EPSILON * size)) return false;
    pl_vec3 g[4];
    g[1] = pl_scale(1.0 / det, pl_cross(e2, e3));
    g[2] = pl_scale(1.0 / det, pl_cross(e3, e1));
    g[3] = pl_scale(1.0 / det, pl_cross(e1, e2));
    g[0] = pl_scale(-1.0, pl_add(g[1], pl_add(g[2], g[3])));
    for (int i = 0; i < 4; i++) pl_vec3_store(gradients + 3 * i, g[i]);
    *volume = det / 6.0;
    return isfinite(det);
}

enum { TET_BLOCK = 2048 };

typedef struct prepare_job {
    const double* rest;
    const int* corners;
    pl_tet_data* d;
} prepare_job;

// number of tets with zero volume
static double prepare_part(int begin, int end, void* user) {
    const prepare_job* job = user;
    int bad = 0;
    for (int e = begin; e < end; e++)
        bad += !prepare_tet(job->rest, job->corners + 4 * (size_t)e,
                            job->d->gradients + 12 * (size_t)e, &job->d->volumes[e]);
    return bad;
}

static pl_status prepare_tets(const prepare_job* job, int count, pl_pool* pool, pl_error* error) {
    prepare_job parts = *job;
    if (pl_parallel_sum(pool, prepare_part, count, TET_BLOCK, &parts) == 0.0) return PL_OK;
    int e = 0;
    double gradients[12], volume;
    while (prepare_tet(job->rest, job->corners + 4 * (size_t)e, gradients, &volume)) e++;
    return pl_fail(
        error, PL_ERROR_MESH,
        "tet %d is inverted or flat; `pliant mesh IN -o OUT --repair` turns inverted ones", e);
}

pl_status pl_tet_elements_take(pl_element_set* set, const double* rest, int vertex_count,
                               int* corners, int tet_count, pl_material* materials, pl_pool* pool,
                               pl_error* error) {
    *set = (pl_element_set){0};
    pl_tet_data* d = PL_ALLOC(pl_tet_data, 1);
    if (d) {
        *d = (pl_tet_data){.count = tet_count,
                           .gradients = PL_ALLOC(double, 12 * (size_t)tet_count),
                           .volumes = PL_ALLOC(double, tet_count),
                           .materials = materials};
    } else PL_FREE(materials, pl_material, tet_count);
    bool ready = d && corners && d->gradients && d->volumes && d->materials;
    pl_status status = ready
                           ? prepare_tets(&(prepare_job){rest, corners, d}, tet_count, pool, error)
                           : pl_fail_memory(error, "tets");
    if (status == PL_OK)
        return pl_element_set_setup(set, &pl_tet_elements, d, corners, tet_count, vertex_count,
                                    error);
    if (d) tet_destroy(d);
    PL_FREE(corners, int, 4 * (size_t)tet_count);
    return status;
}

pl_status pl_tet_elements_setup(pl_element_set* set, const double* rest, int vertex_count,
                                const int* tets, int tet_count, const pl_material* materials,
                                pl_error* error) {
    int* corners = PL_ALLOC(int, 4 * (size_t)tet_count);
    pl_material* own = PL_ALLOC(pl_material, tet_count);
    if (corners) memcpy(corners, tets, 4 * (size_t)tet_count * sizeof(int));
    if (own) memcpy(own, materials, (size_t)tet_count * sizeof(pl_material));
    return pl_tet_elements_take(set, rest, vertex_count, corners, tet_count, own, NULL, error);
}

double pl_tet_element_volume(const pl_element_set* set, int element) {
    return ((const pl_tet_data*)set->data)->volumes[element];
}

void pl_tet_element_set_material(pl_element_set* set, int element, const pl_material* material) {
    ((pl_tet_data*)set->data)->materials[element] = *material;
}

const pl_material* pl_tet_element_materials(const pl_element_set* set) {
    return ((const pl_tet_data*)set->data)->materials;
}
