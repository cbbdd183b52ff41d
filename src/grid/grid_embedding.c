// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Interpolation near the surface uses exterior faces, which are not variables. They are
// extrapolated from inside: u = 2 u1 - u2 from the next two faces along an axis, or u1 + u2 - u12
// from three corners of a square; the mean of the neighbours if neither is known. Forces are spread
// with the transpose, so the work of a force is the same on both sides and no force is lost.
//
// If several formulas apply, use those with the smallest absolute weights, written as sums of
// variables. Outside a corner the weights sum to 7. Larger sums come from extrapolating along a
// thin part instead of across it: a contact at its tip would act on its root through a lever as
// long as the part, with a stiffness that grows by the square of the weights.
#include "grid/grid_embedding.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

// Largest sum of the absolute weights of a formula; the second is tried if no formula is within the
// first.
static const double MAX_WEIGHTS[2] = {7.0, 27.0};
enum { MAX_PASSES = 200 }; // each extends by one layer

static const int shift[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

void pl_grid_embedding_free(pl_grid_embedding_map* m) {
    pl_free(m->weights, (size_t)m->vertex_count * sizeof *m->weights);
    pl_grid_extensions_free(&m->extensions);
    PL_FREE(m->near, int, m->near_count);
    *m = (pl_grid_embedding_map){0};
}

// The cell nearest to position x [cells] among those within `reach` of base.
static bool nearest_cell(const pl_grid_cells* cells, const double x[3], const int base[3],
                         int reach, int cell[3]) {
    double best = HUGE_VAL;
    const int side = 2 * reach + 1;
    for (int n = 0; n < side * side * side; n++) {
        const int at[3] = {base[0] + n % side - reach, base[1] + n / side % side - reach,
                           base[2] + n / (side * side) - reach};
        if (pl_grid_cell(cells, at[0], at[1], at[2]) == PL_CELL_EXTERIOR) continue;
        double distance = 0.0;
        for (int a = 0; a < 3; a++) distance += (x[a] - at[a] - 0.5) * (x[a] - at[a] - 0.5);
        if (distance < best) {
            best = distance;
            memcpy(cell, at, sizeof at);
        }
    }
    return best < HUGE_VAL;
}

bool pl_grid_cell_of(const pl_grid_cells* cells, const pl_grid_frame* frame, const double* position,
                     int cell[3]) {
    double x[3];
    int base[3];
    for (int a = 0; a < 3; a++) {
        x[a] = pl_grid_folded(frame, a, (position[a] - frame->origin[a]) / frame->cell);
        // a position on a side of the box counts as inside; one far away does not
        const double low = cells->low[a], high = low + cells->size[a], rim = 1e-3;
        double floored = fmin(fmax(floor(x[a]), -1e9), 1e9);
        if (x[a] > low - rim && x[a] < high + rim) floored = fmin(fmax(floored, low), high - 1.0);
        cell[a] = base[a] = (int)floored;
    }
    if (pl_grid_cell(cells, base[0], base[1], base[2]) != PL_CELL_EXTERIOR) return true;
    // points of open surfaces can be two cells away from the nearest filled cell
    return nearest_cell(cells, x, base, 1, cell) || nearest_cell(cells, x, base, 2, cell);
}

void pl_grid_place(const pl_grid_cells* cells, const pl_grid_frame* frame, const double* position,
                   int base[3][3], float fraction[3][3]) {
    int cell[3];
    pl_grid_cell_of(cells, frame, position, cell);
    for (int a = 0; a < 3; a++)
        for (int d = 0; d < 3; d++) {
            double x = pl_grid_folded(frame, d, (position[d] - frame->origin[d]) / frame->cell);
            double t = d == a ? x : x - 0.5; // faces are centred in the other axes
            base[a][d] = d == a ? cell[d] : x - cell[d] < 0.5 ? cell[d] - 1 : cell[d];
            fraction[a][d] = (float)(t - base[a][d]);
        }
}

static void weigh(const pl_grid_level* level, const pl_grid_cells* cells,
                  const pl_grid_frame* frame, const double* position, pl_grid_weights out[3]) {
    int base[3][3];
    float fraction[3][3];
    pl_grid_place(cells, frame, position, base, fraction);
    for (int a = 0; a < 3; a++) {
        memcpy(out[a].fraction, fraction[a], sizeof fraction[a]);
        for (int n = 0; n < 4; n++) {
            out[a].pair[n] =
                pl_grid_index(level, base[a][0], base[a][1] + n % 2, base[a][2] + n / 2);
            PL_ASSERT(out[a].pair[n] >= 0);
        }
    }
}

// ------------------------------------------------------------------ extensions

pl_grid_extender pl_grid_extender_start(void) {
    return (pl_grid_extender){.items = pl_array_of(sizeof(pl_grid_extension)),
                              .sources = pl_array_of(sizeof(int)),
                              .weights = pl_array_of(sizeof(double))};
}

static void add_source(pl_grid_extender* e, int source, double weight) {
    if (!pl_array_push(&e->sources, &source) || !pl_array_push(&e->weights, &weight))
        e->lost = true;
}

void pl_grid_extender_add(pl_grid_extender* e, int axis, int index, int count, const int* near,
                          const int* far) {
    const pl_grid_extension x = {axis, index, (int)e->sources.count, far ? 2 * count : count};
    if (!pl_array_push(&e->items, &x)) e->lost = true;
    for (int n = 0; n < count; n++) {
        add_source(e, near[n], (far ? 2.0 : 1.0) / count);
        if (far) add_source(e, far[n], -1.0 / count);
    }
}

bool pl_grid_extender_take(pl_grid_extender* e, pl_grid_extensions* out) {
    void *items = NULL, *sources = NULL, *weights = NULL;
    *out =
        (pl_grid_extensions){.count = (int)e->items.count, .source_count = (int)e->sources.count};
    bool ok = !e->lost && pl_array_take(&e->items, &items);
    out->items = items;
    ok = ok && pl_array_take(&e->sources, &sources);
    out->sources = sources;
    ok = ok && pl_array_take(&e->weights, &weights);
    out->weights = weights;
    return ok;
}

void pl_grid_extender_free(pl_grid_extender* e) {
    pl_array_free(&e->items), pl_array_free(&e->sources), pl_array_free(&e->weights);
}

void pl_grid_extensions_free(pl_grid_extensions* x) {
    PL_FREE(x->items, pl_grid_extension, x->count);
    PL_FREE(x->sources, int, x->source_count);
    PL_FREE(x->weights, double, x->source_count);
    *x = (pl_grid_extensions){0};
}

typedef struct extender {
    const pl_grid_level* level;
    uint8_t* known; // per axis and index: pass in which it became known, 1 for variables
    int* items;     // per axis and index: its extension, if it is one
    pl_grid_extender list;
    double max_weights;
} extender;

static size_t slot_of(const extender* e, int a, int index) {
    return (size_t)a * (size_t)e->level->field_size + (size_t)index;
}
// Whether a face exists and was known before a pass.
static bool knows(const extender* e, int a, int index, int pass) {
    return index >= 0 && e->known[slot_of(e, a, index)] && e->known[slot_of(e, a, index)] < pass;
}
static void note_known(extender* e, int a, int index, int pass) {
    e->known[slot_of(e, a, index)] = (uint8_t)pass;
    e->items[slot_of(e, a, index)] = (int)e->list.items.count - 1;
}

// ------------------------------------------------------------------ linear extensions

enum { MAX_TERMS = 96 };
typedef struct weighted_sum {
    int count;
    int index[MAX_TERMS]; // variables
    double weight[MAX_TERMS];
} weighted_sum;

// false if the sum is full
static bool add_term(weighted_sum* sum, int index, double weight) {
    int n = 0;
    while (n < sum->count && sum->index[n] != index) n++;
    if (n == MAX_TERMS) return false;
    if (n == sum->count) sum->index[sum->count++] = index, sum->weight[n] = 0.0;
    sum->weight[n] += weight;
    return true;
}

static bool add_known(const extender* e, int a, int index, double weight, weighted_sum* sum) {
    if (e->known[slot_of(e, a, index)] == 1) return add_term(sum, index, weight);
    const pl_grid_extension* x =
        (const pl_grid_extension*)e->list.items.data + e->items[slot_of(e, a, index)];
    const int* sources = e->list.sources.data;
    const double* weights = e->list.weights.data;
    bool fits = true;
    for (int n = x->first; n < x->first + x->count; n++)
        fits = fits && add_term(sum, sources[n], weight * weights[n]);
    return fits;
}

// Sum of the formulas with the smallest absolute weights so far.
typedef struct formulas {
    weighted_sum sum;
    double size;
    int count;
} formulas;

// Considers the formula near + other - last, if all three are known.
static void consider(const extender* e, int a, int pass, int near, int other, int last,
                     formulas* best) {
    weighted_sum sum = {.count = 0};
    double size = 0.0;
    if (!knows(e, a, near, pass) || !knows(e, a, other, pass) || !knows(e, a, last, pass)) return;
    if (!add_known(e, a, near, 1.0, &sum) || !add_known(e, a, other, 1.0, &sum) ||
        !add_known(e, a, last, -1.0, &sum))
        return;
    for (int n = 0; n < sum.count; n++) size += fabs(sum.weight[n]);
    if (size > e->max_weights + 1e-6 || (best->count && size > best->size + 1e-6)) return;
    if (best->count && size < best->size - 1e-6) best->count = best->sum.count = 0;
    if (best->sum.count + sum.count > MAX_TERMS) return;
    if (best->count++ == 0) best->size = size;
    for (int n = 0; n < sum.count; n++) add_term(&best->sum, sum.index[n], sum.weight[n]);
}

static int face_beside(const extender* e, const int at[3], int x, int y, int z) {
    return pl_grid_index(e->level, at[0] + x, at[1] + y, at[2] + z);
}

static void add_linear(extender* e, int a, int index, const formulas* best) {
    pl_grid_extension x = {.axis = a, .index = index, .first = (int)e->list.sources.count};
    for (int n = 0; n < best->sum.count; n++)
        if (fabs(best->sum.weight[n]) > 1e-9)
            add_source(&e->list, best->sum.index[n], best->sum.weight[n] / best->count);
    x.count = (int)e->list.sources.count - x.first;
    if (!pl_array_push(&e->list.items, &x)) e->list.lost = true;
}

// Extends one face from faces of earlier passes by a formula that is exact for linear fields.
// Returns false if none has small weights.
static bool extend_linearly(extender* e, int a, const int at[3], int pass) {
    formulas best = {.count = 0};
    for (int n = 0; n < 6; n++) {
        int p[3] = {0};
        p[n / 2] = n % 2 ? 1 : -1;
        const int near = face_beside(e, at, p[0], p[1], p[2]);
        if (!knows(e, a, near, pass)) continue;
        consider(e, a, pass, near, near, face_beside(e, at, 2 * p[0], 2 * p[1], 2 * p[2]), &best);
        for (int m = 2 * (n / 2) + 2; m < 6; m++) {
            int q[3] = {0};
            q[m / 2] = m % 2 ? 1 : -1;
            consider(e, a, pass, near, face_beside(e, at, q[0], q[1], q[2]),
                     face_beside(e, at, p[0] + q[0], p[1] + q[1], p[2] + q[2]), &best);
        }
    }
    if (best.count == 0) return false;
    const int index = face_beside(e, at, 0, 0, 0);
    add_linear(e, a, index, &best);
    note_known(e, a, index, pass);
    return true;
}

// ------------------------------------------------------------------ all extensions

// extends one face by the mean of its neighbours from earlier passes; false if there are none
static bool extend_by_mean(extender* e, int a, const int at[3], int pass) {
    int near[6], count = 0;
    for (int n = 0; n < 6; n++) {
        int p[3] = {0};
        p[n / 2] = n % 2 ? 1 : -1;
        near[count] = face_beside(e, at, p[0], p[1], p[2]);
        if (knows(e, a, near[count], pass)) count++;
    }
    if (count == 0) return false;
    const int index = face_beside(e, at, 0, 0, 0);
    pl_grid_extender_add(&e->list, a, index, count, near, NULL);
    note_known(e, a, index, pass);
    return true;
}

// one pass over all unknown faces; returns how many became known
static int run_pass(extender* e, int pass, bool linear) {
    int found = 0;
    for (int s = 0; s < e->level->segment_count && !e->list.lost; s++) {
        const pl_grid_segment* g = &e->level->segments[s];
        for (int i = 0; i < g->count * PL_GRID_CHUNK && !e->list.lost; i++) {
            const int at[3] = {g->x + i, g->y, g->z};
            for (int a = 0; a < 3; a++) {
                if (e->known[slot_of(e, a, g->begin + i)]) continue;
                found += linear ? extend_linearly(e, a, at, pass) : extend_by_mean(e, a, at, pass);
            }
        }
    }
    return found;
}

static void mark_variables(extender* e, const pl_grid_cells* cells) {
    for (int s = 0; s < e->level->segment_count; s++) {
        const pl_grid_segment* g = &e->level->segments[s];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++)
            for (int a = 0; a < 3; a++) {
                pl_cell own = pl_grid_cell(cells, g->x + i, g->y, g->z);
                pl_cell low = pl_grid_cell(cells, g->x + i - shift[a][0], g->y - shift[a][1],
                                           g->z - shift[a][2]);
                if (own == PL_CELL_DIRICHLET || low == PL_CELL_DIRICHLET ||
                    (own == PL_CELL_INTERIOR && low == PL_CELL_INTERIOR))
                    e->known[slot_of(e, a, g->begin + i)] = 1;
            }
    }
}

