// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Each frame is appended to the recording and the metrics. A checkpoint stores how long both were,
// and replaces the previous one by renaming. So at whatever moment a run is killed, there is a
// checkpoint whose frames are complete. A separate thread (write_behind.h) writes frames and
// checkpoints in order, while the next frames are simulated.
#include "record/run_folder.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/notes.h"
#include "base/platform.h"
#include "base/timer.h"
#include "mesh/mesh_sink.h"
#include "mesh/mesh_source.h"
#include "record/contact_table.h"
#include "record/run_checkpoint.h"
#include "record/run_reactions.h"
#include "record/run_values.h"
#include "world/world_build.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct pl_run {
    char* folder;
    pl_scene* scene;
    pl_world* world;
    pl_run_values values;
    pl_write_behind* queue;
    pl_recorder* recorder;
    pl_checkpoint checkpoint; // the last one that was posted
    int metrics;              // file descriptor, or -1
    int64_t metrics_size;
    int contacts; // contacts.csv, or -1
    int64_t contacts_size;
    uint64_t scene_hash;
    int checkpoint_frame;                       // of the last checkpoint, or -1
    double checkpoint_time, checkpoint_seconds; // when it was written, and how long that took
    int lock;                                   // of the folder, or -1
    bool counts_crossings; // bodies keep apart: each frame reports where they cross
    bool is_behind;        // the world is ahead of the files, which could not be written
    pl_run_summary summary;
};

static const char* const METRICS_HEAD = "frame,time,iterations,linear_iterations,unconverged,"
                                        "retries,contacts,residual,kinetic_energy,elastic_energy,"
                                        "volume,detect_seconds,assembly_seconds,linear_seconds,"
                                        "other_seconds,seconds,output_seconds,switches,cuts,"
                                        "momentum_x,momentum_y,momentum_z,angular_momentum_x,"
                                        "angular_momentum_y,angular_momentum_z";

enum { PATH_SIZE = 1200 };

static const char* path_in(const pl_run* run, const char* name, char path[PATH_SIZE]) {
    snprintf(path, PATH_SIZE, "%s/%s", run->folder, name);
    return path;
}

