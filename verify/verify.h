// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Problems whose answer is known from theory, solved by the fem core. The bench runs them large,
// the tests small. Each gives what was computed and what theory says.
#ifndef PL_VERIFY_H
#define PL_VERIFY_H

#include "fem/fem_system.h"
#include "material/material.h"

#include <pliant/generate.h>

typedef struct verify_body {
    pl_mesh* mesh;
    pl_fem_system* system;
    double* mass;  // per vertex
    double* force; // 3 per vertex
    pl_material material;
    double density;
} verify_body;

// Takes over the mesh, also when it fails.
pl_status verify_body_create(verify_body* body, pl_mesh* mesh, pl_material_kind law, double young,
                             double poisson, double density, const pl_fem_settings* settings,
                             pl_pool* pool, pl_error* error);
// Gives the body the consistent mass matrix; `mass` stays, its row sums.
pl_status verify_body_use_consistent_mass(verify_body* body, pl_error* error);
void verify_body_free(verify_body* body);
pl_status verify_box(double x, double y, double z, int nx, int ny, int nz, pl_tet_pattern pattern,
                     pl_mesh** out, pl_error* error);
// A step with gravity along -y and pins.
pl_status verify_body_step(verify_body* body, double time_step, double gravity, const pl_pin* pins,
                           int pin_count, pl_method_info* info, pl_error* error);
// Hard pins at the rest places of all vertices with x below a limit; pins has room for all.
int verify_pin_left(const pl_mesh* mesh, double limit, pl_pin* pins);

// The stiffness matrix of a mesh at rest and its lumped masses (one per vertex, allocated); rows of
// fixed vertices (NULL: none) are those of the identity. M, if not NULL, becomes the consistent
// mass matrix, with zero rows and columns there.
pl_status verify_stiffness(const pl_mesh* mesh, const pl_material* material, double density,
                           const bool* fixed, pl_block_matrix* K, pl_block_matrix* M, double** mass,
                           pl_error* error);

typedef struct verify_answer {
    double value;
    double reference;
} verify_answer;
double verify_relative_error(verify_answer answer);

// An irregular block whose boundary is displaced by an affine map: largest error of the inside,
// relative to the displacement, of the linearised law.
pl_status verify_patch(pl_material_kind law, int cells, double* largest, pl_error* error);
// The same of the law itself, by quasistatic steps of the system.
pl_status verify_patch_nonlinear(pl_material_kind law, int cells, double* largest, pl_error* error);

// H / W of a heavy elastica clamped horizontally (see verify_cantilever.c), by shooting.
double verify_elastica(double gamma);
typedef struct verify_cantilever_case {
    double gamma;
    double slenderness; // length over half the thickness
    int cells_across;   // along the height; half as many along the width
    int cells_along;
    int steps; // in which the load grows
} verify_cantilever_case;
pl_status verify_cantilever(const verify_cantilever_case* c, pl_pool* pool, verify_answer* answer,
                            int* iterations, pl_error* error);

// u(a) E / p of a thick sphere (a = 1, b = 2) under inner pressure, nu = 0.3; l2: error of all
// displacements, relative.
pl_status verify_sphere(double edge, pl_pool* pool, verify_answer* answer, double* l2,
                        pl_error* error);

// First two bending frequencies [Hz] of a clamped beam of square section.
pl_status verify_beam(double slenderness, int cells_across, int cells_along, pl_mass mass,
                      pl_pool* pool, verify_answer answer[2], pl_error* error);
// omega of the cube's Lamé mode.
pl_status verify_cube(int cells, double poisson, pl_mass mass, pl_pool* pool, verify_answer* answer,
                      pl_error* error);

// Largest relative change of linear momentum by any integrator, and of angular momentum by
// midpoint.
pl_status verify_momentum(int steps, double* linear, double* angular, pl_error* error);
// Linear elasticity without outer forces: the largest growth of the energy in a step of implicit
// Euler, and the largest change by midpoint, relative to the first.
pl_status verify_energy(int steps, double* euler_growth, double* midpoint_change, pl_error* error);
// Largest error of the energy by midpoint over a fixed time, of a nonlinear law.
pl_status verify_midpoint_energy(double time_step, double* largest, pl_error* error);

// The slope [rad] between rest and slip of an elastic block, found by bisection, against
// atan(friction).
pl_status verify_friction(double friction, int rounds, verify_answer* answer, pl_error* error);

typedef enum verify_spoilt {
    VERIFY_FLAT,   // y = 0
    VERIFY_POINT,  // all in one point, with noise of a thousandth of the size
    VERIFY_RANDOM, // anywhere in a box of the body's size
} verify_spoilt;
void verify_spoil(const pl_mesh* mesh, verify_spoilt how, uint64_t seed, double* x);
// Takes over the mesh. shape: the largest error of an edge at the end, relative to the size; 1 if a
// tet stays inside out.
pl_status verify_recovery(pl_mesh* mesh, pl_material_kind law, verify_spoilt how, uint64_t seed,
                          double* shape, int* iterations, pl_error* error);

// Method grid (verify_lattice.c). How far the end of a clamped bar of 8 : 1 sinks under its weight,
// against Timoshenko's beam; cells across; steps that did not converge.
pl_status verify_lattice_sag(const char* law, int across, verify_answer* answer, int* unconverged,
                             pl_error* error);
// Its first bending frequency [Hz].
pl_status verify_lattice_frequency(const char* law, int across, verify_answer* answer,
                                   pl_error* error);
// A free cube that tumbles, at 60 steps a second: how much its angular speed varies, the sine of
// how far its axis turns, and how far it leaves its way [m].
pl_status verify_lattice_spin(const char* integrator, const char* cell, int frames, double* speed,
                              double* turn, double* drift, pl_error* error);
// How far a block of 4 cells' height goes that slides at 2 m/s with friction 0.3 [m].
pl_status verify_lattice_slide(const char* integrator, int rate, verify_answer* answer,
                               int* unconverged, pl_error* error);

#endif
