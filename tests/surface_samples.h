// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Surfaces, sound and odd ones, for bodies that tests put into worlds.
#ifndef PL_SURFACE_SAMPLES_H
#define PL_SURFACE_SAMPLES_H

#include <pliant/world.h>

// A box of 12 triangles that face outwards; the last two are its top (+y).
pl_mesh* sample_box_surface(double x, double y, double z, double size_x, double size_y,
                            double size_z);
// The same vertices with no more than the first `count` triangles; the mesh is destroyed.
pl_mesh* sample_cut(pl_mesh* mesh, int count);
// Turns triangles from `first` on inside out.
void sample_flip(pl_mesh* mesh, int first);
// Writes a mesh into the test's folder, where scenes of the test find it, and destroys it.
void sample_write(pl_mesh* mesh, const char* name);
// The world of a scene of the given text, or NULL and an error; notes may be NULL.
pl_world* sample_try(const char* text, pl_notes* notes, pl_error* error);
// The text of the first note that contains `part`, or NULL.
const char* sample_find_note(const pl_notes* notes, const char* part);
// The mass of all vertices of the world's first system [kg].
double sample_mass(const pl_world* world);
double sample_lowest(pl_world* world, int body);

#endif
