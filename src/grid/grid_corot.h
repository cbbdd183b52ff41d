// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The general lattice (Zhu 2010, section 7): a rotation per cell, moduli that differ from cell to
// cell. Linear elasticity with one material has faster cycles of its own (grid_linear.h); this is
// for all the rest.
//
//   paper                  here
//   R                      R of a cell, the rotation of its averaged gradient F
//   p                      -s / R: a cell's stress is s R, an edge's the mean of its four cells'
//   P_ii, P_ij             2 mu F_ii + s R_ii in cells; 2 mu F_ij + mean(s R_ij) on edges
//   tr(R' F)               T, of the gradients that are no boundary ones
//   mu R_ij phi_i,j + ...  T - s / k = g, where k is the stiffness of the pressure
//
// All that follows from one energy, of which the discrete forces are the gradient, frozen or not:
//   sum mu F_ij^2 where F_ij lives, plus per cell -2 mu T + k/2 (T - (3 - w))^2,
// where each of a cell's nine gradients is a quarter of four edges (or its own), w the sum of
// R_ij^2 over the parts that are boundary gradients, and 1/k = 1/lambda + w / (2 mu).
//
// Where we differ: boundary gradients are not frozen but eliminated. Their stress vanishes, so that
// F_ij = alpha R_ij there, and minimising over alpha gives w and k above; with R = I this is the
// rule of section 5.3. A Dirichlet cell has a rotation but no pressure. With the rotations frozen
// the energy bounds the true one from above as long as volumes grow by less than 2 mu / lambda, so
// that steps along conjugate directions with the exact length of the frozen problem descend.
#ifndef PL_GRID_COROT_H
#define PL_GRID_COROT_H

#include "grid/grid_factor.h"
#include "grid/grid_lattice.h"
#include "grid/grid_recombine.h"
#include "math/mat3.h"
#include "multigrid/dense_cholesky.h"

// What a cell and its low faces are.
enum {
    PL_COROT_FACE = 1,   // shifted by the axis: the low face is a variable
    PL_COROT_HELD = 8,   // shifted by the axis: the low face is given
    PL_COROT_INNER = 64, // shifted by the axis: between two core cells
    PL_COROT_INTERIOR = 512,
    PL_COROT_DIRICHLET = 1024,
    PL_COROT_CORE = 2048,   // interior, and none of the 18 cells around is exterior
    PL_COROT_BESIDE = 4096, // a Dirichlet cell that an interior one touches
    PL_COROT_WALL = 8192    // a core cell that has given faces in its T
};

// Sixteen cells in a row, and where the rows around them begin (y fastest, from -1 to 1).
typedef struct pl_corot_chunk {
    int begin;
    int rows[9];
    int parents[9];     // in the next level, of the coarse rows around
    int children[9][2]; // in the level before: fine rows around the lower one, and 16 cells further
    int y, z;
} pl_corot_chunk;

// Sixteen bits for the cells of a chunk, and their low faces.
typedef struct pl_corot_masks {
    uint16_t core, slaved; // slaved: interior, but no core cell
    uint16_t inner[3], band[3];
    bool plain; // all that inner faces and core cells are coupled to has weights of 2 mu = 2, and
                // no core cell has a Dirichlet cell or a given face near
} pl_corot_masks;

// A face outside the core, with all that its equation has: the cells in whose T it is (above and
// below it; then, for each of the two other axes, above and below it on the lower side and on the
// upper side), its factors there, the next face across, and weights.
typedef struct pl_corot_face {
    int axis;
    int at[10];
    int next;
    float factors[10];
    float weights[6]; // of the cells above and below it, of edges on the lower and upper sides
    float stiffness, inverse;
} pl_corot_face;

// Fields have a value per index of the layout, and lie in one block.
typedef struct pl_corot_level {
    const pl_grid_level* layout;
    pl_corot_chunk* chunks;
    int chunk_count;
    int* planes; // size[2] + 1: the chunks of each plane
    uint16_t* flags;
    pl_corot_masks* masks; // of each 16 indices
    pl_corot_face* band;
    int* band_planes; // size[2] + 1: those of each plane, in the order of cells
    float* fields;
    float* R[9];                // of cells
    float *k, *s, *g;           // of cells; k is 0 in Dirichlet cells
    float *slave_k, *inverse_k; // k of slaved cells, 1 / k of core cells, else 0
    float* cell_weight[3];      // of the squares in the energy: 2 mu of F_aa,
    float* edge_weight[3];      // and of the two gradients of the low edge along an axis;
                                // 0 where a stress is a boundary one
    float* mu;                  // of cells, relative to the body's
    float* spread;              // of core cells: sum of mu + mu near that are not held
    float* soft;                // of cells: what turning them does not cost, see
                                // grid_corot_tangent.c
    float* twist[9];
    float* inverse_q; // of core cells: of the distributed pressure equation's diagonal
    float *u[3], *f[3], *r[3];
    float* rg;         // residual of the pressure equation of core cells
    float* extra[3];   // stiffness of faces beyond that of the stencil: walls, springs
    float* inverse[3]; // of the diagonals of faces between core cells
    float* scale[3];   // of what faces get from the next coarser level
    float compressibility, inertia;
    float shear; // weight of F_ji beside F_ij in P_ij: 0, or 1/2 in linear elasticity
} pl_corot_level;