static pl_status list_extensions(const pl_grid_level* level, const pl_grid_cells* cells,
                                 pl_grid_embedding_map* out, pl_error* error) {
    extender e = {.level = level, .list = pl_grid_extender_start()};
    const size_t count = 3 * (size_t)level->field_size;
    e.known = PL_ALLOC(uint8_t, count);
    e.items = PL_ALLOC(int, count);
    e.list.lost = !e.known || !e.items;
    if (!e.list.lost) mark_variables(&e, cells);
    int pass = 2;
    for (int k = 0; k < 2; k++) {
        e.max_weights = MAX_WEIGHTS[k];
        while (pass < MAX_PASSES && !e.list.lost && run_pass(&e, pass, true)) pass++;
    }
    while (pass < MAX_PASSES && !e.list.lost && run_pass(&e, pass, false)) pass++;
    PL_FREE(e.known, uint8_t, count);
    PL_FREE(e.items, int, count);
    const bool ok = pl_grid_extender_take(&e.list, &out->extensions);
    pl_grid_extender_free(&e.list);
    return ok ? PL_OK : pl_fail_memory(error, "an embedding");
}

// marks the faces that vertices depend on, directly or through extensions; returns how many of them
// are extensions
static int mark_near(const pl_grid_embedding_map* m, uint8_t* needed, size_t size) {
    int count = 0;
    for (int v = 0; v < m->vertex_count; v++)
        for (int a = 0; a < 3; a++)
            for (int n = 0; n < 8; n++)
                needed[(size_t)a * size + (size_t)(m->weights[v][a].pair[n / 2] + n % 2)] = 1;
    for (int k = m->extensions.count - 1; k >= 0; k--) {
        const pl_grid_extension* x = &m->extensions.items[k];
        uint8_t* of_axis = needed + (size_t)x->axis * size;
        if (!of_axis[x->index]) continue;
        for (int n = x->first; n < x->first + x->count; n++) of_axis[m->extensions.sources[n]] = 1;
        count++;
    }
    return count;
}

