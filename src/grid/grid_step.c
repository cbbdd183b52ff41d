// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Backward Euler with damping (Zhu 2010, section 8), or equilibrium. With s = 1 + gamma / dt and in
// the units of the lattice, where L is the operator of linear elasticity,
//
//   L u - kappa u = (-kappa0 (u_n + dt v_n + alpha dt u_n) - applied + (gamma / dt) L u_n) / s
//
//   paper   here
//   gamma   damping_stiffness; alpha, damping_mass, is ours
//   c       kappa = kappa0 (1 + alpha dt) / s, kappa0 = density h^2 / (mu dt^2)
//
// Where we differ: a step starts where the body would go on to, if nothing holds it and forces are
// not larger there. What is small is measured by the forces of the step, and not by the inertia of
// all the way from the place at rest. Springs and contacts: see grid_reactions.c.
#include "grid/grid_step.h"
#include "base/array.h"
#include "base/memory.h"
#include "math/polar.h"

#include <math.h>
#include <string.h>

// kappa0
static double inertia(const pl_grid_body* b, double dt) {
    double density = b->density * b->crowding;
    return b->dynamic ? density * b->frame.cell * b->frame.cell / (b->mu * dt * dt) : 0.0;
}

// ------------------------------------------------------------------ Dirichlet cells

// the part of held cells that pins of a group belong to: 1 for the first one, and so on
static int part_of_group(pl_grid_body* b, int group) {
    // pins come group by group: the last part first
    for (int k = b->fit_count - 1; group >= 0 && k > 0; k--)
        if (b->fits[k].group == group) return k;
    b->fits[b->fit_count].group = group;
    return b->fit_count++;
}

// Room for the parts of pins; each change from one group to the next may begin another part.
static pl_status reserve_parts(pl_grid_body* b, const pl_grid_acts* acts, pl_error* error) {
    int count = 1, last = -1;
    for (int k = 0; k < acts->pin_count; k++) {
        if (!acts->pins[k].hard || !pl_grid_is_own(b, acts->pins[k].vertex)) continue;
        count += acts->pins[k].group < 0 || acts->pins[k].group != last;
        last = acts->pins[k].group;
    }
    if (count <= b->fit_room) return PL_OK;
    pl_grid_fit* fits =
        pl_realloc(b->fits, (size_t)b->fit_room * sizeof *fits, (size_t)count * sizeof *fits);
    if (!fits) return pl_fail_memory(error, "the attachments of a lattice");
    b->fits = fits;
    b->fit_room = count;
    return PL_OK;
}

// notes which vertices are held exactly, and with which others; *changed: that has changed
static pl_status note_pinned(pl_grid_body* b, const pl_grid_acts* acts, bool* changed,
                             pl_error* error) {
    uint64_t hash = 1469598103934665603u;
    b->held_count = 0;
    for (int k = 0; k < acts->pin_count; k++) {
        if (!acts->pins[k].hard || !pl_grid_is_own(b, acts->pins[k].vertex)) continue;
        hash = (hash ^ (uint64_t)acts->pins[k].vertex) * 1099511628211u;
        hash = (hash ^ (uint64_t)(int64_t)acts->pins[k].group) * 1099511628211u;
        b->held_count++;
    }
    *changed = hash != b->pinned_hash;
    if (!*changed) return PL_OK;
    pl_status status = reserve_parts(b, acts, error);
    if (status != PL_OK) return status;
    b->pinned_hash = hash;
    b->fit_count = 1;
    if (b->vertex_count) memset(b->pinned, 0, (size_t)b->vertex_count * sizeof(int));
    for (int k = 0; k < acts->pin_count; k++)
        if (acts->pins[k].hard && pl_grid_is_own(b, acts->pins[k].vertex))
            b->pinned[acts->pins[k].vertex - b->first_vertex] =
                part_of_group(b, acts->pins[k].group);
    return PL_OK;
}

typedef struct marker {
    pl_grid_body* body;
    int part;
} marker;

static void mark_at(pl_grid_body* b, int i, int j, int k, int part) {
    if (pl_grid_cell(&b->cells, i, j, k) != PL_CELL_EXTERIOR)
        b->next_held[pl_grid_index(&b->multigrid.levels[0], i, j, k)] = part;
}

