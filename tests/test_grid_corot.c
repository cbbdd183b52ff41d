// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The general lattice of method grid: rotations, and moduli that differ from cell to cell.
#include "base/memory.h"
#include "base/random.h"
#include "grid/grid_corot.h"
#include "grid/grid_corot_kernels.h"
#include "grid_samples.h"
#include "test.h"

#include <string.h>

// a lattice with all that its cycles need
typedef struct sample {
    pl_grid_cells cells;
    pl_grid_lattice lattice;
    pl_grid_state state;
    pl_grid_corot corot;
    pl_quat* turn;
    float* mu;
} sample;

static sample start(pl_grid_cells cells, bool uneven) {
    sample s = {.cells = cells};
    pl_error error;
    CHECK_OK(pl_grid_lattice_create(&s.cells, &s.lattice, &error), &error);
    const pl_grid_level* l = &s.lattice.levels[0];
    CHECK_OK(pl_grid_state_create(l, &s.state, &error), &error);
    s.turn = PL_ALLOC(pl_quat, l->field_size);
    s.mu = uneven ? PL_ALLOC(float, l->field_size) : NULL;
    pl_random random = {11};
    for (int i = 0; i < l->field_size; i++) {
        s.turn[i] = (pl_quat){0.0, 0.0, 0.0, 1.0};
        if (uneven) s.mu[i] = (float)pl_random_uniform(&random, 0.1, 10.0);
    }
    return s;
}

// levels keep pointers to the layout: only once the sample lies where it stays
static void make(sample* s, bool rotates, pl_pool* pool) {
    pl_error error;
    CHECK_OK(pl_grid_corot_create(&s->lattice, s->mu, rotates, s->turn, pool, &s->corot, &error),
             &error);
}

static void end(sample* s) {
    int size = s->lattice.levels[0].field_size;
    pl_grid_corot_free(&s->corot);
    PL_FREE(s->turn, pl_quat, size);
    PL_FREE(s->mu, float, size);
    pl_grid_state_free(&s->lattice.levels[0], &s->state);
    pl_grid_lattice_free(&s->lattice);
    pl_grid_cells_free(&s->cells);
}

// a ball without a limb, held at its low x
static pl_grid_cells ball(int r) {
    pl_grid_cells cells = sample_ball_cells(r);
    for (int i = 0; i < 2 * r; i++) {
        uint8_t* kind = &cells.kinds[pl_grid_cells_index(&cells, i, 0, 0)];
        if (i >= r) *kind = PL_CELL_EXTERIOR;
    }
    return cells;
}

// interior cells with Dirichlet cells all around
static pl_grid_cells closed_box(int n) {
    const int low[3] = {-1, -1, -1}, size[3] = {n + 2, n + 2, n + 2};
    pl_grid_cells cells;
    pl_error error;
    CHECK_OK(pl_grid_cells_create(low, size, &cells, &error), &error);
    memset(cells.kinds, PL_CELL_DIRICHLET, pl_grid_cells_count(&cells));
    for (int i = 0; i < n * n * n; i++)
        cells.kinds[pl_grid_cells_index(&cells, i % n, i / n % n, i / n / n)] = PL_CELL_INTERIOR;
    return cells;
}

static void poisson(sample* s, double nu) {
    s->state.compressibility = (1.0 - 2.0 * nu) / (2.0 * nu);
}

static bool is_face(const pl_grid_level* l, int a, int i) {
    return pl_grid_bit(l->masks[i / PL_GRID_CHUNK].face[a], i);
}

// u = (Q - 1) x + noise on faces that are variables; cells of edge h
static void place(sample* s, pl_mat3 Q, double h, double noise) {
    const pl_grid_level* l = &s->lattice.levels[0];
    pl_random random = {5};
    for (int g = 0; g < l->segment_count; g++)
        for (int i = 0; i < l->segments[g].count * PL_GRID_CHUNK; i++)
            for (int a = 0; a < 3; a++) {
                const pl_grid_segment* r = &l->segments[g];
                double x[3] = {r->x + i + 0.5, r->y + 0.5, r->z + 0.5};
                x[a] -= 0.5;
                double v = -x[a];
                for (int d = 0; d < 3; d++) v += Q.m[3 * a + d] * x[d];
                s->state.u[a][r->begin + i] = h * v;
                if (is_face(l, a, r->begin + i))
                    s->state.u[a][r->begin + i] += pl_random_uniform(&random, -noise, noise);
            }
}

