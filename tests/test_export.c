// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/memory.h"
#include "geometry/box.h"
#include "math/mat3.h"
#include "mesh/mesh_source.h"
#include "record/export.h"
#include "record/run_folder.h"
#include "run_samples.h"
#include "sample_recording.h"
#include "test.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { FRAMES = 4 };

// a cloth that two sides pull apart
static const char torn_scene[] =
    "{\"pliant\": 1, \"frames\": 20, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"cloth\","
    " \"generate\": {\"shape\": \"cloth\", \"size_x\": 1, \"size_y\": 1, \"count_x\": 9,"
    " \"count_y\": 9}, \"method\": \"pbd\", \"hierarchy\": 2, \"pbd\": {\"tear\": 1.3}}],"
    " \"attachments\": [{\"body\": \"cloth\", \"where\": {\"side\": \"-x\"}}, {\"body\": \"cloth\","
    " \"where\": {\"side\": \"+x\"}, \"motion\": {\"keyframes\": [{\"time\": 0}, {\"time\": 0.3,"
    " \"translate\": [2, 0, 0]}]}}]}";

typedef struct run {
    sample_recording sample;
    pl_recording* recording;
    char path[1024];
} run;

static void begin(run* r, int levels) {
    sample_recording_begin(&r->sample, levels);
    snprintf(r->path, sizeof r->path, "%s", pl_test_path("frames.plr"));
    size_t size;
    uint8_t* bytes = sample_recording_bytes(&r->sample, r->path, true, FRAMES, &size);
    pl_free(bytes, size);
    pl_error error;
    CHECK_OK(pl_recording_open(r->path, &r->recording, NULL, &error), &error);
}

static void end(run* r) {
    pl_recording_close(r->recording);
    sample_recording_end(&r->sample);
}

static void export_to(run* r, const char* format, const char* name, int every) {
    pl_error error;
    pl_export_options options = {.every = every};
    CHECK_OK(pl_export(r->recording, pl_export_format_of(format), pl_test_path(name), &options,
                       NULL, &error),
             &error);
}

static pl_source load(const char* name) {
    pl_source source;
    pl_error error;
    CHECK_OK(pl_source_load(pl_test_path(name), 0, &source, &error), &error);
    source.path = "";
    return source;
}

static pl_mesh* read_back(const char* name) {
    pl_mesh* mesh;
    pl_error error;
    CHECK_OK(pl_mesh_read(pl_test_path(name), NULL, &mesh, NULL, &error), &error);
    return mesh;
}

static void check_positions(run* r, int body, int frame, const pl_mesh* mesh) {
    sample_recording_frame(&r->sample, frame);
    CHECK_INT(mesh->vertex_count, r->sample.bodies[body].vertex_count);
    for (int i = 0; i < mesh->vertex_count; i++)
        for (int k = 0; k < 3; k++)
            CHECK((float)mesh->positions[3 * i + k] ==
                  sample_recording_expected(&r->sample, body, i, k));
}

TEST(export_series_read_back)
{
    run r;
    begin(&r, 1);
    const char* formats[] = {"vtu", "ply", "obj"};
    for (int f = 0; f < 3; f++) {
        export_to(&r, formats[f], formats[f], 1);
        for (int i = 0; i < FRAMES; i++)
            for (int b = 0; b < 2; b++) {
                char name[80];
                snprintf(name, sizeof name, "%s/%s_%05d.%s", formats[f], b ? "flag" : "ball", i,
                         formats[f]);
                pl_mesh* mesh = read_back(name);
                check_positions(&r, b, i, mesh);
                CHECK_INT(mesh->triangle_count, r.sample.bodies[b].triangle_count);
                if (f == 0 && b == 0) {
                    const pl_field* speed = pl_mesh_field(mesh, PL_ELEMENT_VERTEX, "speed");
                    CHECK(speed && (float)speed->values[3] == (float)r.sample.values[0][7]);
                    const pl_field* stress = pl_mesh_field(mesh, PL_ELEMENT_TRIANGLE, "stress");
                    CHECK(stress && stress->components == 2);
                    CHECK_NEAR(stress->values[5], i + 2.5, 0.0);
                }
                if (f == 2 && b == 1) {
                    CHECK_INT(mesh->uv_count, r.sample.bodies[1].uv_count);
                    for (int k = 0; k < 2 * mesh->uv_count; k++)
                        CHECK((float)mesh->uvs[k] == r.sample.flag_uvs[k]);
                }
                pl_mesh_destroy(mesh);
            }
    }
    end(&r);
}

