// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Small scenes for tests of worlds and runs.
#ifndef PL_RUN_SAMPLES_H
#define PL_RUN_SAMPLES_H

#include <pliant/world.h>

// A box of 27 vertices that falls on the ground and turns; a few milliseconds for all its frames.
extern const char sample_falling_box[];

// A scene of the given text, read from a file of the test's folder; and its world.
pl_scene* sample_scene(const char* text);
pl_world* sample_world(const pl_scene* scene);
// A point cache in the test's folder: samples of points one after the other, one every `rate`
// frames.
void sample_point_cache(const char* name, float rate, const double* places, int points,
                        int samples);
// The world of a scene of the given text.
pl_world* sample_start(const char* text);
// So many frames; info of the last one, or NULL.
void sample_step(pl_world* world, int count, pl_frame_info* info);
// A hash of all positions and velocities.
uint64_t sample_world_hash(pl_world* world);

#endif
