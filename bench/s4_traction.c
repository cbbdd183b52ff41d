// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Zhu 2010, section 9.2: equations near a traction boundary contain stresses whose stencils reach
// out of the lattice; these are prescribed (section 5.3). With good values for them the lattice is
// second-order accurate. But its faces are not the surface, and the traction t = P n of the surface
// does not determine P e_j of a face.
//
//   paper   here
//   t, N    traction and normal of the surface's nearest point
//   t_i     P_ij of a side with the normal e_j
//
// Where we differ: the paper gives each face a share of t by N . N'. Here P is the stress S of the
// lattice slightly further inside, corrected so that P n = t:
//
//   r = t - S n,   P = S + r n' + n r' - (n . r) n n'
//
// where S is extrapolated linearly from the nearest cells whose whole stress is known. The first
// guess, without a solution, is the pressure S = (n . t) I.
#include "s4_traction.h"
#include "base/array.h"
#include "base/memory.h"
#include "geometry/triangle_tree.h"

#include <math.h>
#include <string.h>

enum { MAX_REACH = 3, MAX_FIT_CELLS = 343 }; // around the centre of a fit
enum { MIN_FIT_CELLS = 8 };                  // smallest number of cells for a linear fit
static const double FIT_DEPTH = 1.5;         // depth of its centre below the surface [cells]
static const int pair_of[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};

typedef struct builder {
    const pl_grid_level* level;
    const pl_grid_cells* cells;
    const pl_grid_frame* frame;
    const pl_mesh* surface;
    pl_triangle_tree tree;
    int* slots; // per cell of the box: in `known`, + 1
    pl_array sides, parts, known;
    bool lost;
} builder;

void s4_traction_free(s4_traction* t) {
    PL_FREE(t->sides, s4_side, t->side_count);
    PL_FREE(t->parts, s4_fit_part, t->part_count);
    pl_free(t->cells, (size_t)t->cell_count * sizeof *t->cells);
    PL_FREE(t->stress, double, 6 * (size_t)t->cell_count);
    *t = (s4_traction){0};
}

