// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// pliant run SCENE -o DIR and pliant resume DIR: the same loop, from the start or from a
// checkpoint.
#include "base/platform.h"
#include "base/timer.h"
#include "commands.h"
#include "interrupts.h"
#include "options.h"
#include "record/run_folder.h"
#include "scene_input.h"

#include <jansson.h>
#include <pliant/pliant.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct run_options {
    const char* folder;
    text_list overrides;
    bool force, strict, json, quiet;
    int frames;
    const char* budget;
    double budget_seconds; // 0: none
} run_options;

static void print_bar(const pl_frame_info* info, int total, const pl_run_summary* summary) {
    enum { WIDTH = 24 };
    char bar[WIDTH + 1];
    int filled = total > 0 ? WIDTH * info->frame / total : WIDTH;
    for (int i = 0; i < WIDTH; i++) bar[i] = i < filled ? '#' : '.';
    bar[WIDTH] = '\0';
    double per_frame = (summary->seconds + summary->output_seconds) / summary->frame_count;
    fprintf(stderr, "\r[%s] %d/%d  %.1f fps  %.0f s left  %d iterations  residual %.1e  ", bar,
            info->frame, total, 1.0 / per_frame, per_frame * (total - info->frame),
            info->iterations, info->residual);
    if (info->frame == total) fprintf(stderr, "\n");
}

static void print_line(const pl_frame_info* info, int total) {
    fprintf(stderr,
            "frame %d/%d  time %.4g s  %d iterations  residual %.1e%s  %d contacts  %.3f s\n",
            info->frame, total, info->time, info->iterations, info->residual,
            info->cut_count           ? " (cut)"
            : info->unconverged_count ? " (not converged)"
                                      : "",
            info->contact_count, info->seconds);
}

static void print_summary(const char* folder, int done, int total, const pl_run_summary* s,
                          bool as_json) {
    double whole = s->seconds + s->output_seconds;
    double fps = whole > 0.0 ? s->frame_count / whole : 0.0;
    if (as_json) {
        json_t* object =
            json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:f, s:f, s:f, s:f}", "folder", folder,
                      "frames", done, "total", total, "iterations", s->iterations, "unconverged",
                      s->unconverged_count, "retries", s->retry_count, "cut_frames",
                      s->cut_frame_count, "worst_residual", s->worst_residual, "seconds",
                      s->seconds, "output_seconds", s->output_seconds, "fps", fps);
        json_dumpf(object, stdout, JSON_INDENT(2));
        printf("\n");
        json_decref(object);
        return;
    }
    printf("%s: %d of %d frames, %.2f s and %.2f s of output (%.1f fps), %d iterations\n", folder,
           done, total, s->seconds, s->output_seconds, fps, s->iterations);
    if (s->unconverged_count)
        printf("  %d solves ended before their tolerance; the worst residual is %.1e. Raise the "
               "body's iterations (method grid: linear_iterations), or take more substeps.\n",
               s->unconverged_count, s->worst_residual);
    if (s->cut_frame_count)
        printf("  In %d frames the budget ended solves before they were done; column cuts of "
               "metrics.csv has them.\n",
               s->cut_frame_count);
    if (s->unbalanced[0]) printf("  forces were last out of balance at %s\n", s->unbalanced);
    if (s->retry_count) printf("  %d times a frame or a step was tried again\n", s->retry_count);
    if (s->softened_frame_count)
        printf(
            "  In %d frames, attachments or colliders were more than 10,000 times as stiff as the "
            "body and counted as that stiff; linear direct takes them as they are.\n",
            s->softened_frame_count);
    if (s->unfit_frame_count)
        printf(
            "  eigenfit   not to be trusted from frame %d on (in %d frames the modes of a body are "
            "not those at rest); use a finer mesh\n",
            s->first_unfit_frame, s->unfit_frame_count);
    if (s->turned_frame_count)
        printf("  In %d frames, a body of law linear turned by more than 20 degrees in places; "
               "that law takes turns for stretches, and the body grows. Use material.law "
               "corotated.\n",
               s->turned_frame_count);
}

