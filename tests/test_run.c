// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Runs: whatever ends them, they go on to the same bytes.
#include "base/memory.h"
#include "base/random.h"
#include "mesh/mesh_source.h"
#include "record/recording.h"
#include "record/run_folder.h"
#include "run_samples.h"
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <pliant/pliant.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char text[16384];

static void write_scene(const char* scene) {
    pl_test_write_file(pl_test_path("scene.json"), scene, strlen(scene));
}

// "pliant VERB FOLDER/first -o FOLDER/second rest"; the exit status
static int pliant(const char* verb, const char* first, const char* second, const char* rest) {
    char command[1600];
    int used = snprintf(command, sizeof command, "pliant %s %s", verb, pl_test_path(first));
    if (second)
        used +=
            snprintf(command + used, sizeof command - (size_t)used, " -o %s", pl_test_path(second));
    snprintf(command + used, sizeof command - (size_t)used, " --quiet %s", rest);
    return pl_test_run(command, text, sizeof text);
}

// ---------------------------------------------------------------- comparing

static pl_source load(const char* folder, const char* name) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    pl_source source;
    pl_error error;
    CHECK_OK(pl_source_load(pl_test_path(path), 0, &source, &error), &error);
    return source;
}

static void check_same_file(const char* a, const char* b, const char* name) {
    pl_source first = load(a, name), second = load(b, name);
    if (first.size != second.size || memcmp(first.data, second.data, first.size) != 0)
        pl_test_fail(__FILE__, __LINE__, "%s differs between %s and %s", name, a, b);
    pl_source_free(&first);
    pl_source_free(&second);
}

// the cells of a table that are not times, in place
static size_t drop_times(char* csv, size_t size) {
    bool is_time[64] = {false};
    size_t used = 0, column = 0, from = 0;
    bool head = true;
    for (size_t i = 0; i < size; i++) {
        if (csv[i] != ',' && csv[i] != '\n') continue;
        CHECK(column < 64);
        if (head) is_time[column] = i - from >= 7 && memcmp(csv + i - 7, "seconds", 7) == 0;
        if (!is_time[column]) {
            memmove(csv + used, csv + from, i - from);
            used += i - from;
            csv[used++] = ',';
        }
        column++;
        from = i + 1;
        if (csv[i] == '\n') column = 0, head = false;
    }
    CHECK(is_time[11] && is_time[16]); // there were times to drop
    return used;
}

static void check_same_metrics(const char* a, const char* b) {
    pl_source first = load(a, "metrics.csv"), second = load(b, "metrics.csv");
    char *one = malloc(first.size), *two = malloc(second.size);
    CHECK(one && two);
    memcpy(one, first.data, first.size), memcpy(two, second.data, second.size);
    size_t one_size = drop_times(one, first.size), two_size = drop_times(two, second.size);
    bool same = one_size == two_size && memcmp(one, two, one_size) == 0;
    free(one), free(two);
    pl_source_free(&first), pl_source_free(&second);
    CHECK(same);
}

static void check_same_run(const char* a, const char* b) {
    check_same_file(a, b, "frames.plr");
    check_same_file(a, b, "checkpoint.plc");
    check_same_file(a, b, "scene.json");
    check_same_metrics(a, b);
}

static void make_reference(void) {
    write_scene(sample_falling_box);
    CHECK_INT(pliant("run", "scene.json", "whole", ""), 0);
}

static int frame_count(const char* folder) {
    char path[256];
    snprintf(path, sizeof path, "%s/frames.plr", folder);
    pl_recording* recording;
    pl_error error;
    CHECK_OK(pl_recording_open(pl_test_path(path), &recording, NULL, &error), &error);
    int count = pl_recording_frame_count(recording);
    for (int i = 0; i < count; i++) CHECK_OK(pl_recording_load(recording, i, &error), &error);
    pl_recording_close(recording);
    return count;
}

// ---------------------------------------------------------------- ending them

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void wait_for(double seconds) {
    struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    nanosleep(&t, NULL);
}

// starts the command in a process of its own, silent, with a limit on the size of files if not 0
static pid_t start(const char* const* arguments, rlim_t file_limit) {
    char path[1024];
    const char* folder = getenv("PLIANT_BIN");
    snprintf(path, sizeof path, "%s%spliant", folder ? folder : "", folder ? "/" : "");
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child > 0) return child;
    struct rlimit limit = {file_limit, file_limit};
    if (file_limit && setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(99);
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(99);
    execvp(path, (char* const*)arguments);
    _exit(98);
}

