// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Levels and V-cycles of method grid.
#include "base/memory.h"
#include "grid_samples.h"
#include "test.h"

#include <stdlib.h>

typedef struct solver {
    pl_grid_cells cells;
    pl_grid_lattice lattice;
    pl_grid_linear mg;
    pl_grid_state state;
} solver;

static solver make_solver(pl_grid_cells cells, double nu, double inertia, pl_pool* pool) {
    solver s = {.cells = cells};
    pl_error error;
    CHECK_OK(pl_grid_lattice_create(&cells, &s.lattice, &error), &error);
    CHECK_OK(pl_grid_linear_create(&s.lattice, &cells, pool, &s.mg, &error), &error);
    CHECK_OK(pl_grid_state_create(&s.lattice.levels[0], &s.state, &error), &error);
    s.state.compressibility = (1.0 - 2.0 * nu) / (2.0 * nu), s.state.inertia = inertia;
    pl_grid_linear_update(&s.mg, s.state.compressibility, inertia);
    return s;
}

static void free_solver(solver* s) {
    pl_grid_state_free(&s->lattice.levels[0], &s->state);
    pl_grid_linear_free(&s->mg);
    pl_grid_lattice_free(&s->lattice);
    pl_grid_cells_free(&s->cells);
}

static double cycle(solver* s) {
    pl_grid_linear_cycle(&s->mg);
    pl_grid_correct(&s->mg.levels[0], &s->state, s->mg.pool);
    return pl_grid_residual(&s->mg.levels[0], &s->state, s->mg.pool);
}

// the factor of the residual in later cycles
static double rate_of(solver* s, int cycles) {
    fill_random(&s->lattice.levels[0], &s->state, 7);
    pl_grid_residual(&s->mg.levels[0], &s->state, s->mg.pool);
    double before = 0.0, after = 0.0;
    for (int k = 0; k < cycles; k++) {
        before = after;
        after = cycle(s);
    }
    return after / before;
}

TEST(grid_cycle_rates_do_not_depend_on_nu)
{
    static const double nu[] = {0.2, 0.49, 0.4999};
    for (int k = 0; k < 3; k++) {
        solver s = make_solver(sample_box_cells(16), nu[k], 0.0, NULL);
        CHECK(s.mg.level_count >= 3);
        double rate = rate_of(&s, 10);
        if (!(rate < 0.3)) pl_test_fail(__FILE__, __LINE__, "rate %g at nu %g", rate, nu[k]);
        free_solver(&s);
    }
}

TEST(grid_cycle_with_inertia_is_faster)
{
    double rates[2];
    for (int k = 0; k < 2; k++) {
        solver s = make_solver(sample_box_cells(16), 0.4, k, NULL);
        rates[k] = rate_of(&s, 6);
        free_solver(&s);
    }
    if (!(rates[1] < 0.8 * rates[0]))
        pl_test_fail(__FILE__, __LINE__, "rate %g, without inertia %g", rates[1], rates[0]);
}

TEST(grid_cycle_converges_on_irregular_bodies)
{
    solver s = make_solver(sample_ball_cells(10), 0.45, 0.0, NULL);
    CHECK(rate_of(&s, 15) < 0.65);
    free_solver(&s);
}

static double product(const pl_grid_level* l, double* const a[3], double* const b[3]) {
    double sum = 0.0;
    for (int i = 0; i < l->field_size; i++)
        for (int c = 0; c < 3; c++) sum += a[c][i] * b[c][i];
    return sum;
}

// conjugate gradients for -L u = b with substituted pressures, in double: x gets the solution
static void conjugate_gradients(const pl_grid_level* l, pl_grid_state* p, double* const b[3],
                                double* const x[3], double* const r[3]) {
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < l->field_size; i++) x[a][i] = 0.0, p->u[a][i] = r[a][i] = b[a][i];
    double rho = product(l, r, r), start = rho;
    for (int n = 0; n < 2000 && rho > 1e-22 * start; n++) {
        pl_grid_substitute(l, p);
        pl_grid_apply(l, p, false, p->f);
        double step = rho / -product(l, p->u, p->f);
        for (int a = 0; a < 3; a++)
            for (int i = 0; i < l->field_size; i++)
                x[a][i] += step * p->u[a][i], r[a][i] += step * p->f[a][i];
        double next = product(l, r, r);
        for (int a = 0; a < 3; a++)
            for (int i = 0; i < l->field_size; i++) p->u[a][i] = r[a][i] + next / rho * p->u[a][i];
        rho = next;
    }
}

