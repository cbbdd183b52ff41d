// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "view_server.h"
#include "base/memory.h"
#include "view_session.h"

#include <libwebsockets.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum { PORTS_TRIED = 50, PIECE_SIZE = 64 << 10, TOKEN_BYTES = 16 };

struct pl_view_server {
    struct lws_context* context;
    pl_view_session* session;
    char page[4096];
    char host[256];
    bool is_loopback;
    int port;
    char token[2 * TOKEN_BYTES + 1]; // "" on the loopback
    char address[512];
    unsigned char piece[LWS_PRE + PIECE_SIZE];
};

// a page that is connected
typedef struct connection {
    int client; // -1 before it joined
    pl_view_blob* blob;
    size_t sent; // of blob
    char message[PL_VIEW_MESSAGE_LIMIT];
    size_t message_size;
    bool is_too_long;
} connection;

// ---------------------------------------------------------------- who may come in

static bool get_header(struct lws* wsi, enum lws_token_indexes token, char* out, size_t size) {
    int length = lws_hdr_copy(wsi, out, (int)size, token);
    if (length <= 0) out[0] = '\0';
    return length > 0;
}

// host names allowed for this server; with --host, the token is checked instead
static bool is_own_host(const pl_view_server* s, const char* host) {
    static const char* const names[] = {"127.0.0.1", "localhost", "[::1]"};
    char own[300];
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        snprintf(own, sizeof own, "%s:%d", names[k], s->port);
        if (strcasecmp(host, own) == 0) return true;
    }
    return !s->is_loopback && host[0] != '\0';
}

// compares all characters, so that timing reveals nothing
static bool is_token(const pl_view_server* s, const char* given) {
    size_t size = strlen(s->token);
    if (strlen(given) != size) return false;
    unsigned char difference = 0;
    for (size_t k = 0; k < size; k++) difference |= (unsigned char)(s->token[k] ^ given[k]);
    return difference == 0;
}

static bool has_token(const pl_view_server* s, struct lws* wsi) {
    if (!s->token[0]) return true;
    char given[128];
    const char* value = lws_get_urlarg_by_name(wsi, "token=", given, sizeof given);
    return value && is_token(s, value);
}

static bool may_enter(const pl_view_server* s, struct lws* wsi) {
    char host[256];
    return get_header(wsi, WSI_TOKEN_HOST, host, sizeof host) && is_own_host(s, host) &&
           has_token(s, wsi);
}

// only the page of this server may open a WebSocket
static bool may_talk(const pl_view_server* s, struct lws* wsi) {
    char host[256], origin[300], own[300], uri[16];
    if (!may_enter(s, wsi) || !get_header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin))
        return false;
    if (!get_header(wsi, WSI_TOKEN_GET_URI, uri, sizeof uri) || strcmp(uri, "/ws") != 0)
        return false;
    get_header(wsi, WSI_TOKEN_HOST, host, sizeof host);
    snprintf(own, sizeof own, "http://%s", host);
    return strcasecmp(origin, own) == 0;
}

// ---------------------------------------------------------------- the page

// the page lists hashes of its own scripts and styles, which this header allows
static const char security[] =
    "content-security-policy: default-src 'none'; script-src 'self' 'unsafe-inline'; "
    "style-src 'self' 'unsafe-inline'; img-src data: blob:; connect-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'\r\n"
    "x-content-type-options: nosniff\r\n"
    "referrer-policy: no-referrer\r\n"
    "cross-origin-opener-policy: same-origin\r\n"
    "cache-control: no-store\r\n";

static int serve_page(const pl_view_server* s, struct lws* wsi, const char* uri) {
    if (!may_enter(s, wsi)) {
        lws_return_http_status(wsi, HTTP_STATUS_FORBIDDEN, "not from here");
        return -1;
    }
    if (strcmp(uri, "/") != 0) {
        lws_return_http_status(wsi, HTTP_STATUS_NOT_FOUND, NULL);
        return -1;
    }
    int result = lws_serve_http_file(wsi, s->page, "text/html; charset=utf-8", security,
                                     (int)sizeof security - 1);
    return result < 0 || (result > 0 && lws_http_transaction_completed(wsi)) ? -1 : 0;
}

// ---------------------------------------------------------------- messages

static void receive(pl_view_server* s, struct lws* wsi, connection* c, const void* data,
                    size_t size) {
    if (c->is_too_long || size > sizeof c->message - c->message_size) {
        c->is_too_long = true;
    } else {
        memcpy(c->message + c->message_size, data, size);
        c->message_size += size;
    }
    if (!lws_is_final_fragment(wsi) || lws_remaining_packet_payload(wsi)) return;
    pl_view_message message;
    pl_error error = {0};
    if (c->is_too_long) {
        pl_view_session_refuse(s->session, c->client, "message refused: it is too long");
    } else if (pl_view_message_read(c->message, c->message_size, &message, &error) != PL_OK) {
        pl_view_session_refuse(s->session, c->client, error.text);
    } else {
        pl_view_session_post(s->session, c->client, &message);
    }
    c->message_size = 0;
    c->is_too_long = false;
}

