// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The equations of a step conserve the angular momentum of a free body only roughly, for three
// reasons. First, velocity components are at different places of a cell, and those at the surface
// are not variables, so face masses have a different inertia about each axis: it would vary by 15 %
// for a spinning cube of 8 cells. Second, backward Euler damps a spin, by w^2 dt / 2 per second.
// Third, cycles stop at a tolerance.
//
// So the end of a step moves and rotates each free piece rigidly by the small amount that is
// missing. Momenta are sums over cells, which move with the mean of their faces; rigid motions then
// have the inertia of the cells, in any orientation. The target momenta follow from the
// integrator's own formula:
//
//   (1 + alpha t) P = P_y + t F,   (1 + alpha t) L = L_y + t (torque of F)
//
// where P_y, L_y are those of the previous step, or (4 P_n - P_n-1) / 3 with BDF2. A piece with a
// pin or a contact exchanges momentum with others and is not corrected.
//
// L is about the centre of mass. With backward Euler the torque is that at the start of the step,
// about the centre there. Then the angular momentum about any fixed point changes by t (x_n cross
// F) for each force, exactly: the centre moves along P, so c cross P changes by t (c_n cross F). So
// opposite forces along the line between two vertices of two bodies conserve the total. With BDF2
// the torque is that at the end, which is of second order.
#include "grid/grid_step.h"

#include <math.h>
#include <string.h>

typedef struct moments {
    double mass;
    pl_vec3 middle, linear, angular; // angular: about `middle`, the centre of mass
    pl_mat3 inertia;
    pl_mat3 swing; // times a small rotation w of the positions alone: change of `angular`
} moments;

static bool in_piece(const pl_grid_body* b, int piece, int at) {
    if (!pl_grid_bit(b->lattice.levels[0].masks[at / PL_GRID_CHUNK].interior, at)) return false;
    return !b->pieces.of_cell || b->pieces.of_cell[at] == piece;
}

pl_vec3 pl_grid_cell_mean(double* const f[3], const pl_grid_segment* g, int i) {
    const int at = g->begin + i;
    return (pl_vec3){0.5 * (f[0][at] + f[0][pl_grid_above(g, 0, i)]),
                     0.5 * (f[1][at] + f[1][pl_grid_above(g, 1, i)]),
                     0.5 * (f[2][at] + f[2][pl_grid_above(g, 2, i)])};
}

pl_vec3 pl_grid_cell_rest(const pl_grid_body* b, const pl_grid_segment* g, int i) {
    const pl_grid_frame* f = &b->frame;
    const pl_vec3 at = {pl_grid_unfolded(f, 0, g->x + i + 0.5), pl_grid_unfolded(f, 1, g->y + 0.5),
                        pl_grid_unfolded(f, 2, g->z + 0.5)};
    return pl_madd(pl_vec3_load(f->origin), f->cell, at);
}

static pl_vec3 middle_of(const pl_grid_body* b, int piece, double* const u[3], double* count) {
    const pl_grid_level* l = &b->lattice.levels[0];
    pl_vec3 sum = {0, 0, 0};
    *count = 0.0;
    for (int s = 0; s < l->segment_count; s++) {
        const pl_grid_segment* g = &l->segments[s];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++) {
            if (!in_piece(b, piece, g->begin + i)) continue;
            const double mass = pl_grid_cell_mass(b, g->begin + i);
            const pl_vec3 x = pl_add(pl_grid_cell_rest(b, g, i), pl_grid_cell_mean(u, g, i));
            sum = pl_madd(sum, mass, x);
            *count += mass;
        }
    }
    return *count > 0.0 ? pl_scale(1.0 / *count, sum) : sum;
}

// sum x x' first; inertia about an axis needs the spread across it
static pl_mat3 inertia_of(const pl_mat3* spread, double mass, double h) {
    pl_mat3 out;
    const double trace = spread->m[0] + spread->m[4] + spread->m[8];
    for (int e = 0; e < 9; e++) out.m[e] = (e % 4 == 0 ? trace : 0.0) - spread->m[e];
    // inertia of the cells themselves, so that a single row can rotate about itself
    for (int a = 0; a < 3; a++) out.m[4 * a] += mass * h * h / 6.0;
    return out;
}

