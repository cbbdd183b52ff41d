// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "scene/combinations.h"
#include "scene/scene_type.h"

#include <stdio.h>
#include <string.h>

#define M(method) (1u << PL_METHOD_##method)
#define K(kind) (1u << PL_BODY_##kind)
#define W(law) (1u << PL_LAW_##law)
#define N(nonlinear) (1u << PL_NONLINEAR_##nonlinear)
#define I(integrator) (1u << PL_INTEGRATOR_##integrator)
#define L(linear) (1u << PL_LINEAR_##linear)

#define EVERY_INTEGRATOR (I(EULER) | I(MIDPOINT) | I(BDF2) | I(QUASISTATIC))
#define EVERY_LINEAR ((1u << PL_LINEAR_COUNT) - 1u - L(AUTO))
#define LAW_BIT(X, CODE, name, help) | W(CODE)
#define SOLID_LAWS (0u PL_SOLID_LAW_LIST(LAW_BIT, ))

// Lists only what this version supports: a method without a row is not available.
static const pl_combination rows[] = {
    {{M(FEM), K(SOLID), SOLID_LAWS, N(NEWTON) | N(LINEARISED), EVERY_INTEGRATOR, EVERY_LINEAR}},
    // only these have a local projection
    {{M(FEM), K(SOLID), W(COROTATED) | W(ARAP), N(PROJECTIVE), EVERY_INTEGRATOR, EVERY_LINEAR}},
    {{M(FEM), K(CLOTH), W(SPRINGS) | W(MEMBRANE), N(NEWTON) | N(LINEARISED), EVERY_INTEGRATOR,
      EVERY_LINEAR}},
    {{M(FEM), K(CLOTH), W(SPRINGS), N(PROJECTIVE), EVERY_INTEGRATOR, EVERY_LINEAR}},
    // laws with a volume term
    {{M(MIXED), K(SOLID), SOLID_LAWS & ~W(ARAP), N(NEWTON) | N(LINEARISED), EVERY_INTEGRATOR,
      L(MULTIGRID) | L(MGPCG) | L(DIRECT)}},
    // quasilinear, matrix-free
    {{M(GRID), K(SOLID), W(LINEAR) | W(COROTATED), N(NEWTON) | N(LINEARISED),
      I(EULER) | I(BDF2) | I(QUASISTATIC), L(MULTIGRID)}},
    // constraints are projected one after the other: distances and volumes, or strains
    {{M(PBD), K(SOLID), W(SPRINGS) | W(STVK) | W(COROTATED) | W(ARAP) | W(STABLE_NEOHOOKEAN),
      N(PROJECTIVE), I(EULER), L(GAUSS_SEIDEL)}},
    {{M(PBD), K(CLOTH), W(SPRINGS), N(PROJECTIVE), I(EULER), L(GAUSS_SEIDEL)}},
    // nothing bends: any law of solids will do
    {{M(RIGID), K(SOLID), SOLID_LAWS, N(PROJECTIVE), I(EULER), L(GAUSS_SEIDEL)}},
};

#undef M
#undef K
#undef W
#undef N
#undef I
#undef L

// choices tried for auto, in this order; others are never chosen automatically
static const int law_order[] = {PL_LAW_STABLE_NEOHOOKEAN, PL_LAW_COROTATED, PL_LAW_SPRINGS, 0};
static const int nonlinear_order[] = {PL_NONLINEAR_NEWTON, PL_NONLINEAR_PROJECTIVE, 0};
static const int integrator_order[] = {PL_INTEGRATOR_EULER, 0};
// Solids of fem keep bouncing and spinning with BDF2 (docs/verification.md, Integrators). Cloth
// should come to rest soon, and its wind model assumes implicit Euler.
static const int solid_integrator_order[] = {PL_INTEGRATOR_BDF2, 0};
static const int linear_order[] = {PL_LINEAR_MULTIGRID, PL_LINEAR_GAUSS_SEIDEL, 0};

static const struct {
    const char* key;
    const pl_choices* choices;
    const int* order;
} keys[PL_COMBINE_COUNT] = {
    {"method", &pl_choices_of_pl_method, NULL},
    {"kind", &pl_choices_of_pl_body_kind, NULL},
    {"material.law", &pl_choices_of_pl_law, law_order},
    {"nonlinear", &pl_choices_of_pl_nonlinear, nonlinear_order},
    {"integrator", &pl_choices_of_pl_integrator, integrator_order},
    {"linear", &pl_choices_of_pl_linear, linear_order},
};