// whether a cell and all its face and edge neighbours belong to the body
static bool knows_stress(const pl_grid_cells* c, const int at[3]) {
    for (int n = 0; n < 27; n++) {
        int step[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
        if (step[0] && step[1] && step[2]) continue;
        if (pl_grid_cell(c, at[0] + step[0], at[1] + step[1], at[2] + step[2]) == PL_CELL_EXTERIOR)
            return false;
    }
    return true;
}

static int slot_of(builder* b, const int at[3]) {
    if (!pl_grid_cells_has(b->cells, at[0], at[1], at[2]) || !knows_stress(b->cells, at)) return -1;
    int* slot = &b->slots[pl_grid_cells_index(b->cells, at[0], at[1], at[2])];
    if (!*slot) {
        if (!pl_array_push(&b->known, at)) b->lost = true;
        *slot = (int)b->known.count;
    }
    return *slot - 1;
}

// Solves the 4 x 4 normal equations of a linear fit for two right-hand sides. Returns false if the
// points do not span space.
static bool solve_fit(double A[4][4], double x[4][2]) {
    for (int k = 0; k < 4; k++) {
        if (A[k][k] < 1e-3) return false;
        for (int i = k + 1; i < 4; i++) {
            double factor = A[i][k] / A[k][k];
            for (int j = k; j < 4; j++) A[i][j] -= factor * A[k][j];
            for (int s = 0; s < 2; s++) x[i][s] -= factor * x[k][s];
        }
    }
    for (int k = 3; k >= 0; k--)
        for (int s = 0; s < 2; s++) {
            for (int j = k + 1; j < 4; j++) x[k][s] -= A[k][j] * x[j][s];
            x[k][s] /= A[k][k];
        }
    return true;
}

// Cells within `reach` of a position whose stress is known: slots and distances.
static int gather(builder* b, pl_vec3 middle, int reach, s4_fit_part* parts, double (*offsets)[4]) {
    int count = 0, width = 2 * reach + 1;
    for (int n = 0; n < width * width * width; n++) {
        const int at[3] = {(int)floor(middle.x) + n % width - reach,
                           (int)floor(middle.y) + n / width % width - reach,
                           (int)floor(middle.z) + n / width / width - reach};
        parts[count].slot = slot_of(b, at);
        if (parts[count].slot < 0) continue;
        double* o = offsets[count++];
        o[0] = 1.0, o[1] = at[0] + 0.5 - middle.x, o[2] = at[1] + 0.5 - middle.y;
        o[3] = at[2] + 0.5 - middle.z;
    }
    return count;
}

// Weights of cells around `middle` that extrapolate their stress to a face and to the surface; all
// positions in cells. Thin parts and corners have to look farther, and may find none.
static void add_fit(builder* b, pl_vec3 middle, pl_vec3 side, pl_vec3 foot, s4_side* out) {
    double A[4][4] = {0}, offsets[MAX_FIT_CELLS][4];
    double x[4][2] = {{1.0, 1.0},
                      {side.x - middle.x, foot.x - middle.x},
                      {side.y - middle.y, foot.y - middle.y},
                      {side.z - middle.z, foot.z - middle.z}};
    s4_fit_part parts[MAX_FIT_CELLS];
    int count = 0;
    for (int reach = 1; reach <= MAX_REACH && count == 0; reach++)
        count = gather(b, middle, reach, parts, offsets);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < 16; i++) A[i / 4][i % 4] += offsets[k][i / 4] * offsets[k][i % 4];
    bool linear = count >= MIN_FIT_CELLS && solve_fit(A, x);
    for (int k = 0; k < count; k++) {
        double w[2] = {0.0, 0.0};
        for (int s = 0; s < 2; s++)
            for (int i = 0; i < 4; i++) w[s] += x[i][s] * offsets[k][i];
        parts[k].at_side = linear ? w[0] : 1.0 / count;
        parts[k].at_surface = linear ? w[1] : 1.0 / count;
        if (!pl_array_push(&b->parts, &parts[k])) b->lost = true;
    }
    out->count = count;
}

static pl_vec3 in_cells(const builder* b, pl_vec3 x) {
    pl_vec3 at = pl_scale(1.0 / b->frame->cell, pl_sub(x, pl_vec3_load(b->frame->origin)));
    return (pl_vec3){pl_grid_folded(b->frame, 0, at.x), pl_grid_folded(b->frame, 1, at.y),
                     pl_grid_folded(b->frame, 2, at.z)};
}

// A boundary stress at `place` [cells].
static void add_side(builder* b, int target, int index, int row, int column, double factor,
                     const double place[3]) {
    s4_side s = {.target = target, .index = index, .row = row, .column = column};
    pl_vec3 at = {pl_grid_unfolded(b->frame, 0, place[0]), pl_grid_unfolded(b->frame, 1, place[1]),
                  pl_grid_unfolded(b->frame, 2, place[2])};
    pl_vec3 x = pl_madd(pl_vec3_load(b->frame->origin), b->frame->cell, at);
    pl_nearest near = pl_triangle_tree_nearest(&b->tree, x, INFINITY);
    if (near.triangle < 0) return;
    memcpy(s.corners, b->surface->triangles + 3 * (size_t)near.triangle, sizeof s.corners);
    memcpy(s.weights, near.at.weights, sizeof s.weights);
    pl_vec3 corner[3];
    for (int i = 0; i < 3; i++)
        corner[i] = pl_vec3_load(b->surface->positions + 3 * (size_t)s.corners[i]);
    s.normal = pl_normalize(pl_cross(pl_sub(corner[1], corner[0]), pl_sub(corner[2], corner[0])));
    s.factor = factor;
    s.first = (int)b->parts.count;
    pl_vec3 foot = in_cells(b, near.at.point);
    add_fit(b, pl_madd(foot, -FIT_DEPTH, s.normal), at, foot, &s);
    if (!pl_array_push(&b->sides, &s)) b->lost = true;
}

