// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The discrete equations of method grid, and the kernels against them.
#include "base/random.h"
#include "grid/grid_linear_level.h"
#include "grid_samples.h"
#include "test.h"

#include <stdlib.h>

typedef struct sample {
    pl_grid_cells cells;
    pl_grid_level* layout; // apart, as levels point to it
    pl_grid_linear_level level;
    pl_grid_state state;
} sample;

static sample make_sample(pl_grid_cells cells, double compressibility, double inertia) {
    sample s = {.cells = cells};
    pl_error error;
    s.layout = malloc(sizeof *s.layout);
    CHECK_OK(pl_grid_level_create(&cells, s.layout, &error), &error);
    CHECK_OK(pl_grid_linear_level_create(s.layout, &cells, &s.level, &error), &error);
    CHECK_OK(pl_grid_state_create(s.layout, &s.state, &error), &error);
    pl_grid_linear_level_set_material(&s.level, compressibility, inertia);
    s.state.compressibility = compressibility, s.state.inertia = inertia;
    return s;
}

static void free_sample(sample* s) {
    pl_grid_state_free(s->layout, &s->state);
    pl_grid_linear_level_free(&s->level);
    pl_grid_level_free(s->layout);
    free(s->layout);
    pl_grid_cells_free(&s->cells);
}

static double product(const sample* s, double* const a[3], double* const b[3]) {
    double sum = 0.0;
    for (int i = 0; i < s->layout->field_size; i++)
        for (int c = 0; c < 3; c++) sum += a[c][i] * b[c][i];
    return sum;
}

// L u with substituted pressures, in f of the state
static void apply_substituted(sample* s) {
    pl_grid_substitute(s->layout, &s->state);
    pl_grid_apply(s->layout, &s->state, false, s->state.f);
}

TEST(grid_operator_is_symmetric_and_definite)
{
    sample s = make_sample(sample_ball_cells(6), 0.02, 0.0);
    pl_grid_state other;
    pl_error error;
    CHECK_OK(pl_grid_state_create(s.layout, &other, &error), &error);
    other.compressibility = 0.02;
    for (uint64_t seed = 1; seed < 6; seed++) {
        fill_random(s.layout, &s.state, seed);
        fill_random(s.layout, &other, seed + 100);
        apply_substituted(&s);
        double xLy = product(&s, other.u, s.state.f), xLx = product(&s, s.state.u, s.state.f);
        CHECK(xLx < 0.0);
        CHECK_NEAR(pl_grid_energy(s.layout, &s.state), -0.5 * xLx, 1e-9 * fabs(xLx));
        pl_grid_substitute(s.layout, &other);
        pl_grid_apply(s.layout, &other, false, other.f);
        CHECK_NEAR(product(&s, s.state.u, other.f), xLy, 1e-9 * fabs(xLx));
    }
    pl_grid_state_free(s.layout, &other);
    free_sample(&s);
}

TEST(grid_rigid_motions_cost_nothing)
{
    // no Dirichlet cells: translations and turns of the whole lattice, ghosts included
    pl_grid_cells cells = sample_box_cells(6);
    for (size_t i = 0; i < pl_grid_cells_count(&cells); i++)
        if (cells.kinds[i] == PL_CELL_DIRICHLET) cells.kinds[i] = PL_CELL_INTERIOR;
    sample s = make_sample(cells, 0.1, 0.0);
    for (int k = 0; k < s.layout->segment_count; k++) {
        const pl_grid_segment* g = &s.layout->segments[k];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++) {
            int at = g->begin + i;
            s.state.u[0][at] = 3.0 - 0.5 * (g->y + 0.5) + 0.2 * (g->z + 0.5);
            s.state.u[1][at] = 1.0 + 0.5 * (g->x + i + 0.5) - 0.7 * (g->z + 0.5);
            s.state.u[2][at] = -2.0 - 0.2 * (g->x + i + 0.5) + 0.7 * (g->y + 0.5);
        }
    }
    CHECK_NEAR(pl_grid_energy(s.layout, &s.state), 0.0, 1e-20);
    apply_substituted(&s);
    CHECK_NEAR(product(&s, s.state.f, s.state.f), 0.0, 1e-20);
    free_sample(&s);
}

// the index of a cell far from all boundaries, and its neighbours
static int deep(const sample* s, int i, int j, int k) {
    int index = pl_grid_index(s->layout, 5 + i, 5 + j, 5 + k);
    CHECK(index >= 0);
    return index;
}