static bool is_empty(const char* folder) {
    DIR* dir = opendir(folder);
    if (!dir) return true;
    bool empty = true;
    for (struct dirent* entry; (entry = readdir(dir)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) empty = false;
    closedir(dir);
    return empty;
}

// makes the folder and those above it
static pl_status make_folder(const char* folder, bool force, pl_error* error) {
    char path[PATH_SIZE];
    if (snprintf(path, sizeof path, "%s", folder) >= (int)sizeof path - 64)
        return pl_fail(error, PL_ERROR_ARGUMENT, "%.80s...: the path is too long", folder);
    for (char* p = path + 1; *p; p++) {
        if (!pl_path_is_separator(*p)) continue;
        char separator = *p;
        *p = '\0';
        pl_folder_make(path); // a failure shows below, with its reason
        *p = separator;
    }
    if (pl_folder_make(path) != 0 && errno != EEXIST)
        return pl_fail(error, PL_ERROR_IO, "%s: cannot be created: %s", folder, strerror(errno));
    if (!pl_path_is_folder(path))
        return pl_fail(error, PL_ERROR_IO, "%s: is not a folder; give another place for the run",
                       folder);
    if (!force && !is_empty(path))
        return pl_fail(
            error, PL_ERROR_IO,
            "%s: is not empty; --force replaces the run in it, `pliant resume` continues it",
            folder);
    return PL_OK;
}

// two processes in one folder would overwrite each other's files
static pl_status lock_folder(pl_run* run, pl_error* error) {
    run->lock = pl_folder_lock(run->folder);
    if (run->lock >= 0) return PL_OK;
    if (errno == EWOULDBLOCK)
        return pl_fail(error, PL_ERROR_IO,
                       "%s: another process is running in this folder; wait for it or end it",
                       run->folder);
    return pl_fail(error, PL_ERROR_IO, "%s: cannot be opened: %s", run->folder, strerror(errno));
}

// in the order in which they are removed: a folder without a scene is not resumed, and without a
// checkpoint the other files are not used
static const char* const file_names[] = {"scene.json",  "checkpoint.plc", "frames.plr",
                                         "metrics.csv", "contacts.csv",   "log.txt"};
enum { FILE_NAME_COUNT = sizeof file_names / sizeof file_names[0] };

// checkpoint.plc.x1Y2z3: a file that was being written when its process was killed
static bool is_leftover(const char* name) {
    for (int k = 0; k < FILE_NAME_COUNT; k++) {
        size_t size = strlen(file_names[k]);
        if (strncmp(name, file_names[k], size) == 0 && name[size] == '.' &&
            strlen(name + size + 1) == 6)
            return true;
    }
    return false;
}

static void remove_leftovers(const pl_run* run) {
    char path[PATH_SIZE];
    DIR* dir = opendir(run->folder);
    if (!dir) return;
    for (struct dirent* entry; (entry = readdir(dir)) != NULL;)
        if (is_leftover(entry->d_name)) unlink(path_in(run, entry->d_name, path));
    closedir(dir);
}

static void remove_old_run(const pl_run* run) {
    char path[PATH_SIZE];
    for (int k = 0; k < FILE_NAME_COUNT; k++) unlink(path_in(run, file_names[k], path));
    remove_leftovers(run);
}

// a run is identified by the bytes of its scene.json
static pl_status hash_scene(pl_run* run, pl_error* error) {
    char path[PATH_SIZE];
    return pl_checkpoint_scene_hash(path_in(run, "scene.json", path), &run->scene_hash, error);
}

static pl_status write_whole(int file, const char* path, const void* data, size_t size,
                             pl_error* error) {
    const char* from = data;
    while (size > 0) {
        ssize_t done = write(file, from, size);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0)
            return pl_fail(error, pl_write_status(errno), "%s: cannot be written: %s", path,
                           strerror(errno));
        from += done;
        size -= (size_t)done;
    }
    return PL_OK;
}

// opens the log for appending
static pl_status open_log(const pl_run* run, bool is_new, char path[PATH_SIZE], int* file,
                          pl_error* error) {
    path_in(run, "log.txt", path);
    *file = pl_file_open(path, is_new ? PL_FILE_RESTART : PL_FILE_APPEND);
    if (*file >= 0) return PL_OK;
    return pl_fail(error, pl_write_status(errno), "%s: cannot be written: %s", path,
                   strerror(errno));
}

static pl_status close_log(int file, const char* path, pl_status status, pl_error* error) {
    if (close(file) == 0 || status != PL_OK) return status;
    return pl_fail(error, pl_write_status(errno), "%s: cannot be written: %s", path,
                   strerror(errno));
}

// appends the notes to the log; a resumed run says from which frame
static pl_status add_to_log(const pl_run* run, const pl_notes* notes, bool is_new,
                            pl_error* error) {
    char path[PATH_SIZE];
    int file;
    pl_status status = open_log(run, is_new, path, &file, error);
    if (status != PL_OK) return status;
    if (!is_new) {
        char line[64];
        int size = snprintf(line, sizeof line, "resumed at frame %d\n", pl_world_frame(run->world));
        status = write_whole(file, path, line, (size_t)size, error);
    }
    for (int k = 0; status == PL_OK && k < pl_notes_count(notes); k++) {
        const char* text = pl_notes_text(notes, k, NULL);
        status = write_whole(file, path, text, strlen(text), error);
        if (status == PL_OK) status = write_whole(file, path, "\n", 1, error);
    }
    return close_log(file, path, status, error);
}

