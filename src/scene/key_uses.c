// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "scene/key_uses.h"
#include "base/notes.h"
#include "scene/scene_path.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define METHOD(mask) .masks[PL_COMBINE_METHOD] = (mask)
#define KIND(kind) .masks[PL_COMBINE_KIND] = 1u << PL_BODY_##kind
#define LAW(law) .masks[PL_COMBINE_LAW] = 1u << PL_LAW_##law
#define NONLINEAR(mask) .masks[PL_COMBINE_NONLINEAR] = (mask)
#define LINEAR(mask) .masks[PL_COMBINE_LINEAR] = (mask)
#define MOVING                                                                                     \
    .masks[PL_COMBINE_INTEGRATOR] =                                                                \
        1u << PL_INTEGRATOR_EULER | 1u << PL_INTEGRATOR_MIDPOINT | 1u << PL_INTEGRATOR_BDF2
#define MODEL(model) .models = 1u << PL_PBD_##model
#define BODY(key_, ...)                                                                            \
    { .key = key_, .owner = PL_KEY_OF_BODY, __VA_ARGS__ }
#define SYSTEM(key_, ...)                                                                          \
    { .key = key_, .owner = PL_KEY_OF_SYSTEM, __VA_ARGS__ }

enum {
    FEM = 1 << PL_METHOD_FEM,
    MIXED = 1 << PL_METHOD_MIXED,
    GRID = 1 << PL_METHOD_GRID,
    PBD = 1 << PL_METHOD_PBD,
    RIGID = 1 << PL_METHOD_RIGID,
    NEWTON = 1 << PL_NONLINEAR_NEWTON,
    PROJECTIVE = 1 << PL_NONLINEAR_PROJECTIVE,
    LINEARISED = 1 << PL_NONLINEAR_LINEARISED,
    PBD_LAWS =
        1 << PL_LAW_STVK | 1 << PL_LAW_COROTATED | 1 << PL_LAW_ARAP | 1 << PL_LAW_STABLE_NEOHOOKEAN,
    CYCLES = 1 << PL_LINEAR_MULTIGRID,
    MULTIGRID = CYCLES | 1 << PL_LINEAR_MGPCG,
    ITERATIVE = (1 << PL_LINEAR_COUNT) - 1 - (1 << PL_LINEAR_AUTO) - (1 << PL_LINEAR_DIRECT)
};

// clang-format off
#define ELASTIC(key)                                                                               \
    BODY(key, METHOD(FEM | MIXED), KIND(SOLID)), BODY(key, METHOD(FEM), LAW(MEMBRANE)),            \
    BODY(key, METHOD(GRID)), BODY(key, METHOD(PBD), .masks[PL_COMBINE_LAW] = PBD_LAWS, MODEL(COMPLIANCE))
#define COARSE(key) BODY(key, METHOD(PBD), .needs = PL_NEEDS_HIERARCHY)

