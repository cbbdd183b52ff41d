// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The matrix of method mixed as it is written to multigrid in float, against that in double.
#include "base/memory.h"
#include "base/random.h"
#include "mixed/mixed_float.h"
#include "mixed_samples.h"
#include "test.h"

#include <math.h>
#include <string.h>

// a bent block with vertices that are held, held in some directions, and pinned
typedef struct assembly {
    mixed_sample s;
    pl_block_matrix A, K, B, M;
    pl_block_mg* mg;
    pl_mixed_float* fast;
    double units[MIXED_SAMPLE_VERTICES], mass[MIXED_SAMPLE_VERTICES], y[3 * MIXED_SAMPLE_VERTICES];
    bool fixed[MIXED_SAMPLE_VERTICES];
    int hold_of[MIXED_SAMPLE_VERTICES];
    pl_hold hold;
    pl_pin pins[2];
    pl_step_objective f;
} assembly;

static void setup_matrix(assembly* a, int block, pl_block_matrix* A) {
    pl_error error;
    const pl_adjacency* pattern = &a->s.pattern;
    CHECK_OK(pl_block_matrix_setup(A, a->s.n, block, pattern->offsets, pattern->items, &error),
             &error);
}

static void make_objective(assembly* a) {
    const int n = a->s.n, held = n / 2;
    for (int v = 0; v < n; v++) {
        a->fixed[v] = a->s.mesh->positions[3 * v] < 1e-6;
        a->mass[v] = 1.0 + 0.1 * (v % 3);
        for (int e = a->M.offsets[v]; e < a->M.offsets[v + 1]; e++)
            a->M.values[e] = e == a->M.diagonal[v] ? 1.0 : 0.1;
    }
    // n n' of n = (0.6, 0, 0.8)
    const pl_mat3 part = {{0.36, 0.0, 0.48, 0.0, 0.0, 0.0, 0.48, 0.0, 0.64}};
    a->hold = (pl_hold){.vertex = held, .free = pl_mat3_sub(pl_mat3_identity(), part)};
    a->hold_of[held] = 1;
    a->pins[0] = (pl_pin){.vertex = n - 1, .stiffness = 5e3};
    a->pins[1] = (pl_pin){.vertex = n - 2, .stiffness = 7e3, .partial = true, .held = part};
    a->f = (pl_step_objective){.vertex_count = n,
                               .set_count = 1,
                               .sets = &a->s.set,
                               .mass = a->mass,
                               .inertia = 1e4,
                               .y = a->y,
                               .fixed = a->fixed,
                               .holds = &a->hold,
                               .hold_count = 1,
                               .hold_of = a->hold_of,
                               .pins = a->pins,
                               .pin_count = 2};
}

static void make_on(pl_pool* pool, assembly* a, pl_material_kind law, double poisson) {
    static const int levels[] = {4};
    pl_error error;
    *a = (assembly){.s = mixed_sample_make(4, law, poisson, 1.0, false)};
    mixed_sample* s = &a->s;
    mixed_sample_mix(s, s->p);
    setup_matrix(a, 4, &a->A);
    setup_matrix(a, 3, &a->K);
    setup_matrix(a, 1, &a->B);
    setup_matrix(a, 1, &a->M);
    pl_mixed_flexibility(&s->set, 1.0, &a->B);
    make_objective(a);
    mixed_sample_disturb(s, 0.02, 3);
    const pl_mg_blocks pattern = {a->A.row_count, a->A.offsets, a->A.columns, a->A.values};
    const pl_mg_settings settings = {.unknowns = 4, .levels = levels, .level_count = 1};
    CHECK_OK(pl_block_mg_setup(&a->mg, &pattern, s->mesh->positions, &settings, pool, &error),
             &error);
    CHECK_OK(pl_mixed_float_create(&s->set, pl_mixed_tet_data(&s->set), s->mesh->positions, &a->A,
                                   a->mg, pool, &a->fast, &error),
             &error);
    pl_mixed_float_refresh(a->fast, &a->B, &a->B);
}

static void make(assembly* a, pl_material_kind law, double poisson) {
    make_on(NULL, a, law, poisson);
}

static void discard(assembly* a) {
    pl_mixed_float_destroy(a->fast);
    pl_block_mg_destroy(a->mg);
    pl_block_matrix_free(&a->A);
    pl_block_matrix_free(&a->K);
    pl_block_matrix_free(&a->B);
    pl_block_matrix_free(&a->M);
    mixed_sample_free(&a->s);
}

