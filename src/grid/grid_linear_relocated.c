// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Zhu 2010, section 6. Restriction drops residuals in cells that are Dirichlet on the coarser
// level; the paper reduces them by 2 to 3 more sweeps there.
//
// Differs from the paper: sweeps cannot move volume along a wall. In the layer of cells between the
// wall of a level and that of the next one, the residual of the pressure equations is smooth along
// the wall, so sweeps reduce it as slowly as any smooth residual: after a few cycles of an
// armadillo pulled by its hands it was three quarters of the whole. So the missing volume of these
// cells is restricted to the free coarse cells next to them, and their pressure (c, see
// grid_linear_level.h) is corrected from there. Sweeps then only have to move volume within a
// coarse cell. Extra sweeps are made too, as in the paper; they are distributive, because relocated
// cells have no exterior neighbours (others belong to the band).
#include "base/array.h"
#include "base/memory.h"
#include "grid/grid_linear_level.h"

// Largest number of steps to a free coarse cell, and how many coarse cells share a cell.
enum { HOPS = 3, SHARES = 8 };

static const int steps[6][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};

static bool is_interior(const pl_grid_linear_level* l, int index) {
    return index >= 0 && pl_grid_bit(l->layout->masks[index / PL_GRID_CHUNK].interior, index);
}
static bool is_core(const pl_grid_linear_level* l, int place) {
    return pl_grid_bit(l->split[place / PL_GRID_CHUNK].core, place);
}

// index of the parent of a fine cell, or -1 if it is not free
static int free_parent(const pl_grid_linear_level* coarse, const int at[3]) {
    int index = pl_grid_index(coarse->layout, pl_grid_halve(at[0]), pl_grid_halve(at[1]),
                              pl_grid_halve(at[2]));
    return is_interior(coarse, index) ? index : -1;
}

typedef struct search {
    const pl_grid_linear_level *fine, *coarse;
    int count;
    pl_grid_share found[SHARES]; // weights count the paths that lead there
} search;

static void find(search* s, int coarse) {
    int k = 0;
    while (k < s->count && s->found[k].coarse != coarse) k++;
    if (k == SHARES) return;
    if (k == s->count) s->found[s->count++] = (pl_grid_share){coarse, 0.0f};
    s->found[k].weight += 1.0f;
}

// Counts paths of this many steps from a cell, through relocated cells, to one with a free parent.
static void walk(search* s, const int at[3], int hops) {
    for (int n = 0; n < 6; n++) {
        const int next[3] = {at[0] + steps[n][0], at[1] + steps[n][1], at[2] + steps[n][2]};
        if (!is_interior(s->fine, pl_grid_index(s->fine->layout, next[0], next[1], next[2])))
            continue;
        int parent = free_parent(s->coarse, next);
        if (hops == 1 && parent >= 0) find(s, pl_place_of(parent));
        if (hops > 1 && parent < 0) walk(s, next, hops - 1);
    }
}

typedef struct maker {
    search search;
    uint8_t* marks; // per place: relocated
    pl_array cells, begins, shares, faces;
    bool lost; // an allocation failed
} maker;

static void push(maker* m, pl_array* list, const void* item) {
    if (!pl_array_push(list, item)) m->lost = true;
}

static pl_grid_spot spot_of(const pl_grid_segment* g, int i) {
    pl_grid_spot spot = {.at = pl_place_of(g->begin + i)};
    for (int r = 0; r < 4; r++) spot.rows[r] = pl_place_of(g->rows[r] + i);
    return spot;
}

static void add_cell(maker* m, const pl_grid_segment* g, int i) {
    search* s = &m->search;
    const int at[3] = {g->x + i, g->y, g->z};
    if (!is_core(s->fine, pl_place_of(g->begin + i)) || free_parent(s->coarse, at) >= 0) return;
    pl_grid_spot spot = spot_of(g, i);
    m->marks[spot.at] = 1;
    s->count = 0;
    for (int hops = 1; hops <= HOPS && s->count == 0; hops++) walk(s, at, hops);
    int begin = (int)m->shares.count;
    push(m, &m->cells, &spot);
    push(m, &m->begins, &begin);
    float sum = 0.0f;
    for (int k = 0; k < s->count; k++) sum += s->found[k].weight;
    for (int k = 0; k < s->count; k++) {
        s->found[k].weight /= sum;
        push(m, &m->shares, &s->found[k]);
    }
}

static int below(const pl_grid_spot* p, int a) {
    return a == 0 ? pl_place_below(p->at) : p->rows[2 * a - 2];
}
static int above(const pl_grid_spot* p, int a) {
    return a == 0 ? pl_place_above(p->at) : p->rows[2 * a - 1];
}

static void add_face(maker* m, const pl_grid_segment* g, int a, int i) {
    pl_grid_spot spot = spot_of(g, i);
    bool inner = pl_grid_bit(m->search.fine->split[spot.at / PL_GRID_CHUNK].inner[a], spot.at);
    if (inner && (m->marks[spot.at] || m->marks[below(&spot, a)])) push(m, &m->faces, &spot);
}

static void* take(maker* m, pl_array* list) {
    void* data = NULL;
    if (!pl_array_take(list, &data)) m->lost = true;
    return data;
}

