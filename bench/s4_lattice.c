// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "s4_lattice.h"
#include "base/random.h"
#include "bench_meshes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

pl_status s4_bar_cells(int length, int width, pl_grid_cells* out, pl_error* error) {
    const int low[3] = {-2, 0, 0}, size[3] = {length + 4, width, width};
    pl_status status = pl_grid_cells_create(low, size, out, error);
    for (int k = 0; status == PL_OK && k < width; k++)
        for (int j = 0; j < width; j++)
            for (int i = -2; i < length + 2; i++)
                out->kinds[pl_grid_cells_index(out, i, j, k)] =
                    i < 0 || i >= length ? PL_CELL_DIRICHLET : PL_CELL_INTERIOR;
    return status;
}
pl_status s4_box_cells(int n, pl_grid_cells* out, pl_error* error) {
    return s4_bar_cells(n, n, out, error);
}

static const char ARMADILLO[] = "surfaces/armadillo_43k.obj.gz";

// x and y as parts of the bounding box. The hands of the armadillo are above 0.6, those of the bear
// between 0.4 and 0.6.
static bool is_hand_or_foot(double x, double y) {
    return y < 0.06 || (y > 0.4 && (x < 0.08 || x > 0.92));
}

static void hold_limbs(pl_grid_cells* c) {
    uint8_t* kind = c->kinds;
    for (int k = 0; k < c->size[2]; k++)
        for (int j = 0; j < c->size[1]; j++)
            for (int i = 0; i < c->size[0]; i++, kind++)
                if (*kind == PL_CELL_INTERIOR &&
                    is_hand_or_foot((i + 0.5) / c->size[0], (j + 0.5) / c->size[1]))
                    *kind = PL_CELL_DIRICHLET;
}

pl_status s4_armadillo_cells(bench* b, double cell, pl_pool* pool, pl_grid_frame* frame,
                             pl_grid_cells* out, pl_error* error) {
    pl_mesh* mesh;
    *frame = (pl_grid_frame){.cell = cell};
    pl_status status = bench_surface_mesh(b, ARMADILLO, &mesh, error);
    if (status != PL_OK) return status;
    status = pl_grid_voxelise(mesh, 0, pool, frame, out, NULL, error);
    pl_mesh_destroy(mesh);
    if (status == PL_OK) hold_limbs(out);
    return status;
}

static int used_cells(const pl_grid_cells* c) {
    int count = 0;
    for (size_t i = 0; i < pl_grid_cells_count(c); i++) count += c->kinds[i] != PL_CELL_EXTERIOR;
    return count;
}

static double height_of(const pl_mesh* mesh) {
    double low = INFINITY, high = -INFINITY;
    for (int v = 0; v < mesh->vertex_count; v++) {
        low = fmin(low, mesh->positions[3 * v + 1]);
        high = fmax(high, mesh->positions[3 * v + 1]);
    }
    return high - low;
}

// Voxelised twice: the count grows with the cube of the height in cells, and a little slower as
// surface cells count whole.
pl_status s4_armadillo_cell(bench* b, int count, pl_pool* pool, double* cell, pl_error* error) {
    pl_mesh* mesh;
    pl_status status = bench_surface_mesh(b, ARMADILLO, &mesh, error);
    if (status != PL_OK) return status;
    *cell = height_of(mesh) / 64.0;
    for (int n = 0; status == PL_OK && n < 2; n++) {
        pl_grid_frame frame = {.cell = *cell};
        pl_grid_cells cells = {0};
        status = pl_grid_voxelise(mesh, 0, pool, &frame, &cells, NULL, error);
        if (status == PL_OK) *cell *= cbrt(used_cells(&cells) / (double)count);
        pl_grid_cells_free(&cells);
    }
    pl_mesh_destroy(mesh);
    return status;
}

pl_status s4_lattice_create(pl_grid_cells* cells, s4_lattice* out, pl_error* error) {
    *out = (s4_lattice){.cells = *cells};
    *cells = (pl_grid_cells){0};
    pl_status status = pl_pool_create(0, &out->pool, error);
    if (status == PL_OK) status = pl_grid_lattice_create(&out->cells, &out->levels, error);
    if (status == PL_OK)
        status = pl_grid_linear_create(&out->levels, &out->cells, out->pool, &out->mg, error);
    if (status == PL_OK) status = pl_grid_state_create(&out->levels.levels[0], &out->state, error);
    if (status == PL_OK)
        status =
            pl_grid_recombine_create(&out->levels.levels[0], PL_GRID_HISTORY, &out->history, error);
    if (status != PL_OK) s4_lattice_free(out);
    return status;
}

void s4_lattice_free(s4_lattice* lattice) {
    pl_grid_recombine_free(&lattice->history);
    if (lattice->levels.level_count)
        pl_grid_state_free(&lattice->levels.levels[0], &lattice->state);
    pl_grid_linear_free(&lattice->mg);
    pl_grid_lattice_free(&lattice->levels);
    pl_grid_cells_free(&lattice->cells);
    pl_pool_destroy(lattice->pool);
    *lattice = (s4_lattice){0};
}

void s4_set_material(s4_lattice* lattice, double poisson, double inertia) {
    lattice->state.compressibility = (1.0 - 2.0 * poisson) / (2.0 * poisson);
    lattice->state.inertia = inertia;
    pl_grid_linear_update(&lattice->mg, lattice->state.compressibility, inertia);
}