// what is free of the displacement of a vertex, in place
static void release(const assembly* a, int v, double d[3]) {
    if (a->fixed[v]) memset(d, 0, 3 * sizeof(double));
    if (a->hold_of[v]) pl_vec3_store(d, pl_mat3_apply(&a->hold.free, pl_vec3_load(d)));
}

// y = [K P G' U; U G P -U B U] x in double, P: what is free, U: the units
static void multiply(assembly* a, double projected, const double* x, double* y) {
    const int n = a->s.n;
    double d[3 * MIXED_SAMPLE_VERTICES], p[MIXED_SAMPLE_VERTICES], Kd[3 * MIXED_SAMPLE_VERTICES],
        Bp[MIXED_SAMPLE_VERTICES], in[4 * MIXED_SAMPLE_VERTICES], out[4 * MIXED_SAMPLE_VERTICES];
    pl_step_hessian(&a->f, a->s.x, projected, &a->K);
    pl_block_matrix_zero(&a->A);
    pl_mixed_add_couplings(&a->s.set, NULL, a->s.x, &a->A);
    for (int v = 0; v < n; v++) {
        memcpy(d + 3 * v, x + 4 * v, 3 * sizeof(double));
        memcpy(in + 4 * v, x + 4 * v, 3 * sizeof(double));
        release(a, v, in + 4 * v);
        in[4 * v + 3] = p[v] = a->units[v] * x[4 * v + 3];
    }
    pl_block_matrix_apply(&a->K, NULL, 1, d, Kd);
    pl_block_matrix_apply(&a->B, NULL, 1, p, Bp);
    pl_block_matrix_apply(&a->A, NULL, 1, in, out);
    for (int v = 0; v < n; v++) {
        release(a, v, out + 4 * v);
        for (int c = 0; c < 3; c++) y[4 * v + c] = Kd[3 * v + c] + out[4 * v + c];
        y[4 * v + 3] = a->units[v] * (out[4 * v + 3] - Bp[v]);
    }
}

static void check_product(assembly* a, double projected) {
    double x[4 * MIXED_SAMPLE_VERTICES], y[4 * MIXED_SAMPLE_VERTICES],
        expected[4 * MIXED_SAMPLE_VERTICES], size = 0.0;
    pl_random random = {5};
    CHECK(pl_mixed_float_assemble(a->fast, &a->f, a->s.x, a->s.p, projected, a->units));
    CHECK(pl_block_mg_update_written(a->mg));
    for (int i = 0; i < 4 * a->s.n; i++) x[i] = pl_random_normal(&random);
    pl_block_mg_multiply(a->mg, x, y);
    multiply(a, projected, x, expected);
    for (int i = 0; i < 4 * a->s.n; i++) size = fmax(size, fabs(expected[i]));
    for (int i = 0; i < 4 * a->s.n; i++) CHECK_NEAR(y[i], expected[i], 3e-6 * size);
}

TEST(mixed_matrix_in_float_is_that_in_double)
{
    static const pl_material_kind laws[] = {
        PL_MATERIAL_LINEAR,        PL_MATERIAL_NEOHOOKEAN, PL_MATERIAL_STABLE_NEOHOOKEAN,
        PL_MATERIAL_MOONEY_RIVLIN, PL_MATERIAL_COROTATED,  PL_MATERIAL_STVK};
    static assembly a;
    for (int k = 0; k < 12; k++) {
        make(&a, laws[k % 6], k < 6 ? 0.49 : 0.3);
        if (k >= 6) a.f.mass_matrix = &a.M;
        check_product(&a, k % 2 ? 1.0 : 0.5);
        discard(&a);
    }
}

TEST(mixed_matrix_in_float_with_damping_and_new_materials)
{
    static assembly a;
    make(&a, PL_MATERIAL_STABLE_NEOHOOKEAN, 0.49);
    pl_block_matrix damping;
    setup_matrix(&a, 3, &damping);
    pl_step_hessian(&a.f, a.s.mesh->positions, 1.0, &damping);
    a.f.velocity_time = 0.01;
    a.f.damping_stiffness = 0.005;
    a.f.damping_mass = 2.0;
    a.f.damping_matrix = &damping;
    pl_material* materials = pl_mixed_materials(&a.s.set);
    for (int e = 0; e < a.s.mesh->tet_count; e += 3) materials[e].mu *= 10.0;
    pl_mixed_flexibility(&a.s.set, 1.0, &a.B);
    pl_mixed_float_refresh(a.fast, &a.B, &a.B);
    check_product(&a, 1.0);
    pl_block_matrix_free(&damping);
    discard(&a);
}

