// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Names for code that is included once for each size of blocks (wide_block.h): N stands for the
// unknowns of a vertex or node, as the file that includes it has defined it at that moment.
#ifndef PL_MULTIGRID_BLOCK_SIZE_H
#define PL_MULTIGRID_BLOCK_SIZE_H

#include "multigrid/wide_block.h"

#define PL_JOIN_(a, b) a##b
#define PL_JOIN(a, b) PL_JOIN_(a, b)

#define SIZED(name) PL_JOIN(name, N)           // name3 ... name16
#define V SIZED(pl_v)                          // the values of a vertex or node
#define V_(operation) PL_JOIN(V, _##operation) // pl_v3_load ...
#define SUM SIZED(pl_sum)                      // a sum of blocks times values
#define SUM_(operation) PL_JOIN(SUM, _##operation)
#define STRIDE (N < 12 ? PL_VERTEX : PL_NODE) // floats of a vertex or node in vectors

#endif