// rows of one key are adjacent
static const pl_key_use rows[] = {
    BODY("name", METHOD(0)),
    BODY("mesh", METHOD(0)),
    BODY("generate", METHOD(0)),
    BODY("kind", METHOD(0)),
    BODY("edge", METHOD(FEM | MIXED | PBD), KIND(SOLID)),
    BODY("transform", METHOD(0)),
    BODY("velocity", METHOD(FEM | MIXED | GRID), MOVING),
    BODY("velocity", METHOD(PBD | RIGID)),
    BODY("angular_velocity", METHOD(FEM | MIXED | GRID), MOVING),
    BODY("angular_velocity", METHOD(PBD | RIGID)),
    BODY("material.law", METHOD(FEM | MIXED | GRID | PBD)),
    BODY("material.density", METHOD(FEM | MIXED | PBD | RIGID), KIND(SOLID)),
    BODY("material.density", METHOD(GRID), .whole_body = true),
    BODY("mesher", METHOD(FEM | MIXED | PBD), KIND(SOLID)),
    BODY("allow_split", METHOD(FEM | MIXED | PBD), KIND(SOLID)),
    BODY("material.area_density", METHOD(FEM | PBD), KIND(CLOTH)),
    ELASTIC("material.young"),
    ELASTIC("material.poisson"),
    ELASTIC("material.mu"),
    ELASTIC("material.lambda"),
    ELASTIC("material.bulk"),
    BODY("material.mu2", METHOD(FEM | MIXED), LAW(MOONEY_RIVLIN)),
    BODY("material.thickness", METHOD(FEM), LAW(MEMBRANE)),
    BODY("material.stretch", METHOD(FEM), LAW(SPRINGS)),
    BODY("material.stretch", METHOD(PBD), LAW(SPRINGS), MODEL(COMPLIANCE)),
    BODY("material.shear", METHOD(FEM), LAW(SPRINGS)),
    BODY("material.shear", METHOD(PBD), KIND(CLOTH), MODEL(COMPLIANCE)),
    BODY("material.bend", METHOD(FEM), KIND(CLOTH)),
    BODY("material.bend", METHOD(PBD), KIND(CLOTH), MODEL(COMPLIANCE)),
    BODY("regions", METHOD(0)),
    BODY("vary", METHOD(0)),
    BODY("rigid", METHOD(0)),
    SYSTEM("method", METHOD(0)),
    SYSTEM("integrator", METHOD(0)),
    SYSTEM("nonlinear", METHOD(0)),
    SYSTEM("linear", METHOD(0)),
    SYSTEM("levels", METHOD(FEM | MIXED), LINEAR(MULTIGRID)),
    BODY("hierarchy", METHOD(PBD)),
    SYSTEM("tolerance", METHOD(FEM | MIXED)),
    SYSTEM("iterations", METHOD(FEM | MIXED), NONLINEAR(NEWTON | PROJECTIVE)),
    SYSTEM("iterations", METHOD(PBD), MODEL(STIFFNESS)),
    SYSTEM("iterations", METHOD(PBD), .needs = PL_NEEDS_SUBSTEPS),
    SYSTEM("fixed", METHOD(FEM | MIXED), NONLINEAR(NEWTON | PROJECTIVE)),
    SYSTEM("linear_tolerance", METHOD(FEM | MIXED), LINEAR(ITERATIVE)),
    SYSTEM("linear_tolerance", METHOD(GRID)),
    SYSTEM("linear_iterations", METHOD(FEM | MIXED), LINEAR(ITERATIVE)),
    SYSTEM("linear_iterations", METHOD(GRID)),
    SYSTEM("line_search", METHOD(FEM | MIXED), NONLINEAR(NEWTON | PROJECTIVE)),
    BODY("mass", METHOD(FEM | MIXED)),
    SYSTEM("damping.mass", METHOD(FEM | MIXED | GRID), MOVING),
    SYSTEM("damping.mass", METHOD(PBD | RIGID)),
    SYSTEM("damping.stiffness", METHOD(FEM | MIXED | GRID), MOVING),
    SYSTEM("damping.stiffness", METHOD(PBD), MODEL(COMPLIANCE)),
    SYSTEM("multigrid", METHOD(FEM | MIXED), LINEAR(MULTIGRID)),
    SYSTEM("multigrid.smoother", METHOD(FEM), LINEAR(MULTIGRID)),
    SYSTEM("mixed", METHOD(MIXED)),
    SYSTEM("mixed.relaxation", METHOD(MIXED), LINEAR(MULTIGRID)),
    BODY("grid", METHOD(GRID)),
    BODY("grid.update_every", METHOD(GRID), LAW(COROTATED)),
    SYSTEM("pbd.model", METHOD(PBD)),
    SYSTEM("pbd.substeps", METHOD(PBD)),
    BODY("pbd.stretch", METHOD(PBD), MODEL(STIFFNESS)),
    BODY("pbd.shear", METHOD(PBD), KIND(CLOTH), MODEL(STIFFNESS)),
    BODY("pbd.shear", METHOD(PBD), KIND(CLOTH), .needs = PL_NEEDS_COMPLIANCE),
    BODY("pbd.bend", METHOD(PBD), KIND(CLOTH), MODEL(STIFFNESS)),
    BODY("pbd.volume", METHOD(PBD), KIND(SOLID), MODEL(STIFFNESS)),
    BODY("pbd.volume", METHOD(PBD), KIND(SOLID), LAW(SPRINGS)),
    BODY("pbd.compliance", METHOD(PBD), LAW(SPRINGS), MODEL(COMPLIANCE)),
    COARSE("pbd.parents"),
    COARSE("pbd.keep_attached"),
    COARSE("pbd.passes"),
    COARSE("pbd.coarse_sweeps"),
    COARSE("pbd.rest_length"),
    BODY("pbd.coarse_bending", METHOD(PBD), KIND(CLOTH), .needs = PL_NEEDS_HIERARCHY),
    COARSE("pbd.lumped_mass"),
    BODY("pbd.level", METHOD(PBD)),
    BODY("pbd.tear", METHOD(PBD), KIND(CLOTH)),
    BODY("pbd.tear_mode", METHOD(PBD), KIND(CLOTH), .needs = PL_NEEDS_TEAR),
    BODY("eigenfit", METHOD(FEM), KIND(SOLID), NONLINEAR(NEWTON | LINEARISED), MOVING),
    BODY("contact", METHOD(0)),
    BODY("contact.stiffness", METHOD(FEM | MIXED | GRID)),
    BODY("contact.self", METHOD(FEM | MIXED | PBD | GRID)),
    BODY("render", METHOD(0)),
};
// clang-format on
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