static int wait_exit(pid_t child) {
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool exists(const char* path) {
    struct stat info;
    return stat(path, &info) == 0;
}

TEST(run_killed_anywhere_resumes_to_the_same_bits)
{
    double before = now();
    make_reference();
    double whole = now() - before;
    char scene[1100], folder[1100], probe[1100];
    snprintf(scene, sizeof scene, "%s", pl_test_path("scene.json"));
    snprintf(folder, sizeof folder, "%s", pl_test_path("killed"));
    snprintf(probe, sizeof probe, "%s", pl_test_path("killed/scene.json"));
    const char* fresh[] = {"pliant", "run", scene, "-o", folder, "--force", "--quiet", NULL};
    const char* again[] = {"pliant", "resume", folder, "--quiet", NULL};
    pl_random random = {7};
    int kills = 0, finished = 0;
    bool started = false;
    while (kills < 50) {
        // a run that was killed before it had a scene has nothing to resume
        pid_t child = start(started && exists(probe) ? again : fresh, 0);
        started = true;
        wait_for(pl_random_uniform(&random, 0.0, whole));
        kill(child, SIGKILL);
        int code = wait_exit(child);
        if (code < 0) {
            kills++;
            continue;
        }
        CHECK_INT(code, 0);
        check_same_run("whole", "killed");
        finished++;
        started = false;
    }
    if (started) {
        CHECK_INT(wait_exit(start(exists(probe) ? again : fresh, 0)), 0);
        check_same_run("whole", "killed");
        finished++;
    }
    CHECK(finished > 0);
    // nothing is left of the files that were being written
    char command[1200];
    snprintf(command, sizeof command, "test $(ls %s | wc -l) = 5", folder);
    CHECK_INT(system(command), 0);
}

// Checkpoints by the clock: how many there are depends on the machine, the bits do not.
TEST(run_checkpoints_by_the_clock_and_resumes_to_the_same_bits)
{
    char scene[2048];
    const char* every = strstr(sample_falling_box, "\"checkpoint_every\": 2, ");
    snprintf(scene, sizeof scene, "%.*s%s", (int)(every - sample_falling_box), sample_falling_box,
             every + strlen("\"checkpoint_every\": 2, "));
    write_scene(scene);
    CHECK_INT(pliant("run", "scene.json", "whole", ""), 0);
    pl_scene* read;
    pl_run* run;
    pl_error error;
    pl_frame_info info;
    CHECK_OK(pl_scene_read(pl_test_path("scene.json"), NULL, 0, &read, NULL, &error), &error);
    CHECK_INT(read->output.checkpoint_every, 0);
    CHECK_OK(pl_run_start(read, pl_test_path("parts"), false, &run, NULL, &error), &error);
    for (int k = 0; k < 5; k++) CHECK_OK(pl_run_frame(run, &info, &error), &error);
    wait_for(1.05); // then one is due
    CHECK_OK(pl_run_frame(run, &info, &error), &error);
    CHECK_OK(pl_run_frame(run, &info, &error), &error);
    // as if it was killed here: the files as they are now, in another folder
    CHECK_OK(pl_run_flush(run, &error), &error);
    char command[1200];
    snprintf(command, sizeof command, "cp -r %s/parts %s/killed", pl_test_folder(),
             pl_test_folder());
    CHECK_INT(system(command), 0);
    CHECK_OK(pl_run_close(run, &error), &error);
    pl_scene_destroy(read);
    CHECK_INT(pliant("resume", "killed", NULL, ""), 0);
    CHECK_TEXT(text, "newer than the checkpoint"); // the seventh frame
    check_same_run("whole", "killed");
    // and the log tells where it went on
    pl_source log = load("killed", "log.txt");
    CHECK(log.size > 20 && strstr(log.data, "resumed at frame 6\n") != NULL);
    pl_source_free(&log);
}

// what `pliant run` says on a terminal
static size_t run_on_terminal(const char* scene, const char* folder, char* out, size_t size) {
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    CHECK(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    const char* name = ptsname(terminal);
    char path[1024];
    const char* bin = getenv("PLIANT_BIN");
    snprintf(path, sizeof path, "%s%spliant", bin ? bin : "", bin ? "/" : "");
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        int side = open(name, O_RDWR);
        if (side < 0 || dup2(side, STDERR_FILENO) < 0 || !freopen("/dev/null", "w", stdout))
            _exit(99);
        close(terminal);
        execlp(path, "pliant", "run", scene, "-o", folder, (char*)NULL);
        _exit(98);
    }
    size_t used = 0;
    ssize_t got;
    // the end of the last writer is an error of the read
    while (used + 1 < size && (got = read(terminal, out + used, size - 1 - used)) > 0)
        used += (size_t)got;
    out[used] = '\0';
    close(terminal);
    CHECK_INT(wait_exit(child), 0);
    return used;
}

LONG_TEST(run_draws_a_bar_on_a_terminal)
{
    write_scene(sample_falling_box);
    char scene[1100], folder[1100];
    snprintf(scene, sizeof scene, "%s", pl_test_path("scene.json"));
    snprintf(folder, sizeof folder, "%s", pl_test_path("run"));
    size_t size = run_on_terminal(scene, folder, text, sizeof text);
    // one line that is drawn over and over, full at the end
    CHECK_TEXT(text, "\r[#.......................] 1/14  ");
    CHECK_TEXT(text, "\r[########################] 14/14  ");
    static const char* const parts[] = {" fps  ", " s left  ", " iterations  residual "};
    for (int k = 0; k < 3; k++) CHECK_TEXT(text, parts[k]);
    int returns = 0, lines = 0;
    for (size_t i = 0; i < size; i++)
        returns += text[i] == '\r' && text[i + 1] == '[', lines += text[i] == '\n';
    CHECK_INT(returns, 14);
    CHECK_INT(lines, 1);
    // and plain lines where there is none
    char command[2400];
    snprintf(command, sizeof command, "pliant run %s -o %s --force", scene, folder);
    CHECK_INT(pl_test_run(command, text, sizeof text), 0);
    CHECK_TEXT(text, "frame 14/14  time ");
    CHECK(strchr(text, '\r') == NULL);
}

TEST(run_interrupted_stops_after_the_frame)
{
    write_scene(sample_falling_box);
    char scene[1100], folder[1100], metrics[1100];
    snprintf(scene, sizeof scene, "%s", pl_test_path("scene.json"));
    snprintf(folder, sizeof folder, "%s", pl_test_path("long"));
    snprintf(metrics, sizeof metrics, "%s", pl_test_path("long/metrics.csv"));
    const char* run[] = {"pliant",         "run",     scene, "-o", folder, "--set",
                         "frames=1000000", "--quiet", NULL};
    const char* again[] = {"pliant", "resume", folder, "--quiet", NULL};
    int frames = 0;
    for (int k = 0; k < 2; k++) {
        pid_t child = start(k == 0 ? run : again, 0);
        struct stat info = {0};
        off_t size = 0;
        // until some more rows were written
        for (int tries = 0; tries < 10000 && info.st_size < size + 600; tries++) {
            wait_for(0.002);
            if (stat(metrics, &info) == 0 && size == 0) size = info.st_size;
        }
        kill(child, SIGINT);
        CHECK_INT(wait_exit(child), 3);
        int count = frame_count("long");
        CHECK(count > frames);
        frames = count;
        // the checkpoint is of the last frame, and the metrics have a row for each but the first
        pl_source rows = load("long", "metrics.csv");
        int lines = 0;
        for (size_t i = 0; i < rows.size; i++) lines += rows.data[i] == '\n';
        pl_source_free(&rows);
        CHECK_INT(lines, count);
        pl_run* resumed;
        pl_error error;
        CHECK_OK(pl_run_resume(folder, &resumed, NULL, &error), &error);
        CHECK_INT(pl_world_frame(pl_run_world(resumed)), count - 1);
        CHECK_OK(pl_run_close(resumed, &error), &error);
    }
}

LONG_TEST(run_full_disk_keeps_the_frames_before)
{
    make_reference();
    pl_source whole = load("whole", "frames.plr");
    char scene[1100], folder[1100];
    snprintf(scene, sizeof scene, "%s", pl_test_path("scene.json"));
    snprintf(folder, sizeof folder, "%s", pl_test_path("full"));
    const char* run[] = {"pliant", "run", scene, "-o", folder, "--quiet", NULL};
    CHECK_INT(wait_exit(start(run, (rlim_t)(whole.size * 6 / 10))), 1);
    pl_source_free(&whole);
    int count = frame_count("full");
    CHECK(count > 3 && count < 15);
    CHECK_INT(pliant("resume", "full", NULL, ""), 0);
    check_same_run("whole", "full");
    // no room for anything at all
    const char* small[] = {"pliant", "run", scene, "-o", folder, "--force", "--quiet", NULL};
    CHECK(wait_exit(start(small, 64)) > 0);
}

LONG_TEST(run_folder_errors)
{
    make_reference();
    pl_test_write_file(pl_test_path("file"), "x", 1);
    CHECK_INT(pliant("run", "scene.json", "file/below", ""), 2);
    CHECK_TEXT(text, "file/below: cannot be created");
    CHECK_INT(pliant("run", "scene.json", "file", ""), 2);
    CHECK_TEXT(text, "is not a folder");
    CHECK_INT(pliant("run", "scene.json", "whole", ""), 2);
    CHECK_TEXT(text, "is not empty; --force");
    CHECK_INT(pliant("run", "scene.json", "whole", "--force --frames 3"), 0);
    CHECK_INT(frame_count("whole"), 4);
    CHECK_INT(pliant("resume", "nowhere", NULL, ""), 2);
    CHECK_TEXT(text, "holds no run");
    CHECK_INT(pliant("run", "missing.json", "new", ""), 2);
    CHECK_TEXT(text, "missing.json");
    CHECK(!exists(pl_test_path("new")));
    // a second process in the same folder
    pl_run* run;
    pl_error error;
    CHECK_OK(pl_run_resume(pl_test_path("whole"), &run, NULL, &error), &error);
    CHECK_INT(pliant("resume", "whole", NULL, ""), 2);
    CHECK_TEXT(text, "another process");
    CHECK_OK(pl_run_close(run, &error), &error);
}

LONG_TEST(run_refuses_wrong_checkpoints)
{
    make_reference();
    CHECK_INT(pliant("run", "scene.json", "other", "--frames 5"), 0);
    pl_source mine = load("whole", "checkpoint.plc"), other = load("other", "checkpoint.plc");
    const char* path = pl_test_path("whole/checkpoint.plc");
    pl_test_write_file(path, other.data, other.size);
    CHECK_INT(pliant("resume", "whole", NULL, ""), 2);
    CHECK_TEXT(text, "another scene");
    CHECK_TEXT(text, "delete it");
    char* bytes = malloc(mine.size);
    CHECK(bytes != NULL);
    // every part of it matters; a cut one is refused too
    for (size_t at = 0; at < mine.size; at += mine.size / 7) {
        memcpy(bytes, mine.data, mine.size);
        bytes[at] ^= 0x10;
        pl_test_write_file(pl_test_path("whole/checkpoint.plc"), bytes, mine.size);
        pl_run* run;
        pl_error error;
        CHECK(pl_run_resume(pl_test_path("whole"), &run, NULL, &error) == PL_ERROR_FORMAT);
        CHECK_TEXT(error.text, "checkpoint.plc");
    }
    pl_test_write_file(pl_test_path("whole/checkpoint.plc"), mine.data, mine.size - 1);
    CHECK_INT(pliant("resume", "whole", NULL, ""), 2);
    CHECK_TEXT(text, "is damaged");
    pl_test_write_file(pl_test_path("whole/checkpoint.plc"), mine.data, mine.size);
    CHECK_INT(pliant("resume", "whole", NULL, ""), 0);
    // metrics that were cut
    CHECK_INT(truncate(pl_test_path("whole/metrics.csv"), 200), 0);
    CHECK_INT(pliant("resume", "whole", NULL, ""), 2);
    CHECK_TEXT(text, "is incomplete");
    free(bytes);
    pl_source_free(&mine);
    pl_source_free(&other);
}

LONG_TEST(run_cuts_a_damaged_tail_and_says_so)
{
    make_reference();
    pl_scene* scene = sample_scene(sample_falling_box);
    pl_run* run;
    pl_error error;
    CHECK_OK(pl_run_start(scene, pl_test_path("cut"), false, &run, NULL, &error), &error);
    pl_frame_info info;
    for (int k = 0; k < 4; k++) CHECK_OK(pl_run_frame(run, &info, &error), &error);
    pl_source early = load("cut", "checkpoint.plc");
    for (int k = 4; k < 9; k++) CHECK_OK(pl_run_frame(run, &info, &error), &error);
    CHECK_OK(pl_run_close(run, &error), &error);
    pl_test_write_file(pl_test_path("cut/checkpoint.plc"), early.data, early.size);
    pl_source frames = load("cut", "frames.plr");
    CHECK_INT(truncate(pl_test_path("cut/frames.plr"), (off_t)frames.size - 11), 0);
    CHECK_INT(pliant("resume", "cut", NULL, ""), 0);
    CHECK_TEXT(text, "newer than the checkpoint");
    check_same_run("whole", "cut");
    // a frame that the checkpoint needs is gone
    CHECK_INT(truncate(pl_test_path("cut/frames.plr"), (off_t)frames.size / 2), 0);
    CHECK_INT(pliant("resume", "cut", NULL, ""), 2);
    CHECK_TEXT(text, "frames are complete");
    pl_source_free(&frames);
    pl_source_free(&early);
    pl_scene_destroy(scene);
}

TEST(run_strict_tells_of_solves_that_did_not_converge)
{
    write_scene(sample_falling_box);
    const char* hard = "--set bodies[0].iterations=1 --set bodies[0].fixed=true --set "
                       "bodies[0].tolerance=1e-14 --frames 3";
    CHECK_INT(pliant("run", "scene.json", "a", hard), 0);
    CHECK_TEXT(text, "6 solves ended before their tolerance");
    char strict[200];
    snprintf(strict, sizeof strict, "%s --strict", hard);
    CHECK_INT(pliant("run", "scene.json", "b", strict), 1);
    CHECK_INT(pliant("run", "scene.json", "c", "--strict --frames 3 --json"), 0);
    CHECK_TEXT(text, "\"unconverged\": 0");
}

TEST(run_start_survives_every_failing_allocation)
{
    pl_scene* scene = sample_scene(sample_falling_box);
    size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth++) {
        pl_run* run;
        pl_error error;
        pl_inject_failure(nth);
        pl_status status = pl_run_start(scene, pl_test_path("run"), true, &run, NULL, &error);
        pl_inject_failure(0);
        if (status == PL_OK) {
            CHECK(nth > 50);
            CHECK_OK(pl_run_close(run, &error), &error);
            break;
        }
        if (status != PL_ERROR_MEMORY || pl_byte_count() != before)
            pl_test_fail(__FILE__, __LINE__, "allocation %d: %s: %s, %d bytes are left", (int)nth,
                         pl_status_text(status), error.text, (int)(pl_byte_count() - before));
        CHECK(run == NULL);
    }
    pl_scene_destroy(scene);
}

