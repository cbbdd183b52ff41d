// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The patches and hinges of a sheet as a list, which bend_sheet.c makes and bend_fit.c fits.
#ifndef PL_MATERIAL_BEND_PARTS_H
#define PL_MATERIAL_BEND_PARTS_H

typedef struct pl_bend_part {
    int triangles[2]; // a hinge is of two; of a patch both are its own
    int corners[6];   // as in bend_patch.h; of a hinge the first four, as in bending.h
    double form[6];   // for bending stiffness 1; of a hinge the first is k
} pl_bend_part;

typedef struct pl_bend_sheet {
    int patch_count, hinge_count, capacity;
    pl_bend_part* parts; // patches by triangle, then hinges by edge
} pl_bend_sheet;

#endif
