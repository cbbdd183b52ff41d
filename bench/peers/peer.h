// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What the programs of this folder share. Each reads a system (system_file.h), solves it with one
// library, and prints lines "NAME VALUE" for `pliant-bench s0-peers`:
//
//   setup       seconds from the matrix to a first solve: structure and values
//   update      seconds when the values have changed and the structure has not
//   solve       seconds for all right-hand sides
//   total       seconds of an update and the solve after it
//   cpu         processor seconds of the same, over all threads and ranks, which wait spinning
//   iterations  of the slowest right-hand side; 0 for direct solvers
//   residual    |b - A x| / |b|, the largest of the right-hand sides
//   peak        MB of memory at most, from when the system was read on
//
// and lines "note TEXT". Times are medians over the repeats asked for.
#ifndef PL_BENCH_PEER_H
#define PL_BENCH_PEER_H

#include <stdbool.h>

enum { PEER_MAX_REPEATS = 99 };

double peer_seconds(void);
// Processor seconds of this process, all threads together.
double peer_cpu_seconds(void);
double peer_median(double* values, int count); // sorts them
// Repeats from the command line, 1 to PEER_MAX_REPEATS.
int peer_repeats(const char* text);

// Forgets the peak of memory so far; where the system cannot, what was read counts.
void peer_reset_peak(void);
// The largest resident size of this process [MB], 0 where the system does not tell.
double peer_peak(void);

void peer_result(const char* name, double value);
// Says which core OpenBLAS works for, or that another BLAS is loaded.
void peer_note_blas(void);
// Threads of OpenBLAS from now on; false if another BLAS is loaded.
bool peer_blas_threads(int count);

#endif