// logs what the budget cut
static pl_status log_cuts(const pl_run* run, pl_error* error) {
    char path[PATH_SIZE], line[100];
    int file;
    if (run->summary.cut_frame_count == 0) return PL_OK;
    pl_status status = open_log(run, false, path, &file, error);
    if (status != PL_OK) return status;
    int size = snprintf(line, sizeof line, "the budget cut solves in %d of %d frames\n",
                        run->summary.cut_frame_count, run->summary.frame_count);
    return close_log(file, path, write_whole(file, path, line, (size_t)size, error), error);
}

// Appends text to a file of *file_size bytes and frees the text. If it fails, a partly written text
// is removed.
static pl_status append(const pl_run* run, int file, const char* name, int64_t* file_size,
                        pl_text* text, pl_error* error) {
    char path[PATH_SIZE];
    const char* bytes = pl_text_get(text);
    pl_status status =
        bytes ? write_whole(file, path_in(run, name, path), bytes, strlen(bytes), error)
              : pl_fail_memory(error, name);
    if (status == PL_OK) *file_size += (int64_t)strlen(bytes);
    else if (ftruncate(file, *file_size) == 0) lseek(file, *file_size, SEEK_SET);
    pl_text_free(text);
    return status;
}

// cuts a file that is open for writing to its first `size` bytes
static pl_status cut_file(int file, const char* path, int64_t size, pl_error* error) {
    if (file >= 0 && ftruncate(file, size) == 0 && lseek(file, size, SEEK_SET) >= 0) return PL_OK;
    return pl_fail(error, pl_write_status(errno), "%s: cannot be written: %s", path,
                   strerror(errno));
}

static pl_status write_row(pl_run* run, pl_text* row, pl_error* error) {
    pl_text_add(row, "\n");
    return append(run, run->metrics, "metrics.csv", &run->metrics_size, row, error);
}

// keeps the first `size` bytes of the metrics; 0 starts a new file
static pl_status open_metrics(pl_run* run, int64_t size, pl_error* error) {
    char path[PATH_SIZE];
    path_in(run, "metrics.csv", path);
    run->metrics = pl_file_open(path, PL_FILE_WRITE);
    uint64_t old_size = 0;
    if (run->metrics >= 0 && !pl_file_kind(run->metrics, &old_size) && (int64_t)old_size < size)
        return pl_fail(
            error, PL_ERROR_FORMAT,
            "%s: is incomplete: it has %lld bytes, but the checkpoint expects %lld; delete "
            "checkpoint.plc to start the run again",
            path, (long long)old_size, (long long)size);
    pl_status status = cut_file(run->metrics, path, size, error);
    if (status != PL_OK) return status;
    run->metrics_size = size;
    if (size > 0) return PL_OK;
    pl_text head = pl_text_begin();
    pl_text_add(&head, METRICS_HEAD);
    if (run->counts_crossings) pl_text_add(&head, ",crossings,contact_energy");
    pl_run_reaction_columns(run->world, run->scene, &head);
    return write_row(run, &head, error);
}

static pl_status add_metrics(pl_run* run, const pl_frame_info* info, double output_seconds,
                             pl_error* error) {
    double other = info->seconds - info->detect_seconds - info->assembly_seconds -
                   info->linear_seconds; // line search, residuals, forces
    double momentum[6];
    const pl_status status = pl_world_momentum(run->world, -1, momentum, momentum + 3, error);
    if (status != PL_OK) return status;
    pl_text row = pl_text_begin();
    pl_text_format(&row, "%d,%.17g,%d,%d,%d,%d,%d,%.9g,%.17g,%.17g,%.17g,", info->frame, info->time,
                   info->iterations, info->linear_iterations, info->unconverged_count,
                   info->retry_count, info->contact_count, info->residual, info->kinetic_energy,
                   info->elastic_energy, info->volume);
    pl_text_format(&row, "%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%d,%d", info->detect_seconds,
                   info->assembly_seconds, info->linear_seconds, other, info->seconds,
                   output_seconds, info->switch_count, info->cut_count);
    for (int k = 0; k < 6; k++) pl_text_format(&row, ",%.17g", momentum[k]);
    if (run->counts_crossings)
        pl_text_format(&row, ",%d,%.17g", pl_world_crossings(run->world), info->contact_energy);
    pl_run_reaction_values(run->world, &row);
    return write_row(run, &row, error);
}

