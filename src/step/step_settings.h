// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// How a step is solved.
#ifndef PL_STEP_SETTINGS_H
#define PL_STEP_SETTINGS_H

#include <pliant/scene.h>
#include <stdbool.h>

typedef struct pl_step_settings {
    pl_integrator integrator;
    pl_nonlinear nonlinear;
    pl_linear linear;
    double tolerance;    // of the residual force, relative to the load
    int max_iterations;  // Newton or Projective Dynamics iterations
    bool all_iterations; // never stop before max_iterations
    bool line_search;
    double linear_tolerance;
    int linear_max_iterations;
    double damping_mass;                     // [1/s]
    double damping_stiffness;                // [s]
    pl_multigrid multigrid;                  // its levels are read when a system is created
    bool damping_may_change;                 // the damping matrix is kept ready
    const struct pl_step_coupling* coupling; // energy beyond the elements; NULL: none
} pl_step_settings;

#endif
