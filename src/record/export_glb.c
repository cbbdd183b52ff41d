// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// An animated glTF 2.0 file in one piece (.glb). The first frame is the mesh; every later frame is
// a morph target, the difference of positions and normals from the first, and the animation gives
// each frame's target the weight 1 at its time, with linear change between. glTF has y up and one
// texture coordinate per vertex, so the scene is rotated and vertices are split at seams. Each
// material of a surface becomes a primitive of its mesh, with its name. Colliders come after the
// bodies and move by animated nodes.
//
// The JSON part comes first in the file and needs the bounds of everything, so the recording is
// read twice: once for the bounds, once for the bytes.
#include "base/memory.h"
#include "mesh/mesh_sink.h"
#include "record/colormap.h"
#include "record/export.h"
#include "record/glb_colliders.h"
#include "record/plr_format.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

enum { FLOATS = 5126, WORDS = 5125, VERTEX_DATA = 34962, INDEX_DATA = 34963 };

// Meshes are numbered consecutively: the bodies, then the colliders.
typedef struct glb {
    const pl_export_job* job;
    int target_count; // morph targets of meshes that change shape
    pl_glb_body* bodies;
    pl_glb_colliders colliders;
    float* bounds; // per mesh and frame: bounds of what is written for it, 6 numbers
    size_t bound_count;
    json_t *views, *accessors, *materials;
    uint64_t size; // of the binary part so far
} glb;

static int body_count(const glb* g) { return g->job->head->body_count; }
static int mesh_count(const glb* g) { return body_count(g) + g->colliders.count; }

// the collider of a mesh, or NULL for a body
static pl_glb_collider* collider_of(const glb* g, int m) {
    return m < body_count(g) ? NULL : &g->colliders.items[m - body_count(g)];
}
static pl_glb_body* mesh_of(const glb* g, int m) {
    pl_glb_collider* collider = collider_of(g, m);
    return collider ? &collider->mesh : &g->bodies[m];
}
static const char* name_of(const glb* g, int m) {
    return m < body_count(g) ? g->job->names[m] : collider_of(g, m)->name;
}
static int target_count(const glb* g, int m) {
    const pl_glb_collider* collider = collider_of(g, m);
    return !collider || collider->deforms ? g->target_count : 0;
}

static float* bounds_of(const glb* g, int m, int i) {
    return g->bounds + 6 * ((size_t)m * (size_t)g->job->frame_count + (size_t)i);
}

static void find_bounds(const float* values, int count, float* bounds) {
    for (int k = 0; k < 3; k++) bounds[k] = INFINITY, bounds[3 + k] = -INFINITY;
    for (int i = 0; i < 3 * count; i++) {
        if (values[i] < bounds[i % 3]) bounds[i % 3] = values[i];
        if (values[i] > bounds[3 + i % 3]) bounds[3 + i % 3] = values[i];
    }
}

// loads a mesh as it is in the frame that pl_export_load loaded
static void load_mesh(const glb* g, int m, int i) {
    if (collider_of(g, m)) pl_glb_collider_load(&g->colliders, m - body_count(g), i, i == 0);
    else pl_glb_body_load(&g->bodies[m], pl_recording_positions(g->job->recording, m), i == 0);
}

// first pass: keeps the first frame, and the bounds of the differences in the others
static void measure_mesh(glb* g, int m, int i) {
    load_mesh(g, m, i);
    find_bounds(mesh_of(g, m)->positions, mesh_of(g, m)->vertex_count, bounds_of(g, m, i));
}

static pl_status measure(glb* g, pl_error* error) {
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < g->job->frame_count; i++) {
        pl_status status = pl_export_load(g->job, i, error);
        if (status != PL_OK) return status;
        for (int b = 0; b < body_count(g); b++) {
            measure_mesh(g, b, i);
            const float *first = bounds_of(g, b, 0), *change = bounds_of(g, b, i);
            for (int k = 0; k < 3 && g->bodies[b].vertex_count > 0; k++) {
                low[k] = fminf(low[k], first[k] + (i > 0 ? change[k] : 0.0f));
                high[k] = fmaxf(high[k], first[3 + k] + (i > 0 ? change[3 + k] : 0.0f));
            }
        }
    }
    pl_status status = pl_glb_colliders_create(g->job, low, high, &g->colliders, error);
    if (status != PL_OK) return status;
    size_t count = 6 * (size_t)mesh_count(g) * (size_t)g->job->frame_count;
    float* bounds = PL_ALLOC(float, count);
    if (!bounds) return pl_fail_memory(error, g->job->path);
    memcpy(bounds, g->bounds, g->bound_count * sizeof(float));
    PL_FREE(g->bounds, float, g->bound_count);
    g->bounds = bounds;
    g->bound_count = count;
    for (int m = body_count(g); m < mesh_count(g); m++)
        for (int i = 0; i <= target_count(g, m); i++) measure_mesh(g, m, i);
    return PL_OK;
}

