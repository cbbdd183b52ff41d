// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "grid/grid_multigrid.h"
#include "base/timer.h"
#include "grid/grid_smooth.h"
#include "multigrid/mg_cycle.h"

#include <math.h>
#include <string.h>

enum { BOTTOM_FACES = 500 };
// Below this a second thread brings less than it costs to wake it, as it sleeps while coarser
// levels are at work: 32^3 cells take 1.6 ms with one and 2.1 ms with two.
enum { SERIAL_CELLS = 50000 };
// Levels of which a larger share is thin but not solved exactly get so many times the sweeps of the
// boundary, which is most of them: plates of 128 x 4 x 128 cells then need 11 cycles. With the
// usual sweeps cycles diverge there.
static const double MAX_LEFT_SHARE = 0.25;
enum { THIN_SWEEPS = 8 };

static pl_pool* pool_of(const pl_grid_multigrid* mg, int l) {
    return mg->levels[l].cell_count < SERIAL_CELLS ? NULL : mg->pool;
}

static pl_status add_level(pl_grid_multigrid* mg, const pl_grid_cells* cells, pl_error* error) {
    int l = mg->level_count;
    pl_status status = pl_grid_level_create(cells, true, &mg->levels[l], error);
    if (status != PL_OK) return status;
    mg->level_count++;
    if (l == 0) return PL_OK;
    status = pl_grid_transfer_create(&mg->levels[l - 1], &mg->levels[l], mg->pool,
                                     &mg->transfers[l - 1], error);
    return status == PL_OK ? pl_grid_relocated_create(&mg->levels[l - 1], &mg->levels[l],
                                                      &mg->relocated[l - 1], error)
                           : status;
}

// whether a lattice has a face between two interior cells
static bool has_faces(const pl_grid_cells* c) {
    for (int k = c->low[2]; k < c->low[2] + c->size[2]; k++)
        for (int j = c->low[1]; j < c->low[1] + c->size[1]; j++)
            for (int i = c->low[0]; i < c->low[0] + c->size[0]; i++)
                if (pl_grid_cell(c, i, j, k) == PL_CELL_INTERIOR &&
                    (pl_grid_cell(c, i - 1, j, k) == PL_CELL_INTERIOR ||
                     pl_grid_cell(c, i, j - 1, k) == PL_CELL_INTERIOR ||
                     pl_grid_cell(c, i, j, k - 1) == PL_CELL_INTERIOR))
                    return true;
    return false;
}

// coarser levels, until one is small or the next would have nothing to solve
static pl_status add_levels(pl_grid_multigrid* mg, const pl_grid_cells* cells, bool layout_only,
                            pl_error* error) {
    pl_status status = add_level(mg, cells, error);
    pl_grid_cells above = {0};
    pl_grid_distances distances = {0};
    while (status == PL_OK && mg->level_count < PL_GRID_MAX_LEVELS &&
           mg->levels[mg->level_count - 1].face_count > BOTTOM_FACES) {
        pl_grid_cells next = {0};
        const pl_grid_cells* fine = mg->level_count == 1 ? cells : &above;
        status = pl_grid_cells_coarsen(fine, &next, error);
        bool last = false;
        if (status == PL_OK) status = pl_grid_thin_is_last(fine, &next, &last, error);
        bool more = status == PL_OK && !last && has_faces(&next);
        if (more) status = add_level(mg, &next, error);
        if (more && status == PL_OK && !layout_only)
            status = pl_grid_thin_create(fine, &mg->levels[mg->level_count - 2],
                                         &mg->thin[mg->level_count - 2], error);
        pl_grid_distances found = {0};
        if (more && status == PL_OK)
            status = pl_grid_find_walls(&mg->levels[mg->level_count - 2], fine, &distances,
                                        &mg->levels[mg->level_count - 1], &next, &found, error);
        pl_grid_distances_free(&distances);
        distances = found;
        pl_grid_cells_free(&above);
        above = next;
        if (!more) break;
    }
    pl_grid_distances_free(&distances);
    pl_grid_cells_free(&above);
    return status;
}

static pl_status create(const pl_grid_cells* cells, pl_pool* pool, bool layout_only,
                        pl_grid_multigrid* out, pl_error* error) {
    *out = (pl_grid_multigrid){
        .band_sweeps = 2, .relocated_sweeps = 2, .inner_cycles = 1, .pool = pool};
    pl_status status = add_levels(out, cells, layout_only, error);
    if (status == PL_OK && !layout_only)
        status = pl_grid_bottom_create(&out->levels[out->level_count - 1], &out->bottom, error);
    if (status != PL_OK) pl_grid_multigrid_free(out);
    return status;
}

