// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "grid/grid_lattice.h"
#include "base/memory.h"

// A level with at most this many faces is the coarsest.
enum { BOTTOM_FACES = 500 };

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

static pl_status add_level(pl_grid_lattice* l, const pl_grid_cells* cells, pl_error* error) {
    pl_status status = pl_grid_level_create(cells, &l->levels[l->level_count], error);
    if (status == PL_OK) l->level_count++;
    return status;
}

// Links the chunks of a level to the cells above them.
static pl_status find_parents(pl_grid_level* fine, const pl_grid_level* coarse, pl_error* error) {
    fine->parents =
        pl_alloc_items((size_t)(fine->field_size / PL_GRID_CHUNK), sizeof *fine->parents);
    if (!fine->parents) return pl_fail_memory(error, "the levels of a lattice");
    for (int s = 0; s < fine->segment_count; s++) {
        const pl_grid_segment* g = &fine->segments[s];
        for (int n = 0; n < 9 * g->count; n++) {
            const int c = n / 9, y = pl_grid_halve(g->y) + n % 3 - 1,
                      z = pl_grid_halve(g->z) + n % 9 / 3 - 1,
                      at = pl_grid_index(coarse, pl_grid_halve(g->x + c * PL_GRID_CHUNK), y, z);
            fine->parents[g->begin / PL_GRID_CHUNK + c][n % 9] =
                at >= 0 ? pl_place_of(at) : PL_GRID_NO_PARENT;
        }
    }
    return PL_OK;
}

// Input of the next coarser level: cells and wall distances of the finer one.
typedef struct last_level {
    const pl_grid_cells* cells; // the lattice's, or `own`
    pl_grid_cells own;
    pl_grid_distances distances;
} last_level;

static void replace_last(last_level* last, pl_grid_cells cells, pl_grid_distances distances) {
    pl_grid_cells_free(&last->own);
    pl_grid_distances_free(&last->distances);
    last->own = cells, last->distances = distances;
    last->cells = &last->own;
}

// Adds a level, unless it would have nothing to solve or the last one is better factored.
static pl_status coarsen(pl_grid_lattice* l, last_level* last, bool* more, pl_error* error) {
    pl_grid_cells next = {0};
    pl_grid_distances found = {0};
    bool is_last = false;
    pl_status status = pl_grid_cells_coarsen(last->cells, &next, error);
    if (status == PL_OK) status = pl_grid_thin_is_last(last->cells, &next, &is_last, error);
    *more = status == PL_OK && !is_last && has_faces(&next);
    if (*more) status = add_level(l, &next, error);
    if (*more && status == PL_OK) {
        pl_grid_level* coarse = &l->levels[l->level_count - 1];
        status = pl_grid_find_walls(coarse - 1, last->cells, &last->distances, coarse, &next,
                                    &found, error);
        if (status == PL_OK) status = find_parents(coarse - 1, coarse, error);
    }
    replace_last(last, next, found);
    return status;
}

pl_status pl_grid_lattice_create(const pl_grid_cells* cells, pl_grid_lattice* out,
                                 pl_error* error) {
    *out = (pl_grid_lattice){.levels = PL_ALLOC(pl_grid_level, PL_GRID_MAX_LEVELS)};
    if (!out->levels) return pl_fail_memory(error, "a lattice");
    last_level last = {.cells = cells};
    pl_status status = add_level(out, cells, error);
    for (bool more = true; status == PL_OK && more && out->level_count < PL_GRID_MAX_LEVELS &&
                           out->levels[out->level_count - 1].face_count > BOTTOM_FACES;)
        status = coarsen(out, &last, &more, error);
    pl_grid_cells_free(&last.own);
    pl_grid_distances_free(&last.distances);
    if (status != PL_OK) pl_grid_lattice_free(out);
    return status;
}

void pl_grid_lattice_free(pl_grid_lattice* l) {
    for (int k = 0; k < l->level_count; k++) pl_grid_level_free(&l->levels[k]);
    PL_FREE(l->levels, pl_grid_level, PL_GRID_MAX_LEVELS);
    *l = (pl_grid_lattice){0};
}

// ------------------------------------------------------------------ state

static double** field_of(pl_grid_state* s, int k) {
    double** fields[] = {&s->u[0], &s->u[1], &s->u[2], &s->p, &s->f[0], &s->f[1], &s->f[2], &s->g};
    return fields[k];
}

pl_status pl_grid_state_create(const pl_grid_level* level, pl_grid_state* out, pl_error* error) {
    *out = (pl_grid_state){0};
    for (int k = 0; k < 8; k++) {
        *field_of(out, k) = PL_ALLOC(double, level->field_size);
        if (!*field_of(out, k)) return pl_fail_memory(error, "the state of a lattice");
    }
    return PL_OK;
}

void pl_grid_state_free(const pl_grid_level* level, pl_grid_state* s) {
    for (int k = 0; k < 8; k++) PL_FREE(*field_of(s, k), double, level->field_size);
    *s = (pl_grid_state){0};
}
