// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The energy and forces of contacts and their friction.
//
// Friction is Coulomb's law with a given normal force N (step_friction.c): with u the sliding
// across the normal, the force is mu N u/|u| beyond the slip length e, and mu N u/e below it. u is
// the velocity at the end of the step, relative to the obstacle, times the step:
//
//   Euler      u = x - x0
//   BDF2       u = 3/2 (x - x0) - 1/2 (x0 - x_-1)
//   midpoint   u = 4 (x - x0) - h v0
//
// minus the obstacle's motion. N is taken at the same time. Friction then stops sliding vertices
// and does no work on vertices at rest. With u = x1 - x0 the midpoint rule would reverse the
// velocity of sticking vertices in every step.
//
// Newton overshoots where sliding turns into sticking, because |u| has no curvature along u. So its
// Hessian is that of the primal-dual method (Chan, Golub, Mulet 1999): a dual vector w of length at
// most 1 estimates the fraction of its limit that friction reaches, and its direction. With w = 0
// the Hessian bounds the energy from above, with w = u/|u| it is exact.
//
// The midpoint rule solves for the middle x of the step. Its contacts act at the end z = 2 x -
// start: a force f(z) does the work f(z).(z - start), which for a convex potential U never exceeds
// U(start) - U(z), so that a bounce cannot gain energy. In Phi that is U(2 x - start) / 2, with the
// gradient U'(z) and the Hessian 2 U''(z).
#include "step/step_objective.h"

#include <math.h>

double pl_step_end_scale(const pl_step_objective* f) { return f->solves_midpoint ? 2.0 : 1.0; }

static pl_vec3 end_position(const pl_step_objective* f, int vertex, const double* x) {
    size_t i = 3 * (size_t)vertex;
    pl_vec3 at = pl_vec3_load(x + i);
    return f->solves_midpoint ? pl_sub(pl_scale(2.0, at), pl_vec3_load(f->start + i)) : at;
}

typedef struct end_job {
    const pl_step_objective* f;
    const double* x;
    double* out;
} end_job;

static void end_task(int begin, int end, int worker, void* user) {
    const end_job* job = user;
    (void)worker;
    for (int v = begin; v < end; v++)
        pl_vec3_store(job->out + 3 * (size_t)v, end_position(job->f, v, job->x));
}

const double* pl_step_end_positions(const pl_step_objective* f, const double* x, double* out) {
    if (!f->solves_midpoint) return x;
    end_job job = {f, x, out};
    pl_parallel_for(f->pool, end_task, f->vertex_count, 4096, &job);
    return out;
}

static pl_contact_place contact_place(const pl_step_objective* f, const pl_contact* contact,
                                      const double* x) {
    pl_vec3 at = end_position(f, contact->vertex, x);
    return f->round_contacts ? pl_contact_round(contact, at) : pl_contact_flat(contact, at);
}

double pl_step_contact_depth(const pl_step_objective* f, const pl_contact* contact,
                             const double* x) {
    return contact_place(f, contact, x).depth;
}

// derivative with respect to x of the end velocity times the step
double pl_step_slip_scale(const pl_step_objective* f) {
    return f->solves_midpoint ? 4.0 : f->positions_before ? 1.5 : 1.0;
}

// the end velocity times the step
pl_vec3 pl_step_end_motion(const pl_step_objective* f, int vertex, const double* x) {
    size_t i = 3 * (size_t)vertex;
    pl_vec3 start = pl_vec3_load(f->start + i);
    pl_vec3 motion = pl_scale(pl_step_slip_scale(f), pl_sub(pl_vec3_load(x + i), start));
    if (f->solves_midpoint) return pl_madd(motion, -f->time_step, pl_vec3_load(f->velocities + i));
    if (!f->positions_before) return motion;
    return pl_madd(motion, -0.5, pl_sub(start, pl_vec3_load(f->positions_before + i)));
}

