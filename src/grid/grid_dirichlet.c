// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Cells that pins hold. A lattice can only hold whole cells; the body deforms beyond them. So a
// pinned side of the body holds the cells outside it: those that contain points half a cell
// outwards. That layer ends exactly at the side if the side is between two layers of cells, and at
// most half a cell from it otherwise. (With the inner layer, which contains the pins too, a bar of
// 4 cells across and 16 along would be a cell too short and sag a fifth less.) Pinned tets hold the
// cells inside them, and a single vertex holds its own cell.
#include "base/memory.h"
#include "grid/grid_step.h"
#include "math/polar.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// number of the attachment that the pins of a group belong to, from 1
static int attachment_of_group(pl_grid_body* b, int group) {
    // pins come group by group, so try the last attachment first
    for (int k = b->fit_count - 1; group >= 0 && k > 0; k--)
        if (b->fits[k].group == group) return k;
    b->fits[b->fit_count].group = group;
    return b->fit_count++;
}

// Reserves room for the attachments of the pins. Each change of group may start another attachment.
static pl_status reserve_fits(pl_grid_body* b, const pl_grid_loads* loads, pl_error* error) {
    int count = 1, last = -1;
    for (int k = 0; k < loads->pin_count; k++) {
        if (!loads->pins[k].hard || !pl_grid_is_own(b, loads->pins[k].vertex)) continue;
        count += loads->pins[k].group < 0 || loads->pins[k].group != last;
        last = loads->pins[k].group;
    }
    if (count <= b->fit_room) return PL_OK;
    pl_grid_fit* fits =
        pl_realloc(b->fits, (size_t)b->fit_room * sizeof *fits, (size_t)count * sizeof *fits);
    if (!fits) return pl_fail_memory(error, "the attachments of a lattice");
    b->fits = fits;
    b->fit_room = count;
    return PL_OK;
}

// records which vertices are held exactly, and their attachments; *changed: whether that changed
static pl_status note_pinned(pl_grid_body* b, const pl_grid_loads* loads, bool* changed,
                             pl_error* error) {
    uint64_t hash = 1469598103934665603u;
    b->held_count = 0;
    for (int k = 0; k < loads->pin_count; k++) {
        if (!loads->pins[k].hard || !pl_grid_is_own(b, loads->pins[k].vertex)) continue;
        hash = (hash ^ (uint64_t)loads->pins[k].vertex) * 1099511628211u;
        hash = (hash ^ (uint64_t)(int64_t)loads->pins[k].group) * 1099511628211u;
        b->held_count++;
    }
    *changed = hash != b->pinned_hash;
    if (!*changed) return PL_OK;
    pl_status status = reserve_fits(b, loads, error);
    if (status != PL_OK) return status;
    b->pinned_hash = hash;
    b->fit_count = 1;
    if (b->vertex_count) memset(b->pinned, 0, (size_t)b->vertex_count * sizeof(int));
    for (int k = 0; k < loads->pin_count; k++)
        if (loads->pins[k].hard && pl_grid_is_own(b, loads->pins[k].vertex))
            b->pinned[loads->pins[k].vertex - b->first_vertex] =
                attachment_of_group(b, loads->pins[k].group);
    return PL_OK;
}

// Cells outside the body store the negative number of their attachment.
static bool is_outside(const pl_grid_body* b, int i, int j, int k, int at) {
    return pl_grid_cell(&b->cells, i, j, k) == PL_CELL_EXTERIOR || b->held[at] < 0;
}

static void mark_at(pl_grid_body* b, int i, int j, int k, int attachment, bool outside) {
    const int at = pl_grid_index(&b->lattice.levels[0], i, j, k);
    if (at < 0 || !pl_grid_cells_has(&b->cells, i, j, k)) return;
    if (!is_outside(b, i, j, k, at)) b->next_held[at] = attachment;
    else if (outside) b->next_held[at] = -attachment;
}

// a coordinate in cells of the lattice
static double in_cells(const pl_grid_body* b, int axis, double x) {
    return pl_grid_folded(&b->frame, axis, (x - b->frame.origin[axis]) / b->frame.cell);
}

