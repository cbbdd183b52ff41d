// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Writes the surface as .smesh into a temporary folder, runs the program there without a shell, and
// reads its result.
#include "mesh/tetgen_program.h"
#include "base/fail.h"
#include "base/platform.h"
#include "base/process.h"
#include "math/vec3.h"
#include "mesh/mesh_sink.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// exit code of a shell or an older posix_spawnp if the program does not exist
enum { EXIT_NOT_STARTED = 127 };

typedef struct workplace {
    char folder[400];
    char path[512];
} workplace;

static const char* path_in(workplace* w, const char* name) {
    snprintf(w->path, sizeof w->path, "%s/%s", w->folder, name);
    return w->path;
}

static pl_status open_workplace(workplace* w, pl_error* error) {
    if (pl_folder_make_temporary("pliant-tetgen", w->folder, sizeof w->folder) == 0) return PL_OK;
    return pl_fail(error, PL_ERROR_IO, "%s: no temporary folder: %s", w->folder, strerror(errno));
}

static void close_workplace(workplace* w) {
    static const char* const names[] = {
        "surface.smesh",  "surface.1.node",  "surface.1.ele", "surface.1.face",
        "surface.1.edge", "surface.1.smesh", "surface.1.mtr", "log"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) unlink(path_in(w, names[i]));
    rmdir(w->folder);
}

static void put_vertex(pl_sink* sink, int number, const double* position) {
    pl_sink_int(sink, number);
    for (int k = 0; k < 3; k++) {
        pl_sink_char(sink, ' ');
        pl_sink_double(sink, position[k]);
    }
    pl_sink_char(sink, '\n');
}

static void put_triangle(pl_sink* sink, const int* triangle) {
    pl_sink_char(sink, '3');
    for (int k = 0; k < 3; k++) {
        pl_sink_char(sink, ' ');
        pl_sink_int(sink, triangle[k]);
    }
    pl_sink_char(sink, '\n');
}

static pl_status write_smesh(const pl_mesh* surface, const char* path, pl_error* error) {
    pl_sink* sink;
    pl_status status = pl_sink_create(path, &sink, error);
    if (status != PL_OK) return status;
    pl_sink_int(sink, surface->vertex_count);
    pl_sink_text(sink, " 3 0 0\n");
    for (int v = 0; v < surface->vertex_count; v++)
        put_vertex(sink, v, surface->positions + 3 * (size_t)v);
    pl_sink_int(sink, surface->triangle_count);
    pl_sink_text(sink, " 0\n");
    for (int t = 0; t < surface->triangle_count; t++)
        put_triangle(sink, surface->triangles + 3 * (size_t)t);
    pl_sink_text(sink, "0\n0\n");
    return pl_sink_close(sink, true, error);
}

// Starts the program with its output in the log and waits for it. Returns its exit code, or -1;
// *failure is an error number if it could not be started.
static int run_program(const char* log, const char* switches, const char* input, int* failure) {
    const char* const arguments[] = {"tetgen", switches, input, NULL};
    pl_process process;
    *failure = pl_process_start(arguments, log, &process);
    return pl_process_end(&process);
}

// the last line that the program printed
static void last_words(const char* log, char* text, size_t size) {
    text[0] = '\0';
    FILE* file = fopen(log, "r");
    char line[256];
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (strspn(line, " \t") < strlen(line)) snprintf(text, size, "%s", line);
    }
    if (file) fclose(file);
}

static pl_status run(workplace* w, const char* switches, pl_error* error) {
    char input[512], log[512];
    snprintf(input, sizeof input, "%s", path_in(w, "surface.smesh"));
    snprintf(log, sizeof log, "%s", path_in(w, "log"));
    int failure, code = run_program(log, switches, input, &failure);
    if (failure == ENOENT || code == EXIT_NOT_STARTED)
        return pl_fail(error, PL_ERROR_UNSUPPORTED,
                       "the program tetgen is not installed (Debian: apt-get install tetgen); the "
                       "mesher stuffing needs nothing");
    if (failure)
        return pl_fail(error, PL_ERROR_IO, "tetgen could not be started: %s", strerror(failure));
    // some failures end with status 0 and no mesh
    if (code == 0 && access(path_in(w, "surface.1.ele"), R_OK) == 0) return PL_OK;
    char words[256];
    last_words(log, words, sizeof words);
    return pl_fail(error, PL_ERROR_MESH,
                   "tetgen gave up%s%s; it needs a surface that is closed and does not intersect "
                   "itself, the mesher stuffing does not",
                   *words ? ": " : "", words);
}

// TetGen orients tets the other way
static void orient(pl_mesh* mesh) {
    for (int t = 0; t < mesh->tet_count; t++) {
        int* tet = mesh->tets + 4 * (size_t)t;
        pl_vec3 v[4];
        for (int k = 0; k < 4; k++) v[k] = pl_vec3_load(mesh->positions + 3 * (size_t)tet[k]);
        if (pl_det4(v[0], v[1], v[2], v[3]) >= 0.0) continue;
        int swap = tet[2];
        tet[2] = tet[3];
        tet[3] = swap;
    }
}

// Piecewise linear complex, radius-edge ratio, largest volume, quiet. Numbers need decimal points
// even if the host's locale uses commas.
static void print_switches(double volume, char* text, size_t size) {
    snprintf(text, size, "-pq1.414a%.17gQ", volume);
    for (char* p = text; *p; p++)
        if (*p == ',') *p = '.';
}

pl_status pl_tetgen(const pl_mesh* surface, double edge, pl_mesh** out, pl_notes* notes,
                    pl_error* error) {
    *out = NULL;
    workplace w;
    pl_status status = open_workplace(&w, error);
    if (status != PL_OK) return status;
    char switches[64] = "-pq1.414Q";
    if (edge > 0.0)
        print_switches(edge * edge * edge / (6.0 * sqrt(2.0)), switches, sizeof switches);
    status = write_smesh(surface, path_in(&w, "surface.smesh"), error);
    if (status == PL_OK) status = run(&w, switches, error);
    if (status == PL_OK)
        status = pl_mesh_read(path_in(&w, "surface.1.ele"), NULL, out, notes, error);
    if (status == PL_OK) orient(*out);
    close_workplace(&w);
    return status;
}
