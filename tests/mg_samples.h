// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Linear systems of elasticity for the tests and benches of multigrid, assembled in the plainest
// way.
#ifndef PL_MG_SAMPLES_H
#define PL_MG_SAMPLES_H

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

#endif