TEST(grid_multigrid_agrees_with_conjugate_gradients)
{
    solver s = make_solver(sample_ball_cells(7), 0.4, 0.0, NULL);
    const pl_grid_level* l = &s.lattice.levels[0];
    pl_error error;
    pl_grid_state work[2];
    for (int k = 0; k < 2; k++) CHECK_OK(pl_grid_state_create(l, &work[k], &error), &error);
    work[0].compressibility = s.state.compressibility;
    for (int i = 0; i < l->field_size; i++)
        for (int a = 0; a < 3; a++) {
            bool own = pl_grid_bit(l->masks[i / PL_GRID_CHUNK].face[a], i);
            s.state.f[a][i] = own ? sin(i + a) : 0.0;
            work[1].f[a][i] = -s.state.f[a][i];
        }
    double residual = pl_grid_residual(&s.mg.levels[0], &s.state, NULL), start = residual;
    for (int k = 0; k < 80 && residual > 1e-10 * start; k++) residual = cycle(&s);
    CHECK(residual <= 1e-10 * start);
    double* scratch[3];
    for (int a = 0; a < 3; a++) scratch[a] = calloc((size_t)l->field_size, sizeof(double));
    conjugate_gradients(l, &work[0], work[1].f, work[1].u, scratch);
    double largest = 0.0;
    for (int i = 0; i < l->field_size; i++)
        for (int a = 0; a < 3; a++) largest = fmax(largest, fabs(work[1].u[a][i]));
    for (int i = 0; i < l->field_size; i++)
        for (int a = 0; a < 3; a++) CHECK_NEAR(s.state.u[a][i], work[1].u[a][i], 1e-6 * largest);
    for (int a = 0; a < 3; a++) free(scratch[a]);
    for (int k = 0; k < 2; k++) pl_grid_state_free(l, &work[k]);
    free_solver(&s);
}

TEST(grid_transfers_keep_constants)
{
    // all sides free
    pl_grid_cells cells = sample_box_cells(12);
    for (size_t i = 0; i < pl_grid_cells_count(&cells); i++) cells.kinds[i] = PL_CELL_INTERIOR;
    solver s = make_solver(cells, 0.3, 0.1, NULL);
    pl_grid_linear_level *fine = &s.mg.levels[0], *coarse = &s.mg.levels[1];
    for (int i = 0; i < coarse->layout->field_size; i++)
        for (int a = 0; a < 3; a++)
            coarse->u[a][i] =
                pl_grid_bit(coarse->split[i / PL_GRID_CHUNK].face[a], i) ? 1.0f + (float)a : 0.0f;
    pl_grid_fill_ghosts(coarse, NULL);
    pl_grid_prolong_around(fine, coarse, NULL);
    pl_grid_prolong_deep(fine, coarse, 0, fine->layout->size[1] * fine->layout->size[2]);
    for (int i = 0; i < fine->layout->field_size; i++)
        for (int a = 0; a < 3; a++) {
            bool own = pl_grid_bit(fine->split[i / PL_GRID_CHUNK].face[a], i);
            CHECK_NEAR(fine->u[a][i], own ? 1.0 + a : 0.0, 1e-6);
            fine->u[a][i] = own ? 1.0f : 0.0f;
        }
    for (int i = 0; i < fine->layout->field_size; i++)
        fine->q[i] = pl_grid_bit(fine->split[i / PL_GRID_CHUNK].interior, i) ? 1.0f : 0.0f;
    const float* const source[4] = {fine->u[0], fine->u[1], fine->u[2], fine->q};
    const pl_grid_restriction job = pl_grid_linear_restriction(fine, coarse);
    pl_grid_restrict_fields(&job, source, NULL);
    int middle = pl_place_of(pl_grid_index(coarse->layout, 3, 3, 3));
    for (int a = 0; a < 3; a++) CHECK_NEAR(coarse->f[a][middle], 4.0, 1e-6);
    CHECK_NEAR(coarse->g[middle], 2.0, 1e-6);
    free_solver(&s);
}

