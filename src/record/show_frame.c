// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Everything common to all pictures of a show: the camera or its path, the ground, the range of
// colours.
#include "base/array.h"
#include "record/legend.h"
#include "record/show.h"
#include "record/show_object.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_FRAMES = 120, MAX_VALUES = 4096 }; // frames examined; values per body and frame

// ---------------------------------------------------------------- colours

// the smallest and largest finite value of a scene, and a sample of all
typedef struct value_range {
    double low, high;
    pl_array sample;             // floats
    bool used[PL_COLORMAP_SIZE]; // numbers that occur
} value_range;

static bool add_range(const pl_render_scene* scene, value_range* range) {
    for (int i = 0; i < scene->body_count; i++) {
        const pl_render_body* b = &scene->bodies[i];
        const float* values = b->vertex_values ? b->vertex_values : b->triangle_values;
        int count = b->vertex_values ? b->vertex_count : b->triangle_count;
        int step = 1 + count / MAX_VALUES;
        for (int k = 0; values && k < count; k++) {
            if (!isfinite(values[k])) continue;
            if (values[k] >= 0.0f && values[k] < PL_COLORMAP_SIZE)
                range->used[(int)values[k]] = true;
            if ((double)values[k] < range->low) range->low = (double)values[k];
            if ((double)values[k] > range->high) range->high = (double)values[k];
            if (k % step == 0 && !pl_array_push(&range->sample, &values[k])) return false;
        }
    }
    return true;
}

static int compare_floats(const void* a, const void* b) {
    float x = *(const float*)a, y = *(const float*)b;
    return (x > y) - (x < y);
}

// A few extreme values would use up most of the colours. So an end of the range that is farther
// from the middle 99 % of the values than their width moves to them.
static void cut_outliers(value_range* range) {
    size_t count = range->sample.count;
    float* values = range->sample.data;
    if (count < 200) return;
    qsort(values, count, sizeof *values, compare_floats);
    double low = (double)values[count / 200], high = (double)values[count - 1 - count / 200];
    double width = high - low;
    if (!(width > 0.0)) return;
    if (range->low < low - width) range->low = low;
    if (range->high > high + width) range->high = high;
}

static const char* region_name(const pl_show* s, int number) {
    if (s->surface)
        return number < s->surface->mesh->region_count ? s->surface->mesh->regions[number].name
                                                       : NULL;
    const pl_record_head* head = pl_recording_head(s->recording);
    for (int i = 0; i < head->body_count; i++)
        if (head->bodies[i].triangle_regions)
            return number < head->bodies[i].region_count ? head->bodies[i].region_names[number]
                                                         : NULL;
    return NULL;
}

// names of the visible regions, taken from the first body that has some
static void list_regions(pl_show* s, const value_range* range, pl_render_options* options) {
    options->items = s->items;
    for (int i = 0; i < PL_COLORMAP_SIZE; i++) {
        const char* name = range->used[i] ? region_name(s, i) : NULL;
        if (name) s->items[options->item_count++] = (pl_legend_item){name, i};
    }
}

static void set_colors(pl_show* s, value_range* range, pl_render_options* options) {
    const pl_show_quantity* q = &s->quantity;
    options->map = q->map;
    options->legend = q->kind == PL_SHOW_NONE ? NULL : q->title;
    options->item_count = 0;
    if (q->kind == PL_SHOW_REGION) list_regions(s, range, options);
    if (options->value_high > options->value_low) return;
    cut_outliers(range);
    double low = range->low, high = range->high;
    if (!(low <= high)) low = 0.0, high = 1.0;
    if (q->map == PL_COLORMAP_DIVERGING) {
        // the same width on both sides of the neutral value
        double reach = fmax(fabs(low - q->neutral), fabs(high - q->neutral));
        reach = fmax(reach, q->least_reach);
        low = q->neutral - reach, high = q->neutral + reach;
    } else if (q->map == PL_COLORMAP_CATEGORIES) {
        low = 0.0, high = PL_COLORMAP_SIZE - 1;
    } else if (q->from_zero) {
        low = 0.0;
    }
    if (!(high > low)) high = low + (low != 0.0 ? 1e-3 * fabs(low) : 1e-3);
    options->value_low = low;
    options->value_high = high;
}

