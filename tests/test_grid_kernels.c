// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Kernels of method grid in the order that is fast against the same kernels one after the other:
// the same bits, for any number of threads.
#include "base/random.h"
#include "grid/grid_linear_level.h"
#include "grid_samples.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

// A body of several slabs of planes: a bar along z, thinner in the middle, one end held, with dense
// chunks, masked ones and walls.
static pl_grid_cells bar_cells(void) {
    const int low[3] = {-4, -3, -40}, size[3] = {56, 12, 112};
    pl_grid_cells cells;
    pl_error error;
    CHECK_OK(pl_grid_cells_create(low, size, &cells, &error), &error);
    for (int k = -40; k < 72; k++)
        for (int j = -3; j < 9; j++)
            for (int i = -4; i < 52; i++) {
                bool thin = k > 10 && k < 30 && (j < 0 || i > 30);
                cells.kinds[pl_grid_cells_index(&cells, i, j, k)] = thin ? PL_CELL_EXTERIOR
                                                                    : k < -37 || i < -2
                                                                        ? PL_CELL_DIRICHLET
                                                                        : PL_CELL_INTERIOR;
            }
    return cells;
}

// A plate of several slabs of planes and several parts of rows, with holes, one side held: sweeps
// meet at planes and at rows.
static pl_grid_cells plate_cells(void) {
    const int low[3] = {1, -5, 3}, size[3] = {20, 78, 70};
    pl_grid_cells cells;
    pl_error error;
    CHECK_OK(pl_grid_cells_create(low, size, &cells, &error), &error);
    for (int k = 3; k < 73; k++)
        for (int j = -5; j < 73; j++)
            for (int i = 1; i < 21; i++) {
                bool hole = (j + 5) % 13 > 8 && (k + 2 * j) % 17 > 13 && i > 6;
                cells.kinds[pl_grid_cells_index(&cells, i, j, k)] = hole    ? PL_CELL_EXTERIOR
                                                                    : i < 3 ? PL_CELL_DIRICHLET
                                                                            : PL_CELL_INTERIOR;
            }
    return cells;
}

typedef struct levels {
    pl_grid_lattice lattice;
    pl_grid_linear mg;
} levels;

static void free_levels(levels* s) {
    pl_grid_linear_free(&s->mg);
    pl_grid_lattice_free(&s->lattice);
}

static void randomise(pl_grid_linear_level* l) {
    pl_random random = {3};
    for (int i = 0; i < l->layout->field_size; i++) {
        const pl_grid_masks* m = &l->split[i / PL_GRID_CHUNK];
        for (int a = 0; a < 3; a++) {
            bool own = pl_grid_bit(m->face[a], i);
            l->u[a][i] = own ? (float)pl_random_uniform(&random, -1, 1) : 0.0f;
            l->f[a][i] = own ? (float)pl_random_uniform(&random, -1, 1) : 0.0f;
        }
        bool own = pl_grid_bit(m->interior, i);
        l->c[i] = own ? (float)pl_random_uniform(&random, -1, 1) : 0.0f;
        l->g[i] = own ? (float)pl_random_uniform(&random, -1, 1) : 0.0f;
    }
}

// takes the cells over
static levels levels_of(pl_grid_cells cells, pl_pool* pool) {
    levels s;
    pl_error error;
    CHECK_OK(pl_grid_lattice_create(&cells, &s.lattice, &error), &error);
    CHECK_OK(pl_grid_linear_create(&s.lattice, &cells, pool, &s.mg, &error), &error);
    pl_grid_linear_update(&s.mg, 0.05, 0.1);
    randomise(&s.mg.levels[0]), randomise(&s.mg.levels[1]);
    pl_grid_cells_free(&cells);
    return s;
}

static levels make_levels(bool plate, pl_pool* pool) {
    return levels_of(plate ? plate_cells() : bar_cells(), pool);
}

static bool same(const pl_grid_linear_level* a, const pl_grid_linear_level* b) {
    size_t size = (size_t)a->layout->field_size * sizeof(float);
    for (int k = 0; k < 3; k++)
        if (memcmp(a->u[k], b->u[k], size)) return false;
    return !memcmp(a->c, b->c, size);
}