// the boundary stresses of the equation of an interior face
static void add_face_sides(builder* b, int a, const int at[3], int index) {
    for (int j = 0; j < 3; j++)
        for (int side = -1; side <= 1; side += 2) {
            double place[3] = {at[0] + 0.5, at[1] + 0.5, at[2] + 0.5};
            place[a] -= 0.5, place[j] += 0.5 * side;
            // the cell that owns the stress: P_aa at its centre, P_aj on its low edge
            int owner[3] = {at[0], at[1], at[2]};
            if (j == a && side < 0) owner[a]--;
            if (j != a && side > 0) owner[j]++;
            int cell = pl_grid_index(b->level, owner[0], owner[1], owner[2]);
            const pl_grid_masks* m = cell < 0 ? NULL : &b->level->masks[cell / PL_GRID_CHUNK];
            if (m && pl_grid_bit(j == a ? m->stress[a] : m->edge[3 - a - j], cell)) continue;
            add_side(b, a, index, a, j, -side, place);
        }
}

static void add_cell_sides(builder* b, const int at[3], int index) {
    const pl_grid_masks* m = &b->level->masks[index / PL_GRID_CHUNK];
    const double place[3] = {at[0] + 0.5, at[1] + 0.5, at[2] + 0.5};
    for (int a = 0; a < 3; a++)
        if (!pl_grid_bit(m->stress[a], index)) add_side(b, 3, index, a, a, -0.5, place);
}

static void add_all(builder* b) {
    const pl_grid_level* l = b->level;
    for (int s = 0; s < l->segment_count; s++)
        for (int i = 0; i < l->segments[s].count * PL_GRID_CHUNK; i++) {
            const pl_grid_segment* g = &l->segments[s];
            const int at[3] = {g->x + i, g->y, g->z};
            int index = g->begin + i;
            const pl_grid_masks* m = &l->masks[index / PL_GRID_CHUNK];
            for (int a = 0; a < 3; a++)
                if (pl_grid_bit(m->face[a], index)) add_face_sides(b, a, at, index);
            if (pl_grid_bit(m->interior, index)) add_cell_sides(b, at, index);
        }
}

static bool take(pl_array* array, void* items, int* count) {
    void* taken = NULL;
    *count = (int)array->count;
    bool ok = pl_array_take(array, &taken);
    memcpy(items, &taken, sizeof taken);
    if (!ok) *count = 0;
    return ok;
}

pl_status s4_traction_create(const pl_grid_level* level, const pl_grid_cells* cells,
                             const pl_grid_frame* frame, const pl_mesh* surface, s4_traction* out,
                             pl_error* error) {
    builder b = {.level = level,
                 .cells = cells,
                 .frame = frame,
                 .surface = surface,
                 .sides = pl_array_of(sizeof(s4_side)),
                 .parts = pl_array_of(sizeof(s4_fit_part)),
                 .known = pl_array_of(3 * sizeof(int))};
    *out = (s4_traction){.cell = frame->cell};
    pl_status status = pl_triangle_tree_build(surface->positions, surface->triangles,
                                              surface->triangle_count, &b.tree, error);
    if (status != PL_OK) return status;
    size_t box = pl_grid_cells_count(cells);
    b.slots = PL_ALLOC(int, box);
    if (b.slots) add_all(&b);
    bool ok = b.slots && !b.lost && take(&b.sides, &out->sides, &out->side_count) &&
              take(&b.parts, &out->parts, &out->part_count) &&
              take(&b.known, &out->cells, &out->cell_count);
    if (ok) out->stress = PL_ALLOC(double, 6 * (size_t)out->cell_count);
    if (!ok || (out->cell_count && !out->stress)) status = pl_fail_memory(error, "tractions");
    PL_FREE(b.slots, int, box);
    pl_array_free(&b.sides), pl_array_free(&b.parts), pl_array_free(&b.known);
    pl_triangle_tree_free(&b.tree);
    if (status != PL_OK) s4_traction_free(out);
    return status;
}