static pl_status write_contacts(pl_run* run, pl_text* rows, pl_error* error) {
    return append(run, run->contacts, "contacts.csv", &run->contacts_size, rows, error);
}

// keeps the rows up to the present frame of a resumed run
static pl_status open_contacts(pl_run* run, bool goes_on, pl_error* error) {
    if (!run->scene->output.contacts) return PL_OK;
    char path[PATH_SIZE];
    path_in(run, "contacts.csv", path);
    pl_world_tell_contacts(run->world, true);
    const int64_t size = goes_on ? pl_contact_table_size(path, pl_world_frame(run->world)) : 0;
    run->contacts = pl_file_open(path, PL_FILE_WRITE);
    pl_status status = cut_file(run->contacts, path, size, error);
    if (status != PL_OK) return status;
    run->contacts_size = size;
    if (size > 0) return PL_OK;
    pl_text head = pl_text_begin();
    pl_contact_table_head(&head);
    return write_contacts(run, &head, error);
}

static pl_status add_contacts(pl_run* run, pl_error* error) {
    if (run->contacts < 0) return PL_OK;
    pl_text rows = pl_text_begin();
    pl_text_add(&rows, "");
    pl_contact_table_rows(run->world, &rows);
    return write_contacts(run, &rows, error);
}

static pl_status post_checkpoint(pl_run* run, pl_error* error) {
    if (run->checkpoint_frame == pl_world_frame(run->world)) return PL_OK;
    pl_checkpoint_head head = {.scene_hash = run->scene_hash, .metrics_size = run->metrics_size};
    pl_status status =
        pl_checkpoint_post(&run->checkpoint, &head, run->world, run->recorder, run->queue, error);
    if (status == PL_OK) run->checkpoint_frame = pl_world_frame(run->world);
    return status;
}

static pl_status create_run(const char* folder, pl_run** out, pl_error* error) {
    *out = PL_ALLOC(pl_run, 1);
    if (!*out) return pl_fail_memory(error, "a run");
    (*out)->metrics = -1;
    (*out)->contacts = -1;
    (*out)->lock = -1;
    (*out)->checkpoint_frame = -1;
    (*out)->checkpoint_time = pl_seconds();
    (*out)->folder = pl_copy_text(folder);
    if (!(*out)->folder) return pl_fail_memory(error, "a run");
    path_in(*out, "checkpoint.plc", (*out)->checkpoint.path);
    return pl_write_behind_create(&(*out)->queue, error);
}

static void free_run(pl_run* run) {
    if (!run) return;
    pl_recorder_close(run->recorder, NULL); // waits for the jobs of the queue
    pl_write_behind_destroy(run->queue);
    pl_checkpoint_free(&run->checkpoint);
    if (run->metrics >= 0) close(run->metrics);
    if (run->contacts >= 0) close(run->contacts);
    if (run->lock >= 0) close(run->lock);
    pl_run_values_free(&run->values);
    pl_world_destroy(run->world);
    pl_scene_destroy(run->scene);
    pl_free_text(run->folder);
    PL_FREE(run, pl_run, 1);
}

static pl_status record_frame(pl_run* run, pl_error* error) {
    pl_run_values_update(&run->values, run->world);
    return pl_recorder_append(run->recorder, pl_world_time(run->world), run->values.values, error);
}

