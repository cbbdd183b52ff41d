// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Which cells are thin parts: those that are further than NEAR from any cube of CUBE cells inside
// the body (nearer ones are a matter of ragged sides), and the cells around them. With cubes of 4,
// or fewer cells around, the armadillo of the bench with a skeleton converges by 0.5 per cycle in
// the end, with this by 0.29. The equations are those of the band (Zhu 2010, Eq. 12): pressures are
// substituted, but in core cells at the end of a part, which keep theirs, as those at the rim do
// while the band is swept.
#include "grid/grid_thin.h"
#include "base/array.h"
#include "base/memory.h"

#include <string.h>

enum {
    CUBE = 5,
    NEAR = 1,
    AROUND = 3,            // cells around a part that belong to it
    MOST_CELLS = 8000,     // of one part: a factor of more would be large
    MAX_THICK_CELLS = 4000 // beside thin parts, of a level that is factored as a whole
};
// A level with a larger share of its cells in single layers is not used: a layer does not resist
// bending, and its corrections would have no bounds.
static const double MAX_LAYERS = 0.125;

// ------------------------------------------------------------------ cells

// One byte per cell of the bounding box.
typedef struct mask {
    const pl_grid_cells* cells;
    uint8_t *own, *other;
} mask;

static size_t stride_of(const pl_grid_cells* c, int axis) {
    return axis == 0 ? 1 : axis == 1 ? (size_t)c->size[0] : (size_t)c->size[0] * (size_t)c->size[1];
}

// Along an axis: a byte becomes that of all (or of any) of the cells from `first` to `last` on from
// it; there is nothing outside the box.
static void spread(mask* m, int axis, int first, int last, bool all) {
    const pl_grid_cells* c = m->cells;
    size_t stride = stride_of(c, axis), count = pl_grid_cells_count(c);
    int size = c->size[axis];
    for (size_t n = 0; n < count; n++) {
        int i = (int)(n / stride % (size_t)size);
        bool value = all;
        for (int d = first; d <= last; d++) {
            bool there = i + d >= 0 && i + d < size &&
                         m->own[(size_t)((int64_t)n + (int64_t)d * (int64_t)stride)];
            value = all ? value && there : value || there;
        }
        m->other[n] = value;
    }
    uint8_t* swap = m->own;
    m->own = m->other, m->other = swap;
}
static void spread_all(mask* m, int first, int last, bool all) {
    for (int axis = 0; axis < 3; axis++) spread(m, axis, first, last, all);
}

// Marks interior cells of thin parts.
static void mark_thin(mask* m) {
    const pl_grid_cells* c = m->cells;
    size_t count = pl_grid_cells_count(c);
    for (size_t n = 0; n < count; n++) m->own[n] = c->kinds[n] != PL_CELL_EXTERIOR;
    spread_all(m, 0, CUBE - 1, true);
    spread_all(m, 1 - CUBE - NEAR, NEAR, false);
    for (size_t n = 0; n < count; n++) m->own[n] = c->kinds[n] == PL_CELL_INTERIOR && !m->own[n];
    spread_all(m, -AROUND, AROUND, false);
    for (size_t n = 0; n < count; n++) m->own[n] &= c->kinds[n] == PL_CELL_INTERIOR;
}

// One layer of cells: nothing lies on either side of it along some axis.
static bool is_layer(const pl_grid_cells* c, int i, int j, int k) {
    for (int a = 0; a < 3; a++) {
        const int x = a == 0, y = a == 1, z = a == 2;
        if (pl_grid_cell(c, i - x, j - y, k - z) == PL_CELL_EXTERIOR &&
            pl_grid_cell(c, i + x, j + y, k + z) == PL_CELL_EXTERIOR)
            return true;
    }
    return false;
}

static double share_of_layers(const pl_grid_cells* c) {
    int64_t layers = 0, all = 0;
    for (int k = c->low[2]; k < c->low[2] + c->size[2]; k++)
        for (int j = c->low[1]; j < c->low[1] + c->size[1]; j++)
            for (int i = c->low[0]; i < c->low[0] + c->size[0]; i++) {
                if (pl_grid_cell(c, i, j, k) != PL_CELL_INTERIOR) continue;
                all++, layers += is_layer(c, i, j, k);
            }
    return all ? (double)layers / (double)all : 0.0;
}