// The exact solve on the coarsest level (grid_corot_bottom.c): a dense factor of a few hundred
// unknowns, a sparse one of more.
typedef struct pl_corot_bottom {
    int* unknown[3]; // per index of the level: number, or -1
    int field_size, unknown_count;
    bool fails; // there is no factor: sweeps in its place
    pl_dense_cholesky dense;
    float* dense_x;
    pl_grid_factor sparse; // cliques: of each cell in turn its three low edges, then its T
    double* x;
} pl_corot_bottom;

// The way of a step, and the equations that go with it.
typedef enum pl_corot_phase {
    // Conjugate directions. The pressures of core cells are what their equations make of the
    // positions, and the residual is the slope of an energy.
    PL_COROT_DOWNHILL,
    // Recombined cycles. The pressures of core cells are variables of the state (Eq. 14).
    PL_COROT_RECOMBINED
} pl_corot_phase;

typedef struct pl_grid_corot {
    pl_corot_level levels[PL_GRID_MAX_LEVELS];
    int level_count;
    pl_corot_bottom bottom;
    int band_sweeps;  // before and after those of the core; set by an update
    int fixed_sweeps; // in place of the number that goes with the material; 0: that
    bool rotates;     // else R = I for ever: linear elasticity
    pl_corot_phase phase;
    bool softens;      // what turning does not cost is taken away; false: the frozen problem's A
    pl_quat* turn;     // of the finest level's cells; borrowed
    double* stress[9]; // s R of the finest level's cells, and what grid_corot_couple_stress.c adds
    bool uncouples;    // differences of rotations cost nothing, see there
    double* rotation[9];             // R of the finest level's cells; only set if it uncouples
    float* ease;                     // of turning cells: 1 at rest, less under tension
    float *direction[3], *before[3]; // of conjugate directions: the last one, and its residual
    float* spring[3];                // of the finest level
    bool springs_changed;            // extra does not have them yet
    double last_product;             // of residual and correction
    double slope, step;              // along the last direction, and how far it went
    bool has_direction;
    pl_grid_recombine history; // of cycles; see pl_grid_corot_recombine
    double own_residual;       // after the last of them alone
    int cycle;                 // of the step
    int factor_cycle;          // when the coarsest level was factored
    double last_residual;      // before the last cycle
    double best_residual;      // of the step
    bool is_judged;            // the residual after the last cycle has been looked at
    int failures;              // cycles in a row that brought nothing
    bool frozen;               // rotations stay as they are, whatever moves
    bool freezes_buckled;      // cells that buckle keep the rotation of the step's first cycle: for
                               // bodies in motion (grid_corot_rotation.c)
    bool buckled_frozen;       // the first cycle is over, and they do
    // Springs and contacts: sets the right side of the state for its present positions; or NULL.
    void (*react)(void* user);
    void* react_user;
    pl_pool* pool;
} pl_grid_corot;

// On the levels of a lattice, which must live as long, as must the rotations of cells, one per
// index. mu: per index of the finest level, relative moduli of cells, or NULL for 1 everywhere.
// rotates: corotated; else linear.
pl_status pl_grid_corot_create(const pl_grid_lattice* lattice, const float* mu, bool rotates,
                               pl_quat* turn, pl_pool* pool, pl_grid_corot* out, pl_error* error);
void pl_grid_corot_free(pl_grid_corot* c);

// Rotations of the finest level at positions u of the state, cell edge h.
// Returns the norm of the residual, which is put into f and g of the finest level (g is 0 where
// pressures are not kept). Where turn_cells is false the rotations stay: the residual of the frozen
// problem.
double pl_grid_corot_residual(pl_grid_corot* c, const pl_grid_state* state, double h,
                              bool turn_cells);
