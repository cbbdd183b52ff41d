// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Which method, kind of body, law, outer solver, integrator and linear solver can be combined in
// this version. One table; everything else is refused by name.
#ifndef PL_SCENE_COMBINATIONS_H
#define PL_SCENE_COMBINATIONS_H

#include <pliant/scene.h>
#include <stddef.h>

// The keys of a combination, in the order in which they are checked.
enum {
    PL_COMBINE_METHOD,
    PL_COMBINE_KIND,
    PL_COMBINE_LAW,
    PL_COMBINE_NONLINEAR,
    PL_COMBINE_INTEGRATOR,
    PL_COMBINE_LINEAR,
    PL_COMBINE_COUNT
};

// One row: bit v of masks[key] is set if value v of that key is allowed.
typedef struct pl_combination {
    unsigned masks[PL_COMBINE_COUNT];
} pl_combination;

int pl_combination_count(void);
const pl_combination* pl_combination_at(int index);

// True if this version has the method: some row of the table names it.
bool pl_method_is_available(pl_method method);

// True if the values, one for each key and none of them auto, are in the table.
bool pl_combination_allowed(const int values[PL_COMBINE_COUNT]);

// Resolves the choices that a body leaves to pliant. If nothing fits, returns false with the key
// that does not fit and the choices that would; the body is then unchanged.
bool pl_combination_resolve(pl_body* body, const char** key, char* text, size_t size);

#endif