static void set_zero(sample* s) {
    for (int i = 0; i < s->layout->field_size; i++) {
        s->state.p[i] = 0.0;
        for (int a = 0; a < 3; a++) s->state.u[a][i] = 0.0;
    }
}

// residual of the pressure equation, up to the sign: div u + eps p
static double pressure_row(const sample* s, int i, int j, int k) {
    double div = s->state.u[0][deep(s, i + 1, j, k)] - s->state.u[0][deep(s, i, j, k)] +
                 s->state.u[1][deep(s, i, j + 1, k)] - s->state.u[1][deep(s, i, j, k)] +
                 s->state.u[2][deep(s, i, j, k + 1)] - s->state.u[2][deep(s, i, j, k)];
    return div + s->state.compressibility * s->state.p[deep(s, i, j, k)];
}

static double laplacian_at(int i, int j, int k) {
    int distance = abs(i) + abs(j) + abs(k);
    return distance == 0 ? -6.0 : distance == 1 ? 1.0 : 0.0;
}

// Eq. 7: with u = M (psi, q), a unit psi is seen by its own positions as a Laplacian and by no
// others
TEST(grid_distributed_operator_is_triangular)
{
    double eps = 0.03, kappa = 0.4;
    sample s = make_sample(sample_box_cells(11), eps, kappa);
    for (int a = 0; a < 3; a++) {
        set_zero(&s);
        int at[3] = {0, 0, 0};
        at[a] = -1;
        s.state.u[a][deep(&s, 0, 0, 0)] = 1.0;
        s.state.p[deep(&s, 0, 0, 0)] = -1.0; // div of the unit
        s.state.p[deep(&s, at[0], at[1], at[2])] = 1.0;
        pl_grid_apply(s.layout, &s.state, false, s.state.f);
        for (int n = 0; n < 27; n++) {
            int i = n % 3 - 1, j = n / 3 % 3 - 1, k = n / 9 - 1, here = deep(&s, i, j, k);
            for (int b = 0; b < 3; b++)
                CHECK_NEAR(s.state.f[b][here], a == b ? laplacian_at(i, j, k) : 0.0, 1e-14);
            double div = pressure_row(&s, i, j, k) - eps * s.state.p[here];
            CHECK_NEAR(pressure_row(&s, i, j, k), (1.0 + eps) * div, 1e-14);
        }
    }
    // q: positions see nothing, pressures a Laplacian
    set_zero(&s);
    for (int a = 0; a < 3; a++) {
        int up[3] = {0, 0, 0};
        up[a] = 1;
        s.state.u[a][deep(&s, 0, 0, 0)] -= 1.0;
        s.state.u[a][deep(&s, up[0], up[1], up[2])] += 1.0;
    }
    for (int n = 0; n < 27; n++) {
        int i = n % 3 - 1, j = n / 3 % 3 - 1, k = n / 9 - 1;
        s.state.p[deep(&s, i, j, k)] = -2.0 * laplacian_at(i, j, k) + (i || j || k ? 0.0 : kappa);
    }
    pl_grid_apply(s.layout, &s.state, false, s.state.f);
    for (int n = 0; n < 27; n++) {
        int i = n % 3 - 1, j = n / 3 % 3 - 1, k = n / 9 - 1, here = deep(&s, i, j, k);
        for (int b = 0; b < 3; b++)
            CHECK_NEAR(s.state.f[b][here] - kappa * s.state.u[b][here], 0.0, 1e-13);
        CHECK_NEAR(pressure_row(&s, i, j, k),
                   -(1.0 + 2.0 * eps) * laplacian_at(i, j, k) + (i || j || k ? 0.0 : eps * kappa),
                   1e-13);
    }
    free_sample(&s);
}

// random values in the level, and the same in the state
static void randomise_level(sample* s) {
    pl_random random = {5};
    fill_random(s->layout, &s->state, 11);
    for (int k = 0; k < s->layout->segment_count; k++) {
        const pl_grid_segment* g = &s->layout->segments[k];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++) {
            int at = g->begin + i, place = pl_place_of(at);
            const pl_grid_masks* m = &s->layout->masks[at / PL_GRID_CHUNK];
            for (int a = 0; a < 3; a++) {
                s->level.u[a][place] = (float)s->state.u[a][at];
                s->state.u[a][at] = s->level.u[a][place];
                bool own = pl_grid_bit(m->face[a], at);
                s->level.f[a][place] = own ? (float)pl_random_uniform(&random, -1, 1) : 0.0f;
                s->state.f[a][at] = s->level.f[a][place];
            }
            s->level.c[place] = 0.0f;
            s->level.g[place] =
                pl_grid_bit(m->interior, at) ? (float)pl_random_uniform(&random, -1, 1) : 0.0f;
            s->state.g[at] = s->level.g[place];
        }
    }
}

