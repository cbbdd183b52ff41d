// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S2 Fig. 6: a linear bar (Y = 1e5 Pa, nu = 0.45) that is held at one end, twisted and let go, by
// the midpoint rule with h = 0.01 s and beta = 0.01 s, on a fine and a coarse mesh; the coarse one
// also with EigenFit (10 modes) and with DAC, Young's modulus times the ratio of the first
// eigenvalues. Errors are root mean squares over time of the far corner's distance from the fine
// run. The same bar of 4 kPa, nu = 0.3, stretched by a tenth and let go (Fig. 2), which the first
// mode, a bending one, says nothing of. And a linear armadillo that is shaken (Fig. 1): root mean
// squares of the farthest vertex. --quick: a third of the time on smaller meshes.
#include "math/vec3.h"
#include "plot_svg.h"
#include "s2_fit.h"
#include "scene/scene_read.h"

#include <math.h>
#include <pliant/pliant.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_FRAMES = 300, MODES = 10 };

typedef struct setting {
    double coarse, fine; // edges [m]
    int frames;
    double young, poisson; // [Pa]
    bool is_stretched;     // or twisted
} setting;

static bool failed(const pl_error* error) {
    fprintf(stderr, "pliant-bench s2-bar: %s\n", error->text);
    return false;
}

static pl_world* make_bar(const setting* s, double edge, double young, double fine,
                          pl_error* error) {
    char text[1024], eigenfit[128] = "";
    if (fine > 0.0)
        snprintf(eigenfit, sizeof eigenfit, ", \"eigenfit\": {\"modes\": %d, \"edge\": %.9g}",
                 MODES, fine);
    int size = snprintf(
        text, sizeof text,
        "{\"pliant\": 1, \"time_step\": 0.01, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\":\n"
        " \"bar\", \"generate\": {\"shape\": \"box\", \"size_x\": 1, \"size_y\": 0.2,\n"
        " \"size_z\": 0.2, \"edge\": %.9g}, \"material\": {\"law\": \"linear\", \"young\": %.17g,\n"
        " \"poisson\": %.9g, \"density\": 1000}, \"integrator\": \"midpoint\", \"tolerance\": "
        "1e-8,\n"
        " \"linear_tolerance\": 1e-8, \"damping\": {\"stiffness\": 0.01}%s}],\n"
        " \"attachments\": [{\"body\": \"bar\", \"where\": {\"side\": \"-x\"}}]}",
        edge, young, s->poisson, eigenfit);
    pl_scene* scene = NULL;
    pl_world* world = NULL;
    pl_status status =
        pl_scene_read_memory(text, (size_t)size, "s2-bar", NULL, 0, &scene, NULL, error);
    if (status == PL_OK) pl_world_create(scene, &world, NULL, error);
    pl_scene_destroy(scene);
    return world;
}

static int far_corner(const pl_mesh* mesh) {
    int corner = 0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        const double *X = mesh->positions + 3 * (size_t)v,
                     *best = mesh->positions + 3 * (size_t)corner;
        if (X[0] + X[1] + X[2] > best[0] + best[1] + best[2]) corner = v;
    }
    return corner;
}

// Stretches by a tenth, or twists by a quarter turn at the far end; a linear law makes of it what
// it can, the same on all meshes.
static void deform(pl_world* world, bool is_stretched) {
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    double* x = pl_world_positions(world, 0);
    for (int v = 0; v < mesh->vertex_count; v++) {
        const double* X = mesh->positions + 3 * (size_t)v;
        double angle = 0.5 * PL_PI * X[0], y = X[1] - 0.1, z = X[2] - 0.1;
        if (is_stretched) {
            x[3 * v] = 1.1 * X[0];
        } else {
            x[3 * v + 1] = 0.1 + cos(angle) * y - sin(angle) * z;
            x[3 * v + 2] = 0.1 + sin(angle) * y + cos(angle) * z;
        }
    }
}

// The way of the far corner; takes the world over.
static bool run(const setting* s, pl_world* world, double* way, pl_error* error) {
    if (!world) return failed(error);
    int corner = far_corner(pl_world_mesh(world, 0));
    deform(world, s->is_stretched);
    pl_status status = PL_OK;
    for (int k = 0; status == PL_OK && k < s->frames; k++) {
        status = pl_world_step(world, NULL, error);
        for (int i = 0; i < 3; i++) way[3 * k + i] = pl_world_positions(world, 0)[3 * corner + i];
    }
    pl_world_destroy(world);
    return status == PL_OK || failed(error);
}

static double error_of(const double* way, const double* truth, int frames) {
    double sum = 0.0;
    for (int i = 0; i < 3 * frames; i++) sum += (way[i] - truth[i]) * (way[i] - truth[i]);
    return sqrt(sum / frames);
}

