// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Every cell of method x kind x law x nonlinear x integrator x linear, against rules that are
// stated here a second time, method by method.
#include "material/material.h"
#include "scene/combinations.h"
#include "scene/scene_object.h"
#include "scene/scene_type.h"
#include "test.h"

#include <pliant/scene.h>

static bool fem_allows(pl_body_kind kind, pl_law law, pl_nonlinear nonlinear) {
    bool projects = law == PL_LAW_COROTATED || law == PL_LAW_ARAP || law == PL_LAW_SPRINGS;
    bool of_cloth = law == PL_LAW_SPRINGS || law == PL_LAW_MEMBRANE;
    bool fits = (kind == PL_BODY_CLOTH) == of_cloth;
    return fits && (nonlinear != PL_NONLINEAR_PROJECTIVE || projects);
}

static bool grid_allows(pl_body_kind kind, pl_law law, pl_nonlinear nonlinear,
                        pl_integrator integrator, pl_linear linear) {
    bool fits = integrator != PL_INTEGRATOR_MIDPOINT;
    return kind == PL_BODY_SOLID && (law == PL_LAW_LINEAR || law == PL_LAW_COROTATED) &&
           nonlinear != PL_NONLINEAR_PROJECTIVE && fits && linear == PL_LINEAR_MULTIGRID;
}

static bool pbd_allows(pl_body_kind kind, pl_law law, pl_nonlinear nonlinear,
                       pl_integrator integrator, pl_linear linear) {
    bool of_tets = law == PL_LAW_STVK || law == PL_LAW_COROTATED || law == PL_LAW_ARAP ||
                   law == PL_LAW_STABLE_NEOHOOKEAN;
    bool fits = law == PL_LAW_SPRINGS || (of_tets && kind == PL_BODY_SOLID);
    return fits && nonlinear == PL_NONLINEAR_PROJECTIVE && integrator == PL_INTEGRATOR_EULER &&
           linear == PL_LINEAR_GAUSS_SEIDEL;
}

// laws with a volume term
static bool mixed_allows(pl_body_kind kind, pl_law law, pl_nonlinear nonlinear, pl_linear linear) {
    bool fits = law == PL_LAW_LINEAR || law == PL_LAW_COROTATED || law == PL_LAW_STVK ||
                law == PL_LAW_NEOHOOKEAN || law == PL_LAW_STABLE_NEOHOOKEAN ||
                law == PL_LAW_MOONEY_RIVLIN;
    return kind == PL_BODY_SOLID && fits && nonlinear != PL_NONLINEAR_PROJECTIVE &&
           (linear == PL_LINEAR_DIRECT || linear == PL_LINEAR_MULTIGRID ||
            linear == PL_LINEAR_MGPCG);
}

// laws say nothing of what does not bend
static bool rigid_allows(int kind, int law, int nonlinear, int integrator, int linear) {
    return kind == PL_BODY_SOLID && law != PL_LAW_SPRINGS && law != PL_LAW_MEMBRANE &&
           nonlinear == PL_NONLINEAR_PROJECTIVE && integrator == PL_INTEGRATOR_EULER &&
           linear == PL_LINEAR_GAUSS_SEIDEL;
}

static bool is_sensible(const int v[PL_COMBINE_COUNT]) {
    switch ((pl_method)v[PL_COMBINE_METHOD]) {
    case PL_METHOD_FEM: return fem_allows(v[1], v[2], v[3]);
    case PL_METHOD_GRID: return grid_allows(v[1], v[2], v[3], v[4], v[5]);
    case PL_METHOD_PBD: return pbd_allows(v[1], v[2], v[3], v[4], v[5]);
    case PL_METHOD_MIXED: return mixed_allows(v[1], v[2], v[3], v[5]);
    case PL_METHOD_RIGID: return rigid_allows(v[1], v[2], v[3], v[4], v[5]);
    default: return false;
    }
}

// goes on to the next cell; false after the last. Values start at `first`, auto being 0.
static bool next_cell(int v[PL_COMBINE_COUNT], const int first[PL_COMBINE_COUNT]) {
    static const int counts[PL_COMBINE_COUNT] = {PL_METHOD_COUNT,     PL_BODY_COUNT,
                                                 PL_LAW_COUNT,        PL_NONLINEAR_COUNT,
                                                 PL_INTEGRATOR_COUNT, PL_LINEAR_COUNT};
    for (int k = PL_COMBINE_COUNT - 1; k >= 0; k--) {
        if (++v[k] < counts[k]) return true;
        v[k] = first[k];
    }
    return false;
}

