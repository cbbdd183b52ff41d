// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Problems whose answer is known from theory, solved by the fem core. The bench runs them large,
// the tests small. Each gives what was computed and what theory says.
#ifndef PL_VERIFY_H
#define PL_VERIFY_H

#include "material/material.h"
#include "step/step_system.h"

#include <pliant/generate.h>

typedef struct verify_body {
    pl_mesh* mesh;
    pl_step_system* system;
    double* mass;  // per vertex
    double* force; // 3 per vertex
    pl_material material;
    double density;
} verify_body;

// Takes over the mesh, also when it fails.
pl_status verify_body_create(verify_body* body, pl_mesh* mesh, pl_material_kind law, double young,
                             double poisson, double density, const pl_step_settings* settings,
                             pl_pool* pool, pl_error* error);
// The same; contrast multiplies the moduli of each tet.
pl_status verify_body_create_mixed(verify_body* body, pl_mesh* mesh, pl_material_kind law,
                                   double young, double poisson, double density,
                                   const double* contrast, const pl_step_settings* settings,
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

// The same of an octant with planes of symmetry, `cells` along its radius and each side.
pl_status verify_octant(int cells, pl_linear linear, pl_pool* pool, verify_answer* answer,
                        double* l2, pl_error* error);
// What the two share: the pressure [Pa], the body (takes over the mesh) and the errors.
extern const double verify_sphere_pressure;
pl_status verify_sphere_body(verify_body* body, pl_mesh* mesh, const pl_step_settings* settings,
                             pl_pool* pool, pl_error* error);
void verify_sphere_errors(const verify_body* body, verify_answer* answer, double* l2);

// Inner radius of a Neo-Hookean shell (inner radius 1 at rest) that nothing holds, inflated by a
// pressure given in shear moduli, in so many steps; drift: of its centre.
pl_status verify_balloon(double outer, double edge, double pressure, int steps, pl_pool* pool,
                         verify_answer* answer, double* drift, pl_error* error);

// Displacement of Cook's membrane at the middle of its right edge, linear: plane stress (0), plane
// strain (1); an even number of cells.
enum { VERIFY_COOK_COUNT = 2 };
pl_status verify_cook(int which, int cells, pl_pool* pool, verify_answer* answer, pl_error* error);

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

typedef enum verify_motion { VERIFY_VIBRATING, VERIFY_SPINNING, VERIFY_BOUNCING } verify_motion;
typedef struct verify_kept_case {
    verify_motion motion;
    pl_integrator integrator;
    pl_material_kind law;
    double young, time_step, duration;
} verify_kept_case;
// Largest changes of momentum and angular momentum, relative to sqrt(2 m E) and that times a metre;
// the lowest, highest and last energy (kinetic, elastic, of gravity), relative to the first.
typedef struct verify_kept {
    double linear, angular, lowest, highest, last;
    double bounce; // height of the first bounce, relative to that of the fall
    int unconverged, iterations;
} verify_kept;
pl_status verify_what_is_kept(const verify_kept_case* c, verify_kept* out, pl_error* error);

// The slope [rad] between rest and slip of an elastic block, found by bisection, against
// atan(friction).
pl_status verify_friction(double friction, int rounds, verify_answer* answer, pl_error* error);

// Stiff blocks in a soft bar that is held at one end and hangs from it by its weight, quasistatic.
typedef enum verify_stiff_shape {
    VERIFY_STIFF_FLOATING, // one block inside
    VERIFY_STIFF_FIVE,     // five of them
    VERIFY_STIFF_THROUGH,  // a rod from end to end
} verify_stiff_shape;
typedef struct verify_stiff_case {
    verify_stiff_shape shape;
    double contrast;
    pl_material_kind law;
    int cells; // across
} verify_stiff_case;
typedef struct verify_stiff {
    double difference; // of multigrid's positions and the direct solver's, relative to the motion
    bool converged, reference_converged;
    int linear_iterations, switches;
} verify_stiff;
pl_status verify_stiff_parts(const verify_stiff_case* c, verify_stiff* out, pl_error* error);
// A flat block of 0.3 x 0.1 x 0.3 m that starts in contact with a slope.
typedef struct verify_slide_case {
    pl_integrator integrator;
    pl_nonlinear nonlinear;
    pl_linear linear;
    double young;     // [Pa]
    double damping;   // [s], of its stiffness
    double settling;  // [s]: it sinks in without friction first; 0: all its weight comes at once
    bool rests;       // it starts in balance with friction and all of its weight
    double time_step; // [s]
    double speed;     // at the start, downhill [m/s]
    double friction;
    double angle;    // of the slope [rad]
    double duration; // [s]
    int cells;       // along its length; a third as many across its height
} verify_slide_case;

typedef struct verify_slide_result {
    double distance;     // of the centre of mass [m]
    double speed;        // of the second half of the time, mean [m/s]
    double acceleration; // from a quarter of the time to its end, mean [m/s^2]
    double ratio;        // largest friction over normal impulse of a converged step
    double ratio_error;  // of converged steps that slide: |friction / (mu normal) - 1|, largest
    int unconverged;     // steps
    int iterations;
} verify_slide_result;
pl_status verify_slide(const verify_slide_case* c, verify_slide_result* result, pl_error* error);

typedef enum verify_spoilt {
    VERIFY_FLAT,   // y = 0
    VERIFY_POINT,  // all in one point, with noise of a thousandth of the size
    VERIFY_RANDOM, // anywhere in a box of the body's size
    VERIFY_FAR,    // anywhere in a box ten times as large
} verify_spoilt;
void verify_spoil(const pl_mesh* mesh, verify_spoilt how, uint64_t seed, double* x);
// Takes over the mesh. shape: the largest error of an edge at the end, relative to the size; 1 if a
// tet stays inside out.
pl_status verify_recovery(pl_mesh* mesh, pl_material_kind law, verify_spoilt how, uint64_t seed,
                          double* shape, int* iterations, pl_error* error);
// The same by quasistatic frames without any load, until one converges.
typedef struct verify_return {
    double shape;   // as above
    double rise;    // largest growth of the elastic energy in a frame, relative to the first
    bool converged; // the last frame
    int iterations; // of all frames
    // If it converged in another shape than at rest: whether that is a minimum of the energy, and
    // the lowest eigenvalue of the Hessian that is not of a rigid motion, over the largest.
    bool is_minimum;
    double softest;
} verify_return;
pl_status verify_quasistatic_recovery(pl_mesh* mesh, pl_material_kind law, pl_linear linear,
                                      verify_spoilt how, uint64_t seed, verify_return* out,
                                      pl_error* error);

// A clamped bar of square section in three dimensions (verify_bar.c): how far its end sinks under
// its weight [m], and its first bending frequency [Hz]. cells: of quadratic hexahedra.
typedef struct verify_bar_case {
    double length, height;          // [m]
    double young, poisson, density; // [Pa], [kg/m^3]
    double gravity;                 // [m/s^2]
} verify_bar_case;
pl_status verify_bar(const verify_bar_case* c, int cells_across, double* sag, double* frequency,
                     pl_error* error);

// Sag and frequency of a bar of 8 : 1 with nu = 0.3 in three dimensions, over those of a beam
// (Timoshenko; shear by Dunkerley's formula), and the same computed by verify_bar of 1, 2 and 4
// times so many cells, extrapolated.
extern const double verify_bar_sag, verify_bar_frequency;
pl_status verify_bar_ratios(int cells, double* sag, double* frequency, pl_error* error);

// Method grid (verify_lattice.c). How far the end of that bar sinks under its weight; cells across;
// steps that did not converge.
pl_status verify_lattice_sag(const char* law, int across, verify_answer* answer, int* unconverged,
                             pl_error* error);
// Its first bending frequency [Hz], in steps of BDF2 of which the known shift is taken out.
pl_status verify_lattice_frequency(const char* law, int across, verify_answer* answer,
                                   pl_error* error);
// A free cube that flies and tumbles at 237 degrees a second.
typedef struct verify_spin_case {
    const char* integrator;
    int cells; // across
    int rate;  // steps a second
    int frames;
    double young;            // [Pa]
    double linear_tolerance; // of the cycles
} verify_spin_case;
// The largest of all frames, but for the last one.
typedef struct verify_spin {
    double speed;    // how much the angular speed of the vertices varies, relative
    double turn;     // the sine of how far their axis turns
    double drift;    // how far the middle of the cells leaves its way [m]
    double momentum; // change, relative to the mass times the largest speed of a vertex
    double angular;  // change of angular momentum, relative
    double distance; // at the end: of a vertex from where a rigid cube has it [m]
} verify_spin;
pl_status verify_lattice_spin(const verify_spin_case* c, verify_spin* out, pl_error* error);
// How far a block of 4 cells' height goes that slides at 2 m/s with friction 0.3 [m].
pl_status verify_lattice_slide(const char* integrator, int rate, verify_answer* answer,
                               int* unconverged, pl_error* error);

#endif
