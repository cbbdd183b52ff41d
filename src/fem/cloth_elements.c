// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "fem/cloth_elements.h"
#include "base/memory.h"
#include "fem/spring_gather.h"
#include "material/bending.h"
#include "material/spring.h"

#include <float.h>
#include <math.h>
#include <string.h>

// elements with one rest value and one stiffness: springs and hinges
typedef struct pair_data {
    int count;
    double* rest;
    double* stiffness;
    double* slopes; // hinges: 4 each, slopes of the angle where it is flat, for Projective Dynamics
} pair_data;

static void pair_destroy(void* data) {
    pair_data* d = data;
    PL_FREE(d->rest, double, d->count);
    PL_FREE(d->stiffness, double, d->count);
    PL_FREE(d->slopes, double, 4 * (size_t)d->count);
    PL_FREE(d, pair_data, 1);
}

static pair_data* pair_create(int count) {
    pair_data* d = PL_ALLOC(pair_data, 1);
    if (!d) return NULL;
    d->count = count;
    d->rest = PL_ALLOC(double, count);
    d->stiffness = PL_ALLOC(double, count);
    if (d->rest && d->stiffness) return d;
    pair_destroy(d);
    return NULL;
}

static double spring(const void* data, int e, const double* x, bool projected, pl_vec3* gradient,
                     pl_mat3* hessian) {
    const pair_data* d = data;
    return pl_spring_energy(pl_sub(pl_vec3_load(x + 3), pl_vec3_load(x)), d->rest[e],
                            d->stiffness[e], projected, gradient, hessian);
}

static double spring_energy(const void* data, int e, const double* x) {
    return spring(data, e, x, false, NULL, NULL);
}

static void spring_gradient(const void* data, int e, const double* x, double* gradient) {
    pl_vec3 g;
    spring(data, e, x, false, &g, NULL);
    pl_vec3_store(gradient, pl_scale(-1.0, g));
    pl_vec3_store(gradient + 3, g);
}

static void spring_hessian(const void* data, int e, const double* x, bool projected,
                           double* hessian) {
    pl_vec3 g;
    pl_mat3 H;
    spring(data, e, x, projected, &g, &H);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            hessian[6 * i + j] =
                (i < 3) == (j < 3) ? H.m[3 * (i % 3) + j % 3] : -H.m[3 * (i % 3) + j % 3];
}

static void spring_projective(const void* data, int e, double* matrix) {
    double k = ((const pair_data*)data)->stiffness[e];
    matrix[0] = matrix[3] = k;
    matrix[1] = matrix[2] = -k;
}

enum { WIDE = 8 };

// Springs [first, first + count), count at most WIDE. Plain loops, which the compiler vectorises
// for a constant count. In double, because the round-off of float in the forces of stiff springs
// exceeds the tolerance of solvers.
static inline __attribute__((always_inline)) void add_spring_gradients(const pl_element_set* set,
                                                                       int first, int count,
                                                                       const double* x,
                                                                       double* gradient) {
    const pair_data* data = set->data;
    const int* v = set->corners + 2 * (size_t)first;
    const double *rest = data->rest + first, *stiffness = data->stiffness + first;
    double d[3][WIDE], factor[WIDE];
    for (int i = 0; i < count; i++) {
        const double *a = x + 3 * (size_t)v[2 * i], *b = x + 3 * (size_t)v[2 * i + 1];
        for (int c = 0; c < 3; c++) d[c][i] = b[c] - a[c];
    }
    for (int i = 0; i < count; i++) {
        double square = d[0][i] * d[0][i] + d[1][i] * d[1][i] + d[2][i] * d[2][i], strain;
        factor[i] = pl_spring_pull(square, rest[i], stiffness[i], &strain);
    }
    for (int i = 0; i < count; i++) {
        double *a = gradient + 3 * (size_t)v[2 * i], *b = gradient + 3 * (size_t)v[2 * i + 1];
        for (int c = 0; c < 3; c++) {
            double f = factor[i] * d[c][i];
            a[c] -= f, b[c] += f;
        }
    }
}

