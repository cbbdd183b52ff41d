// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// pliant mesh: converts, generates and repairs meshes, and fills surfaces with tets.
#include "base/notes.h"
#include "base/timer.h"
#include "commands.h"
#include "mesh/mesh_format.h"
#include "options.h"

#include <jansson.h>
#include <math.h>
#include <pliant/pliant.h>
#include <stdio.h>
#include <string.h>

static const verb mesh_verb = {
    "mesh",
    "[IN] -o OUT [options]",
    "Converts a mesh, fills a surface with tets, or makes a mesh from nothing.",
    "IN and OUT are mesh files of any format that pliant reads (IN) and writes (OUT), by their\n"
    "endings. A surface that goes to .msh, .mesh or .vtu, or for which --edge or --with is given,\n"
    "is filled with tets; --surface converts it as it is. Tets that go to .obj, .ply or .stl\n"
    "leave their boundary there.\n\n"
    "  pliant mesh bunny.obj -o bunny.msh --edge 0.02\n"
    "  pliant mesh --generate gummy-bear --edge 0.003 -o bear.msh\n"
    "  pliant mesh --generate box --size 4,1,1 --set pattern=five -o bar.vtu\n"
    "  pliant mesh --generate list",
    0,
    1};

typedef struct mesh_command {
    const char *in, *out, *with, *generate, *size;
    text_list settings;
    double edge;
    int threads;
    bool repair, surface, ascii, strict, json, allow_split;
    bool filled; // a surface was filled with tets
    pl_pool* pool;
    pl_notes* notes;
    double load_seconds, fill_seconds, write_seconds;
} mesh_command;

static pl_status bad_usage(pl_error* error, const char* text) {
    return pl_fail(error, PL_ERROR_ARGUMENT, "%s", text);
}

// true if tets can be written to the path
static bool holds_tets(const char* path) {
    const pl_mesh_format_kind* kind = pl_mesh_format_kind_of(pl_mesh_format_of(path));
    return kind && kind->write && !kind->is_surface;
}

static pl_status check_command(const mesh_command* c, pl_error* error) {
    if (!c->in && !c->generate) return bad_usage(error, "give a file to read, or --generate NAME");
    if (c->in && c->generate) return bad_usage(error, "give a file or --generate, not both");
    if (!c->out) return bad_usage(error, "give -o OUT, the file to write");
    if ((c->settings.count || c->size) && !c->generate)
        return bad_usage(error, "--set and --size are for --generate");
    if (c->with && strcmp(c->with, "stuffing") != 0 && strcmp(c->with, "tetgen") != 0)
        return pl_fail(error, PL_ERROR_ARGUMENT, "--with knows stuffing and tetgen, not \"%s\"",
                       c->with);
    if (c->with && c->generate) return bad_usage(error, "--with is for surfaces of files");
    if (c->surface && c->with) return bad_usage(error, "--surface and --with exclude one another");
    // refuses an ending that cannot be written before any work is done
    if (!pl_mesh_format_is_written(pl_mesh_format_of(c->out)))
        return pl_mesh_format_refuse(c->out, error);
    if (!(c->edge >= 0.0) || !isfinite(c->edge))
        return pl_fail(error, PL_ERROR_ARGUMENT, "--edge is %g; it must be a positive length",
                       c->edge);
    return PL_OK;
}

// ---- where the mesh comes from

// how many of size_x, size_y and size_z a generator takes
static int count_sizes(const pl_generator* g) {
    int count = 0;
    for (int k = 0; k < PL_GENERATOR_PARAMETERS && g->parameters[k].field; k++)
        count += strncmp(g->parameters[k].field->key, "size_", 5) == 0;
    return count;
}

