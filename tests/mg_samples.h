// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Linear systems of elasticity for the tests and benches of multigrid, assembled in the plainest
// way.
#ifndef PL_MG_SAMPLES_H
#define PL_MG_SAMPLES_H

#include "base/random.h"
#include "multigrid/block_multigrid.h"
#include "sparse/block_matrix.h"

#include <pliant/mesh.h>
#include <pliant/multigrid.h>

typedef struct mg_sample {
    pl_block_matrix A;
    double* positions; // 3 per vertex
    double* b;         // gravity and some noise
    double* x;
} mg_sample;

typedef struct mg_material {
    double young, poisson, density;
    double time_step;       // 0: no inertia
    const double* contrast; // factor of Young's modulus per tet, or NULL
} mg_material;

// Linear elasticity of a tet mesh; springs along the edges of triangles, and weak ones across them,
// for a cloth. Soft attachments of stiffness `pin` at the vertices with the least x (0: none).
mg_sample mg_sample_create(const pl_mesh* mesh, const mg_material* material, double pin);
void mg_sample_free(mg_sample* sample);
pl_mg_blocks mg_sample_blocks(const mg_sample* sample);
// gradients of the four linear functions of a tet; returns its volume
double mg_tet_gradients(const pl_mesh* mesh, const int* tet, double g[4][3]);
// rows and columns of the vertices with the least x become those of the identity
void mg_sample_hold(mg_sample* sample);

// The same with a fourth unknown, a pressure, per vertex.
typedef struct mg_mixed {
    mg_sample solid;
    double* values; // 16 per entry of the structure of solid.A
    double *b, *x;
    int entry_count, count; // blocks; unknowns
} mg_mixed;

#define MG_MIXED_MU 5e4

// The fourth unknown is by itself: a Laplacian of the edges, as stiff as the solid.
mg_mixed mg_mixed_definite(const pl_mesh* mesh);
// P1/P1 with pressures in units of mu; the face with the least x is held, its pressures are not.
mg_mixed mg_mixed_saddle_of(const pl_mesh* mesh, double mu_over_kappa, double alpha);
mg_mixed mg_mixed_saddle(const pl_mesh* mesh, double mu_over_kappa); // alpha = 0.25
// A flat one: springs, and pressures that act along its edges.
mg_mixed mg_mixed_flat(const pl_mesh* sheet);
void mg_mixed_free(mg_mixed* s);
pl_mg_blocks mg_mixed_blocks(const mg_mixed* s);
double* mg_mixed_at(mg_mixed* s, int i, int j); // block (i, j)
void mg_mixed_multiply(const mg_mixed* s, const double* x, double* y);

// one sweep on each side, omega = 0.7
pl_mg_settings mg_mixed_settings(int count, const int* levels);
// with the values of the sample
pl_block_mg* mg_mixed_setup(const mg_mixed* s, const pl_mg_settings* settings, pl_pool* pool);

// values between -1 and 1
void mg_random_vector(pl_random* random, int count, double* x);

#endif
