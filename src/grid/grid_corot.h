// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The general lattice (Zhu 2010, section 7): corotated elasticity with one rotation per cell, and
// moduli that vary from cell to cell. Linear elasticity with one material uses the faster cycles of
// grid_linear.h.
//
//   paper                  here
//   R                      R of a cell, the rotation of its averaged gradient F
//   p                      -s / R: a cell's stress is s R, an edge's the mean of its four cells'
//   P_ii, P_ij             2 mu F_ii + s R_ii in cells; 2 mu F_ij + mean(s R_ij) on edges
//   tr(R' F)               T, over all gradients but boundary ones
//   mu R_ij phi_i,j + ...  T - s / k = g, where k is the stiffness of the pressure
//
// All of these follow from one energy. The discrete forces are its gradient, whether rotations are
// frozen or not:
//   sum mu F_ij^2 at all places of F_ij, plus per cell -2 mu T + k/2 (T - (3 - w))^2,
// Each of a cell's nine gradients is the mean over four edges (or the cell's own). w is the sum of
// R_ij^2 over the boundary gradients, and 1/k = 1/lambda + w / (2 mu).
//
// Differs from the paper: boundary gradients are eliminated, not frozen. Their stress vanishes, so
// F_ij = alpha R_ij there. Minimising over alpha gives w and k above; with R = I this is the rule
// of section 5.3. A Dirichlet cell has a rotation but no pressure.
//
// With frozen rotations the energy bounds the true one from above as long as volumes grow by less
// than 2 mu / lambda. Steps along conjugate directions, with the exact length of the frozen
// problem, then descend.
#ifndef PL_GRID_COROT_H
#define PL_GRID_COROT_H

#include "grid/grid_cycles.h"
#include "grid/grid_factor.h"
#include "math/mat3.h"

// Flags of a cell and its low faces.
enum {
    PL_COROT_FACE = 1,   // shifted by the axis: the low face is a degree of freedom
    PL_COROT_HELD = 8,   // shifted by the axis: the low face is prescribed
    PL_COROT_INNER = 64, // shifted by the axis: the low face is between two core cells
    PL_COROT_INTERIOR = 512,
    PL_COROT_DIRICHLET = 1024,
    PL_COROT_CORE = 2048,   // interior, and none of its 18 face and edge neighbours is exterior
    PL_COROT_BESIDE = 4096, // a Dirichlet cell that touches an interior one
    PL_COROT_WALL = 8192    // a core cell with prescribed faces in its T
};

// Sixteen cells of a row. rows: indices of the same cells in the 3 x 3 rows around it (y fastest,
// from -1 to 1).
typedef struct pl_corot_chunk {
    int begin;
    int rows[9];
    int children[4][2]; // the rows below it in the next finer level, y fastest; [1] is 16 cells
                        // further along x
    int y, z;
} pl_corot_chunk;

// One bit for each cell of a chunk, or for its low faces.
typedef struct pl_corot_masks {
    uint16_t core, slaved; // slaved: interior but not core, so that the pressure is eliminated
    uint16_t inner[3], band[3];
    bool plain; // inner faces and core cells couple only to weights of 2 mu = 2, and no core cell
                // is near a Dirichlet cell or a prescribed face
} pl_corot_masks;

// A face outside the core, with all data of its equation. at: the cells whose T contains the face:
// above and below it, then for each of the two other axes above and below it on the lower side and
// on the upper side. factors: its coefficients in these T. next: the next face along its axis.
typedef struct pl_corot_face {
    int axis;
    int at[10];
    int next;
    float factors[10];
    float weights[6]; // of the cells above and below it, then of the edges on its lower and upper
                      // sides
    float stiffness, inverse;
} pl_corot_face;

