// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "view_side.h"
#include "base/memory.h"
#include "collider/collider_kind.h"
#include "geometry/box.h"
#include "mesh/embedding.h"
#include "record/show_values.h"
#include "world/world_build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool pl_view_side_is_live(const pl_view_side* s) { return s->world != NULL; }

int pl_view_side_frame_count(const pl_view_side* s) {
    return s->show ? pl_show_frame_count(s->show) : 0;
}

const char* pl_view_side_body_name(const pl_view_side* s, int b) {
    if (b >= s->body_count) return "collider";
    if (s->world) return pl_world_body_name(s->world, b);
    pl_recording* recording = pl_show_recording(s->show);
    return recording ? pl_recording_head(recording)->bodies[b].name : "mesh";
}

void pl_view_side_free(pl_view_side* s) {
    for (int b = 0; b < s->body_count && s->world; b++) {
        size_t count = s->drawn ? (size_t)s->drawn[b].vertex_count : 0;
        if (s->positions) PL_FREE(s->positions[b], float, 3 * count);
        if (s->colors) PL_FREE(s->colors[b], float, count);
    }
    if (s->world) {
        int collider_count = s->scene->collider_count;
        PL_FREE(s->positions, float*, s->body_count);
        PL_FREE(s->colors, float*, s->body_count);
        for (int k = 0; k < s->shape_count; k++) pl_shown_collider_free(&s->shapes[k]);
        PL_FREE(s->shapes, pl_shown_collider, collider_count);
        PL_FREE(s->drawn, pl_render_body, s->body_count + collider_count);
    }
    if (s->has_values) pl_run_values_free(&s->values);
    pl_world_destroy(s->world);
    pl_scene_destroy(s->scene);
    pl_show_close(s->show);
    *s = (pl_view_side){0};
}

// ---------------------------------------------------------------- colours

static const char* const live_colors[] = {"none",         "stretch", "volume", "pressure", "speed",
                                          "displacement", "stress",  "energy", "region"};
enum { LIVE_COLOR_COUNT = sizeof live_colors / sizeof live_colors[0] };

// the aggregates of coarse levels
static const char* const level_colors[] = {"level 1", "level 2", "level 3", "level 4",
                                           "level 5", "level 6", "level 7"};
enum { LEVEL_COLOR_COUNT = sizeof level_colors / sizeof level_colors[0] };

static int level_of_color(const char* name) {
    for (int k = 0; k < LEVEL_COLOR_COUNT; k++)
        if (strcmp(name, level_colors[k]) == 0) return k + 1;
    return 0;
}

int pl_view_side_colors(const pl_view_side* s, const char* names[], int room) {
    int count = 0;
    if (s->world) {
        for (int k = 0; k < LIVE_COLOR_COUNT && count < room; k++) names[count++] = live_colors[k];
        int vertex_count = pl_world_mesh(s->world, 0)->vertex_count;
        int* nodes = PL_ALLOC(int, vertex_count);
        for (int k = 0; nodes && k < LEVEL_COLOR_COUNT && count < room; k++)
            if (pl_world_aggregates(s->world, 0, k + 1, nodes) > 0)
                names[count++] = level_colors[k];
        PL_FREE(nodes, int, vertex_count);
        return count;
    }
    static const char* const shown[] = {"none", "displacement", "stretch", "region"};
    for (int k = 0; k < 4 && count < room; k++) names[count++] = shown[k];
    pl_recording* recording = pl_show_recording(s->show);
    const pl_record_head* head = recording ? pl_recording_head(recording) : NULL;
    for (int f = 0; head && head->body_count && f < head->bodies[0].field_count; f++) {
        bool is_known = false;
        for (int k = 0; k < count; k++)
            if (strcmp(names[k], head->bodies[0].fields[f].name) == 0) is_known = true;
        if (!is_known && count < room) names[count++] = head->bodies[0].fields[f].name;
    }
    return count;
}