TEST(export_index_lists_every_frame_also_after_going_on)
{
    run r;
    begin(&r, 0);
    export_to(&r, "vtu", "vtu", 1);
    pl_recording_close(r.recording);
    // the run goes on, and the index with it
    pl_recorder* recorder;
    pl_error error;
    CHECK_OK(pl_recorder_reopen(r.path, &r.sample.head, true, FRAMES, &recorder, &error), &error);
    sample_recording_frame(&r.sample, FRAMES);
    CHECK_OK(pl_recorder_append(recorder, 0.04 * FRAMES, r.sample.frame, &error), &error);
    CHECK_OK(pl_recorder_close(recorder, &error), &error);
    CHECK_OK(pl_recording_open(r.path, &r.recording, NULL, &error), &error);
    export_to(&r, "vtu", "vtu", 1);
    pl_source index = load("vtu/run.pvd");
    int count = 0;
    for (const char* at = index.data; (at = strstr(at, "<DataSet ")); at++) {
        char file[64];
        double time;
        int part;
        CHECK(sscanf(at, "<DataSet timestep=\"%lf\" group=\"\" part=\"%d\" file=\"%63[^\"]\"/>",
                     &time, &part, file) == 3);
        CHECK_NEAR(time, 0.04 * (count / 2), 1e-12);
        CHECK_INT(part, count % 2);
        char name[80];
        snprintf(name, sizeof name, "vtu/%s", file);
        CHECK(access(pl_test_path(name), R_OK) == 0);
        count++;
    }
    CHECK_INT(count, 2 * (FRAMES + 1));
    pl_source_free(&index);
    end(&r);
}

TEST(export_pc2_has_every_sample)
{
    run r;
    begin(&r, 1);
    export_to(&r, "pc2", "pc2", 2);
    pl_source cache = load("pc2/ball.pc2");
    int n = r.sample.bodies[0].vertex_count;
    CHECK_INT(cache.size, 32 + 2 * 12 * n);
    CHECK(memcmp(cache.data, "POINTCACHE2", 12) == 0);
    int32_t words[5];
    float rate;
    memcpy(words, cache.data + 12, 20);
    memcpy(&rate, cache.data + 24, 4);
    CHECK(words[0] == 1 && words[1] == n && words[4] == 2 && rate == 1.0f);
    sample_recording_frame(&r.sample, 2);
    for (int i = 0; i < 3 * n; i++) {
        float x;
        memcpy(&x, cache.data + 32 + 4 * (3 * n + i), 4);
        CHECK(x == sample_recording_expected(&r.sample, 0, i / 3, i % 3));
    }
    pl_source_free(&cache);
    pl_source times = load("pc2/times.json");
    double per_second, first, second;
    CHECK(sscanf(times.data, "{\"samples_per_second\": %lf, \"times\": [%lf, %lf]}", &per_second,
                 &first, &second) == 3);
    CHECK_NEAR(per_second, 12.5, 1e-9); // every second frame of 25 a second
    CHECK(first == 0.0 && fabs(second - 0.08) < 1e-12);
    pl_source_free(&times);
    pl_mesh* rest = read_back("pc2/flag.obj");
    CHECK(rest->vertex_count == r.sample.flag->vertex_count && rest->uv_count > 0);
    for (int i = 0; i < 3 * rest->vertex_count; i++)
        CHECK((float)rest->positions[i] == r.sample.flag_rest[i]);
    pl_mesh_destroy(rest);
    end(&r);
}