static void cell_at(const pl_grid_body* b, pl_vec3 p, int cell[3]) {
    double at[3];
    pl_vec3_store(at, p);
    for (int d = 0; d < 3; d++) cell[d] = (int)floor(in_cells(b, d, at[d]));
}

// the attachment that holds all vertices of an element, or 0
static int common_attachment(const pl_grid_body* b, const int* v, int count) {
    for (int i = 1; i < count; i++)
        if (b->pinned[v[i]] != b->pinned[v[0]]) return 0;
    return b->pinned[v[0]];
}

// marks the cells inside a tet, by sampling points at most half a cell apart
static void mark_tet(pl_grid_body* b, const int* v, int attachment) {
    double at[3];
    for (int k = 0; pl_grid_tet_point(&b->frame, b->rest, v, &k, at); k++) {
        int cell[3];
        if (!pl_grid_cell_of(&b->cells, &b->frame, at, cell)) continue;
        mark_at(b, cell[0], cell[1], cell[2], attachment, false);
    }
}

// whether the normal at a surface point points into the body
static bool faces_inwards(const pl_grid_body* b, pl_vec3 middle, pl_vec3 normal) {
    bool inside[2];
    for (int side = 0; side < 2; side++) {
        int c[3];
        cell_at(b, pl_madd(middle, (side ? -0.5 : 0.5) * b->frame.cell, normal), c);
        const int at = pl_grid_index(&b->lattice.levels[0], c[0], c[1], c[2]);
        inside[side] = at >= 0 && !is_outside(b, c[0], c[1], c[2], at);
    }
    return inside[0] && !inside[1];
}

// marks the cells half a cell outside a triangle, by the centroids of smaller triangles
static void mark_triangle(pl_grid_body* b, const int* v, int attachment) {
    pl_vec3 x[3], normal;
    double longest = 0.0;
    for (int i = 0; i < 3; i++) x[i] = pl_vec3_load(b->rest + 3 * (size_t)v[i]);
    for (int i = 0; i < 3; i++) longest = fmax(longest, pl_norm(pl_sub(x[(i + 1) % 3], x[i])));
    normal = pl_normalize(pl_cross(pl_sub(x[1], x[0]), pl_sub(x[2], x[0])));
    const pl_vec3 middle = pl_scale(1.0 / 3.0, pl_add(x[0], pl_add(x[1], x[2])));
    if (faces_inwards(b, middle, normal)) normal = pl_scale(-1.0, normal);
    const int n = (int)fmin(ceil(3.0 * longest / b->frame.cell) + 1.0, 1024.0);
    const pl_vec3 along = pl_scale(1.0 / n, pl_sub(x[1], x[0])),
                  up = pl_scale(1.0 / n, pl_sub(x[2], x[0]));
    for (int i = 0; i < n; i++)
        for (int j = 0; i + j < n; j++) {
            int cell[3];
            const pl_vec3 p = pl_madd(pl_madd(x[0], i + 1.0 / 3.0, along), j + 1.0 / 3.0, up);
            cell_at(b, pl_madd(p, 0.5 * b->frame.cell, normal), cell);
            mark_at(b, cell[0], cell[1], cell[2], attachment, true);
        }
}

// Holds one side of an added cell like that side of the adjacent body cell, so that a thickened
// part is clamped across its whole section.
static void hold_side(pl_grid_body* b, const int added[3], const int near[3]) {
    const pl_grid_level* l = &b->lattice.levels[0];
    for (int side = 0; side < 6; side++) {
        int own[3], other[3];
        for (int a = 0; a < 3; a++) {
            const int step = a == side / 2 ? (side % 2 ? 1 : -1) : 0;
            own[a] = added[a] + step, other[a] = near[a] + step;
        }
        const int from = pl_grid_index(l, other[0], other[1], other[2]);
        const int to = pl_grid_index(l, own[0], own[1], own[2]);
        if (from < 0 || to < 0 || b->next_held[from] >= 0 || b->next_held[to] != 0) continue;
        if (is_outside(b, own[0], own[1], own[2], to))
            mark_at(b, own[0], own[1], own[2], -b->next_held[from], true);
    }
}