// ------------------------------------------------------------------ stresses

// component a at the face of a cell, shifted
static double shifted(const pl_grid_level* l, const pl_grid_state* s, int a, const int at[3], int d,
                      int by, int upper) {
    int p[3] = {at[0], at[1], at[2]};
    p[a] += upper, p[d] += by;
    return s->u[a][pl_grid_index(l, p[0], p[1], p[2])];
}

// P of a cell, from displacements alone [mu]
static void cell_stress(const pl_grid_level* l, const pl_grid_state* s, double h, const int at[3],
                        double out[6]) {
    double gradient[3][3], trace = 0.0;
    for (int a = 0; a < 3; a++)
        for (int d = 0; d < 3; d++) {
            double sum = 0.0;
            if (d == a) sum = shifted(l, s, a, at, a, 0, 1) - shifted(l, s, a, at, a, 0, 0);
            else
                for (int upper = 0; upper < 2; upper++)
                    sum += 0.25 *
                           (shifted(l, s, a, at, d, 1, upper) - shifted(l, s, a, at, d, -1, upper));
            gradient[a][d] = sum / h;
        }
    for (int a = 0; a < 3; a++) trace += gradient[a][a];
    for (int a = 0; a < 3; a++)
        for (int d = a; d < 3; d++)
            out[pair_of[a][d]] =
                gradient[a][d] + gradient[d][a] + (a == d ? trace / s->compressibility : 0.0);
}

// P = S + r n' + n r' - (n . r) n n' at a face, one component
static double side_stress(const s4_traction* t, const s4_side* s, const double* force_per_area,
                          bool known) {
    const double n[3] = {s->normal.x, s->normal.y, s->normal.z};
    double traction[3] = {0}, at_side[6] = {0}, at_surface[6] = {0}, r[3], along = 0.0;
    for (int i = 0; i < 3; i++)
        for (int a = 0; a < 3; a++)
            traction[a] += s->weights[i] * force_per_area[3 * (size_t)s->corners[i] + (size_t)a];
    for (int k = s->first; known && k < s->first + s->count; k++)
        for (int c = 0; c < 6; c++) {
            const s4_fit_part* part = &t->parts[k];
            at_side[c] += part->at_side * t->stress[6 * (size_t)part->slot + (size_t)c];
            at_surface[c] += part->at_surface * t->stress[6 * (size_t)part->slot + (size_t)c];
        }
    if (!known || s->count == 0)
        for (int a = 0; a < 3; a++)
            at_side[a] = at_surface[a] =
                traction[0] * n[0] + traction[1] * n[1] + traction[2] * n[2];
    for (int a = 0; a < 3; a++) {
        r[a] = traction[a];
        for (int d = 0; d < 3; d++) r[a] -= at_surface[pair_of[a][d]] * n[d];
        along += r[a] * n[a];
    }
    return at_side[pair_of[s->row][s->column]] + r[s->row] * n[s->column] +
           n[s->row] * r[s->column] - along * n[s->row] * n[s->column];
}

void s4_traction_add(const s4_traction* t, const pl_grid_level* level, const double* force_per_area,
                     bool known, pl_grid_state* state) {
    for (int k = 0; known && k < t->cell_count; k++)
        cell_stress(level, state, t->cell, t->cells[k], t->stress + 6 * (size_t)k);
    for (int k = 0; k < t->side_count; k++) {
        const s4_side* s = &t->sides[k];
        double* right = s->target < 3 ? state->f[s->target] : state->g;
        right[s->index] += s->factor * t->cell * side_stress(t, s, force_per_area, known);
    }
}
