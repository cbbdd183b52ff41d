// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "record/show.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/notes.h"
#include "base/platform.h"
#include "collider/collider_kind.h"
#include "record/contact_table.h"
#include "record/png_read.h"
#include "record/show_object.h"
#include "scene/animation.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static char* recording_path(const char* path) {
    if (!pl_path_is_folder(path)) return pl_copy_text(path);
    char text[4096];
    int size = snprintf(text, sizeof text, "%s/frames.plr", path);
    return size < (int)sizeof text ? pl_copy_text(text) : NULL;
}

// opens a recording or that of a run's folder; fails if it has no complete frame
static pl_status open_recording(const char* path, pl_recording** out, pl_notes* notes,
                                pl_error* error) {
    char* file = recording_path(path);
    if (!file) return pl_fail_memory(error, path);
    pl_status status = pl_recording_open(file, out, notes, error);
    if (status == PL_OK && pl_recording_frame_count(*out) == 0) {
        pl_recording_close(*out);
        *out = NULL;
        status = pl_fail(error, PL_ERROR_FORMAT, "%s: has no complete frame yet", file);
    }
    pl_free_text(file);
    return status;
}

// positions are stored relative to the middle of the mesh, since float would not be enough for
// large coordinates
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

// True if an edge belongs to an odd number of triangles. Hashes of all edges are combined by
// exclusive or, in which those that occur twice cancel.
static bool is_open(int triangle_count, const int* triangles) {
    uint64_t fold = 0;
    for (size_t i = 0; i < 3 * (size_t)triangle_count; i++) {
        uint64_t a = (uint64_t)triangles[i], b = (uint64_t)triangles[i % 3 == 2 ? i - 2 : i + 1];
        fold ^= pl_hash_mix(a < b ? a << 32 | b : b << 32 | a);
    }
    return fold != 0;
}

// sheets have an inner side of a lighter, greyer colour
static void set_back_color(pl_render_body* b, int number) {
    float front[3];
    if (b->has_color) memcpy(front, b->color, sizeof front);
    else pl_palette_color(number, front);
    b->has_back_color = is_open(b->triangle_count, b->triangles);
    for (int k = 0; k < 3; k++) b->back_color[k] = 0.30f * front[k] + 0.36f;
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
        set_back_color(b, i);
        // sheets in a recording are cloth, whose folds are drawn round
        b->has_no_creases = head && b->has_back_color;
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
    s->scene = (pl_render_scene){.body_count = s->body_count, .bodies = s->bodies};
    return PL_OK;
}

pl_status pl_show_open(const char* path, const char* color_by, const char* against, pl_show** out,
                       pl_notes* notes, pl_error* error) {
    *out = NULL;
    pl_show* s = PL_ALLOC(pl_show, 1);
    if (!s) return pl_fail_memory(error, path);
    bool recorded = pl_path_is_folder(path) || pl_path_ends_in(path, ".plr");
    pl_status status = recorded ? open_recording(path, &s->recording, notes, error)
                                : open_mesh(s, path, notes, error);
    if (status == PL_OK && against) status = open_recording(against, &s->against, notes, error);
    if (status == PL_OK && color_by)
        status = pl_show_choose(color_by, path, s->recording, s->against,
                                s->surface ? s->surface->mesh : NULL, &s->quantity, error);
    if (status == PL_OK) status = allocate_bodies(s, error);
    if (status == PL_OK) *out = s;
    else pl_show_close(s);
    return status;
}

pl_status pl_show_open_run(const char* path, pl_show** out, pl_notes* notes, pl_error* error) {
    *out = NULL;
    pl_show* s = PL_ALLOC(pl_show, 1);
    if (!s) return pl_fail_memory(error, path);
    pl_status status = open_recording(path, &s->recording, notes, error);
    if (status == PL_OK) status = allocate_bodies(s, error);
    if (status == PL_OK) *out = s;
    else pl_show_close(s);
    return status;
}