static void list_all(maker* m, pl_grid_relocated* out) {
    const pl_grid_linear_level* fine = m->search.fine;
    for (int s = 0; s < fine->layout->segment_count; s++)
        for (int i = 0; i < fine->layout->segments[s].count * PL_GRID_CHUNK; i++)
            add_cell(m, &fine->layout->segments[s], i);
    for (int a = 0; a < 3; a++) {
        for (int s = 0; s < fine->layout->segment_count && m->cells.count; s++)
            for (int i = 0; i < fine->layout->segments[s].count * PL_GRID_CHUNK; i++)
                add_face(m, &fine->layout->segments[s], a, i);
        out->faces_begin[a + 1] = (int)m->faces.count;
    }
    int end = (int)m->shares.count;
    push(m, &m->begins, &end);
    if (m->lost) return;
    out->cell_count = (int)m->cells.count, out->share_count = end;
    out->cells = take(m, &m->cells);
    out->shares_begin = take(m, &m->begins);
    out->shares = take(m, &m->shares);
    out->faces = take(m, &m->faces);
}

pl_status pl_grid_relocated_create(const pl_grid_linear_level* fine,
                                   const pl_grid_linear_level* coarse, pl_grid_relocated* out,
                                   pl_error* error) {
    *out = (pl_grid_relocated){0};
    maker m = {.search = {.fine = fine, .coarse = coarse},
               .marks = PL_ALLOC(uint8_t, fine->layout->field_size),
               .cells = pl_array_of(sizeof(pl_grid_spot)),
               .begins = pl_array_of(sizeof(int)),
               .shares = pl_array_of(sizeof(pl_grid_share)),
               .faces = pl_array_of(sizeof(pl_grid_spot))};
    if (m.marks) list_all(&m, out);
    if (!m.marks || m.lost) {
        pl_array_free(&m.cells), pl_array_free(&m.begins);
        pl_array_free(&m.shares), pl_array_free(&m.faces);
        pl_grid_relocated_free(out);
    }
    PL_FREE(m.marks, uint8_t, fine->layout->field_size);
    return out->shares_begin ? PL_OK : pl_fail_memory(error, "the levels of a lattice");
}

void pl_grid_relocated_free(pl_grid_relocated* r) {
    PL_FREE(r->cells, pl_grid_spot, r->cell_count);
    PL_FREE(r->shares_begin, int, r->cell_count + 1);
    PL_FREE(r->shares, pl_grid_share, r->share_count);
    PL_FREE(r->faces, pl_grid_spot, r->faces_begin[3]);
    *r = (pl_grid_relocated){0};
}

// g - div(u) - eps p
static float cell_residual(const pl_grid_linear_level* l, const pl_grid_spot* p) {
    float divergence = 0.0f, eps = l->compressibility;
    for (int a = 0; a < 3; a++) divergence += l->u[a][above(p, a)] - l->u[a][p->at];
    return l->g[p->at] - (1.0f + eps) * divergence + eps * l->c[p->at];
}

// A pressure residual has weight a quarter in each of the eight children (see
// grid_linear_transfer.c).
void pl_grid_relocated_restrict(const pl_grid_relocated* r, const pl_grid_linear_level* fine,
                                pl_grid_linear_level* coarse) {
    for (int n = 0; n < r->cell_count; n++) {
        float residual = 0.25f * cell_residual(fine, &r->cells[n]);
        for (int k = r->shares_begin[n]; k < r->shares_begin[n + 1]; k++)
            coarse->g[r->shares[k].coarse] += r->shares[k].weight * residual;
    }
}

void pl_grid_relocated_prolong(const pl_grid_relocated* r, pl_grid_linear_level* fine,
                               const pl_grid_linear_level* coarse) {
    for (int n = 0; n < r->cell_count; n++)
        for (int k = r->shares_begin[n]; k < r->shares_begin[n + 1]; k++)
            fine->c[r->cells[n].at] += 0.5f * r->shares[k].weight * coarse->c[r->shares[k].coarse];
}

// ------------------------------------------------------------------ sweeps

static void relax_face(pl_grid_linear_level* l, const pl_grid_spot* p, int a) {
    const int wall = l->has_stiff_walls ? l->wall_index[p->at / PL_GRID_CHUNK] : -1;
    float* u = l->u[a];
    float sum = l->c[p->at] - l->c[below(p, a)] - l->f[a][p->at];
    for (int b = 0; b < 3; b++) sum += u[below(p, b)] + u[above(p, b)];
    u[p->at] = sum * (wall < 0 ? 1.0f / (6.0f + l->inertia)
                               : l->walls[wall].inverse[a][p->at % PL_GRID_CHUNK]);
}

// psi is unchanged; q of this cell only
static void relax_cell(pl_grid_linear_level* l, const pl_grid_spot* p) {
    const int wall = l->wall_index[p->at / PL_GRID_CHUNK], i = p->at % PL_GRID_CHUNK;
    float eps = l->compressibility, closed = 0.0f;
    float inverse = 1.0f / (6.0f * (1.0f + 2.0f * eps) + eps * l->inertia);
    if (wall >= 0) closed = l->wall_q[wall][0][i], inverse = l->wall_q[wall][1][i];
    float q = cell_residual(l, p) * inverse;
    l->c[p->at] -= (6.0f + l->inertia - closed) * q;
    for (int a = 0; a < 3; a++) {
        int low = below(p, a), high = above(p, a);
        if (pl_grid_bit(l->split[p->at / PL_GRID_CHUNK].face[a], p->at)) l->u[a][p->at] -= q;
        if (pl_grid_bit(l->split[high / PL_GRID_CHUNK].face[a], high)) l->u[a][high] += q;
        if (is_core(l, low)) l->c[low] += q;
        if (is_core(l, high)) l->c[high] += q;
    }
}

void pl_grid_relocated_smooth(const pl_grid_relocated* r, pl_grid_linear_level* level, int sweeps) {
    for (int n = 0; n < sweeps; n++) {
        for (int a = 0; a < 3; a++)
            for (int k = r->faces_begin[a]; k < r->faces_begin[a + 1]; k++)
                relax_face(level, &r->faces[k], a);
        for (int k = 0; k < r->cell_count; k++) relax_cell(level, &r->cells[k]);
    }
}
