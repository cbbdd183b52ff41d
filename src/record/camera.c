// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Fitting: with p in the camera's directions (r right, b back), a point is left of the right border
// if p.r - eye.r <= tan_x (eye.b - p.b). So the border asks for eye.r + tan_x eye.b >= max(p.r +
// tan_x p.b), the left border likewise, and the nearest eye that satisfies both is where they meet.
#include "record/camera.h"

#include <float.h>

pl_view pl_default_view(void) {
    return (pl_view){
        .up_axis = 1, .azimuth = 30.0, .elevation = 18.0, .field = 28.0, .margin = 0.12};
}

void pl_view_axes(int up_axis, pl_vec3* east, pl_vec3* north, pl_vec3* up) {
    const pl_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    // east x north = up in each case
    if (up_axis == 0) *east = y, *north = z, *up = x;
    else if (up_axis == 1) *east = x, *north = pl_scale(-1.0, z), *up = y;
    else *east = x, *north = y, *up = z;
}

static double to_radians(double degrees) { return degrees * (3.14159265358979323846 / 180.0); }

pl_camera_fit pl_camera_fit_begin(const pl_view* view, int width, int height) {
    pl_vec3 east, north, up;
    pl_view_axes(view->up_axis, &east, &north, &up);
    double azimuth = to_radians(view->azimuth), elevation = to_radians(view->elevation);
    pl_vec3 outward = pl_sub(pl_scale(sin(azimuth), east), pl_scale(cos(azimuth), north));
    pl_camera camera = {.right =
                            pl_add(pl_scale(cos(azimuth), east), pl_scale(sin(azimuth), north))};
    camera.back = pl_add(pl_scale(cos(elevation), outward), pl_scale(sin(elevation), up));
    camera.up = pl_cross(camera.back, camera.right);
    double side = tan(0.5 * to_radians(view->field));
    int smaller = width < height ? width : height;
    camera.tan_x = side * width / smaller;
    camera.tan_y = side * height / smaller;
    return (pl_camera_fit){.view = *view,
                           .camera = camera,
                           .low = {DBL_MAX, DBL_MAX, DBL_MAX},
                           .high = {-DBL_MAX, -DBL_MAX, -DBL_MAX},
                           .reach = {-DBL_MAX, -DBL_MAX, -DBL_MAX, -DBL_MAX}};
}

static double usable_x(const pl_camera_fit* fit) {
    return fit->camera.tan_x * (1.0 - fit->view.margin) * (1.0 - fit->view.right_free);
}
static double usable_y(const pl_camera_fit* fit) {
    return fit->camera.tan_y * (1.0 - fit->view.margin);
}

void pl_camera_fit_points(pl_camera_fit* fit, const float* positions, int count) {
    double tan_x = usable_x(fit), tan_y = usable_y(fit);
    const pl_camera* c = &fit->camera;
    for (int i = 0; i < count; i++) {
        pl_vec3 p = {positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]};
        if (!isfinite(p.x + p.y + p.z)) continue;
        double r = pl_dot(p, c->right), u = pl_dot(p, c->up), b = pl_dot(p, c->back);
        double reach[4] = {r + tan_x * b, -r + tan_x * b, u + tan_y * b, -u + tan_y * b};
        for (int k = 0; k < 4; k++)
            if (reach[k] > fit->reach[k]) fit->reach[k] = reach[k];
        fit->low = pl_min3(fit->low, p);
        fit->high = pl_max3(fit->high, p);
        fit->point_count++;
    }
}

pl_camera pl_camera_fit_end(const pl_camera_fit* fit) {
    pl_camera camera = fit->camera;
    const pl_view* view = &fit->view;
    pl_vec3 target = {0, 0, 0};
    double radius = 1.0, distance = 4.0;
    if (fit->point_count > 0) {
        target = pl_scale(0.5, pl_add(fit->low, fit->high));
        radius = 0.5 * pl_distance(fit->low, fit->high);
        if (!(radius > 0.0)) radius = 1.0;
        double tan_x = usable_x(fit), tan_y = usable_y(fit);
        double b_x = (fit->reach[0] + fit->reach[1]) / (2.0 * tan_x);
        double b_y = (fit->reach[2] + fit->reach[3]) / (2.0 * tan_y);
        double b = b_x > b_y ? b_x : b_y;
        double nearest = pl_dot(target, camera.back) + 0.1 * radius;
        if (b < nearest) b = nearest;
        camera.eye = pl_add(pl_scale(0.5 * (fit->reach[0] - fit->reach[1]), camera.right),
                            pl_scale(0.5 * (fit->reach[2] - fit->reach[3]), camera.up));
        camera.eye = pl_madd(camera.eye, b, camera.back);
        distance = b - pl_dot(target, camera.back);
    }
    bool placed = view->has_target || view->distance > 0.0 || fit->point_count == 0;
    if (placed) {
        if (view->has_target) target = pl_vec3_load(view->target);
        if (view->distance > 0.0) distance = view->distance;
        camera.eye = pl_madd(target, distance, camera.back);
    }
    // the free part on the right moves the picture's middle to the left
    camera.eye = pl_madd(camera.eye, view->right_free * camera.tan_x * distance, camera.right);
    return camera;
}
