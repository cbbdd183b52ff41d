// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The quantities that colours can show, and their values on a frame.
#ifndef PL_RECORD_SHOW_VALUES_H
#define PL_RECORD_SHOW_VALUES_H

#include "record/colormap.h"
#include "record/recording.h"

typedef enum pl_show_kind {
    PL_SHOW_NONE,
    PL_SHOW_DISPLACEMENT,
    PL_SHOW_STRETCH,
    PL_SHOW_ERROR,
    PL_SHOW_REGION,
    PL_SHOW_FIELD,
    PL_SHOW_NODES, // of a level of multigrid, see pl_show_set_level
} pl_show_kind;

typedef struct pl_show_quantity {
    pl_show_kind kind;
    char field[64];
    char title[96]; // for the legend
    pl_colormap map;
    double neutral;     // middle of a diverging map
    bool from_zero;     // the range begins at 0
    double least_reach; // of a diverging map: smaller ranges are widened to this
} pl_show_quantity;

// Finds the quantity of that name, in a recording or in a mesh (the other is NULL).
pl_status pl_show_choose(const char* name, const char* path, const pl_recording* recording,
                         const pl_recording* against, const pl_mesh* mesh, pl_show_quantity* out,
                         pl_error* error);

// The tet behind each surface triangle of a body, -1 for none. Returns false if allocation fails.
bool pl_show_tets_behind(const pl_record_body* body, int* tets);

// Values of a body in the frame that was loaded last; values has room for a number per vertex and
// triangle, and tets_behind is NULL if no field is on tets. True if they are per triangle. NaN
// where there is none.
bool pl_show_values(const pl_show_quantity* quantity, int body, const pl_recording* recording,
                    const pl_recording* against, const pl_mesh* mesh, const int* tets_behind,
                    float* values);

// The largest principal stretch of a triangle, NAN if it is flat at rest. Arrays have 3 per vertex.
float pl_triangle_stretch(const float* rest, const float* positions, const int* triangle);

#endif