// sends the next piece of the current message, or the first of the next message
static int send_piece(pl_view_server* s, struct lws* wsi, connection* c) {
    if (!c->blob) {
        c->blob = pl_view_session_take(s->session, c->client);
        c->sent = 0;
    }
    if (!c->blob) return 0;
    size_t left = c->blob->size - c->sent, size = left < PIECE_SIZE ? left : PIECE_SIZE;
    int first = c->blob->is_text ? LWS_WRITE_TEXT : LWS_WRITE_BINARY;
    int kind = lws_write_ws_flags(first, c->sent == 0, size == left);
    memcpy(s->piece + LWS_PRE, c->blob->data + c->sent, size);
    if (lws_write(wsi, s->piece + LWS_PRE, size, (enum lws_write_protocol)kind) < (int)size)
        return -1;
    c->sent += size;
    if (c->sent == c->blob->size) {
        pl_view_session_give_back(s->session, c->blob);
        c->blob = NULL;
    }
    lws_callback_on_writable(wsi);
    return 0;
}

static void leave(pl_view_server* s, connection* c) {
    if (c->blob) pl_view_session_give_back(s->session, c->blob);
    if (c->client >= 0) pl_view_session_leave(s->session, c->client);
    c->blob = NULL;
    c->client = -1;
}

static int handle(struct lws* wsi, enum lws_callback_reasons reason, void* user, void* in,
                  size_t size) {
    pl_view_server* s = lws_context_user(lws_get_context(wsi));
    connection* c = user;
    switch (reason) {
    case LWS_CALLBACK_HTTP: return serve_page(s, wsi, in);
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: return may_talk(s, wsi) ? 0 : -1;
    case LWS_CALLBACK_ESTABLISHED:
        c->client = pl_view_session_join(s->session);
        if (c->client < 0) return -1;
        lws_callback_on_writable(wsi);
        return 0;
    case LWS_CALLBACK_RECEIVE: receive(s, wsi, c, in, size); return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE: return c->client < 0 ? -1 : send_piece(s, wsi, c);
    case LWS_CALLBACK_CLOSED: leave(s, c); return 0;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        lws_callback_on_writable_all_protocol(lws_get_context(wsi), lws_get_protocol(wsi));
        return 0;
    default: return lws_callback_http_dummy(wsi, reason, user, in, size);
    }
}

static const struct lws_protocols protocols[] = {
    {"pliant", handle, sizeof(connection), PL_VIEW_MESSAGE_LIMIT, 0, NULL, 0},
    {NULL, NULL, 0, 0, 0, NULL, 0}};

// ---------------------------------------------------------------- start and end

static void wake(void* user) {
    const pl_view_server* s = user;
    if (s->context) lws_cancel_service(s->context);
}

static void quiet(int level, const char* line) { (void)level, (void)line; }

static pl_status make_token(pl_view_server* s, pl_error* error) {
    unsigned char bytes[TOKEN_BYTES];
    if (s->is_loopback) return PL_OK;
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return pl_fail(error, PL_ERROR_IO, "no random bytes for the token");
    for (int k = 0; k < TOKEN_BYTES; k++) snprintf(s->token + 2 * k, 3, "%02x", bytes[k]);
    return PL_OK;
}

static pl_status listen_on(pl_view_server* s, const pl_view_server_options* o, pl_error* error) {
    lws_set_log_level(LLL_ERR, quiet);
    int tried = o->any_port ? PORTS_TRIED : 1;
    for (int k = 0; k < tried && !s->context && o->port + k < 65536; k++) {
        struct lws_context_creation_info info;
        memset(&info, 0, sizeof info);
        info.port = o->port + k;
        info.iface = s->host;
        info.protocols = protocols;
        info.user = s;
        info.gid = -1;
        info.uid = -1;
        info.options = LWS_SERVER_OPTION_DISABLE_IPV6 | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND;
        info.timeout_secs = 10;
        s->context = lws_create_context(&info);
        s->port = o->port + k;
    }
    if (s->context) return PL_OK;
    return pl_fail(error, PL_ERROR_IO,
                   "%s: no port from %d to %d is free, or the host is not one "
                   "of this machine",
                   s->host, o->port, o->port + tried - 1);
}

pl_status pl_view_server_create(const pl_view_server_options* o, pl_view_server** out,
                                pl_error* error) {
    *out = NULL;
    pl_view_server* s = PL_ALLOC(pl_view_server, 1);
    if (!s) return pl_fail_memory(error, "the server");
    s->is_loopback = !o->host;
    snprintf(s->page, sizeof s->page, "%s", o->page);
    snprintf(s->host, sizeof s->host, "%s", o->host ? o->host : "127.0.0.1");
    pl_status status = make_token(s, error);
    if (status == PL_OK) status = listen_on(s, o, error);
    if (status == PL_OK)
        status = pl_view_session_create(o->scenes, o->first_scene, wake, s, &s->session, error);
    if (status != PL_OK) {
        pl_view_server_destroy(s);
        return status;
    }
    snprintf(s->address, sizeof s->address, "http://%s:%d/%s%s", s->host, s->port,
             s->token[0] ? "?token=" : "", s->token);
    *out = s;
    return PL_OK;
}

void pl_view_server_destroy(pl_view_server* s) {
    if (!s) return;
    pl_view_session_stop(s->session);
    // connections are closed before the session
    if (s->context) lws_context_destroy(s->context);
    pl_view_session_destroy(s->session);
    PL_FREE(s, pl_view_server, 1);
}

const char* pl_view_server_address(const pl_view_server* s) { return s->address; }

bool pl_view_server_serve(pl_view_server* s) { return lws_service(s->context, 0) >= 0; }