// the field of the world's values that a colour comes from, or -1
static int field_of_color(const char* name) {
    if (strcmp(name, "speed") == 0) return PL_OUTPUT_VELOCITY;
    for (int f = 0; f < PL_OUTPUT_COUNT; f++)
        if (strcmp(name, pl_output_field_name(f)) == 0) return f;
    return -1;
}

// contact first, then the field of the colour
static pl_status setup_values(pl_view_side* s, const char* color, pl_error* error) {
    pl_output_field fields[2] = {PL_OUTPUT_CONTACT, PL_OUTPUT_CONTACT};
    int field = field_of_color(color);
    if (field >= 0) fields[1] = (pl_output_field)field;
    pl_scene shown = *s->scene;
    shown.output.record = PL_RECORD_SURFACE;
    shown.output.fields = fields;
    shown.output.field_count = field >= 0 ? 2 : 1;
    pl_run_values fresh;
    pl_status status = pl_run_values_setup(&fresh, s->world, &shown, error);
    if (status != PL_OK) return status;
    if (s->has_values) pl_run_values_free(&s->values);
    s->values = fresh;
    s->has_values = true;
    for (int b = 0; s->drawn && b < s->body_count; b++)
        s->drawn[b].triangles = s->values.record_bodies[b].triangles;
    return PL_OK;
}

static pl_status open_show(pl_view_side* s, const char* color, pl_notes* notes, pl_error* error) {
    const char* by = strcmp(color, "none") == 0 ? NULL : color;
    pl_show* show;
    pl_status status = pl_show_open(s->path, by, NULL, &show, notes, error);
    if (status == PL_OK) status = pl_show_add_colliders(show, s->path, notes, error);
    pl_view view = {.field = 35.0};
    pl_render_options options = {.width = 100, .height = 100};
    if (status == PL_OK) view.up_axis = options.up_axis = pl_show_up_axis(show);
    // how far planes reach
    if (status == PL_OK) status = pl_show_frame_all(show, &view, &options, error);
    if (status != PL_OK) {
        pl_show_close(show);
        return status;
    }
    s->has_ground = true;
    s->ground = options.ground_height;
    pl_show_close(s->show);
    s->show = show;
    return PL_OK;
}

pl_status pl_view_side_set_color(pl_view_side* s, const char* name, pl_error* error) {
    const char* names[32];
    int count = pl_view_side_colors(s, names, 32);
    for (int k = 0; k < count; k++) {
        if (strcmp(names[k], name) != 0) continue;
        char own[sizeof s->color];
        snprintf(own, sizeof own, "%s", name);
        pl_status status = s->world ? setup_values(s, own, error) : open_show(s, own, NULL, error);
        if (status == PL_OK) memcpy(s->color, own, sizeof own);
        return status;
    }
    return pl_fail(error, PL_ERROR_ARGUMENT, "there is no \"%s\" to colour by", name);
}

// ---------------------------------------------------------------- opening

static pl_status add_colliders(pl_view_side* s, pl_notes* notes, pl_error* error) {
    for (int k = 0; k < s->scene->collider_count; k++) {
        const pl_collider* c = &s->scene->colliders[k];
        double height;
        if (pl_collider_is_ground(c, s->up_axis, &height)) {
            if (!s->has_ground || height > s->ground) s->ground = height;
            s->has_ground = true;
            continue;
        }
        pl_shown_collider* shape = &s->shapes[s->shape_count];
        pl_status status = pl_shown_collider_create(c, shape, notes, error);
        if (status != PL_OK) return status;
        s->drawn[s->body_count + s->shape_count++] =
            (pl_render_body){.vertex_count = shape->vertex_count,
                             .positions = shape->positions,
                             .triangle_count = shape->triangle_count,
                             .triangles = shape->triangles,
                             .has_color = true,
                             .color = {0.40f, 0.42f, 0.45f}};
    }
    s->drawn_count = s->body_count + s->shape_count;
    return PL_OK;
}

