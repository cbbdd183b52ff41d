// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Free vibration: K u = omega^2 M u by subspace iteration with the direct solver. The beam against
// Euler-Bernoulli, the free cube against its Lamé mode, which is exact for every Poisson's ratio.
#include "base/memory.h"
#include "base/random.h"
#include "sparse/direct.h"
#include "sparse/vector.h"
#include "step/mass_matrix.h"
#include "verify.h"

#include <math.h>
#include <string.h>

enum { MAX_MODES = 32 };

static const double PI = 3.14159265358979323846;

typedef struct modes {
    int count;         // of modes
    int size;          // of a mode, 3 per vertex
    double* X;         // the modes, one after the other, orthonormal with respect to the masses
    double* work;      // as much
    double* mass;      // per vertex
    pl_block_matrix M; // if it is consistent
    double* product;   // M times a vector
    double square[MAX_MODES]; // omega^2, ascending
} modes;

static void modes_free(modes* m) {
    PL_FREE(m->X, double, (size_t)m->count*(size_t)m->size);
    PL_FREE(m->work, double, (size_t)m->count*(size_t)m->size);
    PL_FREE(m->mass, double, m->size / 3);
    pl_block_matrix_free(&m->M);
    PL_FREE(m->product, double, m->size);
    *m = (modes){0};
}

static double* mode_of(const modes* m, double* vectors, int k) {
    return vectors + (size_t)k * (size_t)m->size;
}

// y = M x
static void apply_mass(const modes* m, const double* x, double* y) {
    if (m->M.values) pl_block_matrix_apply(&m->M, NULL, 3, x, y);
    else
        for (int i = 0; i < m->size; i++) y[i] = m->mass[i / 3] * x[i];
}

// classical Gram-Schmidt, twice, which is enough
static void orthonormalise(const modes* m, double* vectors) {
    for (int k = 0; k < m->count; k++) {
        double* x = mode_of(m, vectors, k);
        for (int pass = 0; pass < 2; pass++) {
            apply_mass(m, x, m->product);
            for (int j = 0; j < k; j++) {
                const double* y = mode_of(m, vectors, j);
                pl_vector_axpy(NULL, m->size, -pl_vector_dot(NULL, m->size, y, m->product), y, x);
            }
        }
        apply_mass(m, x, m->product);
        double norm = sqrt(pl_vector_dot(NULL, m->size, x, m->product));
        for (int i = 0; i < m->size; i++) x[i] /= norm;
    }
}

// One Jacobi rotation that makes H[p][q] vanish, also applied to the columns of Q.
static void rotate_pair(int n, double* H, double* Q, int p, int q) {
    double apq = H[p * n + q];
    if (apq == 0.0) return;
    double angle = 0.5 * atan2(2.0 * apq, H[q * n + q] - H[p * n + p]);
    double c = cos(angle), s = sin(angle);
    for (int k = 0; k < n; k++) {
        double a = H[k * n + p], b = H[k * n + q];
        H[k * n + p] = c * a - s * b, H[k * n + q] = s * a + c * b;
    }
    for (int k = 0; k < n; k++) {
        double a = H[p * n + k], b = H[q * n + k];
        H[p * n + k] = c * a - s * b, H[q * n + k] = s * a + c * b;
        a = Q[k * n + p], b = Q[k * n + q];
        Q[k * n + p] = c * a - s * b, Q[k * n + q] = s * a + c * b;
    }
}