static void mark_cell(void* user, size_t cell) {
    const marker* m = user;
    int at[3];
    pl_grid_cells_place(&m->body->cells, cell, at);
    mark_at(m->body, at[0], at[1], at[2], m->part);
}

// the part that all vertices of an element are held with, or 0
static int common_part(const pl_grid_body* b, const int* v, int count) {
    for (int i = 1; i < count; i++)
        if (b->pinned[v[i]] != b->pinned[v[0]]) return 0;
    return b->pinned[v[0]];
}

// the cells inside a tet, by points that are at most half a cell apart
static void mark_tet(pl_grid_body* b, const int* v, int part) {
    pl_vec3 x[4];
    double longest = 0.0;
    for (int i = 0; i < 4; i++) x[i] = pl_vec3_load(b->rest + 3 * (size_t)v[i]);
    for (int i = 1; i < 4; i++) longest = fmax(longest, pl_norm(pl_sub(x[i], x[0])));
    int n = (int)fmin(ceil(2.0 * longest / b->frame.cell) + 1.0, 64.0);
    for (int k = 0; k < n * n * n; k++) {
        double r = (k % n + 0.5) / n, s = (k / n % n + 0.5) / n,
               t = ((double)(k / n / n) + 0.5) / n;
        if (r + s + t > 1.0) continue;
        pl_vec3 p = pl_madd(pl_madd(pl_madd(x[0], r, pl_sub(x[1], x[0])), s, pl_sub(x[2], x[0])), t,
                            pl_sub(x[3], x[0]));
        double at[3];
        int cell[3];
        pl_vec3_store(at, p);
        if (!pl_grid_cell_of(&b->cells, &b->frame, at, cell)) continue;
        mark_at(b, cell[0], cell[1], cell[2], part);
    }
}

// a little inwards, so that a side of the lattice finds its cells
static void mark_triangle(pl_grid_body* b, const int* v, int part) {
    pl_vec3 x[3], inwards;
    double moved[3][3];
    for (int i = 0; i < 3; i++) x[i] = pl_vec3_load(b->rest + 3 * (size_t)v[i]);
    inwards = pl_normalize(pl_cross(pl_sub(x[2], x[0]), pl_sub(x[1], x[0])));
    for (int i = 0; i < 3; i++)
        pl_vec3_store(moved[i], pl_madd(x[i], 1e-4 * b->frame.cell, inwards));
    const double* corners[3] = {moved[0], moved[1], moved[2]};
    pl_grid_visit_triangle(&b->cells, &b->frame, corners, mark_cell, &(marker){b, part});
}

// marks the cells of pinned vertices, and of triangles and tets that are held as a whole
static void mark_held(pl_grid_body* b) {
    memset(b->next_held, 0, (size_t)b->multigrid.levels[0].field_size * sizeof(int));
    for (int t = 0; t < b->tet_count; t++) {
        int part = common_part(b, b->tets + 4 * (size_t)t, 4);
        if (part) mark_tet(b, b->tets + 4 * (size_t)t, part);
    }
    for (int t = 0; t < b->triangle_count; t++) {
        int part = common_part(b, b->triangles + 3 * (size_t)t, 3);
        if (part) mark_triangle(b, b->triangles + 3 * (size_t)t, part);
    }
    for (int v = 0; v < b->vertex_count; v++) {
        if (!b->pinned[v]) continue;
        int cell[3];
        pl_grid_cell_of(&b->cells, &b->frame, b->anchor + 3 * (size_t)v, cell);
        mark_at(b, cell[0], cell[1], cell[2], b->pinned[v]);
    }
}

// the kinds of cells in use
static void hold_cells(pl_grid_body* b) {
    const pl_grid_level* l = &b->multigrid.levels[0];
    for (int s = 0; s < l->segment_count; s++) {
        const pl_grid_segment* g = &l->segments[s];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++)
            if (pl_grid_cell(&b->cells, g->x + i, g->y, g->z) != PL_CELL_EXTERIOR)
                b->cells.kinds[pl_grid_cells_index(&b->cells, g->x + i, g->y, g->z)] =
                    b->next_held[g->begin + i] ? PL_CELL_DIRICHLET : PL_CELL_INTERIOR;
    }
}

