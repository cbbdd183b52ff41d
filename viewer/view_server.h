// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Serves the page and its WebSocket. On the loopback interface, Host and Origin of every request
// must be this server's own, so that no other page of the browser gets in. On another interface a
// token in the address is asked for as well.
#ifndef PL_VIEW_SERVER_H
#define PL_VIEW_SERVER_H

#include "view_scenes.h"

typedef struct pl_view_server pl_view_server;

typedef struct pl_view_server_options {
    const char* page;             // file of the page
    const char* host;             // interface or address, or NULL for the loopback
    int port;                     // the first that is tried
    bool any_port;                // the next free one if that is busy
    const pl_view_scenes* scenes; // borrowed
    int first_scene;              // or -1 for the list
} pl_view_server_options;

pl_status pl_view_server_create(const pl_view_server_options* options, pl_view_server** out,
                                pl_error* error);
void pl_view_server_destroy(pl_view_server* server);
// Where the page is, with the token if there is one.
const char* pl_view_server_address(const pl_view_server* server);
// Serves for a while; false when that is no longer possible.
bool pl_view_server_serve(pl_view_server* server);

#endif
