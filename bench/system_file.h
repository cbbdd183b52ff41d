// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A linear system A x = b in a file, for programs that solve it with other libraries. Nothing else
// of pliant is needed to read it. All numbers are in the machine's own byte order:
//
//   8 bytes   "PLSYS\0\0\1"
//   int32     block         1, 3 or 4: A consists of block x block blocks
//   int32     row_count     in blocks
//   int32     rhs_count     right-hand sides; 1 where block is 3 or 4
//   int32     0
//   int64     entry_count   blocks in all
//   int32     offsets       row_count + 1; the blocks of row i are offsets[i] to offsets[i + 1] - 1
//   int32     columns       entry_count, ascending in a row; both triangles
//   double    values        block * block per entry, row-major
//   double    rhs           block * rhs_count per row
//   double    positions     3 per row: where the vertex of the row rests. The rigid motions of
//                           these points are the near-nullspace of elasticity.
//   double    mass          where block is 4, 1 per row: the lumped mass of the row's pressure over
//                           the shear modulus, in the units of A. The fourth unknown is a pressure.
#ifndef PL_BENCH_SYSTEM_FILE_H
#define PL_BENCH_SYSTEM_FILE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct system_header {
    int32_t block, row_count, rhs_count;
    int64_t entry_count;
} system_header;

// Some rows of a system, which are all of them in a program that runs alone.
typedef struct system_rows {
    system_header header; // of the whole system
    int first, count;     // the rows that are here
    int* offsets;         // count + 1, from 0 on
    int* columns;
    double *values, *rhs, *positions;
    double* mass; // NULL where block is not 4
} system_rows;

// Both say on stderr what went wrong.
bool system_file_write(const char* path, const system_rows* all);
// The rows of part `part` of `part_count`; freed by system_rows_free.
bool system_file_read(const char* path, int part, int part_count, system_rows* out);
void system_rows_free(system_rows* rows);

#endif
