// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "sample_recording.h"
#include "base/memory.h"
#include "mesh/mesh_source.h"
#include "sample_meshes.h"

static float* to_floats(const double* values, int count) {
    float* floats = PL_ALLOC(float, count);
    for (int i = 0; i < count; i++) floats[i] = (float)values[i];
    return floats;
}

static void begin_ball(sample_recording* s, int levels) {
    s->ball = sample_sphere(levels);
    int vertices = s->ball->vertex_count, triangles = s->ball->triangle_count;
    s->ball_rest = to_floats(s->ball->positions, 3 * vertices);
    s->ball_vertices = PL_ALLOC(int, vertices);
    for (int i = 0; i < vertices; i++) s->ball_vertices[i] = 2 * i + 1;
    s->ball_regions = PL_ALLOC(int, triangles);
    for (int i = 0; i < triangles; i++) s->ball_regions[i] = i % 3 - 1;
    s->region_names[0] = "odd";
    s->region_names[1] = "even";
    s->fields[0] = (pl_record_field){"speed", PL_ELEMENT_VERTEX, 1};
    s->fields[1] = (pl_record_field){"stress", PL_ELEMENT_TRIANGLE, 2};
    s->bodies[0] = (pl_record_body){.name = "ball",
                                    .vertex_count = vertices,
                                    .rest = s->ball_rest,
                                    .triangle_count = triangles,
                                    .triangles = s->ball->triangles,
                                    .vertices = s->ball_vertices,
                                    .region_count = 2,
                                    .region_names = s->region_names,
                                    .triangle_regions = s->ball_regions,
                                    .color = {NAN, NAN, NAN},
                                    .field_count = 2,
                                    .fields = s->fields};
    s->positions[0] = PL_ALLOC(double, 6 * vertices);
    s->values[0] = PL_ALLOC(double, 2 * vertices);
    s->values[1] = PL_ALLOC(double, 2 * triangles);
}

static void begin_flag(sample_recording* s) {
    s->flag = sample_sheet(4, 3);
    int vertices = s->flag->vertex_count;
    s->flag_rest = to_floats(s->flag->positions, 3 * vertices);
    s->flag_uvs = PL_ALLOC(float, 2 * vertices);
    for (int i = 0; i < vertices; i++) {
        s->flag_uvs[2 * i] = 0.25f * s->flag_rest[3 * i];
        s->flag_uvs[2 * i + 1] = 0.25f * s->flag_rest[3 * i + 1];
    }
    s->bodies[1] = (pl_record_body){.name = "flag",
                                    .vertex_count = vertices,
                                    .rest = s->flag_rest,
                                    .triangle_count = s->flag->triangle_count,
                                    .triangles = s->flag->triangles,
                                    .color = {0.1f, 0.5f, 0.9f},
                                    .uv_count = vertices,
                                    .uvs = s->flag_uvs,
                                    .triangle_uvs = s->flag->triangles};
    s->positions[1] = PL_ALLOC(double, 3 * vertices);
}

void sample_recording_begin(sample_recording* s, int levels) {
    *s = (sample_recording){0};
    begin_ball(s, levels);
    begin_flag(s);
    s->head = (pl_record_head){
        .up_axis = 2, .frame_step = 0.04, .scene = 77, .body_count = 2, .bodies = s->bodies};
    s->frame[0] = (pl_record_values){s->positions[0], (const double* const*)s->values};
    s->frame[1] = (pl_record_values){s->positions[1], NULL};
}

void sample_recording_frame(sample_recording* s, int number) {
    double t = 0.3 * number;
    for (int i = 0; i < s->ball->vertex_count; i++) {
        const double* rest = s->ball->positions + 3 * i;
        double size = 1.0 + 0.2 * sin(t + 3.0 * rest[2]);
        for (int k = 0; k < 3; k++) {
            s->positions[0][3 * (2 * i + 1) + k] = size * rest[k] + (k == 2 ? 1.3 : 0.0);
            s->positions[0][3 * (2 * i) + k] = -999.0;
        }
        s->values[0][2 * i + 1] = fabs(cos(t + 3.0 * rest[2]));
        s->values[0][2 * i] = -999.0;
    }
    for (int i = 0; i < 2 * s->ball->triangle_count; i++) s->values[1][i] = number + 0.5 * i;
    for (int i = 0; i < s->flag->vertex_count; i++) {
        const double* rest = s->flag->positions + 3 * i;
        s->positions[1][3 * i] = 1.5 + 0.5 * rest[0];
        s->positions[1][3 * i + 1] = 0.2 * sin(2.0 * rest[0] + 2.0 * t);
        s->positions[1][3 * i + 2] = 0.2 + 0.5 * rest[1];
    }
}

float sample_recording_expected(const sample_recording* s, int body, int vertex, int k) {
    int v = body == 0 ? s->ball_vertices[vertex] : vertex;
    return (float)s->positions[body][3 * v + k];
}

void sample_recording_end(sample_recording* s) {
    int vertices = s->ball->vertex_count, triangles = s->ball->triangle_count;
    PL_FREE(s->ball_rest, float, 3 * vertices);
    PL_FREE(s->ball_vertices, int, vertices);
    PL_FREE(s->ball_regions, int, triangles);
    PL_FREE(s->positions[0], double, 6 * vertices);
    PL_FREE(s->values[0], double, 2 * vertices);
    PL_FREE(s->values[1], double, 2 * triangles);
    PL_FREE(s->flag_rest, float, 3 * s->flag->vertex_count);
    PL_FREE(s->flag_uvs, float, 2 * s->flag->vertex_count);
    PL_FREE(s->positions[1], double, 3 * s->flag->vertex_count);
    pl_mesh_destroy(s->ball);
    pl_mesh_destroy(s->flag);
}

uint8_t* sample_recording_bytes(sample_recording* s, const char* path, bool compress,
                                int frame_count, size_t* size) {
    pl_recorder* recorder;
    pl_error error;
    CHECK_OK(pl_recorder_create(path, &s->head, compress, &recorder, &error), &error);
    for (int i = 0; i < frame_count; i++) {
        sample_recording_frame(s, i);
        CHECK_OK(pl_recorder_append(recorder, 0.04 * i, s->frame, &error), &error);
    }
    CHECK_OK(pl_recorder_close(recorder, &error), &error);
    pl_source source;
    CHECK_OK(pl_source_load(path, 0, &source, &error), &error);
    *size = source.size;
    uint8_t* bytes = pl_alloc(source.size);
    memcpy(bytes, source.data, source.size);
    pl_source_free(&source);
    return bytes;
}
