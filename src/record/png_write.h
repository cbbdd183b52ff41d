// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// PNG files.
#ifndef PL_RECORD_PNG_WRITE_H
#define PL_RECORD_PNG_WRITE_H

#include "base/array.h"
#include "base/pool.h"
#include "record/image.h"

// Appends the bytes of a PNG file to an array of item size 1. They are the same for every pool;
// NULL is allowed.
pl_status pl_image_encode_png(const pl_image* image, pl_pool* pool, pl_array* bytes,
                              pl_error* error);
// Writes a PNG file that appears under its name only when it is complete.
pl_status pl_image_write_png(const pl_image* image, pl_pool* pool, const char* path,
                             pl_error* error);

#endif
