// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "record/export.h"
#include "base/memory.h"
#include "base/platform.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char* name;
    bool single;
} formats[] = {
#define PL_EXPORT_ROW(code, name, single, help) {name, single},
    PL_EXPORT_LIST(PL_EXPORT_ROW)
#undef PL_EXPORT_ROW
};

pl_export_format pl_export_format_of(const char* name) {
    int i = 0;
    while (i < PL_EXPORT_COUNT && strcmp(formats[i].name, name) != 0) i++;
    return (pl_export_format)i;
}

bool pl_export_is_file(pl_export_format format) { return formats[format].single; }

double pl_export_time(const pl_export_job* job, int i) {
    return pl_recording_time(job->recording, i * job->options->every);
}

int pl_export_number(const pl_export_job* job, int i) {
    return (int)pl_recording_number(job->recording, i * job->options->every);
}

pl_status pl_export_load(const pl_export_job* job, int i, pl_error* error) {
    if (job->options->progress) job->options->progress(i + 1, job->frame_count, job->options->user);
    return pl_recording_load(job->recording, i * job->options->every, error);
}

// keeps letters, digits and a few signs; empty and repeated names get a number
static void choose_name(pl_export_job* job, int body) {
    char* name = job->names[body];
    snprintf(name, sizeof job->names[0] - 12, "%s", job->head->bodies[body].name);
    for (char* p = name; *p; p++) {
        bool safe = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
                    (*p >= '0' && *p <= '9') || *p == '-' || *p == '_' || (*p == '.' && p > name);
        if (!safe) *p = '_';
    }
    bool taken = !name[0];
    for (int i = 0; i < body && !taken; i++) taken = strcmp(name, job->names[i]) == 0;
    if (taken) snprintf(name + strlen(name), 12, "%d", body);
}

static pl_status make_folder(const char* path, pl_error* error) {
    if (pl_folder_make(path) == 0 || (errno == EEXIST && pl_path_is_folder(path))) return PL_OK;
    return pl_fail(error, PL_ERROR_IO, "%s: the folder cannot be created: %s", path,
                   strerror(errno));
}

static pl_status run(const pl_export_job* job, pl_export_format format, pl_error* error) {
    switch (format) {
    case PL_EXPORT_VTU: return pl_export_series(job, PL_MESH_VTU, "vtu", error);
    case PL_EXPORT_PLY: return pl_export_series(job, PL_MESH_PLY, "ply", error);
    case PL_EXPORT_OBJ: return pl_export_series(job, PL_MESH_OBJ, "obj", error);
    case PL_EXPORT_PC2: return pl_export_pc2(job, error);
    case PL_EXPORT_GLB: return pl_export_glb(job, error);
    case PL_EXPORT_CSV: return pl_export_csv(job, error);
    case PL_EXPORT_COUNT: break;
    }
    return pl_fail(error, PL_ERROR_ARGUMENT, "this export format does not exist");
}

pl_status pl_export(pl_recording* recording, pl_export_format format, const char* path,
                    const pl_export_options* options, pl_notes* notes, pl_error* error) {
    int count = pl_recording_frame_count(recording);
    if (options->every < 1)
        return pl_fail(error, PL_ERROR_ARGUMENT, "\"every\" is %d; give 1 or more", options->every);
    pl_export_job job = {.recording = recording,
                         .head = pl_recording_head(recording),
                         .path = path,
                         .options = options,
                         .frame_count = (count + options->every - 1) / options->every,
                         .notes = notes};
    size_t bodies = (size_t)job.head->body_count;
    job.names = pl_alloc_items(bodies, sizeof *job.names);
    if (bodies > 0 && !job.names) return pl_fail_memory(error, path);
    for (int i = 0; i < job.head->body_count; i++) choose_name(&job, i);
    pl_status status = PL_OK;
    if (!formats[format].single) status = make_folder(path, error);
    if (status == PL_OK) status = run(&job, format, error);
    pl_free(job.names, bodies * sizeof *job.names);
    return status;
}