static pl_status add_bodies(pl_view_side* s, pl_error* error) {
    int room = s->body_count + s->scene->collider_count;
    s->drawn = PL_ALLOC(pl_render_body, room);
    s->positions = PL_ALLOC(float*, s->body_count);
    s->colors = PL_ALLOC(float*, s->body_count);
    s->shapes = PL_ALLOC(pl_shown_collider, s->scene->collider_count);
    if (!s->drawn || !s->positions || !s->colors || (!s->shapes && s->scene->collider_count))
        return pl_fail_memory(error, "what is drawn");
    pl_box box = pl_box_empty();
    for (int b = 0; b < s->body_count; b++) {
        const pl_record_body* body = &s->values.record_bodies[b];
        s->drawn[b] = (pl_render_body){.vertex_count = body->vertex_count,
                                       .triangle_count = body->triangle_count,
                                       .triangles = body->triangles,
                                       .has_color = pl_record_has_color(body)};
        for (int k = 0; k < 3 && s->drawn[b].has_color; k++)
            s->drawn[b].color[k] = pl_linear_of_srgb(body->color[k]);
        s->positions[b] = PL_ALLOC(float, 3 * (size_t)body->vertex_count);
        s->colors[b] = PL_ALLOC(float, body->vertex_count);
        s->drawn[b].positions = s->positions[b];
        if (body->vertex_count && (!s->positions[b] || !s->colors[b]))
            return pl_fail_memory(error, "what is drawn");
        for (int v = 0; v < body->vertex_count; v++)
            box = pl_box_add_point(
                box, (pl_vec3){body->rest[3 * v], body->rest[3 * v + 1], body->rest[3 * v + 2]});
    }
    s->around = pl_scale(0.5, pl_add(box.low, box.high));
    s->reach = 3.0 * pl_distance(box.low, box.high);
    return PL_OK;
}

static pl_status open_world(const pl_view_scene* scene, pl_view_side* s, pl_notes* notes,
                            pl_error* error) {
    pl_status status = pl_scene_read(scene->path, scene->overrides, scene->override_count,
                                     &s->scene, notes, error);
    if (status == PL_OK) status = pl_world_create(s->scene, &s->world, notes, error);
    if (status != PL_OK) return status;
    s->up_axis = (int)s->scene->up;
    s->body_count = pl_world_body_count(s->world);
    status = setup_values(s, "none", error);
    if (status == PL_OK) status = add_bodies(s, error);
    if (status == PL_OK) status = add_colliders(s, notes, error);
    return status;
}

pl_status pl_view_side_open(const pl_view_scene* scene, pl_view_side* s, pl_notes* notes,
                            pl_error* error) {
    *s = (pl_view_side){.color = "none"};
    snprintf(s->path, sizeof s->path, "%s", scene->path);
    pl_status status;
    if (scene->is_recording) {
        status = open_show(s, "none", notes, error);
        if (status == PL_OK) {
            s->up_axis = pl_show_up_axis(s->show);
            pl_recording* recording = pl_show_recording(s->show);
            s->body_count = recording ? pl_recording_head(recording)->body_count : 1;
        }
    } else {
        status = open_world(scene, s, notes, error);
    }
    if (status == PL_OK) status = pl_view_side_update(s, error);
    if (status != PL_OK) pl_view_side_free(s);
    return status;
}

// ---------------------------------------------------------------- moving on

pl_status pl_view_side_step(pl_view_side* s, pl_error* error) {
    pl_status status = pl_world_step(s->world, &s->info, error);
    s->frame = pl_world_frame(s->world);
    s->time = pl_world_time(s->world);
    return status;
}

pl_status pl_view_side_seek(pl_view_side* s, int frame, pl_error* error) {
    int count = pl_view_side_frame_count(s);
    if (frame < 0 || frame >= count)
        return pl_fail(error, PL_ERROR_ARGUMENT, "there is no frame %d; the recording has %d",
                       frame, count);
    s->frame = frame;
    s->time = pl_show_time(s->show, frame);
    return PL_OK;
}