static pl_body body_of(const int v[PL_COMBINE_COUNT]) {
    pl_body body = pl_default_body();
    body.name = "b";
    body.shape = PL_SHAPE_GENERATE;
    body.generate.shape = "box";
    body.method = (pl_method)v[0];
    body.kind = (pl_body_kind)v[1];
    body.material.law = (pl_law)v[2];
    body.nonlinear = (pl_nonlinear)v[3];
    body.integrator = (pl_integrator)v[4];
    body.linear = (pl_linear)v[5];
    return body;
}

TEST(combinations_every_cell)
{
    static const int first[PL_COMBINE_COUNT] = {0, 1, 1, 1, 1, 1};
    int v[PL_COMBINE_COUNT], cells = 0, allowed = 0;
    memcpy(v, first, sizeof v);
    do {
        CHECK(pl_combination_allowed(v) == is_sensible(v));
        pl_error error;
        pl_scene* scene;
        pl_body body = body_of(v);
        CHECK_OK(pl_scene_create(&scene, &error), &error);
        CHECK_OK(pl_scene_add_body(scene, &body, &error), &error);
        pl_status status = pl_scene_resolve(scene, &error);
        CHECK((status == PL_OK) == is_sensible(v));
        if (status != PL_OK) CHECK_TEXT(error.text, "does not work with");
        pl_scene_destroy(scene);
        cells++;
        allowed += is_sensible(v);
    } while (next_cell(v, first));
    CHECK_INT(cells, 5 * 2 * 9 * 3 * 4 * 7);
    CHECK(allowed > 0 && allowed < cells);
}

// true if a sensible cell has all the values that are not auto
static bool can_be_completed(const int partial[PL_COMBINE_COUNT]) {
    static const int first[PL_COMBINE_COUNT] = {0, 1, 1, 1, 1, 1};
    int v[PL_COMBINE_COUNT];
    memcpy(v, first, sizeof v);
    do {
        bool matches = is_sensible(v);
        for (int k = 0; k < PL_COMBINE_COUNT && matches; k++)
            matches = (k > 1 && partial[k] == 0) || partial[k] == v[k];
        if (matches) return true;
    } while (next_cell(v, first));
    return false;
}

LONG_TEST(combinations_auto_finds_what_there_is)
{
    // laws and methods are looped over whole, solvers too; kind is known by then
    static const int first[PL_COMBINE_COUNT] = {0, 1, 0, 0, 0, 0};
    int v[PL_COMBINE_COUNT];
    memcpy(v, first, sizeof v);
    do {
        if (v[2] && v[3] && v[4] && v[5]) continue;
        pl_body body = body_of(v);
        const char* key;
        char text[512];
        bool found = pl_combination_resolve(&body, &key, text, sizeof text);
        int result[PL_COMBINE_COUNT] = {body.method,    body.kind,       body.material.law,
                                        body.nonlinear, body.integrator, body.linear};
        CHECK(!found || is_sensible(result));
        for (int k = 0; k < PL_COMBINE_COUNT && found; k++)
            CHECK(v[k] == result[k] || (k > 1 && v[k] == 0));
        CHECK(found == can_be_completed(v));
    } while (next_cell(v, first));
}

TEST(combinations_say_what_does_not_fit)
{
    int v[PL_COMBINE_COUNT] = {PL_METHOD_GRID, PL_BODY_SOLID, 0, 0, 0, PL_LINEAR_DIRECT};
    pl_body body = body_of(v);
    const char* key;
    char text[512];
    CHECK(!pl_combination_resolve(&body, &key, text, sizeof text));
    CHECK(strcmp(key, "linear") == 0);
    CHECK(strcmp(text, "\"direct\" does not work with method \"grid\" kind \"solid\"; use one of: "
                       "multigrid") == 0);
}

TEST(combinations_laws_are_those_of_the_materials)
{
    for (int law = PL_LAW_LINEAR; law < PL_LAW_SPRINGS; law++) {
        pl_material_kind kind;
        CHECK(pl_material_of_law((pl_law)law, &kind));
        CHECK(strcmp(pl_material_name(kind), pl_law_name(law)) == 0);
    }
    CHECK(pl_law_name(-1) == NULL && pl_law_name(PL_LAW_COUNT) == NULL);
}

TEST(combination_auto_integrator_goes_with_kind_and_method)
{
    static const struct {
        pl_method method;
        pl_body_kind kind;
        pl_integrator integrator;
    } rows[] = {{PL_METHOD_FEM, PL_BODY_SOLID, PL_INTEGRATOR_BDF2},
                {PL_METHOD_FEM, PL_BODY_CLOTH, PL_INTEGRATOR_EULER},
                {PL_METHOD_PBD, PL_BODY_SOLID, PL_INTEGRATOR_EULER}};
    for (int k = 0; k < 3; k++) {
        pl_body body = {.method = rows[k].method, .kind = rows[k].kind};
        const char* key;
        char text[256];
        CHECK(pl_combination_resolve(&body, &key, text, sizeof text));
        CHECK_INT(body.integrator, rows[k].integrator);
    }
}
