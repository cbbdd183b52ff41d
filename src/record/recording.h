// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Recordings (.plr): a head that lists the bodies, then frames, each with a checksum, so that a
// truncated or damaged file still gives all intact frames. docs/plr.md describes the format.
#ifndef PL_RECORD_RECORDING_H
#define PL_RECORD_RECORDING_H

#include "base/notes.h"
#include "record/record_types.h"
#include "record/write_behind.h"

// Writing. Frames are appended; a later failure does not affect frames already written.
typedef struct pl_recorder pl_recorder;

// The file appears under its name with its head written. Compressing costs time and saves about a
// third of the bytes.
pl_status pl_recorder_create(const char* path, const pl_record_head* head, bool compress,
                             pl_recorder** out, pl_error* error);
// Continues a recording: keeps the first frame_count frames and truncates the rest. The head must
// equal that of the file. Fails without changes if the file ends earlier. Damaged frames among the
// kept ones stay unchanged.
pl_status pl_recorder_reopen(const char* path, const pl_record_head* head, bool compress,
                             int frame_count, pl_recorder** out, pl_error* error);
// Packs and writes frames in the thread of a queue from now on. The queue must outlive the
// recorder. A later call reports write failures.
void pl_recorder_use_queue(pl_recorder* recorder, pl_write_behind* queue);
// values: one per body. On failure (full disk) the file ends with the previous frame. Without a
// queue, appending may be tried again.
pl_status pl_recorder_append(pl_recorder* recorder, double time, const pl_record_values* bodies,
                             pl_error* error);
// Waits until the frames in the file are on the disk. For jobs of the queue.
pl_status pl_recorder_sync(pl_recorder* recorder, pl_error* error);
// Waits until all appended frames are on the disk.
pl_status pl_recorder_flush(pl_recorder* recorder, pl_error* error);
int pl_recorder_frame_count(const pl_recorder* recorder);
// Flushes and frees; recorder may be NULL.
pl_status pl_recorder_close(pl_recorder* recorder, pl_error* error);
// For tests: writing fails, as on a full disk, once this many more bytes were written; negative
// switches it off.
void pl_recorder_inject_failure(pl_recorder* recorder, int64_t bytes);

// Reading, in any order.
typedef struct pl_recording pl_recording;

// Finds the frames by their headers and verifies their checksums. Skips and notes a damaged frame,
// damaged bytes between frames or an incomplete tail.
pl_status pl_recording_open(const char* path, pl_recording** out, pl_notes* notes, pl_error* error);
// The same from bytes in memory, which are borrowed; path is used in messages only.
pl_status pl_recording_open_memory(const void* data, size_t size, const char* path,
                                   pl_recording** out, pl_notes* notes, pl_error* error);
void pl_recording_close(pl_recording* recording);

const pl_record_head* pl_recording_head(const pl_recording* recording);
int pl_recording_frame_count(const pl_recording* recording);
double pl_recording_time(const pl_recording* recording, int frame);
// The number of a frame in its run; larger than its index if earlier frames are missing.
int64_t pl_recording_number(const pl_recording* recording, int frame);
// Index of the frame with that number, or -1 if it is missing.
int pl_recording_find(const pl_recording* recording, int64_t number);

// Loads a frame; PL_ERROR_FORMAT if it is damaged. Arrays are valid until the next one is loaded.
pl_status pl_recording_load(pl_recording* recording, int frame, pl_error* error);
// Of the frame that was loaded last: 3 floats per vertex, components per element.
const float* pl_recording_positions(const pl_recording* recording, int body);
const float* pl_recording_field(const pl_recording* recording, int body, int field);

// For continuing a recording: the largest number of a frame, complete or damaged, or -1; and where
// frame number frame_count - 1 ends in the file (false if its header is missing).
int64_t pl_recording_last_number(const pl_recording* recording);
bool pl_recording_find_end(const pl_recording* recording, int frame_count, uint64_t* end);

#endif
