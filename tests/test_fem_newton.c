// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Newton on multigrid with its matrix in float, against direct solves in double.
#include "base/memory.h"
#include "base/pool.h"
#include "elements/tet_elements.h"
#include "fem/cloth_elements.h"
#include "fem/fem_system.h"
#include "fem/newton_multigrid.h"
#include "fem_samples.h"
#include "mesh/topology.h"
#include "multigrid/block_multigrid.h"
#include "test.h"

enum { SIDE = 13, VERTICES = SIDE * SIDE, MAX_SPRINGS = 4 * VERTICES, HELD = 2 };
static const double STEP = 1.0 / 30.0;

// A square cloth of edge and diagonal springs, held at two corners: an odd number of springs, so
// that the last lanes of a batch are empty.
typedef struct cloth {
    double rest[3 * VERTICES], mass[VERTICES], force[3 * VERTICES];
    int ends[2 * MAX_SPRINGS], spring_count;
    double stiffness[MAX_SPRINGS];
    pl_adjacency near;
    pl_pin pins[HELD];
} cloth;

static void add_spring(cloth* c, int i, int j, int k, int l) {
    if (k < 0 || k >= SIDE || l >= SIDE) return;
    c->ends[2 * c->spring_count] = j * SIDE + i;
    c->ends[2 * c->spring_count + 1] = l * SIDE + k;
    c->stiffness[c->spring_count++] = 100.0 + (i + j) % 3;
}

// ascending
static void find_neighbours(cloth* c) {
    c->near = (pl_adjacency){.count = VERTICES,
                             .offsets = PL_ALLOC(int, VERTICES + 1),
                             .items = PL_ALLOC(int, 2 * c->spring_count)};
    for (int v = 0, next = 0; v < VERTICES; v++) {
        for (int other = 0; other < VERTICES; other++)
            for (int e = 0; e < c->spring_count; e++)
                if ((c->ends[2 * e] == v && c->ends[2 * e + 1] == other) ||
                    (c->ends[2 * e] == other && c->ends[2 * e + 1] == v))
                    c->near.items[next++] = other;
        c->near.offsets[v + 1] = next;
    }
}

static cloth make_cloth(void) {
    cloth c = {0};
    for (int v = 0; v < VERTICES; v++) {
        int i = v % SIDE, j = v / SIDE;
        c.rest[3 * v] = (double)i / SIDE;
        c.rest[3 * v + 2] = (double)j / SIDE;
        c.mass[v] = 1.0 / VERTICES;
        c.force[3 * v + 1] = -9.8 * c.mass[v];
        add_spring(&c, i, j, i + 1, j);
        add_spring(&c, i, j, i, j + 1);
        if (v > 0) add_spring(&c, i, j, i + 1, j + 1);
        add_spring(&c, i, j, i - 1, j + 1);
    }
    CHECK(c.spring_count % 2 == 1);
    find_neighbours(&c);
    for (int k = 0; k < HELD; k++) {
        int v = k * (SIDE - 1);
        pl_vec3 at = pl_vec3_load(c.rest + 3 * v);
        c.pins[k] =
            (pl_pin){.vertex = v, .stiffness = 50.0, .from = at, .target = at, .hard = k == 1};
    }
    return c;
}

static pl_element_set springs_of(const cloth* c) {
    pl_element_set set;
    pl_error error;
    CHECK_OK(pl_spring_elements_setup(&set, c->rest, VERTICES, c->ends, c->spring_count,
                                      c->stiffness, &error),
             &error);
    return set;
}

static pl_step_system* make_system(const cloth* c, const pl_step_settings* settings,
                                   pl_pool* pool) {
    pl_element_set set = springs_of(c);
    pl_step_system* system;
    pl_error error;
    CHECK_OK(pl_fem_system_create(c->rest, c->mass, VERTICES, c->near.offsets, c->near.items, &set,
                                  1, settings, pool, &system, &error),
             &error);
    return system;
}

