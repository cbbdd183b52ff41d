// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A surface that is filled with tets comes out as it went in: faces, texture coordinates, normals
// and materials.
#include "base/memory.h"
#include "math/mat3.h"
#include "mesh/mesh_source.h"
#include "record/export.h"
#include "record/run_folder.h"
#include "record/run_values.h"
#include "run_samples.h"
#include "scene/animation.h"
#include "test.h"

#include <jansson.h>
#include <math.h>
#include <pliant/pliant.h>
#include <stdlib.h>
#include <string.h>

// A cube of 0.1 m: quads, except that the top is two triangles; a normal per side; an atlas of
// texture coordinates; materials in runs that are not in the order of their names.
static const char cube[] =
    "mtllib cube.mtl\no cube\n"
    "v 0 0 0\nv 0.1 0 0\nv 0.1 0.1 0\nv 0 0.1 0\nv 0 0 0.1\nv 0.1 0 0.1\nv 0.1 0.1 0.1\n"
    "v 0 0.1 0.1\n"
    "vt 0 0\nvt 0.5 0\nvt 0.5 0.25\nvt 0 0.25\nvt 1 0.125\nvt 0.75 1\n"
    "vn 0 0 -1\nvn 0 0 1\nvn 0 -1 0\nvn 1 0 0\nvn 0 1 0\nvn -1 0 0\n"
    "usemtl skin\nf 1/1/1 4/2/1 3/3/1 2/4/1\nf 1/1/3 2/2/3 6/3/3 5/4/3\n"
    "usemtl hair\nf 5/1/2 6/2/2 7/5/2\nf 5/1/2 7/5/2 8/6/2\n"
    "usemtl skin\nf 2/1/4 3/2/4 7/3/4 6/4/4\nf 3/2/5 4/3/5 8/4/5 7/1/5\nf 4/1/6 1/2/6 5/5/6 "
    "8/6/6\n";

static char scene_text[4096];

static const char* scene_of(const char* more) {
    char path[1024];
    snprintf(path, sizeof path, "%s", pl_test_path("cube.obj"));
    pl_test_write_file(path, cube, strlen(cube));
    snprintf(scene_text, sizeof scene_text,
             "{\"pliant\": 1, \"frames\": 4, \"threads\": 1, \"time_step\": 0.01, \"bodies\": "
             "[{\"name\": \"cube\","
             " \"mesh\": \"%s\", \"edge\": 0.05, \"angular_velocity\": [90, 0, 0]%s}",
             path, more);
    return scene_text;
}

static pl_mesh* read_mesh(const char* name) {
    pl_mesh* mesh;
    pl_error error;
    CHECK_OK(pl_mesh_read(pl_test_path(name), NULL, &mesh, NULL, &error), &error);
    return mesh;
}

// a run of all frames in a folder, stopped and taken up after so many (0: not)
static void run_all(const char* text, const char* folder, int stop) {
    pl_scene* scene = sample_scene(text);
    pl_run* run;
    pl_frame_info info;
    pl_error error;
    CHECK_OK(pl_run_start(scene, pl_test_path(folder), false, &run, NULL, &error), &error);
    for (int k = 0; !pl_run_is_done(run); k++) {
        CHECK_OK(pl_run_frame(run, &info, &error), &error);
        if (k + 1 != stop) continue;
        CHECK_OK(pl_run_close(run, &error), &error);
        CHECK_OK(pl_run_resume(pl_test_path(folder), &run, NULL, &error), &error);
    }
    CHECK_OK(pl_run_close(run, &error), &error);
    pl_scene_destroy(scene);
}

static pl_recording* open_recording(const char* folder) {
    char path[256];
    snprintf(path, sizeof path, "%s/frames.plr", folder);
    pl_recording* recording;
    pl_error error;
    CHECK_OK(pl_recording_open(pl_test_path(path), &recording, NULL, &error), &error);
    return recording;
}

static void export_to(const char* folder, const char* format, const char* name) {
    pl_recording* recording = open_recording(folder);
    pl_export_options options = {.every = 1};
    pl_error error;
    CHECK_OK(pl_export(recording, pl_export_format_of(format), pl_test_path(name), &options, NULL,
                       &error),
             &error);
    pl_recording_close(recording);
}