TEST(export_csv_tables)
{
    run r;
    begin(&r, 1);
    export_to(&r, "csv", "run.csv", 1);
    pl_source table = load("run.csv");
    CHECK(strncmp(table.data, "frame,time,body,middle_x", 24) == 0);
    int lines = 0;
    for (size_t i = 0; i < table.size; i++) lines += table.data[i] == '\n';
    CHECK_INT(lines, 1 + 2 * FRAMES);
    CHECK_TEXT(table.data, "\n3,0.12,flag,");
    pl_source_free(&table);
    pl_error error;
    int vertices[] = {17, 2};
    pl_export_options options = {.every = 1, .vertex_count = 2, .vertices = vertices};
    CHECK_OK(
        pl_export(r.recording, PL_EXPORT_CSV, pl_test_path("track.csv"), &options, NULL, &error),
        &error);
    table = load("track.csv");
    CHECK(strncmp(table.data, "frame,time,ball.17.x,ball.17.y,", 31) == 0);
    double value;
    const char* second = strchr(table.data, '\n') + 1;
    CHECK(sscanf(second, "0,0,%lf", &value) == 1);
    sample_recording_frame(&r.sample, 0);
    CHECK((float)value == sample_recording_expected(&r.sample, 0, 17, 0));
    pl_source_free(&table);
    vertices[1] = 1000;
    CHECK_INT(pl_export(r.recording, PL_EXPORT_CSV, pl_test_path("x.csv"), &options, NULL, &error),
              PL_ERROR_ARGUMENT);
    CHECK_TEXT(error.text, "vertex 1000 is not recorded");
    end(&r);
}

// the floats of an accessor, which must lie in the binary part, with the bounds that it gives
static const float* accessor_floats(const json_t* document, const char* binary, size_t binary_size,
                                    json_t* number, int* count) {
    json_t* accessor =
        json_array_get(json_object_get(document, "accessors"), (size_t)json_integer_value(number));
    json_t* view =
        json_array_get(json_object_get(document, "bufferViews"),
                       (size_t)json_integer_value(json_object_get(accessor, "bufferView")));
    const char* shape = json_string_value(json_object_get(accessor, "type"));
    int components = shape[0] == 'S' ? 1 : shape[3] - '0';
    *count = components * (int)json_integer_value(json_object_get(accessor, "count"));
    size_t offset = (size_t)json_integer_value(json_object_get(view, "byteOffset"));
    size_t size = (size_t)json_integer_value(json_object_get(view, "byteLength"));
    CHECK(offset % 4 == 0 && size == 4 * (size_t)*count && offset + size <= binary_size);
    const float* values = (const float*)(const void*)(binary + offset);
    json_t *low = json_object_get(accessor, "min"), *high = json_object_get(accessor, "max");
    for (int k = 0; low && k < components; k++) {
        float least = INFINITY, most = -INFINITY;
        for (int i = k; i < *count; i += components)
            least = fminf(least, values[i]), most = fmaxf(most, values[i]);
        CHECK((float)json_real_value(json_array_get(low, (size_t)k)) == least);
        CHECK((float)json_real_value(json_array_get(high, (size_t)k)) == most);
    }
    return values;
}

