// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Views and cameras. A view is what the user asks for. A camera is a view fitted to all points of
// the whole run, so that it does not move between frames.
#ifndef PL_RECORD_CAMERA_H
#define PL_RECORD_CAMERA_H

#include "math/vec3.h"

#include <stdbool.h>

typedef struct pl_view {
    int up_axis;       // 0, 1, 2: which coordinate points up
    double azimuth;    // [degrees] around the up axis; 0 sees the front: from +z if y is up, from
                       // -y if z is up, from -z if x is up; positive moves the camera to the right
    double elevation;  // [degrees] above the horizon, -90 to 90
    double field;      // [degrees] opening of the smaller side
    double distance;   // from the target; 0: the nearest that shows everything
    bool has_target;   // false: the centre of everything visible
    double target[3];  // what the camera looks at
    double margin;     // fraction of each half side that stays free
    double right_free; // fraction of the width that stays free on the right, for a legend
    double turn;       // [degrees] that the azimuth grows by from the first to the last picture
    bool follow;       // the camera moves along with the bodies
} pl_view;

pl_view pl_default_view(void);

typedef struct pl_camera {
    pl_vec3 eye;
    pl_vec3 right, up, back; // unit vectors of the picture; it looks along -back
    double tan_x, tan_y;     // half width and height of the picture at distance 1
} pl_camera;

typedef struct pl_camera_fit {
    pl_view view;
    pl_camera camera; // directions set, eye not yet
    pl_vec3 low, high;
    double reach[4];        // how far the planes right, left, top, bottom must be from the origin
    double shadow_reach[4]; // the same for shadows on a ground at height 0
    bool has_ground;        // its shadows should be visible; set before the fit ends
    double ground_height;
    int point_count;
} pl_camera_fit;

pl_camera_fit pl_camera_fit_begin(const pl_view* view, int width, int height);
// Ignores points that are not finite.
void pl_camera_fit_points(pl_camera_fit* fit, const float* positions, int count);
pl_camera pl_camera_fit_end(const pl_camera_fit* fit);

// The unit vector towards the key light, which stands over the left shoulder of the camera.
pl_vec3 pl_key_direction(pl_vec3 right, pl_vec3 up);
// The distance from which a camera of the fit's directions that looks at a target sees the points.
double pl_camera_distance(const pl_camera_fit* fit, pl_vec3 target, const float* positions,
                          int count);

// The unit vectors of the world: two horizontal ones and up.
void pl_view_axes(int up_axis, pl_vec3* east, pl_vec3* north, pl_vec3* up);

#endif