// sanitizers are slow, and one frame goes through the same code
#ifdef PL_TEST_SANITIZED
enum { SCENE_FRAMES = 1 };
#else
enum { SCENE_FRAMES = 3 };
#endif

// Runs the scenes of a folder of the project and of the folders in it; how many there were.
static int run_scenes_of(const char* folder, int frames, const char* options) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", PL_TEST_SOURCE_DIR, folder);
    DIR* dir = opendir(path);
    CHECK(dir != NULL);
    int count = 0;
    for (struct dirent* entry; (entry = readdir(dir)) != NULL;) {
        size_t size = strlen(entry->d_name);
        if (size < 6 || strcmp(entry->d_name + size - 5, ".json") != 0) continue;
        char command[3000];
        snprintf(command, sizeof command, "pliant run %s/%s --frames %d --quiet --force -o %s %s",
                 path, entry->d_name, frames, pl_test_path("run"), options);
        int code = pl_test_run(command, text, sizeof text);
        if (code != 0)
            pl_test_fail(__FILE__, __LINE__, "%s/%s: exit %d: %s", folder, entry->d_name, code,
                         text);
        CHECK_INT(frame_count("run"), frames + 1);
        count++;
    }
    closedir(dir);
    return count;
}

TEST(run_every_scene_of_the_project)
{ CHECK(run_scenes_of("scenes", SCENE_FRAMES, "--strict") >= 19); }

// Up to 200 000 vertices: one frame is enough. Papers take a few iterations a frame, whether or not
// they converge.
LONG_TEST(run_scenes_of_the_papers)
{ CHECK(run_scenes_of("scenes/paper", 1, "") >= 13); }
