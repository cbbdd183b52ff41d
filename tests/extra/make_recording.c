// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// pliant-make-recording FOLDER: fills a folder as a run does, with a recording of a soft ball that
// wobbles and a flag with texture coordinates, for the checks of tests/extra.
#include "record/recording.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

enum { RINGS = 24, PARTS = 48, SIDE = 16, FRAMES = 12 };
enum { BALL_VERTICES = (RINGS - 1) * PARTS + 2, BALL_TRIANGLES = 2 * PARTS * (RINGS - 1) };
enum { FLAG_VERTICES = (SIDE + 1) * (SIDE + 1), FLAG_TRIANGLES = 2 * SIDE * SIDE };

static const double PI = 3.14159265358979323846;

typedef struct run {
    float ball_rest[3 * BALL_VERTICES], flag_rest[3 * FLAG_VERTICES], uvs[2 * FLAG_VERTICES];
    int ball_triangles[3 * BALL_TRIANGLES], flag_triangles[3 * FLAG_TRIANGLES];
    double ball[3 * BALL_VERTICES], flag[3 * FLAG_VERTICES], speed[BALL_VERTICES];
} run;

static int add_triangle(int* triangles, int count, int a, int b, int c) {
    triangles[3 * count] = a, triangles[3 * count + 1] = b, triangles[3 * count + 2] = c;
    return count + 1;
}

// poles first and last, rings between, y up
static void make_ball(run* r) {
    for (int v = 0; v < BALL_VERTICES; v++) {
        int ring = v == 0 ? 0 : (v - 1) / PARTS + 1;
        double a = v == BALL_VERTICES - 1 ? PI : PI * ring / RINGS,
               b = 2.0 * PI * ((v - 1) % PARTS) / PARTS;
        r->ball_rest[3 * v] = (float)(sin(a) * cos(b));
        r->ball_rest[3 * v + 1] = (float)(1.0 + cos(a));
        r->ball_rest[3 * v + 2] = (float)(-sin(a) * sin(b));
    }
    int count = 0, last = BALL_VERTICES - 1;
    for (int j = 0; j < PARTS; j++) {
        int next = (j + 1) % PARTS, bottom = 1 + (RINGS - 2) * PARTS;
        count = add_triangle(r->ball_triangles, count, 0, 1 + j, 1 + next);
        for (int i = 0; i < RINGS - 2; i++) {
            int a = 1 + i * PARTS;
            count = add_triangle(r->ball_triangles, count, a + j, a + PARTS + j, a + next);
            count =
                add_triangle(r->ball_triangles, count, a + next, a + PARTS + j, a + PARTS + next);
        }
        count = add_triangle(r->ball_triangles, count, bottom + j, last, bottom + next);
    }
}

static void make_flag(run* r) {
    for (int i = 0; i <= SIDE; i++)
        for (int j = 0; j <= SIDE; j++) {
            int v = i * (SIDE + 1) + j;
            r->uvs[2 * v] = (float)j / SIDE, r->uvs[2 * v + 1] = (float)i / SIDE;
            r->flag_rest[3 * v] = 1.4f + 2.0f * r->uvs[2 * v];
            r->flag_rest[3 * v + 1] = 0.5f + 1.4f * r->uvs[2 * v + 1];
            r->flag_rest[3 * v + 2] = 0.0f;
        }
    int count = 0;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            int v = i * (SIDE + 1) + j;
            count = add_triangle(r->flag_triangles, count, v, v + 1, v + SIDE + 1);
            count = add_triangle(r->flag_triangles, count, v + 1, v + SIDE + 2, v + SIDE + 1);
        }
}

static void move(run* r, double t) {
    double squash = 1.0 + 0.25 * sin(2.0 * PI * t) * exp(-t);
    for (int v = 0; v < BALL_VERTICES; v++) {
        const float* p = r->ball_rest + 3 * v;
        r->ball[3 * v] = (double)p[0] / sqrt(squash);
        r->ball[3 * v + 1] = (double)p[1] * squash;
        r->ball[3 * v + 2] = (double)p[2] / sqrt(squash);
        r->speed[v] = fabs((double)p[1] * cos(2.0 * PI * t));
    }
    for (int v = 0; v < FLAG_VERTICES; v++) {
        const float* p = r->flag_rest + 3 * v;
        double along = (double)p[0] - 1.4;
        r->flag[3 * v] = (double)p[0];
        r->flag[3 * v + 1] = (double)p[1];
        r->flag[3 * v + 2] = 0.25 * along * sin(4.0 * along - 2.0 * PI * t);
    }
}

static pl_status record(run* r, const char* path, pl_error* error) {
    const pl_record_field speed = {"speed", PL_ELEMENT_VERTEX, 1};
    const pl_record_body bodies[2] = {{.name = "ball",
                                       .vertex_count = BALL_VERTICES,
                                       .rest = r->ball_rest,
                                       .triangle_count = BALL_TRIANGLES,
                                       .triangles = r->ball_triangles,
                                       .color = {NAN, NAN, NAN},
                                       .field_count = 1,
                                       .fields = &speed},
                                      {.name = "flag",
                                       .vertex_count = FLAG_VERTICES,
                                       .rest = r->flag_rest,
                                       .triangle_count = FLAG_TRIANGLES,
                                       .triangles = r->flag_triangles,
                                       .color = {0.2f, 0.5f, 0.8f},
                                       .uv_count = FLAG_VERTICES,
                                       .uvs = r->uvs,
                                       .triangle_uvs = r->flag_triangles}};
    pl_record_head head = {
        .up_axis = 1, .frame_step = 1.0 / FRAMES, .body_count = 2, .bodies = bodies};
    const double* fields[1] = {r->speed};
    const pl_record_values values[2] = {{r->ball, fields}, {r->flag, NULL}};
    pl_recorder* recorder;
    pl_status status = pl_recorder_create(path, &head, true, &recorder, error);
    for (int i = 0; status == PL_OK && i < FRAMES; i++) {
        move(r, (double)i / FRAMES);
        status = pl_recorder_append(recorder, (double)i / FRAMES, values, error);
    }
    pl_status closed = pl_recorder_close(recorder, status == PL_OK ? error : NULL);
    return status == PL_OK ? closed : status;
}

int main(int argc, char** argv) {
    static run r;
    char path[4096];
    if (argc != 2) return 2;
    mkdir(argv[1], 0777);
    snprintf(path, sizeof path, "%s/frames.plr", argv[1]);
    make_ball(&r);
    make_flag(&r);
    pl_error error;
    if (record(&r, path, &error) == PL_OK) return 0;
    fprintf(stderr, "%s\n", error.text);
    return 1;
}
