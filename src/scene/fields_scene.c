// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The fields of the scene itself, of loads, wind, output and curves.
#include "scene/scene_rules.h"

#include <math.h>

static const pl_field_info curve_rows[] = {
    PL_ROW_NUMBER(pl_curve, "value", value, 0, "", -1e15, 1e15, 0,
                  "value if there are no keyframes"),
    PL_ROW_ARRAY(pl_curve, "keyframes", keys, key_count, PL_FIELD_NUMBERS, 0, 2, "", -1e15, 1e15,
                 "[time in s, value] each, in ascending time"),
    PL_ROW_CHOICE(pl_curve, "interpolation", interpolation, pl_interpolation, PL_KEYS_SMOOTH,
                  "interpolation between keys"),
    PL_ROW_BOOL(pl_curve, "repeat", repeat, false,
                "starts again from the first key after the last"),
    PL_ROW_NUMBER(pl_curve, "amplitude", amplitude, 0, "", -1e15, 1e15, 0,
                  "amplitude of a wave that is added"),
    PL_ROW_NUMBER(pl_curve, "frequency", frequency, 0, "1/s", 0, 1e6, 1, "frequency of the wave"),
    PL_ROW_NUMBER(pl_curve, "phase", phase, 0, "deg", -1e6, 1e6, 0, "initial phase of the wave"),
};
const pl_type pl_type_curve = {
    .name = "curve",
    .help = "Replaces a number marked with ~ and makes it change with time: keyframes (or value) "
            "plus amplitude sin(2 pi (frequency time + phase / 360)).",
    PL_TYPE_TABLE(pl_curve, curve_rows),
    .check = pl_check_curve,
};

static const pl_field_info animation_rows[] = {
    PL_ROW_TEXT(pl_animation, "path", path, PL_FIELD_TEXT, PL_REQUIRED, "path of the number"),
    PL_ROW_OBJECT(pl_animation, "curve", curve, PL_FIELD_OBJECT, 0, curve, "how it changes"),
};
const pl_type pl_type_animation = {.name = "animation",
                                   .help = "A number that follows a curve.",
                                   PL_TYPE_TABLE(pl_animation, animation_rows)};

static const pl_field_info force_rows[] = {
    PL_ROW_TEXT(pl_force, "body", body, PL_FIELD_TEXT, 0, "name of the body; none: every body"),
    PL_ROW_OBJECT(pl_force, "where", where, PL_FIELD_OBJECT, 0, selection, "selects its vertices"),
    PL_ROW_VECTOR(pl_force, "force", force, PL_VARIANT | PL_ANIMATED, "N", -1e15, 1e15, 0, 0, 0,
                  "total force, distributed over the selection by mass"),
    PL_ROW_VECTOR(pl_force, "acceleration", acceleration, PL_VARIANT | PL_ANIMATED, "m/s^2", -1e9,
                  1e9, 0, 0, 0, "acceleration, like gravity"),
    PL_ROW_NUMBER(pl_force, "pressure", pressure, PL_VARIANT | PL_ANIMATED, "Pa", -1e13, 1e13, 0,
                  "pressure on the selected surface, inwards; follows the surface as it is at the "
                  "end of each step with fem, at the start otherwise"),
    PL_ROW_VECTOR(pl_force, "traction", traction, PL_VARIANT | PL_ANIMATED, "Pa", -1e13, 1e13, 0, 0,
                  0, "force per rest area of the selected surface"),
    PL_ROW_NUMBER(pl_force, "from", from, 0, "s", -1e6, 1e9, 0, "starts at this time"),
    PL_ROW_AUTO(pl_force, "until", until, 0, "s", -1e6, 1e9, "never", "ends at this time"),
};
const pl_type pl_type_force = {
    .name = "force",
    .help = "A load on a body.",
    PL_TYPE_TABLE(pl_force, force_rows),
    .variants = &pl_choices_of_pl_force_kind,
    .variant_offset = offsetof(pl_force, kind),
    .variant_required = true,
    .check = pl_check_force,
};