static json_t* number_list(const float* values, int count) {
    json_t* list = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(list, json_real((double)values[i]));
    return list;
}

// adds a view and an accessor for the next count items; returns the accessor's number
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

static json_t* pack_material(const float color[3]) {
    return json_pack("{s:{s:[f,f,f,f], s:f, s:f}, s:b}", "pbrMetallicRoughness", "baseColorFactor",
                     (double)color[0], (double)color[1], (double)color[2], 1.0, "metallicFactor",
                     0.0, "roughnessFactor", 0.55, "doubleSided", 1);
}

// adds the material of a body or of one of its regions (colliders are grey); returns its number
static int add_material(glb* g, int m, int region) {
    static const float quiet[3] = {0.40f, 0.42f, 0.45f};
    if (collider_of(g, m)) return append(g->materials, pack_material(quiet));
    const pl_record_body* body = &g->job->head->bodies[m];
    float color[3];
    bool chosen = pl_record_has_color(body);
    pl_palette_color(m + region + 1, color);
    for (int k = 0; k < 3 && chosen; k++) color[k] = pl_linear_of_srgb(body->color[k]);
    json_t* material = pack_material(color);
    // glTF is UTF-8 throughout; other names are left out
    json_t* name = region >= 0 ? json_string(body->region_names[region]) : NULL;
    if (name) json_object_set_new(material, "name", name);
    return append(g->materials, material);
}

static json_t* describe_targets(glb* g, int m) {
    json_t* targets = json_array();
    int n = mesh_of(g, m)->vertex_count;
    for (int i = 1; i <= target_count(g, m); i++) {
        int moved = add_accessor(g, n, FLOATS, "VEC3", 3, VERTEX_DATA, bounds_of(g, m, i));
        int turned = add_accessor(g, n, FLOATS, "VEC3", 3, VERTEX_DATA, NULL);
        json_array_append_new(targets,
                              json_pack("{s:i, s:i}", "POSITION", moved, "NORMAL", turned));
    }
    return targets;
}

// A mesh: accessors in the order in which write_mesh puts the bytes. All materials use
// the same vertices.
static json_t* describe_mesh(glb* g, int m) {
    const pl_glb_body* body = mesh_of(g, m);
    int n = body->vertex_count;
    json_t *primitives = json_array(), *attributes = json_object();
    for (int p = 0; p < body->part_count; p++) {
        int indices = add_accessor(g, body->part_counts[p], WORDS, "SCALAR", 1, INDEX_DATA, NULL);
        int material = add_material(g, m, body->part_regions[p]);
        append(primitives, json_pack("{s:O, s:i, s:i}", "attributes", attributes, "indices",
                                     indices, "material", material));
    }
    int positions = add_accessor(g, n, FLOATS, "VEC3", 3, VERTEX_DATA, bounds_of(g, m, 0));
    json_object_set_new(attributes, "POSITION", json_integer(positions));
    int normals = add_accessor(g, n, FLOATS, "VEC3", 3, VERTEX_DATA, NULL);
    json_object_set_new(attributes, "NORMAL", json_integer(normals));
    if (body->uvs)
        json_object_set_new(attributes, "TEXCOORD_0",
                            json_integer(add_accessor(g, n, FLOATS, "VEC2", 2, VERTEX_DATA, NULL)));
    json_t* targets = describe_targets(g, m);
    for (int p = 0; target_count(g, m) > 0 && p < body->part_count; p++)
        json_object_set(json_array_get(primitives, (size_t)p), "targets", targets);
    json_decref(targets);
    json_decref(attributes);
    return json_pack("{s:s, s:o}", "name", name_of(g, m), "primitives", primitives);
}