// the coarse level has stiff walls, the fine one has none
static void check_interior(bool plate) {
    levels plain = make_levels(plate, NULL);
    for (int l = 0; l < 2; l++) {
        pl_grid_linear_level* level = &plain.mg.levels[l];
        for (int stage = 0; stage < PL_GRID_STAGES; stage++)
            pl_grid_sweep_stage(level, stage, 0, level->layout->size[1] * level->layout->size[2]);
    }
    for (int threads = 1; threads <= 4; threads++) {
        pl_pool* pool;
        pl_error error;
        CHECK_OK(pl_pool_create(threads, &pool, &error), &error);
        levels mg = make_levels(plate, pool);
        for (int l = 0; l < 2; l++) {
            pl_grid_smooth_interior(&mg.mg.levels[l], pool);
            CHECK(same(&mg.mg.levels[l], &plain.mg.levels[l]));
        }
        free_levels(&mg);
        pl_pool_destroy(pool);
    }
    free_levels(&plain);
}

TEST(grid_wavefront_of_the_interior_has_the_bits_of_its_stages)
{
    check_interior(false);
    check_interior(true);
}

// A block between two held walls with a hole at one side: most of it is far from the band.
static pl_grid_cells block_cells(void) {
    const int low[3] = {-2, 0, 0}, size[3] = {52, 22, 40};
    pl_grid_cells cells;
    pl_error error;
    CHECK_OK(pl_grid_cells_create(low, size, &cells, &error), &error);
    for (int k = 0; k < 40; k++)
        for (int j = 0; j < 22; j++)
            for (int i = -2; i < 50; i++) {
                bool hole = i > 4 && i < 9 && j < 4 && k > 20 && k < 26;
                cells.kinds[pl_grid_cells_index(&cells, i, j, k)] = hole ? PL_CELL_EXTERIOR
                                                                    : i < 0 || i >= 48
                                                                        ? PL_CELL_DIRICHLET
                                                                        : PL_CELL_INTERIOR;
            }
    return cells;
}

static bool equal(const pl_grid_linear_level* a, const pl_grid_linear_level* b) {
    for (int i = 0; i < a->layout->field_size; i++)
        if (a->u[0][i] != b->u[0][i] || a->u[1][i] != b->u[1][i] || a->u[2][i] != b->u[2][i] ||
            a->c[i] != b->c[i])
            return false;
    return true;
}

// Zero everywhere, or, where the first sweep has to write it, what no result can hold.
static void forget(pl_grid_linear_level* l, bool all) {
    for (int i = 0; i < l->layout->field_size; i++) {
        float value = !all && l->full[i / PL_GRID_CHUNK] & PL_GRID_DEEP ? 1e30f : 0.0f;
        l->u[0][i] = l->u[1][i] = l->u[2][i] = l->c[i] = value;
    }
}

TEST(grid_first_sweep_needs_no_zeros_deep_inside)
{
    levels plain = levels_of(block_cells(), NULL);
    int deep = 0;
    for (int c = 0; c < plain.mg.levels[0].layout->field_size / PL_GRID_CHUNK; c++)
        deep += (plain.mg.levels[0].full[c] & PL_GRID_DEEP) != 0;
    CHECK(deep > 100);
    for (int l = 0; l < 2; l++) {
        forget(&plain.mg.levels[l], true);
        pl_grid_band_smooth(&plain.mg.levels[l], 1, false, NULL);
        pl_grid_smooth_interior(&plain.mg.levels[l], NULL);
    }
    for (int threads = 1; threads <= 3; threads++) {
        pl_pool* pool;
        pl_error error;
        CHECK_OK(pl_pool_create(threads, &pool, &error), &error);
        levels mg = levels_of(block_cells(), pool);
        for (int l = 0; l < 2; l++) {
            pl_grid_linear_level* level = &mg.mg.levels[l];
            level->c[level->layout->field_size - 1] = 1.0f;
            pl_grid_clear_around(level, pool);
            CHECK(level->c[level->layout->field_size - 1] == 0.0f);
            forget(level, false);
            pl_grid_band_smooth(level, 1, false, pool);
            pl_grid_smooth_interior_first(level, pool);
            CHECK(equal(level, &plain.mg.levels[l]));
        }
        free_levels(&mg);
        pl_pool_destroy(pool);
    }
    free_levels(&plain);
}

static void prolong_rows(int row_begin, int row_end, void* user) {
    pl_grid_linear* mg = user;
    pl_grid_prolong_deep(&mg->levels[0], &mg->levels[1], row_begin, row_end);
}

