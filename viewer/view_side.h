// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// One side of the page: a world that is stepped, or a recording. The page shows two of them when it
// compares methods or solvers.
#ifndef PL_VIEW_SIDE_H
#define PL_VIEW_SIDE_H

#include "record/run_values.h"
#include "record/show.h"
#include "record/show_collider.h"
#include "view_scenes.h"

enum { PL_VIEW_HELD_LIMIT = 32 };

typedef struct pl_view_side {
    pl_scene* scene; // as it was read; NULL for a recording
    pl_world* world;
    pl_run_values values;
    bool has_values;
    pl_show* show; // of a recording, else NULL
    // what is drawn: bodies, then colliders
    pl_render_body* drawn;
    int body_count, drawn_count;
    float** positions; // of bodies of a world, 3 per vertex
    float** colors;    // of bodies of a world, 1 per vertex
    pl_shown_collider* shapes;
    int shape_count;
    int up_axis;
    bool has_ground;
    double ground;
    pl_vec3 around; // planes are drawn around here
    double reach;   // this far
    // the frame that is shown
    int frame;
    double time;
    pl_frame_info info;
    char color[32]; // quantity shown by colours, or "none"
    char path[4096];
    // the hand of a user: springs at vertices around the grabbed one
    int held_count;
    int handles[PL_VIEW_HELD_LIMIT];
    pl_vec3 starts[PL_VIEW_HELD_LIMIT];
    pl_vec3 hand_start, hand;
} pl_view_side;

pl_status pl_view_side_open(const pl_view_scene* scene, pl_view_side* out, pl_notes* notes,
                            pl_error* error);
void pl_view_side_free(pl_view_side* side);

bool pl_view_side_is_live(const pl_view_side* side);
int pl_view_side_frame_count(const pl_view_side* side); // of a recording
const char* pl_view_side_body_name(const pl_view_side* side, int body);

// The quantities that colours can show, "none" first; returns their number.
int pl_view_side_colors(const pl_view_side* side, const char* names[], int room);
pl_status pl_view_side_set_color(pl_view_side* side, const char* name, pl_error* error);

pl_status pl_view_side_step(pl_view_side* side, pl_error* error);
pl_status pl_view_side_seek(pl_view_side* side, int frame, pl_error* error);
// Fills what is drawn from the present state.
pl_status pl_view_side_update(pl_view_side* side, pl_error* error);

// Grabs the vertices around a drawn vertex of a body by a hand at a point; moves the hand; lets go.
pl_status pl_view_side_grab(pl_view_side* side, int body, int vertex, const double at[3],
                            pl_error* error);
void pl_view_side_move(pl_view_side* side, const double to[3]);
void pl_view_side_release(pl_view_side* side);
// Positions of drawn vertices that are in contact, at most `room`; returns their number.
int pl_view_side_contacts(const pl_view_side* side, float* places, int room);

#endif
