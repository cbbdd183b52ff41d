// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Eight vertices at a time that nothing couples, each with its springs and with the rest of its row
// of a linear system: what sweeps over a cloth solve together (spring_relax.h).
//
// All in float, as seen from where the vertices are before the sweeps. With d for the way along a
// spring there and u for what its ends have moved, the spring is too long by (|d + u|^2 - L^2) /
// (|d + u| + L), where |d + u|^2 - L^2 = (|d|^2 - L^2) + u (2 d + u): no digits are lost however
// small the strain is, because |d|^2 - L^2 is found in double.
#ifndef PL_FEM_SPRING_OCTETS_H
#define PL_FEM_SPRING_OCTETS_H

#include "fem/spring_gather.h"
#include "math/float4.h"
#include "sparse/block_matrix.h"

enum { PL_OCTET = 8 };
typedef float pl_o8 __attribute__((vector_size(4 * PL_OCTET)));
typedef int32_t pl_o8i __attribute__((vector_size(4 * PL_OCTET)));

// One neighbour of each of the eight vertices.
typedef struct pl_octet_link {
    int32_t others[PL_OCTET]; // the vertex itself where it has no more
    pl_o8 weights;            // of the linear system
} pl_octet_link;

// The springs along a link.
typedef struct pl_octet_spring {
    pl_o8 rest, stiffness;
    pl_o8 way[3]; // d
    pl_o8 excess; // |d|^2 - rest^2
} pl_octet_spring;

typedef struct pl_octet {
    pl_o8 diagonal;             // of the linear system
    pl_o8 constant[3];          // for the caller: the part of the gradient that stays
    pl_o8i free;                // for the caller: -1 where the vertex may move
    int32_t vertices[PL_OCTET]; // those past the last repeat the first
    int count;                  // of different ones
    int link_begin, link_end;   // those with springs first
    int spring_begin, spring_end;
    bool has_contacts; // for the caller
} pl_octet;

typedef struct pl_spring_octets {
    const pl_spring_gather* gather; // borrowed
    int octet_count, link_count, spring_count;
    pl_octet* octets;
    pl_octet_link* links;
    pl_octet_spring* springs;
    int* entries; // of the linear system, 8 per link; -1: none
} pl_spring_octets;

// vertices, counts: of the octets, 8 and 1 each; all are copied. Q: the pattern of the system.
pl_status pl_spring_octets_setup(pl_spring_octets* octets, const pl_spring_gather* gather,
                                 const pl_block_matrix* Q, const int32_t* vertices,
                                 const int* counts, int octet_count, pl_error* error);
void pl_spring_octets_free(pl_spring_octets* octets);
// Takes the springs again, which may have changed, and values of the linear system (block 1).
void pl_spring_octets_refresh(pl_spring_octets* octets, const pl_block_matrix* Q);

// Springs of an octet as they are at x, where nothing has moved.
void pl_spring_octet_start(pl_spring_octets* octets, const pl_octet* octet, const double* x);
// What its vertices have moved. moved: 4 per vertex.
void pl_spring_octet_load(const pl_octet* octet, const float* moved, pl_o8 out[3]);
// Stores it for the vertices that are free.
void pl_spring_octet_store(const pl_octet* octet, const pl_o8 from[3], float* moved);
// Of springs and the linear system: the gradient at the eight vertices, by coordinate, and the
// Hessian with every spring projected: the upper part, row by row. own: what they have moved.
void pl_spring_octet_forces(const pl_spring_octets* octets, const pl_octet* octet,
                            const float* moved, const pl_o8 own[3], pl_o8 gradient[3],
                            pl_o8 hessian[6]);

#endif
