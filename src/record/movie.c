// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Frames go to ffmpeg's standard input.
#include "record/movie.h"
#include "base/memory.h"
#include "base/platform.h"
#include "base/process.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

struct pl_movie {
    char path[4096];
    char temporary[4096]; // ffmpeg chooses the format by the ending, so it comes last
    pl_process ffmpeg;
    bool failed;
};

static const char* ending_of(const char* path) {
    const char* dot = strrchr(path, '.');
    return dot && !pl_path_last_separator(dot) ? dot : "";
}

bool pl_movie_handles(const char* path) {
    const char* ending = ending_of(path);
    return strcasecmp(ending, ".gif") == 0 || strcasecmp(ending, ".mp4") == 0 ||
           strcasecmp(ending, ".webm") == 0;
}

static int start_ffmpeg(pl_movie* m, const char* size, const char* rate) {
    const char* const gif[] = {"-vf",
                               "split[a][b];[a]palettegen=stats_mode=diff[p];"
                               "[b][p]paletteuse=dither=bayer:bayer_scale=4",
                               NULL};
    const char* const mp4[] = {"-vf",       "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                               "-pix_fmt",  "yuv420p",
                               "-crf",      "18",
                               "-movflags", "+faststart",
                               NULL};
    const char* const webm[] = {"-pix_fmt", "yuv420p", "-crf", "24", "-b:v", "0", NULL};
    const char* ending = ending_of(m->path);
    const char* const* extra = strcasecmp(ending, ".gif") == 0   ? gif
                               : strcasecmp(ending, ".mp4") == 0 ? mp4
                                                                 : webm;
    const char* arguments[40] = {"ffmpeg", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt",
                                 "rgb24",  "-s",        size,    "-r", rate, "-i",       "pipe:0"};
    int count = 14;
    for (int i = 0; extra[i]; i++) arguments[count++] = extra[i];
    arguments[count++] = m->temporary;
    return pl_process_start(arguments, NULL, &m->ffmpeg);
}

static pl_status start(pl_movie* m, int width, int height, double rate, pl_error* error) {
    char size[40], text[40];
    snprintf(size, sizeof size, "%dx%d", width, height);
    // as thousandths, so that no locale inserts a comma
    snprintf(text, sizeof text, "%lld/1000", (long long)(rate * 1000.0 + 0.5));
    int failure = start_ffmpeg(m, size, text);
    if (failure == ENOENT)
        return pl_fail(
            error, PL_ERROR_UNSUPPORTED,
            "%s: movies need ffmpeg, which is not installed; install it (apt-get install "
            "ffmpeg), or give a folder to get PNG pictures",
            m->path);
    if (failure)
        return pl_fail(error, PL_ERROR_IO, "%s: ffmpeg cannot be started: %s", m->path,
                       strerror(failure));
    return PL_OK;
}

pl_status pl_movie_create(const char* path, int width, int height, double rate, pl_movie** out,
                          pl_error* error) {
    *out = NULL;
    if (!(rate >= 0.01 && rate <= 1000.0))
        return pl_fail(error, PL_ERROR_ARGUMENT, "%s: %g frames per second; give 0.01 to 1000",
                       path, rate);
    pl_movie* m = PL_ALLOC(pl_movie, 1);
    if (!m) return pl_fail_memory(error, path);
    m->ffmpeg = (pl_process){.input = -1, .messages = -1};
    const char* ending = ending_of(path);
    int size = snprintf(m->path, sizeof m->path, "%s", path);
    int used = snprintf(m->temporary, sizeof m->temporary, "%s.part%s", path, ending);
    pl_status status;
    if (size >= (int)sizeof m->path || used >= (int)sizeof m->temporary)
        status = pl_fail(error, PL_ERROR_ARGUMENT, "the name of the movie is too long");
    else status = start(m, width, height, rate, error);
    if (status == PL_OK) *out = m;
    else pl_movie_close(m, false, NULL);
    return status;
}

pl_status pl_movie_add(pl_movie* m, const pl_image* image, pl_error* error) {
    size_t size = 3 * (size_t)image->width * (size_t)image->height;
    m->failed = m->failed || !pl_process_feed(&m->ffmpeg, image->pixels, size);
    return m->failed ? pl_fail(error, PL_ERROR_IO, "%s: ffmpeg stopped", m->path) : PL_OK;
}

// the last line printed by ffmpeg, for a message
static void read_messages(int file, char* text, size_t size) {
    size_t used = 0;
    ssize_t got;
    char rest[256];
    text[0] = '\0';
    while ((got = used + 1 < size ? read(file, text + used, size - 1 - used)
                                  : read(file, rest, sizeof rest)) != 0) {
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) break;
        if (used + 1 < size) used += (size_t)got;
        text[used] = '\0';
    }
    while (used > 0 && (text[used - 1] == '\n' || text[used - 1] == ' ')) text[--used] = '\0';
}

pl_status pl_movie_close(pl_movie* m, bool keep, pl_error* error) {
    if (!m) return PL_OK;
    pl_status status = PL_OK;
    pl_process_close_input(&m->ffmpeg);
    if (m->ffmpeg.id) {
        char text[512];
        read_messages(m->ffmpeg.messages, text, sizeof text);
        bool done = pl_process_end(&m->ffmpeg) == 0 && !m->failed;
        if (keep && !done)
            status = pl_fail(error, PL_ERROR_IO, "%s: ffmpeg failed: %s", m->path, text);
        if (keep && done && pl_file_replace(m->temporary, m->path) != 0)
            status = pl_fail(error, pl_write_status(errno), "%s: cannot be written: %s", m->path,
                             strerror(errno));
        if (!keep || status != PL_OK) unlink(m->temporary);
    }
    pl_process_end(&m->ffmpeg);
    PL_FREE(m, pl_movie, 1);
    return status;
}
