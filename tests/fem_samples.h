// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A fem system of one generated body, for tests.
#ifndef PL_FEM_SAMPLES_H
#define PL_FEM_SAMPLES_H

#include "verify.h"

typedef verify_body fem_sample;

// Takes over the mesh. Fails the test if anything does.
fem_sample fem_sample_create(pl_mesh* mesh, pl_material_kind law, double young, double poisson,
                             double density, const pl_step_settings* settings, pl_pool* pool);
void fem_sample_free(fem_sample* sample);

pl_mesh* fem_box(double x, double y, double z, int nx, int ny, int nz);
// A step with gravity along y and the given pins; fails the test if the step fails.
pl_method_info fem_sample_step(fem_sample* sample, double time_step, double gravity,
                               const pl_pin* pins, int pin_count);

#endif
