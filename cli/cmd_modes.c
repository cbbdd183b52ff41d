// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// pliant modes: frequencies and shapes of vibration of a body.
#include "base/fail.h"
#include "base/notes.h"
#include "base/platform.h"
#include "commands.h"
#include "options.h"
#include "record/modes_record.h"
#include "scene_input.h"

#include <jansson.h>
#include <pliant/pliant.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const verb modes_verb = {
    .name = "modes",
    .arguments = "MESH_OR_SCENE [options]",
    .summary = "Frequencies and shapes of vibration of a body.",
    .details =
        "A scene gives material and attachments; of several bodies the first is taken, or the one\n"
        "that --body names. A mesh alone is soft rubber (Young's modulus 1e5 Pa, Poisson's ratio\n"
        "0.4, density 1000 kg/m^3) and free, or held where --pin says: a side of its box (-x, +y,\n"
        "...) or the name of a region. --set changes other values, as for a scene:\n"
        "  pliant modes bell.msh --pin -y --set bodies[0].material.young=1e9\n"
        "Frequencies are in Hz. Participation is the part of the mass that moves along x, y, z.\n"
        "-o NAME.plr writes the shapes as a recording: frame 0 is the body at rest, frame k mode "
        "k.\n"
        "Then `pliant render NAME.plr --sheet 4x3 -o modes.png`, `pliant export NAME.plr --to "
        "glb`\n"
        "and `--to vtu` make pictures, morph targets and files for ParaView of them.",
    .min_arguments = 1,
    .max_arguments = 1,
};

typedef struct modes_options {
    text_list overrides;
    const char *pin, *body, *output;
    int count;
    double memory; // [GB]; 0: what the machine has
    bool json;
} modes_options;

static const double GIGABYTE = 1e9;

static bool is_scene(const char* path) {
    size_t size = strlen(path);
    return strcmp(path, "-") == 0 || (size > 5 && strcmp(path + size - 5, ".json") == 0);
}

static json_t* where_of(const char* pin) {
    bool is_side = strlen(pin) == 2 && strchr("+-", pin[0]) && strchr("xyz", pin[1]);
    return json_pack("{s:s}", is_side ? "side" : "region", pin);
}

// the scene of a mesh alone
static pl_status scene_of_mesh(const char* path, const modes_options* o, scene_input* out,
                               pl_error* error) {
    // files are relative to the current folder, as on the command line
    *out = (scene_input){.source.path = "the mesh"};
    json_t* root =
        json_pack("{s:i, s:[{s:s, s:s, s:{s:f, s:f, s:f}}]}", "pliant", 1, "bodies", "name", "body",
                  "mesh", path, "material", "young", 1e5, "poisson", 0.4, "density", 1000.0);
    if (root && o->pin)
        json_object_set_new(root, "attachments",
                            json_pack("[{s:s, s:o}]", "body", "body", "where", where_of(o->pin)));
    out->text = root ? json_dumps(root, 0) : NULL;
    json_decref(root);
    if (!out->text) return pl_fail(error, PL_ERROR_ARGUMENT, "%s: not a name in UTF-8", path);
    out->source.data = out->text;
    out->source.size = strlen(out->text);
    return PL_OK;
}

static pl_status find_body(const pl_world* world, const char* name, int* body, pl_error* error) {
    *body = 0;
    for (int b = 0; name && b < pl_world_body_count(world); b++) {
        *body = b;
        if (strcmp(pl_world_body_name(world, b), name) == 0) return PL_OK;
    }
    return name ? pl_fail(error, PL_ERROR_ARGUMENT, "there is no body \"%s\"", name) : PL_OK;
}

static void print_text(const pl_modes* m) {
    if (m->rigid_count) printf("%d rigid modes\n", m->rigid_count);
    printf("%5s %14s %11s   %s\n", "mode", "frequency [Hz]", "residual", "participation x, y, z");
    for (int k = m->rigid_count; k < m->count; k++) {
        const double* p = m->participation + 3 * (size_t)k;
        printf("%5d %14.6g %11.1e   %.3f %.3f %.3f\n", k - m->rigid_count + 1, m->frequency[k],
               m->residual[k], p[0], p[1], p[2]);
    }
}

static void print_json(const pl_modes* m) {
    json_t* list = json_array();
    for (int k = m->rigid_count; k < m->count; k++) {
        const double* p = m->participation + 3 * (size_t)k;
        json_array_append_new(list, json_pack("{s:f, s:f, s:[f,f,f]}", "frequency", m->frequency[k],
                                              "residual", m->residual[k], "participation", p[0],
                                              p[1], p[2]));
    }
    json_t* root = json_pack("{s:i, s:o}", "rigid", m->rigid_count, "modes", list);
    json_dumpf(root, stdout, JSON_INDENT(2));
    printf("\n");
    json_decref(root);
}