// levels and continuation anew, for other Dirichlet cells
static pl_status rebuild(pl_grid_body* b, pl_error* error) {
    pl_status status = PL_OK;
    hold_cells(b);
    pl_grid_multigrid multigrid;
    status = b->general ? pl_grid_multigrid_create_layout(&b->cells, b->pool, &multigrid, error)
                        : pl_grid_multigrid_create(&b->cells, b->pool, &multigrid, error);
    if (status != PL_OK) return status;
    pl_grid_embedding_map map;
    status = pl_grid_embed(&multigrid.levels[0], &b->cells, &b->frame, b->anchor, b->point_count,
                           &map, error);
    if (status != PL_OK) {
        pl_grid_multigrid_free(&multigrid);
        return status;
    }
    pl_grid_corot_free(&b->corot);
    pl_grid_recombine_free(&b->history);
    b->mixes = b->recombines = false;
    pl_grid_multigrid_free(&b->multigrid);
    pl_grid_embedding_free(&b->map);
    b->multigrid = multigrid;
    b->map = map;
    b->has_coefficients = false;
    b->crowding = pl_grid_mean_face_mass(&b->multigrid.levels[0]);
    memcpy(b->held, b->next_held, (size_t)b->multigrid.levels[0].field_size * sizeof(int));
    pl_grid_gains(&b->map, b->multigrid.levels[0].field_size, b->applied, b->gain);
    return b->general ? pl_grid_corot_create(&b->multigrid, b->moduli, b->rotates, b->turn, b->pool,
                                             &b->corot, error)
                      : pl_grid_multigrid_reserve(&b->multigrid, error);
}

// part and place of a pinned vertex
static int part_of(const pl_grid_body* b, const pl_pin* pin, pl_vec3* rest) {
    *rest = pl_vec3_load(b->rest + 3 * (size_t)(pin->vertex - b->first_vertex));
    return b->pinned[pin->vertex - b->first_vertex];
}

static void fit_parts(pl_grid_body* b, const pl_grid_acts* acts) {
    pl_grid_fit* fits = b->fits;
    pl_vec3 rest;
    for (int n = 0; n < b->fit_count; n++) fits[n] = (pl_grid_fit){.group = fits[n].group};
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < acts->pin_count; k++) {
            if (!acts->pins[k].hard || !pl_grid_is_own(b, acts->pins[k].vertex)) continue;
            pl_grid_fit* f = &fits[part_of(b, &acts->pins[k], &rest)];
            if (pass == 0) {
                f->from = pl_add(f->from, rest), f->to = pl_add(f->to, acts->pins[k].target);
                f->count++;
            } else
                f->moment = pl_mat3_add(f->moment, pl_outer(pl_sub(acts->pins[k].target, f->to),
                                                            pl_sub(rest, f->from)));
        }
        for (int n = 0; n < b->fit_count; n++) {
            pl_grid_fit* f = &fits[n];
            if (!f->count) continue;
            if (pass == 0) {
                f->from = pl_scale(1.0 / f->count, f->from);
                f->to = pl_scale(1.0 / f->count, f->to);
            } else if (pl_mat3_norm(f->moment) > 0.0) pl_polar(f->moment, &f->rotation, NULL);
            else f->rotation = pl_mat3_identity();
        }
    }
}

// where a part takes a point, as a displacement
static pl_vec3 displacement(const pl_grid_fit* f, pl_vec3 x) {
    return pl_sub(pl_add(f->to, pl_mat3_apply(&f->rotation, pl_sub(x, f->from))), x);
}

static double component(pl_vec3 v, int a) { return a == 0 ? v.x : a == 1 ? v.y : v.z; }

// what the pins of each cell do beyond the motion of their part: sums, and how many
static void sum_deviations(pl_grid_body* b, const pl_grid_acts* acts, double* const sum[3],
                           double* count) {
    const pl_grid_level* l = &b->multigrid.levels[0];
    for (int k = 0; k < acts->pin_count; k++) {
        if (!acts->pins[k].hard || !pl_grid_is_own(b, acts->pins[k].vertex)) continue;
        int cell[3];
        pl_vec3 rest;
        const pl_grid_fit* f = &b->fits[part_of(b, &acts->pins[k], &rest)];
        pl_grid_cell_of(&b->cells, &b->frame,
                        b->anchor + 3 * (size_t)(acts->pins[k].vertex - b->first_vertex), cell);
        pl_vec3 d = pl_sub(pl_sub(acts->pins[k].target, rest), displacement(f, rest));
        int at = pl_grid_index(l, cell[0], cell[1], cell[2]);
        for (int a = 0; a < 3; a++) sum[a][at] += component(d, a);
        count[at] += 1.0;
    }
}

