// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// One body in its lattice: its state, its cycles and its embedded vertices.
#ifndef PL_GRID_BODY_H
#define PL_GRID_BODY_H

#include "base/array.h"
#include "contact/force_share.h"
#include "grid/grid_corot.h"
#include "grid/grid_embedding.h"
#include "grid/grid_linear.h"
#include "math/mat3.h"
#include "mesh/surface_edges.h"
#include "method/method.h"

// The rigid motion that best fits the pins of one attachment, from rest to their targets.
typedef struct pl_grid_fit {
    int count;
    int group;        // number of the pins' attachment
    pl_vec3 from, to; // centroids
    pl_mat3 moment, rotation;
    pl_vec3 force, torque; // exerted by the attachment on the body, see grid_springs.c
    pl_force_share share;  // shares of the force and torque among the pins
} pl_grid_fit;

// Position of a chunk in the fields, and its first cell.
typedef struct pl_grid_chunk_place {
    int at;
    int x, y, z;
} pl_grid_chunk_place;

typedef enum pl_grid_surface_kind {
    PL_GRID_SURFACE_CLEAN,   // closed, two triangles at each edge, no intersections
    PL_GRID_SURFACE_TANGLED, // closed but not clean
    PL_GRID_SURFACE_OPEN,    // has boundary edges
} pl_grid_surface_kind;

// ------------------------------------------------------------------ pieces (grid_pieces.c)

// The connected pieces of a lattice; cells are connected through faces. In equilibrium, each loaded
// piece must be held.

typedef struct pl_grid_piece {
    int cell_count;
    int cell[3];     // its first cell
    bool held;       // set by pl_grid_pieces_hold
    double force[4]; // sum of the forces, and of their magnitudes [N]
} pl_grid_piece;

typedef struct pl_grid_pieces {
    pl_grid_piece* pieces;
    int count;
    int* of_vertex; // the piece of each vertex
    int vertex_count;
    int* of_cell; // per index of the level; NULL if there is only one piece
    int cell_room;
} pl_grid_pieces;

// anchors: 3 per vertex, each near a cell in use.
pl_status pl_grid_pieces_create(const pl_grid_level* level, const pl_grid_cells* cells,
                                const pl_grid_frame* frame, const double* anchors, int vertex_count,
                                pl_grid_pieces* out, pl_error* error);
void pl_grid_pieces_free(pl_grid_pieces* pieces);

// Call before a step: clears holds and forces.
void pl_grid_pieces_reset(pl_grid_pieces* pieces);
void pl_grid_pieces_hold(pl_grid_pieces* pieces, int vertex);
void pl_grid_pieces_push(pl_grid_pieces* pieces, int piece, const double force[3]);
// The first piece that is loaded and not held, or -1.
int pl_grid_pieces_find_loose(const pl_grid_pieces* pieces);

// ------------------------------------------------------------------ the body