// A free body of n unknowns has n modes; the rigid ones are not shown.
static void note_missing(const pl_modes* m, int wanted, pl_notes* notes) {
    int found = m->count - m->rigid_count;
    if (found < wanted)
        pl_note(notes, PL_NOTE_INFO, "%d modes are asked for; beside %d rigid ones the body has %d",
                wanted, m->rigid_count, found);
}

// Prints how large the problem is, and refuses it if it would not fit into memory.
static pl_status announce(pl_world* world, int body, const modes_options* o, pl_error* error) {
    pl_modes_size size;
    pl_status status = pl_world_modes_size(world, body, o->count, &size, error);
    if (status != PL_OK) return status;
    bool is_set = o->memory > 0.0;
    double room = is_set ? GIGABYTE * o->memory : pl_memory_available();
    fprintf(stderr,
            "pliant modes: %d vertices, %d unknowns, about %.2g GB of memory for %d modes\n",
            size.vertex_count, size.unknowns, size.bytes / GIGABYTE, o->count);
    if (room == 0.0 || size.bytes <= room) return PL_OK;
    return pl_fail(error, PL_ERROR_LIMIT,
                   "%d modes of %d vertices take about %.2g GB of memory, and %.2g GB are %s: take "
                   "fewer modes (-n) or a coarser mesh, or allow more by --memory",
                   o->count, size.vertex_count, size.bytes / GIGABYTE, room / GIGABYTE,
                   is_set ? "allowed" : "free");
}

static pl_status show_modes(const pl_scene* scene, const modes_options* o, pl_notes* notes,
                            pl_error* error) {
    pl_world* world = NULL;
    pl_modes* modes = NULL;
    int body = 0;
    pl_status status = pl_world_create(scene, &world, notes, error);
    if (status == PL_OK) status = find_body(world, o->body, &body, error);
    if (status == PL_OK) status = announce(world, body, o, error);
    if (status == PL_OK) status = pl_world_modes(world, body, o->count, &modes, error);
    if (status == PL_OK) note_missing(modes, o->count, notes);
    if (status == PL_OK && o->output)
        status = pl_modes_record(world, scene, body, modes, o->output, error);
    if (status == PL_OK && o->json) print_json(modes);
    else if (status == PL_OK) print_text(modes);
    pl_modes_destroy(modes);
    pl_world_destroy(world);
    return status;
}

static pl_status read_and_show(const char* path, const modes_options* o, pl_notes* notes,
                               pl_error* error) {
    scene_input input;
    pl_scene* scene = NULL;
    if (o->pin && is_scene(path))
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "--pin is for a mesh; a scene has attachments of its own");
    pl_status status = is_scene(path) ? scene_input_open(path, &input, error)
                                      : scene_of_mesh(path, o, &input, error);
    if (status != PL_OK) return status;
    status = scene_input_read(&input, &o->overrides, &scene, notes, error);
    if (status == PL_OK) {
        status = show_modes(scene, o, notes, error);
        if (status != PL_OK && is_scene(path))
            scene_input_explain(&input, &o->overrides, scene, error);
    }
    pl_scene_destroy(scene);
    scene_input_close(&input);
    return status;
}

int cmd_modes(int argc, char** argv) {
    modes_options o = {.count = 20};
    const option options[] = {
        {"-n", "COUNT", OPTION_INT, &o.count, "modes beside the rigid ones (20)", 1, 10000},
        {"--pin", "WHERE", OPTION_TEXT, &o.pin, "holds a mesh: -x, +y, ... or a region", ANY},
        {"--body", "NAME", OPTION_TEXT, &o.body, "of a scene with several bodies (the first)", ANY},
        {"--set", "PATH=VALUE", OPTION_TEXT_LIST, &o.overrides,
         "changes one value; may be repeated", ANY},
        {"-o", "NAME.plr", OPTION_TEXT, &o.output, "writes the shapes as a recording", ANY},
        {"--memory", "GB", OPTION_DOUBLE, &o.memory,
         "refuses what takes more (default: the memory that is free)", 1e-6, 1e6},
        {"--json", NULL, OPTION_FLAG, &o.json, "prints JSON", ANY},
    };
    const char* path = NULL;
    int count, exit_code;
    if (!parse_options(&modes_verb, options, sizeof options / sizeof options[0], argc, argv, &path,
                       &count, &exit_code))
        return exit_code;
    pl_notes* notes = NULL;
    pl_error error = {0};
    if (pl_notes_create(&notes) != PL_OK) return EXIT_FAILED;
    pl_status status = read_and_show(path, &o, notes, &error);
    report_notes(&modes_verb, notes);
    pl_notes_destroy(notes);
    return status == PL_OK ? EXIT_DONE : report_error(&modes_verb, &error);
}
