// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// pliant render: pictures of a mesh file or of a run.
#include "base/fail.h"
#include "base/platform.h"
#include "commands.h"
#include "interrupts.h"
#include "options.h"
#include "record/movie.h"
#include "record/png_write.h"
#include "record/sheet.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pliant/status.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const verb render_verb = {
    "render",
    "FILE_OR_DIR [-o OUT] [options]",
    "pictures of a mesh file or of a run",
    "FILE_OR_DIR is a mesh file, a recording (.plr), or the folder of a run. OUT says what is "
    "made:\n"
    "  OUT.png          one picture: of a mesh, of frame --frame (the last one), or a --sheet\n"
    "  OUT.gif .mp4 .webm  a movie of all frames, where ffmpeg is installed\n"
    "  a folder         a picture of every frame\n"
    "Without -o a mesh becomes NAME.png here, and a run DIR/pictures/.\n"
    "Colours (--color-by): displacement, stretch, error (with --against), region, or the name of "
    "a\n"
    "field, for instance volume or pressure.",
    1,
    1};

typedef struct render_settings {
    const char* path;
    const char* out;
    const char *size, *range, *target, *up, *sheet;
    const char *color_by, *against, *show;
    int frame, every, samples, threads;
    double azimuth, elevation, distance, field, ground_height, rate;
    const char* texture;
    double turn;
    bool wireframe, no_ground, no_label, no_colliders, transparent, follow, flat;
    // parsed from the texts above
    pl_view view;
    pl_render_options options;
    int columns, rows;
    bool cells, contacts;
    int level; // of multigrid, 0 for none
} render_settings;

static int usage(const char* what, const char* value) {
    fprintf(stderr, "pliant render: %s, not \"%s\" (--help tells more)\n", what, value);
    return EXIT_USAGE;
}

// parses two integers separated by x
static bool parse_pair(const char* text, int* a, int* b) {
    char* end;
    long x = strtol(text, &end, 10);
    if (end == text || (*end != 'x' && *end != 'X')) return false;
    const char* second = end + 1;
    long y = strtol(second, &end, 10);
    if (end == second || *end != '\0' || x < 1 || y < 1 || x > 100000 || y > 100000) return false;
    *a = (int)x, *b = (int)y;
    return true;
}

// parses `count` numbers separated by the given character
static bool parse_numbers(const char* text, char between, double* values, int count) {
    char copy[256];
    if (strlen(text) >= sizeof copy) return false;
    strcpy(copy, text);
    char* at = copy;
    for (int i = 0; i < count; i++) {
        char* next = strchr(at, between);
        if ((next != NULL) != (i + 1 < count)) return false;
        if (next) *next = '\0';
        if (!parse_double(at, &values[i]) || !isfinite(values[i])) return false;
        at = next ? next + 1 : at;
    }
    return true;
}

// Checks that OUT can be made and that the options fit its kind. Returns EXIT_DONE, or the exit
// code after printing an error.
static int check_kind(const render_settings* s) {
    bool png = s->sheet || (s->out && pl_path_ends_in(s->out, ".png"));
    bool movie = s->out && pl_movie_handles(s->out);
    if (s->out && s->sheet && !pl_path_ends_in(s->out, ".png"))
        return usage("--sheet makes one picture; give -o a name that ends in .png", s->out);
    if (s->out && !png && !movie && looks_like_file(s->out))
        return usage("-o takes a .png, .gif, .mp4 or .webm, or a folder, with a / behind its name "
                     "if it looks like a file's",
                     s->out);
    if (s->sheet && s->frame >= 0) return usage("--frame goes with one picture", "--sheet");
    if (s->rate > 0.0 && !movie)
        return usage("--fps goes with a movie, -o x.gif, .mp4 or .webm", s->out ? s->out : "none");
    if (s->range && !s->color_by) return usage("--range goes with --color-by", s->range);
    if (s->against && (!s->color_by || strcmp(s->color_by, "error") != 0))
        return usage("--against goes with --color-by error", s->color_by ? s->color_by : "none");
    if (s->transparent && movie)
        return usage("--transparent goes with PNG pictures; a movie has a background", s->out);
    if (s->every > 1 && png) return usage("--every goes with a movie or a folder", ".png");
    return EXIT_DONE;
}

