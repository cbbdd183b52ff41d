// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Pictures from PNG files.
#ifndef PL_RECORD_PNG_READ_H
#define PL_RECORD_PNG_READ_H

#include "record/image.h"

// Reads a picture as 8-bit sRGB, ignoring alpha. Grey, RGB and palettes of 8 bits and grey and RGB
// of 16 bits are supported, interlaced files are not.
pl_status pl_image_read_png(const char* path, pl_image* out, pl_error* error);

#endif