// A field has one value per index of the layout. All fields share one allocation.
typedef struct pl_corot_level {
    const pl_grid_level* layout;
    pl_corot_chunk* chunks;
    int chunk_count;
    int* planes; // size[2] + 1: first chunk of each plane
    uint16_t* flags;
    pl_corot_masks* masks; // one per 16 indices
    pl_corot_face* band;
    int* band_planes; // size[2] + 1: first band face of each plane, in cell order
    float* fields;
    float* R[9];                // of cells
    float *k, *s, *g;           // of cells; k is 0 in Dirichlet cells
    float *slave_k, *inverse_k; // k of slaved cells; 1 / k of core cells; 0 elsewhere
    float* cell_weight[3];      // weights in the energy: 2 mu of F_aa;
    float* edge_weight[3]; // 2 mu of the two gradients on the low edge along an axis; 0 where the
                           // stress is a boundary one
    float* mu;             // shear modulus of cells, relative to the body's
    float* spread;         // of core cells: sum of mu + mu of each neighbour that is not Dirichlet
    float* soft;           // of cells: the rotation term of the tangent, see grid_corot_smooth.c
    float* twist[9];
    float* inverse_q; // of core cells: inverse diagonal of the distributed pressure equation
    float *u[3], *f[3], *r[3];
    float* rg;         // residual of the pressure equation of core cells
    float* extra[3];   // stiffness of faces in addition to the stencil: walls, springs
    float* inverse[3]; // inverse diagonals of the faces between core cells
    float* scale[3];   // of the prolonged correction of a face
    float compressibility, inertia;
    float shear; // weight of F_ji relative to F_ij in P_ij: 0, or 1/2 in linear elasticity
} pl_corot_level;

// The exact solve on the coarsest level (grid_corot_bottom.c).
typedef struct pl_corot_bottom {
    int* unknown[3]; // per index of the level: number, or -1
    int field_size, unknown_count;
    bool fails;    // the matrix could not be factored; sweeps replace the solve
    bool is_large; // the body is too thin for another level; a factor takes longer than a cycle
    pl_grid_factor factor; // cliques: for each cell its three low edges, then its T
    double* x;
} pl_corot_bottom;

// The problem that cycles solve, and the matrix of their corrections.
typedef enum pl_corot_problem {
    PL_COROT_LINEAR, // R = I always: linear elasticity
    PL_COROT_FROZEN, // a step keeps the rotations that it starts with: the paper's quasilinear
                     // problem
    PL_COROT_TURNING // rotations follow the positions, and corrections take account of that: the
                     // rotation term is subtracted (grid_corot_smooth.c)
} pl_corot_problem;

// Which cells get new rotations before a residual is computed.
typedef enum pl_corot_turn {
    PL_COROT_TURN_NONE, // residual of the frozen problem
    PL_COROT_TURN_ALL,
    PL_COROT_TURN_STEADY // all but cells that buckle (grid_corot_rotation.c)
} pl_corot_turn;

// How a step iterates, and the equations of its residual.
typedef enum pl_corot_phase {
    // Conjugate directions. The pressures of core cells are eliminated, and the residual is the
    // gradient of an energy.
    PL_COROT_DOWNHILL,
    // Recombined cycles. The pressures of core cells are unknowns of the state (Eq. 14).
    PL_COROT_RECOMBINED
} pl_corot_phase;

// Steps along conjugate directions.
typedef struct pl_corot_descent {
    float *direction[3], *before[3]; // the last direction and its residual
    bool has_direction;
    double last_product;  // product of residual and correction
    double slope, length; // slope along the last direction, and the length of the step
} pl_corot_descent;

// Progress of a step.
typedef struct pl_corot_progress {
    pl_corot_turn turn;   // of residuals in this cycle, unless the problem is frozen
    int cycle;            // of the step
    int factor_cycle;     // cycle at which the coarsest level was last factored
    int failures;         // consecutive cycles without progress
    bool is_judged;       // the residual after the last cycle has been evaluated
    double own_residual;  // after the last cycle alone
    double last_residual; // before the last cycle
    double best_residual; // of the step
} pl_corot_progress;