// sums[i] += the energy of spring first + i
static inline __attribute__((always_inline)) void add_spring_energies(const pl_element_set* set,
                                                                      int first, int count,
                                                                      const double* x,
                                                                      double* sums) {
    const pair_data* data = set->data;
    const int* v = set->corners + 2 * (size_t)first;
    const double *rest = data->rest + first, *stiffness = data->stiffness + first;
    double square[WIDE];
    for (int i = 0; i < count; i++) {
        const double *a = x + 3 * (size_t)v[2 * i], *b = x + 3 * (size_t)v[2 * i + 1];
        double p = b[0] - a[0], q = b[1] - a[1], r = b[2] - a[2];
        square[i] = p * p + q * q + r * r;
    }
    for (int i = 0; i < count; i++) {
        double strain = sqrt(square[i]) - rest[i];
        sums[i] += 0.5 * stiffness[i] * strain * strain;
    }
}

static double spring_energies(const pl_element_set* set, int first, int last, const double* x) {
    double sums[WIDE] = {0.0}, sum = 0.0;
    for (; first + WIDE <= last; first += WIDE) add_spring_energies(set, first, WIDE, x, sums);
    add_spring_energies(set, first, last - first, x, sums);
    for (int i = 0; i < WIDE; i++) sum += sums[i];
    return sum;
}

static void spring_gradients(const pl_element_set* set, int first, int last, const double* x,
                             double* gradient) {
    for (; first + WIDE <= last; first += WIDE) add_spring_gradients(set, first, WIDE, x, gradient);
    add_spring_gradients(set, first, last - first, x, gradient);
}

static pl_status spring_gather(pl_element_set* set, int vertex_count, pl_error* error) {
    const pair_data* d = set->data;
    pl_spring_gather* gather;
    pl_status status = pl_spring_gather_create(&gather, set->corners, d->rest, d->stiffness,
                                               set->count, vertex_count, error);
    set->gather = gather;
    return status;
}

static double spring_gather_add(const void* gather, int begin, int end, const double* x,
                                double* gradient) {
    return pl_spring_gather_add(gather, begin, end, x, gradient);
}

static void spring_gather_destroy(void* gather) { pl_spring_gather_destroy(gather); }

const pl_element_functions pl_spring_elements = {.name = "spring",
                                                 .corner_count = 2,
                                                 .energy = spring_energy,
                                                 .gradient = spring_gradient,
                                                 .hessian = spring_hessian,
                                                 .projective = spring_projective,
                                                 .destroy = pair_destroy,
                                                 .gradients = spring_gradients,
                                                 .energies = spring_energies,
                                                 .gather = spring_gather,
                                                 .gather_add = spring_gather_add,
                                                 .gather_destroy = spring_gather_destroy};

static double hinge_energy(const void* data, int e, const double* x) {
    const pair_data* d = data;
    pl_vec3 p[4];
    for (int i = 0; i < 4; i++) p[i] = pl_vec3_load(x + 3 * i);
    return pl_bending_energy(p, d->rest[e], d->stiffness[e], false, NULL, NULL);
}

static void hinge_gradient(const void* data, int e, const double* x, double* gradient) {
    const pair_data* d = data;
    pl_vec3 p[4];
    for (int i = 0; i < 4; i++) p[i] = pl_vec3_load(x + 3 * i);
    memset(gradient, 0, 12 * sizeof(double));
    pl_bending_energy(p, d->rest[e], d->stiffness[e], false, gradient, NULL);
}

static void hinge_hessian(const void* data, int e, const double* x, bool projected,
                          double* hessian) {
    const pair_data* d = data;
    pl_vec3 p[4];
    double gradient[12];
    for (int i = 0; i < 4; i++) p[i] = pl_vec3_load(x + 3 * i);
    memset(hessian, 0, 144 * sizeof(double));
    pl_bending_energy(p, d->rest[e], d->stiffness[e], projected, gradient, hessian);
}

static void hinge_projective(const void* data, int e, double* matrix) {
    const pair_data* d = data;
    const double* c = d->slopes + 4 * (size_t)e;
    for (int i = 0; i < 16; i++) matrix[i] = d->stiffness[e] * c[i / 4] * c[i % 4];
}

const pl_element_functions pl_hinge_elements = {.name = "hinge",
                                                .corner_count = 4,
                                                .energy = hinge_energy,
                                                .gradient = hinge_gradient,
                                                .hessian = hinge_hessian,
                                                .projective = hinge_projective,
                                                .destroy = pair_destroy};

typedef struct membrane_data {
    int count;
    double* gradients; // 6 per triangle: gradients of the shape functions, in the triangle's plane
    double* areas;
    pl_membrane* membranes;
} membrane_data;