// the distance that the vertex would slide across the surface in a step at its end velocity
static pl_vec3 contact_slip(const pl_step_objective* f, const pl_contact* contact,
                            const double* x) {
    pl_vec3 moved = pl_sub(pl_step_end_motion(f, contact->vertex, x), contact->motion);
    return pl_madd(moved, -pl_dot(moved, contact->normal), contact->normal);
}

double pl_step_contact_energy(const pl_step_objective* f, int k, const double* x) {
    const pl_contact* contact = &f->contacts[k];
    double depth = pl_step_contact_depth(f, contact, x), sum = 0.0;
    if (depth > 0.0) sum += 0.5 * contact->stiffness * depth * depth / pl_step_end_scale(f);
    double limit = contact->friction * contact->normal_force;
    if (limit > 0.0) {
        double s = pl_norm(contact_slip(f, contact, x)), e = f->slip_length;
        double slid = s >= e ? s - 0.5 * e : 0.5 * s * s / e;
        sum += limit * slid / pl_step_slip_scale(f);
    }
    return sum;
}

// friction force divided by the slip: mu N f(s)/s
static double friction_factor(const pl_step_objective* f, double limit, double slip) {
    return limit / fmax(slip, f->slip_length);
}

pl_vec3 pl_step_unit_friction(const pl_step_objective* f, int k, const double* x) {
    pl_vec3 slip = contact_slip(f, &f->contacts[k], x);
    return pl_scale(friction_factor(f, f->contacts[k].friction, pl_norm(slip)), slip);
}

double pl_step_normal_force(const pl_step_objective* f, int k, const double* x) {
    const pl_contact* contact = &f->contacts[k];
    return contact->stiffness * fmax(pl_step_contact_depth(f, contact, x), 0.0);
}

// Position of a contact's vertex, and its slip if there is friction.
typedef struct contact_state {
    const pl_contact* contact;
    pl_contact_place place;
    double limit; // of friction
    pl_vec3 slip;
    double slid; // |slip|
} contact_state;

static contact_state contact_at(const pl_step_objective* f, int k, const double* x) {
    const pl_contact* contact = &f->contacts[k];
    contact_state s = {.contact = contact,
                       .place = contact_place(f, contact, x),
                       .limit = contact->friction * contact->normal_force};
    if (!(s.limit > 0.0)) return s;
    s.slip = contact_slip(f, contact, x);
    s.slid = pl_norm(s.slip);
    return s;
}

static pl_vec3 gradient_of(const pl_step_objective* f, const contact_state* s) {
    const pl_contact* contact = s->contact;
    pl_vec3 sum = {0.0, 0.0, 0.0};
    if (s->place.depth > 0.0) sum = pl_scale(-contact->stiffness * s->place.depth, s->place.normal);
    if (s->limit > 0.0)
        sum = pl_madd(sum, contact->normal_force,
                      pl_scale(friction_factor(f, contact->friction, s->slid), s->slip));
    return sum;
}

pl_vec3 pl_step_contact_gradient(const pl_step_objective* f, int k, const double* x) {
    contact_state s = contact_at(f, k, x);
    return gradient_of(f, &s);
}

// Vertices that slid at the start of the step continue to slide, unless friction alone can stop
// them.
pl_vec3 pl_step_first_dual(const pl_step_objective* f, const pl_contact* c) {
    if (!(f->inertia > 0.0)) return (pl_vec3){0, 0, 0};
    pl_vec3 slip = pl_scale(f->time_step, pl_vec3_load(f->velocities + 3 * (size_t)c->vertex));
    slip = pl_sub(slip, c->motion);
    slip = pl_madd(slip, -pl_dot(slip, c->normal), c->normal);
    double stopped =
        pl_step_slip_scale(f) * c->friction * c->normal_force / f->inertia / f->mass[c->vertex];
    return pl_scale(1.0 / fmax(fmax(pl_norm(slip), stopped), f->slip_length), slip);
}

