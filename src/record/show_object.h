// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Internal data of a show, shared by its files.
#ifndef PL_RECORD_SHOW_OBJECT_H
#define PL_RECORD_SHOW_OBJECT_H

#include "base/array.h"
#include "record/recording.h"
#include "record/render.h"
#include "record/show_collider.h"
#include "record/show_values.h"

#include <pliant/mesh_surface.h>

typedef struct pl_show {
    pl_recording* recording; // or
    pl_surface* surface;     // of a mesh file
    float* surface_positions;
    pl_recording* against;
    pl_show_quantity quantity;
    int body_count;
    pl_render_body* bodies;
    float** values;        // per body, room for a number per vertex or triangle
    int** tets_behind;     // per body, the tets of its triangles; NULL unless tets have the values
    pl_render_scene scene; // bodies, then colliders

    pl_scene* setting; // the scene of the colliders, or NULL
    double first_step; // its time step at the start [s]
    int shape_count;
    pl_shown_collider* shapes;
    pl_render_body* all; // bodies, colliders, the cage of a lattice
    int all_room;
    bool has_ground; // a plane that lies flat
    double ground;   // its height
    pl_vec3 around;  // planes are drawn around here
    double reach;    // this far

    pl_array cage_positions, cage_triangles; // bars around the cells of lattices
    int cells_frame;                         // the frame in which they are valid

    pl_array contacts; // of pl_contact_row; of all frames
    pl_array marks;    // of pl_render_mark, one per contact

    pl_legend_item items[PL_COLORMAP_SIZE]; // regions that are drawn

    pl_texture texture;
    float** uvs; // per body, of a mesh file; or NULL

    // a camera that moves, as pl_show_frame_all found it
    pl_view view;
    pl_vec3 middle;  // what it looks at, unless it follows
    double distance; // from there
} pl_show;

// Moves collider k to where it is in a frame.
void pl_show_place_collider(pl_show* show, int k, int frame);

#endif
