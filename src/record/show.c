// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "record/show.h"
#include "base/memory.h"
#include "base/notes.h"
#include "record/legend.h"
#include "record/show_collider.h"
#include "record/show_values.h"

#include <pliant/mesh_surface.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

struct pl_show {
    pl_recording* recording; // or
    pl_surface* surface;     // of a mesh file
    float* surface_positions;
    pl_record_body surface_body;
    pl_recording* against;
    pl_show_quantity quantity;
    int body_count;
    pl_render_body* bodies;
    float** values;        // per body, room for a number per vertex or triangle
    int** tets_behind;     // per body, the tets of its triangles; NULL unless tets have the values
    pl_render_scene scene; // bodies, then colliders

    pl_scene* setting; // where the colliders are from, or NULL
    double first_step; // its time step at the start [s]
    int shape_count;
    pl_shown_collider* shapes;
    pl_render_body* all; // bodies and colliders
    bool has_ground;     // a plane that lies flat
    double ground;       // its height
    pl_vec3 around;      // planes are drawn around here
    double reach;        // this far
};

static bool is_folder(const char* path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool has_ending(const char* path, const char* ending) {
    size_t size = strlen(path), n = strlen(ending);
    return size > n && strcasecmp(path + size - n, ending) == 0;
}

static char* recording_path(const char* path) {
    if (!is_folder(path)) return pl_copy_text(path);
    char text[4096];
    int size = snprintf(text, sizeof text, "%s/frames.plr", path);
    return size < (int)sizeof text ? pl_copy_text(text) : NULL;
}

pl_status pl_show_open_recording(const char* path, pl_recording** out, pl_notes* notes,
                                 pl_error* error) {
    char* file = recording_path(path);
    if (!file) return pl_fail_memory(error, path);
    pl_status status = pl_recording_open(file, out, notes, error);
    if (status == PL_OK && pl_recording_frame_count(*out) == 0) {
        pl_recording_close(*out);
        *out = NULL;
        status = pl_fail(error, PL_ERROR_FORMAT, "%s: has no whole frame yet", file);
    }
    pl_free_text(file);
    return status;
}

// positions of a mesh are taken relative to its middle, or float would not do for large coordinates
static pl_status copy_surface(pl_show* s, const pl_mesh* mesh, pl_error* error) {
    int count = mesh->vertex_count;
    s->surface_positions = PL_ALLOC(float, 3 * (size_t)count);
    if (count > 0 && !s->surface_positions) return pl_fail_memory(error, "a picture");
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 3 * count; i++) {
        if (mesh->positions[i] < low[i % 3]) low[i % 3] = mesh->positions[i];
        if (mesh->positions[i] > high[i % 3]) high[i % 3] = mesh->positions[i];
    }
    for (int i = 0; i < 3 * count; i++)
        s->surface_positions[i] = (float)(mesh->positions[i] - 0.5 * (low[i % 3] + high[i % 3]));
    return PL_OK;
}

static pl_status open_mesh(pl_show* s, const char* path, pl_notes* notes, pl_error* error) {
    pl_mesh* mesh;
    pl_status status = pl_mesh_read(path, NULL, &mesh, notes, error);
    if (status == PL_OK) status = pl_mesh_surface(mesh, &s->surface, error);
    pl_mesh_destroy(mesh);
    if (status != PL_OK) return status;
    if (s->surface->mesh->triangle_count == 0)
        return pl_fail(error, PL_ERROR_MESH, "%s: has no triangles or tets to draw", path);
    return copy_surface(s, s->surface->mesh, error);
}

static bool has_tet_field(const pl_record_body* b, const pl_show_quantity* q) {
    for (int k = 0; k < b->field_count && q->kind == PL_SHOW_FIELD; k++)
        if (b->fields[k].kind == PL_ELEMENT_TET && strcmp(b->fields[k].name, q->field) == 0)
            return true;
    return false;
}

