// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Friction is Coulomb's law with a given normal force N (step_friction.c): with u the sliding
// across the normal, the force is mu N u/|u| beyond the slip length e, and mu N u/e below it. u is
// the velocity at the end of the step, relative to the obstacle, times the step:
//
//   Euler      u = x - x0
//   BDF2       u = 3/2 (x - x0) - 1/2 (x0 - x_-1)
//   midpoint   u = 4 (x - x0) - h v0
//
// less the obstacle's motion. N is taken at the same time, so that friction stops what slides and
// does no work on what is at rest. With u = x1 - x0 the midpoint rule would reverse the velocity of
// what sticks in every step.
//
// Newton overshoots where sliding turns into sticking, because |u| has no curvature along u. So its
// Hessian is that of the primal-dual method (Chan, Golub, Mulet 1999): a dual vector w of length at
// most 1 says how much of the limit friction is known to reach, and in which direction. With w = 0
// the Hessian bounds the energy from above, with w = u/|u| it is exact.
//
// The midpoint rule solves for the middle x of the step. Its contacts act at the end z = 2 x -
// start: a force f(z) does the work f(z).(z - start), which for a convex potential U never exceeds
// U(start) - U(z), so that a bounce cannot gain energy. In Phi that is U(2 x - start) / 2, with the
// gradient U'(z) and the Hessian 2 U''(z).
#include "step/step_objective.h"
#include "sparse/vector.h"
#include "step/mass_matrix.h"

#include <float.h>
#include <math.h>
#include <string.h>

double pl_step_elastic_energy(const pl_step_objective* f, const double* x) {
    double sum = 0.0;
    for (int s = 0; s < f->set_count; s++) sum += pl_element_set_energy(&f->sets[s], f->pool, x);
    return sum;
}

typedef struct vertex_job {
    const pl_step_objective* f;
    const double* x;
    double* gradient;
} vertex_job;

static bool has_damping(const pl_step_objective* f) { return f->velocity_time > 0.0; }

// alpha / tau
static double mass_drag(const pl_step_objective* f) {
    return has_damping(f) ? f->damping_mass / f->velocity_time : 0.0;
}

double pl_step_mass_weight(const pl_step_objective* f) { return f->inertia + mass_drag(f); }

// |x - from|^2_M by the mass matrix; the begin of scratch becomes M (x - from)
static double mass_square(const pl_step_objective* f, const double* x, const double* from,
                          double* scratch) {
    int count = 3 * f->vertex_count;
    double* difference = scratch + count;
    for (int i = 0; i < count; i++) difference[i] = x[i] - from[i];
    pl_block_matrix_apply(f->mass_matrix, f->pool, 3, difference, scratch);
    return pl_vector_dot(f->pool, count, difference, scratch);
}

static double vertex_energy(int begin, int end, void* user) {
    const vertex_job* job = user;
    const pl_step_objective* f = job->f;
    double drag = f->mass_matrix ? 0.0 : mass_drag(f), sum = 0.0;
    double inertia = f->mass_matrix ? 0.0 : f->inertia;
    for (int v = begin; v < end; v++)
        for (int c = 0; c < 3; c++) {
            size_t i = 3 * (size_t)v + (size_t)c;
            if (inertia > 0.0) {
                double d = job->x[i] - f->y[i];
                sum += 0.5 * inertia * f->mass[v] * d * d;
            }
            if (drag > 0.0) {
                double d = job->x[i] - f->reference[i];
                sum += 0.5 * drag * f->mass[v] * d * d;
            }
            sum -= f->force[i] * job->x[i];
        }
    return sum;
}

static double inertia_square(int begin, int end, void* user) {
    const vertex_job* job = user;
    double sum = 0.0;
    for (int i = 3 * begin; i < 3 * end; i++) {
        double force = job->f->inertia * job->f->mass[i / 3] * (job->x[i] - job->f->y[i]);
        sum += force * force;
    }
    return sum;
}

double pl_step_inertia_force(const pl_step_objective* f, const double* x, double* scratch) {
    vertex_job job = {.f = f, .x = x};
    if (!(f->inertia > 0.0)) return 0.0;
    if (f->mass_matrix) {
        mass_square(f, x, f->y, scratch);
        return f->inertia * pl_vector_norm(f->pool, 3 * f->vertex_count, scratch);
    }
    return sqrt(pl_parallel_sum(f->pool, inertia_square, f->vertex_count, 1024, &job));
}