static void membrane_destroy(void* data) {
    membrane_data* d = data;
    PL_FREE(d->gradients, double, 6 * (size_t)d->count);
    PL_FREE(d->areas, double, d->count);
    PL_FREE(d->membranes, pl_membrane, d->count);
    PL_FREE(d, membrane_data, 1);
}

static membrane_data* membrane_create(int count) {
    membrane_data* d = PL_ALLOC(membrane_data, 1);
    if (!d) return NULL;
    d->count = count;
    d->gradients = PL_ALLOC(double, 6 * (size_t)count);
    d->areas = PL_ALLOC(double, count);
    d->membranes = PL_ALLOC(pl_membrane, count);
    if (d->gradients && d->areas && d->membranes) return d;
    membrane_destroy(d);
    return NULL;
}

// F = sum_i x_i g_i', 3 x 2
static pl_mat32 membrane_deformation(const membrane_data* d, int e, const double* x) {
    const double* g = d->gradients + 6 * (size_t)e;
    pl_mat32 F = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < 3; i++) {
        F.x = pl_madd(F.x, g[2 * i], pl_vec3_load(x + 3 * i));
        F.y = pl_madd(F.y, g[2 * i + 1], pl_vec3_load(x + 3 * i));
    }
    return F;
}

static double membrane_energy(const void* data, int e, const double* x) {
    const membrane_data* d = data;
    return d->areas[e] * pl_membrane_energy(&d->membranes[e], membrane_deformation(d, e, x));
}

static void membrane_gradient(const void* data, int e, const double* x, double* gradient) {
    const membrane_data* d = data;
    pl_mat32 P = pl_membrane_stress(&d->membranes[e], membrane_deformation(d, e, x));
    const double* g = d->gradients + 6 * (size_t)e;
    for (int i = 0; i < 3; i++)
        pl_vec3_store(gradient + 3 * i,
                      pl_scale(d->areas[e], pl_madd(pl_scale(g[2 * i], P.x), g[2 * i + 1], P.y)));
}

static void membrane_hessian(const void* data, int e, const double* x, bool projected,
                             double* hessian) {
    const membrane_data* d = data;
    pl_membrane_tangent t =
        pl_membrane_principal(&d->membranes[e], membrane_deformation(d, e, x), projected);
    const double* g = d->gradients + 6 * (size_t)e;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            pl_mat3 K = pl_membrane_block(&t, g[2 * i], g[2 * i + 1], g[2 * j], g[2 * j + 1]);
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    hessian[9 * (3 * i + r) + 3 * j + c] = d->areas[e] * K.m[3 * r + c];
        }
}

static void membrane_projective(const void* data, int e, double* matrix) {
    const membrane_data* d = data;
    const double* g = d->gradients + 6 * (size_t)e;
    double weight = d->areas[e] * (2.0 * d->membranes[e].mu + d->membranes[e].lambda);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            matrix[3 * i + j] = weight * (g[2 * i] * g[2 * j] + g[2 * i + 1] * g[2 * j + 1]);
}

const pl_element_functions pl_membrane_elements = {.name = "membrane",
                                                   .corner_count = 3,
                                                   .energy = membrane_energy,
                                                   .gradient = membrane_gradient,
                                                   .hessian = membrane_hessian,
                                                   .projective = membrane_projective,
                                                   .destroy = membrane_destroy};

double pl_cloth_rest(const pl_element_set* set, int e) {
    return ((const pair_data*)set->data)->rest[e];
}
double pl_cloth_stiffness(const pl_element_set* set, int e) {
    return ((const pair_data*)set->data)->stiffness[e];
}
pl_membrane pl_cloth_membrane(const pl_element_set* set, int e, const double** gradients,
                              double* area) {
    const membrane_data* d = set->data;
    if (gradients) *gradients = d->gradients + 6 * (size_t)e;
    if (area) *area = d->areas[e];
    return d->membranes[e];
}

static int* copy_corners(const int* corners, size_t count) {
    int* copy = PL_ALLOC(int, count);
    if (copy) memcpy(copy, corners, count * sizeof(int));
    return copy;
}