static pl_mat3 turn_about(double x, double y, double z, double angle) {
    double n = sqrt(x * x + y * y + z * z), s = sin(0.5 * angle) / n;
    return pl_quat_to_mat3((pl_quat){s * x, s * y, s * z, cos(0.5 * angle)});
}

// cycles until the residual is a part of the first one; the number of cycles
static int solve(sample* s, double h, double part, int most, double* rate) {
    double first = pl_grid_corot_residual(&s->corot, &s->state, h, PL_COROT_TURN_ALL), now = first;
    int k = 0;
    for (; k < most && now > part * first; k++) {
        pl_grid_corot_update(&s->corot, s->state.compressibility, s->state.inertia);
        pl_grid_corot_cycle(&s->corot);
        pl_grid_corot_correct(&s->corot, &s->state, true);
        now = pl_grid_corot_residual(&s->corot, &s->state, h, PL_COROT_TURN_ALL);
        now = pl_grid_corot_backtrack(&s->corot, &s->state, h, now);
    }
    if (rate) *rate = pow(now / first, 1.0 / k);
    return k;
}

TEST(grid_corot_is_linear_elasticity_where_nothing_turns)
{
    sample s = start(sample_ball_cells(8), false);
    make(&s, false, NULL);
    poisson(&s, 0.3);
    const pl_grid_level* l = &s.lattice.levels[0];
    pl_grid_linear_level linear;
    pl_error error;
    CHECK_OK(pl_grid_linear_level_create(l, &s.cells, &linear, &error), &error);
    fill_random(l, &s.state, 3);
    pl_grid_substitute(l, &s.state);
    double expected = pl_grid_residual(&linear, &s.state, NULL);
    CHECK_NEAR(pl_grid_corot_residual(&s.corot, &s.state, 0.7, PL_COROT_TURN_ALL) / expected, 1.0,
               1e-9);
    const pl_corot_level* own = &s.corot.levels[0];
    for (int i = 0; i < l->field_size; i++)
        for (int a = 0; a < 3; a++)
            if (is_face(l, a,
                        i)) // of the opposite sign: forces here, the right side minus L u there
                CHECK_NEAR((double)own->f[a][i], -(double)linear.f[a][pl_place_of(i)], 1e-4);
    CHECK_NEAR(pl_grid_corot_energy(&s.corot, &s.state, 0.7) / pl_grid_energy(l, &s.state), 1.0,
               1e-9);
    pl_grid_linear_level_free(&linear);
    end(&s);
}

// turns a body step by step, so that its cells can follow
static void turn_slowly(sample* s, const double axis[3], double angle, pl_mat3 stretch, double h) {
    int steps = 1 + (int)(fabs(angle) / 0.1);
    for (int k = 1; k <= steps; k++) {
        pl_mat3 Q = turn_about(axis[0], axis[1], axis[2], angle * k / steps);
        place(s, pl_mat3_mul(Q, stretch), h, 0.0);
        for (int n = 0; n < (k < steps ? 2 : 40); n++)
            pl_grid_corot_residual(&s->corot, &s->state, h, PL_COROT_TURN_ALL);
    }
}

// the body's cells turn with it: no force, no energy
TEST(grid_corot_does_not_feel_rigid_motions)
{
    for (int k = 0; k < 4; k++) {
        sample s = start(ball(6), k % 2);
        make(&s, true, NULL);
        poisson(&s, 0.45);
        turn_slowly(&s, (const double[3]){1.0, k, 2.0}, 0.5 + 0.8 * k, pl_mat3_identity(), 0.1);
        // the weights of uneven edges are rounded to float
        CHECK(pl_grid_corot_residual(&s.corot, &s.state, 0.1, PL_COROT_TURN_ALL) <
              (k % 2 ? 1e-5 : 1e-9));
        CHECK(fabs(pl_grid_corot_energy(&s.corot, &s.state, 0.1)) < 1e-6);
        end(&s);
    }
}

