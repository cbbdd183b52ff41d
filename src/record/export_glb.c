// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// An animated glTF 2.0 file in one piece (.glb). The first frame is the mesh; every later frame is
// a morph target, the difference of positions and normals from the first, and the animation gives
// each frame's target the weight 1 at its time, with linear change between. glTF has y up and one
// texture coordinate per vertex, so the scene is turned and vertices are split at seams. Materials
// of a surface are primitives of its mesh, by their names.
//
// The JSON part comes first in the file and needs the bounds of everything, so the recording is
// read twice: once for the bounds, once for the bytes.
#include "base/memory.h"
#include "mesh/mesh_sink.h"
#include "record/colormap.h"
#include "record/export.h"
#include "record/glb_body.h"
#include "record/plr_format.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

enum { FLOATS = 5126, WORDS = 5125, VERTEX_DATA = 34962, INDEX_DATA = 34963 };

typedef struct glb {
    const pl_export_job* job;
    int target_count;
    pl_glb_body* bodies;
    float* bounds; // per body and frame: low and high of what is written for it, 6 numbers
    json_t *views, *accessors, *materials;
    uint64_t size; // of the binary part so far
} glb;

static float* bounds_of(const glb* g, int body, int i) {
    return g->bounds + 6 * ((size_t)body * (size_t)g->job->frame_count + (size_t)i);
}

static void find_bounds(const float* values, int count, float* bounds) {
    for (int k = 0; k < 3; k++) bounds[k] = INFINITY, bounds[3 + k] = -INFINITY;
    for (int i = 0; i < 3 * count; i++) {
        if (values[i] < bounds[i % 3]) bounds[i % 3] = values[i];
        if (values[i] > bounds[3 + i % 3]) bounds[3 + i % 3] = values[i];
    }
}

// first pass: the first frame is kept, of the others the bounds of the differences
static pl_status measure(glb* g, pl_error* error) {
    for (int i = 0; i < g->job->frame_count; i++) {
        pl_status status = pl_export_load(g->job, i, error);
        if (status != PL_OK) return status;
        for (int b = 0; b < g->job->head->body_count; b++) {
            pl_glb_body* body = &g->bodies[b];
            pl_glb_body_load(body, pl_recording_positions(g->job->recording, b), i == 0);
            find_bounds(body->positions, body->vertex_count, bounds_of(g, b, i));
        }
    }
    return PL_OK;
}

static json_t* number_list(const float* values, int count) {
    json_t* list = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(list, json_real((double)values[i]));
    return list;
}

// a view and an accessor for the next count items; the accessor's number
static int add_accessor(glb* g, int count, int type, const char* shape, int components, int target,
                        const float* bounds) {
    uint64_t size = (uint64_t)count * (uint64_t)components * 4;
    json_t* view = json_pack("{s:i, s:I, s:I}", "buffer", 0, "byteOffset", (json_int_t)g->size,
                             "byteLength", (json_int_t)size);
    if (target) json_object_set_new(view, "target", json_integer(target));
    json_array_append_new(g->views, view);
    json_t* accessor =
        json_pack("{s:i, s:i, s:i, s:s}", "bufferView", (int)json_array_size(g->views) - 1,
                  "componentType", type, "count", count, "type", shape);
    if (bounds) {
        json_object_set_new(accessor, "min", number_list(bounds, components));
        json_object_set_new(accessor, "max", number_list(bounds + components, components));
    }
    json_array_append_new(g->accessors, accessor);
    g->size += size;
    return (int)json_array_size(g->accessors) - 1;
}

static int append(json_t* list, json_t* item) {
    json_array_append_new(list, item);
    return (int)json_array_size(list) - 1;
}

