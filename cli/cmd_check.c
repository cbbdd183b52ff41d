// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// pliant check: validates a scene and prints it in full.
#include "commands.h"
#include "options.h"
#include "record/run_values.h"
#include "scene/scene_text.h"
#include "scene_input.h"
#include "world/world_build.h"

#include <pliant/pliant.h>
#include <stdio.h>

static const verb check_verb = {
    .name = "check",
    .arguments = "SCENE [options]",
    .summary = "Checks a scene with all its files and prints it with every default as JSON.",
    .details =
        "SCENE is a file, or - for standard input. Of a mesh file the scene is printed that\n"
        "`pliant run` makes for it: `pliant check bear.obj > bear.json` is a start.\n"
        "Everything is made ready as `pliant run` does, and refused with the same words;\n"
        "nothing is simulated. What is printed is a scene, too.\n"
        "--set changes one value, as if the file said so:\n"
        "  pliant check scene.json --set bodies[0].material.young=1e5 --set frames=10",
    .min_arguments = 0,
    .max_arguments = 1,
};

static int print_text(pl_text* text, pl_status status, const pl_error* error) {
    if (status == PL_OK) fwrite(text->bytes.data, 1, text->bytes.count, stdout);
    pl_text_free(text);
    return status == PL_OK ? EXIT_DONE : report_error(&check_verb, error);
}

// Does what pl_run_start does before it writes anything, so a scene that passes here can run.
static pl_status prepare_run(const pl_scene* scene, pl_notes* notes, pl_error* error) {
    pl_world* world = NULL;
    pl_run_values values;
    pl_status status = pl_world_create(scene, &world, notes, error);
    if (status == PL_OK) status = pl_world_check_held(world, error);
    if (status == PL_OK) {
        status = pl_run_values_setup(&values, world, scene, error);
        if (status == PL_OK) pl_run_values_free(&values);
    }
    pl_world_destroy(world);
    return status;
}

static int check_scene(const char* path, const text_list* overrides, bool with_files) {
    pl_error error;
    pl_notes* notes = NULL;
    pl_scene* scene = NULL;
    pl_text text = pl_text_begin();
    scene_input input;
    pl_status status = scene_input_open(path, &input, &error);
    if (status == PL_OK && pl_notes_create(&notes) != PL_OK)
        status = pl_fail_memory(&error, "notes");
    if (status == PL_OK) status = scene_input_read(&input, overrides, &scene, notes, &error);
    if (status == PL_OK) {
        status =
            with_files ? prepare_run(scene, notes, &error) : pl_world_check_support(scene, &error);
        if (status != PL_OK) scene_input_explain(&input, overrides, scene, &error);
    }
    if (status == PL_OK) status = pl_scene_to_text(scene, &text, &error);
    report_notes(&check_verb, notes);
    pl_notes_destroy(notes);
    pl_scene_destroy(scene);
    scene_input_close(&input);
    return print_text(&text, status, &error);
}

int cmd_check(int argc, char** argv) {
    text_list overrides = {0};
    bool schema = false, docs = false, skip_files = false;
    const option options[] = {
        {"--set", "PATH=VALUE", OPTION_TEXT_LIST, &overrides, "changes one value; may be repeated",
         ANY},
        {"--skip-files", NULL, OPTION_FLAG, &skip_files, "does not look into meshes", ANY},
        {"--schema", NULL, OPTION_FLAG, &schema, "prints the JSON Schema of scenes instead", ANY},
        {"--docs", NULL, OPTION_FLAG, &docs, "prints the reference of scenes instead", ANY},
    };
    const char* path = NULL;
    int count, exit_code;
    if (!parse_options(&check_verb, options, sizeof options / sizeof options[0], argc, argv, &path,
                       &count, &exit_code))
        return exit_code;
    if (schema + docs + (count > 0) > 1) {
        fprintf(stderr, "pliant check: give one of SCENE, --schema and --docs\n");
        return EXIT_USAGE;
    }
    if (schema || docs) {
        pl_text text = pl_text_begin();
        pl_error error;
        pl_status status = schema ? pl_scene_schema(&text, &error) : pl_scene_docs(&text, &error);
        return print_text(&text, status, &error);
    }
    if (count == 0) {
        fprintf(stderr, "pliant check: which scene? pliant check SCENE (--help tells more)\n");
        return EXIT_USAGE;
    }
    return check_scene(path, &overrides, !skip_files);
}
