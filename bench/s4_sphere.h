// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The problem with a known answer of Zhu 2010, section 9.2, in three dimensions: a sphere of radius
// 0.25 around (0.5, 0.5, 0.5), deformed by phi = (2 x / sqrt(pi)) (cos(pi y / 2), sin(pi y / 2)), z
// (Eq. 17 and z). Linear elasticity with mu = 1.
#ifndef PL_BENCH_S4_SPHERE_H
#define PL_BENCH_S4_SPHERE_H

#include "grid/grid_voxels.h"
#include "math/vec3.h"

#include <pliant/mesh.h>
#include <stdbool.h>

static const double S4_RADIUS = 0.25;

// phi(X) - X
pl_vec3 s4_displacement(pl_vec3 X);
// Its gradient, rows: components.
void s4_gradient(pl_vec3 X, double out[3][3]);
// P of Eq. 1 for lambda (mu = 1).
void s4_stress(pl_vec3 X, double lambda, double out[3][3]);
// f_i = P_ij,j: minus the force per volume that holds the body there.
pl_vec3 s4_force(pl_vec3 X, double lambda);
// Whether the surface is held here: the two quadrants to the left and right of the middle, seen
// along z.
bool s4_is_held(pl_vec3 X);

// The sphere as triangles, 20 frequency^2 of them.
pl_status s4_sphere_surface(int frequency, pl_mesh** out, pl_error* error);
// So many cells across the sphere. Those that triangles whose middle is held reach into are
// Dirichlet cells.
pl_status s4_sphere_cells(const pl_mesh* surface, int across, int padding, pl_grid_frame* frame,
                          pl_grid_cells* out, pl_error* error);
// Adds the traction of each triangle, a third to each corner [N, mu = 1]; force: 3 per vertex.
void s4_load_surface(const pl_mesh* surface, double lambda, double* force);
// No force on vertices in held cells, which continue the body.
void s4_unload_held(const pl_mesh* surface, const pl_grid_cells* cells, const pl_grid_frame* frame,
                    double* force);

#endif