// times of the frames, starting at 0 and made ascending
static void fill_times(const glb* g, float* times) {
    for (int i = 0; i < g->job->frame_count; i++) {
        times[i] = (float)(pl_export_time(g->job, i) - pl_export_time(g->job, 0));
        if (i == 0) times[i] = 0.0f;
        else if (!(times[i] > times[i - 1])) times[i] = times[i - 1] + 0.001f;
    }
}

// adds a sampler and the channel that uses it
static void add_channel(json_t* animation, int node, const char* path, int input, int output) {
    int sampler = append(
        json_object_get(animation, "samplers"),
        json_pack("{s:i, s:i, s:s}", "input", input, "output", output, "interpolation", "LINEAR"));
    append(
        json_object_get(animation, "channels"),
        json_pack("{s:i, s:{s:i, s:s}}", "sampler", sampler, "target", "node", node, "path", path));
}

// nodes: of each mesh, -1 for none. Accessors in the order in which write_motion puts the bytes.
static json_t* describe_animation(glb* g, const int* nodes, const float* times) {
    int frames = g->job->frame_count;
    float bounds[2] = {times[0], times[frames - 1]};
    int input = add_accessor(g, frames, FLOATS, "SCALAR", 1, 0, bounds);
    int weights = add_accessor(g, frames * g->target_count, FLOATS, "SCALAR", 1, 0, NULL);
    json_t* animation = json_pack("{s:s, s:[], s:[]}", "name", "run", "channels", "samplers");
    for (int m = 0; m < mesh_count(g); m++) {
        if (nodes[m] < 0) continue;
        if (target_count(g, m) > 0) add_channel(animation, nodes[m], "weights", input, weights);
        if (!collider_of(g, m) || !collider_of(g, m)->moves) continue;
        int places = add_accessor(g, frames, FLOATS, "VEC3", 3, 0, NULL);
        int turns = add_accessor(g, frames, FLOATS, "VEC4", 4, 0, NULL);
        add_channel(animation, nodes[m], "translation", input, places);
        add_channel(animation, nodes[m], "rotation", input, turns);
    }
    return animation;
}

// a node with a mesh, at its position in the first frame
static json_t* describe_node(const glb* g, int m, int mesh) {
    json_t* node = json_pack("{s:s, s:i}", "name", name_of(g, m), "mesh", mesh);
    const pl_glb_collider* c = collider_of(g, m);
    if (c && c->translations) {
        json_object_set_new(node, "translation", number_list(c->translations, 3));
        json_object_set_new(node, "rotation", number_list(c->rotations, 4));
    }
    return node;
}

static json_t* root_node(const pl_record_head* head, json_t* children) {
    json_t* root = json_pack("{s:s, s:O}", "name", "pliant", "children", children);
    const double half = 0.70710678118654752; // a quarter turn that maps the up axis to y
    if (head->up_axis == 2)
        json_object_set_new(root, "rotation", json_pack("[f,f,f,f]", -half, 0.0, 0.0, half));
    if (head->up_axis == 0)
        json_object_set_new(root, "rotation", json_pack("[f,f,f,f]", 0.0, 0.0, half, half));
    return root;
}