// Held cells turn with their part, as far as their own faces do not tell.
static void turn_held_cells(pl_grid_body* b) {
    const pl_grid_level* l = &b->multigrid.levels[0];
    for (int s = 0; s < l->segment_count; s++) {
        const pl_grid_segment* g = &l->segments[s];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++)
            if (pl_grid_cell(&b->cells, g->x + i, g->y, g->z) == PL_CELL_DIRICHLET)
                b->turn[g->begin + i] = pl_quat_from_mat3(b->fits[b->held[g->begin + i]].rotation);
    }
}

// Faces of Dirichlet cells go where the pins of these cells go.
static void place_held_faces(pl_grid_body* b, const pl_grid_acts* acts) {
    const pl_grid_level* l = &b->multigrid.levels[0];
    size_t size = (size_t)l->field_size * sizeof(double);
    double *const *sum = b->applied, *count = b->state.g; // both are set up after this
    for (int a = 0; a < 3; a++) memset(sum[a], 0, size);
    memset(count, 0, size);
    fit_parts(b, acts);
    sum_deviations(b, acts, sum, count);
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
                    const pl_grid_fit* f = &b->fits[b->held[at]];
                    value += component(displacement(f, pl_vec3_load(x)), a) +
                             sum[a][at] / fmax(count[at], 1.0);
                    weight += 1.0;
                }
                if (weight > 0.0) b->state.u[a][g->begin + i] = value / weight;
            }
    }
    memset(count, 0, size);
    if (b->rotates) turn_held_cells(b);
}

// ------------------------------------------------------------------ right side

// Faces carry the whole body, also the outer halves of cells at its surface. In motion inertia has
// one number for all faces, so the weight has too: a body that falls must not be stretched by it.
static void add_weight(pl_grid_body* b, const pl_grid_acts* acts, double s) {
    const pl_grid_level* l = &b->multigrid.levels[0];
    double h = b->frame.cell, density = b->density * h * h / (b->mu * s);
    for (int k = 0; k < l->segment_count; k++) {
        const pl_grid_segment* g = &l->segments[k];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++)
            for (int a = 0; a < 3; a++) {
                int at = g->begin + i;
                if (!pl_grid_bit(l->masks[at / PL_GRID_CHUNK].face[a], at)) continue;
                double mass = b->dynamic ? b->crowding : pl_grid_face_mass(l, g, a, i);
                b->applied[a][at] -= density * mass * acts->gravity[a];
            }
    }
}

// what does not depend on positions
static void set_applied(pl_grid_body* b, const pl_grid_acts* acts) {
    const pl_grid_level* l = &b->multigrid.levels[0];
    double dt = acts->time_step, h = b->frame.cell, s = pl_grid_softening(b, dt),
           k0 = inertia(b, dt);
    double viscous = b->dynamic ? b->damping_stiffness / dt : 0.0;
    size_t size = (size_t)l->field_size * sizeof(double);
    for (int a = 0; a < 3; a++) memset(b->applied[a], 0, size);
    pl_grid_spread(&b->map, acts->force, b->applied);
    double* const* L_u = b->state.f; // of the positions before
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < l->field_size; i++) {
            double u = b->before[a][i];
            double pushed = u + dt * (b->velocity[a][i] + b->damping_mass * u);
            b->applied[a][i] =
                (viscous * L_u[a][i] - k0 * pushed - b->applied[a][i] / (h * b->mu)) / s;
        }
    add_weight(b, acts, s);
}

// The norm of the forces of a step, inertia among them. What inertia has to do with how far the
// body has come from its place at rest is no force: with it a body far from there would never move
// again once it is slow.
static double load_of(const pl_grid_body* b) {
    const pl_grid_level* l = &b->multigrid.levels[0];
    double sum = 0.0;
    for (int i = 0; i < l->field_size; i++)
        for (int a = 0; a < 3; a++) {
            if (!pl_grid_bit(l->masks[i / PL_GRID_CHUNK].face[a], i)) continue;
            double force = b->applied[a][i] + b->state.inertia * b->before[a][i];
            sum += force * force;
        }
    return sqrt(sum);
}