// the material of a body, or of one of its regions; its number
static int add_material(glb* g, int b, int region) {
    const pl_record_body* body = &g->job->head->bodies[b];
    float color[3];
    bool chosen = pl_record_has_color(body);
    pl_palette_color(b + region + 1, color);
    for (int k = 0; k < 3 && chosen; k++) color[k] = pl_linear_of_srgb(body->color[k]);
    json_t* material =
        json_pack("{s:{s:[f,f,f,f], s:f, s:f}, s:b}", "pbrMetallicRoughness", "baseColorFactor",
                  (double)color[0], (double)color[1], (double)color[2], 1.0, "metallicFactor", 0.0,
                  "roughnessFactor", 0.55, "doubleSided", 1);
    // glTF is UTF-8 throughout; other names are left out
    json_t* name = region >= 0 ? json_string(body->region_names[region]) : NULL;
    if (name) json_object_set_new(material, "name", name);
    return append(g->materials, material);
}

static json_t* describe_targets(glb* g, int b) {
    json_t* targets = json_array();
    int n = g->bodies[b].vertex_count;
    for (int i = 1; i <= g->target_count; i++) {
        int moved = add_accessor(g, n, FLOATS, "VEC3", 3, VERTEX_DATA, bounds_of(g, b, i));
        int turned = add_accessor(g, n, FLOATS, "VEC3", 3, VERTEX_DATA, NULL);
        json_array_append_new(targets,
                              json_pack("{s:i, s:i}", "POSITION", moved, "NORMAL", turned));
    }
    return targets;
}

// The mesh of a body: accessors in the order in which write_body puts the bytes. All materials use
// the same vertices.
static json_t* describe_mesh(glb* g, int b) {
    const pl_glb_body* body = &g->bodies[b];
    int n = body->vertex_count;
    json_t *primitives = json_array(), *attributes = json_object();
    for (int p = 0; p < body->part_count; p++) {
        int indices = add_accessor(g, body->part_counts[p], WORDS, "SCALAR", 1, INDEX_DATA, NULL);
        int material = add_material(g, b, body->part_regions[p]);
        append(primitives, json_pack("{s:O, s:i, s:i}", "attributes", attributes, "indices",
                                     indices, "material", material));
    }
    int positions = add_accessor(g, n, FLOATS, "VEC3", 3, VERTEX_DATA, bounds_of(g, b, 0));
    json_object_set_new(attributes, "POSITION", json_integer(positions));
    int normals = add_accessor(g, n, FLOATS, "VEC3", 3, VERTEX_DATA, NULL);
    json_object_set_new(attributes, "NORMAL", json_integer(normals));
    if (body->uvs)
        json_object_set_new(attributes, "TEXCOORD_0",
                            json_integer(add_accessor(g, n, FLOATS, "VEC2", 2, VERTEX_DATA, NULL)));
    json_t* targets = describe_targets(g, b);
    for (int p = 0; g->target_count > 0 && p < body->part_count; p++)
        json_object_set(json_array_get(primitives, (size_t)p), "targets", targets);
    json_decref(targets);
    json_decref(attributes);
    return json_pack("{s:s, s:o}", "name", g->job->names[b], "primitives", primitives);
}

// times of the frames from 0 on, ascending whatever the recording says
static void fill_times(const glb* g, float* times) {
    for (int i = 0; i < g->job->frame_count; i++) {
        times[i] = (float)(pl_export_time(g->job, i) - pl_export_time(g->job, 0));
        if (i == 0) times[i] = 0.0f;
        else if (!(times[i] > times[i - 1])) times[i] = times[i - 1] + 0.001f;
    }
}

static json_t* describe_animation(glb* g, const json_t* nodes_of_bodies, const float* times) {
    int frames = g->job->frame_count;
    float bounds[2] = {times[0], times[frames - 1]};
    int input = add_accessor(g, frames, FLOATS, "SCALAR", 1, 0, bounds);
    int output = add_accessor(g, frames * g->target_count, FLOATS, "SCALAR", 1, 0, NULL);
    json_t* channels = json_array();
    for (size_t b = 0; b < json_array_size(nodes_of_bodies); b++)
        json_array_append_new(channels,
                              json_pack("{s:i, s:{s:O, s:s}}", "sampler", 0, "target", "node",
                                        json_array_get(nodes_of_bodies, b), "path", "weights"));
    return json_pack("{s:s, s:o, s:[{s:i, s:i, s:s}]}", "name", "run", "channels", channels,
                     "samplers", "input", input, "output", output, "interpolation", "LINEAR");
}