// length of the row's key if `key` starts with it; 0 otherwise
static size_t match(const char* row, const char* key) {
    size_t size = strlen(row);
    return strncmp(row, key, size) == 0 && (key[size] == '\0' || key[size] == '.') ? size : 0;
}

const pl_key_use* pl_key_uses(const char* key, int* count) {
    const pl_key_use* found = NULL;
    size_t longest = 0;
    *count = 0;
    for (int r = 0; r < ROW_COUNT; r++) {
        size_t size = match(rows[r].key, key);
        if (size > longest) found = &rows[r], longest = size, *count = 0;
        if (size && size == longest) ++*count;
    }
    return found;
}

static bool has_need(const pl_body* body, pl_key_needs needs) {
    bool compliant = body->pbd.model == PL_PBD_COMPLIANCE;
    if (needs == PL_NEEDS_SUBSTEPS) return body->pbd.substeps > 0;
    if (needs == PL_NEEDS_COMPLIANCE) return compliant && !isnan(body->pbd.compliance);
    if (needs == PL_NEEDS_HIERARCHY)
        return body->pbd.hierarchy > 0 || body->pbd.level > 0 ||
               (body->pbd.hierarchy < 0 && compliant && body->kind == PL_BODY_CLOTH);
    return needs != PL_NEEDS_TEAR || !isnan(body->pbd.tear);
}

static bool use_fits(const pl_key_use* use, const pl_body* body, bool in_region) {
    const int values[PL_COMBINE_COUNT] = {body->method,    body->kind,       body->material.law,
                                          body->nonlinear, body->integrator, body->linear};
    if (use->by_nobody || (in_region && use->whole_body)) return false;
    for (int k = 0; k < PL_COMBINE_COUNT; k++) {
        bool open = k > PL_COMBINE_KIND && values[k] == 0;
        if (use->masks[k] && !open && !(use->masks[k] >> values[k] & 1u)) return false;
    }
    if (use->models && !(use->models >> body->pbd.model & 1u)) return false;
    return has_need(body, use->needs);
}

bool pl_key_is_read(const pl_body* body, const char* key, bool in_region) {
    int count;
    const pl_key_use* use = pl_key_uses(key, &count);
    for (int r = 0; r < count; r++)
        if (use_fits(&use[r], body, in_region)) return true;
    return false;
}

// ---------------------------------------------------------------- in words

static void add_word(char* text, size_t size, const char* between, const char* word) {
    size_t used = strlen(text);
    if (used + 1 < size) snprintf(text + used, size - used, "%s%s", used ? between : "", word);
}