static pl_status list_near(const pl_grid_level* level, pl_grid_embedding_map* m, pl_error* error) {
    const size_t size = (size_t)level->field_size;
    uint8_t* needed = PL_ALLOC(uint8_t, 3 * size);
    if (!needed) return pl_fail_memory(error, "an embedding");
    const int count = mark_near(m, needed, size);
    m->near = PL_ALLOC(int, count);
    if (m->near)
        for (int k = 0; k < m->extensions.count; k++)
            if (needed[(size_t)m->extensions.items[k].axis * size +
                       (size_t)m->extensions.items[k].index])
                m->near[m->near_count++] = k;
    PL_FREE(needed, uint8_t, 3 * size);
    return m->near || count == 0 ? PL_OK : pl_fail_memory(error, "an embedding");
}

pl_status pl_grid_embed(const pl_grid_level* level, const pl_grid_cells* cells,
                        const pl_grid_frame* frame, const double* positions, int vertex_count,
                        pl_grid_embedding_map* out, pl_error* error) {
    *out = (pl_grid_embedding_map){.vertex_count = vertex_count};
    out->weights = pl_alloc_items((size_t)vertex_count, sizeof *out->weights);
    if (!out->weights && vertex_count) return pl_fail_memory(error, "an embedding");
    for (int v = 0; v < vertex_count; v++)
        weigh(level, cells, frame, positions + 3 * (size_t)v, out->weights[v]);
    pl_status status = list_extensions(level, cells, out, error);
    if (status == PL_OK) status = list_near(level, out, error);
    if (status != PL_OK) pl_grid_embedding_free(out);
    return status;
}