static pl_status set_sizes(const char* name, const char* sizes, pl_generate_options* options,
                           pl_error* error) {
    static const char* const keys[3] = {"size_x", "size_y", "size_z"};
    const pl_generator* g;
    pl_status status = pl_generator_find(name, &g, error);
    if (status != PL_OK) return status;
    int given = 1, taken = count_sizes(g);
    for (const char* at = sizes; (at = strchr(at, ',')); at++) given++;
    if (taken > 0 && given != taken)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "--size %s: a %s takes %d length%s with commas between, not %d", sizes, name,
                       taken, taken == 1 ? "" : "s", given);
    const char* at = sizes;
    // refuses sizes for a generator without them, and lists its parameters
    for (int k = 0; status == PL_OK && k < given; k++) {
        char part[64];
        size_t length = strcspn(at, ",");
        snprintf(part, sizeof part, "%.*s", (int)(length < 60 ? length : 60), at);
        status = pl_generate_set_text(name, options, keys[k], part, error);
        at += length + 1;
    }
    return status;
}

static pl_status apply_settings(const char* name, const mesh_command* c,
                                pl_generate_options* options, pl_error* error) {
    pl_status status = PL_OK;
    if (c->edge > 0.0) status = pl_generate_set_number(name, options, "edge", c->edge, error);
    if (status == PL_OK && c->size) status = set_sizes(name, c->size, options, error);
    for (int i = 0; i < c->settings.count && status == PL_OK; i++) {
        char key[64];
        const char* setting = c->settings.items[i];
        size_t length = strcspn(setting, "=");
        if (setting[length] != '=' || length >= sizeof key)
            return pl_fail(error, PL_ERROR_ARGUMENT, "--set %s: give KEY=VALUE", setting);
        snprintf(key, sizeof key, "%.*s", (int)length, setting);
        status = pl_generate_set_text(name, options, key, setting + length + 1, error);
    }
    return status;
}

static pl_status generate(const mesh_command* c, pl_mesh** out, pl_error* error) {
    // gummy-bear and gummy_bear are the same
    char name[64];
    snprintf(name, sizeof name, "%s", c->generate);
    for (char* p = name; *p; p++)
        if (*p == '-') *p = '_';
    pl_generate_options options;
    pl_status status = pl_generate_defaults(name, &options, error);
    if (status == PL_OK) status = apply_settings(name, c, &options, error);
    if (status == PL_OK) status = pl_generate(name, &options, out, error);
    return status;
}

// key, default and help; for a choice, its words
static void list_parameter(const pl_generator_parameter* p) {
    const pl_generator_field* field = p->field;
    printf("    %-14s ", field->key);
    if (field->choices) {
        const char* word = field->choices;
        for (int k = 0; k < (int)p->preset; k++) word += strcspn(word, " ") + 1;
        printf("%-10.*s %s: %s\n", (int)strcspn(word, " "), word, field->help, field->choices);
        return;
    }
    printf("%-10g %s%s%s%s\n", p->preset, field->help, *field->unit ? ", " : "", field->unit,
           p->with_height ? ", in proportion to the height" : "");
}

enum { LIST_COLUMNS = 100 };

// names of regions, wrapped between words
static void list_regions(const char* words) {
    int column = printf("    regions:");
    while (*words) {
        int length = (int)strcspn(words, " ");
        if (column + 1 + length > LIST_COLUMNS) column = printf("\n           ") - 1;
        column += printf(" %.*s", length, words);
        words += length;
        words += strspn(words, " ");
    }
    printf("\n");
}

static int list_generators(void) {
    const pl_generator* g;
    for (int i = 0; (g = pl_generator_at(i)); i++) {
        printf("%-16s %s\n", g->name, g->summary);
        for (const pl_generator_parameter* p = g->parameters; p->field; p++) list_parameter(p);
        list_regions(g->regions);
    }
    return EXIT_DONE;
}

static pl_status load(const mesh_command* c, pl_mesh** out, pl_error* error) {
    pl_mesh_read_options options = {.strict = c->strict && !c->repair};
    pl_status status =
        c->generate ? generate(c, out, error) : pl_mesh_read(c->in, &options, out, c->notes, error);
    if (status == PL_OK && c->repair) status = pl_mesh_repair(*out, NULL, c->notes, error);
    return status;
}

// ---- tets

static bool wants_tets(const mesh_command* c, const pl_mesh* mesh) {
    if (c->surface || c->generate || mesh->tet_count || !mesh->triangle_count) return false;
    return c->edge > 0.0 || c->with || holds_tets(c->out);
}