typedef struct pl_grid_body {
    const char* name;
    int first_vertex, vertex_count; // in the system, in the world's numbering

    // --- surface and points
    int* triangles; // 3 vertices each
    int triangle_count;
    int* tets; // 4 vertices each, if the mesh has tets
    int tet_count;
    pl_grid_surface_kind surface_kind;
    // Points are the vertices, followed by the contact points that cover large triangles. Contacts
    // of the system number points, body after body.
    int first_point, point_count;
    double* rest;   // 3 per point
    double* anchor; // where points are embedded; equals rest if all points are near cells
    double* share;  // per point: share of the contact stiffness by area; 1 is the mean of surface
                    // vertices
    int* colliding; // points of the surface, counted from the body's first
    int colliding_count;
    pl_grid_embedding_map map;
    bool is_smooth; // shown vertices use tricubic interpolation; contacts and pins never do
    pl_grid_tricubic tricubic;

    // --- cells
    pl_grid_frame frame;
    pl_grid_cells cells;
    pl_grid_thickening thickening; // cells added where the body is one cell thin
    pl_grid_lattice lattice;
    pl_grid_chunk_place* first_chunks; // layout without any Dirichlet cells
    int first_chunk_count;
    pl_grid_pieces pieces;

    // --- pins
    int* pinned; // per vertex: number of the attachment that holds it, or 0
    uint64_t pinned_hash;
    int held_count;  // pins
    bool* is_single; // per vertex: pinned, but no triangle or tet is pinned as a whole with it
    double* targets; // 3 per vertex: targets of pinned vertices
    // Per index of the finest level: number of the attachment that a Dirichlet cell moves with, or
    // 0; negative for cells outside the body.
    int *held, *next_held;
    pl_grid_fit* fits; // of attachments, numbered from 1; fit_room allocated
    int fit_count, fit_room;

    // --- material and mass
    double mu, lambda, density; // density: the body's mass over the volume of all cells
    double damping_mass, damping_stiffness;
    bool rotates;          // true: corotated law; false: linear
    float* moduli;         // shear moduli of cells relative to mu; NULL: 1
    float* fractions;      // filled fraction of cells, if `uses_corot`; NULL: 1
    double lattice_volume; // of all cells [m^3]
    double filling;        // the body's volume over lattice_volume
    float* cell_mass;      // of cells, relative to their mean; NULL: 1
    float* more_mass[3];   // mass of faces in addition to one cell's, in cells

    // --- cycles
    bool uses_corot;        // has rotations or varying moduli: cycles of `corot`, else of `linear`
    pl_grid_cycles* cycles; // the cycles of that kind
    pl_grid_linear linear;
    pl_grid_corot corot;
    int update_every; // cycles
    double tolerance;
    int max_cycles;
    pl_pool* pool;

    // --- state and time
    pl_grid_state state;
    pl_quat* turn;       // of cells
    double* velocity[3]; // of faces [m/s]
    bool dynamic;
    bool second_order; // BDF2: also needs displacements and velocities one step earlier:
    double *past[3], *past_velocity[3];
    double past_known; // 1 if these are valid; a double, like everything in the saved state
    bool forces_euler; // steps use backward Euler even if second_order

    // --- the current step
    bool in_step;      // the step can be undone: `before` and the next two are what it started from
    double* before[3]; // displacements
    pl_quat* turn_before;
    double* pressure_before;
    bool uses_past;       // this step uses BDF2
    double implicit_time; // t of the step's equations, see grid_step.c [s]
    double* applied[3];   // right-hand side without terms that depend on positions
    bool moved_ahead; // before the first cycle the body moved by `free_flight`: nothing holds it
    double free_flight[3];
    // End state of a step that may be repeated with other forces: displacements, pressures,
    // rotations, its free flight and load. Allocated by the first such step.
    double *guess[3], *guess_pressure;
    pl_quat* guess_turn;
    double guess_flight[3], guess_load;
    bool has_guess;
    int cycle;
    double load;     // norm that residuals of the step are relative to
    double* gain;    // 3 per point: sums of absolute interpolation weights
    double* springs; // 3 * 3 per point: spring and contact forces, their stiffness, positions

    // --- coefficients of the levels
    bool coefficients_fit; // they match the current material, springs and inertia
    bool stiffened;        // they include springs or contacts
    int stiffened_count;   // number of vertex components with springs in them
    double inertia_set;
} pl_grid_body;

pl_status pl_grid_body_create(const pl_method_body* body, pl_pool* pool, pl_grid_body* out,
                              pl_notes* notes, pl_error* error);
void pl_grid_body_free(pl_grid_body* body);
// Builds the cycles of the body on its current lattice.
pl_status pl_grid_body_make_cycles(pl_grid_body* body, pl_error* error);
// Updates material and damping between steps.
pl_status pl_grid_body_update(pl_grid_body* body, const pl_method_body* def, pl_error* error);

// Sets the masses of all faces in the state.
void pl_grid_body_set_masses(pl_grid_body* body);
// Mass of a cell relative to the mean of all.
static inline double pl_grid_cell_mass(const pl_grid_body* b, int index) {
    return b->cell_mass ? (double)b->cell_mass[index] : 1.0;
}
// y in the equations of a step, see grid_step.c.
static inline double pl_grid_reference(const pl_grid_body* b, int axis, int index) {
    const double now = b->before[axis][index];
    return b->uses_past ? (4.0 * now - b->past[axis][index]) / 3.0 : now;
}

// Whether a cell belongs to the body, free or held.
static inline bool pl_grid_is_body(const pl_grid_body* b, int index) {
    return b->held[index] > 0 ||
           pl_grid_bit(b->lattice.levels[0].masks[index / PL_GRID_CHUNK].interior, index);
}