// --show; returns EXIT_DONE, or the exit code after printing an error
static int parse_show(render_settings* s) {
    if (!s->show) return EXIT_DONE;
    double level;
    s->cells = strcmp(s->show, "cells") == 0;
    s->contacts = strcmp(s->show, "contacts") == 0;
    if (strncmp(s->show, "level=", 6) == 0 && parse_double(s->show + 6, &level) && level >= 1.0 &&
        level <= 100.0 && level == floor(level))
        s->level = (int)level;
    if (!s->cells && !s->contacts && s->level == 0)
        return usage("--show takes contacts, cells, or level=1 and so on", s->show);
    if (s->level > 0 && s->color_by)
        return usage("--show level has colours of its own; leave out --color-by", s->color_by);
    bool one = s->out && pl_path_ends_in(s->out, ".png") && !s->sheet && s->frame < 0;
    if (s->cells && !one)
        return usage("cells are known of the last frame alone; take one picture, -o x.png",
                     s->sheet        ? "--sheet"
                     : s->frame >= 0 ? "--frame"
                     : s->out        ? s->out
                                     : "a picture of every frame");
    return EXIT_DONE;
}

// parses the texts of options; returns EXIT_DONE, or the exit code after printing an error
static int parse_settings(render_settings* s) {
    pl_render_options* o = &s->options;
    if (s->sheet) o->width = 480, o->height = 360;
    if (s->size && !parse_pair(s->size, &o->width, &o->height))
        return usage("--size takes pixels like 1280x720", s->size);
    if (s->sheet && !parse_pair(s->sheet, &s->columns, &s->rows))
        return usage("--sheet takes columns and rows like 4x3", s->sheet);
    double range[2] = {0};
    if (s->range && (!parse_numbers(s->range, ':', range, 2) || !(range[0] < range[1])))
        return usage("--range takes two numbers like 0:0.5, the smaller first", s->range);
    o->value_low = range[0], o->value_high = range[1];
    s->view.has_target = s->target != NULL;
    if (s->target && !parse_numbers(s->target, ',', s->view.target, 3))
        return usage("--target takes three numbers like 0,1.5,0", s->target);
    if (s->up && (strlen(s->up) != 1 || !strchr("xyz", s->up[0])))
        return usage("--up takes x, y or z", s->up);
    if (s->samples != 4 && s->samples != 8 && s->samples != 16) {
        char samples[16];
        snprintf(samples, sizeof samples, "%d", s->samples);
        return usage("--samples takes 4, 8 or 16", samples);
    }
    s->view.azimuth = s->azimuth;
    s->view.elevation = s->elevation;
    s->view.distance = s->distance;
    s->view.field = s->field;
    s->view.turn = s->turn;
    s->view.follow = s->follow;
    o->wireframe = s->wireframe;
    o->transparent = s->transparent;
    o->no_occlusion = s->flat;
    o->ground = !s->no_ground;
    o->samples = s->samples;
    int code = parse_show(s);
    return code == EXIT_DONE ? check_kind(s) : code;
}

// after Ctrl-C, complete files stay and incomplete ones are removed
static pl_status check_stop(const char* out, pl_error* error) {
    if (!stop_is_asked()) return PL_OK;
    return pl_fail(error, PL_ERROR_LIMIT, "%s: stopped before the last frame", out);
}

// index of the frame with a number, or of the last frame if none was given
static pl_status find_frame(const pl_show* show, int number, int* frame, pl_error* error) {
    int last = pl_show_frame_count(show) - 1;
    *frame = number < 0 ? last : pl_show_find(show, number);
    if (*frame >= 0) return PL_OK;
    if (number <= pl_show_number(show, last))
        return pl_fail(error, PL_ERROR_FORMAT, "frame %d is missing: it is damaged", number);
    return pl_fail(error, PL_ERROR_ARGUMENT, "there is no frame %d; it has %d frames, from 0",
                   number, last + 1);
}