// the whole document; meshes without triangles are left out. node_of: gets the node of each mesh
static json_t* describe(glb* g, const float* times, int* node_of) {
    g->views = json_array();
    g->accessors = json_array();
    g->materials = json_array();
    json_t *meshes = json_array(), *nodes = json_array();
    json_t* children = json_array();
    json_array_append_new(nodes, json_null()); // the root, set once its children are known
    for (int m = 0; m < mesh_count(g); m++) {
        node_of[m] = -1;
        if (mesh_of(g, m)->index_count == 0) continue;
        int mesh = append(meshes, describe_mesh(g, m));
        node_of[m] = append(nodes, describe_node(g, m, mesh));
        json_array_append_new(children, json_integer(node_of[m]));
    }
    json_array_set_new(nodes, 0, root_node(g->job->head, children));
    json_t* document =
        json_pack("{s:{s:s, s:s}, s:i, s:[{s:[i]}], s:o, s:o, s:o}", "asset", "version", "2.0",
                  "generator", "pliant", "scene", 0, "scenes", "nodes", 0, "nodes", nodes, "meshes",
                  meshes, "materials", g->materials);
    if (g->target_count > 0)
        json_object_set_new(document, "animations",
                            json_pack("[o]", describe_animation(g, node_of, times)));
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

// second pass over one mesh
static pl_status write_mesh(glb* g, int m, pl_sink* sink, pl_error* error) {
    pl_glb_body* mesh = mesh_of(g, m);
    size_t n = 3 * (size_t)mesh->vertex_count;
    if (mesh->index_count == 0) return PL_OK;
    for (int i = 0; i < mesh->index_count; i++) put_word(sink, (uint64_t)mesh->indices[i]);
    put_floats(sink, mesh->first_positions, n);
    put_floats(sink, mesh->first_normals, n);
    if (mesh->uvs) put_floats(sink, mesh->uvs, 2 * (size_t)mesh->vertex_count);
    for (int i = 1; i <= target_count(g, m); i++) {
        pl_status status = collider_of(g, m) ? PL_OK : pl_export_load(g->job, i, error);
        if (status != PL_OK) return status;
        load_mesh(g, m, i);
        put_floats(sink, mesh->positions, n);
        put_floats(sink, mesh->normals, n);
    }
    return PL_OK;
}

static void write_motion(const glb* g, float* times, pl_sink* sink) {
    const size_t frames = (size_t)g->job->frame_count;
    if (g->target_count == 0) return;
    put_floats(sink, times, frames);
    for (int i = 0; i < g->job->frame_count; i++)
        for (int k = 1; k <= g->target_count; k++) {
            float weight = i == k ? 1.0f : 0.0f;
            put_floats(sink, &weight, 1);
        }
    for (int k = 0; k < g->colliders.count; k++) {
        pl_glb_collider* c = &g->colliders.items[k];
        if (!c->moves || c->mesh.index_count == 0) continue;
        put_floats(sink, c->translations, 3 * frames);
        put_floats(sink, c->rotations, 4 * frames);
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
    for (int m = 0; status == PL_OK && m < mesh_count(g); m++)
        status = write_mesh(g, m, sink, error);
    write_motion(g, times, sink);
    pl_status closed = pl_sink_close(sink, status == PL_OK, status == PL_OK ? error : NULL);
    return status == PL_OK ? closed : status;
}

// bytes of the binary part
static uint64_t total_size(const glb* g) {
    uint64_t frames = (uint64_t)g->job->frame_count, size = 4 * frames * frames;
    for (int m = 0; m < mesh_count(g); m++) {
        uint64_t targets = (uint64_t)target_count(g, m) + 1;
        size += (uint64_t)mesh_of(g, m)->vertex_count * (24 * targets + 8) +
                4 * (uint64_t)mesh_of(g, m)->index_count + 28 * frames;
    }
    return size;
}

static pl_status check_size(const glb* g, pl_error* error) {
    if (total_size(g) <= UINT32_MAX - (UINT64_C(1) << 28)) return PL_OK;
    return pl_fail(error, PL_ERROR_LIMIT,
                   "%s: %d frames do not fit into a .glb file of 4 GB; take fewer (--every)",
                   g->job->path, g->job->frame_count);
}

static pl_status export_all(glb* g, pl_error* error) {
    pl_status status = check_size(g, error); // before anything is written, with colliders counted
    if (status == PL_OK) status = measure(g, error);
    if (status == PL_OK) status = check_size(g, error);
    if (status != PL_OK) return status;
    float* times = PL_ALLOC(float, g->job->frame_count);
    int* nodes = PL_ALLOC(int, mesh_count(g));
    json_t* document = NULL;
    if (times && nodes) {
        fill_times(g, times);
        document = describe(g, times, nodes);
    }
    char* text = document ? json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    status = text ? write_file(g, text, times, error) : pl_fail_memory(error, g->job->path);
    free(text);
    json_decref(document);
    PL_FREE(times, float, g->job->frame_count);
    PL_FREE(nodes, int, mesh_count(g));
    return status;
}

pl_status pl_export_glb(const pl_export_job* job, pl_error* error) {
    int bodies = job->head->body_count;
    glb g = {.job = job,
             .target_count = job->frame_count - 1,
             .bound_count = 6 * (size_t)bodies * (size_t)job->frame_count};
    g.bodies = PL_ALLOC(pl_glb_body, bodies);
    g.bounds = PL_ALLOC(float, g.bound_count);
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
    pl_glb_colliders_free(&g.colliders);
    PL_FREE(g.bodies, pl_glb_body, bodies);
    PL_FREE(g.bounds, float, g.bound_count);
    return status;
}
