// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A run in a folder: the resolved scene, the recording, metrics and a checkpoint. A run that is
// killed at any moment can be resumed to the same bits.
//
//   scene.json        the resolved scene
//   frames.plr        the recording; frame 0 is the start
//   metrics.csv       a row for each frame
//   checkpoint.plc    the state after some frame, replaced as a whole
//   log.txt           what was noted
#ifndef PL_RECORD_RUN_FOLDER_H
#define PL_RECORD_RUN_FOLDER_H

#include "base/fail.h"

#include <pliant/world.h>

typedef struct pl_run pl_run;

// Totals of a run since it was started or resumed.
typedef struct pl_run_summary {
    int frame_count; // frames since then
    int iterations;
    int unconverged_count;
    int retry_count;
    int softened_frame_count; // frames with attachments or contacts whose stiffness was reduced
    int turned_frame_count;   // frames in which bodies of law linear rotated too far
    int unfit_frame_count;    // frames with bodies whose eigenfit is not to be trusted
    int first_unfit_frame;    // the first of them
    int cut_frame_count;      // frames with solves that the budget cut
    double worst_residual;
    char unbalanced[160];  // pl_frame_info of the last frame that has one
    double seconds;        // of the simulation
    double output_seconds; // additional time waiting for recording and checkpoints
} pl_run_summary;

// Starts a run. Creates the folder. A non-empty folder is refused unless force is set; then the
// files of an old run in it are replaced.
pl_status pl_run_start(const pl_scene* scene, const char* folder, bool force, pl_run** out,
                       pl_notes* notes, pl_error* error);
// Resumes from the last checkpoint; later frames and metrics are truncated and computed again. A
// run without a checkpoint starts again from its scene.json.
pl_status pl_run_resume(const char* folder, pl_run** out, pl_notes* notes, pl_error* error);

bool pl_run_is_done(const pl_run* run);
int pl_run_frame_total(const pl_run* run); // of the whole scene
pl_world* pl_run_world(pl_run* run);
// Advances one frame: step, record, metrics, and a checkpoint if due. On failure everything written
// before stays intact.
pl_status pl_run_frame(pl_run* run, pl_frame_info* info, pl_error* error);
// Waits until all frames and checkpoints so far, which another thread writes, are on disk.
pl_status pl_run_flush(pl_run* run, pl_error* error);
const pl_run_summary* pl_run_get_summary(const pl_run* run);
// Writes a last checkpoint and closes everything; run may be NULL.
pl_status pl_run_close(pl_run* run, pl_error* error);

#endif