// The ratio of the first eigenvalues, which DAC multiplies Young's modulus by.
static double first_ratio(const setting* s, pl_error* error) {
    double frequency[2] = {NAN, NAN};
    for (int k = 0; k < 2; k++) {
        pl_world* world = make_bar(s, k ? s->fine : s->coarse, s->young, 0.0, error);
        pl_modes* modes = NULL;
        if (world && pl_world_modes(world, 0, 1, &modes, error) == PL_OK)
            frequency[k] = modes->frequency[0];
        pl_modes_destroy(modes);
        pl_world_destroy(world);
    }
    double ratio = frequency[1] / frequency[0];
    return ratio * ratio;
}

// Height of the corner and its distance from the fine run over time, into the folder PLIANT_PLOTS.
static bool write_plots(const double* const ways[4], int frames) {
    static const char* const names[] = {"fine", "coarse", "DAC", "EigenFit"};
    static double time[MAX_FRAMES], heights[4][MAX_FRAMES], errors[4][MAX_FRAMES];
    const char* folder = getenv("PLIANT_PLOTS");
    if (!folder) return true;
    plot_line height_lines[4], error_lines[4];
    for (int w = 0; w < 4; w++) {
        for (int k = 0; k < frames; k++) {
            const double *x = ways[w] + 3 * k, *truth = ways[0] + 3 * k;
            time[k] = 0.01 * (k + 1);
            heights[w][k] = x[1];
            errors[w][k] = hypot(hypot(x[0] - truth[0], x[1] - truth[1]), x[2] - truth[2]);
        }
        height_lines[w] = (plot_line){names[w], time, heights[w], frames};
        error_lines[w] = (plot_line){names[w], time, errors[w], frames};
    }
    char path[1024];
    snprintf(path, sizeof path, "%s/s2_bar_height.svg", folder);
    if (!plot_svg_write(path, "Twisted bar: far corner", "time [s]", "height [m]", height_lines, 4,
                        0.0))
        return false;
    snprintf(path, sizeof path, "%s/s2_bar_error.svg", folder);
    return plot_svg_write(path, "Twisted bar: far corner", "time [s]",
                          "distance from the fine run [m]", error_lines + 1, 3, 1e-5);
}

enum { FINE, COARSE, DAC, FIT, WAYS };

static bool run_all(const setting* s, double ratio, double ways[WAYS][3 * MAX_FRAMES],
                    pl_error* error) {
    double Y = s->young;
    return run(s, make_bar(s, s->fine, Y, 0.0, error), ways[FINE], error) &&
           run(s, make_bar(s, s->coarse, Y, 0.0, error), ways[COARSE], error) &&
           run(s, make_bar(s, s->coarse, Y, s->fine, error), ways[FIT], error) &&
           run(s, make_bar(s, s->coarse, Y * ratio, 0.0, error), ways[DAC], error);
}

// suffix: of the names of results
static bool measure(bench* b, const setting* s, const char* suffix) {
    static double ways[WAYS][3 * MAX_FRAMES];
    pl_error error = {0};
    double ratio = first_ratio(s, &error);
    if (!isfinite(ratio)) return failed(&error);
    if (!run_all(s, ratio, ways, &error)) return false;
    double of_coarse = error_of(ways[COARSE], ways[FINE], s->frames),
           of_fit = error_of(ways[FIT], ways[FINE], s->frames),
           of_dac = error_of(ways[DAC], ways[FINE], s->frames);
    const struct {
        const char *name, *unit;
        double value;
    } results[] = {{"first_ratio", "", ratio},
                   {"error_coarse", "m", of_coarse},
                   {"error_dac", "m", of_dac},
                   {"error_eigenfit", "m", of_fit},
                   {"error_eigenfit_vs_coarse", "x", of_fit / of_coarse},
                   {"error_eigenfit_vs_dac", "x", of_fit / of_dac}};
    for (int k = 0; k < 6; k++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", results[k].name, suffix);
        bench_result(b, name, results[k].value, results[k].unit, NAN);
    }
    if (s->is_stretched) return true;
    return write_plots((const double* const[]){ways[FINE], ways[COARSE], ways[DAC], ways[FIT]},
                       s->frames);
}

static bool measure_armadillo(bench* b) {
    s2_case c = s2_shaken(S2_ARMADILLO, 1e6, "linear", bench_quick(b));
    s2_errors fine, coarse, fit;
    if (!s2_run_three(&c, &fine, &coarse, &fit)) return false;
    bench_result(b, "error_coarse_armadillo", coarse.rms, "m", NAN);
    bench_result(b, "error_eigenfit_vs_coarse_armadillo", fit.rms / coarse.rms, "x", NAN);
    return true;
}

bool bench_s2_bar(bench* b) {
    setting twisted = {0.043, 0.018, MAX_FRAMES, 1e5, 0.45, false};
    if (bench_quick(b)) twisted = (setting){0.1, 0.05, 100, 1e5, 0.45, false};
    setting stretched = twisted;
    stretched.young = 4e3;
    stretched.poisson = 0.3;
    stretched.is_stretched = true;
    return measure(b, &twisted, "") && measure(b, &stretched, "_stretched") && measure_armadillo(b);
}