static const pl_field_info wind_rows[] = {
    PL_ROW_VECTOR(pl_wind, "velocity", velocity, PL_ANIMATED, "m/s", -1e4, 1e4, 0, 0, 0,
                  "velocity of the air"),
    PL_ROW_NUMBER(pl_wind, "gust", gust, PL_ANIMATED, "m/s", 0, 1e4, 0,
                  "amplitude of gusts along the wind"),
    PL_ROW_NUMBER(pl_wind, "gust_frequency", gust_frequency, 0, "1/s", 0, 1e3, 0.5,
                  "frequency of gusts"),
    PL_ROW_NUMBER(pl_wind, "turbulence", turbulence, PL_ANIMATED, "m/s", 0, 1e4, 0,
                  "random velocity, smooth in space and time, from the seed"),
    PL_ROW_NUMBER(pl_wind, "air_density", air_density, PL_ANIMATED, "kg/m^3", 0, 1e4, 1.2,
                  "density of the air"),
    PL_ROW_NUMBER(pl_wind, "drag", drag, PL_ANIMATED, "", 0, 100, 1, "drag coefficient"),
    PL_ROW_NUMBER(pl_wind, "lift", lift, PL_ANIMATED, "", 0, 100, 0.5, "lift coefficient"),
    PL_ROW_ARRAY(pl_wind, "bodies", bodies, body_count, PL_FIELD_TEXTS, 0, 1, "", 0, 0,
                 "names of the bodies it blows on; none: every body"),
};
const pl_type pl_type_wind = {
    .name = "wind", .help = "Moving air.", PL_TYPE_TABLE(pl_wind, wind_rows)};

static const pl_field_info output_rows[] = {
    PL_ROW_CHOICE(pl_output, "record", record, pl_recorded, PL_RECORD_SURFACE,
                  "which vertices are recorded"),
    PL_ROW_INT(pl_output, "every", every, 1, 1000000, 1, "records every n-th frame"),
    {PL_ROW(pl_output, "fields", fields, PL_FIELD_CHOICES),
     .count_offset = offsetof(pl_output, field_count), .choices = &pl_choices_of_pl_output_field,
     .unit = "", .help = "fields recorded in addition to positions"},
    PL_ROW_BOOL(
        pl_output, "contacts", contacts, false,
        "writes all contacts and their forces to contacts.csv, which render and export show"),
    PL_ROW_BOOL(pl_output, "compress", compress, true, "compresses recordings"),
    PL_ROW_INT(pl_output, "checkpoint_every", checkpoint_every, 0, 1000000, 0,
               "frames between checkpoints; 0: one for each second of work"),
};
const pl_type pl_type_output = {
    .name = "output",
    .help = "What a run records.",
    PL_TYPE_TABLE(pl_output, output_rows),
    .check = pl_check_output,
};

static const pl_field_info scene_rows[] = {
    PL_ROW_INT(pl_scene, "pliant", version, 1, 1, 1, "version of the format; required"),
    PL_ROW_TEXT(pl_scene, "title", title, PL_FIELD_TEXT, 0, "title; has no effect"),
    PL_ROW_CHOICE(pl_scene, "up", up, pl_axis, PL_AXIS_Y, "which axis points up"),
    PL_ROW_VECTOR_AUTO(pl_scene, "gravity", gravity, PL_ANIMATED, "m/s^2", -1e6, 1e6,
                       "9.81 against up", "acceleration of every body"),
    PL_ROW_NUMBER(pl_scene, "time_step", time_step, PL_ANIMATED, "s", 1e-9, 1e3, 1.0 / 60.0,
                  "time between frames"),
    PL_ROW_INT(pl_scene, "substeps", substeps, 1, 100000, 1, "number of equal steps in a frame"),
    PL_ROW_INT(pl_scene, "frames", frames, 0, 1000000000, 120, "number of frames to simulate"),
    PL_ROW_INT(pl_scene, "threads", threads, 0, 1024, 0,
               "number of threads; 0: all that the process may use; results do not depend on it"),
    PL_ROW_INT(pl_scene, "seed", seed, 0, 2147483647, 0, "seed of all random numbers"),
    PL_ROW_LIST(pl_scene, "bodies", bodies, body_count, 0, body, "deformable bodies"),
    PL_ROW_LIST(pl_scene, "colliders", colliders, collider_count, 0, collider, "rigid obstacles"),
    PL_ROW_LIST(pl_scene, "attachments", attachments, attachment_count, 0, attachment,
                "hold or move vertices of bodies"),
    PL_ROW_LIST(pl_scene, "forces", forces, force_count, 0, force, "loads"),
    PL_ROW_LIST(pl_scene, "wind", winds, wind_count, 0, wind, "moving air"),
    PL_ROW_OBJECT(pl_scene, "output", output, PL_FIELD_OBJECT, 0, output, "what a run records"),
    PL_ROW_LIST(pl_scene, "animations", animations, animation_count, PL_HIDDEN, animation,
                "numbers that follow curves"),
};
const pl_type pl_type_scene = {
    .name = "scene", .help = "A scene file.", PL_TYPE_TABLE(pl_scene, scene_rows)};
