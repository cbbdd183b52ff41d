// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A small recording that the tests make for themselves: a ball that wobbles and a flag that waves.
#ifndef PL_SAMPLE_RECORDING_H
#define PL_SAMPLE_RECORDING_H

#include "record/recording.h"
#include "test.h"

typedef struct sample_recording {
    pl_mesh *ball, *flag;
    float *ball_rest, *flag_rest, *flag_uvs;
    int *ball_vertices, *ball_regions;
    const char* region_names[2];
    pl_record_field
        fields[2]; // of the ball: "speed" on vertices, "stress" (2 numbers) on triangles
    pl_record_body bodies[2];
    pl_record_head head;
    double* positions[2];
    double* values[2];
    pl_record_values frame[2];
} sample_recording;

// levels: of the ball's subdivision. The mesh of the ball has a vertex in front of each recorded
// one, so that `vertices` matters.
void sample_recording_begin(sample_recording* sample, int levels);
// Fills sample->frame for a frame number.
void sample_recording_frame(sample_recording* sample, int number);
void sample_recording_end(sample_recording* sample);
// The position that was recorded.
float sample_recording_expected(const sample_recording* sample, int body, int vertex, int k);
// Writes frames to a file and returns it whole in memory, of *size bytes; pl_free(memory, *size).
uint8_t* sample_recording_bytes(sample_recording* sample, const char* path, bool compress,
                                int frame_count, size_t* size);

#endif