TEST(export_glb_holds_every_frame)
{
    run r;
    begin(&r, 1);
    export_to(&r, "glb", "run.glb", 1);
    pl_source file = load("run.glb");
    uint32_t words[5];
    memcpy(words, file.data, 20);
    CHECK(words[0] == 0x46546c67 && words[1] == 2 && words[2] == file.size);
    CHECK(words[3] % 4 == 0 && words[4] == 0x4e4f534a);
    json_t* document = json_loadb(file.data + 20, words[3], 0, NULL);
    CHECK(document != NULL);
    // a copy that is aligned
    size_t size = file.size - 28 - words[3];
    char* binary = pl_alloc(size);
    memcpy(binary, file.data + 28 + words[3], size);
    for (int b = 0; b < 2; b++) {
        json_t* mesh = json_array_get(json_object_get(document, "meshes"), (size_t)b);
        // one for each material, -1 first; the regions of the ball go round from triangle to
        // triangle
        json_t* primitives = json_object_get(mesh, "primitives");
        const int parts = b == 0 ? 3 : 1;
        CHECK_INT(json_array_size(primitives), parts);
        int all = 0;
        for (int part = 0; part < parts; part++) {
            json_t* primitive = json_array_get(primitives, (size_t)part);
            json_t* attributes = json_object_get(primitive, "attributes");
            CHECK((json_object_get(attributes, "TEXCOORD_0") != NULL) == (b == 1));
            int count;
            const float* first = accessor_floats(document, binary, size,
                                                 json_object_get(attributes, "POSITION"), &count);
            CHECK_INT(count, 3 * r.sample.bodies[b].vertex_count);
            json_t* targets = json_object_get(primitive, "targets");
            CHECK_INT(json_array_size(targets), FRAMES - 1);
            const uint32_t* indices = (const uint32_t*)(const void*)accessor_floats(
                document, binary, size, json_object_get(primitive, "indices"), &count);
            all += count;
            for (int i = 0; i < FRAMES; i++) {
                sample_recording_frame(&r.sample, i);
                json_t* target = i > 0 ? json_array_get(targets, (size_t)(i - 1)) : NULL;
                int moved_count;
                const float* moved =
                    target ? accessor_floats(document, binary, size,
                                             json_object_get(target, "POSITION"), &moved_count)
                           : NULL;
                // by the corners of triangles, since vertices may have other numbers
                for (int k = 0; k < count; k++)
                    for (int c = 0; c < 3; c++) {
                        uint32_t v = indices[k];
                        int corner = 3 * (parts * (k / 3) + part) + k % 3;
                        float x = first[3 * v + (uint32_t)c];
                        if (moved) x += moved[3 * v + (uint32_t)c];
                        float expected = sample_recording_expected(
                            &r.sample, b, r.sample.bodies[b].triangles[corner], c);
                        CHECK_NEAR(x, expected, 1e-6);
                    }
            }
        }
        CHECK_INT(all, 3 * r.sample.bodies[b].triangle_count);
    }
    json_t* animation = json_array_get(json_object_get(document, "animations"), 0);
    json_t* sampler = json_array_get(json_object_get(animation, "samplers"), 0);
    int count;
    const float* times =
        accessor_floats(document, binary, size, json_object_get(sampler, "input"), &count);
    CHECK_INT(count, FRAMES);
    CHECK_NEAR(times[3], 0.12, 1e-6);
    accessor_floats(document, binary, size, json_object_get(sampler, "output"), &count);
    CHECK_INT(count, FRAMES * (FRAMES - 1));
    pl_free(binary, size);
    json_decref(document);
    pl_source_free(&file);
    end(&r);
}

// a box that falls far above colliders of all ways to move: one that grows, one that spins, one
// that goes up and down, one at rest
static const char moving_scene[] =
    "{\"pliant\": 1, \"frames\": 3, \"time_step\": 0.05, \"bodies\": [{\"generate\": "
    "{\"shape\": \"box\", \"size_x\": 0.3, \"size_y\": 0.3, \"size_z\": 0.3, \"edge\": 0.3}, "
    "\"transform\": {\"translate\": [0, 9, 0]}}],\n"
    " \"colliders\": [{\"name\": \"grows\", \"sphere\": {\"center\": [0, 0.5, 0], \"radius\": "
    "{\"keyframes\": [[0, 0.5], [1, 1]], \"interpolation\": \"linear\"}}},\n"
    " {\"name\": \"spins\", \"box\": {\"min\": [0.8, 0, -0.3], \"max\": [1.4, 0.5, 0.3]}, "
    "\"motion\": {\"spin_rate\": 2000}},\n"
    " {\"name\": \"swings\", \"capsule\": {\"from\": [-1.2, 0.2, 0.5], \"to\": [-1.2, 0.8, -0.5], "
    "\"radius\": 0.2}, \"motion\": {\"oscillations\": [{\"translate\": [0, 0.3, 0], \"rotate\": "
    "[40, 0, 10], \"frequency\": 1}]}},\n"
    " {\"name\": \"rests\", \"torus\": {\"center\": [0, 0.2, 1.3], \"radius\": 0.5, \"tube\": "
    "0.15}}, {\"plane\": {}}]}";

