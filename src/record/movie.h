// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Moving pictures (.gif, .mp4, .webm) by ffmpeg, which is started as a process and fed with frames.
#ifndef PL_RECORD_MOVIE_H
#define PL_RECORD_MOVIE_H

#include "record/image.h"

typedef struct pl_movie pl_movie;

// True if a path's ending is one of a movie.
bool pl_movie_handles(const char* path);
// Fails with what to do if ffmpeg is not installed.
pl_status pl_movie_create(const char* path, int width, int height, double frames_per_second,
                          pl_movie** out, pl_error* error);
pl_status pl_movie_add(pl_movie* movie, const pl_image* image, pl_error* error);
// Completes the file under its name, or removes it if anything failed or keep is false. Frees the
// movie, which may be NULL.
pl_status pl_movie_close(pl_movie* movie, bool keep, pl_error* error);

#endif
