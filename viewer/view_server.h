// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Serves the page and its WebSocket. On the loopback interface, Host and Origin of every request
// must be this server's, so that other pages in the browser have no access. On other interfaces the
// address must also contain a token.
#ifndef PL_VIEW_SERVER_H
#define PL_VIEW_SERVER_H

#include "view_scenes.h"

typedef struct pl_view_server pl_view_server;

typedef struct pl_view_server_options {
    const char* page;             // file of the page
    const char* host;             // interface or address, or NULL for the loopback
    int port;                     // the first one to try
    bool any_port;                // try further ports if it is busy
    const pl_view_scenes* scenes; // borrowed
    int first_scene;              // or -1 for the list
} pl_view_server_options;

pl_status pl_view_server_create(const pl_view_server_options* options, pl_view_server** out,
                                pl_error* error);
void pl_view_server_destroy(pl_view_server* server);
// The address of the page, including the token if there is one.
const char* pl_view_server_address(const pl_view_server* server);
// Serves until something happens; false if the server has failed.
bool pl_view_server_serve(pl_view_server* server);

#endif
