// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Pressure as part of the function that a step minimises: its forces are those at the positions
// that are solved for, with their stiffness.
#ifndef PL_STEP_PRESSURE_H
#define PL_STEP_PRESSURE_H

#include "base/array.h"
#include "base/fail.h"
#include "contact/pressure.h"
#include "sparse/block_matrix.h"
#include "step/step_pieces.h"

typedef struct pl_step_pressure {
    const pl_pressure* loads; // of a step, borrowed
    int load_count;
    pl_array base;          // of double, 3 per vertex: what the work so far leads to
    pl_array work;          // of double, per triangle [J]
    pl_array dead;          // of double, 3 per vertex: the outer forces without pressure [N]
    bool without_stiffness; // the matrix leaves it out: with it, it would not be definite
} pl_step_pressure;

void pl_step_pressure_setup(pl_step_pressure* p);
void pl_step_pressure_free(pl_step_pressure* p);
// The loads of a step that starts at x, where they are part of `force`; p->dead becomes the rest.
pl_status pl_step_pressure_begin(pl_step_pressure* p, const pl_pressure* loads, int load_count,
                                 int vertex_count, const double* x, const double* force,
                                 pl_error* error);
// Work begins at x.
void pl_step_pressure_restart(pl_step_pressure* p, const double* x);
// x becomes the place from which work is counted on. There the energy has the forces as gradient.
void pl_step_pressure_follow(pl_step_pressure* p, const double* x);

double pl_step_pressure_energy(const pl_step_pressure* p, const double* x);
// energies[piece] += that of the chosen pieces (NULL: of all)
void pl_step_pressure_energies(const pl_step_pressure* p, const int* piece_of, const bool* chosen,
                               const double* x, double* energies);
// gradient -= the forces at x
void pl_step_pressure_gradient(const pl_step_pressure* p, const double* x, double* gradient);

// One block of the stiffness: rows of vertex v[i], columns of v[j], i != j.
void pl_step_pressure_block(double pressure, const double* x, const int* v, int i, int j,
                            double block[9]);
void pl_step_pressure_hessian(const pl_step_pressure* p, const double* x, pl_block_matrix* A);

// created[piece] += the energy that the midpoint rule creates in a step from start to end
void pl_step_pressure_created(const pl_step_pressure* p, const int* piece_of, const double* start,
                              const double* end, double* created);

#endif