// f = L u at the positions before, which damping needs; and their rotations
static void apply_before(pl_grid_body* b) {
    const pl_grid_level* l = &b->multigrid.levels[0];
    size_t size = (size_t)l->field_size * sizeof(double);
    for (int a = 0; a < 3; a++) memset(b->state.f[a], 0, size);
    b->corot.keeps_pressure = false;
    if (b->general) pl_grid_corot_residual(&b->corot, &b->state, b->frame.cell, true);
    if (!b->dynamic || !(b->damping_stiffness > 0.0)) return;
    if (!b->general) {
        pl_grid_apply(l, &b->state, b->state.f);
        return;
    }
    pl_grid_corot_forces(&b->corot, &b->state, b->frame.cell, b->state.f);
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < l->field_size; i++) b->state.f[a][i] = -b->state.f[a][i];
}

// Adds to the positions of all faces.
static void translate(pl_grid_body* b, const double way[3]) {
    const pl_grid_level* l = &b->multigrid.levels[0];
    for (int k = 0; k < l->segment_count; k++) {
        const pl_grid_segment* g = &l->segments[k];
        for (int a = 0; a < 3; a++)
            for (int i = g->begin; i < g->begin + g->count * PL_GRID_CHUNK; i++)
                b->state.u[a][i] += way[a];
    }
}

// A body that nothing holds goes on as all forces together move it, which are those of a step
// without reactions: it flies without a cycle. Where it touches something, see choose_start.
static void go_on(pl_grid_body* b) {
    const pl_grid_level* l = &b->multigrid.levels[0];
    double sum[3] = {0.0};
    int count[3] = {0};
    b->went_on = b->dynamic && b->held_count == 0;
    if (!b->went_on) return;
    for (int i = 0; i < l->field_size; i++)
        for (int a = 0; a < 3; a++) {
            if (!pl_grid_bit(l->masks[i / PL_GRID_CHUNK].face[a], i)) continue;
            sum[a] -= b->applied[a][i] + b->state.inertia * b->before[a][i];
            count[a]++;
        }
    for (int a = 0; a < 3; a++) b->way[a] = count[a] ? sum[a] / (count[a] * b->state.inertia) : 0.0;
    translate(b, b->way);
}

pl_status pl_grid_step_begin(pl_grid_body* b, const pl_grid_acts* acts, pl_error* error) {
    bool changed;
    pl_status status = note_pinned(b, acts, &changed, error);
    if (status == PL_OK && changed) {
        mark_held(b);
        status = rebuild(b, error);
        if (status != PL_OK) b->pinned_hash = 0; // to be tried again
    }
    if (status != PL_OK) return status;
    const pl_grid_level* l = &b->multigrid.levels[0];
    size_t size = (size_t)l->field_size * sizeof(double);
    double dt = acts->time_step;
    for (int a = 0; a < 3; a++) memcpy(b->before[a], b->state.u[a], size);
    if (b->general) memcpy(b->turn_before, b->turn, (size_t)l->field_size * sizeof(pl_quat));
    memcpy(b->pressure_before, b->state.p, size);
    b->in_step = true;
    b->corot.lags = b->dynamic;
    b->cycle = 0;
    // nothing but the state goes from step to step: runs can be resumed
    b->mixes = b->recombines = false;
    b->stalls = 0;
    b->multigrid.inner_cycles = 1;
    pl_grid_recombine_reset(&b->history);
    // without any lambda a pressure would have no equation: nearly none is as good
    b->state.compressibility = fmin(b->mu / b->lambda, 1e4);
    apply_before(b);
    if (b->general) pl_grid_corot_begin(&b->corot);
    place_held_faces(b, acts);
    set_applied(b, acts);
    b->state.inertia = inertia(b, dt) * (1.0 + b->damping_mass * dt) / pl_grid_softening(b, dt);
    b->load = load_of(b);
    go_on(b);
    b->coefficients_fit =
        b->has_coefficients && !b->stiffened && b->inertia_set == b->state.inertia;
    if (b->general) pl_grid_corot_set_springs(&b->corot, NULL);
    return PL_OK;
}

// ------------------------------------------------------------------ cycles

