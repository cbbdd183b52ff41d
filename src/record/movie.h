// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Movies (.gif, .mp4, .webm), written by an ffmpeg process that receives the frames.
#ifndef PL_RECORD_MOVIE_H
#define PL_RECORD_MOVIE_H

#include "record/image.h"

typedef struct pl_movie pl_movie;

// True if a path has the extension of a movie.
bool pl_movie_handles(const char* path);
// Fails and says what to install if ffmpeg is missing.
pl_status pl_movie_create(const char* path, int width, int height, double frames_per_second,
                          pl_movie** out, pl_error* error);
pl_status pl_movie_add(pl_movie* movie, const pl_image* image, pl_error* error);
// Completes the file under its name, or removes it if anything failed or keep is false. Frees the
// movie, which may be NULL.
pl_status pl_movie_close(pl_movie* movie, bool keep, pl_error* error);

#endif