// ---------------------------------------------------------------- camera

// which frame to examine: evenly from the first to the last
static int looked_at(int count, int looked, int i) {
    return looked > 1 ? (int)((int64_t)i * (count - 1) / (looked - 1)) : 0;
}

// Colliders are shown whole up to these sizes, relative to that of all bodies: LARGE_COLLIDER for
// the collider, LARGE_TOGETHER for collider and bodies together. A figure is about twice as large
// as its dress.
static const double LARGE_COLLIDER = 1.8, LARGE_TOGETHER = 2.5;

// Examines `looked` of the `count` frames from `first` on. Colliders are shown whole unless they
// are much larger than the bodies; then the part around the bodies is enough.
static void fit_colliders(pl_show* s, int first, int count, int looked, pl_camera_fit* fit) {
    double size = pl_distance(fit->low, fit->high);
    pl_camera_fit bodies = *fit;
    s->around = pl_scale(0.5, pl_add(fit->low, fit->high));
    s->reach = 3.0 * size;
    for (int k = 0; k < s->shape_count; k++) {
        pl_shown_collider* shape = &s->shapes[k];
        pl_camera_fit with = *fit;
        pl_camera_fit own = bodies;
        own.low = (pl_vec3){HUGE_VAL, HUGE_VAL, HUGE_VAL};
        own.high = pl_scale(-1.0, own.low);
        for (int i = 0; i < looked; i++) {
            pl_show_place_collider(s, k, first + looked_at(count, looked, i));
            pl_camera_fit_points(&with, shape->positions, shape->vertex_count);
            pl_camera_fit_points(&own, shape->positions, shape->vertex_count);
        }
        double together = pl_distance(pl_min3(own.low, bodies.low), pl_max3(own.high, bodies.high));
        if (pl_distance(own.low, own.high) < LARGE_COLLIDER * size ||
            together < LARGE_TOGETHER * size)
            *fit = with;
    }
}

// the mean of all vertices of the frame that was loaded last
static pl_vec3 mean_place(const pl_show* s) {
    pl_vec3 sum = {0, 0, 0};
    int64_t count = 0;
    for (int i = 0; i < s->body_count; i++)
        for (int v = 0; v < s->bodies[i].vertex_count; v++) {
            const float* p = s->bodies[i].positions + 3 * (size_t)v;
            pl_vec3 place = {p[0], p[1], p[2]};
            if (!isfinite(place.x + place.y + place.z)) continue;
            sum = pl_add(sum, place);
            count++;
        }
    return count > 0 ? pl_scale(1.0 / (double)count, sum) : sum;
}

static bool camera_moves(const pl_view* view) { return view->turn != 0.0 || view->follow; }

// the directions of the camera at a part of the show
static pl_camera_fit turned(const pl_view* view, double part, const pl_render_options* options) {
    pl_view now = *view;
    now.azimuth += part * view->turn;
    return pl_camera_fit_begin(&now, options->width, options->height);
}

// the distance from its target at which a moving camera sees the bodies in every picture
static pl_status find_distance(pl_show* s, int looked, const pl_render_options* options,
                               pl_error* error) {
    enum { DIRECTIONS = 24 }; // sampled for a mesh, which has one frame
    int count = pl_show_frame_count(s), pictures = count > 1 ? looked : DIRECTIONS;
    s->distance = s->view.distance;
    for (int i = 0; i < pictures && !(s->view.distance > 0.0); i++) {
        const pl_render_scene* scene;
        pl_status status =
            pl_show_load(s, looked_at(count, looked, count > 1 ? i : 0), &scene, error);
        if (status != PL_OK) return status;
        double part = pictures > 1 ? (double)i / (pictures - 1) : 0.0;
        pl_camera_fit fit = turned(&s->view, part, options);
        pl_vec3 target = s->view.follow ? mean_place(s) : s->middle;
        for (int k = 0; k < s->body_count; k++)
            s->distance =
                fmax(s->distance, pl_camera_distance(&fit, target, scene->bodies[k].positions,
                                                     scene->bodies[k].vertex_count));
    }
    if (!(s->distance > 0.0)) s->distance = 1.0;
    return PL_OK;
}