// the stress of a stretched cell turns with it
TEST(grid_corot_is_objective)
{
    sample s = start(closed_box(5), false);
    make(&s, true, NULL);
    poisson(&s, 0.4);
    const pl_mat3 stretch = {{1.2, 0.1, 0.0, 0.1, 0.9, 0.05, 0.0, 0.05, 1.1}};
    const double axis[3] = {1.0, 3.0, -2.0};
    int at = pl_grid_index(&s.lattice.levels[0], 2, 2, 2);
    place(&s, stretch, 1.0, 0.0);
    pl_grid_corot_residual(&s.corot, &s.state, 1.0, PL_COROT_TURN_ALL);
    pl_mat3 stress, turned;
    for (int e = 0; e < 9; e++) stress.m[e] = s.corot.stress[e][at];
    CHECK(pl_mat3_norm(stress) > 1.0);
    for (int k = 1; k < 6; k++) {
        turn_slowly(&s, axis, 0.6 * k, stretch, 1.0);
        for (int e = 0; e < 9; e++) turned.m[e] = s.corot.stress[e][at];
        pl_mat3 expected = pl_mat3_mul(turn_about(axis[0], axis[1], axis[2], 0.6 * k), stress);
        CHECK(pl_mat3_norm(pl_mat3_sub(turned, expected)) < 1e-9);
    }
    end(&s);
}

TEST(grid_corot_forces_are_the_gradient_of_the_energy)
{
    for (int uneven = 0; uneven < 2; uneven++) {
        sample s = start(ball(5), uneven);
        make(&s, true, NULL);
        poisson(&s, 0.4);
        place(&s, turn_about(1.0, 2.0, 3.0, 0.2), 1.0, 0.05);
        pl_grid_level* l = &s.lattice.levels[0];
        for (int n = 0; n < 60; n++)
            pl_grid_corot_residual(&s.corot, &s.state, 1.0, PL_COROT_TURN_ALL);
        pl_random random = {9};
        double step = 1e-5, slope = 0.0, at[2] = {0.0, 0.0};
        for (int side = 0; side < 2; side++) {
            slope = 0.0;
            random = (pl_random){9};
            // there and back, along a random direction; rotations follow
            for (int i = 0; i < l->field_size; i++)
                for (int a = 0; a < 3; a++)
                    if (is_face(l, a, i)) {
                        double d = pl_random_uniform(&random, -1.0, 1.0);
                        slope -= d * (double)s.corot.levels[0].f[a][i];
                        s.state.u[a][i] += (side ? -2.0 : 1.0) * step * d;
                    }
            if (side == 0) at[0] = slope;
            for (int n = 0; n < 60; n++)
                pl_grid_corot_residual(&s.corot, &s.state, 1.0, PL_COROT_TURN_ALL);
            at[1] = side ? at[1] - pl_grid_corot_energy(&s.corot, &s.state, 1.0)
                         : pl_grid_corot_energy(&s.corot, &s.state, 1.0);
        }
        CHECK_NEAR(at[1] / (2.0 * step) / at[0], 1.0, 1e-5);
        end(&s);
    }
}

// y = -A x of the finest level
static void apply(sample* s, float* const x[3], float* const y[3]) {
    pl_corot_level* l = &s->corot.levels[0];
    size_t bytes = (size_t)l->layout->field_size * sizeof(float);
    for (int a = 0; a < 3; a++) {
        memcpy(l->u[a], x[a], bytes);
        memset(l->f[a], 0, bytes);
    }
    // with the pressures of all cells substituted
    for (int k = 0; k < l->chunk_count; k++) {
        int base[27];
        pl_corot_reach(&l->chunks[k], base);
        for (int i = 0; i < PL_GRID_CHUNK; i++)
            l->s[base[13] + i] = l->k[base[13] + i] * sample_trace(l, l->u, base, i);
    }
    pl_corot_residual(l, NULL);
    pl_corot_soften(l, l->r, NULL);
    for (int a = 0; a < 3; a++) memcpy(y[a], l->r[a], bytes);
}

