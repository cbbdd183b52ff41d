// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/memory.h"
#include "base/random.h"
#include "sample_recording.h"
#include "test.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FRAMES = 5 };

static char path[1024];

static const char* recording_path(void) {
    snprintf(path, sizeof path, "%s", pl_test_path("frames.plr"));
    return path;
}

// loads a frame and compares all of it with what the sample recorded
static void check_frame(sample_recording* s, pl_recording* r, int frame, int number) {
    pl_error error;
    CHECK_OK(pl_recording_load(r, frame, &error), &error);
    CHECK_NEAR(pl_recording_time(r, frame), 0.04 * number, 0.0);
    sample_recording_frame(s, number);
    for (int b = 0; b < 2; b++) {
        const float* p = pl_recording_positions(r, b);
        for (int i = 0; i < s->bodies[b].vertex_count; i++)
            for (int k = 0; k < 3; k++)
                CHECK(p[3 * i + k] == sample_recording_expected(s, b, i, k));
    }
    const float* speed = pl_recording_field(r, 0, 0);
    for (int i = 0; i < s->bodies[0].vertex_count; i++)
        CHECK(speed[i] == (float)s->values[0][2 * i + 1]);
    const float* stress = pl_recording_field(r, 0, 1);
    for (int i = 0; i < 2 * s->bodies[0].triangle_count; i++)
        CHECK(stress[i] == (float)s->values[1][i]);
}

static void check_head(const sample_recording* s, const pl_record_head* head) {
    CHECK(head->body_count == 2 && head->up_axis == 2 && head->scene == 77);
    CHECK_NEAR(head->frame_step, 0.04, 0.0);
    const pl_record_body *ball = &head->bodies[0], *flag = &head->bodies[1];
    CHECK(strcmp(ball->name, "ball") == 0 && strcmp(flag->name, "flag") == 0);
    CHECK_INT(ball->vertex_count, s->bodies[0].vertex_count);
    CHECK(memcmp(ball->rest, s->ball_rest, 12 * (size_t)ball->vertex_count) == 0);
    CHECK(memcmp(ball->triangles, s->ball->triangles, 12 * (size_t)ball->triangle_count) == 0);
    CHECK(memcmp(ball->vertices, s->ball_vertices, 4 * (size_t)ball->vertex_count) == 0);
    CHECK(memcmp(ball->triangle_regions, s->ball_regions, 4 * (size_t)ball->triangle_count) == 0);
    CHECK(ball->region_count == 2 && strcmp(ball->region_names[1], "even") == 0);
    CHECK(ball->field_count == 2 && strcmp(ball->fields[1].name, "stress") == 0);
    CHECK(ball->fields[1].kind == PL_ELEMENT_TRIANGLE && ball->fields[1].components == 2);
    CHECK(isnan(ball->color[0]) && flag->color[0] == 0.1f && flag->color[2] == 0.9f);
    CHECK(!ball->triangle_uvs && !flag->vertices && !flag->triangle_regions);
    CHECK(memcmp(flag->uvs, s->flag_uvs, 8 * (size_t)flag->uv_count) == 0);
    CHECK(memcmp(flag->triangle_uvs, s->flag->triangles, 12 * (size_t)flag->triangle_count) == 0);
}

TEST(recording_reads_back_in_any_order)
{
    sample_recording s;
    sample_recording_begin(&s, 2);
    size_t sizes[2];
    for (int compress = 0; compress < 2; compress++) {
        uint8_t* bytes =
            sample_recording_bytes(&s, recording_path(), compress, FRAMES, &sizes[compress]);
        pl_free(bytes, sizes[compress]);
        pl_recording* r;
        pl_error error;
        CHECK_OK(pl_recording_open(path, &r, NULL, &error), &error);
        check_head(&s, pl_recording_head(r));
        CHECK_INT(pl_recording_frame_count(r), FRAMES);
        const int order[] = {4, 0, 3, 3, 1, 2};
        for (int i = 0; i < 6; i++) check_frame(&s, r, order[i], order[i]);
        CHECK_INT(pl_recording_load(r, FRAMES, &error), PL_ERROR_ARGUMENT);
        CHECK_TEXT(error.text, "there is no frame 5; it has 5 frames");
        pl_recording_close(r);
    }
    CHECK(sizes[1] < sizes[0]);
    sample_recording_end(&s);
}