typedef struct glb_file {
    pl_source file;
    json_t* document;
    char* binary;
    size_t size;
} glb_file;

static glb_file open_glb(const char* name) {
    glb_file g = {.file = load(name)};
    uint32_t json_size;
    memcpy(&json_size, g.file.data + 12, 4);
    g.document = json_loadb(g.file.data + 20, json_size, 0, NULL);
    CHECK(g.document != NULL);
    g.size = g.file.size - 28 - json_size;
    g.binary = pl_alloc(g.size);
    memcpy(g.binary, g.file.data + 28 + json_size, g.size);
    return g;
}

static void close_glb(glb_file* g) {
    pl_free(g->binary, g->size);
    json_decref(g->document);
    pl_source_free(&g->file);
}

static const float* glb_floats(const glb_file* g, json_t* accessor) {
    int count;
    return accessor_floats(g->document, g->binary, g->size, accessor, &count);
}

// what a channel of the animation gives a node in a frame, or NULL
static const float* glb_motion(const glb_file* g, int node, const char* what, int frame) {
    json_t *animation = json_array_get(json_object_get(g->document, "animations"), 0), *channel;
    size_t i;
    json_array_foreach(json_object_get(animation, "channels"), i, channel) {
        json_t* target = json_object_get(channel, "target");
        if (json_integer_value(json_object_get(target, "node")) != node) continue;
        if (strcmp(json_string_value(json_object_get(target, "path")), what) != 0) continue;
        json_t* sampler =
            json_array_get(json_object_get(animation, "samplers"),
                           (size_t)json_integer_value(json_object_get(channel, "sampler")));
        int width = what[0] == 't' ? 3 : 4;
        return glb_floats(g, json_object_get(sampler, "output")) + width * frame;
    }
    return NULL;
}

// corner k of the triangles of a node's mesh in a frame, as a player shows it
static pl_vec3 glb_corner(const glb_file* g, int node, int frame, int k) {
    json_t* item = json_array_get(json_object_get(g->document, "nodes"), (size_t)node);
    json_t* mesh = json_array_get(json_object_get(g->document, "meshes"),
                                  (size_t)json_integer_value(json_object_get(item, "mesh")));
    json_t* primitive = json_array_get(json_object_get(mesh, "primitives"), 0);
    const uint32_t* indices =
        (const uint32_t*)(const void*)glb_floats(g, json_object_get(primitive, "indices"));
    const float* at =
        glb_floats(g, json_object_get(json_object_get(primitive, "attributes"), "POSITION"));
    const float* p = at + 3 * indices[k];
    pl_vec3 x = {p[0], p[1], p[2]};
    json_t* targets = json_object_get(primitive, "targets");
    if (targets && frame > 0) {
        json_t* target = json_array_get(targets, (size_t)(frame - 1));
        p = glb_floats(g, json_object_get(target, "POSITION")) + 3 * indices[k];
        x = pl_add(x, (pl_vec3){p[0], p[1], p[2]});
    }
    const float *turn = glb_motion(g, node, "rotation", frame),
                *place = glb_motion(g, node, "translation", frame);
    if (!turn || !place) return x;
    pl_mat3 rotation =
        pl_quat_to_mat3((pl_quat){.x = turn[0], .y = turn[1], .z = turn[2], .w = turn[3]});
    return pl_add(pl_mat3_apply(&rotation, x), (pl_vec3){place[0], place[1], place[2]});
}

