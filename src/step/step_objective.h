// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The function that a step minimises (S0 section 3.1): inertia, elasticity, damping, external
// forces, soft pins and contacts,
//
//   Phi(x) = w/2 |x - y|_M^2 + W(x) + 1/(2 tau) |x - x_ref|^2_{alpha M + beta K} - f.x
//            + pins + contacts.
//
// Integrators differ only in w, y, x_ref and tau; quasistatics has w = 0.
#ifndef PL_STEP_OBJECTIVE_H
#define PL_STEP_OBJECTIVE_H

#include "contact/contact.h"
#include "step/element_set.h"
#include "step/free_bodies.h"
#include "step/step_coupling.h"
#include "step/step_holds.h"
#include "step/step_pieces.h"
#include "step/step_term.h"

enum { PL_MAX_ELEMENT_SETS = 8 };

struct pl_step_objective {
    int vertex_count;
    int set_count;
    const pl_element_set* sets;
    const double* mass;                 // per vertex [kg]: lumped, the row sums of M
    const pl_block_matrix* mass_matrix; // M (block 1), or NULL: M is lumped
    pl_pool* pool;

    double inertia;                        // w [1/s^2]
    const double* y;                       // 3 per vertex
    double velocity_time;                  // tau [s]: v = (x - reference) / tau
    const double* reference;               // x_ref
    double damping_mass;                   // alpha [1/s]
    double damping_stiffness;              // beta [s]
    const pl_block_matrix* damping_matrix; // K of the step, used if beta > 0
    const double* force;                   // 3 per vertex [N]
    const double* load; // external force and pressure at the start of the step [N]; NULL: force
    const pl_step_term* const* terms;
    int term_count;
    bool leaves_indefinite_out; // ignores the Hessians of terms with is_indefinite

    const pl_pin* pins;
    int pin_count;
    const pl_contact* contacts;
    int contact_count;
    bool round_contacts; // contacts follow the curvature of surfaces; else they are planes, as
                         // constant matrices need
    const double* friction_dual; // 3 per vertex: estimate of friction as a fraction of its limit
    const double* start;         // positions at the start of the step
    // Set while terms begin: the positions at the start of the step with pinned vertices in place,
    // where iterations start unless free flight is better; and the share of the projected Hessian
    // in the first matrix.
    const double* placed;
    double first_projected;
    // x is the middle of the step, which ends at 2 x - start. Contacts and friction act at the end.
    bool solves_midpoint;
    double time_step;               // h [s]
    const double* velocities;       // at the start of the step, unless quasistatic
    const double* positions_before; // BDF2: a step before the start; else NULL
    double slip_length; // below this sliding distance in a step, friction grows in proportion to it
                        // [m]

    pl_free_bodies* free_bodies; // bodies whose position no force determines; NULL: none

    const bool* fixed; // per vertex: held exactly; NULL for the matrix of Projective Dynamics: none
    const pl_hold* holds; // vertices that are held in some directions
    int hold_count;
    const int* hold_of; // per vertex: number in holds + 1, or 0; NULL: no holds

    const pl_step_coupling* coupling; // energy beyond the elements; NULL: none
};

// True if every term has an energy, so that Phi is a function.
bool pl_step_has_energy(const pl_step_objective* f);

// The functions below need an objective with an energy. scratch: 6 per vertex
double pl_step_energy(const pl_step_objective* f, const double* x, double* scratch);
// energies[piece] = Phi of each chosen piece (NULL: of all); their sum is Phi
void pl_step_energies(const pl_step_objective* f, const pl_step_pieces* pieces, const bool* chosen,
                      const double* x, double* scratch, double* energies);
// gradient = dPhi/dx, zero at fixed vertices
void pl_step_gradient(const pl_step_objective* f, const double* x, double* gradient,
                      double* scratch);
// Both, in the time of the gradient if pl_step_has_both.
double pl_step_energy_and_gradient(const pl_step_objective* f, const double* x, double* gradient,
                                   double* scratch);
bool pl_step_has_both(const pl_step_objective* f);
// The energy of contacts in Phi; and gradient += scale times their part of dPhi/dx, for which no
// vertex may be held in only some directions if there are contacts.
double pl_step_contacts_energy(const pl_step_objective* f, const double* x);
void pl_step_add_contacts(const pl_step_objective* f, const double* x, double scale,
                          double* gradient);