static void fill_stretch(const pl_record_body* body, const float* x, float* out, float* weight) {
    memset(out, 0, (size_t)body->vertex_count * sizeof(float));
    memset(weight, 0, (size_t)body->vertex_count * sizeof(float));
    for (int t = 0; t < body->triangle_count; t++) {
        const int* v = body->triangles + 3 * (size_t)t;
        float value = pl_triangle_stretch(body->rest, x, v);
        for (int k = 0; k < 3 && isfinite(value); k++) out[v[k]] += value, weight[v[k]] += 1.0f;
    }
    for (int v = 0; v < body->vertex_count; v++)
        out[v] = weight[v] > 0.0f ? out[v] / weight[v] : 1.0f;
}

// the number of the first region that a vertex is a corner in, NAN for none
static void fill_regions(const pl_mesh* mesh, const int* vertices, int count, float* out) {
    for (int i = 0; i < count; i++) out[i] = NAN;
    float* of_mesh = PL_ALLOC(float, mesh->vertex_count);
    if (!of_mesh) return;
    for (int v = 0; v < mesh->vertex_count; v++) of_mesh[v] = NAN;
    for (int r = mesh->region_count - 1; r >= 0; r--) {
        const pl_region* region = &mesh->regions[r];
        int corners = region->kind == PL_ELEMENT_TET        ? 4
                      : region->kind == PL_ELEMENT_TRIANGLE ? 3
                                                            : 1;
        const int* items = corners == 4 ? mesh->tets : mesh->triangles;
        for (int k = 0; k < region->count; k++)
            for (int c = 0; c < corners; c++) {
                size_t at = (size_t)region->items[k] * (size_t)corners + (size_t)c;
                of_mesh[corners == 1 ? region->items[k] : items[at]] = (float)r;
            }
    }
    for (int i = 0; i < count; i++) out[i] = of_mesh[vertices ? vertices[i] : i];
    PL_FREE(of_mesh, float, mesh->vertex_count);
}

// the node of each vertex; NAN if the level does not exist
static void fill_level(pl_view_side* s, int b, int level, float* out) {
    const pl_record_body* body = &s->values.record_bodies[b];
    int vertex_count = pl_world_mesh(s->world, b)->vertex_count;
    int* nodes = PL_ALLOC(int, vertex_count);
    bool has_level = nodes && pl_world_aggregates(s->world, b, level, nodes) > 0;
    for (int i = 0; i < body->vertex_count; i++)
        out[i] = has_level ? (float)nodes[pl_run_values_vertex(&s->values, b, i)] : NAN;
    PL_FREE(nodes, int, vertex_count);
}

static void fill_color(pl_view_side* s, int b) {
    const pl_record_body* body = &s->values.record_bodies[b];
    const pl_world_body* own = &s->world->bodies[b];
    float* out = s->colors[b];
    s->drawn[b].vertex_values = strcmp(s->color, "none") == 0 ? NULL : out;
    if (!s->drawn[b].vertex_values) return;
    if (strcmp(s->color, "region") == 0) {
        if (s->values.bodies[b].skin)
            fill_regions(s->values.bodies[b].skin, NULL, body->vertex_count, out);
        else fill_regions(own->mesh, body->vertices, body->vertex_count, out);
        return;
    }
    if (level_of_color(s->color)) {
        fill_level(s, b, level_of_color(s->color), out);
        return;
    }
    if (strcmp(s->color, "stretch") == 0 && own->mesh->tet_count == 0) {
        float* weight = PL_ALLOC(float, body->vertex_count);
        if (weight) fill_stretch(body, s->positions[b], out, weight);
        PL_FREE(weight, float, body->vertex_count);
        return;
    }
    const double* values = s->values.values[b].fields[s->values.field_count - 1];
    int width = s->values.fields[s->values.field_count - 1].components;
    for (int i = 0; i < body->vertex_count; i++) {
        const double* v = values + (size_t)width * (size_t)(body->vertices ? body->vertices[i] : i);
        out[i] = (float)(width == 1 ? v[0] : pl_norm(pl_vec3_load(v)));
    }
}