static pl_method_info step(const cloth* c, pl_step_system* system) {
    pl_method_step s = {.time_step = STEP, .force = c->force, .pins = c->pins, .pin_count = HELD};
    pl_method_info info;
    pl_error error;
    CHECK_OK(pl_step_system_step(system, &s, &info, &error), &error);
    return info;
}

static pl_step_settings settings_of(pl_linear linear, double tolerance, int iterations) {
    pl_step_settings s = pl_default_step_settings();
    s.linear = linear;
    s.tolerance = tolerance;
    s.max_iterations = iterations;
    s.linear_tolerance = 1e-8;
    s.linear_max_iterations = 200;
    return s;
}

TEST(fem_newton_in_float_goes_where_double_goes)
{
    cloth c = make_cloth();
    pl_step_settings direct = settings_of(PL_LINEAR_DIRECT, 1e-8, 100);
    pl_step_settings multigrid = settings_of(PL_LINEAR_MULTIGRID, 1e-8, 100);
    pl_step_system *a = make_system(&c, &direct, NULL), *b = make_system(&c, &multigrid, NULL);
    for (int k = 0; k < 3; k++) {
        CHECK(step(&c, a).converged);
        CHECK(step(&c, b).converged);
    }
    double most = 0.0, off = 0.0;
    for (int i = 0; i < 3 * VERTICES; i++) {
        most = fmax(most, fabs(pl_step_positions(a)[i] - c.rest[i]));
        off = fmax(off, fabs(pl_step_positions(a)[i] - pl_step_positions(b)[i]));
    }
    CHECK(most > 0.01);
    CHECK(off < 1e-6 * most);
    pl_step_system_destroy(a);
    pl_step_system_destroy(b);
    pl_adjacency_free(&c.near);
}

// Of a fixed number of iterations only the last one says what its cycle left: that is what is told.
TEST(fem_newton_tells_what_the_last_cycle_left)
{
    cloth c = make_cloth();
    pl_step_settings settings = settings_of(PL_LINEAR_MULTIGRID, 1e-30, 3);
    settings.all_iterations = true;
    settings.linear_max_iterations = 1;
    pl_step_system* system = make_system(&c, &settings, NULL);
    for (int k = 0; k < 3; k++) {
        pl_method_info info = step(&c, system);
        CHECK_INT(info.iterations, 3);
        CHECK_INT(info.linear_iterations, 3);
        CHECK(info.linear_residual > 0.0 && info.linear_residual < 1.0);
    }
    pl_step_system_destroy(system);
    pl_adjacency_free(&c.near);
}

// of the blocks on the finest level, relative to the largest number
static double blocks_error(const pl_block_matrix* A, pl_block_mg* mg) {
    pl_mg_blocks blocks = {A->row_count, A->offsets, A->columns, NULL};
    int count = pl_block_matrix_entry_count(A);
    int* places = PL_ALLOC(int, count);
    double off = 0.0, most = 0.0;
    pl_block_mg_places(mg, &blocks, places);
    for (int i = 0; i < 9 * count; i++) {
        double own = (double)pl_block_mg_blocks(mg)[9 * places[i / 9] + i % 9];
        double error = fabs(own - A->values[i]);
        off = error <= off ? off : error; // also takes NaN
        most = fmax(most, fabs(A->values[i]));
    }
    PL_FREE(places, int, count);
    return off / most;
}

static pl_step_objective objective_of(const cloth* c, const pl_element_set* set,
                                      const bool* fixed) {
    return (pl_step_objective){.vertex_count = VERTICES,
                               .set_count = 1,
                               .sets = set,
                               .mass = c->mass,
                               .inertia = 1.0 / (STEP * STEP),
                               .y = c->rest,
                               .reference = c->rest,
                               .velocity_time = STEP,
                               .force = c->force,
                               .pins = c->pins,
                               .pin_count = HELD,
                               .start = c->rest,
                               .fixed = fixed};
}