// part: 0 at the first picture, 1 at the last, for a camera that turns
static pl_status draw_frame(pl_show* show, const render_settings* s, int frame, double part,
                            pl_pool* pool, pl_image* image, pl_error* error) {
    pl_render_options options = s->options;
    const pl_render_scene* scene;
    pl_status status =
        pl_show_load(show, frame, &scene, error); // reports a frame that does not exist
    if (status != PL_OK) return status;
    char label[80];
    pl_show_label(show, frame, label, sizeof label);
    options.label = label[0] && !s->no_label ? label : NULL;
    pl_show_move_camera(show, part, &options);
    return pl_render_draw(scene, &options, pool, image, error);
}

// Number of pictures of a movie or folder: the frames, or for a mesh as many as a turn takes.
static int picture_count(const pl_show* show, const render_settings* s) {
    enum { TURN = 120 };
    int count = pl_show_frame_count(show);
    return count == 1 && s->turn != 0.0 ? TURN : count;
}

static double part_of(int i, int count) { return count > 1 ? (double)i / (count - 1) : 0.0; }

static void tell_progress(int done, int count) {
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%d of %d pictures%s", done, count, done == count ? "\n" : "");
}

static pl_status write_picture(pl_show* show, const render_settings* s, const char* out,
                               pl_pool* pool, pl_image* image, pl_error* error) {
    pl_status status;
    if (s->sheet) {
        pl_image sheet;
        status = pl_sheet_draw(show, &s->options, s->columns, s->rows, !s->no_label, pool, &sheet,
                               error);
        if (status == PL_OK) status = pl_image_write_png(&sheet, pool, out, error);
        pl_image_free(&sheet);
    } else {
        int frame;
        status = find_frame(show, s->frame, &frame, error);
        render_settings own = *s;
        if (status == PL_OK) status = pl_show_aim_at(show, frame, &own.options, error);
        if (status == PL_OK)
            status = draw_frame(show, &own, frame, part_of(frame, pl_show_frame_count(show)), pool,
                                image, error);
        if (status == PL_OK) status = pl_image_write_png(image, pool, out, error);
    }
    return status;
}

static pl_status write_movie(pl_show* show, const render_settings* s, const char* out,
                             pl_pool* pool, pl_image* image, pl_error* error) {
    pl_movie* movie;
    int count = picture_count(show, s), last = pl_show_frame_count(show) - 1;
    double rate = s->rate;
    double seconds = pl_show_time(show, last) - pl_show_time(show, 0);
    // in simulated time, unless another rate is given
    if (!(rate > 0.0)) rate = seconds > 0.0 && count > 1 ? (count - 1) / seconds / s->every : 25.0;
    rate = rate < 0.1 ? 0.1 : rate > 240.0 ? 240.0 : rate;
    pl_status status =
        pl_movie_create(out, s->options.width, s->options.height, rate, &movie, error);
    for (int i = 0; status == PL_OK && i < count; i += s->every) {
        status = draw_frame(show, s, i < last ? i : last, part_of(i, count), pool, image, error);
        if (status == PL_OK) status = pl_movie_add(movie, image, error);
        // check this first, since Ctrl-C ends ffmpeg too
        if (stop_is_asked()) status = check_stop(out, error);
        tell_progress(i + 1, count);
    }
    pl_status closed = pl_movie_close(movie, status == PL_OK, status == PL_OK ? error : NULL);
    return status == PL_OK ? closed : status;
}

static pl_status write_folder(pl_show* show, const render_settings* s, const char* out,
                              pl_pool* pool, pl_image* image, pl_error* error) {
    if (pl_folder_make(out) != 0 && errno != EEXIST)
        return pl_fail(error, PL_ERROR_IO, "%s: cannot be made: %s", out, strerror(errno));
    int count = picture_count(show, s), last = pl_show_frame_count(show) - 1;
    pl_status status = PL_OK;
    for (int i = 0; status == PL_OK && i < count; i += s->every) {
        char path[4200];
        int frame = i < last ? i : last;
        snprintf(path, sizeof path, "%s/frame_%05d.png", out,
                 last > 0 ? pl_show_number(show, frame) : i);
        status = check_stop(out, error);
        if (status == PL_OK)
            status = draw_frame(show, s, frame, part_of(i, count), pool, image, error);
        if (status == PL_OK) status = pl_image_write_png(image, pool, path, error);
        tell_progress(i + 1, count);
    }
    return status;
}