TEST(recording_cut_at_every_byte_keeps_whole_frames)
{
    sample_recording s;
    sample_recording_begin(&s, 0);
    size_t size;
    uint8_t* bytes = sample_recording_bytes(&s, recording_path(), true, FRAMES, &size);
    int last = -1;
    for (size_t cut = 0; cut <= size; cut++) {
        uint8_t* part = pl_alloc(cut + 1); // exactly as long, so that reading over the end is seen
        memcpy(part, bytes, cut);
        pl_recording* r;
        pl_error error;
        pl_notes* notes;
        CHECK_INT(pl_notes_create(&notes), PL_OK);
        pl_status status = pl_recording_open_memory(part, cut, "cut.plr", &r, notes, &error);
        if (status == PL_OK) {
            int count = pl_recording_frame_count(r);
            CHECK(count == last || count == last + 1);
            // a frame more means that the cut is at its end, and only there is nothing to be said
            CHECK((pl_notes_count(notes) == 0) == (count == last + 1));
            last = count;
            if (count > 0) check_frame(&s, r, count - 1, count - 1);
            pl_recording_close(r);
        } else {
            CHECK(last == -1);
            CHECK_INT(status, PL_ERROR_FORMAT);
            CHECK_TEXT(error.text, "cut.plr: ");
            CHECK(!r);
        }
        pl_notes_destroy(notes);
        pl_free(part, cut + 1);
    }
    CHECK_INT(last, FRAMES);
    pl_free(bytes, size);
    sample_recording_end(&s);
}

TEST(recording_with_a_flipped_byte_loses_one_frame_at_most)
{
    sample_recording s;
    sample_recording_begin(&s, 0);
    for (int compress = 0; compress < 2; compress++) {
        size_t size;
        uint8_t* bytes = sample_recording_bytes(&s, recording_path(), compress, FRAMES, &size);
        for (size_t at = 0; at < size; at++) {
            bytes[at] ^= (uint8_t)(1 + at % 255);
            pl_recording* r;
            pl_error error;
            pl_status status = pl_recording_open_memory(bytes, size, "x.plr", &r, NULL, &error);
            if (status == PL_OK) {
                int good = 0;
                for (int i = 0; i < pl_recording_frame_count(r); i++) {
                    if (pl_recording_load(r, i, &error) != PL_OK) continue;
                    check_frame(&s, r, i, (int)lrint(pl_recording_time(r, i) / 0.04));
                    good++;
                }
                CHECK(good == FRAMES - 1); // every byte of a frame is guarded
                pl_recording_close(r);
            } else {
                CHECK_INT(status, PL_ERROR_FORMAT); // in the head
            }
            bytes[at] ^= (uint8_t)(1 + at % 255);
        }
        pl_free(bytes, size);
    }
    sample_recording_end(&s);
}

