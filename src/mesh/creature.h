// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bodies blended from simple parts, as functions that are negative inside, and their tets. A
// creature is a table of parts; everything else is shared. Creatures stand on the plane y = 0, look
// along +z, so that +x is their left, and are one unit tall before they are scaled.
#ifndef PL_MESH_CREATURE_H
#define PL_MESH_CREATURE_H

#include "math/vec3.h"
#include "mesh/mesh_object.h"

#include <pliant/generate.h>
#include <pliant/tetrahedralise.h>

typedef enum pl_part_kind {
    PL_PART_ELLIPSOID, // a: middle; b: radii
    PL_PART_LIMB,      // rounded cone from a with radius ra to b with radius rb
    PL_PART_FIN,       // triangle a, b, c, everywhere ra thick
    PL_PART_BLOCK      // a: middle; b: half sides; edges rounded by ra
} pl_part_kind;

typedef struct pl_part {
    pl_part_kind kind;
    const char* region; // NULL: that of the part before it
    pl_vec3 a, b, c;
    double ra, rb;
    double lean;   // ellipsoid, block: sine of a turn about z; positive brings the top inwards
    double bow;    // ellipsoid, block: sine of a turn about x; positive lowers the front
    double blend;  // width of the seam with the parts before it
    bool carves;   // subtracted from the parts before it
    double ripple; // ellipsoid: height of waves along y, which come `waves` times
    double waves;
} pl_part;

typedef struct pl_creature {
    const char* name;
    const pl_part* parts;
    int part_count;
    // parts beside the plane x = 0 are mirrored; their regions end in _left and _right
    bool symmetric;
    bool flat_soles; // cut off at y = 0
    pl_vec3 low, high;
} pl_creature;

// The implicit function of a creature one unit tall. owner, if not NULL, gets the part to which the
// point belongs: the nearest one that does not carve.
double pl_creature_value(const pl_creature* creature, pl_vec3 x, int* owner);

// The tets of a creature of that height, its surface as triangles, and regions of both: those of
// its parts, "surface", and "soles" where it stands on the ground. Its triangles have texture
// coordinates.
pl_status pl_creature_create(const pl_creature* creature, double height,
                             const pl_tetrahedralise_options* options, pl_mesh** out,
                             pl_notes* notes, pl_error* error);

// Bounding box of all parts that are not carved, with room for the seams.
void pl_creature_measure(pl_creature* creature);

// Generates a creature with the height and edge of its parameters.
pl_status pl_generate_creature(const pl_creature* creature, const pl_generate_options* options,
                               pl_mesh** out, pl_error* error);

// Shorthands for tables.
#define PL_BALL(name, x, y, z, rx, ry, rz, seam)                                                   \
    { .kind = PL_PART_ELLIPSOID, .region = name, .a = {x, y, z}, .b = {rx, ry, rz}, .blend = seam }
#define PL_TILTED(name, x, y, z, rx, ry, rz, to_middle, forward, seam)                             \
    {                                                                                              \
        .kind = PL_PART_ELLIPSOID, .region = name, .a = {x, y, z}, .b = {rx, ry, rz},              \
        .lean = to_middle, .bow = forward, .blend = seam                                           \
    }
#define PL_LIMB(name, x, y, z, r, x2, y2, z2, r2, seam)                                            \
    {                                                                                              \
        .kind = PL_PART_LIMB, .region = name, .a = {x, y, z}, .ra = r, .b = {x2, y2, z2},          \
        .rb = r2, .blend = seam                                                                    \
    }

#endif