// (w x a) x p, as a matrix times w
static pl_mat3 swing_of(pl_vec3 a, pl_vec3 p) {
    const double along = pl_dot(a, p);
    return pl_mat3_sub(pl_outer(a, p), pl_mat3_diagonal(along, along, along));
}

// Momenta of a piece at displacements u with velocities v; all faces of its cells must have values.
static moments moments_of(const pl_grid_body* b, int piece, double* const u[3],
                          double* const v[3]) {
    const pl_grid_level* l = &b->lattice.levels[0];
    const double mean = b->density * pow(b->frame.cell, 3.0);
    double count;
    moments out = {.middle = middle_of(b, piece, u, &count)};
    pl_mat3 spread = {{0}};
    for (int s = 0; s < l->segment_count; s++) {
        const pl_grid_segment* g = &l->segments[s];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++) {
            if (!in_piece(b, piece, g->begin + i)) continue;
            const pl_vec3 x =
                pl_sub(pl_add(pl_grid_cell_rest(b, g, i), pl_grid_cell_mean(u, g, i)), out.middle);
            const double m = mean * pl_grid_cell_mass(b, g->begin + i);
            const pl_vec3 p = pl_scale(m, pl_grid_cell_mean(v, g, i));
            out.linear = pl_add(out.linear, p);
            out.angular = pl_add(out.angular, pl_cross(x, p));
            spread = pl_mat3_add(spread, pl_outer(pl_scale(m, x), x));
            out.swing = pl_mat3_add(out.swing, swing_of(x, p));
        }
    }
    out.mass = mean * count;
    out.inertia = inertia_of(&spread, out.mass, b->frame.cell);
    return out;
}

void pl_grid_body_momentum(const pl_grid_body* b, pl_vec3* linear, pl_vec3* angular) {
    const pl_grid_level* l = &b->lattice.levels[0];
    const double mean = b->density * pow(b->frame.cell, 3.0);
    *linear = *angular = (pl_vec3){0.0, 0.0, 0.0};
    for (int s = 0; s < l->segment_count; s++) {
        const pl_grid_segment* g = &l->segments[s];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++) {
            if (!pl_grid_is_body(b, g->begin + i)) continue;
            const double m = mean * pl_grid_cell_mass(b, g->begin + i);
            const pl_vec3 p = pl_scale(m, pl_grid_cell_mean(b->velocity, g, i));
            const pl_vec3 x =
                pl_add(pl_grid_cell_rest(b, g, i), pl_grid_cell_mean(b->state.u, g, i));
            *linear = pl_add(*linear, p);
            *angular = pl_add(*angular, pl_cross(x, p));
        }
    }
}

// ------------------------------------------------------------------ target momenta

// Records which pieces are held or in contact.
static void mark_pieces(pl_grid_body* b, const pl_grid_loads* loads) {
    const double* stiffness = b->springs + 3 * (size_t)b->point_count;
    pl_grid_pieces_reset(&b->pieces);
    for (int k = 0; k < loads->pin_count; k++)
        if (pl_grid_is_own(b, loads->pins[k].vertex))
            pl_grid_pieces_hold(&b->pieces, loads->pins[k].vertex - b->first_vertex);
    if (!pl_grid_has_springs(b, loads)) return;
    for (int k = 0; k < 3 * b->point_count; k++)
        if (stiffness[k] != 0.0) pl_grid_pieces_hold(&b->pieces, k / 3);
}

// Total force on a piece, and the torque about its centre, with displacements u and moments there.
static void sum_forces(pl_grid_body* b, const pl_grid_loads* loads, int piece, double* const u[3],
                       const moments* there, pl_vec3* force, pl_vec3* torque) {
    double* places = b->springs + 6 * (size_t)b->point_count;
    bool placed = false;
    *force = pl_scale(there->mass, pl_vec3_load(loads->gravity));
    *torque = (pl_vec3){0, 0, 0};
    for (int p = 0; p < b->point_count; p++) {
        const pl_vec3 f = pl_vec3_load(loads->force + 3 * (size_t)p);
        if (b->pieces.of_vertex[p] != piece || (f.x == 0.0 && f.y == 0.0 && f.z == 0.0)) continue;
        if (!placed) pl_grid_body_points(b, u, places);
        placed = true;
        *force = pl_add(*force, f);
        const pl_vec3 arm = pl_sub(pl_vec3_load(places + 3 * (size_t)p), there->middle);
        *torque = pl_add(*torque, pl_cross(arm, f));
    }
}

