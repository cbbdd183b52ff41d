// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The equations are those of the band (Zhu 2010, Eq. 12) with substituted pressures, except in core
// cells at the end of a thin part. These keep their pressure, like rim cells while the band is
// swept.
#include "base/array.h"
#include "base/memory.h"
#include "grid/grid_lattice.h"
#include "grid/grid_linear_level.h"

#include <string.h>

// ------------------------------------------------------------------ equations

typedef struct maker {
    const pl_grid_linear_level* level;
    const pl_grid_cells* cells_of_level; // NULL: the whole level is solved
    const uint8_t* marks;                // per cell: belongs to a thin part
    int* unknown;                        // per axis and index of a field, or -1
    pl_array faces, cells, forms;
    pl_grid_cliques cliques; // of the forms
    bool lost;               // an allocation failed
} maker;

static void push(maker* m, pl_array* list, const void* item) {
    if (!pl_array_push(list, item)) m->lost = true;
}

static bool is_thin(const maker* m, int i, int j, int k) {
    const pl_grid_cells* c = m->cells_of_level;
    if (!c) return true; // only called for faces between interior cells
    return pl_grid_cells_has(c, i, j, k) && m->marks[pl_grid_cells_index(c, i, j, k)];
}
static int* unknown_at(const maker* m, int a, int index) {
    return &m->unknown[(size_t)a * (size_t)m->level->layout->field_size + (size_t)index];
}

static void add_faces(maker* m, const pl_grid_segment* g, int i) {
    const pl_grid_linear_level* l = m->level;
    const int at = g->begin + i, x[3] = {g->x + i, g->y, g->z};
    if (!is_thin(m, x[0], x[1], x[2])) return;
    for (int a = 0; a < 3; a++) {
        if (!pl_grid_bit(l->layout->masks[at / PL_GRID_CHUNK].face[a], at) ||
            !is_thin(m, x[0] - (a == 0), x[1] - (a == 1), x[2] - (a == 2)))
            continue;
        int rows[PL_ROW_COUNT];
        const int lane = at % PL_GRID_CHUNK;
        for (int r = 0; r < PL_ROW_COUNT; r++) rows[r] = g->rows[r] + i - lane;
        const pl_grid_exact_face face = {
            a, pl_grid_single_face_at(at - lane, rows, a, pl_place_of(lane),
                                      pl_grid_face_stresses(l->layout, g, a, i))};
        *unknown_at(m, a, at) = (int)m->faces.count;
        push(m, &m->faces, &face);
    }
}

static void add_difference(const maker* m, pl_grid_exact_form* form, int a, int high, int low) {
    for (int side = 0; side < 2; side++) {
        int unknown = *unknown_at(m, a, side ? low : high);
        if (unknown < 0) continue;
        form->unknown[form->count] = unknown;
        form->sign[form->count++] = side ? -1 : 1;
    }
}
static void add_form(maker* m, const pl_grid_exact_form* form) {
    if (!form->count) return;
    push(m, &m->forms, form);
    pl_grid_cliques_add(&m->cliques, form->count, form->unknown);
}

// A cell and its stresses, in a part or next to one.
static void add_cell(maker* m, const pl_grid_segment* g, int i) {
    const pl_grid_linear_level* l = m->level;
    const int at = g->begin + i;
    const pl_grid_masks* bits = &l->layout->masks[at / PL_GRID_CHUNK];
    pl_grid_exact_cell cell = {
        .at = pl_place_of(at), .is_core = pl_grid_bit(bits->core, at), .follows = true, .form = -1};
    pl_grid_exact_form sum = {0};
    for (int a = 0; a < 3; a++) {
        const int high = pl_grid_above(g, a, i);
        cell.high[a] = pl_place_of(high);
        for (int side = 0; side < 2; side++) {
            int face = side ? high : at;
            bool variable = pl_grid_bit(l->layout->masks[face / PL_GRID_CHUNK].face[a], face);
            if (cell.is_core && variable && *unknown_at(m, a, face) < 0) cell.follows = false;
        }
        pl_grid_exact_form stretch = {.boundary = -1, .weight = 2.0f};
        if (pl_grid_has_stress(l->layout, a, at)) {
            cell.stress |= (uint8_t)(1 << a);
            add_difference(m, &stretch, a, high, at);
            add_difference(m, &sum, a, high, at);
        } else sum.boundary++;
        add_form(m, &stretch);
    }
    if (cell.follows && sum.count) cell.form = (int)m->forms.count;
    if (cell.follows) add_form(m, &sum);
    if (is_thin(m, g->x + i, g->y, g->z)) push(m, &m->cells, &cell);
}