pl_status pl_grid_thin_is_last(const pl_grid_cells* cells, const pl_grid_cells* next, bool* out,
                               pl_error* error) {
    const size_t count = pl_grid_cells_count(cells);
    int64_t thick = 0;
    *out = share_of_layers(next) > MAX_LAYERS;
    if (!*out) return PL_OK;
    uint8_t* bytes = PL_ALLOC(uint8_t, 2 * count);
    if (!bytes && count) return pl_fail_memory(error, "the levels of a lattice");
    mask m = {cells, bytes, bytes + count};
    mark_thin(&m);
    for (size_t n = 0; n < count; n++) thick += cells->kinds[n] == PL_CELL_INTERIOR && !m.own[n];
    PL_FREE(bytes, uint8_t, 2 * count);
    *out = thick <= MAX_THICK_CELLS;
    return PL_OK;
}

// the cells of a part that have a face in common, from one of them on; marked 2
static bool collect(const mask* m, size_t first, pl_array* out) {
    const pl_grid_cells* c = m->cells;
    out->count = 0;
    m->own[first] = 2;
    if (!pl_array_push(out, &first)) return false;
    for (size_t k = 0; k < out->count; k++) {
        size_t n = ((size_t*)out->data)[k];
        for (int side = 0; side < 6; side++) {
            size_t stride = stride_of(c, side / 2);
            int i = (int)(n / stride % (size_t)c->size[side / 2]) + (side % 2 ? 1 : -1);
            if (i < 0 || i >= c->size[side / 2]) continue;
            size_t next = side % 2 ? n + stride : n - stride;
            if (m->own[next] != 1) continue;
            m->own[next] = 2;
            if (!pl_array_push(out, &next)) return false;
        }
    }
    return true;
}

// Leaves out parts that are too large; share: how much of all interior cells that is.
static bool drop_large(const mask* m, double* share) {
    pl_array part = pl_array_of(sizeof(size_t));
    bool ok = true;
    size_t left = 0, all = 0;
    for (size_t n = 0; ok && n < pl_grid_cells_count(m->cells); n++) {
        all += m->cells->kinds[n] == PL_CELL_INTERIOR;
        if (m->own[n] != 1) continue;
        ok = collect(m, n, &part);
        if (part.count > MOST_CELLS) left += part.count;
        for (size_t k = 0; part.count > MOST_CELLS && k < part.count; k++)
            m->own[((size_t*)part.data)[k]] = 0;
    }
    pl_array_free(&part);
    *share = all ? (double)left / (double)all : 0.0;
    return ok;
}

// ------------------------------------------------------------------ equations

typedef struct maker {
    const pl_grid_level* level;
    mask mask;
    int* unknown; // per axis and index of a field, or -1
    pl_array faces, cells, forms;
    bool lost; // memory is out
} maker;

static void push(maker* m, pl_array* list, const void* item) {
    if (!pl_array_push(list, item)) m->lost = true;
}

static bool is_thin(const maker* m, int i, int j, int k) {
    const pl_grid_cells* c = m->mask.cells;
    if (!c) return true; // only faces between interior cells are asked for
    return pl_grid_cells_has(c, i, j, k) && m->mask.own[pl_grid_cells_index(c, i, j, k)];
}
static int* unknown_at(const maker* m, int a, int index) {
    return &m->unknown[(size_t)a * (size_t)m->level->field_size + (size_t)index];
}