static uint64_t bits_after_cycles(int threads) {
    pl_pool* pool;
    pl_error error;
    CHECK_OK(pl_pool_create(threads, &pool, &error), &error);
    solver s = make_solver(sample_ball_cells(19), 0.45, 0.01, pool);
    CHECK(s.lattice.levels[0].cell_count > 20000);
    fill_random(&s.lattice.levels[0], &s.state, 7);
    pl_grid_residual(&s.mg.levels[0], &s.state, pool);
    for (int k = 0; k < 2; k++) cycle(&s);
    uint64_t hash = 1469598103934665603u;
    for (int i = 0; i < s.lattice.levels[0].field_size; i++)
        for (int a = 0; a < 3; a++) {
            uint64_t bits;
            memcpy(&bits, &s.state.u[a][i], sizeof bits);
            hash = (hash ^ bits) * 1099511628211u;
        }
    free_solver(&s);
    pl_pool_destroy(pool);
    return hash;
}

TEST(grid_cycles_have_the_same_bits_for_all_threads)
{
    uint64_t one = bits_after_cycles(1);
    CHECK(one == bits_after_cycles(2));
    CHECK(one == bits_after_cycles(3));
}

// a lattice with one kind of cell
static pl_grid_cells uniform_cells(int nx, int ny, int nz, pl_cell kind) {
    const int low[3] = {0, 0, 0}, size[3] = {nx, ny, nz};
    pl_grid_cells cells;
    pl_error error;
    CHECK_OK(pl_grid_cells_create(low, size, &cells, &error), &error);
    for (size_t i = 0; i < pl_grid_cells_count(&cells); i++) cells.kinds[i] = (uint8_t)kind;
    return cells;
}

TEST(grid_odd_lattices_have_an_answer)
{
    struct {
        pl_grid_cells cells;
        int faces;
    } odd[] = {{uniform_cells(0, 0, 0, PL_CELL_EXTERIOR), 0},
               {uniform_cells(5, 4, 3, PL_CELL_EXTERIOR), 0},
               {uniform_cells(5, 4, 3, PL_CELL_DIRICHLET), 0},
               {uniform_cells(1, 1, 1, PL_CELL_INTERIOR), 0},
               {uniform_cells(40, 1, 1, PL_CELL_INTERIOR), 39}};
    for (size_t k = 0; k < sizeof odd / sizeof odd[0]; k++) {
        solver s = make_solver(odd[k].cells, 0.3, 0.0, NULL);
        pl_grid_linear_level* l = &s.mg.levels[0];
        CHECK_INT(l->layout->face_count, odd[k].faces);
        for (int i = 0; i < l->layout->field_size; i++)
            for (int a = 0; a < 3; a++)
                l->f[a][i] = pl_grid_bit(l->split[i / PL_GRID_CHUNK].face[a], i) ? 1.0f : 0.0f;
        pl_grid_linear_cycle(&s.mg);
        for (int i = 0; i < l->layout->field_size; i++)
            for (int a = 0; a < 3; a++) CHECK(isfinite(l->u[a][i]));
        free_solver(&s);
    }
}

TEST(grid_memory_follows_the_cells)
{
    // a long thin diagonal rod in a large box
    pl_grid_cells cells = uniform_cells(200, 200, 200, PL_CELL_EXTERIOR);
    int count = 0;
    for (int n = 0; n < 198; n++)
        for (int d = 0; d < 8; d++, count++)
            cells.kinds[pl_grid_cells_index(&cells, n + d % 2, n + d / 2 % 2, n + d / 4)] =
                PL_CELL_INTERIOR;
    pl_grid_level level;
    pl_error error;
    CHECK_OK(pl_grid_level_create(&cells, &level, &error), &error);
    CHECK(level.field_size < 200 * count / 2);
    CHECK(level.field_size < 200 * 200 * 200 / 50);
    pl_grid_level_free(&level);
    pl_grid_cells_free(&cells);
}

TEST(grid_levels_survive_want_of_memory)
{
    pl_grid_cells cells = sample_ball_cells(6);
    pl_error error;
    bool done = false;
    for (int n = 1; n < 500 && !done; n++) {
        pl_grid_lattice lattice;
        pl_grid_linear mg = {0};
        pl_inject_failure(n);
        pl_status status = pl_grid_lattice_create(&cells, &lattice, &error);
        if (status == PL_OK) status = pl_grid_linear_create(&lattice, &cells, NULL, &mg, &error);
        done = status == PL_OK;
        if (!done) CHECK_INT(status, PL_ERROR_MEMORY);
        pl_grid_linear_free(&mg);
        pl_grid_lattice_free(&lattice);
    }
    pl_inject_failure(0);
    CHECK(done);
    pl_grid_cells_free(&cells);
}
