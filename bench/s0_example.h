// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The examples of S0 (Xian, Tong and Liu 2019, Tables 1, 2 and 4): a body of unit size of each
// row, held by soft attachments, h = 1/30 s, gravity 9.8 m/s^2.
#ifndef PL_BENCH_S0_EXAMPLE_H
#define PL_BENCH_S0_EXAMPLE_H

#include "bench.h"
#include "contact/contact.h"
#include "fem/fem_system.h"

#include <pliant/mesh.h>

enum { S0_ROW_COUNT = 11, S0_PHASES = 6 };

typedef struct s0_row {
    const char* name;
    const char* mesh;   // below PLIANT_DATA; NULL: a cloth
    int side;           // vertices along a side of the cloth
    int solid_vertices; // of the body that stands in for the mesh
    int levels[3];      // coarsest first
    int level_count;
    int sweeps; // on each side of the coarse correction
    bool newton;
    int iterations;           // per frame
    double mu;                // Pa; of a cloth its springs [N/m]
    double fps, precompute;   // of the paper
    double phases[S0_PHASES]; // [ms]
} s0_row;

// armadillos first, the smallest first
extern const s0_row s0_rows[S0_ROW_COUNT];

typedef struct s0_example {
    int vertex_count, element_count;
    pl_pool* pool;
    pl_step_system* system;
    pl_element_set set; // the elements once more, for energies
    double *rest, *mass, *force;
    int *neighbour_offsets, *neighbours;
    int neighbour_count;
    pl_pin* pins;
    int pin_count;
    double create_seconds; // of the system, from a mesh in memory
    pl_error error;
} s0_example;

// How the paper solves the row.
pl_step_settings s0_row_settings(const s0_row* row);
// False after a message.
bool s0_example_create(bench* b, s0_example* out, const s0_row* row,
                       const pl_step_settings* settings, pl_pool* pool);
bool s0_example_step(s0_example* example, pl_method_info* info);
void s0_example_free(s0_example* example);

#endif
