// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Names for code that is included once for each kind of blocks (wide_block.h). The including file
// defines KIND (3, 4, 12, 16 or 4x3) and N, the rows of a block.
#ifndef PL_MULTIGRID_BLOCK_SIZE_H
#define PL_MULTIGRID_BLOCK_SIZE_H

#include "multigrid/wide_block.h"

#define PL_JOIN_(a, b) a##b
#define PL_JOIN(a, b) PL_JOIN_(a, b)

#define SIZED(name) PL_JOIN(name, KIND)        // name3 ... name16, name4x3
#define V SIZED(pl_v)                          // the values of a vertex or node
#define V_(operation) PL_JOIN(V, _##operation) // pl_v3_load ...
#define SUM SIZED(pl_sum)                      // a sum of blocks times values
#define SUM_(operation) PL_JOIN(SUM, _##operation)
#define COLUMN PL_JOIN(pl_v, N) // a column of a block
#define COLUMN_(operation) PL_JOIN(COLUMN, _##operation)

#endif