TEST(grid_prolongation_in_the_sweep_has_the_bits_of_one_before_it)
{
    levels plain = levels_of(block_cells(), NULL);
    const pl_grid_level* layout = plain.mg.levels[0].layout;
    pl_grid_prolong_around(&plain.mg.levels[0], &plain.mg.levels[1], NULL);
    prolong_rows(0, layout->size[1] * layout->size[2], &plain.mg);
    pl_grid_band_smooth(&plain.mg.levels[0], 2, false, NULL);
    pl_grid_smooth_interior(&plain.mg.levels[0], NULL);
    for (int threads = 1; threads <= 3; threads++) {
        pl_pool* pool;
        pl_error error;
        CHECK_OK(pl_pool_create(threads, &pool, &error), &error);
        levels mg = levels_of(block_cells(), pool);
        pl_grid_prolong_around(&mg.mg.levels[0], &mg.mg.levels[1], pool);
        pl_grid_band_smooth(&mg.mg.levels[0], 2, false, pool);
        pl_grid_smooth_interior_arriving(&mg.mg.levels[0], prolong_rows, &mg.mg, pool);
        CHECK(same(&mg.mg.levels[0], &plain.mg.levels[0]));
        free_levels(&mg);
        pl_pool_destroy(pool);
    }
    free_levels(&plain);
}

static void check_band(bool plate) {
    levels plain = make_levels(plate, NULL);
    pl_grid_linear_level* expected = &plain.mg.levels[0];
    pl_grid_band_begin(expected);
    pl_grid_band_sweep(expected), pl_grid_band_sweep(expected);
    pl_grid_band_residual(expected);
    pl_grid_band_end(expected);
    size_t kept = (size_t)expected->band_count * sizeof *expected->band_residual;
    for (int threads = 1; threads <= 4; threads++) {
        pl_pool* pool;
        pl_error error;
        CHECK_OK(pl_pool_create(threads, &pool, &error), &error);
        levels mg = make_levels(plate, pool);
        pl_grid_band_smooth(&mg.mg.levels[0], 2, true, pool);
        CHECK(same(&mg.mg.levels[0], expected));
        CHECK(!memcmp(mg.mg.levels[0].band_residual, expected->band_residual, kept));
        free_levels(&mg);
        pl_pool_destroy(pool);
    }
    free_levels(&plain);
}

TEST(grid_wavefront_of_the_band_has_the_bits_of_its_stages)
{
    check_band(false);
    check_band(true);
}

TEST(grid_residual_is_restricted_as_if_it_were_stored)
{
    levels mg = make_levels(false, NULL);
    pl_grid_linear_level *fine = &mg.mg.levels[0], *coarse = &mg.mg.levels[1];
    size_t size = (size_t)coarse->layout->field_size * sizeof(float);
    float *r[4], *expected[4];
    for (int a = 0; a < 4; a++) {
        r[a] = calloc((size_t)fine->layout->field_size, sizeof(float));
        expected[a] = malloc(size);
    }
    pl_grid_band_smooth(fine, 1, true, NULL);
    pl_grid_store_residual(fine, r);
    const pl_grid_restriction job = pl_grid_linear_restriction(fine, coarse);
    pl_grid_restrict_fields(&job, (const float* const*)r, NULL);
    for (int a = 0; a < 3; a++) memcpy(expected[a], coarse->f[a], size);
    memcpy(expected[3], coarse->g, size);
    pl_pool* pool;
    pl_error error;
    CHECK_OK(pl_pool_create(3, &pool, &error), &error);
    pl_grid_restrict_residual(fine, coarse, pool);
    for (int a = 0; a < 3; a++) CHECK(!memcmp(expected[a], coarse->f[a], size));
    CHECK(!memcmp(expected[3], coarse->g, size));
    // by hand, at a coarse face across x in the middle of the body
    int at = pl_grid_index(coarse->layout, 5, 1, 3);
    CHECK(pl_grid_bit(coarse->layout->masks[at / PL_GRID_CHUNK].face[0], at));
    CHECK(pl_grid_bit(coarse->split[at / PL_GRID_CHUNK].face[0], pl_place_of(at)));
    double sum = 0.0;
    for (int n = 0; n < 12; n++) {
        int i = pl_grid_index(fine->layout, 9 + n % 3, 2 + n / 3 % 2, 6 + n / 6);
        sum += (n % 3 == 1 ? 0.5 : 0.25) * r[0][pl_place_of(i)];
    }
    CHECK_NEAR(coarse->f[0][pl_place_of(at)], sum, 1e-5);
    for (int a = 0; a < 4; a++) free(r[a]), free(expected[a]);
    free_levels(&mg);
    pl_pool_destroy(pool);
}