static void update_world(pl_view_side* s) {
    pl_run_values_update(&s->values, s->world);
    for (int b = 0; b < s->body_count; b++) {
        const pl_record_body* body = &s->values.record_bodies[b];
        const double* x = s->values.values[b].positions;
        for (int i = 0; i < body->vertex_count; i++) {
            const double* from = x + 3 * (size_t)(body->vertices ? body->vertices[i] : i);
            for (int k = 0; k < 3; k++) s->positions[b][3 * (size_t)i + (size_t)k] = (float)from[k];
        }
        fill_color(s, b);
    }
    pl_scene_evaluate(s->scene, s->time);
    for (int k = 0; k < s->shape_count; k++)
        pl_shown_collider_place(&s->shapes[k], s->time, s->scene->time_step, s->around, s->reach);
}

pl_status pl_view_side_update(pl_view_side* s, pl_error* error) {
    if (s->world) {
        update_world(s);
        return PL_OK;
    }
    const pl_render_scene* scene;
    pl_status status = pl_show_load(s->show, s->frame, &scene, error);
    if (status != PL_OK) return status;
    s->drawn = (pl_render_body*)scene->bodies;
    s->drawn_count = scene->body_count;
    return PL_OK;
}

int pl_view_side_contacts(const pl_view_side* s, float* places, int room) {
    int count = 0;
    for (int b = 0; s->world && b < s->body_count; b++) {
        const pl_record_body* body = &s->values.record_bodies[b];
        const double* force = s->values.values[b].fields[0];
        for (int i = 0; i < body->vertex_count && count < room; i++) {
            if (!(force[body->vertices ? body->vertices[i] : i] > 0.0)) continue;
            memcpy(places + 3 * (size_t)count++, s->positions[b] + 3 * (size_t)i,
                   3 * sizeof(float));
        }
    }
    return count;
}

// ---------------------------------------------------------------- the hand

// The stiffness of the whole hand. Pressing a disc of radius r into a solid meets a stiffness of
// about 2 E r; a hand four times as stiff moves what it holds but still yields. The second bound is
// for methods without a modulus: a step moves the vertices a good part of the way.
static double hand_stiffness(const pl_view_side* s, int b, double radius, int count) {
    const pl_world_body* body = &s->world->bodies[b];
    const pl_world_system* system = &s->world->systems[body->system];
    const double* mass = system->method->masses(system->data) + body->first_vertex;
    double mu = 0.0, stretch = 0.0, sum = 0.0, h = s->world->scene->time_step;
    for (int e = 0; e < body->element_count; e++) {
        mu = fmax(mu, body->materials[e].mu);
        stretch = fmax(stretch, body->materials[e].stretch);
    }
    if (body->element_count == 0) {
        double lambda;
        pl_material_def_lame(&body->def->material, &mu, &lambda);
    }
    for (int v = 0; v < body->mesh->vertex_count; v++) sum += mass[v] / body->mesh->vertex_count;
    double elastic = body->is_cloth ? fmax(stretch, mu) : 24.0 * mu * radius;
    // constraints of pbd are only as stiff as their sweeps make them, so the hand outweighs one
    // vertex
    bool is_pbd = body->def->method == PL_METHOD_PBD;
    return fmax(is_pbd ? 0.0 : elastic, (is_pbd ? 50.0 : 0.5) * sum * count / (h * h));
}

