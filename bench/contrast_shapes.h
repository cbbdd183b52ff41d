// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Stiff parts in a soft bar, for benches of multigrid: which tets they are.
#ifndef PL_BENCH_CONTRAST_SHAPES_H
#define PL_BENCH_CONTRAST_SHAPES_H

#include <pliant/mesh.h>

// all of it stiff, layer, lumps, bone, shell, sheets, rods
enum { BENCH_CONTRAST_SHAPES = 7 };

const char* bench_contrast_name(int shape);
// contrast[t] = `stiff` for the tets of a shape, 1 for the others; shape -1: 1 for all. element:
// the edge of a cell of the bar, which lies along x.
void bench_contrast_fill(const pl_mesh* mesh, int shape, double element, double stiff,
                         double* contrast);

#endif