TEST(recording_of_random_bytes_is_refused)
{
    sample_recording s;
    sample_recording_begin(&s, 1);
    size_t size;
    uint8_t* bytes = sample_recording_bytes(&s, recording_path(), true, 3, &size);
    uint8_t* copy = pl_alloc(size);
    pl_random random = {3};
    for (int round = 0; round < 300; round++) {
        memcpy(copy, bytes, size);
        int changes = 1 + pl_random_int(&random, 40);
        int from = round % 3 == 0 ? 0 : 16; // also with a good magic
        for (int i = 0; i < changes; i++)
            copy[from + pl_random_int(&random, (int)size - from)] =
                (uint8_t)pl_random_bits(&random);
        pl_recording* r;
        pl_error error;
        if (pl_recording_open_memory(copy, size, "x.plr", &r, NULL, &error) != PL_OK) continue;
        for (int i = 0; i < pl_recording_frame_count(r); i++) pl_recording_load(r, i, &error);
        pl_recording_close(r);
    }
    pl_free(copy, size);
    pl_free(bytes, size);
    sample_recording_end(&s);
    pl_recording* r;
    pl_error error;
    CHECK_INT(pl_recording_open(pl_test_path("none.plr"), &r, NULL, &error), PL_ERROR_IO);
    CHECK_TEXT(error.text, "none.plr: cannot be opened");
    CHECK_INT(pl_recording_open(pl_test_folder(), &r, NULL, &error), PL_ERROR_IO);
    CHECK_TEXT(error.text, "is not a file");
    CHECK_INT(pl_recording_open_memory("hello, this is text", 19, "t", &r, NULL, &error),
              PL_ERROR_FORMAT);
    CHECK_TEXT(error.text, "is not a recording of pliant");
}

TEST(recording_survives_a_full_disk)
{
    sample_recording s;
    sample_recording_begin(&s, 1);
    pl_recorder* recorder;
    pl_error error;
    CHECK_OK(pl_recorder_create(recording_path(), &s.head, false, &recorder, &error), &error);
    for (int i = 0; i < 3; i++) {
        sample_recording_frame(&s, i);
        // fails in the chunk's header, in its bytes, and just before the last one
        int64_t limits[3] = {10, 500, 64 + 4 * (3 * (18 + 20) + 18 + 64) - 1};
        for (int k = 0; k < 3; k++) {
            pl_recorder_inject_failure(recorder, limits[k]);
            CHECK_INT(pl_recorder_append(recorder, 0.04 * i, s.frame, &error), PL_ERROR_DISK);
            CHECK_TEXT(error.text, "frames before it are safe");
            pl_recording* r;
            CHECK_OK(pl_recording_open(path, &r, NULL, &error), &error);
            CHECK_INT(pl_recording_frame_count(r), i);
            for (int f = 0; f < i; f++) check_frame(&s, r, f, f);
            pl_recording_close(r);
            sample_recording_frame(&s, i);
        }
        pl_recorder_inject_failure(recorder, -1);
        CHECK_OK(pl_recorder_append(recorder, 0.04 * i, s.frame, &error), &error);
    }
    CHECK_OK(pl_recorder_close(recorder, &error), &error);
    sample_recording_end(&s);
}

// writes frames until the limit of the file's size stops it; exit 0 if that was told as an error
static void write_to_limit(sample_recording* s) {
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {20000, 20000};
    pl_recorder* recorder;
    pl_error error;
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(3);
    if (pl_recorder_create(path, &s->head, false, &recorder, &error) != PL_OK) _exit(4);
    for (int i = 0; i < 1000; i++) {
        sample_recording_frame(s, i);
        if (pl_recorder_append(recorder, 0.04 * i, s->frame, &error) != PL_OK)
            _exit(pl_recorder_frame_count(recorder) == i && strstr(error.text, "too large") ? 0
                                                                                            : 5);
    }
    _exit(6);
}

TEST(recording_survives_the_limit_of_file_size)
{
    sample_recording s;
    sample_recording_begin(&s, 1);
    recording_path();
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) write_to_limit(&s);
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK_INT(WEXITSTATUS(status), 0);
    pl_recording* r;
    pl_error error;
    CHECK_OK(pl_recording_open(path, &r, NULL, &error), &error);
    CHECK(pl_recording_frame_count(r) > 5);
    for (int i = 0; i < pl_recording_frame_count(r); i++) check_frame(&s, r, i, i);
    pl_recording_close(r);
    sample_recording_end(&s);
}