// the default output file
static void default_out(const pl_show* show, const char* path, bool sheet, char* out, size_t size) {
    bool folder = pl_path_is_folder(path);
    const char* slash = pl_path_last_separator(path);
    const char* name = slash && !folder ? slash + 1 : path;
    const char* dot = strrchr(name, '.');
    if (dot && pl_path_ends_in(name, ".gz")) // name.obj.gz
        while (dot > name && dot[-1] != '.') dot--;
    int stem =
        !folder && dot && dot > name ? (int)(dot - name) - (dot[-1] == '.') : (int)strlen(name);
    if (folder) snprintf(out, size, "%s/%s", path, sheet ? "sheet.png" : "pictures");
    else if (pl_show_is_recording(show) && !sheet) snprintf(out, size, "%.*s_pictures", stem, name);
    else snprintf(out, size, "%.*s.png", stem, name);
}

static pl_status render(pl_show* show, render_settings* s, char* out, pl_pool* pool,
                        pl_error* error) {
    bool one = s->sheet || pl_path_ends_in(out, ".png");
    if (s->frame >= 0 && !one)
        return pl_fail(error, PL_ERROR_ARGUMENT, "--frame goes with one picture; give -o x.png");
    s->view.up_axis = s->up ? s->up[0] - 'x' : pl_show_up_axis(show);
    pl_status status = PL_OK;
    if (s->texture) status = pl_show_set_texture(show, s->texture, error);
    if (status == PL_OK) status = pl_show_frame_all(show, &s->view, &s->options, error);
    if (status == PL_OK && isfinite(s->ground_height)) {
        s->options.ground_height = s->ground_height;
        s->options.ground = !s->no_ground;
    }
    pl_image image = {0};
    if (status == PL_OK)
        status = pl_image_create(s->options.width, s->options.height, &image, error);
    if (status == PL_OK) {
        if (one) status = write_picture(show, s, out, pool, &image, error);
        else if (pl_movie_handles(out)) status = write_movie(show, s, out, pool, &image, error);
        else status = write_folder(show, s, out, pool, &image, error);
    }
    pl_image_free(&image);
    return status;
}

static int run_render(render_settings* s) {
    pl_notes* notes = NULL;
    pl_pool* pool = NULL;
    pl_show* show = NULL;
    pl_error error = {.status = PL_ERROR_MEMORY, .text = "out of memory"};
    pl_status status = pl_notes_create(&notes);
    catch_interrupts();
    if (status == PL_OK) status = pl_pool_create(s->threads, &pool, &error);
    if (status == PL_OK)
        status = pl_show_open(s->path, s->color_by, s->against, &show, notes, &error);
    if (status == PL_OK && !s->no_colliders)
        status = pl_show_add_colliders(show, s->path, notes, &error);
    if (status == PL_OK && s->level > 0)
        status = pl_show_set_level(show, s->path, s->level, notes, &error);
    if (status == PL_OK && s->contacts) status = pl_show_add_contacts(show, s->path, &error);
    if (status == PL_OK && s->cells) {
        int frame;
        status = pl_show_add_cells(show, s->path, &frame, notes, &error);
        if (status == PL_OK) s->frame = pl_show_number(show, frame);
    }
    char out[4096];
    if (status == PL_OK) {
        if (s->out) snprintf(out, sizeof out, "%s", s->out);
        else default_out(show, s->path, s->sheet != NULL, out, sizeof out);
        status = render(show, s, out, pool, &error);
    }
    report_notes(&render_verb, notes);
    if (status == PL_OK) printf("%s\n", out);
    int code = status == PL_OK ? EXIT_DONE : report_error(&render_verb, &error);
    pl_show_close(show);
    pl_pool_destroy(pool);
    pl_notes_destroy(notes);
    return code;
}

static render_settings default_settings(void) {
    render_settings s = {.view = pl_default_view(),
                         .options = pl_default_render_options(),
                         .frame = -1,
                         .every = 1,
                         .samples = 4,
                         .ground_height = NAN};
    s.azimuth = s.view.azimuth, s.elevation = s.view.elevation, s.field = s.view.field;
    return s;
}

