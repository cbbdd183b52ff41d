// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Trilinear hexahedra on a box of n^3 unit cubes, both ends of x held: what Zhu 2010, Fig. 11,
// compares with. One stiffness matrix serves all cubes; mu = 1.
#ifndef PL_BENCH_S4_HEXES_H
#define PL_BENCH_S4_HEXES_H

typedef struct s4_hexes {
    int n;
    double K[24][24]; // corner c at (c & 1, c >> 1 & 1, c >> 2), three components each
} s4_hexes;

// 2 x 2 x 2 points of Gauss
void s4_hex_stiffness(double lambda, double K[24][24]);
static inline int s4_hex_unknowns(int n) { return 3 * (n + 1) * (n + 1) * (n + 1); }
// y = K x; held vertices count as zero and get zero. For s4_conjugate_gradients.
void s4_hexes_apply(const void* hexes, const double* x, double* y);

#endif