static pl_show* open_moving_run(void) {
    pl_scene* scene = sample_scene(moving_scene);
    pl_run* made;
    pl_error error;
    pl_frame_info info;
    CHECK_OK(pl_run_start(scene, pl_test_path("run"), false, &made, NULL, &error), &error);
    while (!pl_run_is_done(made)) CHECK_OK(pl_run_frame(made, &info, &error), &error);
    CHECK_OK(pl_run_close(made, &error), &error);
    pl_scene_destroy(scene);
    pl_show* show;
    CHECK_OK(pl_show_open_run(pl_test_path("run"), &show, NULL, &error), &error);
    CHECK_OK(pl_show_add_colliders(show, pl_test_path("run"), NULL, &error), &error);
    return show;
}

LONG_TEST(export_glb_moves_colliders_as_pictures_do)
{
    pl_show* show = open_moving_run();
    pl_error error;
    pl_export_options options = {.every = 1, .show = show};
    CHECK_OK(pl_export(pl_show_recording(show), PL_EXPORT_GLB, pl_test_path("run.glb"), &options,
                       NULL, &error),
             &error);
    glb_file g = open_glb("run.glb");
    json_t* nodes = json_object_get(g.document, "nodes");
    const char* names[] = {"grows", "spins", "swings", "rests", "ground"};
    CHECK_INT(json_array_size(nodes), 2 + 5); // the root, the box, the colliders
    for (int frame = 0; frame < 4; frame++) {
        const pl_render_scene* scene;
        CHECK_OK(pl_show_load(show, frame, &scene, &error), &error);
        for (int c = 0; c < 4; c++) {
            const pl_render_body* b = &scene->bodies[1 + c];
            json_t* node = json_array_get(nodes, (size_t)(2 + c));
            CHECK_TEXT(json_string_value(json_object_get(node, "name")), names[c]);
            for (int k = 0; k < 3 * b->triangle_count; k += 7) {
                pl_vec3 x = glb_corner(&g, 2 + c, frame, k);
                const float* p = b->positions + 3 * b->triangles[k];
                CHECK_NEAR(x.x, p[0], 2e-6);
                CHECK_NEAR(x.y, p[1], 2e-6);
                CHECK_NEAR(x.z, p[2], 2e-6);
            }
        }
    }
    // the ground is below all of it; what rests has no channel, what keeps its shape no target
    CHECK_NEAR(glb_corner(&g, 6, 0, 0).y, 0.0, 0.0);
    CHECK(!glb_motion(&g, 5, "translation", 0) && !glb_motion(&g, 6, "translation", 0));
    CHECK(glb_motion(&g, 2, "weights", 0) && !glb_motion(&g, 3, "weights", 0));
    // half a turn in a frame: signs of quaternions go on from frame to frame
    for (int frame = 1; frame < 4; frame++) {
        const float *a = glb_motion(&g, 3, "rotation", frame - 1),
                    *b = glb_motion(&g, 3, "rotation", frame);
        CHECK(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] >= 0.0f);
    }
    close_glb(&g);
    pl_show_close(show);
}

TEST(export_glb_with_colliders_survives_every_failing_allocation)
{
    pl_show* show = open_moving_run();
    pl_error error;
    pl_export_options options = {.every = 2, .show = show};
    size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth++) {
        pl_inject_failure(nth);
        pl_status status = pl_export(pl_show_recording(show), PL_EXPORT_GLB, pl_test_path("x.glb"),
                                     &options, NULL, &error);
        pl_inject_failure(0);
        CHECK_INT(pl_byte_count(), before);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
    }
    pl_show_close(show);
}