TEST(grid_corot_operator_is_symmetric_and_definite)
{
    for (int kind = 0; kind < 3; kind++) {
        bool rotates = kind > 0;
        sample s = start(sample_ball_cells(6), true);
        make(&s, rotates, NULL);
        poisson(&s, 0.4);
        if (rotates) place(&s, turn_about(1.0, 2.0, 3.0, 1.3 * kind), 1.0, 0.3);
        pl_grid_corot_residual(&s.corot, &s.state, 1.0, PL_COROT_TURN_ALL);
        pl_grid_corot_update(&s.corot, s.state.compressibility, 0.0);
        const pl_grid_level* l = &s.lattice.levels[0];
        float *x[3], *y[3], *Ax[3], *Ay[3], **all[4] = {x, y, Ax, Ay};
        for (int k = 0; k < 12; k++) all[k / 3][k % 3] = PL_ALLOC(float, l->field_size);
        pl_random random = {21};
        for (int i = 0; i < l->field_size; i++)
            for (int a = 0; a < 3; a++) {
                if (!is_face(l, a, i)) continue;
                x[a][i] = (float)pl_random_uniform(&random, -1.0, 1.0);
                y[a][i] = (float)pl_random_uniform(&random, -1.0, 1.0);
            }
        apply(&s, x, Ax), apply(&s, y, Ay);
        double curvature = pl_grid_corot_curvature(&s.corot, x);
        double xAy = 0.0, yAx = 0.0, xAx = 0.0;
        for (int i = 0; i < l->field_size; i++)
            for (int a = 0; a < 3; a++) {
                xAy -= (double)x[a][i] * (double)Ay[a][i];
                yAx -= (double)y[a][i] * (double)Ax[a][i];
                xAx -= (double)x[a][i] * (double)Ax[a][i];
            }
        CHECK(xAx > 0.0);
        CHECK_NEAR(xAy, yAx, 2e-6 * xAx);
        CHECK_NEAR(curvature / xAx, 1.0, 1e-5);
        for (int k = 0; k < 12; k++) PL_FREE(all[k / 3][k % 3], float, l->field_size);
        end(&s);
    }
}

// turned as a whole by up to 180 degrees, with noise: cycles find back
TEST(grid_corot_finds_back_from_noise)
{
    for (int k = 0; k < 4; k++) {
        sample s = start(sample_box_cells(10), false);
        make(&s, true, NULL);
        poisson(&s, k % 2 ? 0.475 : 0.3);
        pl_mat3 Q = turn_about(1.0, k, 0.5, 3.14159265 * k / 3.0);
        place(&s, Q, 1.0, 0.0);
        for (int n = 0; n < 40; n++)
            pl_grid_corot_residual(&s.corot, &s.state, 1.0, PL_COROT_TURN_ALL);
        place(&s, Q, 1.0, 0.3);
        double rate;
        CHECK(solve(&s, 1.0, 1e-6, 40, &rate) < 40);
        CHECK(fabs(pl_grid_corot_energy(&s.corot, &s.state, 1.0)) < 1e-3);
        end(&s);
    }
}

// the same with pressures as variables; the number of cycles
static int solve_kept(sample* s, double part, int most, bool frozen, double* rate) {
    pl_grid_corot* c = &s->corot;
    c->phase = PL_COROT_RECOMBINED;
    c->problem = frozen ? PL_COROT_FROZEN : PL_COROT_TURNING;
    double first = pl_grid_corot_residual(c, &s->state, 1.0, PL_COROT_TURN_ALL), now = first;
    int k = 0;
    for (; k < most && now > part * first; k++) {
        if (k == 0 || !frozen) pl_grid_corot_update(c, s->state.compressibility, s->state.inertia);
        CHECK(pl_grid_corot_recombine(c, &s->state, 1.0, now));
        now = pl_grid_corot_residual(c, &s->state, 1.0,
                                     frozen ? PL_COROT_TURN_NONE : PL_COROT_TURN_ALL);
    }
    *rate = pow(now / first, 1.0 / k);
    return k;
}

// moves the held cells of the upper half along x, by cells
static void pull(sample* s, double amount) {
    const pl_grid_level* l = &s->lattice.levels[0];
    const pl_grid_cells* cells = &s->cells;
    for (int g = 0; g < l->segment_count; g++)
        for (int i = 0; i < l->segments[g].count * PL_GRID_CHUNK; i++) {
            const pl_grid_segment* r = &l->segments[g];
            bool held = pl_grid_cell(cells, r->x + i, r->y, r->z) == PL_CELL_DIRICHLET ||
                        pl_grid_cell(cells, r->x + i - 1, r->y, r->z) == PL_CELL_DIRICHLET;
            if (held && 2 * (r->x + i) > cells->size[0]) s->state.u[0][r->begin + i] = amount;
        }
}

