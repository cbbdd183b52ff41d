// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// pliant export: writes a run in the formats of other programs.
#include "base/platform.h"
#include "commands.h"
#include "options.h"
#include "record/export.h"
#include "record/show.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const verb export_verb = {"export",
                                 "DIR --to FORMAT [-o OUT] [options]",
                                 "a run in the formats of other programs",
                                 "DIR is the folder of a run, or a recording (.plr). FORMAT is\n"
#define FORMAT_LINE(code, name, single, help) "  " name "  " help "\n"
                                 PL_EXPORT_LIST(FORMAT_LINE)
#undef FORMAT_LINE
                                     "Without -o the result is DIR/FORMAT/ or DIR/run.FORMAT.",
                                 1,
                                 1};

enum { MAX_VERTICES = 1000 };

typedef struct export_settings {
    const char *path, *format, *out, *vertices;
    int every;
    bool ascii, no_colliders;
} export_settings;

static int usage(const char* what, const char* value) {
    fprintf(stderr, "pliant export: %s, not \"%s\" (--help tells more)\n", what, value);
    return EXIT_USAGE;
}

// parses integers separated by commas; returns their count, or -1
static int parse_list(const char* text, int* values, int most) {
    int count = 0;
    for (const char* at = text;; at++) {
        char* end;
        long value = strtol(at, &end, 10);
        if (end == at || value < 0 || value > 1000000000 || count == most) return -1;
        values[count++] = (int)value;
        if (*end == '\0') return count;
        if (*end != ',') return -1;
        at = end;
    }
}

static bool ends_in(const char* path, const char* ending) {
    const char* dot = strrchr(path, '.');
    return dot && dot > path && strcasecmp(dot + 1, ending) == 0;
}

static void tell_progress(int done, int count, void* user) {
    (void)user;
    fprintf(stderr, "\rframe %d of %d%s", done, count, done == count ? "\n" : "");
}

static void default_out(const char* path, const char* format, bool single, char* out, size_t size) {
    bool folder = pl_path_is_folder(path);
    if (folder && single) snprintf(out, size, "%s/run.%s", path, format);
    else if (folder) snprintf(out, size, "%s/%s", path, format);
    else snprintf(out, size, "%s%s%s", path, single ? "." : "_", format);
}

static int run_export(const export_settings* s, pl_export_format format,
                      const pl_export_options* options) {
    char out[4096];
    if (s->out) snprintf(out, sizeof out, "%s", s->out);
    else default_out(s->path, s->format, pl_export_is_file(format), out, sizeof out);
    pl_error error = {.status = PL_ERROR_MEMORY, .text = "out of memory"};
    pl_notes* notes = NULL;
    pl_show* show = NULL;
    pl_status status = pl_notes_create(&notes);
    if (status == PL_OK) status = pl_show_open_run(s->path, &show, notes, &error);
    pl_export_options all = *options;
    if (status == PL_OK && format == PL_EXPORT_GLB && !s->no_colliders) {
        status = pl_show_add_colliders(show, s->path, notes, &error);
        all.show = show;
    }
    char contacts[4200];
    snprintf(contacts, sizeof contacts, "%s/contacts.csv", s->path);
    if (access(contacts, F_OK) == 0) all.contacts = contacts;
    if (status == PL_OK)
        status = pl_export(pl_show_recording(show), format, out, &all, notes, &error);
    report_notes(&export_verb, notes);
    if (status == PL_OK) printf("%s\n", out);
    int code = status == PL_OK ? EXIT_DONE : report_error(&export_verb, &error);
    pl_show_close(show);
    pl_notes_destroy(notes);
    return code;
}

int cmd_export(int argc, char** argv) {
    export_settings s = {.every = 1};
    const option options[] = {
        {"--to", "FORMAT", OPTION_TEXT, &s.format, "vtu, ply, obj, pc2, glb or csv", ANY},
        {"-o", "OUT", OPTION_TEXT, &s.out, "the file or folder to write", ANY},
        {"--every", "N", OPTION_INT, &s.every, "take every Nth frame (1)", 1, INT_MAX},
        {"--vertices", "LIST", OPTION_TEXT, &s.vertices, "csv: tracks of these vertices, like 0,17",
         ANY},
        {"--no-colliders", NULL, OPTION_FLAG, &s.no_colliders, "glb: only the bodies", ANY},
        {"--ascii", NULL, OPTION_FLAG, &s.ascii, "numbers as text where the format has both", ANY},
    };
    const char* arguments[1];
    int argument_count, exit_code;
    if (!parse_options(&export_verb, options, sizeof options / sizeof options[0], argc, argv,
                       arguments, &argument_count, &exit_code))
        return exit_code;
    s.path = arguments[0];
    pl_export_format format = s.format ? pl_export_format_of(s.format) : PL_EXPORT_COUNT;
    if (format == PL_EXPORT_COUNT)
        return usage("--to takes vtu, ply, obj, pc2, glb or csv", s.format ? s.format : "nothing");
    if (s.no_colliders && format != PL_EXPORT_GLB)
        return usage("--no-colliders goes with --to glb", s.format);
    if (s.vertices && format != PL_EXPORT_CSV)
        return usage("--vertices goes with --to csv", s.format);
    if (s.out && (pl_export_is_file(format) ? !ends_in(s.out, s.format) : looks_like_file(s.out)))
        return pl_export_is_file(format)
                   ? usage("this format is one file; give -o a name with its ending", s.out)
                   : usage("this format is a folder of files; give -o a folder's name, with a / "
                           "behind it if it looks like a file's",
                           s.out);
    int vertices[MAX_VERTICES];
    int vertex_count = s.vertices ? parse_list(s.vertices, vertices, MAX_VERTICES) : 0;
    if (vertex_count < 0) return usage("--vertices takes numbers like 0,17,4", s.vertices);
    pl_export_options export_options = {.every = s.every,
                                        .ascii = s.ascii,
                                        .vertex_count = vertex_count,
                                        .vertices = vertices,
                                        .progress = isatty(STDERR_FILENO) ? tell_progress : NULL};
    return run_export(&s, format, &export_options);
}