static pl_cell kind_beside(const pl_grid_cells* c, const int at[3], int a, int step) {
    int to[3] = {at[0], at[1], at[2]};
    to[a] += step;
    return pl_grid_cell(c, to[0], to[1], to[2]);
}

static bool is_core(const pl_grid_cells* c, const int at[3]) {
    bool core = pl_grid_cell(c, at[0], at[1], at[2]) == PL_CELL_INTERIOR;
    for (int n = 0; n < 6; n++)
        core = core && kind_beside(c, at, n / 2, n % 2 ? 1 : -1) != PL_CELL_EXTERIOR;
    return core;
}

// one cell by the words of section 5.1 and 5.3
static void check_masks(const pl_grid_cells* c, const pl_grid_masks* m, const int at[3], int i) {
    pl_cell own = pl_grid_cell(c, at[0], at[1], at[2]);
    bool interior = own == PL_CELL_INTERIOR, core = is_core(c, at), rim = false;
    CHECK(pl_grid_bit(m->interior, i) == interior);
    CHECK(pl_grid_bit(m->dirichlet, i) == (own == PL_CELL_DIRICHLET));
    CHECK(pl_grid_bit(m->core, i) == core);
    for (int a = 0; a < 3; a++) {
        pl_cell low = kind_beside(c, at, a, -1), high = kind_beside(c, at, a, 1);
        int below[3] = {at[0], at[1], at[2]}, above[3] = {at[0], at[1], at[2]};
        below[a]--, above[a]++;
        CHECK(pl_grid_bit(m->face[a], i) == (interior && low == PL_CELL_INTERIOR));
        CHECK(pl_grid_bit(m->inner[a], i) == (core && is_core(c, below)));
        CHECK(pl_grid_bit(m->stress[a], i) == (interior && low && high));
        rim = rim || (low == PL_CELL_INTERIOR && !is_core(c, below)) ||
              (high == PL_CELL_INTERIOR && !is_core(c, above));
        int one[3] = {at[0], at[1], at[2]};
        one[(a + 1) % 3]--;
        CHECK(pl_grid_bit(m->edge[a], i) ==
              (own && pl_grid_cell(c, one[0], one[1], one[2]) &&
               kind_beside(c, at, (a + 2) % 3, -1) && kind_beside(c, one, (a + 2) % 3, -1)));
    }
    CHECK(pl_grid_bit(m->rim, i) == (core && rim));
}

TEST(grid_places_of_neighbours_along_x)
{
    for (int index = PL_GRID_CHUNK; index < 4 * PL_GRID_CHUNK; index++) {
        const int place = pl_place_of(index);
        CHECK_INT(place / PL_GRID_CHUNK, index / PL_GRID_CHUNK);
        CHECK_INT(place % PL_GRID_CHUNK >= PL_GRID_CHUNK / 2, index % 2); // a colour is a half
        CHECK_INT(pl_place_above(place), pl_place_of(index + 1));
        CHECK_INT(pl_place_below(place), pl_place_of(index - 1));
    }
}

TEST(grid_masks_are_what_the_cells_say)
{
    for (int shape = 0; shape < 2; shape++) {
        pl_grid_cells cells = shape ? sample_ball_cells(9) : bar_cells();
        pl_grid_level level;
        pl_grid_linear_level linear;
        pl_error error;
        CHECK_OK(pl_grid_level_create(&cells, &level, &error), &error);
        CHECK_OK(pl_grid_linear_level_create(&level, &cells, &linear, &error), &error);
        for (int k = 0; k < level.segment_count; k++) {
            const pl_grid_segment* g = &level.segments[k];
            for (int i = 0; i < g->count * PL_GRID_CHUNK; i++) {
                const int at = g->begin + i, cell[3] = {g->x + i, g->y, g->z};
                check_masks(&cells, &level.masks[at / PL_GRID_CHUNK], cell, at);
                check_masks(&cells, &linear.split[at / PL_GRID_CHUNK], cell, pl_place_of(at));
            }
        }
        pl_grid_linear_level_free(&linear);
        pl_grid_level_free(&level);
        pl_grid_cells_free(&cells);
    }
}