static pl_status open_files(pl_run* run, const pl_checkpoint_head* checkpoint, pl_error* error) {
    char path[PATH_SIZE];
    path_in(run, "frames.plr", path);
    run->values.head.scene = run->scene_hash;
    bool compress = run->scene->output.compress;
    pl_status status =
        checkpoint ? pl_recorder_reopen(path, &run->values.head, compress,
                                        (int)checkpoint->frame_count, &run->recorder, error)
                   : pl_recorder_create(path, &run->values.head, compress, &run->recorder, error);
    if (status != PL_OK) return status;
    pl_recorder_use_queue(run->recorder, run->queue);
    status = open_metrics(run, checkpoint ? checkpoint->metrics_size : 0, error);
    if (status == PL_OK) status = open_contacts(run, checkpoint != NULL, error);
    if (checkpoint) run->checkpoint_frame = pl_world_frame(run->world);
    return checkpoint || status != PL_OK ? status : record_frame(run, error);
}

pl_status pl_run_start(const pl_scene* scene, const char* folder, bool force, pl_run** out,
                       pl_notes* notes, pl_error* error) {
    *out = NULL;
    pl_run* run = NULL;
    char path[PATH_SIZE];
    pl_status status = create_run(folder, &run, error);
    // the world first: a scene that cannot run must not delete the files of an old run
    if (status == PL_OK) status = pl_scene_copy(scene, &run->scene, error);
    if (status == PL_OK) status = pl_world_create(scene, &run->world, notes, error);
    if (status == PL_OK) status = pl_world_check_held(run->world, error);
    if (status == PL_OK) run->counts_crossings = pl_world_crossings(run->world) >= 0;
    if (status == PL_OK) status = pl_run_values_setup(&run->values, run->world, run->scene, error);
    if (status == PL_OK) status = make_folder(folder, force, error);
    if (status == PL_OK) status = lock_folder(run, error);
    if (status == PL_OK) {
        remove_old_run(run);
        status = pl_scene_write(scene, path_in(run, "scene.json", path), error);
    }
    if (status == PL_OK) status = hash_scene(run, error);
    if (status == PL_OK) status = add_to_log(run, notes, true, error);
    if (status == PL_OK) status = open_files(run, NULL, error);
    if (status == PL_OK) status = post_checkpoint(run, error);
    if (status == PL_OK) status = pl_write_behind_wait(run->queue, error);
    if (status == PL_OK) *out = run;
    else free_run(run);
    return status;
}

// notes which frames of the recording are dropped because they came after the checkpoint
static void note_tail(const pl_run* run, const pl_checkpoint_head* head, pl_notes* notes) {
    char path[PATH_SIZE];
    pl_recording* recording;
    if (pl_recording_open(path_in(run, "frames.plr", path), &recording, notes, NULL) != PL_OK)
        return; // opening it for writing will report why
    int extra = (int)(pl_recording_last_number(recording) + 1 - head->frame_count);
    if (extra > 0)
        pl_note(notes, PL_NOTE_INFO,
                "%s: the last %d frames are newer than the checkpoint and are computed again", path,
                extra);
    pl_recording_close(recording);
}

pl_status pl_run_resume(const char* folder, pl_run** out, pl_notes* notes, pl_error* error) {
    *out = NULL;
    pl_run* run = NULL;
    char path[PATH_SIZE];
    pl_status status = create_run(folder, &run, error);
    if (status == PL_OK && access(path_in(run, "scene.json", path), F_OK) != 0)
        status = pl_fail(error, PL_ERROR_IO,
                         "%s: holds no run (there is no scene.json); `pliant run SCENE -o %s` "
                         "starts one",
                         folder, folder);
    if (status == PL_OK) status = lock_folder(run, error);
    if (status == PL_OK) remove_leftovers(run);
    if (status == PL_OK)
        status =
            pl_scene_read(path_in(run, "scene.json", path), NULL, 0, &run->scene, notes, error);
    if (status == PL_OK) status = hash_scene(run, error);
    if (status == PL_OK) status = pl_world_create(run->scene, &run->world, notes, error);
    if (status == PL_OK) run->counts_crossings = pl_world_crossings(run->world) >= 0;
    if (status == PL_OK) status = pl_run_values_setup(&run->values, run->world, run->scene, error);
    bool has_checkpoint =
        status == PL_OK && access(path_in(run, "checkpoint.plc", path), F_OK) == 0;
    pl_checkpoint_head head;
    if (has_checkpoint)
        status = pl_checkpoint_load(path, run->scene_hash, run->world, &head, error);
    if (status == PL_OK && !has_checkpoint)
        pl_note(notes, PL_NOTE_INFO,
                "%s: no checkpoint was written yet; the run starts from the beginning", folder);
    if (has_checkpoint && status == PL_OK) note_tail(run, &head, notes);
    if (status == PL_OK) status = open_files(run, has_checkpoint ? &head : NULL, error);
    if (status == PL_OK) status = add_to_log(run, notes, false, error);
    if (status == PL_OK) *out = run;
    else free_run(run);
    return status;
}