// the surface vertices around one, nearest in the rest shape, thinned out evenly
static int vertices_around(const pl_view_side* s, int b, int center, double radius, int* out) {
    const pl_world_body* body = &s->world->bodies[b];
    pl_vec3 at = pl_vec3_load(body->mesh->positions + 3 * (size_t)center);
    int inside = 0, count = 0, surface_count = body->surface->mesh->vertex_count;
    for (int pass = 0; pass < 2; pass++) {
        int stride = inside / (PL_VIEW_HELD_LIMIT - 1) + 1, seen = 0;
        for (int i = 0; i < surface_count; i++) {
            int v = body->surface->vertices[i];
            if (pl_distance(at, pl_vec3_load(body->mesh->positions + 3 * (size_t)v)) > radius)
                continue;
            if (pass == 0) inside++;
            else if (v != center && seen++ % stride == 0 && count < PL_VIEW_HELD_LIMIT - 1)
                out[count++] = v;
        }
    }
    out[count++] = center;
    return count;
}

// the length of an even triangle's edge of the mean area [m]
static double mean_edge(const pl_mesh* surface) {
    double area = 0.0;
    for (int t = 0; t < surface->triangle_count; t++) {
        const int* v = surface->triangles + 3 * (size_t)t;
        pl_vec3 a = pl_vec3_load(surface->positions + 3 * (size_t)v[0]);
        pl_vec3 e1 = pl_sub(pl_vec3_load(surface->positions + 3 * (size_t)v[1]), a);
        pl_vec3 e2 = pl_sub(pl_vec3_load(surface->positions + 3 * (size_t)v[2]), a);
        area += 0.5 * pl_norm(pl_cross(e1, e2)) / surface->triangle_count;
    }
    return sqrt(2.31 * area);
}

pl_status pl_view_side_grab(pl_view_side* s, int b, int vertex, const double at[3],
                            pl_error* error) {
    if (!s->world) return pl_fail(error, PL_ERROR_ARGUMENT, "a recording cannot be grabbed");
    if (b >= s->body_count || vertex >= s->drawn[b].vertex_count)
        return pl_fail(error, PL_ERROR_ARGUMENT, "there is no such vertex to grab");
    pl_view_side_release(s);
    pl_box box = pl_box_empty();
    const pl_mesh* mesh = pl_world_mesh(s->world, b);
    for (int v = 0; v < mesh->vertex_count; v++)
        box = pl_box_add_point(box, pl_vec3_load(mesh->positions + 3 * (size_t)v));
    // grabs an area and not a point, even on coarse meshes
    double radius = fmax(0.06 * pl_distance(box.low, box.high),
                         1.3 * mean_edge(s->world->bodies[b].surface->mesh));
    int vertices[PL_VIEW_HELD_LIMIT];
    int count =
        vertices_around(s, b, pl_run_values_vertex(&s->values, b, vertex), radius, vertices);
    double stiffness = hand_stiffness(s, b, radius, count) / count;
    const double* x = pl_world_positions(s->world, b);
    for (int k = 0; k < count; k++) {
        int handle = pl_world_grab(s->world, b, vertices[k], stiffness);
        if (handle < 0) {
            pl_view_side_release(s);
            return pl_fail_memory(error, "the hand");
        }
        s->handles[s->held_count] = handle;
        s->starts[s->held_count++] = pl_vec3_load(x + 3 * (size_t)vertices[k]);
    }
    s->hand_start = s->hand = pl_vec3_load(at);
    return PL_OK;
}

void pl_view_side_move(pl_view_side* s, const double to[3]) {
    if (!s->held_count) return;
    s->hand = pl_vec3_load(to);
    pl_vec3 by = pl_sub(s->hand, s->hand_start);
    for (int k = 0; k < s->held_count; k++) {
        pl_vec3 at = pl_add(s->starts[k], by);
        pl_world_move(s->world, s->handles[k], at.x, at.y, at.z);
    }
}

void pl_view_side_release(pl_view_side* s) {
    for (int k = 0; k < s->held_count; k++) pl_world_release(s->world, s->handles[k]);
    s->held_count = 0;
}