static void add_faces(maker* m, const pl_grid_segment* g, int i) {
    const pl_grid_level* l = m->level;
    const int at = g->begin + i, x[3] = {g->x + i, g->y, g->z};
    if (!is_thin(m, x[0], x[1], x[2])) return;
    for (int a = 0; a < 3; a++) {
        if (!pl_grid_bit(l->masks[at / PL_GRID_CHUNK].face[a], at) ||
            !is_thin(m, x[0] - (a == 0), x[1] - (a == 1), x[2] - (a == 2)))
            continue;
        pl_grid_thin_face face = {.at = pl_place_of(at), .axis = a};
        for (int r = 0; r < PL_ROW_COUNT; r++) face.rows[r] = pl_place_of(g->rows[r] + i);
        face.stresses =
            pl_grid_has_stress(l, a, pl_grid_below(g, a, i)) | pl_grid_has_stress(l, a, at) << 1;
        for (int e = 0; e < 2; e++) {
            int b = e ? (a == 2 ? 1 : 2) : (a == 0 ? 1 : 0), edge = 3 - a - b;
            face.stresses |= pl_grid_has_edge(l, edge, at) << (2 * e + 2);
            face.stresses |= pl_grid_has_edge(l, edge, pl_grid_above(g, b, i)) << (2 * e + 3);
        }
        *unknown_at(m, a, at) = (int)m->faces.count;
        push(m, &m->faces, &face);
    }
}

static void add_difference(const maker* m, pl_grid_thin_form* form, int a, int high, int low) {
    for (int side = 0; side < 2; side++) {
        int unknown = *unknown_at(m, a, side ? low : high);
        if (unknown < 0) continue;
        form->unknown[form->count] = unknown;
        form->sign[form->count++] = side ? -1 : 1;
    }
}
static void add_form(maker* m, const pl_grid_thin_form* form) {
    if (form->count) push(m, &m->forms, form);
}

// A cell and its stresses, whether it is of a part or beside one.
static void add_cell(maker* m, const pl_grid_segment* g, int i) {
    const pl_grid_level* l = m->level;
    const int at = g->begin + i;
    const pl_grid_masks* bits = &l->masks[at / PL_GRID_CHUNK];
    pl_grid_thin_cell cell = {
        .at = pl_place_of(at), .is_core = pl_grid_bit(bits->core, at), .follows = true};
    pl_grid_thin_form sum = {0};
    for (int a = 0; a < 3; a++) {
        const int high = pl_grid_above(g, a, i);
        cell.high[a] = pl_place_of(high);
        for (int side = 0; side < 2; side++) {
            int face = side ? high : at;
            bool variable = pl_grid_bit(l->masks[face / PL_GRID_CHUNK].face[a], face);
            if (cell.is_core && variable && *unknown_at(m, a, face) < 0) cell.follows = false;
        }
        pl_grid_thin_form stretch = {.boundary = -1, .weight = 2.0f};
        if (pl_grid_has_stress(l, a, at)) {
            cell.stress |= (uint8_t)(1 << a);
            add_difference(m, &stretch, a, high, at);
            add_difference(m, &sum, a, high, at);
        } else sum.boundary++;
        add_form(m, &stretch);
    }
    if (is_thin(m, g->x + i, g->y, g->z)) push(m, &m->cells, &cell);
    if (cell.follows) add_form(m, &sum);
}

static void add_edges(maker* m, const pl_grid_segment* g, int i) {
    const int at = g->begin + i;
    for (int n = 0; n < 3; n++) {
        int a = (n + 1) % 3, b = (n + 2) % 3;
        pl_grid_thin_form shear = {.boundary = -1, .weight = 1.0f};
        if (!pl_grid_has_edge(m->level, n, at)) continue;
        add_difference(m, &shear, a, at, pl_grid_below(g, b, i));
        add_difference(m, &shear, b, at, pl_grid_below(g, a, i));
        add_form(m, &shear);
    }
}

static void list_equations(maker* m) {
    const pl_grid_level* l = m->level;
    for (int n = 0; n < 3 * l->field_size; n++) m->unknown[n] = -1;
    for (int s = 0; s < l->segment_count; s++)
        for (int i = 0; i < l->segments[s].count * PL_GRID_CHUNK; i++)
            add_faces(m, &l->segments[s], i);
    for (int s = 0; s < l->segment_count && m->faces.count; s++)
        for (int i = 0; i < l->segments[s].count * PL_GRID_CHUNK; i++) {
            int at = l->segments[s].begin + i;
            if (pl_grid_bit(l->masks[at / PL_GRID_CHUNK].interior, at))
                add_cell(m, &l->segments[s], i);
            add_edges(m, &l->segments[s], i);
        }
}

// ------------------------------------------------------------------ matrix