// Takes the present rotations and the state's coefficients over to all levels.
void pl_grid_corot_update(pl_grid_corot* c, double compressibility, double inertia);
// Springs on faces of the finest level for the next update; NULL: none.
void pl_grid_corot_set_springs(pl_grid_corot* c, double* const stiffness[3]);
// One V-cycle: u and s of the finest level from its f and g, from zero.
void pl_grid_corot_cycle(pl_grid_corot* c);
// Adds a multiple of the last cycle's u, made conjugate to the last direction, to the state.
// Needs the residual that the cycle was for.
void pl_grid_corot_correct(pl_grid_corot* c, pl_grid_state* state, bool conjugate);
// After a residual at positions that the last correction led to: as long as the direction now
// points uphill by more than half of what it pointed downhill, part of the correction is taken
// back; as long as it still points downhill by more than half of that, the correction is made
// longer (the frozen problem is far too stiff along a motion that bends). Returns the norm of the
// last residual.
double pl_grid_corot_backtrack(pl_grid_corot* c, pl_grid_state* state, double h, double residual);
// Energy, in the units of pl_grid_energy; rotations as they are.
double pl_grid_corot_energy(const pl_grid_corot* c, const pl_grid_state* state, double h);
// out = the gradient of the energy on faces that are variables, or on those that are held,
// rotations as they are after a residual with these positions; else 0.
void pl_grid_corot_forces(const pl_grid_corot* c, const pl_grid_state* state, double h, bool held,
                          double* const out[3]);
// d' A d of the frozen problem, with inertia and springs.
double pl_grid_corot_curvature(const pl_grid_corot* c, float* const d[3]);
void pl_grid_corot_forget(pl_grid_corot* c); // the last direction, and all of the history

// The general lattice as recombination sees it.
pl_grid_iteration pl_grid_corot_iteration(pl_grid_corot* c, pl_grid_state* state, double h);
// For kept pressures, in place of a cycle and a correction: one V-cycle for the residual in f and
// g, of this norm, after which the state goes where its residual is smallest among the sums of this
// correction and the last few ones, as far as the equations are linear. False, and the state as it
// was, if the cycle made the residual several times as large.
bool pl_grid_corot_recombine(pl_grid_corot* c, pl_grid_state* state, double h, double residual);
// Pressures of core cells that fulfil their equations, rotations as they are after a residual with
// these positions and pressures not kept.
void pl_grid_corot_substitute(const pl_grid_corot* c, pl_grid_state* state, double h);

// A step, of which the caller makes the updates (grid_corot_step.c): after a begin, before the
// state is changed in any way but by held cells, look for the residual, and advance by a cycle as
// often as needed.
void pl_grid_corot_begin(pl_grid_corot* c);
double pl_grid_corot_look(pl_grid_corot* c, pl_grid_state* state, double h);
void pl_grid_corot_advance(pl_grid_corot* c, pl_grid_state* state, double h, double residual);
void pl_grid_corot_end(pl_grid_corot* c, pl_grid_state* state, double h);

// ------------------------------------------------------------------ parts of a cycle

void pl_corot_set_coefficients(pl_corot_level* level, double compressibility, double inertia,
                               pl_pool* pool);
// Sweeps over one level; backwards for the way up.
void pl_corot_smooth(pl_corot_level* level, int band_sweeps, bool backwards, pl_pool* pool);
// One sweep of those: over faces outside the core, faces between core cells, or core cells.
typedef enum pl_corot_part {
    PL_COROT_BAND_FACES,
    PL_COROT_INNER_FACES,
    PL_COROT_CORE_CELLS
} pl_corot_part;
void pl_corot_sweep(pl_corot_level* level, pl_corot_part part, bool backwards, pl_pool* pool);
// r = f - A u; rg = g - T + s / k in core cells, else 0.
void pl_corot_residual(pl_corot_level* level, pl_pool* pool);
// f += what A u has too much of where cells turn; nothing for linear elasticity.
void pl_corot_soften(pl_corot_level* level, float* const to[3], pl_pool* pool);
// 2 mu K^-1 of a cell, see there.
void pl_corot_twist_matrix(const pl_corot_level* level, const int* base, int i, float out[9]);
// The coarsest level's factor: structure; values, after a change of coefficients or rotations.
pl_status pl_corot_bottom_create(const pl_corot_level* level, pl_corot_bottom* out,
                                 pl_error* error);
void pl_corot_bottom_free(pl_corot_bottom* bottom);
void pl_corot_bottom_update(pl_corot_bottom* bottom, pl_corot_level* level, pl_pool* pool);
// u and s of the level from its f and g, where u is zero. False if there is no factor.
bool pl_corot_bottom_solve(pl_corot_bottom* bottom, pl_corot_level* level);
void pl_corot_slave(pl_corot_level* level, pl_pool* pool);
// Scales of prolongation, which the flags of both levels determine.
void pl_corot_set_transfer(pl_corot_level* fine, const pl_corot_level* coarse);
void pl_corot_restrict(const pl_corot_level* fine, pl_corot_level* coarse, pl_pool* pool);
void pl_corot_prolong(pl_corot_level* fine, const pl_corot_level* coarse, pl_pool* pool);

#endif
