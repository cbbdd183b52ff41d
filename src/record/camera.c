// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Fitting: with p in the camera's directions (r right, b back), a point is left of the right border
// if p.r - eye.r <= tan_x (eye.b - p.b). So the border requires eye.r + tan_x eye.b >= max(p.r +
// tan_x p.b). The left border gives a similar condition, and the nearest eye that satisfies both is
// where the two are equalities.
#include "record/camera.h"

#include <float.h>
#include <string.h>

pl_view pl_default_view(void) {
    return (pl_view){
        .up_axis = 1, .azimuth = 30.0, .elevation = 18.0, .field = 28.0, .margin = 0.08};
}

void pl_view_axes(int up_axis, pl_vec3* east, pl_vec3* north, pl_vec3* up) {
    const pl_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    // east x north = up in each case
    if (up_axis == 0) *east = y, *north = z, *up = x;
    else if (up_axis == 1) *east = x, *north = pl_scale(-1.0, z), *up = y;
    else *east = x, *north = y, *up = z;
}

static double to_radians(double degrees) { return degrees * (PL_PI / 180.0); }

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
                           .reach = {-DBL_MAX, -DBL_MAX, -DBL_MAX, -DBL_MAX},
                           .shadow_reach = {-DBL_MAX, -DBL_MAX, -DBL_MAX, -DBL_MAX}};
}

static double usable_x(const pl_camera_fit* fit) {
    return fit->camera.tan_x * (1.0 - fit->view.margin) * (1.0 - fit->view.right_free);
}
static double usable_y(const pl_camera_fit* fit) {
    return fit->camera.tan_y * (1.0 - fit->view.margin);
}

pl_vec3 pl_key_direction(pl_vec3 right, pl_vec3 up) {
    pl_vec3 toward = pl_normalize(pl_cross(right, up));
    pl_vec3 key = pl_add(pl_scale(-0.62, right), pl_scale(0.42, toward));
    return pl_normalize(pl_madd(key, 1.05, up));
}

static pl_vec3 up_of(const pl_camera_fit* fit) {
    pl_vec3 east, north, up;
    pl_view_axes(fit->view.up_axis, &east, &north, &up);
    return up;
}

// how far from the origin a point requires the four planes to be
static void planes_of(const pl_camera_fit* fit, pl_vec3 p, double reach[4]) {
    double tan_x = usable_x(fit), tan_y = usable_y(fit);
    const pl_camera* c = &fit->camera;
    double r = pl_dot(p, c->right), u = pl_dot(p, c->up), b = pl_dot(p, c->back);
    reach[0] = r + tan_x * b, reach[1] = -r + tan_x * b;
    reach[2] = u + tan_y * b, reach[3] = -u + tan_y * b;
}

static void extend(double reach[4], const double by[4]) {
    for (int k = 0; k < 4; k++)
        if (by[k] > reach[k]) reach[k] = by[k];
}

void pl_camera_fit_points(pl_camera_fit* fit, const float* positions, int count) {
    pl_vec3 up = up_of(fit), key = pl_key_direction(fit->camera.right, up);
    double per_height = 1.0 / pl_dot(key, up);
    for (int i = 0; i < count; i++) {
        pl_vec3 p = {positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]};
        if (!isfinite(p.x + p.y + p.z)) continue;
        double reach[4];
        planes_of(fit, p, reach);
        extend(fit->reach, reach);
        planes_of(fit, pl_madd(p, -pl_dot(p, up) * per_height, key), reach);
        extend(fit->shadow_reach, reach);
        fit->low = pl_min3(fit->low, p);
        fit->high = pl_max3(fit->high, p);
        fit->point_count++;
    }
}

double pl_camera_distance(const pl_camera_fit* fit, pl_vec3 target, const float* positions,
                          int count) {
    double distance = 0.0, tan_x = usable_x(fit), tan_y = usable_y(fit);
    for (int i = 0; i < count; i++) {
        pl_vec3 p = {positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]};
        if (!isfinite(p.x + p.y + p.z)) continue;
        pl_vec3 d = pl_sub(p, target);
        double side = fabs(pl_dot(d, fit->camera.right)) / tan_x;
        double height = fabs(pl_dot(d, fit->camera.up)) / tan_y;
        distance = fmax(distance, fmax(side, height) + pl_dot(d, fit->camera.back));
    }
    return distance;
}

// Moves the planes so that shadows are visible too, but only as far as bodies do not become small.
static void include_shadows(const pl_camera_fit* fit, double reach[4]) {
    const double MAX_SHADOW = 0.4; // on each side, as a fraction of the bodies' size
    pl_vec3 up = up_of(fit), key = pl_key_direction(fit->camera.right, up);
    double per_height[4], middle[4];
    planes_of(fit, pl_scale(1.0 / pl_dot(key, up), key), per_height);
    planes_of(fit, pl_scale(0.5, pl_add(fit->low, fit->high)), middle);
    for (int k = 0; k < 4; k++) {
        double shadow = fit->shadow_reach[k] + fit->ground_height * per_height[k];
        int other = k ^ 1;
        double size = fit->reach[k] - middle[k] + fit->reach[other] - middle[other];
        shadow = fmin(shadow, fit->reach[k] + MAX_SHADOW * size);
        reach[k] = fmax(fit->reach[k], shadow);
    }
}

pl_camera pl_camera_fit_end(const pl_camera_fit* fit) {
    pl_camera camera = fit->camera;
    const pl_view* view = &fit->view;
    pl_vec3 target = {0, 0, 0};
    double radius = 1.0, distance = 4.0;
    double reach[4] = {0};
    if (fit->point_count > 0) {
        memcpy(reach, fit->reach, sizeof reach);
        if (fit->has_ground) include_shadows(fit, reach);
        target = pl_scale(0.5, pl_add(fit->low, fit->high));
        radius = 0.5 * pl_distance(fit->low, fit->high);
        if (!(radius > 0.0)) radius = 1.0;
        double tan_x = usable_x(fit), tan_y = usable_y(fit);
        double b_x = (reach[0] + reach[1]) / (2.0 * tan_x);
        double b_y = (reach[2] + reach[3]) / (2.0 * tan_y);
        double b = b_x > b_y ? b_x : b_y;
        double nearest = pl_dot(target, camera.back) + 0.1 * radius;
        if (b < nearest) b = nearest;
        camera.eye = pl_add(pl_scale(0.5 * (reach[0] - reach[1]), camera.right),
                            pl_scale(0.5 * (reach[2] - reach[3]), camera.up));
        camera.eye = pl_madd(camera.eye, b, camera.back);
        distance = b - pl_dot(target, camera.back);
    }
    bool placed = view->has_target || view->distance > 0.0 || fit->point_count == 0;
    if (placed) {
        if (view->has_target) target = pl_vec3_load(view->target);
        if (view->distance > 0.0) distance = view->distance;
        camera.eye = pl_madd(target, distance, camera.back);
    }
    // the free strip on the right shifts the middle of the picture to the left
    camera.eye = pl_madd(camera.eye, view->right_free * camera.tan_x * distance, camera.right);
    return camera;
}