TEST(export_survives_every_failing_allocation)
{
    run r;
    begin(&r, 0);
    pl_error error;
    pl_export_options options = {.every = 2};
    for (int f = 0; f < PL_EXPORT_COUNT; f++) {
        char path[1100];
        snprintf(path, sizeof path, "%s", pl_test_path(pl_export_is_file(f) ? "file" : "folder"));
        size_t before = pl_byte_count();
        for (int64_t nth = 1;; nth++) {
            pl_inject_failure(nth);
            pl_status status = pl_export(r.recording, f, path, &options, NULL, &error);
            pl_inject_failure(0);
            CHECK_INT(pl_byte_count(), before);
            if (status == PL_OK) break;
            CHECK_INT(status, PL_ERROR_MEMORY);
        }
    }
    end(&r);
}

TEST(export_command)
{
    run r;
    begin(&r, 1);
    char command[2048], text[4096];
    snprintf(command, sizeof command, "pliant export %s --to glb", pl_test_folder());
    CHECK_INT(pl_test_run(command, text, sizeof text), 0);
    CHECK_TEXT(text, "run.glb");
    snprintf(command, sizeof command, "pliant export %s --to vtu --every 3", pl_test_folder());
    CHECK_INT(pl_test_run(command, text, sizeof text), 0);
    CHECK(access(pl_test_path("vtu/flag_00003.vtu"), R_OK) == 0);
    CHECK(access(pl_test_path("vtu/flag_00001.vtu"), R_OK) != 0);
    snprintf(command, sizeof command, "pliant export %s --to bmp", pl_test_folder());
    CHECK_INT(pl_test_run(command, text, sizeof text), 2);
    CHECK_TEXT(text, "--to takes vtu, ply, obj, pc2, glb or csv, not \"bmp\"");
    // below a regular file nothing can be made
    snprintf(command, sizeof command, "pliant export %s --to ply -o %s/x", pl_test_folder(),
             r.path);
    CHECK_INT(pl_test_run(command, text, sizeof text), 2);
    CHECK_TEXT(text, "the folder cannot be created");
    snprintf(command, sizeof command, "pliant export %s/vtu --to ply", pl_test_folder());
    CHECK_INT(pl_test_run(command, text, sizeof text), 2);
    CHECK_TEXT(text, "frames.plr: cannot be opened");
    end(&r);
}

// the longest edge of all triangles
static double longest_edge(const pl_mesh* mesh) {
    double longest = 0.0;
    for (int c = 0; c < 3 * mesh->triangle_count; c++) {
        const double* a = mesh->positions + 3 * (size_t)mesh->triangles[c];
        const double* b = mesh->positions + 3 * (size_t)mesh->triangles[c - c % 3 + (c + 1) % 3];
        longest = fmax(longest, hypot(hypot(b[0] - a[0], b[1] - a[1]), b[2] - a[2]));
    }
    return longest;
}

TEST(export_of_torn_cloth_is_torn)
{
    // its sides are 3 m apart in the end: without a tear every triangle would be that much longer
    char command[2048], text[4096];
    pl_test_write_file(pl_test_path("torn.json"), torn_scene, strlen(torn_scene));
    snprintf(command, sizeof command, "pliant run %s/torn.json -o %s/run", pl_test_folder(),
             pl_test_folder());
    CHECK_INT(pl_test_run(command, text, sizeof text), 0);
    static const char* const formats[] = {"obj", "ply", "vtu"};
    for (int k = 0; k < 3; k++) {
        char name[64];
        snprintf(command, sizeof command, "pliant export %s/run --to %s", pl_test_folder(),
                 formats[k]);
        CHECK_INT(pl_test_run(command, text, sizeof text), 0);
        snprintf(name, sizeof name, "run/%s/cloth_00020.%s", formats[k], formats[k]);
        pl_mesh* mesh = read_back(name);
        CHECK_INT(mesh->triangle_count, 128);
        pl_box box = pl_box_empty();
        for (int v = 0; v < mesh->vertex_count; v++)
            box = pl_box_add_point(box, pl_vec3_load(mesh->positions + 3 * (size_t)v));
        CHECK_NEAR(box.high.x - box.low.x, 3.0, 0.05);
        CHECK(longest_edge(mesh) < 0.25); // 0.18 at rest, 0.39 if nothing tore
        pl_mesh_destroy(mesh);
    }
}