static double residual_of_start(pl_grid_body* b, const pl_grid_acts* acts) {
    pl_grid_react(&(pl_grid_reactor){b, acts, NULL});
    if (!b->general) return pl_grid_residual(&b->multigrid.levels[0], &b->state, b->pool);
    return pl_grid_corot_residual(&b->corot, &b->state, b->frame.cell, false);
}

// Where a body touches something, or hangs on springs, the step starts where forces are less: where
// the body would go on to, or where it was.
static void choose_start(pl_grid_body* b, const pl_grid_acts* acts) {
    size_t bytes = (size_t)b->multigrid.levels[0].field_size * sizeof(double);
    if (!b->went_on || !pl_grid_has_reactions(b, acts)) return;
    double ahead = residual_of_start(b, acts);
    for (int a = 0; a < 3; a++) memcpy(b->state.u[a], b->before[a], bytes);
    if (ahead < residual_of_start(b, acts)) translate(b, b->way);
}

// A load that is as good as none: the stress of such a strain everywhere. What is left of a body at
// rest is round-off, and no cycle makes it less.
static double least_load(const pl_grid_body* b, double strain) {
    return strain * b->frame.cell * sqrt((double)b->multigrid.levels[0].face_count);
}

// One cycle of the general lattice, of which rotations and coefficients are those of the present
// positions, or of up to update_every cycles ago.
static double advance_general(pl_grid_body* b, const pl_grid_acts* acts) {
    double h = b->frame.cell;
    double residual = pl_grid_corot_look(&b->corot, &b->state, h);
    // on the way to equilibrium forces may well grow for a while: only the first ones count
    if (b->cycle == 0) b->load = fmax(b->load, fmax(residual, least_load(b, 1e-6)));
    double relative = b->load > 0.0 ? residual / b->load : 0.0;
    if (residual <= b->tolerance * b->load || !isfinite(residual)) return relative;
    if (pl_grid_follow_reactions(b, acts)) pl_grid_set_right_side(b, acts);
    if (!b->coefficients_fit || b->cycle % b->update_every == 0)
        pl_grid_corot_update(&b->corot, b->state.compressibility, b->state.inertia);
    b->coefficients_fit = true;
    b->cycle++;
    pl_grid_corot_advance(&b->corot, &b->state, h, residual);
    return relative;
}

static double general_cycle(pl_grid_body* b, const pl_grid_acts* acts, const double* positions) {
    pl_grid_reactor reacts = {b, acts, b->cycle > 0 ? positions : NULL};
    if (pl_grid_has_reactions(b, acts))
        b->corot.react = pl_grid_react, b->corot.react_user = &reacts;
    else pl_grid_find_reactions(b, acts, NULL), pl_grid_set_right_side(b, acts);
    double relative = advance_general(b, acts);
    b->corot.react = NULL;
    return relative;
}

// Mixed cycles may have residuals many times the load on their way; a larger one is of no use.
static const double MAX_GROWTH = 1e8;

// Coarse levels may be too soft for limbs of a few cells, and cycles slow or even growing: then the
// last few of them are recombined, and coarse levels have two cycles for each. A body that bends
// softly does not get far with residuals that may not grow: there cycles are mixed. Memory for
// that is taken when it is needed; without it cycles go on alone.
static void watch_rate(pl_grid_body* b, double residual, bool reacts) {
    static const double SLOW = 0.7, STALLED = 0.95, MANY_TIMES = 3.0;
    enum { MAX_STALLS = 3 };
    pl_error ignored;
    const double last = b->last_residual;
    const bool slow = b->cycle > 2 && residual > SLOW * last;
    const bool grows = b->cycle > 1 && residual > last;
    if (!b->recombines && (slow || grows)) {
        b->recombines = b->history.size > 0 ||
                        pl_grid_recombine_create(&b->multigrid.levels[0], PL_GRID_HISTORY,
                                                 &b->history, &ignored) == PL_OK;
        b->mixes = b->recombines && !reacts && residual > MANY_TIMES * last;
        if (!b->mixes) pl_grid_multigrid_set_inner(&b->multigrid, 2, &ignored);
    }
    b->stalls = b->recombines && residual > STALLED * last ? b->stalls + 1 : 0;
    // what touches and lets go again is no linear equation: with reactions nothing is mixed
    const bool mixes = b->mixes || b->stalls >= MAX_STALLS;
    if (b->mixes != (mixes && !reacts)) {
        b->mixes = !b->mixes;
        b->multigrid.inner_cycles = b->mixes ? 1 : b->multigrid.inner_cycles;
        pl_grid_recombine_reset(&b->history);
    }
    b->last_residual = residual;
}