// The mass of each vertex of the body.
void pl_grid_body_masses(const pl_grid_body* body, const pl_method_body* def, double* out);
// Positions and velocities of the body's vertices, as shown to the world.
void pl_grid_body_vertices(pl_grid_body* body, double* positions, double* velocities);
// Positions of its points for a displacement field whose exterior faces have been extended. Forces
// on points are conjugate to these positions.
void pl_grid_body_points(pl_grid_body* body, double* const u[3], double* out);
// Rest position of a face across an axis. `offset` counts cells along the segment.
void pl_grid_face_rest(const pl_grid_body* body, const pl_grid_segment* segment, int axis,
                       int offset, double place[3]);
// Adds linear + gradient x to a field of all faces.
void pl_grid_body_add_field(const pl_grid_body* body, double* const field[3], pl_vec3 linear,
                            const pl_mat3* gradient);
pl_method_energies pl_grid_body_energies(const pl_grid_body* body);
// Sums over the cells of the body, held ones included: momentum, and angular momentum about the
// origin. The exterior faces of displacements and velocities must have been extended
// (grid_momentum.c).
void pl_grid_body_momentum(const pl_grid_body* body, pl_vec3* linear, pl_vec3* angular);

// ------------------------------------------------------------------ filling (grid_filling.c)

// Default cell edge, from an estimate of the body's volume; shorter where walls are thin. The
// number of cells is bounded, because the time of a frame is proportional to it.
pl_status pl_grid_choose_cell(pl_grid_body* body, const pl_method_body* def, const pl_mesh* surface,
                              const pl_surface_edges* edges, pl_error* error);

// Volume, filling and density of a body whose cells are known; an error if it encloses nothing.
pl_status pl_grid_measure(pl_grid_body* body, const pl_method_body* def, const pl_mesh* surface,
                          const pl_surface_edges* edges, pl_error* error);

// How much of its cells a surface encloses.
typedef struct pl_grid_filling {
    // Per index of the level: filled fraction of its cell, at least a tenth; NULL if all cells are
    // full. The owner frees field_size floats.
    float* fractions;
    double cells;    // volume inside the surface, in cells; here empty cells count as 0
    bool has_inside; // some of the sampled points are inside
} pl_grid_filling;
pl_status pl_grid_fractions(const pl_mesh* surface, const pl_grid_level* level,
                            const pl_grid_cells* cells, const pl_grid_frame* frame, pl_pool* pool,
                            pl_grid_filling* out, pl_error* error);
// *out: per index of the level, the shear modulus of its cell over mu, times its filled fraction
// (fractions: NULL if all are full); NULL if all are mu. The caller frees field_size floats.
pl_status pl_grid_moduli(const pl_method_body* body, const pl_grid_level* level,
                         const pl_grid_cells* cells, const pl_grid_frame* frame,
                         const float* fractions, double mu, float** out, pl_error* error);

// ------------------------------------------------------------------ layout (grid_relayout.c)

// Moves the fields of a body when the layout of its lattice changes, as it does when cells outside
// the body become Dirichlet cells. Saved data always uses the first layout.

// Records the layout of a newly created body as its first.
pl_status pl_grid_note_layout(pl_grid_body* body, pl_error* error);
// Moves all fields to another layout, which must include the cells of the first. Leaves the body
// unchanged on failure.
pl_status pl_grid_relayout(pl_grid_body* body, const pl_grid_level* to, pl_error* error);
// Copies between a field (items of `size` bytes) and its values in the first layout.
void pl_grid_save_field(const pl_grid_body* body, const void* field, size_t item, char* to);
void pl_grid_load_field(const pl_grid_body* body, const char* from, size_t item, void* field);

// ------------------------------------------------------------------ edits by the host
// (grid_host_edits.c)

// Adds the change from `before` to `now` (3 per vertex) to the field: positions to displacements,
// velocities to velocities. An affine change is applied exactly. Any other change is applied
// through the body's tets, so the lattice matches them up to its resolution. A body without tets
// gets the nearest affine field. Allocates only if the change is not affine.
pl_status pl_grid_apply_position_edits(pl_grid_body* body, const double* now, const double* before,
                                       pl_error* error);
pl_status pl_grid_apply_velocity_edits(pl_grid_body* body, const double* now, const double* before,
                                       pl_error* error);

// ------------------------------------------------------------------ pictures (grid_outline.c)

// Appends the current positions of the corners of all outer faces of the lattice (3 doubles each),
// and the edges between them (2 ints each, counted from the first corner appended).
pl_status pl_grid_outline(pl_grid_body* body, pl_array* corners, pl_array* edges, pl_error* error);

#endif