static void add_edges(maker* m, const pl_grid_segment* g, int i) {
    const int at = g->begin + i;
    for (int n = 0; n < 3; n++) {
        int a = (n + 1) % 3, b = (n + 2) % 3;
        pl_grid_exact_form shear = {.boundary = -1, .weight = 1.0f};
        if (!pl_grid_has_edge(m->level->layout, n, at)) continue;
        add_difference(m, &shear, a, at, pl_grid_below(g, b, i));
        add_difference(m, &shear, b, at, pl_grid_below(g, a, i));
        add_form(m, &shear);
    }
}

static void list_equations(maker* m) {
    const pl_grid_linear_level* l = m->level;
    for (int n = 0; n < 3 * l->layout->field_size; n++) m->unknown[n] = -1;
    for (int s = 0; s < l->layout->segment_count; s++)
        for (int i = 0; i < l->layout->segments[s].count * PL_GRID_CHUNK; i++)
            add_faces(m, &l->layout->segments[s], i);
    for (int s = 0; s < l->layout->segment_count && m->faces.count; s++)
        for (int i = 0; i < l->layout->segments[s].count * PL_GRID_CHUNK; i++) {
            int at = l->layout->segments[s].begin + i;
            if (pl_grid_bit(l->layout->masks[at / PL_GRID_CHUNK].interior, at))
                add_cell(m, &l->layout->segments[s], i);
            add_edges(m, &l->layout->segments[s], i);
        }
}

// ------------------------------------------------------------------ matrix

static void* take(maker* m, pl_array* list) {
    void* data = NULL;
    if (!pl_array_take(list, &data)) m->lost = true;
    return data;
}

static void make(maker* m, uint8_t* bytes, pl_grid_exact* out) {
    if (m->cells_of_level &&
        !pl_grid_mark_thin(m->cells_of_level, bytes, &m->marks, &out->left_share))
        m->lost = true;
    if (!m->lost) list_equations(m);
    if (m->lost) return;
    out->face_count = (int)m->faces.count, out->cell_count = (int)m->cells.count;
    out->form_count = (int)m->forms.count;
    out->faces = take(m, &m->faces);
    out->cells = take(m, &m->cells);
    out->forms = take(m, &m->forms);
    out->change = PL_ALLOC(double, out->face_count);
    if (!out->change && out->face_count) m->lost = true;
}

pl_status pl_grid_exact_create(const pl_grid_cells* cells, const pl_grid_linear_level* level,
                               pl_grid_exact* out, pl_error* error) {
    *out = (pl_grid_exact){0};
    size_t count = cells ? pl_grid_cells_count(cells) : 0,
           unknowns = 3 * (size_t)level->layout->field_size;
    uint8_t* bytes = PL_ALLOC(uint8_t, 2 * count);
    maker m = {.level = level,
               .cells_of_level = cells,
               .unknown = PL_ALLOC(int, unknowns),
               .faces = pl_array_of(sizeof(pl_grid_exact_face)),
               .cells = pl_array_of(sizeof(pl_grid_exact_cell)),
               .forms = pl_array_of(sizeof(pl_grid_exact_form)),
               .cliques = pl_grid_cliques_none()};
    m.lost = (!bytes && count) || !m.unknown;
    if (!m.lost && (count || !cells)) make(&m, bytes, out);
    PL_FREE(bytes, uint8_t, 2 * count);
    PL_FREE(m.unknown, int, unknowns);
    pl_array_free(&m.faces), pl_array_free(&m.cells), pl_array_free(&m.forms);
    pl_status status = m.lost ? pl_fail_memory(error, "the levels of a lattice") : PL_OK;
    if (status == PL_OK)
        status = pl_grid_factor_setup(&out->factor, out->face_count, &m.cliques, error);
    pl_grid_cliques_free(&m.cliques);
    if (status != PL_OK) pl_grid_exact_free(out);
    return status;
}

void pl_grid_exact_free(pl_grid_exact* t) {
    PL_FREE(t->faces, pl_grid_exact_face, t->face_count);
    PL_FREE(t->cells, pl_grid_exact_cell, t->cell_count);
    PL_FREE(t->forms, pl_grid_exact_form, t->form_count);
    PL_FREE(t->change, double, t->face_count);
    pl_grid_factor_free(&t->factor);
    *t = (pl_grid_exact){0};
}