// Of the linear law, after a cycle: the same as pl_grid_recombine_end, with the reactions of the
// places that are tried. Corrections are kept as the level has them.
static void recombine_with_reactions(pl_grid_body* b, const pl_grid_acts* acts) {
    pl_grid_level* l = &b->multigrid.levels[0];
    pl_grid_recombine* past = &b->history;
    float* const own[4] = {l->u[0], l->u[1], l->u[2], l->c};
    float* const residual[4] = {l->f[0], l->f[1], l->f[2], l->g};
    const size_t bytes = past->size * sizeof(float);
    double shares[PL_GRID_HISTORY];
    for (int a = 0; a < 4; a++) memcpy(past->change[past->next][a], own[a], bytes);
    pl_grid_correct(l, &b->state, b->pool);
    pl_grid_react(&(pl_grid_reactor){b, acts, NULL});
    pl_grid_residual(l, &b->state, b->pool);
    pl_grid_recombine_shares(past, residual, shares, b->pool);
    for (int a = 0; a < 4; a++) memset(own[a], 0, bytes);
    for (int k = 0; k < past->count; k++)
        pl_grid_fields_add(past->size, shares[k], past->change[k], own, b->pool);
    pl_grid_correct(l, &b->state, b->pool);
}

double pl_grid_step_cycle(pl_grid_body* b, const pl_grid_acts* acts, const double* positions) {
    pl_grid_level* l = &b->multigrid.levels[0];
    if (b->cycle == 0) choose_start(b, acts);
    if (b->general) return general_cycle(b, acts, positions);
    if (b->cycle == 0 && b->went_on && pl_grid_has_reactions(b, acts))
        pl_grid_react(&(pl_grid_reactor){b, acts, NULL});
    else pl_grid_find_reactions(b, acts, positions);
    pl_grid_follow_reactions(b, acts);
    pl_grid_set_right_side(b, acts);
    if (!b->coefficients_fit) {
        pl_grid_multigrid_set_material(&b->multigrid, b->state.compressibility, b->state.inertia);
        b->has_coefficients = b->coefficients_fit = true;
        b->inertia_set = b->state.inertia;
    }
    double residual = pl_grid_residual(l, &b->state, b->pool);
    // only at first: a cycle that diverges must not make the load, and so what is small, larger
    if (b->cycle++ == 0) b->load = fmax(b->load, fmax(residual, least_load(b, 1e-10)));
    if (residual <= b->tolerance * b->load) return b->load > 0.0 ? residual / b->load : 0.0;
    if (b->mixes && residual > MAX_GROWTH * b->load) return INFINITY; // cycles diverge
    const bool reacts = pl_grid_has_reactions(b, acts);
    watch_rate(b, residual, reacts);
    if (reacts != b->history_reacts) pl_grid_recombine_reset(&b->history);
    b->history_reacts = reacts;
    if (b->recombines && !b->mixes) pl_grid_recombine_begin(&b->history, l);
    pl_grid_multigrid_cycle(&b->multigrid);
    if (b->mixes) pl_grid_recombine_mix(&b->history, l, &b->state, b->pool);
    else if (!b->recombines) pl_grid_correct(l, &b->state, b->pool);
    else if (reacts) recombine_with_reactions(b, acts);
    else pl_grid_recombine_end(&b->history, l, &b->state, b->pool);
    return residual / b->load;
}

void pl_grid_step_end(pl_grid_body* b, const pl_grid_acts* acts) {
    const pl_grid_level* l = &b->multigrid.levels[0];
    pl_grid_reactor reacts = {b, acts, NULL};
    if (pl_grid_has_reactions(b, acts))
        b->corot.react = pl_grid_react, b->corot.react_user = &reacts;
    if (b->general) pl_grid_corot_end(&b->corot, &b->state, b->frame.cell);
    b->corot.react = NULL;
    // not before: it may take back some of the last cycle
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < l->field_size; i++)
            b->velocity[a][i] = (b->state.u[a][i] - b->before[a][i]) / acts->time_step;
}