static void check_normals(const pl_mesh* a, const pl_mesh* b, double tolerance) {
    for (int c = 0; c < 3 * a->triangle_count; c++)
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(b->normals[3 * b->triangle_normals[c] + k],
                       a->normals[3 * a->triangle_normals[c] + k], tolerance);
}

static void check_same_surface(const pl_mesh* a, const pl_mesh* b) {
    CHECK_INT(b->vertex_count, a->vertex_count);
    CHECK_INT(b->triangle_count, a->triangle_count);
    CHECK_INT(b->uv_count, a->uv_count);
    for (int i = 0; i < 3 * a->vertex_count; i++)
        CHECK_NEAR(b->positions[i], a->positions[i], 1e-7 * 0.1);
    for (int i = 0; i < 2 * a->uv_count; i++) CHECK_NEAR(b->uvs[i], a->uvs[i], 1e-7);
    CHECK(b->triangle_uvs && b->triangle_faces && b->triangle_normals);
    size_t corners = 3 * (size_t)a->triangle_count * sizeof(int);
    CHECK(memcmp(b->triangles, a->triangles, corners) == 0);
    CHECK(memcmp(b->triangle_uvs, a->triangle_uvs, corners) == 0);
    CHECK(memcmp(b->triangle_faces, a->triangle_faces, corners / 3) == 0);
    check_normals(a, b, 1e-6);
    const char* names[] = {"hair", "skin"};
    for (int k = 0; k < 2; k++) {
        const pl_region* from = pl_mesh_region(a, PL_ELEMENT_TRIANGLE, names[k]);
        const pl_region* to = pl_mesh_region(b, PL_ELEMENT_TRIANGLE, names[k]);
        CHECK(from && to && from->is_material && to->is_material && from->count == to->count);
        CHECK(memcmp(from->items, to->items, (size_t)to->count * sizeof(int)) == 0);
    }
}

// the faces of an OBJ file as it names them, without normals, whose numbers may change
static void face_lines(const char* text, char* out, size_t size) {
    size_t used = 0;
    out[0] = '\0';
    for (const char* line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        int v[8], n = 0;
        if (strncmp(line, "usemtl", 6) == 0)
            used +=
                (size_t)snprintf(out + used, size - used, "%.*s;", (int)strcspn(line, "\n"), line);
        if (line[0] != 'f' || line[1] != ' ') continue;
        used += (size_t)snprintf(out + used, size - used, "f");
        for (const char* at = line + 1; sscanf(at, " %d/%d%n", &v[0], &v[1], &n) == 2;) {
            used += (size_t)snprintf(out + used, size - used, " %d/%d", v[0], v[1]);
            for (at += n; *at != ' ' && *at != '\n' && *at;) at++;
        }
        used += (size_t)snprintf(out + used, size - used, ";");
    }
}

TEST(drawn_surface_goes_in_as_obj_and_comes_out_as_obj)
{
    run_all(scene_of("}]"), "run", 0);
    export_to("run", "obj", "obj");
    pl_mesh *in = read_mesh("cube.obj"), *out = read_mesh("obj/cube_00000.obj");
    check_same_surface(in, out);
    pl_source file;
    pl_error error;
    CHECK_OK(pl_source_load(pl_test_path("obj/cube_00000.obj"), 0, &file, &error), &error);
    char expected[1000], found[1000];
    face_lines(cube, expected, sizeof expected);
    face_lines(file.data, found, sizeof found);
    CHECK(strlen(expected) > 100 && strstr(expected, "f 1/1 4/2 3/3 2/4;"));
    if (strcmp(expected, found) != 0) pl_test_fail(__FILE__, __LINE__, "%s\n%s", expected, found);
    pl_source_free(&file);
    pl_mesh_destroy(in);
    pl_mesh_destroy(out);
}