// Pressures as variables: the same equilibrium as by going downhill, and sooner: by 0.15 per
// cycle where that takes 0.34.
TEST(grid_corot_kept_pressures_lead_to_the_same_equilibrium)
{
    double energy[2];
    for (int kept = 0; kept < 2; kept++) {
        sample s = start(sample_box_cells(12), false);
        make(&s, true, NULL);
        poisson(&s, 0.475);
        pull(&s, 3.0);
        double rate;
        if (kept) CHECK(solve_kept(&s, 1e-6, 40, false, &rate) < 40);
        else CHECK(solve(&s, 1.0, 1e-6, 80, &rate) < 80);
        if (kept) CHECK(rate < 0.22);
        energy[kept] = pl_grid_corot_energy(&s.corot, &s.state, 1.0);
        end(&s);
    }
    CHECK_NEAR(energy[1] / energy[0], 1.0, 1e-6);
    sample s = start(sample_box_cells(12), false);
    make(&s, true, NULL);
    poisson(&s, 0.475);
    pull(&s, 3.0);
    double rate;
    solve_kept(&s, 1e-6, 40, true, &rate);
    CHECK(rate < 0.18);
    end(&s);
}

// pressures that fulfil their equations leave the forces as they are with substituted ones
TEST(grid_corot_substitutes_pressures)
{
    for (int uneven = 0; uneven < 2; uneven++) {
        sample s = start(ball(6), uneven);
        make(&s, true, NULL);
        poisson(&s, 0.45);
        place(&s, turn_about(1.0, 2.0, 3.0, 0.4), 1.0, 0.1);
        for (int n = 0; n < 40; n++)
            pl_grid_corot_residual(&s.corot, &s.state, 1.0, PL_COROT_TURN_ALL);
        double without = pl_grid_corot_residual(&s.corot, &s.state, 1.0, PL_COROT_TURN_NONE);
        s.corot.phase = PL_COROT_RECOMBINED;
        CHECK(fabs(pl_grid_corot_residual(&s.corot, &s.state, 1.0, PL_COROT_TURN_NONE) / without -
                   1.0) > 0.01);
        s.corot.phase = PL_COROT_DOWNHILL;
        pl_grid_corot_residual(&s.corot, &s.state, 1.0, PL_COROT_TURN_NONE);
        pl_grid_corot_substitute(&s.corot, &s.state, 1.0);
        s.corot.phase = PL_COROT_RECOMBINED;
        CHECK_NEAR(pl_grid_corot_residual(&s.corot, &s.state, 1.0, PL_COROT_TURN_NONE) / without,
                   1.0, 1e-9);
        const pl_corot_level* l = &s.corot.levels[0];
        for (int i = 0; i < l->layout->field_size; i++) CHECK(fabsf(l->g[i]) < 1e-9f);
        end(&s);
    }
}

// the largest difference of positions and pressures from a copy, or the copy itself
static double compare(const sample* s, double* copy, bool take) {
    int size = s->lattice.levels[0].field_size;
    double most = 0.0;
    for (int a = 0; a < 4; a++)
        for (int i = 0; i < size; i++) {
            double now = a < 3 ? s->state.u[a][i] : s->state.p[i];
            if (take) copy[a * size + i] = now;
            most = fmax(most, fabs(now - copy[a * size + i]));
        }
    return most;
}

