// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A damaged frame costs that frame: the rest is drawn, exported and gone on with. Frames that are
// written behind the simulation are the same bytes, and a full disk is told.
#include "base/memory.h"
#include "run_samples.h"
#include "sample_recording.h"

#include <dirent.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FRAMES = 12, DAMAGED = 5 };

static char text[16384];

static uint64_t read_u64(const uint8_t* bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

// flips a bit in the stored bytes of a frame
static void damage_frame(const char* path, int number) {
    FILE* file = fopen(path, "r+b");
    CHECK(file);
    uint8_t head[64];
    for (long at = 16; fseek(file, at, SEEK_SET) == 0 && fread(head, 1, 64, file) == 64;
         at += 64 + (long)read_u64(head + 16)) {
        if (memcmp(head, "FRAM", 4) != 0 || read_u64(head + 32) != (uint64_t)number) continue;
        fseek(file, at + 64 + 10, SEEK_SET);
        int byte = fgetc(file);
        fseek(file, at + 64 + 10, SEEK_SET);
        fputc(byte ^ 4, file);
        fclose(file);
        return;
    }
    CHECK(!"the frame is there");
}

static int pliant(const char* format, ...) {
    char command[4096] = "pliant ";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command + 7, sizeof command - 7, format, arguments);
    va_end(arguments);
    return pl_test_run(command, text, sizeof text);
}

static void make_run(void) {
    pl_test_write_file(pl_test_path("scene.json"), sample_falling_box, strlen(sample_falling_box));
    CHECK_INT(pliant("run %s/scene.json -o %s/run --frames %d --quiet", pl_test_folder(),
                     pl_test_folder(), FRAMES),
              0);
}

TEST(recording_with_a_damaged_frame_lacks_only_that)
{
    make_run();
    damage_frame(pl_test_path("run/frames.plr"), DAMAGED);
    pl_recording* r;
    pl_notes* notes;
    pl_error error;
    CHECK_OK(pl_notes_create(&notes), &error);
    CHECK_OK(pl_recording_open(pl_test_path("run/frames.plr"), &r, notes, &error), &error);
    CHECK_INT(pl_recording_frame_count(r), FRAMES); // with the start there was one more
    CHECK_INT(pl_recording_find(r, DAMAGED), -1);
    CHECK_INT(pl_recording_number(r, DAMAGED), DAMAGED + 1);
    for (int i = 0; i < FRAMES; i++) CHECK_OK(pl_recording_load(r, i, &error), &error);
    CHECK_INT(pl_notes_count(notes), 1);
    CHECK_TEXT(pl_notes_text(notes, 0, NULL), "frame 5 is damaged and ignored");
    pl_recording_close(r);
    pl_notes_destroy(notes);
}

LONG_TEST(recording_with_a_damaged_frame_is_drawn_and_exported)
{
    make_run();
    const char* folder = pl_test_folder();
    damage_frame(pl_test_path("run/frames.plr"), DAMAGED);
    CHECK_INT(pliant("render %s/run --frame 9 --size 40x30 -o %s/x.png", folder, folder), 0);
    CHECK_TEXT(text, "frame 5 is damaged");
    CHECK_INT(pliant("render %s/run --frame 5 --size 40x30 -o %s/x.png", folder, folder), 2);
    CHECK_TEXT(text, "frame 5 is missing");
    CHECK_INT(pliant("render %s/run --size 40x30 -o %s/all", folder, folder), 0);
    CHECK(access(pl_test_path("all/frame_00004.png"), F_OK) == 0);
    CHECK(access(pl_test_path("all/frame_00005.png"), F_OK) != 0);
    CHECK(access(pl_test_path("all/frame_00012.png"), F_OK) == 0);
    CHECK_INT(pliant("export %s/run --to csv -o %s/x.csv", folder, folder), 0);
    FILE* file = fopen(pl_test_path("x.csv"), "r");
    CHECK(file);
    int rows = 0, row;
    for (char line[512]; fgets(line, sizeof line, file);) {
        if (sscanf(line, "%d,", &row) != 1) continue;
        CHECK(row != DAMAGED);
        rows++;
    }
    fclose(file);
    CHECK_INT(rows, FRAMES);
    CHECK_INT(row, FRAMES); // frames keep the numbers that they were written with
}

// also when the damage is in the last frame that the checkpoint counts on
TEST(recording_with_a_damaged_frame_is_gone_on_with)
{
    make_run();
    damage_frame(pl_test_path("run/frames.plr"), DAMAGED);
    damage_frame(pl_test_path("run/frames.plr"), FRAMES);
    const char* folder = pl_test_folder();
    CHECK_INT(pliant("resume %s/run --quiet", folder), 0);
    CHECK_TEXT(text, "frame 5 is damaged");
    pl_recording* r;
    pl_error error;
    CHECK_OK(pl_recording_open(pl_test_path("run/frames.plr"), &r, NULL, &error), &error);
    CHECK_INT(pl_recording_frame_count(r), FRAMES - 1);
    CHECK_INT(pl_recording_last_number(r), FRAMES);
    pl_recording_close(r);
}

static uint8_t* read_whole(const char* path, size_t size) {
    uint8_t* bytes = pl_alloc(size);
    FILE* file = fopen(path, "rb");
    CHECK(bytes && file && fread(bytes, 1, size, file) == size && fgetc(file) == EOF);
    fclose(file);
    return bytes;
}

