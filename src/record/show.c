// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "record/show.h"
#include "base/memory.h"
#include "record/legend.h"
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
    float** values;    // per body, room for a number per vertex or triangle
    int** tets_behind; // per body, the tets of its triangles; NULL unless tets have the values
    pl_render_scene scene;
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
            for (int k = 0; k < 3 && b->has_color; k++) b->color[k] = pl_linear(body->color[k]);
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

void pl_show_close(pl_show* s) {
    if (!s) return;
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
bool pl_show_is_recording(const pl_show* s) { return s->recording != NULL; }
int pl_show_up_axis(const pl_show* s) {
    return s->recording ? pl_recording_head(s->recording)->up_axis : 1;
}
pl_recording* pl_show_recording(pl_show* s) { return s->recording; }

pl_status pl_show_load(pl_show* s, int frame, const pl_render_scene** scene, pl_error* error) {
    *scene = &s->scene;
    pl_status status = s->recording ? pl_recording_load(s->recording, frame, error) : PL_OK;
    if (status == PL_OK && s->against) {
        // a shorter recording stays at its last frame
        int last = pl_recording_frame_count(s->against) - 1;
        status = pl_recording_load(s->against, frame < last ? frame : last, error);
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
    return status;
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

pl_status pl_show_frame_all(pl_show* s, const pl_view* view, pl_render_options* options,
                            pl_error* error) {
    enum { MOST = 120 };
    pl_view free_view = *view;
    if (s->quantity.kind != PL_SHOW_NONE) free_view.right_free = 0.01 * PL_LEGEND_PERCENT;
    pl_camera_fit fit = pl_camera_fit_begin(&free_view, options->width, options->height);
    int count = pl_show_frame_count(s), looked = count < MOST ? count : MOST;
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < looked; i++) {
        // from the first to the last, evenly
        int frame = looked > 1 ? (int)((int64_t)i * (count - 1) / (looked - 1)) : 0;
        const pl_render_scene* scene;
        pl_status status = pl_show_load(s, frame, &scene, error);
        if (status != PL_OK) return status;
        for (int k = 0; k < scene->body_count; k++)
            pl_camera_fit_points(&fit, scene->bodies[k].positions, scene->bodies[k].vertex_count);
        add_range(scene, &low, &high);
    }
    pl_render_options_frame(options, &fit);
    set_colors(s, low, high, options);
    return PL_OK;
}