pl_status pl_spring_elements_setup(pl_element_set* set, const double* rest, int vertex_count,
                                   const int* ends, int count, const double* stiffness,
                                   pl_error* error) {
    *set = (pl_element_set){0};
    pair_data* d = pair_create(count);
    int* corners = copy_corners(ends, 2 * (size_t)count);
    if (!d || !corners) {
        if (d) pair_destroy(d);
        PL_FREE(corners, int, 2 * (size_t)count);
        return pl_fail_memory(error, "springs");
    }
    memcpy(d->stiffness, stiffness, (size_t)count * sizeof(double));
    for (int e = 0; e < count; e++)
        d->rest[e] = pl_distance(pl_vec3_load(rest + 3 * (size_t)ends[2 * e]),
                                 pl_vec3_load(rest + 3 * (size_t)ends[2 * e + 1]));
    return pl_element_set_setup(set, &pl_spring_elements, d, corners, count, vertex_count, error);
}

// gradients of the shape functions in the plane with axes along the first edge and across it
static bool prepare_membrane(const double* rest, const int* v, double* g, double* area) {
    pl_vec3 a = pl_vec3_load(rest + 3 * (size_t)v[0]);
    pl_vec3 e1 = pl_sub(pl_vec3_load(rest + 3 * (size_t)v[1]), a);
    pl_vec3 e2 = pl_sub(pl_vec3_load(rest + 3 * (size_t)v[2]), a);
    double length = pl_norm(e1), doubled = pl_norm(pl_cross(e1, e2));
    if (!(doubled > DBL_EPSILON * length * pl_norm(e2))) return false;
    double x2 = pl_dot(e1, e2) / length, y2 = doubled / length;
    *area = 0.5 * doubled;
    g[2] = 1.0 / length, g[3] = -x2 / (length * y2);
    g[4] = 0.0, g[5] = 1.0 / y2;
    g[0] = -g[2] - g[4], g[1] = -g[3] - g[5];
    return true;
}

pl_status pl_membrane_elements_setup(pl_element_set* set, const double* rest, int vertex_count,
                                     const int* triangles, int count, const pl_membrane* membranes,
                                     pl_error* error) {
    *set = (pl_element_set){0};
    membrane_data* d = membrane_create(count);
    int* corners = copy_corners(triangles, 3 * (size_t)count);
    pl_status status = d && corners ? PL_OK : pl_fail_memory(error, "membranes");
    for (int e = 0; status == PL_OK && e < count; e++)
        if (!prepare_membrane(rest, triangles + 3 * (size_t)e, d->gradients + 6 * (size_t)e,
                              &d->areas[e]))
            status = pl_fail(
                error, PL_ERROR_MESH,
                "triangle %d has no area; `pliant mesh IN -o OUT --repair` drops such ones", e);
    if (status != PL_OK) {
        if (d) membrane_destroy(d);
        PL_FREE(corners, int, 3 * (size_t)count);
        return status;
    }
    memcpy(d->membranes, membranes, (size_t)count * sizeof(pl_membrane));
    return pl_element_set_setup(set, &pl_membrane_elements, d, corners, count, vertex_count, error);
}

pl_status pl_hinge_elements_setup(pl_element_set* set, const double* rest, int vertex_count,
                                  const int* hinges, int count, const double* stiffness,
                                  pl_error* error) {
    *set = (pl_element_set){0};
    pair_data* d = pair_create(count);
    int* corners = copy_corners(hinges, 4 * (size_t)count);
    if (d) d->slopes = PL_ALLOC(double, 4 * (size_t)count);
    if (!d || !corners || !d->slopes) {
        if (d) pair_destroy(d);
        PL_FREE(corners, int, 4 * (size_t)count);
        return pl_fail_memory(error, "hinges");
    }
    for (int e = 0; e < count; e++) {
        pl_vec3 p[4];
        for (int i = 0; i < 4; i++)
            p[i] = pl_vec3_load(rest + 3 * (size_t)hinges[4 * (size_t)e + (size_t)i]);
        pl_bending_angle(p, &d->rest[e], NULL);
        d->stiffness[e] = stiffness[e];
        pl_bending_flat_slopes(p, d->slopes + 4 * (size_t)e);
    }
    return pl_element_set_setup(set, &pl_hinge_elements, d, corners, count, vertex_count, error);
}

void pl_spring_element_set(pl_element_set* set, int element, double stiffness) {
    ((pair_data*)set->data)->stiffness[element] = stiffness;
    if (set->gather) pl_spring_gather_set(set->gather, element, stiffness);
}

void pl_hinge_element_set(pl_element_set* set, int element, double stiffness) {
    ((pair_data*)set->data)->stiffness[element] = stiffness;
}

void pl_membrane_element_set(pl_element_set* set, int element, const pl_membrane* membrane) {
    ((membrane_data*)set->data)->membranes[element] = *membrane;
}