int cmd_render(int argc, char** argv) {
    render_settings s = default_settings();
    const option options[] = {
        {"-o", "OUT", OPTION_TEXT, &s.out, "what to write: .png, .gif, .mp4, .webm, or a folder",
         ANY},
        {"--size", "WxH", OPTION_TEXT, &s.size, "pixels of each picture (1280x720)", ANY},
        {"--frame", "N", OPTION_INT, &s.frame, "the frame of a single picture, from 0 (the last)",
         0, INT_MAX},
        {"--every", "N", OPTION_INT, &s.every, "take every Nth frame (1)", 1, INT_MAX},
        {"--sheet", "CxR", OPTION_TEXT, &s.sheet, "one picture of C x R frames", ANY},
        {"--fps", "RATE", OPTION_DOUBLE, &s.rate, "pictures per second of a movie (real time)", 0.1,
         240.0},
        {"--color-by", "WHAT", OPTION_TEXT, &s.color_by, "colours by a quantity, with a legend",
         ANY},
        {"--range", "LOW:HIGH", OPTION_TEXT, &s.range, "values at the ends of the colours (all)",
         ANY},
        {"--against", "DIR", OPTION_TEXT, &s.against, "the run that --color-by error compares with",
         ANY},
        {"--show", "WHAT", OPTION_TEXT, &s.show,
         "contacts; cells: the lattice of method grid, at the end; level=N: coarse nodes", ANY},
        {"--texture", "FILE.png", OPTION_TEXT, &s.texture,
         "a picture on bodies that have texture coordinates", ANY},
        {"--transparent", NULL, OPTION_FLAG, &s.transparent,
         "PNG pictures of bodies and shadows with nothing behind them", ANY},
        {"--flat", NULL, OPTION_FLAG, &s.flat, "crevices are as light as open places", ANY},
        {"--wireframe", NULL, OPTION_FLAG, &s.wireframe, "draw edges", ANY},
        {"--azimuth", "DEG", OPTION_DOUBLE, &s.azimuth, "turn the camera around the object (30)",
         -1e6, 1e6},
        {"--turn", "DEG", OPTION_DOUBLE, &s.turn,
         "turn on by so much until the last picture (a mesh: in 120 pictures)", -1e6, 1e6},
        {"--follow", NULL, OPTION_FLAG, &s.follow, "the camera moves along with the bodies", ANY},
        {"--elevation", "DEG", OPTION_DOUBLE, &s.elevation, "camera above the horizon (18)", -90.0,
         90.0},
        {"--distance", "M", OPTION_DOUBLE, &s.distance, "camera from its target (shows all)",
         ABOVE_ZERO, DBL_MAX},
        {"--target", "X,Y,Z", OPTION_TEXT, &s.target, "what the camera looks at (the middle)", ANY},
        {"--field", "DEG", OPTION_DOUBLE, &s.field, "opening of the camera (28)", 1.0, 150.0},
        {"--up", "AXIS", OPTION_TEXT, &s.up, "x, y or z (y; of a run: that of its scene)", ANY},
        {"--ground", "HEIGHT", OPTION_DOUBLE, &s.ground_height,
         "height of the ground (a flat plane of the scene; a mesh's lowest point)", ANY},
        {"--no-ground", NULL, OPTION_FLAG, &s.no_ground, "no ground and no shadow on it", ANY},
        {"--no-colliders", NULL, OPTION_FLAG, &s.no_colliders, "only the bodies of a run", ANY},
        {"--no-label", NULL, OPTION_FLAG, &s.no_label, "no frame number and time", ANY},
        {"--samples", "N", OPTION_INT, &s.samples, "per pixel: 4, 8 or 16 (4)", ANY},
        {"--threads", "N", OPTION_INT, &s.threads, "threads (0: all)", 0, 1024},
    };
    const char* arguments[1];
    int argument_count, exit_code;
    if (!parse_options(&render_verb, options, sizeof options / sizeof options[0], argc, argv,
                       arguments, &argument_count, &exit_code))
        return exit_code;
    s.path = arguments[0];
    exit_code = parse_settings(&s);
    return exit_code == EXIT_DONE ? run_render(&s) : exit_code;
}
