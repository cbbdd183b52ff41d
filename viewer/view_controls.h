// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The sliders and choices of the page. Each uses pl_world_set or pl_world_change, as any host can.
#ifndef PL_VIEW_CONTROLS_H
#define PL_VIEW_CONTROLS_H

#include "view_message.h"

#include <pliant/world.h>

typedef enum pl_view_control_kind {
    PL_CONTROL_NUMBER,
    PL_CONTROL_LOGARITHMIC, // a number on a logarithmic slider
    PL_CONTROL_WHOLE,       // a whole number
    PL_CONTROL_CHOICE
} pl_view_control_kind;

enum { PL_VIEW_CONTROL_LIMIT = 16, PL_VIEW_CHOICE_LIMIT = 8 };

typedef struct pl_view_control {
    const char *id, *label, *unit;
    pl_view_control_kind kind;
    bool rebuilds; // the system is built again, so not at every pixel of a slider
    double low, high, value;
    char choice[PL_VIEW_NAME_SIZE];
    const char* choices[PL_VIEW_CHOICE_LIMIT];
    int choice_count;
} pl_view_control;

// Lists the controls that apply to a world, with their present values; returns their number.
int pl_view_controls_list(const pl_world* world, pl_view_control out[PL_VIEW_CONTROL_LIMIT]);
// Sets a control by its id to a number or a choice.
pl_status pl_view_controls_set(pl_world* world, const char* id, double number, const char* choice,
                               pl_error* error);

#endif