static void free_colliders(pl_show* s) {
    for (int k = 0; k < s->shape_count; k++) pl_shown_collider_free(&s->shapes[k]);
    if (s->setting) PL_FREE(s->shapes, pl_shown_collider, s->setting->collider_count);
    PL_FREE(s->all, pl_render_body, s->all_room);
    pl_scene_destroy(s->setting);
    s->setting = NULL;
    s->shapes = NULL;
    s->all = NULL;
    s->all_room = 0;
    s->shape_count = 0;
}

void pl_show_close(pl_show* s) {
    if (!s) return;
    free_colliders(s);
    pl_array_free(&s->cage_positions);
    pl_array_free(&s->cage_triangles);
    pl_array_free(&s->contacts);
    pl_array_free(&s->marks);
    pl_texture_free(&s->texture);
    for (int i = 0; s->uvs && i < s->body_count; i++)
        PL_FREE(s->uvs[i], float, s->uvs[i] ? 2 * (size_t)s->surface->mesh->uv_count : 0);
    PL_FREE(s->uvs, float*, s->body_count);
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

// sets the texture coordinates of a body; those of a mesh file are copied as floats
static pl_status set_uvs(pl_show* s, int i, pl_error* error) {
    pl_render_body* b = &s->bodies[i];
    if (s->recording) {
        const pl_record_body* body = &pl_recording_head(s->recording)->bodies[i];
        b->uvs = body->uvs;
        b->triangle_uvs = body->triangle_uvs;
    } else if (s->surface->mesh->uv_count > 0) {
        const pl_mesh* mesh = s->surface->mesh;
        s->uvs[i] = PL_ALLOC(float, 2 * (size_t)mesh->uv_count);
        if (!s->uvs[i]) return pl_fail_memory(error, "a texture");
        for (size_t k = 0; k < 2 * (size_t)mesh->uv_count; k++) s->uvs[i][k] = (float)mesh->uvs[k];
        b->uvs = s->uvs[i];
        b->triangle_uvs = mesh->triangle_uvs;
    }
    if (b->triangle_uvs) b->texture = &s->texture;
    return PL_OK;
}

pl_status pl_show_set_texture(pl_show* s, const char* path, pl_error* error) {
    pl_image image;
    pl_status status = pl_image_read_png(path, &image, error);
    if (status == PL_OK) status = pl_texture_create(&image, &s->texture, error);
    pl_image_free(&image);
    if (status == PL_OK) {
        s->uvs = PL_ALLOC(float*, s->body_count);
        if (s->body_count > 0 && !s->uvs) status = pl_fail_memory(error, "a texture");
    }
    bool found = false;
    for (int i = 0; status == PL_OK && i < s->body_count; i++) {
        status = set_uvs(s, i, error);
        found = found || s->bodies[i].texture;
    }
    if (status == PL_OK && !found)
        status = pl_fail(error, PL_ERROR_ARGUMENT,
                         "no body has texture coordinates for %s; OBJ and PLY files may contain "
                         "them, and `pliant mesh` writes those of its creatures to OBJ",
                         path);
    return status;
}

// the highest plane that is the ground
static bool is_ground(pl_show* s, const pl_collider* c) {
    double height;
    if (!pl_collider_is_ground(c, pl_show_up_axis(s), &height)) return false;
    if (!s->has_ground || height > s->ground) s->ground = height;
    s->has_ground = true;
    return true;
}

static pl_status make_shapes(pl_show* s, pl_notes* notes, pl_error* error) {
    static const float quiet[3] = {0.40f, 0.42f, 0.45f};
    int count = s->setting->collider_count;
    s->shapes = PL_ALLOC(pl_shown_collider, count);
    s->all_room = s->body_count + count;
    s->all = PL_ALLOC(pl_render_body, s->all_room);
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
    s->scene = (pl_render_scene){.body_count = s->body_count + s->shape_count, .bodies = s->all};
    return PL_OK;
}

pl_status pl_show_add_colliders(pl_show* s, const char* path, pl_notes* notes, pl_error* error) {
    char file[4096];
    if (!s->recording || !pl_path_is_folder(path) || s->setting) return PL_OK;
    int size = snprintf(file, sizeof file, "%s/scene.json", path);
    if (size >= (int)sizeof file || access(file, F_OK) != 0) return PL_OK;
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
        s->scene = (pl_render_scene){.body_count = s->body_count, .bodies = s->bodies};
    }
    return status;
}