void pl_show_move_camera(const pl_show* s, double part, pl_render_options* options) {
    if (!camera_moves(&s->view)) return;
    pl_camera camera = turned(&s->view, part, options).camera;
    pl_vec3 target = s->view.follow ? mean_place(s) : s->middle;
    camera.eye = pl_madd(target, s->distance, camera.back);
    camera.eye = pl_madd(camera.eye, s->view.right_free * camera.tan_x * s->distance, camera.right);
    options->camera = camera;
    if (!s->view.follow) return;
    // shadows reach as far as the picture does
    options->center = target;
    options->radius = fmin(options->radius, 0.75 * s->distance);
}

// bodies: a fit without colliders, which may be partly below the ground
static void set_ground(const pl_show* s, const pl_camera_fit* bodies, pl_camera_fit* fit,
                       pl_render_options* options) {
    const double low[3] = {bodies->low.x, bodies->low.y, bodies->low.z};
    double lowest = bodies->point_count > 0 ? low[fit->view.up_axis] : 0.0;
    double radius = 0.5 * pl_distance(bodies->low, bodies->high);
    options->ground = options->ground && (s->has_ground || s->surface);
    options->ground_height = lowest;
    // bodies that the contact penalty lets sink in a little are not shown below the ground
    bool sinks = lowest < s->ground && lowest > s->ground - 0.1 * radius;
    if (s->has_ground && !sinks) options->ground_height = s->ground;
    fit->has_ground = options->ground;
    fit->ground_height = options->ground_height;
}

pl_status pl_show_frame_all(pl_show* s, const pl_view* view, pl_render_options* options,
                            pl_error* error) {
    s->view = *view;
    if (s->quantity.kind != PL_SHOW_NONE) s->view.right_free = 0.01 * PL_LEGEND_PERCENT;
    pl_camera_fit fit = pl_camera_fit_begin(&s->view, options->width, options->height);
    int count = pl_show_frame_count(s), looked = count < MAX_FRAMES ? count : MAX_FRAMES;
    value_range range = {.low = INFINITY, .high = -INFINITY, .sample = pl_array_of(sizeof(float))};
    pl_status status = PL_OK;
    for (int i = 0; i < looked && status == PL_OK; i++) {
        const pl_render_scene* scene;
        status = pl_show_load(s, looked_at(count, looked, i), &scene, error);
        for (int k = 0; status == PL_OK && k < s->body_count; k++)
            pl_camera_fit_points(&fit, scene->bodies[k].positions, scene->bodies[k].vertex_count);
        if (status == PL_OK && !add_range(scene, &range))
            status = pl_fail_memory(error, "the range of colours");
    }
    if (status == PL_OK) {
        pl_camera_fit bodies = fit;
        if (fit.point_count > 0) fit_colliders(s, 0, count, looked, &fit);
        set_ground(s, &bodies, &fit, options);
        double ground_height = options->ground_height;
        pl_render_options_frame(options, &fit);
        options->ground_height = ground_height;
        set_colors(s, &range, options);
        s->middle = view->has_target ? pl_vec3_load(view->target) : options->center;
        if (camera_moves(view)) status = find_distance(s, looked, options, error);
    }
    pl_array_free(&range.sample);
    return status;
}

pl_status pl_show_aim_at(pl_show* s, int frame, pl_render_options* options, pl_error* error) {
    if (camera_moves(&s->view)) return PL_OK;
    const pl_render_scene* scene;
    pl_status status = pl_show_load(s, frame, &scene, error);
    if (status != PL_OK) return status;
    pl_camera_fit fit = pl_camera_fit_begin(&s->view, options->width, options->height);
    for (int k = 0; k < s->body_count; k++)
        pl_camera_fit_points(&fit, scene->bodies[k].positions, scene->bodies[k].vertex_count);
    if (fit.point_count == 0) return PL_OK;
    fit_colliders(s, frame, 1, 1, &fit);
    fit.has_ground = options->ground;
    fit.ground_height = options->ground_height;
    double ground_height = options->ground_height;
    pl_render_options_frame(options, &fit);
    options->ground_height = ground_height;
    return pl_show_load(s, frame, &scene, error); // moves colliders to their positions
}