// Target momenta of the integrator, from the last step or the last two. Returns the moments at the
// start of the step.
static moments follow(const pl_grid_body* b, int piece, pl_vec3* linear, pl_vec3* angular) {
    const moments last = moments_of(b, piece, b->before, b->velocity);
    *linear = last.linear, *angular = last.angular;
    if (!b->uses_past) return last;
    const moments past = moments_of(b, piece, b->past, b->past_velocity);
    *linear = pl_scale(1.0 / 3.0, pl_sub(pl_scale(4.0, last.linear), past.linear));
    *angular = pl_scale(1.0 / 3.0, pl_sub(pl_scale(4.0, last.angular), past.angular));
    return last;
}

// ------------------------------------------------------------------ corrections

// position of a face across a
static pl_vec3 place_of(const pl_grid_body* b, const pl_grid_segment* g, int a, int i) {
    double* const* u = b->state.u;
    double x[3];
    pl_vec3_store(x, pl_grid_cell_rest(b, g, i));
    x[a] += u[a][g->begin + i] - 0.5 * b->frame.cell;
    for (int d = 0; d < 3; d++)
        if (d != a)
            x[d] += 0.25 * (u[d][g->begin + i] + u[d][pl_grid_above(g, d, i)] +
                            u[d][pl_grid_below(g, a, i)] + u[d][pl_grid_corner(g, d, a, i)]);
    return pl_vec3_load(x);
}

// Rotation by a vector, minus the identity.
static pl_mat3 turn_of(pl_vec3 w) {
    const double angle = pl_norm(w);
    const double s = angle > 1e-8 ? sin(angle) / angle : 1.0;
    const double c = angle > 1e-8 ? 2.0 * pow(sin(0.5 * angle) / angle, 2.0) : 0.5;
    const pl_mat3 W = {{0, -w.z, w.y, w.z, 0, -w.x, -w.y, w.x, 0}}, W2 = pl_mat3_mul(W, W);
    pl_mat3 out;
    for (int e = 0; e < 9; e++) out.m[e] = s * W.m[e] + c * W2.m[e];
    return out;
}

static pl_quat product_of(pl_quat p, pl_quat q) {
    return (pl_quat){p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
                     p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
                     p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w,
                     p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z};
}

static void turn_rotations(pl_grid_body* b, int piece, pl_vec3 w) {
    const double angle = pl_norm(w), s = angle > 1e-8 ? sin(0.5 * angle) / angle : 0.5;
    const pl_quat q = {s * w.x, s * w.y, s * w.z, cos(0.5 * angle)};
    for (int i = 0; i < b->lattice.levels[0].field_size; i++)
        if (in_piece(b, piece, i)) b->turn[i] = product_of(q, b->turn[i]);
}

// Rotates a piece about its centre by w and translates it; exterior faces are extended again.
static void move_piece(pl_grid_body* b, int piece, pl_vec3 middle, pl_vec3 w, pl_vec3 way) {
    const pl_grid_level* l = &b->lattice.levels[0];
    const pl_mat3 turn = turn_of(w);
    double move[3], *const *moves = b->applied; // no longer needed: used as scratch
    for (int s = 0; s < l->segment_count; s++) {
        const pl_grid_segment* g = &l->segments[s];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++)
            for (int a = 0; a < 3; a++) {
                const int at = g->begin + i;
                moves[a][at] = 0.0;
                if (!pl_grid_bit(l->masks[at / PL_GRID_CHUNK].face[a], at) ||
                    !in_piece(b, piece, at))
                    continue;
                const pl_vec3 x = pl_sub(place_of(b, g, a, i), middle);
                pl_vec3_store(move, pl_add(pl_mat3_apply(&turn, x), way));
                moves[a][at] = move[a];
            }
    }
    for (int s = 0; s < l->segment_count; s++) {
        const pl_grid_segment* g = &l->segments[s];
        for (int a = 0; a < 3; a++)
            for (int at = g->begin; at < g->begin + g->count * PL_GRID_CHUNK; at++)
                b->state.u[a][at] += moves[a][at];
    }
    if (b->rotates) turn_rotations(b, piece, w);
    pl_grid_extend(&b->map, b->state.u);
}