TEST(drawn_surface_turns_rigidly_with_its_tets)
{
    pl_scene* scene = sample_scene(scene_of("}]"));
    pl_world* world = sample_world(scene);
    pl_run_values values;
    pl_error error;
    CHECK_OK(pl_run_values_setup(&values, world, scene, &error), &error);
    const pl_record_body* body = &values.record_bodies[0];
    CHECK_INT(body->vertex_count, 8);
    CHECK(pl_world_filled_surface(world, 0) == values.bodies[0].skin);
    const double angles[3] = {30.0, -50.0, 110.0};
    pl_mat3 R = pl_rotation_of_angles(angles);
    pl_vec3 shift = {0.3, -2.0, 1.0};
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    double* x = pl_world_positions(world, 0);
    for (size_t v = 0; v < (size_t)mesh->vertex_count; v++)
        pl_vec3_store(x + 3 * v,
                      pl_add(shift, pl_mat3_apply(&R, pl_vec3_load(mesh->positions + 3 * v))));
    pl_run_values_update(&values, world);
    pl_mesh* in = read_mesh("cube.obj");
    float turned[24];
    for (size_t v = 0; v < 8; v++) {
        pl_vec3 p = pl_add(shift, pl_mat3_apply(&R, pl_vec3_load(in->positions + 3 * v)));
        pl_vec3 got = pl_vec3_load(values.values[0].positions + 3 * v);
        CHECK_NEAR(pl_distance(p, got), 0.0, 1e-14);
        turned[3 * v] = (float)got.x;
        turned[3 * v + 1] = (float)got.y;
        turned[3 * v + 2] = (float)got.z;
    }
    double* normals = PL_ALLOC(double, 3 * (size_t)body->normal_count);
    pl_turn_normals(body, turned, normals);
    for (int c = 0; c < 3 * body->triangle_count; c++) {
        pl_vec3 n = pl_mat3_apply(&R, pl_vec3_load(in->normals + 3 * in->triangle_normals[c]));
        CHECK_NEAR(pl_distance(n, pl_vec3_load(normals + 3 * body->triangle_normals[c])), 0, 1e-5);
    }
    PL_FREE(normals, double, 3 * (size_t)body->normal_count);
    pl_mesh_destroy(in);
    pl_run_values_free(&values);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}