TEST(recording_written_behind_has_the_same_bytes)
{
    sample_recording s;
    sample_recording_begin(&s, 1);
    size_t size;
    char path[1100];
    snprintf(path, sizeof path, "%s", pl_test_path("behind.plr"));
    uint8_t* expected =
        sample_recording_bytes(&s, pl_test_path("at_once.plr"), true, FRAMES, &size);
    pl_write_behind* queue;
    pl_recorder* recorder;
    pl_error error;
    CHECK_OK(pl_write_behind_create(&queue, &error), &error);
    CHECK_OK(pl_recorder_create(path, &s.head, true, &recorder, &error), &error);
    pl_recorder_use_queue(recorder, queue);
    for (int i = 0; i < FRAMES; i++) {
        sample_recording_frame(&s, i);
        CHECK_OK(pl_recorder_append(recorder, 0.04 * i, s.frame, &error), &error);
    }
    CHECK_OK(pl_recorder_close(recorder, &error), &error);
    pl_write_behind_destroy(queue);
    uint8_t* bytes = read_whole(path, size);
    CHECK(memcmp(bytes, expected, size) == 0);
    pl_free(bytes, size);
    pl_free(expected, size);
    sample_recording_end(&s);
}

TEST(recording_written_behind_tells_of_a_full_disk)
{
    sample_recording s;
    sample_recording_begin(&s, 1);
    pl_write_behind* queue;
    pl_recorder* recorder;
    pl_error error = {0};
    CHECK_OK(pl_write_behind_create(&queue, &error), &error);
    char path[1100];
    snprintf(path, sizeof path, "%s", pl_test_path("full.plr"));
    CHECK_OK(pl_recorder_create(path, &s.head, false, &recorder, &error), &error);
    pl_recorder_use_queue(recorder, queue);
    pl_recorder_inject_failure(recorder, 4000); // three frames and a part
    pl_status status = PL_OK;
    for (int i = 0; i < FRAMES && status == PL_OK; i++) {
        sample_recording_frame(&s, i);
        status = pl_recorder_append(recorder, 0.04 * i, s.frame, &error);
    }
    CHECK_INT(status, PL_ERROR_DISK);
    CHECK_TEXT(error.text, "frames before it are safe");
    CHECK_INT(pl_recorder_close(recorder, &error), PL_ERROR_DISK);
    pl_write_behind_destroy(queue);
    pl_recording* r;
    CHECK_OK(pl_recording_open(path, &r, NULL, &error), &error);
    int count = pl_recording_frame_count(r);
    CHECK(count > 0 && count < FRAMES);
    for (int i = 0; i < count; i++) CHECK_INT(pl_recording_number(r, i), i);
    pl_recording_close(r);
    sample_recording_end(&s);
}

typedef struct job_log {
    int ran[8];
    int count, fails_at;
} job_log;

static pl_status log_job(void* user, pl_error* error) {
    job_log* log = user;
    log->ran[log->count] = log->count;
    return log->count++ == log->fails_at ? pl_fail(error, PL_ERROR_IO, "job %d failed", log->count)
                                         : PL_OK;
}

TEST(write_behind_skips_jobs_after_a_failure)
{
    pl_write_behind* queue;
    pl_error error = {0};
    int64_t ticket;
    CHECK_OK(pl_write_behind_create(&queue, &error), &error);
    job_log log = {.fails_at = 2};
    pl_status status = PL_OK;
    for (int k = 0; k < 8 && status == PL_OK; k++)
        status = pl_write_behind_post(queue, log_job, &log, &ticket, &error);
    CHECK_INT(pl_write_behind_wait(queue, &error), PL_ERROR_IO);
    CHECK_TEXT(error.text, "job 3 failed");
    CHECK_INT(pl_write_behind_post(queue, log_job, &log, &ticket, &error), PL_ERROR_IO);
    pl_write_behind_destroy(queue);
    CHECK_INT(log.count, 3);
}

static int count_files(const char* path, const char* part) {
    int count = 0;
    DIR* folder = opendir(path);
    for (struct dirent* entry; folder && (entry = readdir(folder)) != NULL;)
        count += strstr(entry->d_name, part) != NULL;
    if (folder) closedir(folder);
    return count;
}

// stops `pliant render ... -o out` by SIGTERM while it draws; its exit status
static int stop_render(const char* out) {
    char command[1024], run[1100];
    const char* folder = getenv("PLIANT_BIN");
    snprintf(command, sizeof command, "%s%spliant", folder ? folder : "", folder ? "/" : "");
    snprintf(run, sizeof run, "%s", pl_test_path("run"));
    const char* arguments[] = {"pliant", "render",  run,         "-o", out,
                               "--size", "640x480", "--samples", "16", NULL};
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(99);
        execvp(command, (char* const*)(uintptr_t)arguments);
        _exit(98);
    }
    usleep(60000);
    kill(child, SIGTERM);
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(render_that_is_stopped_leaves_no_parts)
{
    make_run();
    const char* names[] = {"film.gif", "pictures"};
    for (int k = 0; k < 2; k++) {
        char out[1100];
        snprintf(out, sizeof out, "%s", pl_test_path(names[k]));
        int code = stop_render(out);
        // 2: no ffmpeg; 0: it was faster than the signal; -1: the signal came before the handler
        CHECK(code == 3 || code == 2 || code == 0 || code == -1);
        CHECK_INT(count_files(pl_test_folder(), ".part"), 0);
        if (code == 3 && k == 0) CHECK(access(out, F_OK) != 0);
        if (k == 1) CHECK_INT(count_files(out, ".png."), 0);
    }
}