void s4_start_random(s4_lattice* lattice, uint64_t seed) {
    const pl_grid_level* fine = &lattice->levels.levels[0];
    pl_random random = {seed};
    for (int i = 0; i < fine->field_size; i++)
        for (int a = 0; a < 3; a++)
            lattice->state.u[a][i] = pl_grid_bit(fine->masks[i / PL_GRID_CHUNK].face[a], i)
                                         ? pl_random_uniform(&random, -0.5, 0.5)
                                         : 0.0;
    pl_grid_substitute(fine, &lattice->state);
}

// whether one of the two cells of a face is held
static bool is_held(const pl_grid_cells* c, const int at[3], int a) {
    int low[3] = {at[0], at[1], at[2]};
    low[a]--;
    return pl_grid_cell(c, at[0], at[1], at[2]) == PL_CELL_DIRICHLET ||
           pl_grid_cell(c, low[0], low[1], low[2]) == PL_CELL_DIRICHLET;
}

void s4_start_pulled(s4_lattice* lattice, double amount) {
    const pl_grid_level* fine = &lattice->levels.levels[0];
    const pl_grid_cells* c = &lattice->cells;
    for (int s = 0; s < fine->segment_count; s++) {
        const pl_grid_segment* g = &fine->segments[s];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++)
            for (int a = 0; a < 3; a++) {
                int at[3] = {g->x + i, g->y, g->z};
                double side = 2 * (at[0] - c->low[0]) < c->size[0] ? -0.5 : 0.5;
                lattice->state.u[a][g->begin + i] =
                    a == 0 && is_held(c, at, a) ? side * amount : 0.0;
            }
    }
    pl_grid_substitute(fine, &lattice->state);
}

// Of hands and feet: a motion in parts of the body's height, and a turn about an axis along y.
typedef struct limb {
    double shift[3], turn;     // [rad]
    double middle_x, middle_z; // of the turn, as parts of the bounding box
} limb;
static const limb limbs[] = {{{-0.21, 0.17, 0.04}, 0.0, 0.0, 0.0},
                             {{0.21, 0.25, 0.0}, 0.0, 0.0, 0.0},
                             {{-0.125, -0.083, -0.083}, 0.7, 0.29, 0.4},
                             {{0.125, -0.083, 0.083}, -0.7, 0.8, 0.4}};

// where a held face of a limb goes, along its axis
static double limb_motion(const pl_grid_cells* c, const double x[3], int a, double part) {
    int n = (x[1] - c->low[1] < 0.5 * c->size[1] ? 2 : 0) +
            (x[0] - c->low[0] > 0.5 * c->size[0] ? 1 : 0);
    double t = part * limbs[n].turn;
    double dx = x[0] - c->low[0] - limbs[n].middle_x * c->size[0];
    double dz = x[2] - c->low[2] - limbs[n].middle_z * c->size[2];
    const double turned[3] = {(cos(t) - 1.0) * dx + sin(t) * dz, 0.0,
                              (cos(t) - 1.0) * dz - sin(t) * dx};
    return turned[a] + part * c->size[1] * limbs[n].shift[a];
}

void s4_move_limbs(s4_lattice* lattice, double part) {
    const pl_grid_level* fine = &lattice->levels.levels[0];
    for (int s = 0; s < fine->segment_count; s++) {
        const pl_grid_segment* g = &fine->segments[s];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++)
            for (int a = 0; a < 3; a++) {
                int at[3] = {g->x + i, g->y, g->z};
                double x[3] = {at[0] + 0.5, at[1] + 0.5, at[2] + 0.5};
                x[a] -= 0.5;
                if (is_held(&lattice->cells, at, a))
                    lattice->state.u[a][g->begin + i] = limb_motion(&lattice->cells, x, a, part);
            }
    }
}

double s4_largest_motion(const s4_lattice* lattice) {
    const pl_grid_level* fine = &lattice->levels.levels[0];
    double most = 0.0;
    for (int s = 0; s < fine->segment_count; s++) {
        const pl_grid_segment* g = &fine->segments[s];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++)
            for (int a = 0; a < 3; a++) {
                int at[3] = {g->x + i, g->y, g->z};
                if (is_held(&lattice->cells, at, a))
                    most = fmax(most, fabs(lattice->state.u[a][g->begin + i]));
            }
    }
    return most;
}

void s4_run_cycles(s4_lattice* lattice, int cycles, bool recombine, double* residuals) {
    pl_grid_linear_level* fine = &lattice->mg.levels[0];
    pl_grid_recombine_reset(&lattice->history);
    const pl_grid_iteration it = pl_grid_linear_iteration(&lattice->mg, &lattice->state);
    residuals[0] = pl_grid_residual(fine, &lattice->state, lattice->pool);
    for (int k = 1; k <= cycles; k++) {
        pl_grid_recombined unused;
        if (recombine) pl_grid_recombine_cycle(&lattice->history, &it, INFINITY, &unused);
        else {
            pl_grid_linear_cycle(&lattice->mg);
            pl_grid_correct(fine, &lattice->state, lattice->pool);
        }
        residuals[k] = pl_grid_residual(fine, &lattice->state, lattice->pool);
    }
}

double s4_rate(const double* residuals, int from, int to) {
    return pow(residuals[to] / residuals[from], 1.0 / (to - from));
}