// writes "law springs or membrane", or "linear not direct" if only one value is missing
static void add_condition(char* text, size_t size, const char* name, unsigned mask,
                          const pl_choices* choices) {
    if (!mask) return;
    char part[200] = "", whole[240];
    unsigned others = ~mask & ((1u << choices->count) - 2u); // 0 is auto
    bool all_but_one = others && !(others & (others - 1u)) && choices->count > 3;
    for (int v = 1; v < choices->count; v++)
        if ((all_but_one ? others : mask) >> v & 1u)
            add_word(part, sizeof part, " or ", choices->items[v].name);
    snprintf(whole, sizeof whole, "%s%s%s%s", name, name[0] ? " " : "", all_but_one ? "not " : "",
             part);
    add_word(text, size, ", ", whole);
}

// other choices with which a method reads a key; "" for all
static void describe_use(const pl_key_use* use, char* text, size_t size) {
    text[0] = '\0';
    add_condition(text, size, "", use->masks[PL_COMBINE_KIND], &pl_choices_of_pl_body_kind);
    add_condition(text, size, "law", use->masks[PL_COMBINE_LAW], &pl_choices_of_pl_law);
    add_condition(text, size, "nonlinear", use->masks[PL_COMBINE_NONLINEAR],
                  &pl_choices_of_pl_nonlinear);
    add_condition(text, size, "integrator", use->masks[PL_COMBINE_INTEGRATOR],
                  &pl_choices_of_pl_integrator);
    add_condition(text, size, "linear", use->masks[PL_COMBINE_LINEAR], &pl_choices_of_pl_linear);
    for (int v = 0; v < pl_choices_of_pl_pbd_model.count; v++) {
        char model[80];
        if (!(use->models >> v & 1u)) continue;
        snprintf(model, sizeof model, "pbd.model %s", pl_pbd_model_name(v));
        add_word(text, size, ", ", model);
    }
    if (use->needs == PL_NEEDS_HIERARCHY) add_word(text, size, ", ", "hierarchy");
    if (use->needs == PL_NEEDS_TEAR) add_word(text, size, ", ", "pbd.tear");
    if (use->needs == PL_NEEDS_SUBSTEPS) add_word(text, size, ", ", "pbd.substeps");
    if (use->needs == PL_NEEDS_COMPLIANCE) add_word(text, size, ", ", "pbd.compliance");
    if (use->whole_body) add_word(text, size, ", ", "not in regions and vary");
}

// Whether a method reads a key; text: with which choices, "" for always.
static bool describe_method(const char* key, int method, char* text, size_t size) {
    int count, found = 0;
    const pl_key_use* use = pl_key_uses(key, &count);
    text[0] = '\0';
    for (int r = 0; r < count; r++) {
        unsigned mask = use[r].masks[PL_COMBINE_METHOD];
        char part[400];
        if (use[r].by_nobody || (mask && !(mask >> method & 1u))) continue;
        describe_use(&use[r], part, sizeof part);
        if (found++ == 0) snprintf(text, size, "%s", part);
        else add_word(text, size, "; ", part);
    }
    return found > 0;
}

// methods that read a key which the body's method does not read
static void describe_readers(const pl_body* body, const char* key, char* text, size_t size) {
    char part[400];
    text[0] = '\0';
    if (describe_method(key, body->method, part, sizeof part)) {
        snprintf(text, size, "it is read with %s", part);
        return;
    }
    for (int m = 0; m < PL_METHOD_COUNT; m++)
        if (pl_method_is_available((pl_method)m) && describe_method(key, m, part, sizeof part))
            add_word(text, size, ", ", pl_method_name(m));
    char names[80];
    snprintf(names, sizeof names, "%.70s", text);
    if (names[0]) snprintf(text, size, "methods that read it: %s", names);
    else snprintf(text, size, "no method of this version reads it");
}

// ---------------------------------------------------------------- notes

typedef struct note_walk {
    const pl_scene* scene;
    const pl_body* body;
    int index;
    pl_notes* notes;
    pl_path path; // path in the body, as in the scene: regions[0].material.young
    bool in_region;
} note_walk;