// eigenvalues of the small symmetric H, ascending, and its eigenvectors in the columns of Q
static void small_eigen(int n, double* H, double* Q, double* values) {
    for (int i = 0; i < n * n; i++) Q[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
    for (int sweep = 0; sweep < 12; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) rotate_pair(n, H, Q, p, q);
    for (int k = 0; k < n; k++) {
        int least = k;
        for (int j = k; j < n; j++)
            if (H[j * n + j] < H[least * n + least]) least = j;
        double swap = H[k * n + k];
        H[k * n + k] = values[k] = H[least * n + least], H[least * n + least] = swap;
        for (int i = 0; i < n; i++)
            swap = Q[i * n + k], Q[i * n + k] = Q[i * n + least], Q[i * n + least] = swap;
    }
}

// Rayleigh-Ritz: turns the orthonormal vectors in work into the best modes, in X
static void rayleigh_ritz(modes* m, const pl_block_matrix* K, pl_pool* pool, double shift) {
    int n = m->count;
    double H[MAX_MODES * MAX_MODES], Q[MAX_MODES * MAX_MODES];
    for (int k = 0; k < n; k++) {
        double* Ky = mode_of(m, m->X, 0); // not needed any more
        pl_block_matrix_apply(K, pool, 1, mode_of(m, m->work, k), Ky);
        for (int j = 0; j < n; j++)
            H[j * n + k] = pl_vector_dot(pool, m->size, mode_of(m, m->work, j), Ky);
    }
    small_eigen(n, H, Q, m->square);
    for (int k = 0; k < n; k++) m->square[k] -= shift;
    memset(m->X, 0, (size_t)n * (size_t)m->size * sizeof(double));
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            pl_vector_axpy(pool, m->size, Q[j * n + k], mode_of(m, m->work, j),
                           mode_of(m, m->X, k));
}

// K holds K + shift M. Ends when the first `wanted` values stand still.
static pl_status iterate(modes* m, const pl_block_matrix* K, double shift, int wanted,
                         pl_pool* pool, pl_error* error) {
    enum { MAX_ROUNDS = 200 };
    pl_direct* direct;
    pl_status status = pl_direct_setup(K, &direct, error);
    if (status == PL_OK) status = pl_direct_update(direct, K, pool, error);
    bool settled = false;
    for (int round = 0; status == PL_OK && !settled && round < MAX_ROUNDS; round++) {
        for (int k = 0; k < m->count; k++) {
            double *x = mode_of(m, m->X, k), *y = mode_of(m, m->work, k);
            apply_mass(m, x, y);
            pl_direct_solve(direct, 1, y, y);
        }
        orthonormalise(m, m->work);
        double before[MAX_MODES];
        memcpy(before, m->square, sizeof before);
        rayleigh_ritz(m, K, pool, shift);
        settled = round > 2;
        for (int k = 0; k < wanted; k++)
            settled = settled && fabs(m->square[k] - before[k]) <= 1e-8 * (m->square[k] + shift);
    }
    pl_direct_destroy(direct);
    if (status == PL_OK && !settled)
        return pl_fail(error, PL_ERROR_LIMIT, "the modes do not settle in %d rounds", MAX_ROUNDS);
    return status;
}

static void add_shift(pl_block_matrix* K, const modes* m, const bool* fixed, double shift) {
    if (m->M.values) {
        pl_mass_matrix_add_to(&m->M, shift, K);
        return;
    }
    for (int v = 0; v < K->row_count; v++)
        for (int c = 0; c < 3 && !(fixed && fixed[v]); c++)
            K->values[9 * (size_t)K->diagonal[v] + (size_t)(4 * c)] += shift * m->mass[v];
}

// The lowest modes of a mesh; shift > 0 if it is free.
static pl_status find_modes(modes* m, const pl_mesh* mesh, const pl_material* material,
                            double density, const bool* fixed, pl_mass mass, double shift,
                            int count, int wanted, pl_pool* pool, pl_error* error) {
    *m = (modes){.count = count, .size = 3 * mesh->vertex_count};
    pl_block_matrix K;
    pl_status status = verify_stiffness(mesh, material, density, fixed, &K,
                                        mass == PL_MASS_CONSISTENT ? &m->M : NULL, &m->mass, error);
    if (status != PL_OK) return status;
    add_shift(&K, m, fixed, shift);
    m->X = PL_ALLOC(double, (size_t)count*(size_t)m->size);
    m->work = PL_ALLOC(double, (size_t)count*(size_t)m->size);
    m->product = PL_ALLOC(double, m->size);
    status = m->X && m->work && m->product ? PL_OK : pl_fail_memory(error, "modes");
    pl_random random = {7};
    for (size_t i = 0; status == PL_OK && i < (size_t)count * (size_t)m->size; i++) {
        bool held = fixed && fixed[i % (size_t)m->size / 3];
        m->X[i] = held ? 0.0 : pl_random_normal(&random);
    }
    if (status == PL_OK) status = iterate(m, &K, shift, wanted, pool, error);
    pl_block_matrix_free(&K);
    return status;
}

// how much of a mode's motion is along y
static double vertical_part(const modes* m, int k) {
    const double* x = m->X + (size_t)k * (size_t)m->size;
    double sum = 0.0;
    for (int i = 1; i < m->size; i += 3) sum += m->mass[i / 3] * x[i] * x[i];
    return sum;
}

// The section is twice as high as wide: bending across and upright does not mix.
pl_status verify_beam(double slenderness, int cells_across, int cells_along, pl_mass mass,
                      pl_pool* pool, verify_answer answer[2], pl_error* error) {
    const double length = 1.0, young = 1e6, density = 1000.0;
    static const double beta[2] = {1.8751040687, 4.6940911330}; // roots of cos b cosh b = -1
    double height = 2.0 * length / slenderness;
    pl_mesh* mesh;
    pl_material material;
    pl_status status = pl_material_from_young(PL_MATERIAL_LINEAR, young, 0.3, &material, error);
    if (status == PL_OK)
        status = verify_box(length, height, 0.5 * height, cells_along, cells_across,
                            cells_across / 2, PL_PATTERN_BCC, &mesh, error);
    if (status != PL_OK) return status;
    bool* fixed = PL_ALLOC(bool, mesh->vertex_count);
    modes m = {0};
    for (int v = 0; fixed && v < mesh->vertex_count; v++) fixed[v] = mesh->positions[3 * v] <= 1e-9;
    status = fixed ? find_modes(&m, mesh, &material, density, fixed, mass, 0.0, 10, 5, pool, error)
                   : pl_fail_memory(error, "a beam");
    int found = 0;
    for (int k = 0; status == PL_OK && k < m.count && found < 2; k++) {
        if (vertical_part(&m, k) < 0.5) continue;
        double b = beta[found];
        answer[found++] = (verify_answer){sqrt(m.square[k]) / (2.0 * PI),
                                          b * b / (2.0 * PI * length * length) *
                                              sqrt(young * height * height / (12.0 * density))};
    }
    if (status == PL_OK && found < 2)
        status = pl_fail(error, PL_ERROR_LIMIT, "two bending modes are not among the first ten");
    modes_free(&m);
    PL_FREE(fixed, bool, mesh->vertex_count);
    pl_mesh_destroy(mesh);
    return status;
}

// the part of a mode in the span of the three Lamé modes: squares shear into rhombs, in the planes
// xy, yz, zx
static double lame_part(const modes* m, const pl_mesh* mesh, int mode) {
    const double* x = m->X + (size_t)mode * (size_t)m->size;
    double sum = 0.0;
    for (int plane = 0; plane < 3; plane++) {
        int a = plane, b = (plane + 1) % 3;
        double product = 0.0, norm = 0.0;
        for (int v = 0; v < mesh->vertex_count; v++) {
            double pa = PI * mesh->positions[3 * v + a], pb = PI * mesh->positions[3 * v + b];
            double ua = cos(pa) * sin(pb), ub = -sin(pa) * cos(pb);
            product += m->mass[v] * (x[3 * v + a] * ua + x[3 * v + b] * ub);
            norm += m->mass[v] * (ua * ua + ub * ub);
        }
        sum += product * product / norm;
    }
    return sum;
}

pl_status verify_cube(int cells, double poisson, pl_mass mass, pl_pool* pool, verify_answer* answer,
                      pl_error* error) {
    const double young = 1e5, density = 1000.0;
    pl_mesh* mesh;
    pl_material material;
    pl_status status = pl_material_from_young(PL_MATERIAL_LINEAR, young, poisson, &material, error);
    if (status == PL_OK)
        status = verify_box(1.0, 1.0, 1.0, cells, cells, cells, PL_PATTERN_BCC, &mesh, error);
    if (status != PL_OK) return status;
    answer->reference = PI * sqrt(2.0 * material.mu / density);
    modes m;
    double shift = 0.1 * answer->reference * answer->reference;
    status = find_modes(&m, mesh, &material, density, NULL, mass, shift, 30, 20, pool, error);
    int best = 0;
    for (int k = 0; status == PL_OK && k < 20; k++)
        if (lame_part(&m, mesh, k) > lame_part(&m, mesh, best)) best = k;
    if (status == PL_OK) answer->value = sqrt(m.square[best]);
    if (status == PL_OK && lame_part(&m, mesh, best) < 0.5)
        status = pl_fail(error, PL_ERROR_LIMIT, "no Lamé mode is among the first twenty");
    modes_free(&m);
    pl_mesh_destroy(mesh);
    return status;
}