// A = d2Phi/dx2 (block 3). projected: fraction, from 0 to 1, to which each element's part is
// projected to be positive semi-definite. Fixed vertices become identity rows.
void pl_step_hessian(const pl_step_objective* f, const double* x, double projected,
                     pl_block_matrix* A);
// Calls `add` for each block of the terms' Hessian.
void pl_step_term_blocks(const pl_step_objective* f, const double* x, double projected,
                         pl_add_block add, void* to);
// Notifies the terms that a step starts; they read f->start and the times of f.
pl_status pl_step_begin_terms(const pl_step_objective* f, pl_error* error);
// Notifies the terms that x is the next iterate.
void pl_step_follow(const pl_step_objective* f, const double* x, const int* piece_of,
                    const double* lengths);
// Calls to the terms for step lengths, pieces, minima and failures; see step_term.h.
bool pl_step_limits_ways(const pl_step_objective* f);
// bounds[vertex] = the combined bound of all terms. False if no vertex is bound.
bool pl_step_bound(const pl_step_objective* f, const double* x, pl_vertex_bound* bounds);
// parts: one per piece of the system
void pl_step_free_parts(const pl_step_objective* f, const double* from, const double* to,
                        int piece_count, double* parts);
bool pl_step_joins(const pl_step_objective* f);
void pl_step_join(const pl_step_objective* f, int* roots);
bool pl_step_go_on(const pl_step_objective* f, const double* x, double left);
pl_status pl_step_check_terms(const pl_step_objective* f, pl_error* error);
// A = the constant matrix of Projective Dynamics (block 1), with contacts as springs in all
// directions
void pl_step_projective(const pl_step_objective* f, pl_block_matrix* A);

// |w M (x - y)| of each piece [N]
void pl_step_inertia_forces(const pl_step_objective* f, const pl_step_pieces* pieces,
                            const double* x, double* scratch, double* forces);
// out = K difference with difference = x - x_ref, 3 per vertex; the force of stiffness damping is
// beta / tau times as large.
void pl_step_stiffness_drag(const pl_step_objective* f, const double* x, double* difference,
                            double* out);
// Elastic energy W alone.
double pl_step_elastic_energy(const pl_step_objective* f, const double* x);
// Updates friction after x moved by lengths[piece_of[vertex]] times direction (which was found at
// x_before): see friction_dual in step_objective.c.
void pl_step_friction_dual(const pl_step_objective* f, const double* x_before, const int* piece_of,
                           const double* lengths, const double* direction, double* dual);
// The initial dual vector of a contact with its normal force.
pl_vec3 pl_step_first_dual(const pl_step_objective* f, const pl_contact* c);
// The energy of contact k with its friction; and dPhi/dx at its vertex.
double pl_step_contact_energy(const pl_step_objective* f, int k, const double* x);
pl_vec3 pl_step_contact_gradient(const pl_step_objective* f, int k, const double* x);
// The velocity of a vertex at the end of the step, times the step; and its derivative with respect
// to x.
pl_vec3 pl_step_end_motion(const pl_step_objective* f, int vertex, const double* x);
double pl_step_slip_scale(const pl_step_objective* f);
// Derivative of the positions at the end of the step with respect to x.
double pl_step_end_scale(const pl_step_objective* f);
// Depth of a contact's vertex below its surface at the end of the step, positive inside [m].
double pl_step_contact_depth(const pl_step_objective* f, const pl_contact* contact,
                             const double* x);
// Positions at the end of the step for a solution x: x itself, or (midpoint) `out` filled with
// them.
const double* pl_step_end_positions(const pl_step_objective* f, const double* x, double* out);
// (w + alpha / tau) [1/s^2]: factor of masses in the Hessian
double pl_step_mass_weight(const pl_step_objective* f);
// The Hessian of contact k, 3 x 3; projected as in pl_step_hessian.
void pl_step_contact_block(const pl_step_objective* f, int k, const double* x, double projected,
                           double block[9]);
// Both the Hessian and the gradient of pl_step_contact_gradient, in the time of one of them.
pl_vec3 pl_step_contact_both(const pl_step_objective* f, int k, const double* x, double projected,
                             double block[9]);
// The normal force of contact k at x [N].
double pl_step_normal_force(const pl_step_objective* f, int k, const double* x);
// The friction of contact k at x for a normal force of 1 N; its length is at most the coefficient.
pl_vec3 pl_step_unit_friction(const pl_step_objective* f, int k, const double* x);

#endif