// stiffness of a face in addition to its stencil
static float stiffness_of(const pl_grid_linear_level* l, int a, int place) {
    const int chunk = place / PL_GRID_CHUNK, i = place % PL_GRID_CHUNK;
    if (!pl_grid_bit(l->split[chunk].inner[a], place))
        return l->band_index[chunk] < 0 ? 0.0f : l->band[l->band_index[chunk]].stiffness[a][i];
    return l->wall_index[chunk] < 0 ? 0.0f : l->walls[l->wall_index[chunk]].stiffness[a][i];
}

static double weight_of(const pl_grid_linear_level* l, const pl_grid_exact_form* form) {
    return form->boundary < 0 ? (double)form->weight
                              : 1.0 / ((double)l->compressibility + 0.5 * form->boundary);
}

void pl_grid_exact_update(pl_grid_exact* t, const pl_grid_linear_level* l, pl_pool* pool) {
    if (!t->face_count) return;
    pl_grid_factor_clear(&t->factor);
    for (int k = 0; k < t->face_count; k++) {
        pl_grid_exact_face* f = &t->faces[k];
        f->face.diagonal = l->inertia + stiffness_of(l, f->axis, f->face.at);
        *pl_grid_factor_diagonal(&t->factor, k) = (double)f->face.diagonal;
    }
    for (int k = 0; k < t->form_count; k++) {
        const pl_grid_exact_form* form = &t->forms[k];
        double values[36], weight = weight_of(l, form);
        for (int i = 0; i < form->count; i++)
            for (int j = 0; j < form->count; j++)
                values[i * form->count + j] = weight * form->sign[i] * form->sign[j];
        pl_grid_factor_add(&t->factor, k, values);
    }
    t->works = pl_grid_factor_update(&t->factor, pool) >= 0;
}

// ------------------------------------------------------------------ solution

// divergence of a cell, over its interior stresses or over all faces
static float divergence(const pl_grid_linear_level* l, const pl_grid_exact_cell* cell, int axes) {
    float sum = 0.0f;
    for (int a = 0; a < 3; a++)
        if (axes >> a & 1) sum += l->u[a][cell->high[a]] - l->u[a][cell->at];
    return sum;
}

// p of a cell with eliminated pressure
static float pressure(const pl_grid_linear_level* l, const pl_grid_exact_cell* cell) {
    float divisor = l->compressibility;
    for (int a = 0; a < 3; a++) divisor += cell->stress >> a & 1 ? 0.0f : 0.5f;
    return (l->g[cell->at] - divergence(l, cell, cell->stress)) / divisor;
}

// Computes how its pressure changes with the faces. In double: as nu approaches 1/2 the pressure is
// a small difference of face values times a large factor.
static double follow(const pl_grid_exact* t, const pl_grid_linear_level* l,
                     const pl_grid_exact_cell* cell) {
    if (cell->form < 0) return 0.0;
    const pl_grid_exact_form* form = &t->forms[cell->form];
    double sum = 0.0;
    for (int k = 0; k < form->count; k++) sum += form->sign[k] * t->change[form->unknown[k]];
    return -weight_of(l, form) * sum;
}

void pl_grid_exact_solve(pl_grid_exact* t, pl_grid_linear_level* l) {
    if (!t->works) return;
    for (int k = 0; k < t->cell_count; k++) {
        const pl_grid_exact_cell* cell = &t->cells[k];
        l->c[cell->at] =
            cell->follows ? pressure(l, cell) : divergence(l, cell, 7) - l->c[cell->at];
    }
    for (int k = 0; k < t->face_count; k++)
        t->change[k] = -pl_grid_single_face_residual(l, &t->faces[k].face, t->faces[k].axis);
    pl_grid_factor_solve(&t->factor, t->change);
    for (int k = 0; k < t->face_count; k++)
        l->u[t->faces[k].axis][t->faces[k].face.at] += (float)t->change[k];
    for (int k = 0; k < t->cell_count; k++) {
        const pl_grid_exact_cell* cell = &t->cells[k];
        float* c = &l->c[cell->at];
        if (cell->follows) *c = (float)(*c + follow(t, l, cell));
        if (cell->is_core) *c = divergence(l, cell, 7) - *c;
    }
}
