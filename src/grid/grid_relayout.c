// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/memory.h"
#include "grid/grid_body.h"

#include <string.h>

enum { MAX_FIELDS = 48 };

typedef struct field {
    void** values;
    size_t item;
} field;

// all fields of a body that have one value per index of its finest level
static int list_fields(pl_grid_body* b, field out[MAX_FIELDS]) {
    int count = 0;
    for (int a = 0; a < 3; a++) {
        double** const doubles[] = {&b->state.u[a],       &b->state.f[a], &b->velocity[a],
                                    &b->before[a],        &b->applied[a], &b->past[a],
                                    &b->past_velocity[a], &b->guess[a]};
        for (size_t k = 0; k < sizeof doubles / sizeof doubles[0]; k++)
            out[count++] = (field){(void**)doubles[k], sizeof(double)};
        out[count++] = (field){(void**)&b->more_mass[a], sizeof(float)};
    }
    out[count++] = (field){(void**)&b->state.p, sizeof(double)};
    out[count++] = (field){(void**)&b->state.g, sizeof(double)};
    out[count++] = (field){(void**)&b->pressure_before, sizeof(double)};
    out[count++] = (field){(void**)&b->turn, sizeof(pl_quat)};
    out[count++] = (field){(void**)&b->turn_before, sizeof(pl_quat)};
    out[count++] = (field){(void**)&b->guess_pressure, sizeof(double)};
    out[count++] = (field){(void**)&b->guess_turn, sizeof(pl_quat)};
    out[count++] = (field){(void**)&b->moduli, sizeof(float)};
    out[count++] = (field){(void**)&b->fractions, sizeof(float)};
    out[count++] = (field){(void**)&b->cell_mass, sizeof(float)};
    out[count++] = (field){(void**)&b->held, sizeof(int)};
    out[count++] = (field){(void**)&b->next_held, sizeof(int)};
    out[count++] = (field){(void**)&b->pieces.of_cell, sizeof(int)};
    return count;
}

static bool same_layout(const pl_grid_level* a, const pl_grid_level* b) {
    if (a->field_size != b->field_size || a->segment_count != b->segment_count) return false;
    for (int s = 0; s < a->segment_count; s++) {
        const pl_grid_segment *g = &a->segments[s], *h = &b->segments[s];
        if (g->begin != h->begin || g->count != h->count || g->x != h->x || g->y != h->y ||
            g->z != h->z)
            return false;
    }
    return true;
}

// new cells have no rotation, relative modulus and mass 1, and belong to no piece
static void set_new(pl_grid_body* b, const pl_grid_level* to, const pl_grid_level* from) {
    for (int s = 0; s < to->segment_count; s++) {
        const pl_grid_segment* g = &to->segments[s];
        for (int c = 0; c < g->count * PL_GRID_CHUNK; c += PL_GRID_CHUNK) {
            if (pl_grid_index(from, g->x + c, g->y, g->z) >= 0) continue;
            for (int i = g->begin + c; i < g->begin + c + PL_GRID_CHUNK; i++) {
                if (b->turn) b->turn[i] = b->turn_before[i] = (pl_quat){0.0, 0.0, 0.0, 1.0};
                if (b->moduli) b->moduli[i] = 1.0f;
                if (b->fractions) b->fractions[i] = 1.0f;
                if (b->cell_mass) b->cell_mass[i] = 1.0f;
                if (b->pieces.of_cell) b->pieces.of_cell[i] = -1;
            }
        }
    }
}

static void move_field(const pl_grid_level* from, const pl_grid_level* to, const char* old,
                       char* now, size_t item) {
    for (int s = 0; s < from->segment_count; s++) {
        const pl_grid_segment* g = &from->segments[s];
        for (int c = 0; c < g->count * PL_GRID_CHUNK; c += PL_GRID_CHUNK) {
            const int at = pl_grid_index(to, g->x + c, g->y, g->z);
            if (at >= 0)
                memcpy(now + (size_t)at * item, old + (size_t)(g->begin + c) * item,
                       PL_GRID_CHUNK * item);
        }
    }
}

// current positions of the chunks of the first layout
static void find_chunks(pl_grid_body* b, const pl_grid_level* level) {
    for (int k = 0; k < b->first_chunk_count; k++) {
        pl_grid_chunk_place* c = &b->first_chunks[k];
        c->at = pl_grid_index(level, c->x, c->y, c->z);
    }
}

pl_status pl_grid_note_layout(pl_grid_body* b, pl_error* error) {
    const pl_grid_level* l = &b->lattice.levels[0];
    int count = 0;
    for (int s = 0; s < l->segment_count; s++) count += l->segments[s].count;
    b->first_chunks = PL_ALLOC(pl_grid_chunk_place, count);
    if (!b->first_chunks && count) return pl_fail_memory(error, "the layout of a lattice");
    b->first_chunk_count = count;
    count = 0;
    for (int s = 0; s < l->segment_count; s++) {
        const pl_grid_segment* g = &l->segments[s];
        for (int c = 0; c < g->count; c++)
            b->first_chunks[count++] = (pl_grid_chunk_place){g->begin + c * PL_GRID_CHUNK,
                                                             g->x + c * PL_GRID_CHUNK, g->y, g->z};
    }
    return PL_OK;
}

pl_status pl_grid_relayout(pl_grid_body* b, const pl_grid_level* to, pl_error* error) {
    const pl_grid_level* from = &b->lattice.levels[0];
    field fields[MAX_FIELDS];
    void* moved[MAX_FIELDS] = {NULL};
    const size_t old_size = (size_t)from->field_size, size = (size_t)to->field_size;
    if (same_layout(from, to)) return PL_OK;
    const int count = list_fields(b, fields);
    bool ok = true;
    for (int k = 0; k < count; k++)
        if (*fields[k].values) ok = (moved[k] = pl_alloc_items(size, fields[k].item)) && ok;
    for (int k = 0; k < count; k++) {
        if (!ok) {
            pl_free(moved[k], size * fields[k].item);
            continue;
        }
        if (!moved[k]) continue;
        move_field(from, to, *fields[k].values, moved[k], fields[k].item);
        pl_free(*fields[k].values, old_size * fields[k].item);
        *fields[k].values = moved[k];
    }
    if (!ok) return pl_fail_memory(error, "the fields of a lattice");
    if (b->pieces.of_cell) b->pieces.cell_room = to->field_size;
    set_new(b, to, from);
    find_chunks(b, to);
    return PL_OK;
}

void pl_grid_save_field(const pl_grid_body* b, const void* values, size_t item, char* to) {
    for (int k = 0; k < b->first_chunk_count; k++)
        memcpy(to + (size_t)k * PL_GRID_CHUNK * item,
               (const char*)values + (size_t)b->first_chunks[k].at * item, PL_GRID_CHUNK * item);
}

void pl_grid_load_field(const pl_grid_body* b, const char* from, size_t item, void* values) {
    for (int k = 0; k < b->first_chunk_count; k++)
        memcpy((char*)values + (size_t)b->first_chunks[k].at * item,
               from + (size_t)k * PL_GRID_CHUNK * item, PL_GRID_CHUNK * item);
}
