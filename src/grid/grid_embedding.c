// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Interpolation near the surface uses exterior faces, which are not variables. They are
// extrapolated from inside: u = 2 u1 - u2 along each axis on which the next two faces are known,
// averaged over these axes; the mean of the neighbours if there is no such pair. Forces are spread
// with the transpose, so the work of a force is the same on both sides and no force is lost.
#include "grid/grid_embedding.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

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
        // a place on a side of the box is in the box; one far away is not, however far
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
    pl_grid_extender list;
} extender;

static uint8_t* known_at(const extender* e, int a, int index) {
    return &e->known[(size_t)a * (size_t)e->level->field_size + (size_t)index];
}

// extrapolates one face from faces of earlier passes; false if there are none
static bool extend_face(extender* e, int a, const int at[3], int pass, bool linear) {
    int near[6], far[6], count = 0;
    for (int n = 0; n < 6; n++) {
        int step = n % 2 ? 1 : -1, p[3], q[3];
        for (int d = 0; d < 3; d++) p[d] = at[d] + step * shift[n / 2][d], q[d] = 2 * p[d] - at[d];
        near[count] = pl_grid_index(e->level, p[0], p[1], p[2]);
        far[count] = pl_grid_index(e->level, q[0], q[1], q[2]);
        if (near[count] < 0 || !*known_at(e, a, near[count]) ||
            *known_at(e, a, near[count]) >= pass)
            continue;
        bool both =
            far[count] >= 0 && *known_at(e, a, far[count]) && *known_at(e, a, far[count]) < pass;
        if (!linear || both) count++;
    }
    if (count == 0) return false;
    int index = pl_grid_index(e->level, at[0], at[1], at[2]);
    pl_grid_extender_add(&e->list, a, index, count, near, linear ? far : NULL);
    *known_at(e, a, index) = (uint8_t)pass;
    return true;
}

// one pass over all unknown faces; returns how many became known
static int run_pass(extender* e, int pass, bool linear) {
    int found = 0;
    for (int s = 0; s < e->level->segment_count; s++) {
        const pl_grid_segment* g = &e->level->segments[s];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++) {
            const int at[3] = {g->x + i, g->y, g->z};
            for (int a = 0; a < 3; a++)
                if (!*known_at(e, a, g->begin + i)) found += extend_face(e, a, at, pass, linear);
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
                    *known_at(e, a, g->begin + i) = 1;
            }
    }
}

static pl_status list_extensions(const pl_grid_level* level, const pl_grid_cells* cells,
                                 pl_grid_embedding_map* out, pl_error* error) {
    extender e = {.level = level, .list = pl_grid_extender_start()};
    e.known = PL_ALLOC(uint8_t, 3 * (size_t)level->field_size);
    if (!e.known) return pl_fail_memory(error, "an embedding");
    mark_variables(&e, cells);
    // linear where possible; thin parts take the mean of their neighbours
    for (int pass = 2; pass < 200 && !e.list.lost; pass++)
        if (run_pass(&e, pass, true) == 0 && run_pass(&e, pass, false) == 0) break;
    PL_FREE(e.known, uint8_t, 3 * (size_t)level->field_size);
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

// moves the values of exterior faces to the faces that they depend on
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
