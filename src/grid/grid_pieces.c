// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/memory.h"
#include "grid/grid_body.h"
#include "math/vec3.h"
#include "mesh/disjoint_sets.h"

#include <string.h>

void pl_grid_pieces_free(pl_grid_pieces* p) {
    PL_FREE(p->pieces, pl_grid_piece, p->count);
    PL_FREE(p->of_vertex, int, p->vertex_count);
    PL_FREE(p->of_cell, int, p->cell_room);
    *p = (pl_grid_pieces){0};
}

// joins each cell in use with its lower neighbours; sets: per index of the level
static void join_cells(const pl_grid_level* level, const pl_grid_cells* cells, int* sets) {
    static const int shift[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < level->field_size; i++) sets[i] = i;
    for (int s = 0; s < level->segment_count; s++) {
        const pl_grid_segment* g = &level->segments[s];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++)
            for (int a = 0; a < 3; a++) {
                const int low[3] = {g->x + i - shift[a][0], g->y - shift[a][1], g->z - shift[a][2]};
                if (pl_grid_cell(cells, g->x + i, g->y, g->z) != PL_CELL_EXTERIOR &&
                    pl_grid_cell(cells, low[0], low[1], low[2]) != PL_CELL_EXTERIOR)
                    pl_set_join(sets, g->begin + i, pl_grid_index(level, low[0], low[1], low[2]));
            }
    }
}

// Numbers the sets in level order: sets of cells in use become -1 - piece. Only counts if pieces is
// NULL. Returns the number of pieces.
static int number_sets(const pl_grid_level* level, const pl_grid_cells* cells, int* sets,
                       pl_grid_piece* pieces) {
    int count = 0;
    for (int s = 0; s < level->segment_count; s++) {
        const pl_grid_segment* g = &level->segments[s];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++) {
            if (pl_grid_cell(cells, g->x + i, g->y, g->z) == PL_CELL_EXTERIOR) continue;
            if (!pieces) {
                count += pl_set_root(sets, g->begin + i) == g->begin + i;
                continue;
            }
            // roots come first; numbered ones are negative
            int root = sets[g->begin + i] < 0 ? g->begin + i : sets[g->begin + i];
            if (sets[root] >= 0) {
                pieces[count] = (pl_grid_piece){.cell = {g->x + i, g->y, g->z}};
                sets[root] = -1 - count++;
            }
            pieces[-1 - sets[root]].cell_count++;
        }
    }
    return count;
}

static int piece_at(const pl_grid_level* level, const int* sets, const int cell[3]) {
    int at = pl_grid_index(level, cell[0], cell[1], cell[2]);
    return -1 - (sets[at] < 0 ? sets[at] : sets[sets[at]]);
}

// converts sets to pieces of cells, or -1
static void keep_cells(const pl_grid_level* level, const pl_grid_cells* cells, int* sets) {
    // roots last, because others refer to them
    for (int roots = 0; roots < 2; roots++)
        for (int s = 0; s < level->segment_count; s++) {
            const pl_grid_segment* g = &level->segments[s];
            for (int i = 0; i < g->count * PL_GRID_CHUNK; i++) {
                int* own = &sets[g->begin + i];
                if (roots) *own = -1 - *own;
                else if (*own >= 0)
                    *own = pl_grid_cell(cells, g->x + i, g->y, g->z) != PL_CELL_EXTERIOR
                               ? sets[*own]
                               : 0;
            }
        }
}

pl_status pl_grid_pieces_create(const pl_grid_level* level, const pl_grid_cells* cells,
                                const pl_grid_frame* frame, const double* anchors, int vertex_count,
                                pl_grid_pieces* out, pl_error* error) {
    *out = (pl_grid_pieces){.vertex_count = vertex_count};
    int* sets = PL_ALLOC(int, level->field_size);
    out->of_vertex = PL_ALLOC(int, vertex_count);
    if (sets) {
        join_cells(level, cells, sets);
        out->count = number_sets(level, cells, sets, NULL);
        for (int i = 0; i < level->field_size; i++) sets[i] = pl_set_root(sets, i);
        out->pieces = PL_ALLOC(pl_grid_piece, out->count);
    }
    bool ok = sets && out->pieces && (out->of_vertex || vertex_count == 0);
    if (ok) number_sets(level, cells, sets, out->pieces);
    for (int v = 0; ok && v < vertex_count; v++) {
        int cell[3];
        pl_grid_cell_of(cells, frame, anchors + 3 * (size_t)v, cell);
        out->of_vertex[v] = piece_at(level, sets, cell);
    }
    if (ok && out->count > 1) {
        keep_cells(level, cells, sets);
        out->of_cell = sets, out->cell_room = level->field_size;
    } else PL_FREE(sets, int, level->field_size);
    if (ok) return PL_OK;
    pl_grid_pieces_free(out);
    return pl_fail_memory(error, "the pieces of a lattice");
}

void pl_grid_pieces_reset(pl_grid_pieces* p) {
    for (int k = 0; k < p->count; k++) {
        p->pieces[k].held = false;
        memset(p->pieces[k].force, 0, sizeof p->pieces[k].force);
    }
}

void pl_grid_pieces_hold(pl_grid_pieces* p, int vertex) {
    p->pieces[p->of_vertex[vertex]].held = true;
}

void pl_grid_pieces_push(pl_grid_pieces* p, int piece, const double force[3]) {
    double* sum = p->pieces[piece].force;
    for (int a = 0; a < 3; a++) sum[a] += force[a];
    sum[3] += pl_norm(pl_vec3_load(force));
}

int pl_grid_pieces_find_loose(const pl_grid_pieces* p) {
    for (int k = 0; k < p->count; k++) {
        const pl_grid_piece* piece = &p->pieces[k];
        if (!piece->held && pl_norm(pl_vec3_load(piece->force)) > 1e-6 * piece->force[3]) return k;
    }
    return -1;
}