static pl_status fill(const mesh_command* c, pl_mesh** mesh, pl_error* error) {
    pl_mesh* filled = NULL;
    fprintf(stderr, "pliant mesh: filling %d triangles with tets\n", (*mesh)->triangle_count);
    pl_tetrahedralise_options options = pl_default_tetrahedralise_options();
    options.edge = c->edge;
    options.strict = c->strict;
    options.pool = c->pool;
    options.allow_split = c->allow_split;
    options.use_tetgen = c->with && strcmp(c->with, "tetgen") == 0;
    pl_status status = pl_tetrahedralise(*mesh, &options, &filled, c->notes, error);
    if (status == PL_OK) {
        pl_mesh_destroy(*mesh);
        *mesh = filled;
    } else if (status == PL_ERROR_MESH) {
        size_t length = strlen(error->text);
        snprintf(error->text + length, sizeof error->text - length,
                 " (options: --edge, --with tetgen, --allow-split; --surface converts it as it "
                 "is)");
    }
    return status;
}

// ---- what came of it

static void print_text(const mesh_command* c, const pl_mesh* mesh, const pl_mesh_report* r) {
    const pl_mesh_quality* q = &r->quality;
    const char* kind = mesh->tet_count ? "tets" : "triangles";
    printf("%s: %d vertices, %d tets, %d triangles\n", c->out, mesh->vertex_count, mesh->tet_count,
           mesh->triangle_count);
    if (mesh->tet_count) printf("  volume       %.6g m^3\n", q->volume);
    printf("  surface      %.6g m^2, %d component%s\n", q->area, r->component_count,
           r->component_count == 1 ? "" : "s");
    printf("  edges        %.4g to %.4g, mean %.4g m\n", q->edge_min, q->edge_max, q->edge_mean);
    printf("  angles       %.2f to %.2f degrees (%s)\n", q->angle_min, q->angle_max,
           mesh->tet_count ? "dihedral" : "corners");
    printf("  radius ratio %.3f at least, %.3f median (%s)\n", q->radius_ratio_min,
           q->radius_ratio_median, kind);
    printf("  seconds      %.3f load, %.3f fill, %.3f write\n", c->load_seconds, c->fill_seconds,
           c->write_seconds);
}

static json_t* number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static void print_json(const mesh_command* c, const pl_mesh* mesh, const pl_mesh_report* r) {
    const pl_mesh_quality* q = &r->quality;
    json_t* notes = json_array();
    for (int i = 0; i < pl_notes_count(c->notes); i++)
        json_array_append_new(notes, json_string(pl_notes_text(c->notes, i, NULL)));
    json_t* root = json_pack(
        "{s:s?, s:s?, s:s, s:b, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:{s:f, s:f, s:f}, s:o}",
        "input", c->in, "generator", c->generate, "output", c->out, "filled", (int)c->filled,
        "vertices", mesh->vertex_count, "tets", mesh->tet_count, "triangles", mesh->triangle_count,
        "components", r->component_count, "volume", number(q->volume), "area", number(q->area),
        "edge_min", number(q->edge_min), "edge_mean", number(q->edge_mean), "edge_max",
        number(q->edge_max), "angle_min", number(q->angle_min), "angle_max", number(q->angle_max),
        "radius_ratio_min", number(q->radius_ratio_min), "radius_ratio_median",
        number(q->radius_ratio_median), "seconds", "load", c->load_seconds, "fill", c->fill_seconds,
        "write", c->write_seconds, "notes", notes);
    json_dumpf(root, stdout, JSON_COMPACT | JSON_REAL_PRECISION(12));
    printf("\n");
    json_decref(root);
}

static pl_status report_mesh(const mesh_command* c, const pl_mesh* mesh, pl_error* error) {
    pl_mesh_check_options options = {.skip_intersections = true};
    pl_mesh_report r;
    pl_status status = pl_mesh_check(mesh, &options, c->pool, &r, error);
    if (status != PL_OK) return status;
    if (c->json) print_json(c, mesh, &r);
    else print_text(c, mesh, &r);
    return PL_OK;
}