// A sheared plane keeps a flat normal across it; one that leaned in it turns as a covector does:
// x' = x + s y maps a normal (a, b, c) to (a, b - s a, c).
TEST(drawn_surface_normals_shear_as_covectors)
{
    const float rest[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    const int triangles[6] = {0, 1, 2, 0, 2, 3}, corners[6] = {0, 0, 1, 0, 1, -1};
    const float normals[6] = {0, 0, 1, 0.6f, 0, 0.8f};
    pl_record_body body = {.name = "sheet",
                           .vertex_count = 4,
                           .rest = rest,
                           .triangle_count = 2,
                           .triangles = triangles,
                           .normal_count = 2,
                           .normals = normals,
                           .triangle_normals = corners};
    const double s = 0.5, length = sqrt(0.36 + 0.09 + 0.64);
    float x[12];
    memcpy(x, rest, sizeof x);
    for (int v = 0; v < 4; v++) x[3 * v] += (float)s * rest[3 * v + 1];
    double out[6];
    pl_turn_normals(&body, x, out);
    const double expected[6] = {0, 0, 1, 0.6 / length, -0.3 / length, 0.8 / length};
    for (int k = 0; k < 6; k++) CHECK_NEAR(out[k], expected[k], 1e-6);
}

TEST(drawn_surface_can_be_turned_off)
{
    const char* more[] = {", \"render\": {\"keep_surface\": false}}]",
                          "}], \"output\": {\"record\": \"all\"}"};
    for (int k = 0; k < 2; k++) {
        pl_scene* scene = sample_scene(scene_of(more[k]));
        pl_world* world = sample_world(scene);
        pl_run_values values;
        pl_error error;
        CHECK_OK(pl_run_values_setup(&values, world, scene, &error), &error);
        const pl_record_body* body = &values.record_bodies[0];
        CHECK(body->vertex_count > 8 && !values.bodies[0].skin && !body->triangle_faces);
        CHECK((body->tet_count > 0) == (k == 1));
        pl_run_values_free(&values);
        pl_world_destroy(world);
        pl_scene_destroy(scene);
    }
}

// a generated body with render.edge has the surface of a finer one, turned and moved alike
TEST(drawn_surface_of_a_generated_body_can_be_finer)
{
    const char* text = "{\"pliant\": 1, \"frames\": 1, \"bodies\": [{\"generate\": {\"shape\": "
                       "\"sphere\", \"radius\": 1, \"edge\": 0.5}, \"transform\": {\"translate\": "
                       "[0, 3, 0]}, \"render\": {\"edge\": 0.1}}]%s}";
    const char* more[] = {"", ", \"output\": {\"record\": \"all\"}"};
    for (int k = 0; k < 2; k++) {
        char filled[512];
        snprintf(filled, sizeof filled, text, more[k]);
        pl_scene* scene = sample_scene(filled);
        pl_world* world = sample_world(scene);
        pl_run_values values;
        pl_error error;
        CHECK_OK(pl_run_values_setup(&values, world, scene, &error), &error);
        const pl_record_body* body = &values.record_bodies[0];
        CHECK((body->tet_count > 0) == (k == 1));
        CHECK((body->triangle_count > 1000) == (k == 0));
        for (int i = 0; k == 0 && i < body->vertex_count; i++) {
            const float* p = body->rest + 3 * (size_t)i;
            CHECK_NEAR(hypot(hypot(p[0], p[1] - 3.0), p[2]), 1.0, 1e-3);
        }
        pl_run_values_free(&values);
        pl_world_destroy(world);
        pl_scene_destroy(scene);
    }
}

// counts of cells do not stand in the way of render.edge, and transform.size is that of the body
TEST(drawn_surface_that_is_finer_covers_its_body)
{
    static const char* const texts[] = {
        "{\"pliant\": 1, \"bodies\": [{\"generate\": {\"shape\": \"box\", \"count_x\": 1, "
        "\"count_y\": 1, "
        "\"count_z\": 1}, \"render\": {\"edge\": 0.1}}]}",
        "{\"pliant\": 1, \"bodies\": [{\"generate\": {\"shape\": \"gummy_bear\", \"edge\": 0.02}, "
        "\"transform\": {\"size\": 3}, \"render\": {\"edge\": 0.005}}]}"};
    for (int k = 0; k < 2; k++) {
        pl_scene* scene = sample_scene(texts[k]);
        const pl_body* body = &scene->bodies[0];
        pl_mesh *own, *fine, *as_it_is;
        pl_error error;
        CHECK_OK(pl_body_mesh(body, &own, NULL, &error), &error);
        CHECK_OK(pl_body_fine_mesh(body, &fine, &error), &error);
        CHECK(fine->vertex_count > 3 * own->vertex_count);
        // the same factor for both
        pl_body plain = *body;
        plain.transform = pl_default_transform();
        CHECK_OK(pl_body_mesh(&plain, &as_it_is, NULL, &error), &error);
        int far = 0;
        for (int i = 0; i < 3 * own->vertex_count; i++)
            if (fabs(own->positions[i]) > fabs(own->positions[far])) far = i;
        const double factor = own->positions[far] / as_it_is->positions[far];
        pl_mesh_destroy(as_it_is);
        CHECK_OK(pl_body_fine_mesh(&plain, &as_it_is, &error), &error);
        for (int i = 0; i < 3 * fine->vertex_count; i++)
            CHECK_NEAR(fine->positions[i], factor * as_it_is->positions[i], 1e-12);
        pl_mesh_destroy(as_it_is);
        pl_mesh_destroy(fine);
        pl_mesh_destroy(own);
        pl_scene_destroy(scene);
    }
}

TEST(drawn_surface_resumes_to_the_same_bytes)
{
    const char* text = scene_of("}], \"output\": {\"fields\": [\"stress\", \"velocity\"]}");
    run_all(text, "whole", 0);
    run_all(text, "parts", 2);
    pl_source a, b;
    pl_error error;
    CHECK_OK(pl_source_load(pl_test_path("whole/frames.plr"), 0, &a, &error), &error);
    CHECK_OK(pl_source_load(pl_test_path("parts/frames.plr"), 0, &b, &error), &error);
    CHECK(a.size == b.size && memcmp(a.data, b.data, a.size) == 0);
    pl_source_free(&a);
    pl_source_free(&b);
}

// ---- glTF

static uint32_t word_at(const char* p) {
    uint32_t value;
    memcpy(&value, p, 4);
    return value;
}

static int number(const json_t* object, const char* key) {
    return (int)json_integer_value(json_object_get(object, key));
}

// the bytes of an accessor
static const char* data_of(const json_t* gltf, const char* binary, int accessor) {
    json_t* a = json_array_get(json_object_get(gltf, "accessors"), (size_t)accessor);
    json_t* view =
        json_array_get(json_object_get(gltf, "bufferViews"), (size_t)number(a, "bufferView"));
    return binary + number(view, "byteOffset");
}

// the triangles of a primitive against those of a region of the file, corner by corner
static int check_primitive(const json_t* gltf, const char* binary, const json_t* primitive,
                           const pl_mesh* in) {
    json_t* material =
        json_array_get(json_object_get(gltf, "materials"), (size_t)number(primitive, "material"));
    const char* name = json_string_value(json_object_get(material, "name"));
    const pl_region* region = name ? pl_mesh_region(in, PL_ELEMENT_TRIANGLE, name) : NULL;
    if (!region) pl_test_fail(__FILE__, __LINE__, "no material %s", name ? name : "without a name");
    json_t* attributes = json_object_get(primitive, "attributes");
    const char* indices = data_of(gltf, binary, number(primitive, "indices"));
    float values[8];
    for (int i = 0; i < 3 * region->count; i++) {
        size_t c = 3 * (size_t)region->items[i / 3] + (size_t)(i % 3), v = word_at(indices + 4 * i);
        memcpy(values, data_of(gltf, binary, number(attributes, "POSITION")) + 12 * v, 12);
        memcpy(values + 3, data_of(gltf, binary, number(attributes, "NORMAL")) + 12 * v, 12);
        memcpy(values + 6, data_of(gltf, binary, number(attributes, "TEXCOORD_0")) + 8 * v, 8);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(values[k], in->positions[3 * in->triangles[c] + k], 1e-8);
            CHECK_NEAR(values[3 + k], in->normals[3 * in->triangle_normals[c] + k], 1e-6);
        }
        CHECK_NEAR(values[6], in->uvs[2 * in->triangle_uvs[c]], 1e-7);
        CHECK_NEAR(values[7], 1.0 - in->uvs[2 * in->triangle_uvs[c] + 1], 1e-7);
    }
    return region->count;
}

