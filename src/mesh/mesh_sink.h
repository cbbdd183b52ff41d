// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// An output file: buffered, gzipped if its name says so, with a temporary name until it is
// complete. Writers call put functions without checks; the first failure is remembered and reported
// at the end.
#ifndef PL_MESH_SINK_H
#define PL_MESH_SINK_H

#include "base/fail.h"

#include <stdbool.h>

typedef struct pl_sink pl_sink;

pl_status pl_sink_create(const char* path, pl_sink** out, pl_error* error);
// Completes the file under its name, or removes it if anything failed (or keep is false). Frees the
// sink.
pl_status pl_sink_close(pl_sink* sink, bool keep, pl_error* error);

void pl_sink_bytes(pl_sink* sink, const void* data, size_t size);
void pl_sink_text(pl_sink* sink, const char* text);
void pl_sink_char(pl_sink* sink, char c);
void pl_sink_int(pl_sink* sink, int64_t value);
// The shortest of 15 to 17 digits that reads back to the same bits, with a point in every locale.
void pl_sink_double(pl_sink* sink, double value);

#endif
