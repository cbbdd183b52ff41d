// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The fields of selections, attachments, colliders and motions.
#include "scene/scene_rules.h"

#include <math.h>

static const pl_field_info side_rows[] = {
    PL_ROW_CHOICE(pl_side_shape, "face", face, pl_side, PL_SIDE_LOW_Y, "side of the bounding box"),
    PL_ROW_NUMBER(pl_side_shape, "depth", depth, 0, "", 0, 1, 0.001,
                  "depth as a fraction of the box"),
};
const pl_type pl_type_side = {
    .name = "side",
    .help = "The vertices at one side of the body's bounding box.",
    PL_TYPE_TABLE(pl_side_shape, side_rows),
    .shorthand = "face",
};

static const pl_field_info nearest_rows[] = {
    PL_ROW_VECTOR(pl_nearest_shape, "point", point, 0, "m", -1e9, 1e9, NAN, NAN, NAN, "the point"),
    PL_ROW_INT(pl_nearest_shape, "count", count, 1, 1000000000, 1, "number of vertices"),
};
const pl_type pl_type_nearest = {
    .name = "nearest",
    .help = "The vertices nearest to a point.",
    PL_TYPE_TABLE(pl_nearest_shape, nearest_rows),
    .shorthand = "point",
};

static const pl_field_info selection_rows[] = {
    {.key = "everything",
     .kind = PL_FIELD_FLAG,
     .flags = PL_VARIANT,
     .unit = "",
     .help = "all vertices (write true)"},
    PL_ROW_OBJECT(pl_selection, "box", box, PL_FIELD_OBJECT, PL_VARIANT, box, "inside a box"),
    PL_ROW_OBJECT(pl_selection, "sphere", sphere, PL_FIELD_OBJECT, PL_VARIANT, sphere,
                  "inside a ball"),
    PL_ROW_OBJECT(pl_selection, "capsule", capsule, PL_FIELD_OBJECT, PL_VARIANT, capsule,
                  "inside a capsule"),
    PL_ROW_OBJECT(pl_selection, "half_space", half_space, PL_FIELD_OBJECT, PL_VARIANT, plane,
                  "behind a plane"),
    PL_ROW_OBJECT(pl_selection, "side", side, PL_FIELD_OBJECT, PL_VARIANT, side,
                  "at a side of the bounding box"),
    PL_ROW_TEXT(pl_selection, "region", region, PL_FIELD_TEXT, PL_VARIANT,
                "in a region of the mesh"),
    PL_ROW_ARRAY(pl_selection, "vertices", vertices, vertex_count, PL_FIELD_INTS, PL_VARIANT, 1, "",
                 0, 2147483647, "by number, from 0"),
    PL_ROW_OBJECT(pl_selection, "nearest", nearest, PL_FIELD_OBJECT, PL_VARIANT, nearest,
                  "nearest to a point"),
    PL_ROW_LIST(pl_selection, "and", parts, part_count, PL_VARIANT, selection, "in all of these"),
    PL_ROW_LIST(pl_selection, "or", parts, part_count, PL_VARIANT | PL_ALIAS, selection,
                "in any of these"),
    PL_ROW_LIST(pl_selection, "not", parts, part_count, PL_VARIANT | PL_ALIAS | PL_SINGLE,
                selection, "not in this"),
};
const pl_type pl_type_selection = {
    .name = "selection",
    .help = "A set of vertices. Positions are those of the body at rest, after its transform.",
    PL_TYPE_TABLE(pl_selection, selection_rows),
    .variants = &pl_choices_of_pl_selection_kind,
    .variant_offset = offsetof(pl_selection, kind),
    .check = pl_check_selection,
};

static const pl_field_info pose_key_rows[] = {
    PL_ROW_NUMBER(pl_pose_key, "time", time, 0, "s", -1e6, 1e9, NAN, "time of the key"),
    PL_ROW_VECTOR(pl_pose_key, "translate", translate, 0, "m", -1e9, 1e9, 0, 0, 0,
                  "translation from the start"),
    PL_ROW_VECTOR(pl_pose_key, "rotate", rotate, 0, "deg", -1e6, 1e6, 0, 0, 0,
                  "rotations about the axes x, y, z, in this order"),
};
const pl_type pl_type_pose_key = {
    .name = "pose",
    .help = "A pose at one time. Rotations take the shortest way from key to key: for more than "
            "half a turn use spin or more keys.",
    PL_TYPE_TABLE(pl_pose_key, pose_key_rows)};

static const pl_field_info oscillation_rows[] = {
    PL_ROW_VECTOR(pl_oscillation, "translate", translate, 0, "m", -1e9, 1e9, 0, 0, 0,
                  "amplitude of the translation"),
    PL_ROW_VECTOR(pl_oscillation, "rotate", rotate, 0, "deg", -1e6, 1e6, 0, 0, 0,
                  "direction: axis; length: amplitude of the rotation"),
    PL_ROW_NUMBER(pl_oscillation, "frequency", frequency, 0, "1/s", 0, 1e6, 1, "frequency"),
    PL_ROW_NUMBER(pl_oscillation, "phase", phase, 0, "deg", -1e6, 1e6, 0, "initial phase"),
};
const pl_type pl_type_oscillation = {
    .name = "oscillation",
    .help = "An oscillation, amplitude times sin(2 pi (frequency time + phase / 360)).",
    PL_TYPE_TABLE(pl_oscillation, oscillation_rows)};