static pl_status allocate_bodies(pl_show* s, pl_error* error) {
    const pl_record_head* head = s->recording ? pl_recording_head(s->recording) : NULL;
    s->body_count = head ? head->body_count : 1;
    s->bodies = PL_ALLOC(pl_render_body, s->body_count);
    s->values = PL_ALLOC(float*, s->body_count);
    s->tets_behind = PL_ALLOC(int*, s->body_count);
    if (s->body_count > 0 && (!s->bodies || !s->values || !s->tets_behind))
        return pl_fail_memory(error, "a picture");
    for (int i = 0; i < s->body_count; i++) {
        pl_render_body* b = &s->bodies[i];
        if (head) {
            const pl_record_body* body = &head->bodies[i];
            *b = (pl_render_body){.vertex_count = body->vertex_count,
                                  .triangle_count = body->triangle_count,
                                  .triangles = body->triangles};
            b->has_color = pl_record_has_color(body);
            for (int k = 0; k < 3 && b->has_color; k++)
                b->color[k] = pl_linear_of_srgb(body->color[k]);
        } else {
            const pl_mesh* mesh = s->surface->mesh;
            *b = (pl_render_body){.vertex_count = mesh->vertex_count,
                                  .positions = s->surface_positions,
                                  .triangle_count = mesh->triangle_count,
                                  .triangles = mesh->triangles};
        }
        if (head && has_tet_field(&head->bodies[i], &s->quantity)) {
            s->tets_behind[i] = PL_ALLOC(int, b->triangle_count);
            bool ready = s->tets_behind[i] || b->triangle_count == 0;
            if (!ready || !pl_show_tets_behind(&head->bodies[i], s->tets_behind[i]))
                return pl_fail_memory(error, "a picture");
        }
        if (s->quantity.kind == PL_SHOW_NONE) continue;
        s->values[i] = PL_ALLOC(float, (size_t)b->vertex_count + (size_t)b->triangle_count);
        if (b->vertex_count + b->triangle_count > 0 && !s->values[i])
            return pl_fail_memory(error, "a picture");
    }
    s->scene = (pl_render_scene){s->body_count, s->bodies};
    return PL_OK;
}

pl_status pl_show_open(const char* path, const char* color_by, const char* against, pl_show** out,
                       pl_notes* notes, pl_error* error) {
    *out = NULL;
    pl_show* s = PL_ALLOC(pl_show, 1);
    if (!s) return pl_fail_memory(error, path);
    bool recorded = is_folder(path) || has_ending(path, ".plr");
    pl_status status = recorded ? pl_show_open_recording(path, &s->recording, notes, error)
                                : open_mesh(s, path, notes, error);
    if (status == PL_OK && against)
        status = pl_show_open_recording(against, &s->against, notes, error);
    if (status == PL_OK && color_by)
        status = pl_show_choose(color_by, path, s->recording, s->against,
                                s->surface ? s->surface->mesh : NULL, &s->quantity, error);
    if (status == PL_OK) status = allocate_bodies(s, error);
    if (status == PL_OK) *out = s;
    else pl_show_close(s);
    return status;
}

static void free_colliders(pl_show* s) {
    for (int k = 0; k < s->shape_count; k++) pl_shown_collider_free(&s->shapes[k]);
    if (s->setting) {
        PL_FREE(s->shapes, pl_shown_collider, s->setting->collider_count);
        PL_FREE(s->all, pl_render_body, s->body_count + s->setting->collider_count);
    }
    pl_scene_destroy(s->setting);
    s->setting = NULL;
    s->shapes = NULL;
    s->all = NULL;
    s->shape_count = 0;
}

void pl_show_close(pl_show* s) {
    if (!s) return;
    free_colliders(s);
    for (int i = 0; s->values && s->bodies && i < s->body_count; i++)
        PL_FREE(s->values[i], float,
                (size_t)s->bodies[i].vertex_count + (size_t)s->bodies[i].triangle_count);
    for (int i = 0; s->tets_behind && s->bodies && i < s->body_count; i++)
        PL_FREE(s->tets_behind[i], int, s->bodies[i].triangle_count);
    PL_FREE(s->tets_behind, int*, s->body_count);
    PL_FREE(s->values, float*, s->body_count);
    PL_FREE(s->bodies, pl_render_body, s->body_count);
    if (s->surface)
        PL_FREE(s->surface_positions, float, 3 * (size_t)s->surface->mesh->vertex_count);
    pl_surface_destroy(s->surface);
    pl_recording_close(s->recording);
    pl_recording_close(s->against);
    PL_FREE(s, pl_show, 1);
}