typedef struct pl_grid_corot {
    pl_grid_cycles cycles;
    pl_corot_level levels[PL_GRID_MAX_LEVELS];
    int level_count;
    pl_corot_bottom bottom;
    int band_sweeps;  // boundary sweeps before and after the core sweeps; set by an update
    int fixed_sweeps; // replaces the number of sweeps chosen from the material; 0: does not
    pl_corot_problem problem;
    pl_corot_phase phase;
    pl_quat* turn;        // of the finest level's cells; borrowed
    double* stress[9];    // s R of the finest level's cells, without couple stress if `uncouples`
    bool uncouples;       // removes the couple stress (grid_corot_forces.c)
    double* rotation[9];  // R of the finest level's cells; only set if `uncouples`
    float* ease;          // per cell, factor of the rotation term: 1 at rest, less under tension
    float* spring[3];     // of the finest level
    bool springs_changed; // `extra` does not include them yet
    pl_corot_descent descent;
    pl_corot_progress progress;
    bool freezes_buckled; // cells that buckle keep the rotation of the step's first cycle; for
                          // bodies in motion
    pl_pool* pool;
} pl_grid_corot;

// Builds the levels on a lattice. The lattice and the rotations `turn` (one per index) must outlive
// it. mu: per index of the finest level, relative shear modulus of each cell, or NULL for 1
// everywhere. rotates: true for the corotated law, false for the linear one.
pl_status pl_grid_corot_create(const pl_grid_lattice* lattice, const float* mu, bool rotates,
                               pl_quat* turn, pl_pool* pool, pl_grid_corot* out, pl_error* error);
void pl_grid_corot_free(pl_grid_corot* c);

// Updates the rotations of the finest level at the positions u of the state (h: cell edge) and
// computes the residual into f and g of the finest level (g is 0 where pressures are eliminated).
// Returns its norm.
double pl_grid_corot_residual(pl_grid_corot* c, const pl_grid_state* state, double h,
                              pl_corot_turn turn);
// Updates all levels with the current rotations and these coefficients.
void pl_grid_corot_update(pl_grid_corot* c, double compressibility, double inertia);
// Sets springs on faces of the finest level, used from the next update on.
void pl_grid_corot_set_springs(pl_grid_corot* c, double* const stiffness[3]);
// One V-cycle: solves for u and s of the finest level from its f and g, starting from zero.
void pl_grid_corot_cycle(pl_grid_corot* c);
// Adds a multiple of the last cycle's u to the state, made conjugate to the last direction. Needs
// the residual from before that cycle.
void pl_grid_corot_correct(pl_grid_corot* c, pl_grid_state* state, bool conjugate);
// Line search after a correction, with the residual at the new positions. If the slope along the
// direction is now uphill by more than half of its initial size, it undoes part of the correction.
// If the slope is still downhill by more than half, it lengthens the correction: the frozen problem
// is far too stiff along bending motions. Repeats until neither holds. Returns the norm of the last
// residual.
double pl_grid_corot_backtrack(pl_grid_corot* c, pl_grid_state* state, double h, double residual);
// Energy in the units of pl_grid_energy, with the current rotations.
double pl_grid_corot_energy(const pl_grid_corot* c, const pl_grid_state* state, double h);
// out = gradient of the energy on the free faces, or on the prescribed ones if `held`; 0 elsewhere.
// Uses the rotations of the last residual at these positions.
void pl_grid_corot_forces(const pl_grid_corot* c, const pl_grid_state* state, double h, bool held,
                          double* const out[3]);
// Returns d' A d of the frozen problem, with inertia and springs.
double pl_grid_corot_curvature(const pl_grid_corot* c, float* const d[3]);
void pl_grid_corot_forget(pl_grid_corot* c); // clears the last direction and the history

// The interface of the general lattice to recombination.
pl_grid_iteration pl_grid_corot_iteration(pl_grid_corot* c, pl_grid_state* state, double h);
// One recombined V-cycle, for PL_COROT_RECOMBINED. `residual` is the norm of the residual in f and
// g. Of all combinations of this correction with the last few, the state moves by the one with the
// smallest residual, as predicted by linear equations. Returns false and leaves the state unchanged
// if the cycle multiplied the residual.
bool pl_grid_corot_recombine(pl_grid_corot* c, pl_grid_state* state, double h, double residual);
// Sets the pressures of core cells so that their equations hold. Uses the rotations of the last
// residual at these positions, taken with eliminated pressures.
void pl_grid_corot_substitute(const pl_grid_corot* c, pl_grid_state* state, double h);