pl_status pl_grid_multigrid_create(const pl_grid_cells* cells, pl_pool* pool,
                                   pl_grid_multigrid* out, pl_error* error) {
    return create(cells, pool, false, out, error);
}
pl_status pl_grid_multigrid_create_layout(const pl_grid_cells* cells, pl_pool* pool,
                                          pl_grid_multigrid* out, pl_error* error) {
    return create(cells, pool, true, out, error);
}

pl_status pl_grid_multigrid_reserve(pl_grid_multigrid* mg, pl_error* error) {
    pl_status status = pl_grid_bottom_reserve(&mg->bottom, error);
    for (int l = 0; status == PL_OK && l < mg->level_count; l++)
        status = pl_grid_factor_reserve(&mg->thin[l].factor, error);
    return status;
}

void pl_grid_multigrid_free(pl_grid_multigrid* mg) {
    for (int l = 0; l < PL_GRID_MAX_LEVELS; l++) {
        pl_grid_level_free(&mg->levels[l]);
        pl_grid_transfer_free(&mg->transfers[l]);
        pl_grid_relocated_free(&mg->relocated[l]);
        pl_grid_thin_free(&mg->thin[l]);
        pl_grid_inner_free(&mg->inner[l]);
    }
    pl_grid_bottom_free(&mg->bottom);
    *mg = (pl_grid_multigrid){0};
}

pl_status pl_grid_multigrid_set_inner(pl_grid_multigrid* mg, int cycles, pl_error* error) {
    for (int l = 1; l + 1 < mg->level_count; l++) {
        pl_status status = pl_grid_inner_create(&mg->levels[l], cycles, &mg->inner[l], error);
        if (status != PL_OK) return status;
    }
    mg->inner_cycles = cycles;
    return PL_OK;
}

void pl_grid_multigrid_set_material(pl_grid_multigrid* mg, double compressibility, double inertia) {
    for (int l = 0; l < mg->level_count; l++) {
        pl_grid_level_set_material(&mg->levels[l], compressibility, inertia * pow(4.0, l));
        pl_grid_thin_update(&mg->thin[l], &mg->levels[l], mg->pool);
    }
    pl_grid_bottom_update(&mg->bottom, &mg->levels[mg->level_count - 1], mg->pool);
}

void pl_grid_multigrid_set_stiffness(pl_grid_multigrid* mg, double compressibility, double inertia,
                                     double* const stiffness[3]) {
    // restricted like a residual of positions, by way of u and f, which cycles set anew
    pl_grid_level* fine = &mg->levels[0];
    for (int i = 0; i < fine->field_size; i++) {
        fine->c[i] = 0.0f;
        for (int a = 0; a < 3; a++) fine->u[a][pl_place_of(i)] = (float)stiffness[a][i];
    }
    pl_grid_level_set_stiffness(fine, fine->u);
    const float* source[4] = {fine->u[0], fine->u[1], fine->u[2], fine->c};
    for (int l = 0; l + 1 < mg->level_count; l++) {
        pl_grid_level* next = &mg->levels[l + 1];
        pl_grid_restrict(&mg->transfers[l], &mg->levels[l], source, next, mg->pool);
        pl_grid_level_set_stiffness(next, next->f);
        for (int a = 0; a < 3; a++) source[a] = next->f[a];
        source[3] = next->g;
    }
    pl_grid_multigrid_set_material(mg, compressibility, inertia);
}

// ------------------------------------------------------------------ cycle

// Boundary, interior, boundary, with more sweeps of the boundary on the side of the coarser level.
// With 1, 2 and then 2, 1 of them the rates of the bench's box are 0.260, 0.272, 0.276 for nu =
// 0.2, 0.49, 0.4999, with 2 throughout 0.259, 0.270, 0.271.
static int near_sweeps(const pl_grid_multigrid* mg, int l) {
    const bool thin = mg->thin[l].left_share > MAX_LEFT_SHARE;
    return (thin ? THIN_SWEEPS : 1) * mg->band_sweeps;
}
static int far_sweeps(const pl_grid_multigrid* mg, int l) { return (near_sweeps(mg, l) + 1) / 2; }

// what has passed since *start counts for a phase
static void add_seconds(pl_grid_multigrid* mg, pl_grid_phase phase, double* start) {
    double now = pl_seconds();
    mg->seconds[phase] += now - *start;
    *start = now;
}