// runs to the end, or until the frame during which Ctrl-C was pressed
static pl_status run_frames(pl_run* run, const run_options* o, pl_error* error) {
    bool terminal = isatty(STDERR_FILENO) && !o->quiet;
    int total = pl_run_frame_total(run);
    while (!pl_run_is_done(run) && !stop_is_asked()) {
        pl_frame_info info;
        pl_status status = pl_run_frame(run, &info, error);
        if (status != PL_OK) return status;
        if (terminal) print_bar(&info, total, pl_run_get_summary(run));
        else if (!o->quiet) print_line(&info, total);
    }
    return PL_OK;
}

static int finish(const verb* v, pl_run* run, const run_options* o, pl_status status,
                  pl_error* error) {
    int done = pl_world_frame(pl_run_world(run)), total = pl_run_frame_total(run);
    pl_run_summary summary = *pl_run_get_summary(run);
    // keeps the frames before a failure, with a checkpoint
    pl_error close_error;
    double start = pl_seconds();
    pl_status closed = pl_run_close(run, &close_error);
    summary.output_seconds += pl_seconds() - start; // waiting for the disk
    print_summary(o->folder, done, total, &summary, o->json);
    // a failure during the run is not the fault of the input
    if (status != PL_OK || closed != PL_OK) {
        report_error(v, status != PL_OK ? error : &close_error);
        return EXIT_FAILED;
    }
    if (done < total) {
        fprintf(stderr, "pliant %s: stopped; `pliant resume %s` goes on\n", v->name, o->folder);
        return EXIT_LIMIT;
    }
    if (!o->json)
        printf("next: `pliant render %s -o movie.gif`, `pliant render %s --sheet 4x3 -o "
               "sheet.png`, `pliant export %s "
               "--to glb`\n",
               o->folder, o->folder, o->folder);
    return o->strict && summary.unconverged_count ? EXIT_FAILED : EXIT_DONE;
}

// reads the scene and starts its run
static pl_status start_run(const char* scene_path, run_options* o, pl_run** run, pl_notes* notes,
                           pl_error* error) {
    pl_scene* scene = NULL;
    scene_input input;
    char frames[32];
    snprintf(frames, sizeof frames, "%d", o->frames);
    pl_status status = scene_input_open(scene_path, &input, error);
    if (status == PL_OK) status = scene_input_read(&input, &o->overrides, &scene, notes, error);
    if (status == PL_OK && o->frames >= 0) status = pl_scene_set(scene, "frames", frames, error);
    if (status == PL_OK) {
        status = pl_run_start(scene, o->folder, o->force, run, notes, error);
        if (status != PL_OK) scene_input_explain(&input, &o->overrides, scene, error);
    }
    pl_scene_destroy(scene);
    scene_input_close(&input);
    return status;
}

// prints parts of the set-up that may take long
static void print_progress(pl_log_level level, const char* text, void* user) {
    (void)user;
    if (level == PL_LOG_DEBUG) fprintf(stderr, "%s ...\n", text);
}

static int run_or_resume(const verb* v, const char* scene_path, run_options* o) {
    pl_notes* notes = NULL;
    pl_run* run = NULL;
    pl_error error = {0};
    pl_status status = pl_notes_create(&notes);
    catch_interrupts();
    if (isatty(STDERR_FILENO) && !o->quiet) pl_set_log(print_progress, PL_LOG_DEBUG, NULL);
    if (status == PL_OK)
        status = scene_path ? start_run(scene_path, o, &run, notes, &error)
                            : pl_run_resume(o->folder, &run, notes, &error);
    report_notes(v, notes);
    int code;
    if (status != PL_OK) {
        error.status = status;
        code = report_error(v, &error);
    } else {
        pl_world_set_budget(pl_run_world(run), o->budget_seconds, NULL, NULL);
        status = run_frames(run, o, &error);
        code = finish(v, run, o, status, &error);
    }
    pl_notes_destroy(notes);
    return code;
}