TEST(grid_corot_takes_cycles_back)
{
    sample s = start(ball(6), true);
    make(&s, true, NULL);
    poisson(&s, 0.45);
    place(&s, pl_mat3_identity(), 1.0, 0.02);
    double rate, before, *copy = PL_ALLOC(double, 4 * (size_t)s.lattice.levels[0].field_size);
    solve_kept(&s, 0.0, 2, false, &rate);
    compare(&s, copy, true);
    before = pl_grid_corot_residual(&s.corot, &s.state, 1.0, PL_COROT_TURN_ALL);
    pl_grid_corot_update(&s.corot, s.state.compressibility, 0.0);
    CHECK(pl_grid_corot_recombine(&s.corot, &s.state, 1.0, before));
    CHECK(compare(&s, copy, false) > 1e-6);
    CHECK(pl_grid_corot_residual(&s.corot, &s.state, 1.0, PL_COROT_TURN_ALL) < 0.9 * before);
    const pl_grid_iteration it = pl_grid_corot_iteration(&s.corot, &s.state, 1.0);
    pl_grid_recombine_separate(&s.corot.cycles.history, &it);
    double alone = pl_grid_corot_residual(&s.corot, &s.state, 1.0, PL_COROT_TURN_ALL);
    CHECK_NEAR(alone / s.corot.progress.own_residual, 1.0, 1e-3);
    pl_grid_recombine_take_back(&s.corot.cycles.history, &it);
    CHECK(compare(&s, copy, false) < 1e-14);
    // a cycle that made the residual larger than what it is said to have been
    pl_grid_corot_residual(&s.corot, &s.state, 1.0, PL_COROT_TURN_ALL);
    CHECK(!pl_grid_corot_recombine(&s.corot, &s.state, 1.0, 1e-3 * before));
    CHECK(compare(&s, copy, false) < 1e-14);
    PL_FREE(copy, double, 4 * (size_t)s.lattice.levels[0].field_size);
    end(&s);
}

// squeezed to a third and shaken: the residual stays finite, the energy falls
TEST(grid_corot_withstands_compression)
{
    sample s = start(sample_box_cells(8), false);
    make(&s, true, NULL);
    poisson(&s, 0.45);
    place(&s, pl_mat3_diagonal(0.33, 1.0, 1.0), 1.0, 0.9);
    pl_grid_corot_residual(&s.corot, &s.state, 1.0, PL_COROT_TURN_ALL);
    double before = pl_grid_corot_energy(&s.corot, &s.state, 1.0);
    solve(&s, 1.0, 1e-4, 60, NULL);
    double after = pl_grid_corot_energy(&s.corot, &s.state, 1.0);
    CHECK(isfinite(after));
    CHECK(after < 0.5 * before);
    end(&s);
}

TEST(grid_corot_cycles_have_the_same_bits_with_any_pool)
{
    double first = 0.0;
    for (int threads = 1; threads <= 3; threads++) {
        pl_error error;
        pl_pool* pool;
        CHECK_OK(pl_pool_create(threads, &pool, &error), &error);
        sample s = start(sample_box_cells(24), true);
        make(&s, true, pool);
        poisson(&s, 0.4);
        place(&s, turn_about(1.0, 2.0, 3.0, 0.7), 1.0, 0.2);
        solve(&s, 1.0, 0.0, 2, NULL);
        double rate;
        solve_kept(&s, 0.0, 3, false, &rate);
        double sum = 0.0;
        for (int i = 0; i < s.lattice.levels[0].field_size; i++)
            for (int a = 0; a < 3; a++) sum = sum * 1.0000001 + s.state.u[a][i];
        if (threads == 1) first = sum;
        CHECK(sum == first);
        end(&s);
        pl_pool_destroy(pool);
    }
}

// moduli over a range of 100: the rate is what it is, but there is one
TEST(grid_uneven_moduli_converge)
{
    for (int rotates = 0; rotates < 2; rotates++) {
        sample s = start(sample_box_cells(16), true);
        make(&s, rotates, NULL);
        poisson(&s, 0.3);
        place(&s, pl_mat3_identity(), 1.0, 0.1);
        double rate;
        CHECK(solve(&s, 1.0, 1e-6, 60, &rate) < 60);
        CHECK(rate < 0.7);
        end(&s);
    }
}

TEST(grid_corot_creation_survives_lost_memory)
{
    sample s = start(sample_ball_cells(5), true);
    for (int n = 1;; n++) {
        pl_error error;
        pl_inject_failure(n);
        pl_status status =
            pl_grid_corot_create(&s.lattice, s.mu, true, s.turn, NULL, &s.corot, &error);
        pl_inject_failure(0);
        if (status == PL_OK) break;
        CHECK(status == PL_ERROR_MEMORY);
        CHECK(n < 200);
    }
    end(&s);
}