void pl_step_inertia_forces(const pl_step_objective* f, const pl_step_pieces* pieces,
                            const double* x, double* scratch, double* forces) {
    vertex_job job = {.f = f, .x = x};
    if (pieces->count == 1) {
        forces[0] = pl_step_inertia_force(f, x, scratch);
        return;
    }
    if (!(f->inertia > 0.0)) {
        memset(forces, 0, (size_t)pieces->count * sizeof(double));
        return;
    }
    if (f->mass_matrix) {
        mass_square(f, x, f->y, scratch);
        pl_pieces_norm(pieces, f->pool, scratch, forces);
        for (int k = 0; k < pieces->count; k++) forces[k] *= f->inertia;
        return;
    }
    pl_pieces_sum(pieces, NULL, f->pool, inertia_square, 0, &job, forces);
    for (int k = 0; k < pieces->count; k++) forces[k] = sqrt(forces[k]);
}

// Gradient and energy of single vertices, and of the springs that they gather from.
static double vertex_part(int begin, int end, void* user) {
    const vertex_job* job = user;
    const pl_step_objective* f = job->f;
    double drag = f->mass_matrix ? 0.0 : mass_drag(f), sum = 0.0;
    double inertia = f->mass_matrix ? 0.0 : f->inertia;
    for (int v = begin; v < end; v++)
        for (int c = 0; c < 3; c++) {
            size_t i = 3 * (size_t)v + (size_t)c;
            double force = -f->force[i];
            sum += force * job->x[i];
            if (inertia > 0.0) {
                double d = job->x[i] - f->y[i], push = inertia * f->mass[v] * d;
                force += push;
                sum += 0.5 * push * d;
            }
            if (drag > 0.0) {
                double d = job->x[i] - f->reference[i], push = drag * f->mass[v] * d;
                force += push;
                sum += 0.5 * push * d;
            }
            job->gradient[i] = force;
        }
    for (int s = 0; s < f->set_count; s++)
        if (f->sets[s].gather)
            sum +=
                f->sets[s].kind->gather_add(f->sets[s].gather, begin, end, job->x, job->gradient);
    return sum;
}

static double mass_matrix_energy(const pl_step_objective* f, const double* x, double* scratch) {
    double sum = 0.0, drag = mass_drag(f);
    if (!f->mass_matrix) return sum;
    if (f->inertia > 0.0) sum += 0.5 * f->inertia * mass_square(f, x, f->y, scratch);
    if (drag > 0.0) sum += 0.5 * drag * mass_square(f, x, f->reference, scratch);
    return sum;
}

static void add_mass_matrix_gradient(const pl_step_objective* f, const double* x, double* gradient,
                                     double* scratch) {
    int count = 3 * f->vertex_count;
    double drag = mass_drag(f);
    if (!f->mass_matrix) return;
    if (f->inertia > 0.0) {
        mass_square(f, x, f->y, scratch);
        pl_vector_axpy(f->pool, count, f->inertia, scratch, gradient);
    }
    if (drag > 0.0) {
        mass_square(f, x, f->reference, scratch);
        pl_vector_axpy(f->pool, count, drag, scratch, gradient);
    }
}

// K (x - x_ref) into out; a scalar K acts on each coordinate
void pl_step_stiffness_drag(const pl_step_objective* f, const double* x, double* difference,
                            double* out) {
    int count = 3 * f->vertex_count;
    for (int i = 0; i < count; i++) difference[i] = x[i] - f->reference[i];
    pl_block_matrix_apply(f->damping_matrix, f->pool, 1, difference, out);
}

static double pin_energy(const pl_pin* pin, const double* x) {
    pl_vec3 d = pl_sub(pl_vec3_load(x + 3 * (size_t)pin->vertex), pin->target);
    return pin->hard ? 0.0 : 0.5 * pin->stiffness * pl_norm2(pl_pin_part(pin, d));
}

// of the end of the step by that of x
static double end_scale(const pl_step_objective* f) { return f->solves_midpoint ? 2.0 : 1.0; }

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