static const pl_field_info motion_rows[] = {
    PL_ROW_VECTOR_AUTO(pl_motion, "pivot", pivot, 0, "m", -1e9, 1e9, "the centre of what moves",
                       "centre of rotations"),
    PL_ROW_LIST(pl_motion, "keyframes", keys, key_count, 0, pose_key, "poses, in ascending time"),
    PL_ROW_CHOICE(pl_motion, "interpolation", interpolation, pl_interpolation, PL_KEYS_SMOOTH,
                  "interpolation between keys"),
    PL_ROW_BOOL(pl_motion, "repeat", repeat, false,
                "starts again from the first key after the last"),
    PL_ROW_VECTOR(pl_motion, "spin_axis", spin_axis, 0, "", -1e9, 1e9, 0, 1, 0,
                  "axis of a steady rotation; any length"),
    PL_ROW_NUMBER(pl_motion, "spin_rate", spin_rate, 0, "deg/s", -1e8, 1e8, 0,
                  "speed of the steady rotation"),
    PL_ROW_LIST(pl_motion, "oscillations", oscillations, oscillation_count, 0, oscillation,
                "oscillations added to the rest"),
};
const pl_type pl_type_motion = {
    .name = "motion",
    .help = "Motion relative to the start: keyframes, then the spin, then the oscillations.",
    PL_TYPE_TABLE(pl_motion, motion_rows),
    .check = pl_check_motion,
};

static const pl_field_info attachment_rows[] = {
    PL_ROW_TEXT(pl_attachment, "name", name, PL_FIELD_TEXT, 0,
                "unique; by default attachment0, attachment1, ..."),
    PL_ROW_TEXT(pl_attachment, "body", body, PL_FIELD_TEXT, PL_REQUIRED, "name of the body"),
    PL_ROW_OBJECT(pl_attachment, "where", where, PL_FIELD_OBJECT, 0, selection,
                  "selects its vertices"),
    PL_ROW_AUTO(pl_attachment, "stiffness", stiffness, PL_ANIMATED, "N/m", 0, 1e15, "held exactly",
                "stiffness of the spring at each vertex"),
    {PL_ROW(pl_attachment, "hold", hold, PL_FIELD_CHOICES),
     .count_offset = offsetof(pl_attachment, hold_count), .choices = &pl_choices_of_pl_axis,
     .unit = "",
     .help = "holds along these axes only, like rollers and planes of symmetry; empty: along all; "
             "fem and mixed with newton or linearised"},
    PL_ROW_VECTOR_AUTO(pl_attachment, "normal", normal, 0, "", -1e9, 1e9, "none",
                       "instead of hold: holds along this direction only, any length; it does not "
                       "rotate with the motion"),
    PL_ROW_VECTOR(pl_attachment, "point", point, PL_VARIANT, "m", -1e9, 1e9, 0, 0, 0,
                  "pulls all of them to this point"),
    PL_ROW_TEXT(pl_attachment, "collider", collider, PL_FIELD_TEXT, PL_VARIANT,
                "moves them with this collider"),
    PL_ROW_TEXT(pl_attachment, "cache", cache, PL_FIELD_FILE, PL_VARIANT,
                "moves them by a PC2 file, one point for each selected vertex"),
    PL_ROW_NUMBER(pl_attachment, "cache_start", cache_start, 0, "s", -1e6, 1e6, 0,
                  "time of the first sample of cache"),
    PL_ROW_OBJECT(pl_attachment, "motion", motion, PL_FIELD_OBJECT, 0, motion, "how they move"),
    PL_ROW_NUMBER(pl_attachment, "from", from, 0, "s", -1e6, 1e9, 0, "holds from this time on"),
    PL_ROW_AUTO(pl_attachment, "until", until, 0, "s", -1e6, 1e9, "never", "releases at this time"),
};
const pl_type pl_type_attachment = {
    .name = "attachment",
    .help = "Holds vertices of a body: in place, or at one of point, collider and cache. Its force "
            "on the body is in metrics.csv.",
    PL_TYPE_TABLE(pl_attachment, attachment_rows),
    .variants = &pl_choices_of_pl_target,
    .variant_offset = offsetof(pl_attachment, target),
    .check = pl_check_attachment,
};

#define SHAPE_ROW(X, CODE, name, c_type, help_)                                                    \
    PL_ROW_OBJECT(pl_collider, #name, name, PL_FIELD_OBJECT, PL_VARIANT, name, help_),
static const pl_field_info collider_rows[] = {
    PL_ROW_TEXT(pl_collider, "name", name, PL_FIELD_TEXT, 0,
                "unique; by default collider0, collider1, ..."),
    PL_COLLIDER_TABLE(SHAPE_ROW, )
        PL_ROW_AUTO(pl_collider, "friction", friction, PL_ANIMATED, "", 0, 10, "from the body",
                    "friction coefficient for every body that touches it"),
    PL_ROW_NUMBER(pl_collider, "thickness", thickness, PL_ANIMATED, "m", 0, 1e3, 1e-3,
                  "distance kept free around it"),
    PL_ROW_AUTO(pl_collider, "stiffness", stiffness, PL_ANIMATED, "N/m", 0, 1e15, "from the body",
                "stiffness of the contact penalty"),
    PL_ROW_OBJECT(pl_collider, "motion", motion, PL_FIELD_OBJECT, 0, motion, "how it moves"),
};
#undef SHAPE_ROW
const pl_type pl_type_collider = {
    .name = "collider",
    .help = "A rigid obstacle for bodies.",
    PL_TYPE_TABLE(pl_collider, collider_rows),
    .variants = &pl_choices_of_pl_collider_shape,
    .variant_offset = offsetof(pl_collider, shape),
    .variant_required = true,
};