static bool is_animated(const pl_scene* scene, int body, const char* path) {
    char whole[1100];
    int size = snprintf(whole, sizeof whole, "bodies[%d].%s", body, path);
    for (int k = 0; k < scene->animation_count; k++)
        if (match(whole, scene->animations[k].path) ||
            (strncmp(whole, scene->animations[k].path, (size_t)size) == 0 &&
             scene->animations[k].path[size] == '['))
            return true;
    return false;
}

static void note_key(const note_walk* w, const char* key) {
    if (pl_key_is_read(w->body, key, w->in_region)) return;
    char readers[600];
    describe_readers(w->body, key, readers, sizeof readers);
    pl_note(w->notes, PL_NOTE_INFO, "bodies[%d].%s has no effect with method %s as set; %s",
            w->index, w->path.text, pl_method_name((int)w->body->method), readers);
}

static void note_fields(note_walk* w, const pl_type* type, const void* object, const void* preset,
                        const char* prefix);

static void note_regions(note_walk* w) {
    for (int i = 0; i < w->body->region_count; i++) {
        size_t before = pl_path_push_key(&w->path, "regions");
        pl_path_push_index(&w->path, i);
        pl_path_push_key(&w->path, "material");
        w->in_region = true;
        note_fields(w, &pl_type_material, &w->body->regions[i].material, &w->body->material,
                    "material.");
        w->in_region = false;
        pl_path_pop(&w->path, before);
    }
}

static void note_variations(note_walk* w) {
    for (int i = 0; i < w->body->variation_count; i++) {
        const char* name = pl_material_key_name((int)w->body->variations[i].parameter);
        char key[64];
        snprintf(key, sizeof key, "material.%s", name);
        size_t before = pl_path_push_key(&w->path, "vary");
        pl_path_push_index(&w->path, i);
        w->in_region = true;
        note_key(w, key);
        w->in_region = false;
        pl_path_pop(&w->path, before);
    }
}

// visits every field of a struct of the body whose value is not the default
static void note_fields(note_walk* w, const pl_type* type, const void* object, const void* preset,
                        const char* prefix) {
    for (int i = 0; i < type->field_count; i++) {
        const pl_field_info* field = &type->fields[i];
        char key[128], below[130];
        if ((field->flags & (PL_HIDDEN | PL_VARIANT)) || field->kind == PL_FIELD_LIST) continue;
        snprintf(key, sizeof key, "%s%s", prefix, field->key);
        size_t before = pl_path_push_key(&w->path, field->key);
        if (field->kind == PL_FIELD_OBJECT) {
            snprintf(below, sizeof below, "%s.", key);
            note_fields(w, field->type, (const char*)object + field->offset,
                        (const char*)preset + field->offset, below);
        } else if (!pl_field_is_same(field, object, preset) ||
                   is_animated(w->scene, w->index, w->path.text)) {
            note_key(w, key);
        }
        pl_path_pop(&w->path, before);
    }
}

void pl_note_unread_keys(const pl_scene* scene, int body, pl_notes* notes) {
    note_walk w = {.scene = scene, .body = &scene->bodies[body], .index = body, .notes = notes};
    // what `auto` stands for counts as not set
    pl_body preset = pl_default_body();
    const char* key;
    char text[512];
    preset.method = w.body->method;
    preset.kind = w.body->kind;
    pl_combination_resolve(&preset, &key, text, sizeof text);
    note_fields(&w, &pl_type_body, w.body, &preset, "");
    note_regions(&w);
    note_variations(&w);
}

// ---------------------------------------------------------------- systems