int pl_show_frame_count(const pl_show* s) {
    return s->recording ? pl_recording_frame_count(s->recording) : 1;
}
double pl_show_time(const pl_show* s, int frame) {
    return s->recording ? pl_recording_time(s->recording, frame) : 0.0;
}
int pl_show_number(const pl_show* s, int frame) {
    return s->recording ? (int)pl_recording_number(s->recording, frame) : frame;
}
int pl_show_find(const pl_show* s, int number) {
    if (s->recording) return pl_recording_find(s->recording, number);
    return number == 0 ? 0 : -1;
}
bool pl_show_is_recording(const pl_show* s) { return s->recording != NULL; }
int pl_show_up_axis(const pl_show* s) {
    return s->recording ? pl_recording_head(s->recording)->up_axis : 1;
}
pl_recording* pl_show_recording(pl_show* s) { return s->recording; }

static bool moves(const pl_motion* motion) {
    return motion->key_count > 0 || motion->spin_rate != 0.0 || motion->oscillation_count > 0;
}

// a plane at rest whose normal points straight up is the ground, the highest of them
static bool is_ground(pl_show* s, const pl_collider* c) {
    if (c->shape != PL_COLLIDER_PLANE || moves(&c->motion)) return false;
    const double* n = c->plane.normal;
    int up = pl_show_up_axis(s);
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(n[up] > (1.0 - 1e-9) * length)) return false;
    if (!s->has_ground || c->plane.point[up] > s->ground) s->ground = c->plane.point[up];
    s->has_ground = true;
    return true;
}

static pl_status make_shapes(pl_show* s, pl_notes* notes, pl_error* error) {
    static const float quiet[3] = {0.40f, 0.42f, 0.45f};
    int count = s->setting->collider_count;
    s->shapes = PL_ALLOC(pl_shown_collider, count);
    s->all = PL_ALLOC(pl_render_body, s->body_count + count);
    if ((count > 0 && !s->shapes) || !s->all) return pl_fail_memory(error, "a picture");
    for (int k = 0; k < count; k++) {
        const pl_collider* c = &s->setting->colliders[k];
        pl_shown_collider* shape = &s->shapes[s->shape_count];
        if (is_ground(s, c)) continue;
        pl_error cause = {0};
        pl_status status = pl_shown_collider_create(c, shape, notes, &cause);
        if (status == PL_ERROR_MEMORY) return pl_fail_memory(error, "a picture");
        if (status != PL_OK) {
            pl_note(notes, PL_NOTE_INFO, "collider \"%s\" is not drawn: %s", c->name, cause.text);
            continue;
        }
        s->all[s->body_count + s->shape_count++] =
            (pl_render_body){.vertex_count = shape->vertex_count,
                             .positions = shape->positions,
                             .triangle_count = shape->triangle_count,
                             .triangles = shape->triangles,
                             .has_color = true,
                             .color = {quiet[0], quiet[1], quiet[2]}};
    }
    s->scene = (pl_render_scene){s->body_count + s->shape_count, s->all};
    return PL_OK;
}

pl_status pl_show_add_colliders(pl_show* s, const char* path, pl_notes* notes, pl_error* error) {
    char file[4096];
    if (!s->recording || !is_folder(path) || s->setting) return PL_OK;
    struct stat info;
    int size = snprintf(file, sizeof file, "%s/scene.json", path);
    if (size >= (int)sizeof file || stat(file, &info) != 0) return PL_OK;
    pl_error cause = {0};
    pl_status status = pl_scene_read(file, NULL, 0, &s->setting, notes, &cause);
    if (status != PL_OK) {
        if (status == PL_ERROR_MEMORY) return pl_fail_memory(error, file);
        pl_note(notes, PL_NOTE_INFO, "colliders are not drawn: %s", cause.text);
        return PL_OK;
    }
    pl_scene_evaluate(s->setting, 0.0);
    s->first_step = s->setting->time_step;
    status = make_shapes(s, notes, error);
    if (status != PL_OK) {
        free_colliders(s);
        s->scene = (pl_render_scene){s->body_count, s->bodies};
    }
    return status;
}

static void place_collider(pl_show* s, int k, int frame) {
    double time = pl_show_time(s, frame);
    pl_scene_evaluate(s->setting, time);
    pl_shown_collider_place(&s->shapes[k], time, s->first_step, s->around, s->reach);
}

