// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Data shared by the files of the guard.
#ifndef PL_WORLD_GUARD_DATA_H
#define PL_WORLD_GUARD_DATA_H

#include "world/world_build.h"

enum { PL_GUARD_BLOCK = 4096 }; // vertices

// A system may have this many times the energy of its bound, because errors of unconverged steps,
// of lumped masses and of contacts between two detections are not explosions.
static const double PL_GUARD_TOLERANCE = 2.0;

// sums over a block of vertices
typedef struct pl_guard_sums {
    double kinetic, work; // kinetic: twice the energy
    double speed2;        // largest squared speed
    double momentum[3], force[3];
    double fall;  // m (h f / m)^2 / h^2: from one step of the forces on vertices at rest
    int64_t lost; // number of values that are not finite
} pl_guard_sums;

typedef struct pl_guard_body {
    int body; // of the world
    int first, count;
    int first_point; // in the numbering of contacts: the first vertex, or the method's own first
                     // point
    // state
    double frame[3];    // velocity of the frame of reference: the mean of the hard pins [m/s]
    double momentum[3]; // [kg m/s]
    double kinetic;     // in the world's frame of reference [J]
    // of the body
    double mass, size;
    double stiffness; // of a vertex [N/m]
    // of the step
    double shove;       // the largest displacement that pins or contacts force on the body [m]
    pl_vec3 pin_motion; // of all its hard pins [m]
    int pin_count;
    pl_guard_sums sums;
} pl_guard_body;

struct pl_world_guard {
    pl_guard_body* bodies;
    int body_count;
    double parting; // pl_guard_parting_energy of the last step [J]

    // state
    bool is_measured;
    double bound;     // B [J]
    double allowance; // the largest recent bound
    double elastic;   // at the end of the last frame
    double springs;   // energy of soft pins and of contacts at the end of the last step
    double contact_energy;
    double contact_key; // changes with the stiffness and the thickness of colliders and bodies
    // of the step
    const double* start; // positions, 3 per vertex: `left` of the system, or `copy`
    double* copy;
    bool is_as_left;    // no step was taken since the last frame, and the host wrote nothing
    double shift_input; // sum of (k + m / h^2) d^2 / 2 [J]
    double contact_input;
    bool knows_contacts; // contacts are those of the last step, except for the colliders' motion
    const pl_contact* contacts; // of the last detection
    int contact_count;
    double seen_energy; // of these contacts, at the vertex positions of the detection
    pl_guard_sums blocks[PL_REDUCE_BLOCKS];
    double* packed; // state for a checkpoint
    double energy;  // the last measured, for the message
    double before_change;
    bool knows_elastic; // `elastic` is up to date
};

// Velocities of quasistatic bodies are displacements of a frame: they carry no energy.
static inline bool pl_guard_is_static(const pl_world_system* system) {
    return system->method_bodies[0].body->integrator == PL_INTEGRATOR_QUASISTATIC;
}

// kinetic energy in a frame of reference with velocity u
static inline double pl_guard_kinetic_in(const pl_guard_body* g, const double u[3]) {
    double along = 0.0, u2 = 0.0;
    for (int c = 0; c < 3; c++) along += u[c] * g->momentum[c], u2 += u[c] * u[c];
    return g->kinetic - along + 0.5 * g->mass * u2;
}

// guard_inputs.c. The energy of soft pins whose targets are those at the end of the step. x:
// positions of vertices, to which the motion of their frame in a time h is added.
double pl_guard_spring_energy(const pl_world_system* system, const double* x, double h);
double pl_guard_contact_energy(const pl_world_system* system, double h);
// The work of forces in the step, or an upper bound.
double pl_guard_work(const pl_world* world, const pl_world_system* system);
// The kinetic energy of bodies that moving pins and contacts carry along.
double pl_guard_shoved_energy(const pl_world_guard* guard, double h);
// The energy that bodies nearer than their thickness may gain when they separate.
double pl_guard_parting_energy(const pl_world_system* system);
// Saves the positions before a step.
void pl_guard_take_start(const pl_world* world, const pl_world_system* system);

#endif