// finds a system setting at a path, or below it, that two bodies do not share
static bool differs(const pl_scene* scene, const int bodies[2], const pl_type* type, const void* a,
                    const void* b, const char* prefix) {
    for (int i = 0; i < type->field_count; i++) {
        const pl_field_info* field = &type->fields[i];
        char key[128], below[130];
        if (field->flags & PL_HIDDEN) continue;
        snprintf(key, sizeof key, "%s%s", prefix, field->key);
        snprintf(below, sizeof below, "%s.", key);
        int count;
        const pl_key_use* use = pl_key_uses(key, &count);
        if (!use && field->kind == PL_FIELD_OBJECT) {
            if (differs(scene, bodies, field->type, (const char*)a + field->offset,
                        (const char*)b + field->offset, below))
                return true;
            continue;
        }
        if (use && use->owner == PL_KEY_OF_BODY) continue;
        if (!pl_field_is_same(field, a, b) || is_animated(scene, bodies[0], key) ||
            is_animated(scene, bodies[1], key))
            return true;
    }
    return false;
}

bool pl_bodies_share_settings(const pl_scene* scene, int first, int second) {
    // solvers of rigid bodies have no settings
    if (scene->bodies[first].method == PL_METHOD_RIGID &&
        scene->bodies[second].method == PL_METHOD_RIGID)
        return true;
    const int bodies[2] = {first, second};
    return !differs(scene, bodies, &pl_type_body, &scene->bodies[first], &scene->bodies[second],
                    "");
}

// ---------------------------------------------------------------- the reference

static void add_row(pl_text* text, const char* key) {
    pl_text_format(text, "| `%s` |", key);
    for (int m = 0; m < PL_METHOD_COUNT; m++) {
        char part[600];
        if (!pl_method_is_available((pl_method)m)) continue;
        bool reads = describe_method(key, m, part, sizeof part);
        pl_text_format(text, " %s |", !reads ? "" : part[0] ? part : "yes");
    }
    pl_text_add(text, "\n");
}

static bool is_read_always(const pl_key_use* use) {
    char part[400];
    describe_use(use, part, sizeof part);
    return !use->by_nobody && !use->masks[PL_COMBINE_METHOD] && !part[0];
}

void pl_key_readers(const char* key, char* text, size_t size) {
    int count;
    const pl_key_use* use = pl_key_uses(key, &count);
    text[0] = '\0';
    if (!use || is_read_always(use)) return;
    for (int m = 0; m < PL_METHOD_COUNT; m++) {
        char part[400], whole[440];
        if (!pl_method_is_available((pl_method)m) || !describe_method(key, m, part, sizeof part))
            continue;
        snprintf(whole, sizeof whole, part[0] ? "%s (%s)" : "%s%s", pl_method_name(m), part);
        add_word(text, size, ", ", whole);
    }
    if (!text[0]) snprintf(text, size, "no method of this version");
}

void pl_key_uses_docs(pl_text* text) {
    pl_text_add(
        text,
        "\n## Which method reads which key\n\nKeys of a body. Every method reads the keys that are "
        "not listed here. The row of an object holds for all of its keys without a row of their "
        "own. A cell names the other choices with which the method reads the key; an empty cell "
        "means never. A run notes every key that is set but has no effect.\n\n| key |");
    for (int m = 0; m < PL_METHOD_COUNT; m++)
        if (pl_method_is_available((pl_method)m)) pl_text_format(text, " %s |", pl_method_name(m));
    pl_text_add(text, "\n|---|");
    for (int m = 0; m < PL_METHOD_COUNT; m++)
        if (pl_method_is_available((pl_method)m)) pl_text_add(text, "---|");
    pl_text_add(text, "\n");
    for (int r = 0; r < ROW_COUNT; r++) {
        bool again = r > 0 && strcmp(rows[r].key, rows[r - 1].key) == 0;
        if (!again && !is_read_always(&rows[r])) add_row(text, rows[r].key);
    }
    pl_text_add(text,
                "\nBodies are solved as one system if these keys are equal and none has a curve:");
    for (int r = 0, count = 0; r < ROW_COUNT; r++) {
        bool again = r > 0 && strcmp(rows[r].key, rows[r - 1].key) == 0;
        if (!again && rows[r].owner == PL_KEY_OF_SYSTEM)
            pl_text_format(text, "%s `%s`", count++ ? "," : "", rows[r].key);
    }
    pl_text_add(text, ". All rigid bodies are one system.\n");
}