void pl_show_place_collider(pl_show* s, int k, int frame) {
    double time = pl_show_time(s, frame);
    pl_scene_evaluate(s->setting, time);
    pl_shown_collider_place(&s->shapes[k], time, s->first_step, s->around, s->reach);
}

// the marks of a frame
static void show_contacts(pl_show* s, int frame) {
    int first;
    s->scene.mark_count = pl_contact_table_find(&s->contacts, pl_show_time(s, frame), &first);
    s->scene.marks = (const pl_render_mark*)s->marks.data + first;
}

static pl_render_mark mark_of(const pl_contact_point* contact) {
    double force[3];
    pl_contact_force(contact, force);
    const double size = pl_norm(pl_vec3_load(force));
    return (pl_render_mark){pl_vec3_load(contact->point),
                            pl_scale(size > 0.0 ? 1.0 / sqrt(size) : 0.0, pl_vec3_load(force))};
}

pl_status pl_show_add_contacts(pl_show* s, const char* path, pl_error* error) {
    char file[4200];
    if (snprintf(file, sizeof file, "%s/contacts.csv", path) >= (int)sizeof file)
        return pl_fail(error, PL_ERROR_ARGUMENT, "%s: the path is too long", path);
    s->contacts = pl_array_of(sizeof(pl_contact_row));
    s->marks = pl_array_of(sizeof(pl_render_mark));
    pl_error cause = {0};
    pl_status status = pl_contact_table_read(file, &s->contacts, &cause);
    if (status != PL_OK)
        return pl_fail(error, status,
                       "%.700s; contacts are written by runs whose scene has \"output\": "
                       "{\"contacts\": true}",
                       cause.text);
    double most = 0.0;
    const pl_contact_row* rows = s->contacts.data;
    for (size_t k = 0; k < s->contacts.count; k++) {
        const pl_render_mark mark = mark_of(&rows[k].contact);
        most = fmax(most, pl_norm(mark.along));
        if (!pl_array_push(&s->marks, &mark)) return pl_fail_memory(error, file);
    }
    pl_render_mark* marks = s->marks.data;
    for (size_t k = 0; most > 0.0 && k < s->marks.count; k++)
        marks[k].along = pl_scale(1.0 / most, marks[k].along);
    return PL_OK;
}

pl_status pl_show_load(pl_show* s, int frame, const pl_render_scene** scene, pl_error* error) {
    *scene = &s->scene;
    pl_status status = s->recording ? pl_recording_load(s->recording, frame, error) : PL_OK;
    if (status == PL_OK && s->against) {
        // for a missing frame, and after the end, the last frame is used
        int other = pl_recording_find(s->against, pl_show_number(s, frame));
        int last = pl_recording_frame_count(s->against) - 1;
        status = pl_recording_load(s->against, other >= 0 ? other : last, error);
    }
    for (int i = 0; status == PL_OK && i < s->body_count; i++) {
        pl_render_body* b = &s->bodies[i];
        if (s->recording) b->positions = pl_recording_positions(s->recording, i);
        if (s->quantity.kind == PL_SHOW_NODES) b->vertex_values = s->values[i];
        if (s->quantity.kind == PL_SHOW_NONE || s->quantity.kind == PL_SHOW_NODES) continue;
        bool on_triangles =
            pl_show_values(&s->quantity, i, s->recording, s->against,
                           s->surface ? s->surface->mesh : NULL, s->tets_behind[i], s->values[i]);
        b->vertex_values = on_triangles ? NULL : s->values[i];
        b->triangle_values = on_triangles ? s->values[i] : NULL;
    }
    if (status == PL_OK && s->marks.count) show_contacts(s, frame);
    if (status != PL_OK || !s->all) return status;
    memcpy(s->all, s->bodies, (size_t)s->body_count * sizeof *s->all);
    for (int k = 0; k < s->shape_count; k++) pl_show_place_collider(s, k, frame);
    return PL_OK;
}
