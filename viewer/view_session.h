// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A session: one thread steps what is shown; pages connect and disconnect. Each page gets the
// newest frame when it has drawn the previous one, so a slow page skips frames and delays nobody.
// Memory is bounded: one frame for each page and a few spare ones.
#ifndef PL_VIEW_SESSION_H
#define PL_VIEW_SESSION_H

#include "view_frame.h"
#include "view_message.h"

typedef struct pl_view_session pl_view_session;

enum {
    PL_VIEW_CLIENT_LIMIT = 8,
    PL_VIEW_QUEUE_LIMIT = 256, // waiting messages
    PL_VIEW_FRAMES_AHEAD = 2   // frames that a page may have received but not drawn
};

// Starts with a scene of the list, or with -1 to show the list. The list is borrowed. wake is
// called from any thread when there may be something new to send.
pl_status pl_view_session_create(const pl_view_scenes* scenes, int first, void (*wake)(void* user),
                                 void* user, pl_view_session** out, pl_error* error);
// Ends the thread; wake is not called again.
void pl_view_session_stop(pl_view_session* session);
void pl_view_session_destroy(pl_view_session* session);

// Adds a page; returns its number, or -1 if there are too many.
int pl_view_session_join(pl_view_session* session);
void pl_view_session_leave(pl_view_session* session, int client);
// Handles a message. If it is refused, that page is told why.
void pl_view_session_post(pl_view_session* session, int client, const pl_view_message* message);
void pl_view_session_refuse(pl_view_session* session, int client, const char* text);
// The next thing to send to a page, or NULL; given back by pl_view_session_give_back.
pl_view_blob* pl_view_session_take(pl_view_session* session, int client);
void pl_view_session_give_back(pl_view_session* session, pl_view_blob* blob);

#endif
