// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// pliant info: reads and examines meshes, and says what they can be used for.
#include "commands.h"
#include "info.h"
#include "options.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static const verb info_verb = {
    "info",
    "FILE... [options]",
    "Size, shape, regions and defects of meshes, and whether they can be simulated.",
    "Reads every format that pliant reads, gzipped or not. Exit status: 0 if the files could be\n"
    "read, 2 if one could not, or, with --strict, if one has a defect that forbids to simulate it.",
    1,
    INT_MAX};

typedef struct info_options {
    bool json, strict, skip_intersections;
    pl_pool* pool;
} info_options;

// fills a closed surface on trial, so that the advice is known to work
static bool wants_advice(const pl_mesh* mesh, const pl_mesh_report* report) {
    return mesh->tet_count == 0 && mesh->triangle_count && report->surface_closed &&
           report->defects[PL_DEFECT_NON_FINITE].count == 0;
}

static int examine(const char* path, const info_options* options, const pl_mesh* mesh,
                   const pl_notes* notes) {
    pl_mesh_check_options check = {.skip_intersections = options->skip_intersections};
    pl_mesh_report report;
    pl_error error;
    if (pl_mesh_check(mesh, &check, options->pool, &report, &error) != PL_OK)
        return report_error(&info_verb, &error);
    info i = {.path = path, .mesh = mesh, .report = &report, .notes = notes};
    pl_tetrahedralise_options fill = pl_default_tetrahedralise_options();
    fill.pool = options->pool;
    pl_fill_advice advice;
    if (wants_advice(mesh, &report)) {
        if (pl_tetrahedralise_advise(mesh, &fill, &advice, &error) == PL_OK) i.advice = &advice;
        else i.no_advice = error.text;
    }
    info_judge(&i);
    if (options->json) info_print_json(&i);
    else info_print_text(&i);
    return options->strict && !i.usable ? EXIT_USAGE : EXIT_DONE;
}

static int inspect_file(const char* path, const info_options* options) {
    pl_notes* notes = NULL;
    pl_mesh* mesh = NULL;
    pl_error error;
    if (pl_notes_create(&notes) != PL_OK) return EXIT_FAILED;
    int exit_code;
    if (pl_mesh_read(path, NULL, &mesh, notes, &error) == PL_OK)
        exit_code = examine(path, options, mesh, notes);
    else {
        exit_code = report_error(&info_verb, &error);
        if (options->json) info_print_json_error(path, &error);
    }
    pl_mesh_destroy(mesh);
    pl_notes_destroy(notes);
    return exit_code;
}

int cmd_info(int argc, char** argv) {
    info_options options = {0};
    const option table[] = {
        {"--json", NULL, OPTION_FLAG, &options.json, "one JSON object per file and line", ANY},
        {"--strict", NULL, OPTION_FLAG, &options.strict, "exit 2 if a mesh cannot be simulated",
         ANY},
        {"--no-intersections", NULL, OPTION_FLAG, &options.skip_intersections,
         "do not look for self-intersections", ANY},
    };
    const char** files = calloc((size_t)argc + 1, sizeof *files);
    if (!files) return EXIT_FAILED;
    int file_count = 0, exit_code = EXIT_DONE;
    pl_error error;
    if (parse_options(&info_verb, table, (int)(sizeof table / sizeof table[0]), argc, argv, files,
                      &file_count, &exit_code)) {
        if (pl_pool_create(0, &options.pool, &error) != PL_OK) options.pool = NULL;
        for (int i = 0; i < file_count; i++) {
            int code = inspect_file(files[i], &options);
            if (code > exit_code) exit_code = code;
        }
        pl_pool_destroy(options.pool);
    }
    free(files);
    return exit_code;
}