int pl_combination_count(void) { return (int)(sizeof rows / sizeof rows[0]); }
const pl_combination* pl_combination_at(int index) { return &rows[index]; }

// true if a row allows the first `count` values; auto (0) matches anything
static bool fits(const int* values, int count) {
    for (int r = 0; r < pl_combination_count(); r++) {
        bool all = true;
        for (int k = 0; k < count && all; k++)
            all = (keys[k].order && values[k] == 0) || (rows[r].masks[k] >> values[k] & 1u);
        if (all) return true;
    }
    return false;
}

bool pl_combination_allowed(const int values[PL_COMBINE_COUNT]) {
    for (int k = 0; k < PL_COMBINE_COUNT; k++)
        if (keys[k].order && values[k] == 0) return false;
    return fits(values, PL_COMBINE_COUNT);
}

static void add_text(char* text, size_t size, const char* format, const char* a, const char* b) {
    size_t used = strlen(text);
    if (used < size) snprintf(text + used, size - used, format, a, b);
}

bool pl_method_is_available(pl_method method) {
    const int value = (int)method;
    return fits(&value, 1);
}

// A law of cloth on a solid, or the other way round: the key to change may be the kind.
static void suggest_kind(const int* values, char* text, size_t size) {
    int other[PL_COMBINE_LAW + 1];
    memcpy(other, values, sizeof other);
    for (int kind = 1; kind < keys[PL_COMBINE_KIND].choices->count; kind++) {
        other[PL_COMBINE_KIND] = kind;
        if (kind != values[PL_COMBINE_KIND] && fits(other, PL_COMBINE_LAW + 1))
            add_text(text, size, ", or set \"%s\": \"%s\"", keys[PL_COMBINE_KIND].key,
                     keys[PL_COMBINE_KIND].choices->items[kind].name);
    }
}

// describes the first key whose value fits none of the rows that the earlier keys allow
static void describe(int* values, const char** key, char* text, size_t size) {
    int bad = 0;
    while (bad < PL_COMBINE_COUNT - 1 && fits(values, bad + 1)) bad++;
    *key = keys[bad].key;
    const pl_choices* choices = keys[bad].choices;
    const int refused = values[bad];
    snprintf(text, size, "\"%s\" %s", choices->items[values[bad]].name,
             bad == PL_COMBINE_METHOD ? "is not in this version" : "does not work with");
    for (int k = 0; k < bad; k++)
        if (!keys[k].order || values[k] != 0)
            add_text(text, size, " %s \"%s\"", keys[k].key, keys[k].choices->items[values[k]].name);
    add_text(text, size, "; use one of:%s%s", "", "");
    for (int v = keys[bad].order || bad == PL_COMBINE_KIND ? 1 : 0; v < choices->count; v++) {
        values[bad] = v;
        if (fits(values, bad + 1)) add_text(text, size, " %s%s", choices->items[v].name, "");
    }
    values[bad] = refused;
    if (bad == PL_COMBINE_LAW) suggest_kind(values, text, size);
}

static const int* order_of(const int* values, int k) {
    int method = values[PL_COMBINE_METHOD];
    bool is_fem_solid = (method == PL_METHOD_FEM || method == PL_METHOD_MIXED) &&
                        values[PL_COMBINE_KIND] == PL_BODY_SOLID;
    return k == PL_COMBINE_INTEGRATOR && is_fem_solid ? solid_integrator_order : keys[k].order;
}

// replaces auto from key k on by the first choice in order that some row allows
static bool choose(int* values, int k) {
    if (k == PL_COMBINE_COUNT) return fits(values, k);
    if (!keys[k].order || values[k] != 0) return choose(values, k + 1);
    for (const int* v = order_of(values, k); *v; v++) {
        values[k] = *v;
        if (choose(values, k + 1)) return true;
    }
    values[k] = 0;
    return false;
}

bool pl_combination_resolve(pl_body* body, const char** key, char* text, size_t size) {
    int values[PL_COMBINE_COUNT] = {body->method,    body->kind,       body->material.law,
                                    body->nonlinear, body->integrator, body->linear};
    if (!choose(values, 0)) {
        describe(values, key, text, size);
        return false;
    }
    body->material.law = (pl_law)values[PL_COMBINE_LAW];
    body->nonlinear = (pl_nonlinear)values[PL_COMBINE_NONLINEAR];
    body->integrator = (pl_integrator)values[PL_COMBINE_INTEGRATOR];
    body->linear = (pl_linear)values[PL_COMBINE_LINEAR];
    return true;
}