// K + G' B^-1 G, of which round-off in forces is judged
TEST(mixed_stiffness_in_float_is_the_diagonal_with_pressures_eliminated)
{
    static assembly a;
    make(&a, PL_MATERIAL_STABLE_NEOHOOKEAN, 0.49);
    a.f.hold_count = 0;
    a.f.hold_of = NULL;
    CHECK(pl_mixed_float_assemble(a.fast, &a.f, a.s.x, a.s.p, 1.0, a.units));
    pl_step_hessian(&a.f, a.s.x, 1.0, &a.K);
    pl_block_matrix_zero(&a.A);
    pl_mixed_add_couplings(&a.s.set, NULL, a.s.x, &a.A);
    for (int v = 0; v < a.s.n; v++)
        for (int c = 0; c < 3; c++) {
            double sum = a.K.values[9 * (size_t)a.K.diagonal[v] + 4 * (size_t)c];
            for (int e = a.A.offsets[v]; !a.fixed[v] && e < a.A.offsets[v + 1]; e++) {
                double g = a.A.values[16 * (size_t)e + (size_t)(4 * c + 3)];
                sum += g * g / a.B.values[a.B.diagonal[a.A.columns[e]]];
            }
            CHECK_NEAR(pl_mixed_float_stiffness(a.fast, v)[c], sum, 1e-5 * sum);
        }
    discard(&a);
}

TEST(mixed_matrix_in_float_has_the_same_bits_on_any_threads)
{
    static assembly one, several;
    pl_pool* pool;
    pl_error error;
    CHECK_OK(pl_pool_create(3, &pool, &error), &error);
    make(&one, PL_MATERIAL_STABLE_NEOHOOKEAN, 0.49);
    make_on(pool, &several, PL_MATERIAL_STABLE_NEOHOOKEAN, 0.49);
    const size_t size = 16 * (size_t)pl_block_matrix_entry_count(&one.A) * sizeof(float);
    CHECK(pl_mixed_float_assemble(one.fast, &one.f, one.s.x, one.s.p, 1.0, one.units));
    for (int round = 0; round < 5; round++) {
        CHECK(pl_mixed_float_assemble(several.fast, &several.f, several.s.x, several.s.p, 1.0,
                                      several.units));
        CHECK(memcmp(pl_block_mg_blocks(one.mg), pl_block_mg_blocks(several.mg), size) == 0);
    }
    discard(&several);
    discard(&one);
    pl_pool_destroy(pool);
}

TEST(mixed_matrix_in_float_survives_every_failing_allocation)
{
    static assembly a;
    make(&a, PL_MATERIAL_MOONEY_RIVLIN, 0.49);
    size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth++) {
        pl_error error;
        pl_mixed_float* fast = NULL;
        pl_inject_failure(nth);
        pl_status status =
            pl_mixed_float_create(&a.s.set, pl_mixed_tet_data(&a.s.set), a.s.mesh->positions, &a.A,
                                  a.mg, NULL, &fast, &error);
        pl_inject_failure(0);
        if (status == PL_OK) {
            pl_mixed_float_destroy(fast);
            break;
        }
        CHECK_INT(status, PL_ERROR_MEMORY);
        CHECK(!fast);
        CHECK_INT(pl_byte_count(), before);
    }
    CHECK_INT(pl_byte_count(), before);
    discard(&a);
}

TEST(mixed_matrix_is_not_in_float_where_inertia_is_lost)
{
    static assembly a;
    make(&a, PL_MATERIAL_STABLE_NEOHOOKEAN, 0.49);
    a.f.inertia = 0.0;
    CHECK(!pl_mixed_float_assemble(a.fast, &a.f, a.s.x, a.s.p, 1.0, a.units));
    a.f.inertia = 1e-6;
    CHECK(!pl_mixed_float_assemble(a.fast, &a.f, a.s.x, a.s.p, 1.0, a.units));
    discard(&a);
}