// derivative of the end velocity times the step
static double slip_scale(const pl_step_objective* f) {
    return f->solves_midpoint ? 4.0 : f->positions_before ? 1.5 : 1.0;
}

// the end velocity times the step
static pl_vec3 end_motion(const pl_step_objective* f, int vertex, const double* x) {
    size_t i = 3 * (size_t)vertex;
    pl_vec3 start = pl_vec3_load(f->start + i);
    pl_vec3 motion = pl_scale(slip_scale(f), pl_sub(pl_vec3_load(x + i), start));
    if (f->solves_midpoint) return pl_madd(motion, -f->time_step, pl_vec3_load(f->velocities + i));
    if (!f->positions_before) return motion;
    return pl_madd(motion, -0.5, pl_sub(start, pl_vec3_load(f->positions_before + i)));
}

// how far the vertex would slide across the surface in a step at its end velocity
static pl_vec3 contact_slip(const pl_step_objective* f, const pl_contact* contact,
                            const double* x) {
    pl_vec3 moved = pl_sub(end_motion(f, contact->vertex, x), contact->motion);
    return pl_madd(moved, -pl_dot(moved, contact->normal), contact->normal);
}

static double contact_energy(const pl_step_objective* f, int k, const double* x) {
    const pl_contact* contact = &f->contacts[k];
    double depth = pl_step_contact_depth(f, contact, x), sum = 0.0;
    if (depth > 0.0) sum += 0.5 * contact->stiffness * depth * depth / end_scale(f);
    double limit = contact->friction * contact->normal_force;
    if (limit > 0.0) {
        double s = pl_norm(contact_slip(f, contact, x)), e = f->slip_length;
        double slid = s >= e ? s - 0.5 * e : 0.5 * s * s / e;
        sum += limit * slid / slip_scale(f);
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

pl_vec3 pl_step_contact_gradient(const pl_step_objective* f, int k, const double* x) {
    const pl_contact* contact = &f->contacts[k];
    pl_contact_place place = contact_place(f, contact, x);
    pl_vec3 sum = {0.0, 0.0, 0.0};
    if (place.depth > 0.0) sum = pl_scale(-contact->stiffness * place.depth, place.normal);
    if (contact->friction * contact->normal_force > 0.0)
        sum = pl_madd(sum, contact->normal_force, pl_step_unit_friction(f, k, x));
    return sum;
}

static void add_contact_gradient(const pl_step_objective* f, int k, const double* x,
                                 double* gradient) {
    double* g = gradient + 3 * (size_t)f->contacts[k].vertex;
    pl_vec3_store(g, pl_add(pl_vec3_load(g), pl_step_contact_gradient(f, k, x)));
}

double pl_step_energy(const pl_step_objective* f, const double* x, double* scratch) {
    vertex_job job = {.f = f, .x = x};
    double sum = pl_parallel_sum(f->pool, vertex_energy, f->vertex_count, 1024, &job);
    sum += mass_matrix_energy(f, x, scratch) + pl_step_elastic_energy(f, x);
    if (has_damping(f) && f->damping_stiffness > 0.0) {
        int count = 3 * f->vertex_count;
        pl_step_stiffness_drag(f, x, scratch, scratch + count);
        sum += 0.5 * f->damping_stiffness / f->velocity_time *
               pl_vector_dot(f->pool, count, scratch, scratch + count);
    }
    if (f->pressure) sum += pl_step_pressure_energy(f->pressure, x);
    for (int k = 0; k < f->pin_count; k++) sum += pin_energy(&f->pins[k], x);
    for (int k = 0; k < f->contact_count; k++) sum += contact_energy(f, k, x);
    return sum;
}

typedef struct weighted_job {
    const double *a, *b;
    double weight;
} weighted_job;

static double weighted_part(int begin, int end, void* user) {
    const weighted_job* job = user;
    double sum = 0.0;
    for (int i = 3 * begin; i < 3 * end; i++) sum += job->a[i] * job->b[i];
    return job->weight * sum;
}

// sums[piece] += weight a.b over its vertices
static void add_weighted(const pl_step_objective* f, const pl_step_pieces* pieces,
                         const bool* chosen, double weight, const double* a, const double* b,
                         double* sums) {
    weighted_job job = {a, b, weight};
    pl_pieces_add(pieces, chosen, f->pool, weighted_part, &job, sums);
}

// inertia and damping by matrices
static void add_matrix_energies(const pl_step_objective* f, const pl_step_pieces* pieces,
                                const bool* chosen, const double* x, double* scratch,
                                double* sums) {
    double *difference = scratch + 3 * (size_t)f->vertex_count, drag = mass_drag(f);
    if (f->mass_matrix && f->inertia > 0.0) {
        mass_square(f, x, f->y, scratch);
        add_weighted(f, pieces, chosen, 0.5 * f->inertia, difference, scratch, sums);
    }
    if (f->mass_matrix && drag > 0.0) {
        mass_square(f, x, f->reference, scratch);
        add_weighted(f, pieces, chosen, 0.5 * drag, difference, scratch, sums);
    }
    if (has_damping(f) && f->damping_stiffness > 0.0) {
        pl_step_stiffness_drag(f, x, scratch, difference);
        add_weighted(f, pieces, chosen, 0.5 * f->damping_stiffness / f->velocity_time, scratch,
                     difference, sums);
    }
}

void pl_step_energies(const pl_step_objective* f, const pl_step_pieces* pieces, const bool* chosen,
                      const double* x, double* scratch, double* energies) {
    vertex_job job = {.f = f, .x = x};
    if (pieces->count == 1) {
        energies[0] = pl_step_energy(f, x, scratch);
        return;
    }
    pl_pieces_sum(pieces, chosen, f->pool, vertex_energy, 0, &job, energies);
    for (int s = 0; s < f->set_count; s++)
        pl_pieces_add_energy(pieces, chosen, f->pool, f->sets, s, x, energies);
    add_matrix_energies(f, pieces, chosen, x, scratch, energies);
    if (f->pressure) pl_step_pressure_energies(f->pressure, pieces->piece_of, chosen, x, energies);
    for (int k = 0; k < f->pin_count; k++) {
        int piece = pieces->piece_of[f->pins[k].vertex];
        if (!chosen || chosen[piece]) energies[piece] += pin_energy(&f->pins[k], x);
    }
    for (int k = 0; k < f->contact_count; k++) {
        int piece = pieces->piece_of[f->contacts[k].vertex];
        if (!chosen || chosen[piece]) energies[piece] += contact_energy(f, k, x);
    }
}

// energy and gradient, or the gradient alone
static double evaluate(const pl_step_objective* f, const double* x, bool with_energy,
                       double* gradient, double* scratch) {
    int count = 3 * f->vertex_count;
    vertex_job job = {f, x, gradient};
    double sum = pl_parallel_sum(f->pool, vertex_part, f->vertex_count, 256, &job);
    if (with_energy) sum += mass_matrix_energy(f, x, scratch);
    add_mass_matrix_gradient(f, x, gradient, scratch);
    for (int s = 0; s < f->set_count; s++) {
        if (f->sets[s].gather) continue;
        pl_element_set_gradient(&f->sets[s], f->pool, x, gradient);
        if (with_energy) sum += pl_element_set_energy(&f->sets[s], f->pool, x);
    }
    if (has_damping(f) && f->damping_stiffness > 0.0) {
        double scale = f->damping_stiffness / f->velocity_time;
        pl_step_stiffness_drag(f, x, scratch, scratch + count);
        pl_vector_axpy(f->pool, count, scale, scratch + count, gradient);
        if (with_energy)
            sum += 0.5 * scale * pl_vector_dot(f->pool, count, scratch, scratch + count);
    }
    if (f->pressure) {
        pl_step_pressure_gradient(f->pressure, x, gradient);
        if (with_energy) sum += pl_step_pressure_energy(f->pressure, x);
    }
    for (int k = 0; k < f->pin_count; k++) {
        const pl_pin* pin = &f->pins[k];
        double* g = gradient + 3 * (size_t)pin->vertex;
        pl_vec3 d = pl_sub(pl_vec3_load(x + 3 * (size_t)pin->vertex), pin->target);
        d = pl_pin_part(pin, d);
        if (!pin->hard) pl_vec3_store(g, pl_madd(pl_vec3_load(g), pin->stiffness, d));
        sum += pin_energy(pin, x);
    }
    for (int k = 0; k < f->contact_count; k++) {
        add_contact_gradient(f, k, x, gradient);
        if (with_energy) sum += contact_energy(f, k, x);
    }
    for (int v = 0; v < f->vertex_count; v++)
        if (f->fixed[v]) memset(gradient + 3 * (size_t)v, 0, 3 * sizeof(double));
    pl_holds_project(f->holds, f->hold_count, gradient);
    return sum;
}

void pl_step_gradient(const pl_step_objective* f, const double* x, double* gradient,
                      double* scratch) {
    evaluate(f, x, false, gradient, scratch);
}

double pl_step_energy_and_gradient(const pl_step_objective* f, const double* x, double* gradient,
                                   double* scratch) {
    return evaluate(f, x, true, gradient, scratch);
}

bool pl_step_gathers(const pl_step_objective* f) {
    for (int s = 0; s < f->set_count; s++)
        if (!f->sets[s].gather) return false;
    return f->set_count > 0;
}

// What slid at the start of the step goes on, unless friction alone can stop its vertex.
pl_vec3 pl_step_first_dual(const pl_step_objective* f, const pl_contact* c) {
    if (!(f->inertia > 0.0)) return (pl_vec3){0, 0, 0};
    pl_vec3 slip = pl_scale(f->time_step, pl_vec3_load(f->velocities + 3 * (size_t)c->vertex));
    slip = pl_sub(slip, c->motion);
    slip = pl_madd(slip, -pl_dot(slip, c->normal), c->normal);
    double stopped =
        slip_scale(f) * c->friction * c->normal_force / f->inertia / f->mass[c->vertex];
    return pl_scale(1.0 / fmax(fmax(pl_norm(slip), stopped), f->slip_length), slip);
}

// w, linearised as the slip is: |u| w = u beyond the slip length, e w = u below it
void pl_step_friction_dual(const pl_step_objective* f, const double* x_before, const int* piece_of,
                           const double* lengths, const double* direction, double* dual) {
    for (int k = 0; k < f->contact_count; k++) {
        const pl_contact* contact = &f->contacts[k];
        size_t i = 3 * (size_t)contact->vertex;
        pl_vec3 slip = contact_slip(f, contact, x_before), w = pl_vec3_load(dual + i);
        pl_vec3 step = pl_scale(slip_scale(f), pl_vec3_load(direction + i));
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

static double* diagonal_block(pl_block_matrix* A, int v) {
    return A->values + (size_t)A->diagonal[v] * (size_t)(A->block * A->block);
}

// adds s I to the diagonal block of a vertex
static void add_isotropic(pl_block_matrix* A, int v, double s) {
    double* block = diagonal_block(A, v);
    for (int c = 0; c < A->block; c++) block[c * A->block + c] += s;
}

static void add_pin(const pl_pin* pin, pl_block_matrix* A) {
    if (pin->hard) return;
    if (!pin->partial) add_isotropic(A, pin->vertex, pin->stiffness);
    double* block = diagonal_block(A, pin->vertex);
    for (int i = 0; pin->partial && i < 9; i++) block[i] += pin->stiffness * pin->held.m[i];
}

// (w + alpha / tau) M
static void add_mass(const pl_step_objective* f, pl_block_matrix* A) {
    double weight = pl_step_mass_weight(f);
    if (f->mass_matrix) pl_mass_matrix_add_to(f->mass_matrix, weight, A);
    else
        for (int v = 0; v < f->vertex_count; v++) add_isotropic(A, v, weight * f->mass[v]);
}

// block += k n n' - k depth curvature (I - axis axis' - n n') where it is inside. The second part,
// what a round surface gives way to the sides, is never positive.
static void add_normal_block(const pl_step_objective* f, const pl_contact* contact, const double* x,
                             double projected, double block[9]) {
    pl_contact_place place = contact_place(f, contact, x);
    if (!(place.depth > 0.0)) return;
    double stiffness = end_scale(f) * contact->stiffness;
    double side = (projected - 1.0) * stiffness * place.depth * place.curvature;
    const double n[3] = {place.normal.x, place.normal.y, place.normal.z};
    const double a[3] = {contact->axis.x, contact->axis.y, contact->axis.z};
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            block[3 * r + c] +=
                (stiffness - side) * n[r] * n[c] - side * a[r] * a[c] + (r == c ? side : 0.0);
}

// Of friction, (mu N / |u|) (I - (w u' + u w') / (2 |u|)) across the normal; below the slip length
// w does not count.
void pl_step_contact_block(const pl_step_objective* f, int k, const double* x, double projected,
                           double block[9]) {
    const pl_contact* contact = &f->contacts[k];
    double across = 0.0;
    double limit = contact->friction * contact->normal_force;
    pl_vec3 d = {0, 0, 0}, w = {0, 0, 0};
    if (limit > 0.0) {
        pl_vec3 slip = contact_slip(f, contact, x);
        double s = pl_norm(slip);
        across = slip_scale(f) * friction_factor(f, limit, s);
        if (s >= f->slip_length) {
            d = pl_scale(1.0 / s, slip);
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
    add_normal_block(f, contact, x, projected, block);
}

static void add_contact_hessian(const pl_step_objective* f, int k, const double* x,
                                double projected, pl_block_matrix* A) {
    double block[9], *to = diagonal_block(A, f->contacts[k].vertex);
    pl_step_contact_block(f, k, x, projected, block);
    for (int i = 0; i < 9; i++) to[i] += block[i];
}

// rows and columns of fixed vertices become those of the identity
static void eliminate_fixed(const pl_step_objective* f, pl_block_matrix* A) {
    size_t size = (size_t)(A->block * A->block);
    for (int v = 0; f->fixed && v < A->row_count; v++) {
        for (int e = A->offsets[v]; e < A->offsets[v + 1]; e++)
            if (f->fixed[v] || f->fixed[A->columns[e]])
                memset(A->values + (size_t)e * size, 0, size * sizeof(double));
        if (f->fixed[v]) add_isotropic(A, v, 1.0);
    }
}

static void add_damping_matrix(const pl_step_objective* f, pl_block_matrix* A) {
    if (!has_damping(f) || !(f->damping_stiffness > 0.0)) return;
    int count = pl_block_matrix_entry_count(A) * A->block * A->block;
    pl_vector_axpy(f->pool, count, f->damping_stiffness / f->velocity_time,
                   f->damping_matrix->values, A->values);
}

void pl_step_hessian(const pl_step_objective* f, const double* x, double projected,
                     pl_block_matrix* A) {
    pl_block_matrix_zero(A);
    add_mass(f, A);
    for (int s = 0; s < f->set_count; s++) {
        if (projected > 0.0) pl_element_set_hessian(&f->sets[s], f->pool, x, true, projected, A);
        if (projected < 1.0)
            pl_element_set_hessian(&f->sets[s], f->pool, x, false, 1.0 - projected, A);
    }
    add_damping_matrix(f, A);
    if (f->pressure) pl_step_pressure_hessian(f->pressure, x, A);
    for (int k = 0; k < f->pin_count; k++) add_pin(&f->pins[k], A);
    for (int k = 0; k < f->contact_count; k++) add_contact_hessian(f, k, x, projected, A);
    eliminate_fixed(f, A);
    pl_holds_eliminate(f->holds, f->hold_count, A);
}

void pl_step_projective(const pl_step_objective* f, pl_block_matrix* A) {
    pl_block_matrix_zero(A);
    for (int s = 0; s < f->set_count; s++) pl_element_set_projective(&f->sets[s], f->pool, A);
    if (has_damping(f) && f->damping_stiffness > 0.0) // as stiff as the elements
        pl_vector_axpy(f->pool, pl_block_matrix_entry_count(A),
                       f->damping_stiffness / f->velocity_time, A->values, A->values);
    add_mass(f, A);
    for (int k = 0; k < f->pin_count; k++)
        if (!f->pins[k].hard) add_isotropic(A, f->pins[k].vertex, f->pins[k].stiffness);
    for (int k = 0; k < f->contact_count; k++)
        add_isotropic(A, f->contacts[k].vertex, end_scale(f) * f->contacts[k].stiffness);
    eliminate_fixed(f, A);
}