static void hold_added_cells(pl_grid_body* b) {
    const int* added = b->thickening.added.data;
    for (size_t k = 0; k < b->thickening.added.count; k++)
        for (int n = 0; n < 27; n++) {
            const int* at = added + 3 * k;
            const int near[3] = {at[0] + n % 3 - 1, at[1] + n / 3 % 3 - 1, at[2] + n / 9 - 1};
            const int index = pl_grid_index(&b->lattice.levels[0], near[0], near[1], near[2]);
            if (index >= 0 && !is_outside(b, near[0], near[1], near[2], index))
                hold_side(b, at, near);
        }
}

// marks the cells of triangles and tets that are held as a whole, and of other pinned vertices
static void mark_held(pl_grid_body* b) {
    memset(b->next_held, 0, (size_t)b->lattice.levels[0].field_size * sizeof(int));
    for (int v = 0; v < b->vertex_count; v++) b->is_single[v] = b->pinned[v] != 0;
    for (int t = 0; t < b->tet_count; t++) {
        const int *v = b->tets + 4 * (size_t)t, attachment = common_attachment(b, v, 4);
        if (!attachment) continue;
        mark_tet(b, v, attachment);
        for (int i = 0; i < 4; i++) b->is_single[v[i]] = false;
    }
    for (int t = 0; t < b->triangle_count; t++) {
        const int *v = b->triangles + 3 * (size_t)t, attachment = common_attachment(b, v, 3);
        if (!attachment) continue;
        mark_triangle(b, v, attachment);
        for (int i = 0; i < 3; i++) b->is_single[v[i]] = false;
    }
    for (int v = 0; v < b->vertex_count; v++) {
        if (!b->is_single[v]) continue;
        int cell[3];
        pl_grid_cell_of(&b->cells, &b->frame, b->anchor + 3 * (size_t)v, cell);
        mark_at(b, cell[0], cell[1], cell[2], b->pinned[v], false);
    }
    hold_added_cells(b);
}

// sets the kinds of cells
static void hold_cells(pl_grid_body* b) {
    const pl_grid_level* l = &b->lattice.levels[0];
    for (int s = 0; s < l->segment_count; s++) {
        const pl_grid_segment* g = &l->segments[s];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++) {
            const int at = g->begin + i, x = g->x + i;
            if (!pl_grid_cells_has(&b->cells, x, g->y, g->z)) continue;
            const bool outside = is_outside(b, x, g->y, g->z, at);
            b->cells.kinds[pl_grid_cells_index(&b->cells, x, g->y, g->z)] =
                b->next_held[at] ? PL_CELL_DIRICHLET
                : outside        ? PL_CELL_EXTERIOR
                                 : PL_CELL_INTERIOR;
        }
    }
    memcpy(b->held, b->next_held, (size_t)l->field_size * sizeof(int));
}

// rebuilds everything on the lattice, except fields
static pl_status make_again(pl_grid_body* b, pl_grid_lattice* lattice, pl_grid_embedding_map* map,
                            pl_grid_tricubic* tricubic, pl_error* error) {
    pl_status status = pl_grid_lattice_create(&b->cells, lattice, error);
    if (status != PL_OK) return status;
    const pl_grid_level* fine = &lattice->levels[0];
    status = pl_grid_embed(fine, &b->cells, &b->frame, b->anchor, b->point_count, map, error);
    if (status == PL_OK && b->is_smooth)
        status = pl_grid_tricubic_create(fine, &b->cells, &b->frame, b->anchor, b->vertex_count,
                                         tricubic, error);
    if (status == PL_OK) status = pl_grid_relayout(b, fine, error);
    if (status == PL_OK) return PL_OK;
    pl_grid_embedding_free(map);
    pl_grid_tricubic_free(tricubic);
    pl_grid_lattice_free(lattice);
    return status;
}

// rebuilds levels and extrapolation for new Dirichlet cells
static pl_status rebuild(pl_grid_body* b, pl_error* error) {
    pl_grid_lattice lattice = {0};
    pl_grid_embedding_map map = {0};
    pl_grid_tricubic tricubic = {0};
    hold_cells(b);
    pl_status status = make_again(b, &lattice, &map, &tricubic, error);
    if (status != PL_OK) return status;
    pl_grid_corot_free(&b->corot);
    pl_grid_linear_free(&b->linear);
    pl_grid_lattice_free(&b->lattice);
    pl_grid_embedding_free(&b->map);
    pl_grid_tricubic_free(&b->tricubic);
    b->lattice = lattice;
    b->map = map;
    b->tricubic = tricubic;
    b->coefficients_fit = false;
    pl_grid_body_set_masses(b);
    pl_grid_gains(&b->map, b->lattice.levels[0].field_size, b->applied, b->gain);
    return pl_grid_body_make_cycles(b, error);
}