// parses "8ms", "0.5s" or "250us" to seconds
static bool parse_duration(const char* text, double* seconds) {
    static const struct {
        const char* name;
        double seconds;
    } units[] = {{"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}};
    char number[32];
    size_t size = strspn(text, "0123456789.");
    if (size == 0 || size >= sizeof number) return false;
    memcpy(number, text, size);
    number[size] = '\0';
    if (strchr(number, '.') != strrchr(number, '.')) return false;
    for (size_t k = 0; k < sizeof units / sizeof units[0]; k++)
        if (strcmp(text + size, units[k].name) == 0) {
            *seconds = 0.0;
            bool is_read = pl_parse_number(number, seconds);
            *seconds *= units[k].seconds;
            return is_read && *seconds > 0.0;
        }
    return false;
}

// resume has the last four options only
static bool parse_run(const verb* v, bool resume, int argc, char** argv, const char** argument,
                      run_options* o, int* code) {
    const option options[] = {
        {"-o", "DIR", OPTION_TEXT, &o->folder, "folder of the run", ANY},
        {"--set", "PATH=VALUE", OPTION_TEXT_LIST, &o->overrides,
         "changes one value of the scene; may be repeated", ANY},
        {"--frames", "N", OPTION_INT, &o->frames, "how many frames, in place of the scene's", 0,
         1e9},
        {"--force", NULL, OPTION_FLAG, &o->force, "replaces an old run in the folder", ANY},
        {"--budget", "TIME", OPTION_TEXT, &o->budget,
         "time that a frame may take, like 8ms or 0.5s; iterations that do not fit are left out",
         ANY},
        {"--strict", NULL, OPTION_FLAG, &o->strict, "exit 1 if a solve did not converge", ANY},
        {"--quiet", NULL, OPTION_FLAG, &o->quiet, "no progress", ANY},
        {"--json", NULL, OPTION_FLAG, &o->json, "the summary as JSON", ANY},
    };
    int count, total = sizeof options / sizeof options[0], first = resume ? total - 4 : 0;
    if (!parse_options(v, options + first, total - first, argc, argv, argument, &count, code))
        return false;
    if (!o->budget || parse_duration(o->budget, &o->budget_seconds)) return true;
    fprintf(stderr, "pliant %s: --budget %s is not a time; give one like 8ms or 0.5s\n", v->name,
            o->budget);
    *code = EXIT_USAGE;
    return false;
}

int cmd_run(int argc, char** argv) {
    static const verb v = {
        "run",
        "SCENE -o DIR [options]",
        "simulates a scene into a folder",
        "SCENE is a file, or - for standard input. A mesh file gets a scene of its own: solids "
        "fall\n"
        "on the ground, flat cloth falls over a ball, other cloth hangs by its top.\n"
        "DIR gets scene.json (resolved), frames.plr, metrics.csv, checkpoint.plc and log.txt. "
        "Ctrl-C\n"
        "stops after the frame; `pliant resume DIR` goes on, also after a kill, to the same bits.",
        1,
        1};
    run_options o = {.frames = -1};
    const char* scene;
    int code;
    if (!parse_run(&v, false, argc, argv, &scene, &o, &code)) return code;
    if (!o.folder) {
        fprintf(stderr, "pliant run: -o DIR is missing: where should the run go?\n");
        return EXIT_USAGE;
    }
    return run_or_resume(&v, scene, &o);
}

int cmd_resume(int argc, char** argv) {
    static const verb v = {
        "resume", "DIR [options]", "goes on with a run that was stopped or killed", NULL, 1, 1};
    run_options o = {.frames = -1};
    int code;
    if (!parse_run(&v, true, argc, argv, &o.folder, &o, &code)) return code;
    return run_or_resume(&v, NULL, &o);
}
