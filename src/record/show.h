// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A source of pictures: a mesh file, which is one frame of one body, or a recording, which is many
// frames of several. Colours show a named quantity.
#ifndef PL_RECORD_SHOW_H
#define PL_RECORD_SHOW_H

#include "record/recording.h"
#include "record/render.h"

typedef struct pl_show pl_show;

// path: a mesh file, a recording (.plr), or the folder of a run. color_by: NULL for the bodies' own
// colours, or
//   displacement   distance from the rest position           (recordings)
//   stretch        largest principal stretch of the surface  (recordings)
//   error          distance from the same vertex in the other recording `against`
//   region         the region that a triangle is in; of a mesh, the smallest of several
//   anything else  a field of that name; of several components the length
// An unknown name is an error that lists the known ones.
pl_status pl_show_open(const char* path, const char* color_by, const char* against, pl_show** out,
                       pl_notes* notes, pl_error* error);
// Opens the folder of a run, or a recording with any file name; without colours.
pl_status pl_show_open_run(const char* path, pl_show** out, pl_notes* notes, pl_error* error);
void pl_show_close(pl_show* show);
// Also draws the colliders of the run, from the scene in its folder. Horizontal planes at rest
// become the ground. A recording alone has none. Anything unreadable is noted and left out.
pl_status pl_show_add_colliders(pl_show* show, const char* path, pl_notes* notes, pl_error* error);

// Colours the bodies of a run by the nodes of a coarse level of multigrid that their vertices
// belong to, 1 for the finest. The show must have been opened without colours.
pl_status pl_show_set_level(pl_show* show, const char* path, int level, pl_notes* notes,
                            pl_error* error);
// Draws the outer edges of the lattice cells of bodies of method grid. They are known only for the
// last frame of the run, whose index is stored in *frame. Call after pl_show_add_colliders.
pl_status pl_show_add_cells(pl_show* show, const char* path, int* frame, pl_notes* notes,
                            pl_error* error);

// Draws the contacts of each frame, if the run wrote them (output.contacts). A line along the force
// on the first side has a length that grows with the square root of the force, relative to the
// largest one of the run.
pl_status pl_show_add_contacts(pl_show* show, const char* path, pl_error* error);

int pl_show_frame_count(const pl_show* show);
double pl_show_time(const pl_show* show, int frame);
// The number of a frame in its run, and the index of a number or -1. Number and index differ if
// damaged frames are missing.
int pl_show_number(const pl_show* show, int frame);
int pl_show_find(const pl_show* show, int number);
bool pl_show_is_recording(const pl_show* show);
int pl_show_up_axis(const pl_show* show);
// NULL for a mesh file.
pl_recording* pl_show_recording(pl_show* show);

// Loads a frame. The scene is valid until the next one is loaded.
pl_status pl_show_load(pl_show* show, int frame, const pl_render_scene** scene, pl_error* error);

// Draws a picture (a PNG file) on all bodies that have texture coordinates; an error if none has.
pl_status pl_show_set_texture(pl_show* show, const char* path, pl_error* error);

// Sets camera, ground, range of values, colour map and legend for all frames of the show (it
// examines at most 120 of them). A range given in the options (value_high above value_low) stays.
// The legend's text lives as long as the show. A recording has a ground only if its scene has a
// horizontal plane; a mesh stands on its lowest point.
pl_status pl_show_frame_all(pl_show* show, const pl_view* view, pl_render_options* options,
                            pl_error* error);
// Call afterwards for a single picture: fits a camera that does not move to this frame alone.
pl_status pl_show_aim_at(pl_show* show, int frame, pl_render_options* options, pl_error* error);

// Sets the camera of a frame if the view turns or follows. part: 0 at the first picture, 1 at the
// last. Call after loading the frame.
void pl_show_move_camera(const pl_show* show, double part, pl_render_options* options);

#endif