TEST(recording_goes_on_after_a_cut)
{
    sample_recording s;
    sample_recording_begin(&s, 1);
    size_t size, again;
    uint8_t* whole = sample_recording_bytes(&s, recording_path(), true, FRAMES, &size);
    for (int keep = 0; keep <= 3; keep++) {
        // the end is damaged, as after kill -9
        pl_test_write_file(path, whole, size - 7);
        pl_recorder* recorder;
        pl_error error;
        CHECK_OK(pl_recorder_reopen(path, &s.head, true, keep, &recorder, &error), &error);
        CHECK_INT(pl_recorder_frame_count(recorder), keep);
        for (int i = keep; i < FRAMES; i++) {
            sample_recording_frame(&s, i);
            CHECK_OK(pl_recorder_append(recorder, 0.04 * i, s.frame, &error), &error);
        }
        CHECK_OK(pl_recorder_close(recorder, &error), &error);
        struct stat info;
        CHECK(stat(path, &info) == 0);
        again = (size_t)info.st_size;
        CHECK_INT(again, size);
        FILE* file = fopen(path, "rb");
        uint8_t* bytes = pl_alloc(size);
        CHECK(file && fread(bytes, 1, size, file) == size);
        fclose(file);
        CHECK(memcmp(bytes, whole, size) == 0); // the same bits as without the cut
        pl_free(bytes, size);
    }
    pl_test_write_file(path, whole, size - 7);
    pl_recorder* recorder;
    pl_error error;
    CHECK_INT(pl_recorder_reopen(path, &s.head, true, FRAMES, &recorder, &error), PL_ERROR_FORMAT);
    CHECK_TEXT(error.text, "frame 4 is needed to continue, but only 4 frames are complete");
    CHECK(!recorder);
    s.head.scene = 78;
    CHECK_INT(pl_recorder_reopen(path, &s.head, true, 1, &recorder, &error), PL_ERROR_ARGUMENT);
    CHECK_TEXT(error.text, "other bodies");
    pl_free(whole, size);
    sample_recording_end(&s);
}

TEST(recording_refuses_heads_that_make_no_sense)
{
    sample_recording s;
    sample_recording_begin(&s, 0);
    pl_recorder* recorder;
    pl_error error;
    s.ball->triangles[4] = s.ball->vertex_count;
    CHECK_INT(pl_recorder_create(recording_path(), &s.head, false, &recorder, &error),
              PL_ERROR_ARGUMENT);
    CHECK_TEXT(error.text, "ball: a triangle refers to a vertex that is not there");
    s.ball->triangles[4] = 0;
    s.fields[0].components = 1000;
    CHECK_INT(pl_recorder_create(path, &s.head, false, &recorder, &error), PL_ERROR_ARGUMENT);
    s.fields[0].components = 1;
    CHECK_INT(pl_recorder_create(pl_test_path("none/x.plr"), &s.head, false, &recorder, &error),
              PL_ERROR_IO);
    CHECK_TEXT(error.text, "none/x.plr: cannot be written");
    CHECK(access(path, F_OK) != 0); // nothing was left behind
    sample_recording_end(&s);
}

TEST(recording_survives_every_failing_allocation)
{
    sample_recording s;
    sample_recording_begin(&s, 0);
    recording_path();
    size_t before = pl_byte_count();
    pl_error error;
    for (int64_t nth = 1;; nth++) {
        pl_recorder* recorder = NULL;
        pl_recording* r = NULL;
        pl_inject_failure(nth);
        pl_status status = pl_recorder_create(path, &s.head, true, &recorder, &error);
        if (status == PL_OK) {
            sample_recording_frame(&s, 0);
            status = pl_recorder_append(recorder, 0.0, s.frame, &error);
        }
        pl_recorder_close(recorder, NULL);
        if (status == PL_OK) {
            status = pl_recorder_reopen(path, &s.head, true, 1, &recorder, &error);
            if (status == PL_OK) pl_recorder_close(recorder, NULL);
        }
        if (status == PL_OK) status = pl_recording_open(path, &r, NULL, &error);
        pl_inject_failure(0);
        pl_recording_close(r);
        CHECK_INT(pl_byte_count(), before);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
    }
    sample_recording_end(&s);
}