pl_status pl_show_load(pl_show* s, int frame, const pl_render_scene** scene, pl_error* error) {
    *scene = &s->scene;
    pl_status status = s->recording ? pl_recording_load(s->recording, frame, error) : PL_OK;
    if (status == PL_OK && s->against) {
        // a shorter recording stays at its last frame, and a missing one is stood in for by it
        int other = pl_recording_find(s->against, pl_show_number(s, frame));
        int last = pl_recording_frame_count(s->against) - 1;
        status = pl_recording_load(s->against, other >= 0 ? other : last, error);
    }
    for (int i = 0; status == PL_OK && i < s->body_count; i++) {
        pl_render_body* b = &s->bodies[i];
        if (s->recording) b->positions = pl_recording_positions(s->recording, i);
        if (s->quantity.kind == PL_SHOW_NONE) continue;
        bool on_triangles =
            pl_show_values(&s->quantity, i, s->recording, s->against,
                           s->surface ? s->surface->mesh : NULL, s->tets_behind[i], s->values[i]);
        b->vertex_values = on_triangles ? NULL : s->values[i];
        b->triangle_values = on_triangles ? s->values[i] : NULL;
    }
    if (status != PL_OK || !s->all) return status;
    memcpy(s->all, s->bodies, (size_t)s->body_count * sizeof *s->all);
    for (int k = 0; k < s->shape_count; k++) place_collider(s, k, frame);
    return PL_OK;
}

// the smallest and largest finite value of a scene
static void add_range(const pl_render_scene* scene, double* low, double* high) {
    for (int i = 0; i < scene->body_count; i++) {
        const pl_render_body* b = &scene->bodies[i];
        const float* values = b->vertex_values ? b->vertex_values : b->triangle_values;
        int count = b->vertex_values ? b->vertex_count : b->triangle_count;
        for (int k = 0; values && k < count; k++) {
            if (!isfinite(values[k])) continue;
            if ((double)values[k] < *low) *low = (double)values[k];
            if ((double)values[k] > *high) *high = (double)values[k];
        }
    }
}

static void set_colors(const pl_show* s, double low, double high, pl_render_options* options) {
    const pl_show_quantity* q = &s->quantity;
    options->map = q->map;
    options->legend = q->kind == PL_SHOW_NONE ? NULL : q->title;
    if (options->value_high > options->value_low) return;
    if (!(low <= high)) low = 0.0, high = 1.0;
    if (q->map == PL_COLORMAP_DIVERGING) {
        // the same reach on both sides of the neutral value
        double reach = fmax(fabs(low - q->neutral), fabs(high - q->neutral));
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

// a frame of a long show: from the first to the last, evenly
static int looked_at(int count, int looked, int i) {
    return looked > 1 ? (int)((int64_t)i * (count - 1) / (looked - 1)) : 0;
}

// Colliders are shown whole if they are not much larger than the bodies; of larger ones the part
// around the bodies is enough.
static void fit_colliders(pl_show* s, int looked, pl_camera_fit* fit) {
    int count = pl_show_frame_count(s);
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
            place_collider(s, k, looked_at(count, looked, i));
            pl_camera_fit_points(&with, shape->positions, shape->vertex_count);
            pl_camera_fit_points(&own, shape->positions, shape->vertex_count);
        }
        if (pl_distance(own.low, own.high) < 1.5 * size) *fit = with;
    }
}

pl_status pl_show_frame_all(pl_show* s, const pl_view* view, pl_render_options* options,
                            pl_error* error) {
    enum { MOST = 120 };
    pl_view free_view = *view;
    if (s->quantity.kind != PL_SHOW_NONE) free_view.right_free = 0.01 * PL_LEGEND_PERCENT;
    pl_camera_fit fit = pl_camera_fit_begin(&free_view, options->width, options->height);
    int count = pl_show_frame_count(s), looked = count < MOST ? count : MOST;
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < looked; i++) {
        const pl_render_scene* scene;
        pl_status status = pl_show_load(s, looked_at(count, looked, i), &scene, error);
        if (status != PL_OK) return status;
        for (int k = 0; k < s->body_count; k++)
            pl_camera_fit_points(&fit, scene->bodies[k].positions, scene->bodies[k].vertex_count);
        add_range(scene, &low, &high);
    }
    if (fit.point_count > 0) fit_colliders(s, looked, &fit);
    pl_render_options_frame(options, &fit);
    // what the penalty of contact lets sink in is not shown as lying below the ground
    bool sinks = options->ground_height < s->ground &&
                 options->ground_height > s->ground - 0.1 * options->radius;
    if (s->has_ground && !sinks) options->ground_height = s->ground;
    set_colors(s, low, high, options);
    return PL_OK;
}