static void extend_one(const pl_grid_embedding_map* m, int k, double* const u[3]) {
    const pl_grid_extension* x = &m->extensions.items[k];
    double sum = 0.0;
    for (int n = x->first; n < x->first + x->count; n++)
        sum += m->extensions.weights[n] * u[x->axis][m->extensions.sources[n]];
    u[x->axis][x->index] = sum;
}

void pl_grid_extend(const pl_grid_embedding_map* m, double* const u[3]) {
    for (int k = 0; k < m->extensions.count; k++) extend_one(m, k, u);
}

void pl_grid_extend_near(const pl_grid_embedding_map* m, double* const u[3]) {
    for (int k = 0; k < m->near_count; k++) extend_one(m, m->near[k], u);
}

typedef struct interpolate_job {
    const pl_grid_embedding_map* map;
    double* const* u;
    double* out;
} interpolate_job;

static void interpolate_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const interpolate_job* job = user;
    for (int v = begin; v < end; v++)
        for (int a = 0; a < 3; a++) {
            const pl_grid_weights* w = &job->map->weights[v][a];
            const double *u = job->u[a], t = w->fraction[0];
            double row[4];
            for (int n = 0; n < 4; n++) row[n] = (1.0 - t) * u[w->pair[n]] + t * u[w->pair[n] + 1];
            double low = row[0] + w->fraction[1] * (row[1] - row[0]);
            double high = row[2] + w->fraction[1] * (row[3] - row[2]);
            job->out[3 * (size_t)v + (size_t)a] = low + w->fraction[2] * (high - low);
        }
}

