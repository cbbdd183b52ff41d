// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A few tets with a pressure at each vertex, for tests of the parts of method mixed.
#ifndef PL_TESTS_MIXED_SAMPLES_H
#define PL_TESTS_MIXED_SAMPLES_H

#include "mixed/mixed_pressure.h"
#include "mixed/mixed_tets.h"

enum { MIXED_SAMPLE_VERTICES = 360 };

typedef struct mixed_sample {
    pl_mesh* mesh;
    int n;
    pl_element_set set;
    pl_adjacency pattern;
    pl_step_pieces pieces;
    pl_mixed_pressure* pressure;
    double p[MIXED_SAMPLE_VERTICES], x[3 * MIXED_SAMPLE_VERTICES];
} mixed_sample;

// A cube of 1 m: 2 cells x 1 x 1, times `fineness` each way. Then mixed_sample_mix.
mixed_sample mixed_sample_make(int fineness, pl_material_kind law, double poisson, double alpha,
                               bool in_matrix_only);
void mixed_sample_free(mixed_sample* s);
// The set looks at these pressures: those of the sample, or of its system.
void mixed_sample_mix(mixed_sample* s, const double* pressures);
// x: random, up to `amount` from rest in each coordinate; p: random
void mixed_sample_disturb(mixed_sample* s, double amount, uint64_t seed);

#endif