static void smooth_band(pl_grid_multigrid* mg, int l, int sweeps, bool keeps_residual) {
    double start = pl_seconds();
    pl_grid_band_smooth(&mg->levels[l], sweeps, keeps_residual, pool_of(mg, l));
    add_seconds(mg, PL_GRID_BOUNDARY, &start);
}

// where boundaries are relocated on the coarser level, and thin parts
static void smooth_near(pl_grid_multigrid* mg, int l) {
    pl_grid_relocated_smooth(&mg->relocated[l], &mg->levels[l], mg->relocated_sweeps);
    pl_grid_thin_solve(&mg->thin[l], &mg->levels[l]);
}

static void pre_smooth(void* user, int l) {
    pl_grid_multigrid* mg = user;
    double start = pl_seconds();
    pl_grid_clear_around(&mg->levels[l], pool_of(mg, l));
    add_seconds(mg, PL_GRID_OTHER, &start);
    smooth_band(mg, l, far_sweeps(mg, l), false);
    start = pl_seconds();
    pl_grid_smooth_interior_first(&mg->levels[l], pool_of(mg, l));
    smooth_near(mg, l);
    add_seconds(mg, PL_GRID_INTERIOR, &start);
    smooth_band(mg, l, near_sweeps(mg, l), true);
}

static void restrict_residual(void* user, int l) {
    pl_grid_multigrid* mg = user;
    double start = pl_seconds();
    pl_grid_restrict_residual(&mg->transfers[l], &mg->levels[l], &mg->levels[l + 1],
                              pool_of(mg, l));
    pl_grid_relocated_restrict(&mg->relocated[l], &mg->levels[l], &mg->levels[l + 1]);
    add_seconds(mg, PL_GRID_RESTRICTION, &start);
}

static void prolong_add(void* user, int l) {
    pl_grid_multigrid* mg = user;
    double start = pl_seconds();
    pl_grid_fill_ghosts(&mg->levels[l + 1], pool_of(mg, l + 1));
    pl_grid_prolong_around(&mg->transfers[l], &mg->levels[l], &mg->levels[l + 1], pool_of(mg, l));
    pl_grid_relocated_prolong(&mg->relocated[l], &mg->levels[l], &mg->levels[l + 1]);
    add_seconds(mg, PL_GRID_PROLONGATION, &start);
}

typedef struct deep_rows {
    const pl_grid_multigrid* mg;
    int l;
} deep_rows;
static void prolong_rows(int row_begin, int row_end, void* user) {
    const deep_rows* d = user;
    const pl_grid_level* levels = d->mg->levels;
    pl_grid_prolong_deep(&d->mg->transfers[d->l], (pl_grid_level*)&levels[d->l], &levels[d->l + 1],
                         row_begin, row_end);
}

// the prolongation inside goes with the sweep that reads it
static void post_smooth(void* user, int l) {
    pl_grid_multigrid* mg = user;
    smooth_band(mg, l, near_sweeps(mg, l), false);
    double start = pl_seconds();
    deep_rows rows = {mg, l};
    pl_grid_smooth_interior_arriving(&mg->levels[l], prolong_rows, &rows, pool_of(mg, l));
    smooth_near(mg, l);
    add_seconds(mg, PL_GRID_INTERIOR, &start);
    smooth_band(mg, l, far_sweeps(mg, l), mg->inner_cycles > 1);
}

static void solve_bottom(pl_grid_multigrid* mg, int l) {
    pl_grid_level* level = &mg->levels[l];
    double start = pl_seconds();
    pl_grid_bottom_solve(&mg->bottom, level);
    add_seconds(mg, PL_GRID_EXACT, &start);
}

static void cycle(void* user, int l);

// the level below one that is being smoothed
static void solve_next(void* user, int l) {
    pl_grid_multigrid* mg = user;
    if (l == mg->level_count - 1) solve_bottom(mg, l);
    else
        pl_grid_inner_solve(&mg->inner[l], &mg->levels[l], mg->inner_cycles, cycle, mg, l,
                            pool_of(mg, l));
}

static void cycle(void* user, int l) {
    static const pl_mg_operators operators = {pre_smooth, restrict_residual, prolong_add,
                                              post_smooth, solve_next};
    const pl_grid_multigrid* mg = user;
    pl_mg_cycle(&operators, user, l, l + 2 < mg->level_count ? l + 2 : mg->level_count);
}

void pl_grid_multigrid_cycle(pl_grid_multigrid* mg) { cycle(mg, 0); }
