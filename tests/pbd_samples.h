// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bodies of method pbd for tests.
#ifndef PL_PBD_SAMPLES_H
#define PL_PBD_SAMPLES_H

#include "pbd/pbd_system.h"

#include <pliant/world.h>

typedef struct pbd_sample {
    pl_mesh* mesh;
    pl_body body;
    pl_pbd_system* system;
    double* force; // 3 per vertex
} pbd_sample;

// Generated meshes of about `count` vertices on a side: regular and irregular cloth of 1 m in the
// plane z = 0, and a box of tets.
pl_mesh* pbd_cloth(int columns, int rows);
pl_mesh* pbd_irregular_cloth(int side);
pl_mesh* pbd_box(int cells);
// Two irregular cloths side by side that share nothing.
pl_mesh* pbd_two_cloths(int side);

pl_body pbd_body(void); // method pbd, stiffness 1, no bending
// Takes the mesh over.
pbd_sample pbd_sample_create(pl_mesh* mesh, const pl_body* body, pl_pool* pool);
void pbd_sample_free(pbd_sample* sample);
void pbd_sample_step(pbd_sample* sample, double time_step, const pl_pin* pins, int pin_count);

// A scene from its text, with settings instead of those in it, and its world; steps of that.
pl_scene* pbd_scene(const char* text, const char* const* overrides, int count);
pl_world* pbd_world(const char* text, const char* const* overrides, int count);
void pbd_world_step(pl_world* world, int count);
// Whether a world and its first steps fail if the nth allocation does; `done` where there are not
// so many. Checks that the state is that of before the step which failed, and that the world goes
// on.
bool pbd_fails_at(const pl_scene* scene, int64_t nth, int step_count, bool* done);

pl_vec3 pbd_momentum(const pbd_sample* sample);
pl_vec3 pbd_angular_momentum(const pbd_sample* sample);
// Random velocities, the same for a seed.
void pbd_shake(pbd_sample* sample, double amount, uint64_t seed);

#endif