// w, linearised as the slip is: |u| w = u beyond the slip length, e w = u below it
void pl_step_friction_dual(const pl_step_objective* f, const double* x_before, const int* piece_of,
                           const double* lengths, const double* direction, double* dual) {
    for (int k = 0; k < f->contact_count; k++) {
        const pl_contact* contact = &f->contacts[k];
        size_t i = 3 * (size_t)contact->vertex;
        pl_vec3 slip = contact_slip(f, contact, x_before), w = pl_vec3_load(dual + i);
        pl_vec3 step = pl_scale(pl_step_slip_scale(f), pl_vec3_load(direction + i));
        step = pl_madd(step, -pl_dot(step, contact->normal), contact->normal);
        double s = pl_norm(slip), e = f->slip_length, length = lengths[piece_of[contact->vertex]];
        if (s >= e) {
            pl_vec3 next = pl_scale(1.0 / s, pl_add(slip, step));
            next = pl_madd(next, -pl_dot(slip, step) / (s * s), w);
            w = pl_lerp(w, next, length);
            double norm = pl_norm(w);
            if (norm > 1.0) w = pl_scale(1.0 / norm, w);
        } else {
            pl_vec3 now = pl_madd(slip, length, step);
            w = pl_scale(1.0 / fmax(pl_norm(now), e), now);
        }
        pl_vec3_store(dual + i, w);
    }
}

// block += k n n' - k depth curvature (I - axis axis' - n n') if the vertex is inside. The second
// part is the effect of the surface's curvature and never positive.
static void add_normal_block(const pl_step_objective* f, const contact_state* s, double projected,
                             double block[9]) {
    const pl_contact* contact = s->contact;
    const pl_contact_place place = s->place;
    if (!(place.depth > 0.0)) return;
    double stiffness = pl_step_end_scale(f) * contact->stiffness;
    double side = (projected - 1.0) * stiffness * place.depth * place.curvature;
    const double n[3] = {place.normal.x, place.normal.y, place.normal.z};
    const double a[3] = {contact->axis.x, contact->axis.y, contact->axis.z};
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            block[3 * r + c] +=
                (stiffness - side) * n[r] * n[c] - side * a[r] * a[c] + (r == c ? side : 0.0);
}

// Friction: (mu N / |u|) (I - (w u' + u w') / (2 |u|)) across the normal; below the slip length w
// is not used.
static void block_of(const pl_step_objective* f, const contact_state* s, double projected,
                     double block[9]) {
    const pl_contact* contact = s->contact;
    double across = 0.0;
    pl_vec3 d = {0, 0, 0}, w = {0, 0, 0};
    if (s->limit > 0.0) {
        across = pl_step_slip_scale(f) * friction_factor(f, s->limit, s->slid);
        if (s->slid >= f->slip_length) {
            d = pl_scale(1.0 / s->slid, s->slip);
            w = pl_vec3_load(f->friction_dual + 3 * (size_t)contact->vertex);
            w = pl_scale(0.5 * across, pl_madd(w, -pl_dot(w, contact->normal), contact->normal));
        }
    }
    const double n[3] = {contact->normal.x, contact->normal.y, contact->normal.z};
    const double u[3] = {d.x, d.y, d.z}, v[3] = {w.x, w.y, w.z};
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            block[3 * r + c] =
                (r == c ? across : 0.0) - across * n[r] * n[c] - u[r] * v[c] - v[r] * u[c];
    add_normal_block(f, s, projected, block);
}

void pl_step_contact_block(const pl_step_objective* f, int k, const double* x, double projected,
                           double block[9]) {
    contact_state s = contact_at(f, k, x);
    block_of(f, &s, projected, block);
}

pl_vec3 pl_step_contact_both(const pl_step_objective* f, int k, const double* x, double projected,
                             double block[9]) {
    contact_state s = contact_at(f, k, x);
    block_of(f, &s, projected, block);
    return gradient_of(f, &s);
}