TEST(drawn_surface_comes_out_as_glb_with_its_materials)
{
    run_all(scene_of("}]"), "run", 0);
    export_to("run", "glb", "run.glb");
    pl_source file;
    pl_error error;
    CHECK_OK(pl_source_load(pl_test_path("run.glb"), 0, &file, &error), &error);
    uint32_t size = word_at(file.data + 12);
    json_t* gltf = json_loadb(file.data + 20, size, 0, NULL);
    const char* binary = file.data + 20 + size + 8;
    pl_mesh* in = read_mesh("cube.obj");
    json_t* mesh = json_array_get(json_object_get(gltf, "meshes"), 0);
    json_t* primitives = json_object_get(mesh, "primitives");
    CHECK_INT(json_array_size(primitives), 2);
    CHECK_INT(json_array_size(json_object_get(gltf, "materials")), 2);
    int count = 0;
    for (size_t p = 0; p < 2; p++) {
        json_t* primitive = json_array_get(primitives, p);
        CHECK_INT(json_array_size(json_object_get(primitive, "targets")), 4);
        count += check_primitive(gltf, binary, primitive, in);
    }
    CHECK_INT(count, in->triangle_count);
    json_decref(gltf);
    pl_source_free(&file);
    pl_mesh_destroy(in);
}

// ---- memory