pl_status pl_grid_update_dirichlet(pl_grid_body* b, const pl_grid_loads* loads, pl_error* error) {
    bool changed;
    pl_status status = note_pinned(b, loads, &changed, error);
    if (status != PL_OK || !changed) return status;
    mark_held(b);
    status = rebuild(b, error);
    if (status != PL_OK) b->pinned_hash = 0; // try again next time
    return status;
}

// ------------------------------------------------------------------ motion of held cells

// attachment and rest position of a pinned vertex
static int attachment_of(const pl_grid_body* b, const pl_pin* pin, pl_vec3* rest) {
    *rest = pl_vec3_load(b->rest + 3 * (size_t)(pin->vertex - b->first_vertex));
    return b->pinned[pin->vertex - b->first_vertex];
}

// Pins in one line do not determine the rotation about it. A small multiple of the identity,
// negligible for other pins, selects the smallest rotation. Returns the identity if the rotation is
// only round-off, so that a body at rest has no forces.
static pl_mat3 rotation_of(pl_mat3 moment) {
    pl_mat3 R = pl_mat3_identity();
    const double size = pl_mat3_norm(moment);
    if (size > 0.0) pl_polar(pl_mat3_add(moment, pl_mat3_scale(1e-12 * size, R)), &R, NULL);
    const double turn = pl_mat3_norm(pl_mat3_sub(R, pl_mat3_identity()));
    return turn < 1e-14 ? pl_mat3_identity() : R;
}

static void fit_attachments(pl_grid_body* b, const pl_grid_loads* loads) {
    pl_grid_fit* fits = b->fits;
    pl_vec3 rest;
    for (int n = 0; n < b->fit_count; n++) fits[n] = (pl_grid_fit){.group = fits[n].group};
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < loads->pin_count; k++) {
            if (!loads->pins[k].hard || !pl_grid_is_own(b, loads->pins[k].vertex)) continue;
            pl_grid_fit* f = &fits[attachment_of(b, &loads->pins[k], &rest)];
            if (pass == 0) {
                f->from = pl_add(f->from, rest), f->to = pl_add(f->to, loads->pins[k].target);
                f->count++;
            } else
                f->moment = pl_mat3_add(f->moment, pl_outer(pl_sub(loads->pins[k].target, f->to),
                                                            pl_sub(rest, f->from)));
        }
        for (int n = 0; n < b->fit_count; n++) {
            pl_grid_fit* f = &fits[n];
            if (!f->count) continue;
            if (pass == 0) {
                f->from = pl_scale(1.0 / f->count, f->from);
                f->to = pl_scale(1.0 / f->count, f->to);
            } else f->rotation = rotation_of(f->moment);
        }
    }
}

pl_vec3 pl_grid_fit_displacement(const pl_grid_fit* f, pl_vec3 x) {
    // accurate near rest, however far from the origin
    const pl_vec3 arm = pl_sub(x, f->from);
    return pl_add(pl_sub(f->to, f->from), pl_sub(pl_mat3_apply(&f->rotation, arm), arm));
}

static double component(pl_vec3 v, int a) { return a == 0 ? v.x : a == 1 ? v.y : v.z; }

// The Dirichlet cell of an attachment nearest to a position, among its own cell and the neighbours;
// or -1.
static int held_cell(const pl_grid_body* b, const double* place, int attachment) {
    int cell[3], best = -1;
    double nearest = HUGE_VAL;
    cell_at(b, pl_vec3_load(place), cell);
    for (int n = 0; n < 27; n++) {
        const int c[3] = {cell[0] + n % 3 - 1, cell[1] + n / 3 % 3 - 1, cell[2] + n / 9 - 1};
        const int at = pl_grid_index(&b->lattice.levels[0], c[0], c[1], c[2]);
        if (at < 0 || abs(b->held[at]) != attachment) continue;
        double distance = 0.0;
        for (int d = 0; d < 3; d++) {
            const double x = in_cells(b, d, place[d]) - c[d] - 0.5;
            distance += x * x;
        }
        if (distance < nearest) nearest = distance, best = at;
    }
    return best;
}