// Every coupling is one spring, whose block is written and never added to.
TEST(fem_newton_writes_the_matrix_in_the_order_of_the_levels)
{
    cloth c = make_cloth();
    pl_error error;
    pl_element_set set = springs_of(&c);
    pl_block_matrix A;
    bool fixed[VERTICES] = {false};
    fixed[SIDE - 1] = true;
    CHECK_OK(pl_block_matrix_setup(&A, VERTICES, 3, c.near.offsets, c.near.items, &error), &error);
    CHECK_OK(pl_element_set_locate(&set, &A, &error), &error);
    pl_step_settings settings = settings_of(PL_LINEAR_MULTIGRID, 1e-8, 1);
    settings.multigrid.stiffness_aware = false;
    pl_newton_multigrid* newton;
    CHECK_OK(pl_newton_multigrid_create(&A, c.rest, &set, 1, &settings, NULL, &newton, &error),
             &error);
    pl_step_objective f = objective_of(&c, &set, fixed);
    double x[3 * VERTICES];
    for (int round = 0; round < 2; round++) { // what was written before is gone
        for (int i = 0; i < 3 * VERTICES; i++)
            x[i] = c.rest[i] + 0.01 * sin((3.0 + round) * i) + 1000.0;
        CHECK(pl_newton_multigrid_assemble(newton, &f, x, 1.0));
        pl_step_hessian(&f, x, 1.0, &A);
        CHECK(blocks_error(&A, pl_newton_multigrid_levels(newton)) < 2e-5);
    }
    for (int i = 0; i < 3 * VERTICES; i++) x[i] -= 1000.0;
    CHECK(pl_newton_multigrid_assemble(newton, &f, x, 1.0));
    pl_step_hessian(&f, x, 1.0, &A);
    CHECK(blocks_error(&A, pl_newton_multigrid_levels(newton)) < 1e-6);
    // soft motions would be lost
    f.inertia *= 1e-9;
    f.velocity_time = 0.0;
    CHECK(!pl_newton_multigrid_assemble(newton, &f, x, 1.0));
    f.inertia = 0.0;
    CHECK(!pl_newton_multigrid_assemble(newton, &f, x, 1.0));
    pl_newton_multigrid_destroy(newton);
    pl_element_set_free(&set);
    pl_block_matrix_free(&A);
    pl_adjacency_free(&c.near);
}

// One iteration of a system whose stiffness was changed is that of one which was made with it.
TEST(fem_newton_sees_springs_that_change)
{
    cloth c = make_cloth();
    pl_step_settings settings = settings_of(PL_LINEAR_MULTIGRID, 1e-30, 1);
    pl_step_system *a = make_system(&c, &settings, NULL), *plain = make_system(&c, &settings, NULL);
    step(&c, a);
    step(&c, plain);
    for (int e = 0; e < c.spring_count; e++) c.stiffness[e] *= 1.0 + 0.5 * (e % 2);
    settings.multigrid.stiffness_aware = false;
    pl_step_system* b = make_system(&c, &settings, NULL);
    size_t size = pl_step_state_size(a);
    void* state = pl_alloc_items(size, 1);
    pl_step_state_save(a, state);
    pl_step_state_load(b, state);
    pl_step_model model = pl_step_system_model(a);
    for (int e = 0; e < c.spring_count; e++)
        pl_spring_element_set(&model.sets[0], e, c.stiffness[e]);
    step(&c, a);
    step(&c, b);
    step(&c, plain);
    double off = 0.0, changed = 0.0;
    for (int i = 0; i < 3 * VERTICES; i++) {
        off = fmax(off, fabs(pl_step_positions(a)[i] - pl_step_positions(b)[i]));
        changed = fmax(changed, fabs(pl_step_positions(a)[i] - pl_step_positions(plain)[i]));
    }
    CHECK(changed > 1e-4);
    CHECK(off < 1e-5 * changed);
    pl_free(state, size);
    pl_step_system_destroy(a);
    pl_step_system_destroy(b);
    pl_step_system_destroy(plain);
    pl_adjacency_free(&c.near);
}

