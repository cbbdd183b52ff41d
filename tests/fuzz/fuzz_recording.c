// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// libFuzzer target for recordings. Checksums would stop every changed byte at the door, so they are
// made right first, and what lies behind them is tested; a part of the inputs is left as it is.
#include "base/hash.h"
#include "fuzz_memory.h"
#include "record/plr_format.h"
#include "record/recording.h"

#include <stdlib.h>
#include <string.h>

enum { FREE_BYTES = 1 << 26, BYTES_PER_BYTE = 2048 };

static void put64(uint8_t* out, uint64_t value) {
    for (int i = 0; i < 8; i++) out[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get64(const uint8_t* in) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) value |= (uint64_t)in[i] << 8 * i;
    return value;
}

// walks over the chunks by their sizes and sets both checksums of each
static void mend_checksums(uint8_t* data, size_t size) {
    if (size < PL_PLR_MAGIC_SIZE) return;
    pl_plr_put_magic(data);
    for (size_t at = PL_PLR_MAGIC_SIZE; size - at >= PL_PLR_CHUNK_SIZE;) {
        uint64_t stored = get64(data + at + 16), left = size - at - PL_PLR_CHUNK_SIZE;
        if (stored <= left) {
            put64(data + at + 24, pl_hash_bytes(data + at + PL_PLR_CHUNK_SIZE, stored, 0));
            put64(data + at + 56, pl_hash_bytes(data + at, 56, 0));
        }
        at += PL_PLR_CHUNK_SIZE + (stored <= left ? stored : left);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    uint8_t* copy = malloc(size + 1);
    if (size > 0) memcpy(copy, data, size);
    if (size == 0 || data[size - 1] % 8) mend_checksums(copy, size);
    pl_recording* recording;
    pl_error error = {0};
    peak = 0;
    pl_status status = pl_recording_open_memory(copy, size, "fuzz.plr", &recording, NULL, &error);
    if ((status == PL_OK) != (recording != NULL) || (status != PL_OK && !error.text[0])) abort();
    for (int i = 0; recording && i < pl_recording_frame_count(recording) && i < 8; i++) {
        if (pl_recording_load(recording, i, &error) != PL_OK) continue;
        const pl_record_head* head = pl_recording_head(recording);
        volatile float sum = 0.0f; // touches every number
        for (int b = 0; b < head->body_count; b++) {
            const float* p = pl_recording_positions(recording, b);
            for (int k = 0; k < 3 * head->bodies[b].vertex_count; k++) sum = sum + p[k];
        }
    }
    pl_recording_close(recording);
    if (peak > FREE_BYTES + BYTES_PER_BYTE * size || pl_byte_count() != 0) abort();
    free(copy);
    return 0;
}