static pl_status read_cube(void* user, pl_error* error) {
    pl_mesh* mesh = NULL;
    pl_status status = pl_mesh_read(user, NULL, &mesh, NULL, error);
    pl_mesh_destroy(mesh);
    return status;
}

typedef struct setting {
    pl_scene* scene;
    pl_world* world;
} setting;

static pl_status set_up(void* user, pl_error* error) {
    setting* s = user;
    pl_run_values values;
    pl_status status = pl_run_values_setup(&values, s->world, s->scene, error);
    if (status == PL_OK) pl_run_values_free(&values);
    return status;
}

typedef struct exporting {
    pl_recording* recording;
    pl_export_format format;
    const char* path;
} exporting;

static pl_status export_cube(void* user, pl_error* error) {
    const exporting* e = user;
    pl_export_options options = {.every = 2};
    return pl_export(e->recording, e->format, e->path, &options, NULL, error);
}

static void fail_each(pl_status (*act)(void*, pl_error*), void* user) {
    size_t before = pl_byte_count();
    pl_error error;
    for (int64_t nth = 1;; nth++) {
        pl_inject_failure(nth);
        pl_status status = act(user, &error);
        pl_inject_failure(0);
        CHECK_INT(pl_byte_count(), before);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
    }
}

TEST(drawn_surface_survives_every_failing_allocation)
{
    const char* text = scene_of("}], \"output\": {\"fields\": [\"stress\"]}");
    char path[1100];
    snprintf(path, sizeof path, "%s", pl_test_path("cube.obj"));
    fail_each(read_cube, path);
    setting s = {.scene = sample_scene(text)};
    s.world = sample_world(s.scene);
    fail_each(set_up, &s);
    pl_world_destroy(s.world);
    pl_scene_destroy(s.scene);
    run_all(text, "run", 0);
    exporting e = {.recording = open_recording("run"), .path = path};
    const char* formats[] = {"obj", "glb"};
    for (int k = 0; k < 2; k++) {
        e.format = pl_export_format_of(formats[k]);
        snprintf(path, sizeof path, "%s", pl_test_path(formats[k]));
        fail_each(export_cube, &e);
    }
    pl_recording_close(e.recording);
}

// ---- faces

TEST(drawn_surface_keeps_faces_that_are_not_convex)
{
    // an L, whose ears are cut off, between two triangles; then a bow tie, which is no one polygon
    static const char obj[] = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 3 3 1\n"
                              "f 1 2 7\nf 3 4 5 6 1 2\nusemtl a\nf 1 3 2 7 5\nf 3 4 7\n";
    pl_test_write_file(pl_test_path("in.obj"), obj, strlen(obj));
    pl_mesh* in = read_mesh("in.obj");
    CHECK_INT(in->triangle_count, 9);
    CHECK(in->triangle_faces && in->triangle_faces[0] == 0 && in->triangle_faces[4] == 1 &&
          in->triangle_faces[8] == 3);
    pl_error error;
    CHECK_OK(pl_mesh_write(in, pl_test_path("out.obj"), NULL, NULL, &error), &error);
    pl_mesh* out = read_mesh("out.obj");
    CHECK(out->triangle_faces && out->triangle_count == 9);
    CHECK(memcmp(in->triangle_faces, out->triangle_faces, 9 * sizeof(int)) == 0);
    const pl_region* a = pl_mesh_region(out, PL_ELEMENT_TRIANGLE, "a");
    CHECK(a && a->is_material && a->count == 4 && a->items[0] == 5);
    // the L again, from whichever corner
    pl_source file;
    CHECK_OK(pl_source_load(pl_test_path("out.obj"), 0, &file, &error), &error);
    char ring[64] = "";
    const char* line = strstr(file.data, "f 1 2 7\n");
    CHECK(line && sscanf(line + 8, "f %60[^\n]", ring) == 1);
    char twice[160];
    snprintf(twice, sizeof twice, "%s %s", ring, ring);
    CHECK(strlen(ring) == 11 && strstr(twice, "3 4 5 6 1 2"));
    pl_source_free(&file);
    pl_mesh_destroy(in);
    pl_mesh_destroy(out);
}
