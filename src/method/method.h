// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The interface of a method to the world. The bodies of one system have the same method and are
// solved together; their vertices are numbered one body after the other.
#ifndef PL_METHOD_METHOD_H
#define PL_METHOD_METHOD_H

#include "base/array.h"
#include "base/deadline.h"
#include "contact/contact.h"
#include "contact/contact_report.h"
#include "contact/pressure.h"
#include "contact/push_response.h"
#include "contact/surface_set.h"

#include <pliant/mesh.h>
#include <pliant/parallel.h>
#include <pliant/scene.h>

// The material of one tet, or of one triangle of a cloth.
typedef struct pl_element_material {
    pl_law law;
    double density;              // solids [kg/m^3], cloth [kg/m^2]
    double mu, lambda;           // [Pa]; for membranes multiplied by the thickness [N/m]
    double mu2;                  // [Pa], Mooney-Rivlin: the part of mu for the second invariant
    double stretch, shear, bend; // springs of cloth
} pl_element_material;

typedef struct pl_method_body {
    const pl_body* body;                  // resolved
    const pl_mesh* mesh;                  // rest, in the world's coordinates
    bool is_cloth;                        // its triangles are elements; else its tets
    const pl_element_material* materials; // one per element
    int first_vertex;                     // of this body in the system
    bool may_change;                      // update() may be called: keep elements that are zero at
                                          // first
} pl_method_body;

// The loads, pins and contacts of one step; everything is borrowed.
typedef struct pl_method_step {
    double time_step;             // [s]
    const double* force;          // 3 per vertex: gravity, loads, wind; pressure at the start [N]
    double gravity[3];            // already in `force`, multiplied by the masses [m/s^2]
    const pl_pressure* pressures; // whose initial forces are already in `force`
    int pressure_count;
    const pl_pin* pins;
    int pin_count;
    pl_detect detect; // contacts, or NULL
    void* detect_user;
    pl_surface_set* surfaces; // that collide with one another or themselves; NULL: none
    bool is_coupled;  // `force` may hold pushes of bodies of other systems: momentum must be exact
    bool is_repeated; // the last step started from the same state, with other pushes: its result is
                      // the initial guess
    // Results that the world asks for; NULL: not wanted.
    double* pin_forces;      // 3 per pin: of each on its vertex at the end of the step [N]
    double* obstacle_forces; // 3 per obstacle: of each on the system [N]
    int obstacle_count;
    pl_array* contacts; // of pl_contact_report, emptied first: contacts that push at the end of the
                        // step; for method pbd, means over the step
    // The step ends by this time with its best iterate, after at least one iteration. NULL: no
    // limit.
    const pl_deadline* deadline;
} pl_method_step;

// Residuals during a step, relative to the load: after each cycle of a linear solver or, if the
// method has none, after each iteration. Only the first PL_TRACE_SIZE are kept.
enum { PL_TRACE_SIZE = 64 };
typedef struct pl_residual_trace {
    int count;
    float values[PL_TRACE_SIZE];
} pl_residual_trace;

static inline void pl_trace_add(pl_residual_trace* trace, double residual) {
    if (trace->count < PL_TRACE_SIZE) trace->values[trace->count++] = (float)residual;
}

// What a step did. A step that does not converge is not an error: see `converged`.
typedef struct pl_method_info {
    int iterations;
    bool converged;
    bool stalled; // the line search found no smaller value
    bool is_cut;  // the deadline ended it early
    int linear_iterations;
    int linear_updates; // how often the linear solver was prepared for new values
    int switch_count;   // linear solves whose multigrid cycles stalled, so that conjugate gradients
                        // took over
    int contact_count;
    int retries;            // how often the step was halved
    int rigid_mode_count;   // unknowns without stiffness, if the solver can tell
    int collapsed_count;    // elements that collapsed to a point, where they exert no force
    int softened_count;     // pins and contacts too stiff for float, which were softened
    int turned_count;       // bodies with a law for small rotations that rotated far
    double residual;        // force relative to the load
    bool has_worst_vertex;  // the step did not converge, and worst_vertex is set
    int worst_vertex;       // vertex of the system where forces are least balanced
    double linear_residual; // NaN: not computed
    pl_residual_trace trace;
    double assembly_seconds, linear_seconds, seconds;
} pl_method_info;