static json_t* root_node(const pl_record_head* head, json_t* children) {
    json_t* root = json_pack("{s:s, s:O}", "name", "pliant", "children", children);
    const double half = 0.70710678118654752; // a quarter turn that brings the up axis to y
    if (head->up_axis == 2)
        json_object_set_new(root, "rotation", json_pack("[f,f,f,f]", -half, 0.0, 0.0, half));
    if (head->up_axis == 0)
        json_object_set_new(root, "rotation", json_pack("[f,f,f,f]", 0.0, 0.0, half, half));
    return root;
}

// the whole document; bodies without triangles have no mesh and are left out
static json_t* describe(glb* g, const float* times) {
    g->views = json_array();
    g->accessors = json_array();
    g->materials = json_array();
    json_t *meshes = json_array(), *nodes = json_array();
    json_t* children = json_array();
    json_array_append_new(nodes, json_null()); // the root, when its children are known
    for (int b = 0; b < g->job->head->body_count; b++) {
        if (g->bodies[b].index_count == 0) continue;
        json_array_append_new(meshes, describe_mesh(g, b));
        json_array_append_new(nodes, json_pack("{s:s, s:i}", "name", g->job->names[b], "mesh",
                                               (int)json_array_size(meshes) - 1));
        json_array_append_new(children, json_integer((json_int_t)json_array_size(nodes) - 1));
    }
    json_array_set_new(nodes, 0, root_node(g->job->head, children));
    json_t* document =
        json_pack("{s:{s:s, s:s}, s:i, s:[{s:[i]}], s:o, s:o, s:o}", "asset", "version", "2.0",
                  "generator", "pliant", "scene", 0, "scenes", "nodes", 0, "nodes", nodes, "meshes",
                  meshes, "materials", g->materials);
    if (g->target_count > 0)
        json_object_set_new(document, "animations",
                            json_pack("[o]", describe_animation(g, children, times)));
    json_object_set_new(document, "accessors", g->accessors);
    json_object_set_new(document, "bufferViews", g->views);
    json_object_set_new(document, "buffers",
                        json_pack("[{s:I}]", "byteLength", (json_int_t)g->size));
    json_decref(children);
    return document;
}

static void put_word(pl_sink* sink, uint64_t value) {
    for (int k = 0; k < 4; k++) pl_sink_char(sink, (char)(value >> 8 * k));
}

static void put_floats(pl_sink* sink, float* values, size_t count) {
    pl_plr_swap_floats(values, count);
    pl_sink_bytes(sink, values, 4 * count);
    pl_plr_swap_floats(values, count);
}

// second pass over one body
static pl_status write_body(glb* g, int b, pl_sink* sink, pl_error* error) {
    pl_glb_body* body = &g->bodies[b];
    size_t n = 3 * (size_t)body->vertex_count;
    if (body->index_count == 0) return PL_OK;
    for (int i = 0; i < body->index_count; i++) put_word(sink, (uint64_t)body->indices[i]);
    put_floats(sink, body->first_positions, n);
    put_floats(sink, body->first_normals, n);
    if (body->uvs) put_floats(sink, body->uvs, 2 * (size_t)body->vertex_count);
    for (int i = 1; i <= g->target_count; i++) {
        pl_status status = pl_export_load(g->job, i, error);
        if (status != PL_OK) return status;
        pl_glb_body_load(body, pl_recording_positions(g->job->recording, b), false);
        put_floats(sink, body->positions, n);
        put_floats(sink, body->normals, n);
    }
    return PL_OK;
}