void pl_grid_interpolate_first(const pl_grid_embedding_map* map, int count, double* const u[3],
                               double* out, pl_pool* pool) {
    pl_parallel_for(pool, interpolate_task, count, 1024, &(interpolate_job){map, u, out});
}

void pl_grid_interpolate(const pl_grid_embedding_map* map, double* const u[3], double* out,
                         pl_pool* pool) {
    pl_grid_interpolate_first(map, map->vertex_count, u, out, pool);
}

// adds values of vertices to faces, with the interpolation weights
static void add_to_faces(const pl_grid_embedding_map* m, const double* values, double* const f[3]) {
    for (int v = 0; v < m->vertex_count; v++)
        for (int a = 0; a < 3; a++) {
            double value = values[3 * (size_t)v + (size_t)a];
            if (value == 0.0) continue;
            const pl_grid_weights* w = &m->weights[v][a];
            for (int n = 0; n < 4; n++) {
                double part = value * (n % 2 ? w->fraction[1] : 1.0 - w->fraction[1]) *
                              (n / 2 ? w->fraction[2] : 1.0 - w->fraction[2]);
                f[a][w->pair[n]] += part * (1.0 - w->fraction[0]);
                f[a][w->pair[n] + 1] += part * w->fraction[0];
            }
        }
}

// moves the values of exterior faces to the faces that they are extrapolated from
static void move_inside(const pl_grid_embedding_map* m, double* const f[3], bool sizes) {
    for (int k = m->near_count - 1; k >= 0; k--) {
        const pl_grid_extension* x = &m->extensions.items[m->near[k]];
        double value = f[x->axis][x->index];
        if (value == 0.0) continue;
        f[x->axis][x->index] = 0.0;
        for (int n = x->first; n < x->first + x->count; n++) {
            double weight = sizes ? fabs(m->extensions.weights[n]) : m->extensions.weights[n];
            f[x->axis][m->extensions.sources[n]] += weight * value;
        }
    }
}

void pl_grid_spread(const pl_grid_embedding_map* m, const double* force, double* const f[3]) {
    add_to_faces(m, force, f);
    move_inside(m, f, false);
}

void pl_grid_spread_sizes(const pl_grid_embedding_map* m, const double* stiffness,
                          double* const f[3], bool extend) {
    add_to_faces(m, stiffness, f);
    if (extend) move_inside(m, f, true);
}

void pl_grid_gains(const pl_grid_embedding_map* m, int field_size, double* const scratch[3],
                   double* out) {
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < field_size; i++) scratch[a][i] = 1.0;
    for (int k = 0; k < m->extensions.count; k++) {
        const pl_grid_extension* x = &m->extensions.items[k];
        double sum = 0.0;
        for (int n = x->first; n < x->first + x->count; n++)
            sum += fabs(m->extensions.weights[n]) * scratch[x->axis][m->extensions.sources[n]];
        scratch[x->axis][x->index] = sum;
    }
    for (int v = 0; v < m->vertex_count; v++)
        for (int a = 0; a < 3; a++) {
            const pl_grid_weights* w = &m->weights[v][a];
            double sum = 0.0;
            for (int n = 0; n < 8; n++) {
                double part = n & 1 ? w->fraction[0] : 1.0 - w->fraction[0];
                part *= n & 2 ? w->fraction[1] : 1.0 - w->fraction[1];
                part *= n & 4 ? w->fraction[2] : 1.0 - w->fraction[2];
                sum += fabs(part) * scratch[a][w->pair[n / 2] + n % 2];
            }
            out[3 * (size_t)v + (size_t)a] = sum;
        }
}

double pl_grid_largest(const pl_grid_embedding_map* m, int vertex, double* const f[3]) {
    double largest = 0.0;
    for (int a = 0; a < 3; a++)
        for (int n = 0; n < 8; n++)
            largest = fmax(largest, f[a][m->weights[vertex][a].pair[n / 2] + n % 2]);
    return largest;
}