bool pl_run_is_done(const pl_run* run) { return pl_world_frame(run->world) >= run->scene->frames; }
int pl_run_frame_total(const pl_run* run) { return run->scene->frames; }
pl_world* pl_run_world(pl_run* run) { return run->world; }
const pl_run_summary* pl_run_get_summary(const pl_run* run) { return &run->summary; }

static void sum_up(pl_run_summary* summary, const pl_frame_info* info) {
    summary->frame_count++;
    summary->iterations += info->iterations;
    summary->unconverged_count += info->unconverged_count;
    summary->retry_count += info->retry_count;
    summary->softened_frame_count += info->softened_count > 0;
    summary->turned_frame_count += info->turned_count > 0;
    if (info->unfit_count > 0 && summary->unfit_frame_count++ == 0)
        summary->first_unfit_frame = info->frame;
    summary->cut_frame_count += info->cut_count > 0;
    summary->worst_residual = fmax(summary->worst_residual, info->residual);
    summary->seconds += info->seconds;
    if (info->unbalanced[0])
        memcpy(summary->unbalanced, info->unbalanced, sizeof summary->unbalanced);
}

// After a number of frames, or after a second. A killed run loses no more than that, and a run with
// many small frames does not spend its time on checkpoints.
static bool is_checkpoint_due(const pl_run* run, int frame) {
    int every = run->scene->output.checkpoint_every;
    return every > 0 ? frame % every == 0 : pl_seconds() - run->checkpoint_time >= 1.0;
}

pl_status pl_run_frame(pl_run* run, pl_frame_info* info, pl_error* error) {
    pl_status status = pl_world_step(run->world, info, error);
    if (status != PL_OK) return status;
    sum_up(&run->summary, info);
    run->is_behind = true;
    double start = pl_seconds();
    const bool is_recorded = info->frame % run->scene->output.every == 0;
    if (is_recorded) status = record_frame(run, error);
    if (status == PL_OK && is_recorded) status = add_contacts(run, error);
    // includes the checkpoint of the previous frame, which is posted only after its row is written
    if (status == PL_OK)
        status = add_metrics(run, info, pl_seconds() - start + run->checkpoint_seconds, error);
    run->summary.output_seconds += pl_seconds() - start;
    run->is_behind = status != PL_OK;
    run->checkpoint_seconds = 0.0;
    if (status == PL_OK && is_checkpoint_due(run, info->frame)) {
        start = pl_seconds();
        status = post_checkpoint(run, error);
        run->checkpoint_seconds = pl_seconds() - start;
        run->summary.output_seconds += run->checkpoint_seconds;
        run->checkpoint_time = pl_seconds();
    }
    return status;
}

pl_status pl_run_flush(pl_run* run, pl_error* error) {
    return pl_recorder_flush(run->recorder, error);
}

pl_status pl_run_close(pl_run* run, pl_error* error) {
    if (!run) return PL_OK;
    // a checkpoint must not refer to a frame that the recording lacks
    pl_status status = run->is_behind ? PL_OK : post_checkpoint(run, error);
    if (status == PL_OK) status = log_cuts(run, error);
    pl_status closed = pl_recorder_close(run->recorder, status == PL_OK ? error : NULL);
    run->recorder = NULL;
    free_run(run);
    return status != PL_OK ? status : closed;
}