static void write_weights(const glb* g, float* times, pl_sink* sink) {
    if (g->target_count == 0) return;
    put_floats(sink, times, (size_t)g->job->frame_count);
    for (int i = 0; i < g->job->frame_count; i++)
        for (int k = 1; k <= g->target_count; k++) {
            float weight = i == k ? 1.0f : 0.0f;
            put_floats(sink, &weight, 1);
        }
}

static pl_status write_file(glb* g, const char* text, float* times, pl_error* error) {
    pl_sink* sink;
    pl_status status = pl_sink_create(g->job->path, &sink, error);
    if (status != PL_OK) return status;
    uint64_t size = strlen(text), padded = (size + 3) / 4 * 4;
    pl_sink_text(sink, "glTF");
    put_word(sink, 2);
    put_word(sink, 12 + 8 + padded + 8 + g->size);
    put_word(sink, padded);
    pl_sink_text(sink, "JSON");
    pl_sink_text(sink, text);
    for (uint64_t i = size; i < padded; i++) pl_sink_char(sink, ' ');
    put_word(sink, g->size);
    pl_sink_bytes(sink, "BIN", 4);
    for (int b = 0; status == PL_OK && b < g->job->head->body_count; b++)
        status = write_body(g, b, sink, error);
    write_weights(g, times, sink);
    pl_status closed = pl_sink_close(sink, status == PL_OK, status == PL_OK ? error : NULL);
    return status == PL_OK ? closed : status;
}

// bytes of the binary part, before anything is made
static uint64_t total_size(const glb* g) {
    uint64_t frames = (uint64_t)g->job->frame_count, size = 4 * frames * frames;
    for (int b = 0; b < g->job->head->body_count; b++)
        size += (uint64_t)g->bodies[b].vertex_count * (24 * frames + 8) +
                4 * (uint64_t)g->bodies[b].index_count;
    return size;
}

static pl_status export_all(glb* g, pl_error* error) {
    if (total_size(g) > UINT32_MAX - (UINT64_C(1) << 28))
        return pl_fail(error, PL_ERROR_LIMIT,
                       "%s: %d frames do not fit into a .glb file of 4 GB; take fewer (--every)",
                       g->job->path, g->job->frame_count);
    pl_status status = measure(g, error);
    if (status != PL_OK) return status;
    float* times = PL_ALLOC(float, g->job->frame_count);
    if (!times) return pl_fail_memory(error, g->job->path);
    fill_times(g, times);
    json_t* document = describe(g, times);
    char* text = document ? json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    status = text ? write_file(g, text, times, error) : pl_fail_memory(error, g->job->path);
    free(text);
    json_decref(document);
    PL_FREE(times, float, g->job->frame_count);
    return status;
}

pl_status pl_export_glb(const pl_export_job* job, pl_error* error) {
    int bodies = job->head->body_count;
    size_t bound_count = 6 * (size_t)bodies * (size_t)job->frame_count;
    glb g = {.job = job, .target_count = job->frame_count - 1};
    g.bodies = PL_ALLOC(pl_glb_body, bodies);
    g.bounds = PL_ALLOC(float, bound_count);
    pl_status status = PL_OK;
    bool drawable = false;
    if (bodies > 0 && (!g.bodies || !g.bounds)) status = pl_fail_memory(error, job->path);
    for (int b = 0; status == PL_OK && b < bodies; b++) {
        status = pl_glb_body_create(&job->head->bodies[b], &g.bodies[b], error);
        drawable = drawable || g.bodies[b].index_count > 0;
    }
    if (status == PL_OK && !drawable)
        status =
            pl_fail(error, PL_ERROR_UNSUPPORTED,
                    "%s: no body has triangles, so there is nothing for glTF to show", job->path);
    if (status == PL_OK) status = export_all(&g, error);
    for (int b = 0; g.bodies && b < bodies; b++) pl_glb_body_free(&g.bodies[b]);
    PL_FREE(g.bodies, pl_glb_body, bodies);
    PL_FREE(g.bounds, float, bound_count);
    return status;
}
