// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A run in a folder: the resolved scene, the recording, metrics and a checkpoint, written so that a
// run that is killed at any moment goes on to the same bits as one that was not.
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

// What a whole run took, since it was started or taken up again.
typedef struct pl_run_summary {
    int frame_count; // of this stretch
    int iterations;
    int unconverged_count;
    int retry_count;
    int softened_frame_count; // frames with attachments or contacts that counted as softer
    int turned_frame_count;   // frames with bodies of law linear that turned far
    int unfit_frame_count;    // frames with bodies whose eigenfit is not to be trusted
    int first_unfit_frame;    // the first of them
    int cut_frame_count;      // frames with solves that the budget cut
    double worst_residual;
    char unbalanced[160];  // pl_frame_info of the last frame that has one
    double seconds;        // of the simulation
    double output_seconds; // that it waited for records and checkpoints, besides
} pl_run_summary;

// A new run. The folder is made; one that is there and not empty is refused unless force is set,
// and then the files of an old run in it are replaced.
pl_status pl_run_start(const pl_scene* scene, const char* folder, bool force, pl_run** out,
                       pl_notes* notes, pl_error* error);
// Goes on from the last checkpoint; frames and metrics after it are cut off and made again. A run
// that was killed before its first checkpoint starts anew from its scene.json.
pl_status pl_run_resume(const char* folder, pl_run** out, pl_notes* notes, pl_error* error);

bool pl_run_is_done(const pl_run* run);
int pl_run_frame_total(const pl_run* run); // of the whole scene
pl_world* pl_run_world(pl_run* run);
// The next frame: step, record, metrics, and a checkpoint if it is time for one. What was written
// before stays whole if this fails.
pl_status pl_run_frame(pl_run* run, pl_frame_info* info, pl_error* error);
// Returns when all frames and checkpoints so far are on the disk; they are written by another
// thread.
pl_status pl_run_flush(pl_run* run, pl_error* error);
const pl_run_summary* pl_run_get_summary(const pl_run* run);
// Writes a last checkpoint and closes everything; run may be NULL.
pl_status pl_run_close(pl_run* run, pl_error* error);

#endif