typedef struct pl_method_energies {
    double kinetic, elastic; // [J]
    double contact; // of barriers between surfaces at the end of the last step; without those of
                    // colliders [J]
} pl_method_energies;

typedef struct pl_method_functions {
    const char* name;
    pl_status (*create)(const pl_method_body* bodies, int body_count, int vertex_count,
                        pl_pool* pool, void** out, pl_notes* notes, pl_error* error);
    void (*destroy)(void* system);
    // A step that fails leaves the state unchanged and says why.
    pl_status (*step)(void* system, const pl_method_step* step, pl_method_info* info,
                      pl_error* error);
    // Fails, with the same text as step(), if a step is known to have no equilibrium. Moves
    // nothing. NULL: never fails.
    pl_status (*check_step)(void* system, const pl_method_step* step, pl_error* error);
    // Views of the state, 3 per vertex, writable between steps; and the mass per vertex.
    double* (*positions)(void* system);
    double* (*velocities)(void* system);
    const double* (*masses)(void* system);
    pl_method_energies (*energies)(void* system);
    // The momentum of a body (counted within the system) and its angular momentum about the origin,
    // as the method conserves them, including what the host wrote since the last step. NULL: the
    // sums over its vertices.
    pl_status (*momentum)(void* system, int body, pl_vec3* linear, pl_vec3* angular,
                          pl_error* error);
    // The pressure p at each vertex for the current positions, valid until the next call: the p of
    // the split form of material.h, positive in tension [Pa]. NULL: the method has no such unknown.
    const double* (*pressures)(void* system);
    // The points of a body (counted within the system) that can collide. Points and `first`, which
    // is added to each, are indices into the arrays that the method gives to `detect`; these may
    // hold more points than the system has vertices. Valid as long as the system. NULL: the
    // vertices of the body's surface.
    const int* (*colliding)(const void* system, int body, int* first, int* count);
    // Everything that later steps depend on, for checkpoints.
    size_t (*state_size)(const void* system);
    void (*state_save)(const void* system, void* out);
    void (*state_load)(void* system, const void* in);
    // True if the state consists of positions and velocities only. NULL: false.
    bool (*state_is_motion)(const void* system);
    // Applies changed numbers of bodies (materials, damping, those of the method) between two
    // steps; structure and state stay. NULL: scenes that change them are refused.
    pl_status (*update)(void* system, const pl_method_body* bodies, int body_count,
                        pl_error* error);
    // Switches to the safest settings of the system (more iterations, a line search, an integrator
    // that damps), or back to those of its bodies. The world calls it when its guard finds that a
    // step gained energy. NULL: there are none.
    void (*careful)(void* system, const pl_method_body* bodies, bool is_careful);
    // step() keeps the given surfaces apart.
    bool keeps_apart;
    // energies() does not include all energy that the method stores.
    bool stores_unseen;
    // The node of a coarse level that each vertex of the system belongs to; level 1 is the finest
    // of them. Returns how many nodes the level has, 0 if there is no such level. NULL:
    // there are no levels.
    int (*aggregates)(void* system, int level, int* nodes);
    // Adds the outer edges of the current lattice of a body (counted within the system): 3 doubles
    // per corner, 2 corners per edge. NULL: there is no lattice.
    pl_status (*outline)(void* system, int body, pl_array* corners, pl_array* edges,
                         pl_error* error);
    // Cuts a body (counted within the system) along the triangle that a knife has swept. Returns
    // the number of new particles, or -1 if the body cannot be cut. NULL: no body can.
    int (*cut)(void* system, int body, const double sweep[9]);
    // Forgets earlier steps, because the host wrote positions or velocities or the time step
    // changes. NULL: the method remembers nothing.
    void (*restart)(void* system);
    // The bodies of a system that do not deform, with their response to a push, which is exact;
    // valid until the next call. NULL: all bodies deform.
    const pl_push_rigid* (*rigid_bodies)(void* system, int* count);
    // Shortens the last step of such a body (counted within the system) to a fraction of its path;
    // its momentum stays.
    void (*shorten)(void* system, int body, double part);
} pl_method_functions;

#endif
