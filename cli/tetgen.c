// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Writes the surface as .smesh into a folder of its own, runs the program there without a shell,
// and reads what it made.
#include "tetgen.h"
#include "base/fail.h"
#include "math/vec3.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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
    const char* base = getenv("TMPDIR");
    snprintf(w->folder, sizeof w->folder, "%s/pliant-tetgen-XXXXXX", base && *base ? base : "/tmp");
    if (mkdtemp(w->folder)) return PL_OK;
    return pl_fail(error, PL_ERROR_IO, "%s: no temporary folder: %s", w->folder, strerror(errno));
}

static void close_workplace(workplace* w) {
    static const char* const names[] = {
        "surface.smesh",  "surface.1.node",  "surface.1.ele", "surface.1.face",
        "surface.1.edge", "surface.1.smesh", "surface.1.mtr", "log"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) unlink(path_in(w, names[i]));
    rmdir(w->folder);
}

// The command never sets a locale, so numbers have points.
static pl_status write_smesh(const pl_mesh* surface, const char* path, pl_error* error) {
    FILE* file = fopen(path, "w");
    if (!file) return pl_fail(error, PL_ERROR_IO, "%s: %s", path, strerror(errno));
    fprintf(file, "%d 3 0 0\n", surface->vertex_count);
    for (int v = 0; v < surface->vertex_count; v++) {
        const double* p = surface->positions + 3 * (size_t)v;
        fprintf(file, "%d %.17g %.17g %.17g\n", v, p[0], p[1], p[2]);
    }
    fprintf(file, "%d 0\n", surface->triangle_count);
    for (int t = 0; t < surface->triangle_count; t++) {
        const int* v = surface->triangles + 3 * (size_t)t;
        fprintf(file, "3 %d %d %d\n", v[0], v[1], v[2]);
    }
    fprintf(file, "0\n0\n");
    bool done = !ferror(file);
    if (fclose(file) != 0 || !done)
        return pl_fail(error, PL_ERROR_IO, "%s: could not be written: %s", path, strerror(errno));
    return PL_OK;
}

// in the child: output goes to the log, then the program takes over
_Noreturn static void become_tetgen(const char* log, const char* switches, const char* input) {
    int file = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file >= 0) {
        dup2(file, STDOUT_FILENO);
        dup2(file, STDERR_FILENO);
    }
    execlp("tetgen", "tetgen", switches, input, (char*)NULL);
    _exit(EXIT_NOT_STARTED);
}

// what the program said last, on one line
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
    pid_t child = fork();
    if (child == 0) become_tetgen(log, switches, input);
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return pl_fail(error, PL_ERROR_IO, "tetgen could not be started: %s", strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NOT_STARTED)
        return pl_fail(error, PL_ERROR_UNSUPPORTED,
                       "the program tetgen is not installed (Debian: apt-get install tetgen); "
                       "--with stuffing needs nothing");
    // some failures end with status 0 and no mesh
    bool ended_well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (ended_well && access(path_in(w, "surface.1.ele"), R_OK) == 0) return PL_OK;
    char words[256];
    last_words(log, words, sizeof words);
    return pl_fail(error, PL_ERROR_MESH,
                   "tetgen gave up%s%s; it needs a surface that is closed and does not intersect "
                   "itself, --with stuffing does not",
                   *words ? ": " : "", words);
}

// TetGen counts corners the other way round
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

pl_status run_tetgen(const pl_mesh* surface, double edge, pl_mesh** out, pl_notes* notes,
                     pl_error* error) {
    *out = NULL;
    workplace w;
    pl_status status = open_workplace(&w, error);
    if (status != PL_OK) return status;
    // piecewise linear complex, radius-edge ratio, largest volume, quiet
    char switches[64] = "-pq1.414Q";
    if (edge > 0.0)
        snprintf(switches, sizeof switches, "-pq1.414a%.17gQ",
                 edge * edge * edge / (6.0 * sqrt(2.0)));
    status = write_smesh(surface, path_in(&w, "surface.smesh"), error);
    if (status == PL_OK) status = run(&w, switches, error);
    if (status == PL_OK)
        status = pl_mesh_read(path_in(&w, "surface.1.ele"), NULL, out, notes, error);
    if (status == PL_OK) orient(*out);
    close_workplace(&w);
    return status;
}
