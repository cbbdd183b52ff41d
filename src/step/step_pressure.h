// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Pressure as part of the function that a step minimises: its forces and their stiffness are
// evaluated at the positions that are solved for.
#ifndef PL_STEP_PRESSURE_H
#define PL_STEP_PRESSURE_H

#include "base/array.h"
#include "base/fail.h"
#include "contact/pressure.h"
#include "step/step_term.h"

typedef struct pl_step_pressure {
    const pl_pressure* loads; // of a step, borrowed
    int load_count;
    pl_array base; // of double, 3 per vertex: positions up to which work is summed
    pl_array work; // of double, per triangle [J]
    pl_array dead; // of double, 3 per vertex: the external forces without pressure [N]
} pl_step_pressure;

void pl_step_pressure_setup(pl_step_pressure* p);
void pl_step_pressure_free(pl_step_pressure* p);
// Sets the loads of a step that starts at x. Their forces there are part of `force`; p->dead
// becomes `force` without them.
pl_status pl_step_pressure_begin(pl_step_pressure* p, const pl_pressure* loads, int load_count,
                                 int vertex_count, const double* x, const double* force,
                                 pl_error* error);
// The term of p. Its energy is measured from the last iterate that it followed, at which its
// gradient equals the forces. Its stiffness is never definite.
pl_step_term pl_step_pressure_term(pl_step_pressure* p);
#endif
