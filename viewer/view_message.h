// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Messages from a page: one small JSON object each, {"do": VERB, ...}. docs/viewer.md lists them.
// Anything else is refused with a text and has no effect.
#ifndef PL_VIEW_MESSAGE_H
#define PL_VIEW_MESSAGE_H

#include "base/fail.h"

#include <stdbool.h>

// verb, name in messages
#define PL_VIEW_VERB_LIST(X)                                                                       \
    X(PL_VIEW_READY, "ready") /* a frame was drawn */                                              \
    X(PL_VIEW_GRAB, "grab")   /* body, vertex, at */                                               \
    X(PL_VIEW_MOVE, "move")   /* at, number: the drag's own count */                               \
    X(PL_VIEW_RELEASE, "release")                                                                  \
    X(PL_VIEW_CUT, "cut")     /* from, at, to: the triangle that a knife has swept */              \
    X(PL_VIEW_PAUSE, "pause") /* on */                                                             \
    X(PL_VIEW_STEP, "step")                                                                        \
    X(PL_VIEW_RESET, "reset")                                                                      \
    X(PL_VIEW_SPEED, "speed") /* number: 1 is real time */                                         \
    X(PL_VIEW_SET, "set")     /* name of a control, number or text */                              \
    X(PL_VIEW_COLOR, "color") /* name of a quantity */                                             \
    X(PL_VIEW_OPEN, "open")   /* number of a scene in the server's list */                         \
    X(PL_VIEW_SEEK, "seek")   /* number of a frame */                                              \
    X(PL_VIEW_SPLIT, "split") /* name of a control and text; without a name: one view again */

#define PL_VIEW_VERB_ENUM(code, name) code,
typedef enum pl_view_verb { PL_VIEW_VERB_LIST(PL_VIEW_VERB_ENUM) PL_VIEW_VERB_COUNT } pl_view_verb;
#undef PL_VIEW_VERB_ENUM

// Longer messages are refused unread.
enum { PL_VIEW_MESSAGE_LIMIT = 1024, PL_VIEW_NAME_SIZE = 32 };

typedef struct pl_view_message {
    pl_view_verb verb;
    int body, vertex;
    double at[3], from[3], to[3]; // [m]
    bool on;
    bool has_number;
    double number;
    char name[PL_VIEW_NAME_SIZE]; // of a control or a quantity, or ""
    char text[PL_VIEW_NAME_SIZE]; // a choice, or ""
} pl_view_message;

pl_status pl_view_message_read(const char* text, size_t size, pl_view_message* out,
                               pl_error* error);

#endif
