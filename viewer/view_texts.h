// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// JSON texts for pages: the scene, the state of the session, notices.
#ifndef PL_VIEW_TEXTS_H
#define PL_VIEW_TEXTS_H

#include "view_controls.h"
#include "view_side.h"

typedef struct pl_view_setting {
    char id[PL_VIEW_NAME_SIZE], choice[PL_VIEW_NAME_SIZE];
    double number;
} pl_view_setting;

// The present state of a session.
typedef struct pl_view_now {
    int scene; // of the list, or -1
    bool is_paused, is_loading, is_live;
    double speed; // 1 is real time
    char color[PL_VIEW_NAME_SIZE];
    char split_id[PL_VIEW_NAME_SIZE], split_choice[PL_VIEW_NAME_SIZE]; // "" without a second side
    pl_view_setting settings[PL_VIEW_CONTROL_LIMIT];                   // of the user
    int setting_count;
} pl_view_now;

// Texts are freed by pl_view_text_free; NULL if memory runs out.
char* pl_view_scene_text(const pl_view_scenes* scenes, const pl_view_side* sides, int side_count,
                         const pl_view_now* now, uint32_t generation);
char* pl_view_state_text(const pl_view_side* sides, int side_count, const pl_view_now* now);
char* pl_view_notice_text(const char* text);
void pl_view_text_free(char* text);

#endif