static pl_status set_up_factor(pl_grid_thin* t, pl_error* error) {
    int member_count = 0;
    for (int k = 0; k < t->form_count; k++) member_count += t->forms[k].count;
    int *offsets = PL_ALLOC(int, t->form_count + 1), *members = PL_ALLOC(int, member_count);
    pl_status status = PL_OK;
    if (!offsets || (!members && member_count))
        status = pl_fail_memory(error, "the levels of a lattice");
    if (status == PL_OK) {
        for (int k = 0; k < t->form_count; k++) {
            const pl_grid_thin_form* form = &t->forms[k];
            offsets[k + 1] = offsets[k] + form->count;
            memcpy(members + offsets[k], form->unknown, (size_t)form->count * sizeof(int));
        }
        status =
            pl_grid_factor_setup(&t->factor, t->face_count, t->form_count, offsets, members, error);
    }
    PL_FREE(offsets, int, t->form_count + 1);
    PL_FREE(members, int, member_count);
    return status;
}

static void* take(maker* m, pl_array* list) {
    void* data = NULL;
    if (!pl_array_take(list, &data)) m->lost = true;
    return data;
}

static void make(maker* m, pl_grid_thin* out) {
    if (m->mask.cells) {
        mark_thin(&m->mask);
        if (!drop_large(&m->mask, &out->left_share)) m->lost = true;
    }
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

pl_status pl_grid_thin_create(const pl_grid_cells* cells, const pl_grid_level* level,
                              pl_grid_thin* out, pl_error* error) {
    *out = (pl_grid_thin){0};
    size_t count = cells ? pl_grid_cells_count(cells) : 0, unknowns = 3 * (size_t)level->field_size;
    uint8_t* bytes = PL_ALLOC(uint8_t, 2 * count);
    maker m = {.level = level,
               .mask = {cells, bytes, bytes ? bytes + count : NULL},
               .unknown = PL_ALLOC(int, unknowns),
               .faces = pl_array_of(sizeof(pl_grid_thin_face)),
               .cells = pl_array_of(sizeof(pl_grid_thin_cell)),
               .forms = pl_array_of(sizeof(pl_grid_thin_form))};
    m.lost = (!bytes && count) || !m.unknown;
    if (!m.lost && (count || !cells)) make(&m, out);
    PL_FREE(bytes, uint8_t, 2 * count);
    PL_FREE(m.unknown, int, unknowns);
    pl_array_free(&m.faces), pl_array_free(&m.cells), pl_array_free(&m.forms);
    pl_status status = m.lost ? pl_fail_memory(error, "the levels of a lattice") : PL_OK;
    if (status == PL_OK && out->face_count) status = set_up_factor(out, error);
    if (status != PL_OK) pl_grid_thin_free(out);
    return status;
}

void pl_grid_thin_free(pl_grid_thin* t) {
    PL_FREE(t->faces, pl_grid_thin_face, t->face_count);
    PL_FREE(t->cells, pl_grid_thin_cell, t->cell_count);
    PL_FREE(t->forms, pl_grid_thin_form, t->form_count);
    PL_FREE(t->change, double, t->face_count);
    pl_grid_factor_free(&t->factor);
    *t = (pl_grid_thin){0};
}

// stiffness of a face beyond that of its stencil
static float stiffness_of(const pl_grid_level* l, const pl_grid_thin_face* f) {
    const int chunk = f->at / PL_GRID_CHUNK, i = f->at % PL_GRID_CHUNK;
    if (!pl_grid_bit(l->split[chunk].inner[f->axis], f->at))
        return l->band_index[chunk] < 0 ? 0.0f
                                        : l->band_rates[l->band_index[chunk]].stiffness[f->axis][i];
    return l->wall_index[chunk] < 0 ? 0.0f : l->walls[l->wall_index[chunk]].stiffness[f->axis][i];
}

void pl_grid_thin_update(pl_grid_thin* t, const pl_grid_level* l, pl_pool* pool) {
    if (!t->face_count) return;
    pl_grid_factor_clear(&t->factor);
    for (int k = 0; k < t->face_count; k++) {
        t->faces[k].stiffness = stiffness_of(l, &t->faces[k]);
        *pl_grid_factor_diagonal(&t->factor, k) =
            (double)l->inertia + (double)t->faces[k].stiffness;
    }
    for (int k = 0; k < t->form_count; k++) {
        const pl_grid_thin_form* form = &t->forms[k];
        double values[36], weight = form->boundary < 0
                                        ? (double)form->weight
                                        : 1.0 / ((double)l->compressibility + 0.5 * form->boundary);
        for (int i = 0; i < form->count; i++)
            for (int j = 0; j < form->count; j++)
                values[i * form->count + j] = weight * form->sign[i] * form->sign[j];
        pl_grid_factor_add(&t->factor, k, values);
    }
    t->works = pl_grid_factor_update(&t->factor, pool) >= 0;
}

// ------------------------------------------------------------------ solution

// the divergence of a cell, of its interior stresses alone or of all faces
static float divergence(const pl_grid_level* l, const pl_grid_thin_cell* cell, int axes) {
    float sum = 0.0f;
    for (int a = 0; a < 3; a++)
        if (axes >> a & 1) sum += l->u[a][cell->high[a]] - l->u[a][cell->at];
    return sum;
}

// p of a cell that follows
static float pressure(const pl_grid_level* l, const pl_grid_thin_cell* cell) {
    float divisor = l->compressibility;
    for (int a = 0; a < 3; a++) divisor += cell->stress >> a & 1 ? 0.0f : 0.5f;
    return (l->g[cell->at] - divergence(l, cell, cell->stress)) / divisor;
}

static int face_below(const pl_grid_thin_face* f, int a) {
    return a == 0 ? pl_place_below(f->at) : f->rows[a == 1 ? PL_ROW_Y_LOW : PL_ROW_Z_LOW];
}
static int face_above(const pl_grid_thin_face* f, int a) {
    return a == 0 ? pl_place_above(f->at) : f->rows[a == 1 ? PL_ROW_Y_HIGH : PL_ROW_Z_HIGH];
}
static int face_corner(const pl_grid_thin_face* f, int up, int down) {
    if (down == 0) return pl_place_below(face_above(f, up));
    if (up == 0) return pl_place_above(face_below(f, down));
    return f->rows[up == 2 ? PL_ROW_Y_LOW_Z_HIGH : PL_ROW_Y_HIGH_Z_LOW];
}

// L u - f, with pressures in the place of c
static double push_of(const pl_grid_level* l, const pl_grid_thin_face* f) {
    const int a = f->axis, at = f->at, low = face_below(f, a);
    const float *u = l->u[a], *p = l->c;
    const double own = u[at];
    double sum = 0.0;
    if (f->stresses & 2) sum += 2.0 * (u[face_above(f, a)] - own) - p[at];
    if (f->stresses & 1) sum -= 2.0 * (own - u[low]) - p[low];
    for (int e = 0; e < 2; e++) {
        const int b = e ? (a == 2 ? 1 : 2) : (a == 0 ? 1 : 0), high = face_above(f, b);
        const float* v = l->u[b];
        if (f->stresses >> (2 * e + 3) & 1)
            sum += u[high] - own + v[high] - v[face_corner(f, b, a)];
        if (f->stresses >> (2 * e + 2) & 1) sum -= own - u[face_below(f, b)] + v[at] - v[low];
    }
    return sum - l->f[a][at] - (double)(l->inertia + f->stiffness) * own;
}

void pl_grid_thin_solve(pl_grid_thin* t, pl_grid_level* l) {
    if (!t->works) return;
    for (int k = 0; k < t->cell_count; k++) {
        const pl_grid_thin_cell* cell = &t->cells[k];
        l->c[cell->at] =
            cell->follows ? pressure(l, cell) : divergence(l, cell, 7) - l->c[cell->at];
    }
    for (int k = 0; k < t->face_count; k++) t->change[k] = push_of(l, &t->faces[k]);
    pl_grid_factor_solve(&t->factor, t->change);
    for (int k = 0; k < t->face_count; k++)
        l->u[t->faces[k].axis][t->faces[k].at] += (float)t->change[k];
    for (int k = 0; k < t->cell_count; k++) {
        const pl_grid_thin_cell* cell = &t->cells[k];
        if (cell->follows) l->c[cell->at] = pressure(l, cell);
        if (cell->is_core) l->c[cell->at] = divergence(l, cell, 7) - l->c[cell->at];
    }
}