static void set_velocities(pl_grid_body* b, double* const v[3]) {
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < b->lattice.levels[0].field_size; i++)
            v[a][i] = (b->state.u[a][i] - pl_grid_reference(b, a, i)) / b->implicit_time;
}

// A rotation w of a piece changes its velocities by w x a / t and their positions by w x a. So
// Newton's method solves (inertia / t + swing) w = missing angular momentum.
static bool inverse_of_turns(const moments* now, double t, pl_mat3* out) {
    pl_mat3 sum;
    for (int e = 0; e < 9; e++) sum.m[e] = now->inertia.m[e] / t + now->swing.m[e];
    return pl_mat3_inverse(sum, out);
}

static void keep_of_piece(pl_grid_body* b, const pl_grid_loads* loads, int piece) {
    enum {
        MAX_ITERATIONS = 10
    }; // the inertia of single cells makes convergence linear, see inertia_of
    static const double SMALL = 1e-12;
    const double t = b->implicit_time, damped = 1.0 / (1.0 + b->damping_mass * t);
    double* const* v = b->state.f;
    pl_vec3 linear, angular, force = {0, 0, 0}, torque = {0, 0, 0};
    const moments last = follow(b, piece, &linear, &angular);
    for (int k = 0; k < MAX_ITERATIONS; k++) {
        set_velocities(b, v);
        const moments now = moments_of(b, piece, b->state.u, v);
        if (k == 0 && b->uses_past) sum_forces(b, loads, piece, b->state.u, &now, &force, &torque);
        else if (k == 0) sum_forces(b, loads, piece, b->before, &last, &force, &torque);
        const pl_vec3 to = pl_scale(damped, pl_madd(linear, t, force));
        const pl_vec3 spin = pl_scale(damped, pl_madd(angular, t, torque));
        const pl_vec3 lacks = pl_sub(to, now.linear);
        const pl_vec3 lacks_spin =
            b->rotates ? pl_sub(spin, now.angular) : (pl_vec3){0.0, 0.0, 0.0};
        pl_mat3 inverse;
        if (!(now.mass > 0.0) || !inverse_of_turns(&now, t, &inverse)) return;
        // ignore round-off of the positions
        const double size = pl_norm(to) + pl_norm(now.linear) + now.mass * b->frame.cell / t * 1e-3;
        const double radius = sqrt(pl_mat3_norm(now.inertia) / now.mass);
        if (pl_norm(lacks) <= SMALL * size &&
            pl_norm(lacks_spin) <= SMALL * (radius * size + pl_norm(spin)))
            return;
        // No rotation in the last iteration, because it would change the linear momentum a little.
        const pl_vec3 turn =
            k + 1 < MAX_ITERATIONS ? pl_mat3_apply(&inverse, lacks_spin) : (pl_vec3){0.0, 0.0, 0.0};
        move_piece(b, piece, now.middle, turn, pl_scale(t / now.mass, lacks));
    }
}

void pl_grid_keep_momentum(pl_grid_body* b, const pl_grid_loads* loads) {
    if (!b->dynamic) return;
    mark_pieces(b, loads);
    bool any = false;
    for (int k = 0; k < b->pieces.count; k++) any = any || !b->pieces.pieces[k].held;
    if (!any) return;
    // extends the exterior faces of all fields that momenta use
    pl_grid_extend(&b->map, b->state.u);
    pl_grid_extend(&b->map, b->before);
    pl_grid_extend(&b->map, b->velocity);
    for (int k = 0; k < b->pieces.count; k++)
        if (!b->pieces.pieces[k].held) keep_of_piece(b, loads, k);
}
