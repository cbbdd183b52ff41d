// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "step/step_objective.h"
#include "sparse/vector.h"
#include "step/mass_matrix.h"

#include <float.h>
#include <math.h>
#include <string.h>

bool pl_step_has_energy(const pl_step_objective* f) {
    for (int k = 0; k < f->term_count; k++)
        if (!f->terms[k]->energy) return false;
    return true;
}

double pl_step_elastic_energy(const pl_step_objective* f, const double* x) {
    double sum = 0.0;
    for (int s = 0; s < f->set_count; s++) sum += pl_element_set_energy(&f->sets[s], f->pool, x);
    if (f->coupling) sum += f->coupling->energy(f->coupling->data, x);
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

// |x - from|^2_M with the mass matrix; the first half of scratch becomes M (x - from)
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

static double inertia_force(const pl_step_objective* f, const double* x, double* scratch) {
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
        forces[0] = inertia_force(f, x, scratch);
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

// Gradient and energy of single vertices, and of the springs gathered by them.
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
    for (int k = 0; k < f->term_count; k++) sum += f->terms[k]->energy(f->terms[k]->user, x);
    for (int k = 0; k < f->pin_count; k++) sum += pin_energy(&f->pins[k], x);
    for (int k = 0; k < f->contact_count; k++) sum += pl_step_contact_energy(f, k, x);
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
    if (f->coupling) f->coupling->energies(f->coupling->data, pieces, chosen, x, energies);
    add_matrix_energies(f, pieces, chosen, x, scratch, energies);
    for (int k = 0; k < f->term_count; k++)
        f->terms[k]->energies(f->terms[k]->user, pieces->piece_of, chosen, x, energies);
    for (int k = 0; k < f->pin_count; k++) {
        int piece = pieces->piece_of[f->pins[k].vertex];
        if (!chosen || chosen[piece]) energies[piece] += pin_energy(&f->pins[k], x);
    }
    for (int k = 0; k < f->contact_count; k++) {
        int piece = pieces->piece_of[f->contacts[k].vertex];
        if (!chosen || chosen[piece]) energies[piece] += pl_step_contact_energy(f, k, x);
    }
}

// The gradient of the elements at x, if a term knows it.
static const double* known_gradient(const pl_step_objective* f, const double* x) {
    const double* known = NULL;
    for (int k = 0; !known && k < f->term_count; k++)
        if (f->terms[k]->elastic_gradient)
            known = f->terms[k]->elastic_gradient(f->terms[k]->user, x);
    return known;
}

// energy and gradient, or the gradient alone
static double evaluate(const pl_step_objective* f, const double* x, bool with_energy,
                       double* gradient, double* scratch) {
    int count = 3 * f->vertex_count;
    vertex_job job = {f, x, gradient};
    double sum = pl_parallel_sum(f->pool, vertex_part, f->vertex_count, 256, &job);
    if (with_energy) sum += mass_matrix_energy(f, x, scratch);
    add_mass_matrix_gradient(f, x, gradient, scratch);
    const double* known = with_energy ? NULL : known_gradient(f, x);
    if (known) pl_vector_axpy(f->pool, count, 1.0, known, gradient);
    for (int s = 0; !known && s < f->set_count; s++) {
        if (f->sets[s].gather) continue;
        if (with_energy)
            sum += pl_element_set_energy_and_gradient(&f->sets[s], f->pool, x, gradient);
        else pl_element_set_gradient(&f->sets[s], f->pool, x, gradient);
    }
    if (f->coupling) {
        f->coupling->gradient(f->coupling->data, x, gradient);
        if (with_energy) sum += f->coupling->energy(f->coupling->data, x);
    }
    if (has_damping(f) && f->damping_stiffness > 0.0) {
        double scale = f->damping_stiffness / f->velocity_time;
        pl_step_stiffness_drag(f, x, scratch, scratch + count);
        pl_vector_axpy(f->pool, count, scale, scratch + count, gradient);
        if (with_energy)
            sum += 0.5 * scale * pl_vector_dot(f->pool, count, scratch, scratch + count);
    }
    for (int k = 0; k < f->term_count; k++) {
        f->terms[k]->gradient(f->terms[k]->user, x, gradient);
        if (with_energy) sum += f->terms[k]->energy(f->terms[k]->user, x);
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
        if (with_energy) sum += pl_step_contact_energy(f, k, x);
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

double pl_step_contacts_energy(const pl_step_objective* f, const double* x) {
    double sum = 0.0;
    for (int k = 0; k < f->contact_count; k++) sum += pl_step_contact_energy(f, k, x);
    return sum;
}

void pl_step_add_contacts(const pl_step_objective* f, const double* x, double scale,
                          double* gradient) {
    PL_ASSERT(f->hold_count == 0 || f->contact_count == 0);
    for (int k = 0; k < f->contact_count; k++) {
        const int v = f->contacts[k].vertex;
        double* g = gradient + 3 * (size_t)v;
        if (!f->fixed[v])
            pl_vec3_store(g, pl_madd(pl_vec3_load(g), scale, pl_step_contact_gradient(f, k, x)));
    }
}

bool pl_step_has_both(const pl_step_objective* f) {
    for (int s = 0; s < f->set_count; s++)
        if (!pl_element_set_has_both(&f->sets[s])) return false;
    return f->set_count > 0;
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

// blocks of pairs outside the pattern are ignored
static void add_block(void* to, int row, int column, const double block[9]) {
    pl_block_matrix* A = to;
    int entry = row == column ? A->diagonal[row] : pl_block_matrix_find(A, row, column);
    for (int i = 0; entry >= 0 && i < 9; i++) A->values[9 * (size_t)entry + (size_t)i] += block[i];
}

void pl_step_term_blocks(const pl_step_objective* f, const double* x, double projected,
                         pl_add_block add, void* to) {
    for (int k = 0; k < f->term_count; k++) {
        const pl_step_term* term = f->terms[k];
        if (!term->hessian || (term->is_indefinite && f->leaves_indefinite_out)) continue;
        term->hessian(term->user, x, projected, add, to);
    }
}

pl_status pl_step_begin_terms(const pl_step_objective* f, pl_error* error) {
    pl_status status = PL_OK;
    for (int k = 0; status == PL_OK && k < f->term_count; k++)
        if (f->terms[k]->begin) status = f->terms[k]->begin(f->terms[k]->user, f, error);
    return status;
}

void pl_step_follow(const pl_step_objective* f, const double* x, const int* piece_of,
                    const double* lengths) {
    for (int k = 0; k < f->term_count; k++)
        if (f->terms[k]->follow) f->terms[k]->follow(f->terms[k]->user, x, piece_of, lengths);
}

bool pl_step_limits_ways(const pl_step_objective* f) {
    for (int k = 0; k < f->term_count; k++)
        if (f->terms[k]->free_parts) return true;
    return false;
}

void pl_step_free_parts(const pl_step_objective* f, const double* from, const double* to,
                        int piece_count, double* parts) {
    for (int k = 0; k < piece_count; k++) parts[k] = 1.0;
    for (int k = 0; k < f->term_count; k++)
        if (f->terms[k]->free_parts) f->terms[k]->free_parts(f->terms[k]->user, from, to, parts);
}

bool pl_step_bound(const pl_step_objective* f, const double* x, pl_vertex_bound* bounds) {
    if (!pl_step_joins(f)) return false;
    for (int v = 0; v < f->vertex_count; v++) bounds[v] = (pl_vertex_bound){.room = INFINITY};
    for (int k = 0; k < f->term_count; k++)
        if (f->terms[k]->bound) f->terms[k]->bound(f->terms[k]->user, x, bounds);
    return true;
}

bool pl_step_joins(const pl_step_objective* f) {
    for (int k = 0; k < f->term_count; k++)
        if (f->terms[k]->joins && f->terms[k]->joins(f->terms[k]->user)) return true;
    return false;
}

void pl_step_join(const pl_step_objective* f, int* roots) {
    for (int k = 0; k < f->term_count; k++)
        if (f->terms[k]->join) f->terms[k]->join(f->terms[k]->user, roots);
}

bool pl_step_go_on(const pl_step_objective* f, const double* x, double left) {
    bool goes_on = false;
    for (int k = 0; k < f->term_count; k++)
        if (f->terms[k]->go_on && f->terms[k]->go_on(f->terms[k]->user, x, left)) goes_on = true;
    return goes_on;
}

pl_status pl_step_check_terms(const pl_step_objective* f, pl_error* error) {
    pl_status status = PL_OK;
    for (int k = 0; status == PL_OK && k < f->term_count; k++)
        if (f->terms[k]->check) status = f->terms[k]->check(f->terms[k]->user, error);
    return status;
}

static void add_elements(const pl_step_objective* f, const double* x, double projected,
                         pl_block_matrix* A) {
    const pl_block_matrix* known = NULL;
    for (int k = 0; !known && k < f->term_count; k++)
        if (f->terms[k]->stiffness) known = f->terms[k]->stiffness(f->terms[k]->user, x, projected);
    if (known)
        pl_vector_axpy(f->pool, 9 * pl_block_matrix_entry_count(A), 1.0, known->values, A->values);
    for (int s = 0; !known && s < f->set_count; s++) {
        if (projected > 0.0) pl_element_set_hessian(&f->sets[s], f->pool, x, true, projected, A);
        if (projected < 1.0)
            pl_element_set_hessian(&f->sets[s], f->pool, x, false, 1.0 - projected, A);
    }
}

void pl_step_hessian(const pl_step_objective* f, const double* x, double projected,
                     pl_block_matrix* A) {
    pl_block_matrix_zero(A);
    add_mass(f, A);
    add_elements(f, x, projected, A);
    add_damping_matrix(f, A);
    pl_step_term_blocks(f, x, projected, add_block, A);
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
        add_isotropic(A, f->contacts[k].vertex, pl_step_end_scale(f) * f->contacts[k].stiffness);
    eliminate_fixed(f, A);
}