// reports the mesh as it was written: formats of surfaces get the boundary of tets
static pl_status report(const mesh_command* c, const pl_mesh* mesh, pl_error* error) {
    if (mesh->tet_count == 0 || holds_tets(c->out)) return report_mesh(c, mesh, error);
    pl_surface* surface;
    pl_status status = pl_mesh_surface(mesh, &surface, error);
    if (status == PL_OK) status = report_mesh(c, surface->mesh, error);
    pl_surface_destroy(surface);
    return status;
}

static pl_status process(mesh_command* c, pl_mesh** mesh, pl_error* error) {
    double start = pl_seconds();
    pl_status status = load(c, mesh, error);
    c->load_seconds = pl_seconds() - start;
    start = pl_seconds();
    if (status == PL_OK && c->in && (*mesh)->tet_count && (c->edge > 0.0 || c->with))
        status = pl_fail(error, PL_ERROR_ARGUMENT,
                         "%s: holds tets already; --edge and --with are for surfaces", c->in);
    if (status == PL_OK && wants_tets(c, *mesh)) {
        status = fill(c, mesh, error);
        c->filled = status == PL_OK;
    }
    c->fill_seconds = pl_seconds() - start;
    if (status != PL_OK) return status;
    start = pl_seconds();
    pl_mesh_write_options options = {.ascii = c->ascii};
    status = pl_mesh_write(*mesh, c->out, &options, c->notes, error);
    c->write_seconds = pl_seconds() - start;
    return status == PL_OK ? report(c, *mesh, error) : status;
}

static int run_command(mesh_command* c) {
    pl_mesh* mesh = NULL;
    pl_error error;
    pl_status status = check_command(c, &error);
    if (status == PL_OK) status = pl_pool_create(c->threads, &c->pool, &error);
    if (status == PL_OK && pl_notes_create(&c->notes) != PL_OK)
        status = pl_fail_memory(&error, "notes");
    if (status == PL_OK) status = process(c, &mesh, &error);
    report_notes(&mesh_verb, c->notes);
    int exit_code = status == PL_OK ? EXIT_DONE : report_error(&mesh_verb, &error);
    pl_mesh_destroy(mesh);
    pl_notes_destroy(c->notes);
    pl_pool_destroy(c->pool);
    return exit_code;
}

int cmd_mesh(int argc, char** argv) {
    mesh_command c = {0};
    const option table[] = {
        {"-o", "OUT", OPTION_TEXT, &c.out, "file to write", ANY},
        {"--edge", "LENGTH", OPTION_DOUBLE, &c.edge,
         "mean edge of the tets [m]; default: by the thickness, at most 1/50 of the diagonal",
         ABOVE_ZERO, DBL_MAX},
        {"--with", "stuffing|tetgen", OPTION_TEXT, &c.with, "how surfaces are filled: stuffing",
         ANY},
        {"--allow-split", NULL, OPTION_FLAG, &c.allow_split,
         "accept tets in more pieces than the surface, or of another volume", ANY},
        {"--surface", NULL, OPTION_FLAG, &c.surface, "leave a surface a surface", ANY},
        {"--generate", "NAME", OPTION_TEXT, &c.generate, "make a mesh; \"list\" tells which", ANY},
        {"--size", "X,Y,Z", OPTION_TEXT, &c.size, "size of what is generated [m]", ANY},
        {"--set", "KEY=VALUE", OPTION_TEXT_LIST, &c.settings, "any other parameter of a generator",
         ANY},
        {"--repair", NULL, OPTION_FLAG, &c.repair, "mend what can be mended, and say so", ANY},
        {"--ascii", NULL, OPTION_FLAG, &c.ascii, "numbers as text where the format has both", ANY},
        {"--strict", NULL, OPTION_FLAG, &c.strict, "what would be mended is an error", ANY},
        {"--threads", "N", OPTION_INT, &c.threads, "0: as many as this process may use", 0, 1024},
        {"--json", NULL, OPTION_FLAG, &c.json, "the result as one JSON object", ANY},
    };
    int argument_count = 0, exit_code = EXIT_DONE;
    if (!parse_options(&mesh_verb, table, (int)(sizeof table / sizeof table[0]), argc, argv, &c.in,
                       &argument_count, &exit_code))
        return exit_code;
    if (c.generate && strcmp(c.generate, "list") == 0 && !c.in) return list_generators();
    return run_command(&c);
}