// The functions of the general lattice for a step (grid_corot_step.c).
extern const pl_grid_cycle_functions pl_grid_corot_functions;

// ------------------------------------------------------------------ parts of a cycle

void pl_corot_set_coefficients(pl_corot_level* level, double compressibility, double inertia,
                               pl_pool* pool);
// Smooths one level; backwards on the way up.
void pl_corot_smooth(pl_corot_level* level, int band_sweeps, bool backwards, pl_pool* pool);
// A single sweep over one part: faces outside the core, faces between core cells, or core cells.
typedef enum pl_corot_part {
    PL_COROT_BAND_FACES,
    PL_COROT_INNER_FACES,
    PL_COROT_CORE_CELLS
} pl_corot_part;
void pl_corot_sweep(pl_corot_level* level, pl_corot_part part, bool backwards, pl_pool* pool);
// r = f - A u; rg = g - T + s / k in core cells, 0 elsewhere.
void pl_corot_residual(pl_corot_level* level, pl_pool* pool);
// to += the rotation term of the tangent times u (grid_corot_smooth.c); does nothing for linear
// elasticity.
void pl_corot_soften(pl_corot_level* level, float* const to[3], pl_pool* pool);
// 2 mu K^-1 of a cell, see grid_corot_smooth.c.
void pl_corot_rotation_matrix(const pl_corot_level* level, const int* base, int i, float out[9]);
// Factor of the coarsest level. create: structure. update: values, after coefficients or rotations
// change.
pl_status pl_corot_bottom_create(const pl_corot_level* level, pl_corot_bottom* out,
                                 pl_error* error);
void pl_corot_bottom_free(pl_corot_bottom* bottom);
void pl_corot_bottom_update(pl_corot_bottom* bottom, pl_corot_level* level, pl_pool* pool);
// Solves for u and s of the level from its f and g; u must be zero. Returns false if there is no
// factor.
bool pl_corot_bottom_solve(pl_corot_bottom* bottom, pl_corot_level* level);
void pl_corot_slave(pl_corot_level* level, pl_pool* pool);
// Sets the scales of prolongation from the flags of both levels.
void pl_corot_set_transfer(pl_corot_level* fine, const pl_corot_level* coarse);
// Restricts values of faces and cells to f and g of the coarse level.
void pl_corot_restrict(const pl_corot_level* fine, float* const faces[3], const float* cells,
                       pl_corot_level* coarse, pl_pool* pool);
void pl_corot_prolong(pl_corot_level* fine, const pl_corot_level* coarse, pl_pool* pool);

// ------------------------------------------------------------------ a level (grid_corot_level.c)

// Builds level l of a lattice. fine: the next finer level, or NULL. Free with pl_corot_level_free,
// also after a failure.
pl_status pl_corot_level_create(const pl_grid_lattice* lattice, int l, const float* mu,
                                const pl_corot_level* fine, pl_corot_level* out, pl_error* error);
void pl_corot_level_free(pl_corot_level* level);
// Sets `extra` to the stiffness from the distances to Dirichlet boundaries (grid_lattice.c).
void pl_corot_level_walls(pl_corot_level* level);
// Sets the rotations of cells, and the factor of their rotation term: softest * ease
// (grid_corot_smooth.c).
void pl_corot_take_rotations(pl_corot_level* level, const pl_quat* turn, const float* ease,
                             float softest, pl_pool* pool);
void pl_corot_coarsen_rotations(const pl_corot_level* fine, pl_corot_level* coarse, pl_pool* pool);

// Index of one of the eight children of cell i of a chunk, in the next finer level.
static inline int pl_corot_child(const pl_corot_chunk* c, int i, int child) {
    const int x = 2 * i + (child & 1);
    return c->children[child >> 1][x / PL_GRID_CHUNK] + x % PL_GRID_CHUNK;
}

#endif
