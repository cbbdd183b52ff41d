// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// pliant view [SCENE | DIR]: shows a scene or a run in the browser.
#include "commands.h"
#include "interrupts.h"
#include "options.h"

#include <stdio.h>
#ifdef PLIANT_HAS_VIEW
#include "view_server.h"

#include <pliant/scene.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#endif

typedef struct view_options {
    const char *host, *page, *scenes;
    text_list overrides;
    int port;
    bool no_open;
} view_options;

static const verb view_verb = {
    "view",
    "[SCENE | DIR] [options]",
    "shows a scene or a run in the browser",
    "A scene, or a mesh alone, is simulated live: grab it with the mouse, change its settings.\n"
    "The folder of a run is played. Without either, the page lists the scenes that come with "
    "pliant. The address is "
    "on\n"
    "stdout; pages of this machine only are served unless --host is given.",
    0,
    1};

// the scene or folder, or NULL
static bool parse_view(int argc, char** argv, const char** scene, view_options* o, int* code) {
    const option table[] = {
        {"--set", "PATH=VALUE", OPTION_TEXT_LIST, &o->overrides,
         "changes one value of the scene; may be repeated", ANY},
        {"--port", "N", OPTION_INT, &o->port, "this port; else 7780 or the next free one", 1,
         65535},
        {"--host", "ADDRESS", OPTION_TEXT, &o->host,
         "serves other machines too, on this address of ours; the page's address has a token then",
         ANY},
        {"--scenes", "DIR", OPTION_TEXT, &o->scenes, "lists the scenes of this folder", ANY},
        {"--page", "FILE", OPTION_TEXT, &o->page, "another page than that of `make view`", ANY},
        {"--no-open", NULL, OPTION_FLAG, &o->no_open, "does not open a browser", ANY},
    };
    int count;
    *scene = NULL;
    return parse_options(&view_verb, table, sizeof table / sizeof table[0], argc, argv, scene,
                         &count, code);
}

#ifdef PLIANT_HAS_VIEW
static bool is_there(const char* path) {
    struct stat info;
    return stat(path, &info) == 0;
}

// A file or folder that comes with the command: in the source tree of a build, or under the prefix
// of an installation.
static bool find_beside(const char* const* places, char* out, size_t size) {
    char own[3000];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length <= 0) return false;
    own[length] = '\0';
    char* slash = strrchr(own, '/');
    if (!slash) return false;
    *slash = '\0';
    for (; *places; places++) {
        int used = snprintf(out, size, "%s/%s", own, *places);
        if (used < (int)size && is_there(out)) return true;
    }
    return false;
}

static bool find_page(const view_options* o, char* out, size_t size) {
    static const char* const places[] = {"../../view/view.html", "../share/pliant/view.html", NULL};
    if (!o->page) return find_beside(places, out, size);
    snprintf(out, size, "%s", o->page);
    return is_there(out);
}

static pl_status list_scenes(const view_options* o, const char* first, pl_view_scenes* scenes,
                             pl_error* error) {
    static const char* const places[] = {"../../../scenes", "../share/pliant/scenes", NULL};
    char folder[4096];
    pl_status status = PL_OK;
    if (first)
        status = pl_view_scenes_add(scenes, first, o->overrides.items, o->overrides.count, error);
    if (status == PL_OK && o->scenes) return pl_view_scenes_add_folder(scenes, o->scenes, error);
    if (status == PL_OK && find_beside(places, folder, sizeof folder))
        return pl_view_scenes_add_folder(scenes, folder, error);
    return status;
}

// Reports a mistake in a scene before a page opens.
static pl_status try_scene(const view_options* o, const pl_view_scene* scene, pl_error* error) {
    if (scene->is_recording) return PL_OK;
    pl_scene* read;
    pl_status status =
        pl_scene_read(scene->path, o->overrides.items, o->overrides.count, &read, NULL, error);
    if (status == PL_OK) pl_scene_destroy(read);
    return status;
}

// opens the browser if there is a desktop
static void open_browser(const char* address) {
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) return;
    if (fork() != 0) return;
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(1);
    execlp("xdg-open", "xdg-open", address, (char*)NULL);
    _exit(1);
}

static int serve(const verb* v, const view_options* o, const char* page,
                 const pl_view_scenes* scenes, int first) {
    pl_view_server* server;
    pl_error error = {0};
    pl_view_server_options options = {.page = page,
                                      .host = o->host,
                                      .port = o->port ? o->port : 7780,
                                      .any_port = o->port == 0,
                                      .scenes = scenes,
                                      .first_scene = first};
    pl_status status = pl_view_server_create(&options, &server, &error);
    if (status != PL_OK) {
        error.status = status;
        return report_error(v, &error);
    }
    printf("%s\n", pl_view_server_address(server));
    fprintf(stderr, "pliant view: open the address above; Ctrl-C ends\n");
    fflush(stdout);
    if (!o->no_open) open_browser(pl_view_server_address(server));
    while (!stop_is_asked() && pl_view_server_serve(server)) {}
    pl_view_server_destroy(server);
    return EXIT_DONE;
}

int cmd_view(int argc, char** argv) {
    view_options o = {0};
    const char* scene;
    char page[4096];
    int code;
    if (!parse_view(argc, argv, &scene, &o, &code)) return code;
    if (!find_page(&o, page, sizeof page)) {
        fprintf(stderr,
                "pliant view: the page is not built; run `make view` where pliant's source is%s\n",
                o.page ? ", or give --page a file that is there" : "");
        return EXIT_USAGE;
    }
    catch_interrupts();
    pl_view_scenes scenes = pl_view_scenes_begin();
    pl_error error = {0};
    pl_status status = list_scenes(&o, scene, &scenes, &error);
    if (status == PL_OK && scene) status = try_scene(&o, pl_view_scenes_at(&scenes, 0), &error);
    error.status = status;
    code = status == PL_OK ? serve(&view_verb, &o, page, &scenes, scene ? 0 : -1)
                           : report_error(&view_verb, &error);
    pl_view_scenes_free(&scenes);
    return code;
}
#else
int cmd_view(int argc, char** argv) {
    view_options o = {0};
    const char* scene;
    int code;
    if (!parse_view(argc, argv, &scene, &o, &code)) return code;
    fprintf(stderr, "pliant view: this pliant was built without libwebsockets; `make view` where "
                    "pliant's source is installs it (Debian: libwebsockets-dev) and builds the "
                    "page\n");
    return EXIT_USAGE;
}
#endif