// positions after a few steps of a block of rubber with hard pins, one Newton iteration each
static void run_block(double young, bool changes, pl_pool* pool, double* out, int count) {
    pl_step_settings settings = settings_of(PL_LINEAR_MULTIGRID, 1e-30, 1);
    settings.multigrid.stiffness_aware = false;
    fem_sample s = fem_sample_create(fem_box(1, 0.3, 0.3, 10, 3, 3), PL_MATERIAL_STABLE_NEOHOOKEAN,
                                     changes ? 0.5 * young : young, 0.3, 1000.0, &settings, pool);
    if (changes) {
        pl_step_model model = pl_step_system_model(s.system);
        for (int e = 0; e < model.sets[0].count; e++) {
            pl_material material = pl_tet_element_materials(&model.sets[0])[e];
            material.mu *= 2.0, material.lambda *= 2.0;
            pl_tet_element_set_material(&model.sets[0], e, &material);
        }
    }
    pl_pin pins[16];
    int pin_count = 0;
    for (int v = 0; v < s.mesh->vertex_count && pin_count < 16; v++) {
        pl_vec3 at = pl_vec3_load(pl_step_positions(s.system) + 3 * v);
        if (at.x < 1e-9)
            pins[pin_count++] = (pl_pin){.vertex = v, .hard = true, .from = at, .target = at};
    }
    CHECK(pin_count == 16 && 3 * s.mesh->vertex_count == count);
    for (int k = 0; k < 3; k++) fem_sample_step(&s, STEP, -9.8, pins, pin_count);
    memcpy(out, pl_step_positions(s.system), (size_t)count * sizeof(double));
    fem_sample_free(&s);
}

TEST(fem_newton_sees_tets_that_change)
{
    enum { COUNT = 3 * 11 * 4 * 4 };
    double a[COUNT], b[COUNT], soft[COUNT], off = 0.0, changed = 0.0;
    run_block(2e5, true, NULL, a, COUNT);
    run_block(2e5, false, NULL, b, COUNT);
    run_block(1e5, false, NULL, soft, COUNT);
    for (int i = 0; i < COUNT; i++) {
        off = fmax(off, fabs(a[i] - b[i]));
        changed = fmax(changed, fabs(a[i] - soft[i]));
    }
    CHECK(changed > 1e-3);
    CHECK(off < 1e-6 * changed);
}

TEST(fem_newton_in_float_has_the_same_bits_on_any_threads)
{
    cloth c = make_cloth();
    pl_step_settings settings = settings_of(PL_LINEAR_MULTIGRID, 1e-30, 3);
    settings.linear_max_iterations = 1;
    double first[3 * VERTICES];
    for (int threads = 1; threads <= 4; threads *= 2) {
        pl_pool* pool;
        pl_error error;
        CHECK_OK(pl_pool_create(threads, &pool, &error), &error);
        pl_step_system* system = make_system(&c, &settings, pool);
        for (int k = 0; k < 3; k++) step(&c, system);
        if (threads == 1) memcpy(first, pl_step_positions(system), sizeof first);
        CHECK(memcmp(first, pl_step_positions(system), sizeof first) == 0);
        pl_step_system_destroy(system);
        pl_pool_destroy(pool);
    }
    pl_adjacency_free(&c.near);
}

TEST(fem_newton_multigrid_survives_every_failing_allocation)
{
    cloth c = make_cloth();
    pl_error error;
    pl_step_settings settings = settings_of(PL_LINEAR_MULTIGRID, 1e-8, 1);
    size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth++) {
        pl_element_set set = springs_of(&c);
        pl_step_system* system;
        pl_inject_failure(nth);
        pl_status status =
            pl_fem_system_create(c.rest, c.mass, VERTICES, c.near.offsets, c.near.items, &set, 1,
                                 &settings, NULL, &system, &error);
        pl_inject_failure(0);
        if (status == PL_OK) {
            pl_step_system_destroy(system);
            break;
        }
        CHECK_INT(status, PL_ERROR_MEMORY);
        CHECK_INT(pl_byte_count(), before);
    }
    CHECK_INT(pl_byte_count(), before);
    pl_adjacency_free(&c.near);
}
