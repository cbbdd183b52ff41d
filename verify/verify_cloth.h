// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Cloth against theory, on triangles of several kinds and in any direction.
#ifndef PL_VERIFY_CLOTH_H
#define PL_VERIFY_CLOTH_H

#include "fem/fem_build.h"
#include "method/method.h"
#include "verify.h"

typedef enum verify_sheet_kind {
    VERIFY_SHEET_SAME,        // squares, all cut along the same diagonal
    VERIFY_SHEET_ALTERNATING, // squares cut like a union jack
    VERIFY_SHEET_OBLONG,      // the same, rectangles of 1 to 2
    VERIFY_SHEET_IRREGULAR,
    VERIFY_SHEET_COUNT
} verify_sheet_kind;
extern const char* const verify_sheet_names[VERIFY_SHEET_COUNT];

// A flat sheet in the plane z = 0.
pl_status verify_sheet(verify_sheet_kind kind, double size_x, double size_y, double edge,
                       pl_mesh** out, pl_error* error);

// The elements of a sheet that is of one material.
pl_status verify_sheet_parts(const pl_mesh* mesh, const pl_element_material* material,
                             pl_body_parts* out, pl_error* error);

// Stretch modulus [N/m] and Poisson's ratio of a sheet at rest, under a uniform stress along a
// direction.
pl_status verify_sheet_moduli(const pl_mesh* mesh, const pl_element_material* material,
                              double degrees, double* modulus, double* poisson, pl_error* error);

// What a scene's numbers make of an elastic triangle.
pl_status verify_membrane_material(double young, double poisson, double thickness,
                                   pl_element_material* out, pl_error* error);

// The bending energy of a sheet of stiffness 1 that is rolled along a direction, against
// curvature^2 / 2 times its area.
pl_status verify_sheet_cylinder(const pl_mesh* mesh, double degrees, double curvature,
                                verify_answer* answer, pl_error* error);

// H / W of a strip that is clamped horizontally and hangs down, against the heavy elastica.
typedef struct verify_strip {
    verify_sheet_kind kind;
    double gamma;
    int cells_along, cells_across;
} verify_strip;
pl_status verify_strip_droop(const verify_strip* c, verify_answer* answer, pl_error* error);

#endif