// pressures of the state from c of the level, where core cells have c = div - p
static void pressures_from_level(sample* s) {
    for (int k = 0; k < s->layout->segment_count; k++) {
        const pl_grid_segment* g = &s->layout->segments[k];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++) {
            int at = g->begin + i;
            const int up[3] = {at + 1, g->rows[PL_ROW_Y_HIGH] + i, g->rows[PL_ROW_Z_HIGH] + i};
            double p = s->level.c[pl_place_of(at)];
            if (pl_grid_bit(s->layout->masks[at / PL_GRID_CHUNK].core, at)) {
                p = -p;
                for (int a = 0; a < 3; a++)
                    p += s->level.u[a][pl_place_of(up[a])] - s->level.u[a][pl_place_of(at)];
            }
            s->state.p[at] = p;
            for (int a = 0; a < 3; a++) s->state.u[a][at] = s->level.u[a][pl_place_of(at)];
        }
    }
}

TEST(grid_kernels_know_the_operator)
{
    for (int shape = 0; shape < 2; shape++) {
        sample s = make_sample(shape ? sample_ball_cells(8) : sample_box_cells(9), 0.05, 0.3);
        randomise_level(&s);
        pl_grid_linear_level* l = &s.level;
        pl_grid_band_begin(l);
        pl_grid_band_sweep(l);
        pl_grid_band_residual(l);
        pl_grid_band_end(l);
        float* r[4];
        for (int a = 0; a < 4; a++) r[a] = calloc((size_t)l->layout->field_size, sizeof(float));
        pl_grid_store_residual(l, r);
        pressures_from_level(&s);
        pl_grid_residual(l, &s.state, NULL); // writes f and g of the level
        int zero_faces = 0;
        for (int i = 0; i < l->layout->field_size; i++) {
            const pl_grid_masks* m = &l->split[i / PL_GRID_CHUNK];
            for (int a = 0; a < 3; a++)
                if (pl_grid_bit(m->face[a], i)) CHECK_NEAR(r[a][i], l->f[a][i], 2e-5);
            if (pl_grid_bit(m->core, i)) CHECK_NEAR(r[3][i], l->g[i], 1e-5);
            // pressure equations of the band hold exactly
            else if (pl_grid_bit(m->interior, i)) CHECK_NEAR(l->g[i], 0.0, 1e-5);
            zero_faces +=
                pl_grid_bit(m->face[2] & (uint16_t)~m->inner[2], i) && fabsf(r[2][i]) < 1e-5f;
        }
        CHECK(zero_faces > 0); // those that were relaxed last
        for (int a = 0; a < 4; a++) free(r[a]);
        free_sample(&s);
    }
}

TEST(grid_smoothing_keeps_the_solution)
{
    // f and g for which random positions and pressures are the solution: no sweep moves them
    sample s = make_sample(sample_ball_cells(7), 0.05, 0.1);
    fill_random(s.layout, &s.state, 3);
    pl_grid_residual(&s.level, &s.state, NULL);
    pl_grid_linear_level* l = &s.level;
    for (int k = 0; k < l->layout->segment_count; k++) {
        const pl_grid_segment* g = &l->layout->segments[k];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++) {
            int at = g->begin + i, place = pl_place_of(at);
            const int up[3] = {at + 1, g->rows[PL_ROW_Y_HIGH] + i, g->rows[PL_ROW_Z_HIGH] + i};
            double c = -s.state.p[at];
            for (int a = 0; a < 3; a++) {
                l->f[a][place] = -l->f[a][place];
                l->u[a][place] = (float)s.state.u[a][at];
                c += s.state.u[a][up[a]] - s.state.u[a][at];
            }
            l->g[place] = -l->g[place];
            bool core = pl_grid_bit(l->layout->masks[at / PL_GRID_CHUNK].core, at);
            l->c[place] = core ? (float)c : (float)s.state.p[at];
        }
    }
    pl_grid_smooth_interior(l, NULL);
    pl_grid_band_begin(l);
    pl_grid_band_sweep(l);
    pl_grid_band_end(l);
    for (int i = 0; i < l->layout->field_size; i++)
        for (int a = 0; a < 3; a++) CHECK_NEAR(l->u[a][pl_place_of(i)], s.state.u[a][i], 5e-6);
    free_sample(&s);
}