// deviation of the pins in each cell from the motion of their attachment: sums and counts
static void sum_deviations(pl_grid_body* b, const pl_grid_loads* loads, double* const sum[3],
                           double* count) {
    for (int k = 0; k < loads->pin_count; k++) {
        if (!loads->pins[k].hard || !pl_grid_is_own(b, loads->pins[k].vertex)) continue;
        pl_vec3 rest;
        const int v = loads->pins[k].vertex - b->first_vertex,
                  attachment = attachment_of(b, &loads->pins[k], &rest);
        pl_vec3 d = pl_sub(pl_sub(loads->pins[k].target, rest),
                           pl_grid_fit_displacement(&b->fits[attachment], rest));
        const int at = held_cell(b, b->anchor + 3 * (size_t)v, attachment);
        if (at < 0) continue;
        for (int a = 0; a < 3; a++) sum[a][at] += component(d, a);
        count[at] += 1.0;
    }
}

// Dirichlet cells rotate with their attachment where their own faces do not determine the rotation.
static void turn_held_cells(pl_grid_body* b) {
    const pl_grid_level* l = &b->lattice.levels[0];
    for (int s = 0; s < l->segment_count; s++) {
        const pl_grid_segment* g = &l->segments[s];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++)
            if (pl_grid_cell(&b->cells, g->x + i, g->y, g->z) == PL_CELL_DIRICHLET)
                b->turn[g->begin + i] =
                    pl_quat_from_mat3(b->fits[abs(b->held[g->begin + i])].rotation);
    }
}

// Shows pinned vertices at their targets, because the cells next to them may deform.
static void note_targets(pl_grid_body* b, const pl_grid_loads* loads) {
    for (int k = 0; k < loads->pin_count; k++)
        if (loads->pins[k].hard && pl_grid_is_own(b, loads->pins[k].vertex))
            pl_vec3_store(b->targets + 3 * (size_t)(loads->pins[k].vertex - b->first_vertex),
                          loads->pins[k].target);
}

// Moves the faces of Dirichlet cells with the pins of these cells.
void pl_grid_move_dirichlet(pl_grid_body* b, const pl_grid_loads* loads) {
    const pl_grid_level* l = &b->lattice.levels[0];
    size_t size = (size_t)l->field_size * sizeof(double);
    double *const *sum = b->applied, *count = b->state.g; // scratch: both are set later
    for (int a = 0; a < 3; a++) memset(sum[a], 0, size);
    memset(count, 0, size);
    fit_attachments(b, loads);
    sum_deviations(b, loads, sum, count);
    for (int s = 0; s < l->segment_count; s++) {
        const pl_grid_segment* g = &l->segments[s];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++)
            for (int a = 0; a < 3; a++) {
                double value = 0.0, weight = 0.0, x[3] = {g->x + i + 0.5, g->y + 0.5, g->z + 0.5};
                x[a] -= 0.5;
                for (int d = 0; d < 3; d++)
                    x[d] =
                        b->frame.origin[d] + b->frame.cell * pl_grid_unfolded(&b->frame, d, x[d]);
                for (int side = 0; side < 2; side++) {
                    int cell[3] = {g->x + i, g->y, g->z};
                    cell[a] -= side;
                    if (pl_grid_cell(&b->cells, cell[0], cell[1], cell[2]) != PL_CELL_DIRICHLET)
                        continue;
                    int at = pl_grid_index(l, cell[0], cell[1], cell[2]);
                    const pl_grid_fit* f = &b->fits[abs(b->held[at])];
                    value += component(pl_grid_fit_displacement(f, pl_vec3_load(x)), a) +
                             sum[a][at] / fmax(count[at], 1.0);
                    weight += 1.0;
                }
                if (weight > 0.0) b->state.u[a][g->begin + i] = value / weight;
            }
    }
    memset(count, 0, size);
    if (b->rotates) turn_held_cells(b);
    note_targets(b, loads);
}
