// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// One libFuzzer target per mesh format: PL_FUZZ_FORMAT and PL_FUZZ_NAME come from the build. Bytes
// must give a mesh or an error with a text, leave no memory behind, and not ask for far more memory
// than they are long.
#include "fuzz_memory.h"
#include "mesh/mesh_read.h"

#include <stdint.h>
#include <stdlib.h>

enum { BYTE_LIMIT = 1 << 20, FREE_BYTES = 1 << 26, BYTES_PER_BYTE = 256 };

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    pl_mesh_read_options options = {.format = PL_FUZZ_FORMAT, .byte_limit = BYTE_LIMIT};
    pl_mesh* mesh;
    pl_error error = {0};
    pl_notes* notes;
    if (pl_notes_create(&notes) != PL_OK) abort();
    peak = 0;
    pl_status status =
        pl_mesh_read_memory(data, size, PL_FUZZ_NAME, &options, &mesh, notes, &error);
    if ((status == PL_OK) != (mesh != NULL) || (status != PL_OK && !error.text[0])) abort();
    if (peak > FREE_BYTES + BYTES_PER_BYTE * size) abort();
    pl_mesh_destroy(mesh);
    pl_notes_destroy(notes);
    if (pl_byte_count() != 0) abort();
    return 0;
}
