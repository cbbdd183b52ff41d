// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S3 Fig. 10: a round rod, held at one end, bends under its weight. The ratio of height H to width
// W of its axis at rest depends on Gamma = rho A g L^3 / (E I) alone, which for a disc of radius r
// is 4 rho g L^3 / (E r^2): the master curve of Romero et al. 2021, here the heavy elastica
//
//   theta'' = -Gamma (1 - s) cos theta,   theta(0) = 0, theta'(1) = 0.
//
// The paper has a factor 1 - nu^2 in Gamma, which is that of a plate that cannot contract sideways.
// A rod can, so it is left out here.
//
// Per Poisson's ratio: the largest relative error of H/W over Gamma = 1, 3, 10 (L/r = 40) and
// 30, 100 (L/r = 100) on the finest mesh (8 cells across), mixed beside fem; iterations of Newton
// from the straight rod at Gamma = 1 until H/W is within 1 % of where it ends, at most 150.
// `order` is from square bars of 20 sides, 4, 6 and 9 cells across, at nu = 0.4999, as their meshes
// are similar. --quick: Gamma = 1, nu = 0.49 and 0.4999, coarser meshes.
#include "math/vec3.h"
#include "s3_world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char NAME[] = "s3-cantilever";
static const double YOUNG = 1e6, DENSITY = 1e3; // radius 1 m
enum { MAX_GAMMAS = 5, MAX_ITERATIONS = 150 };

// ---------------------------------------------------------------- the master curve

// From the free end, where the axis is phi off the vertical, to the clamp; returns the angle there.
// phi'' = Gamma u sin phi over u = 1 - s, by the leapfrog rule.
static double integrate(double gamma, double phi, double* height, double* width) {
    enum { STEPS = 4000 };
    double h = 1.0 / STEPS, rate = 0.0;
    *height = *width = 0.0;
    for (int k = 0; k < STEPS; k++) {
        double u = k * h;
        rate += 0.5 * h * gamma * u * sin(phi);
        double middle = phi + 0.5 * h * rate;
        *height += h * cos(middle);
        *width += h * sin(middle);
        phi += h * rate;
        rate += 0.5 * h * gamma * (u + h) * sin(phi);
    }
    return phi;
}

static double master_curve(double gamma) {
    double low = 1e-12, high = 1.6, height, width; // of phi at the free end
    for (int k = 0; k < 100; k++) {
        double middle = sqrt(low * high);
        if (integrate(gamma, middle, &height, &width) < 0.5 * PL_PI) low = middle;
        else high = middle;
    }
    return height / width;
}

// ---------------------------------------------------------------- rods

typedef struct rod {
    double length, edge; // of radius 1
    double nu;
    const char* method;
    int cells; // above 0: a square bar of so many cells across its side of 2 m, for `order`
} rod;

// One iteration of Newton a frame, so that each can be looked at.
static pl_world* make_rod(const rod* r) {
    char shape[200];
    if (r->cells)
        snprintf(shape, sizeof shape,
                 "\"box\", \"size_x\": 2, \"size_y\": 2, \"size_z\": %g, \"count_x\": %d, "
                 "\"count_y\": %d, \"count_z\": %d",
                 r->length, r->cells, r->cells, (int)(0.5 * r->length) * r->cells);
    else
        snprintf(shape, sizeof shape, "\"cylinder\", \"radius\": 1, \"height\": %g, \"edge\": %g",
                 r->length, r->edge);
    return s3_world(
        NAME,
        "{\"pliant\": 1, \"time_step\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": "
        "\"rod\", \"method\": \"%s\", \"generate\": {\"shape\": %s}, \"material\": {\"law\": "
        "\"stable_neohookean\", \"young\": %g, \"poisson\": %g, \"density\": %g}, "
        "\"integrator\": \"quasistatic\", \"linear\": \"multigrid\", \"tolerance\": 1e-4, "
        "\"iterations\": 1}], \"attachments\": [{\"body\": \"rod\", \"where\": {\"side\": "
        "\"-z\"}}]}",
        r->method, shape, YOUNG, r->nu, DENSITY);
}

// of the axis' end: the mean of the free end's vertices
static double ratio_of(pl_world* world, double length) {
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    const double* x = pl_world_positions(world, 0);
    double height = 0.0, width = 0.0;
    for (int v = 0; v < mesh->vertex_count; v++)
        if (mesh->positions[3 * (size_t)v + 2] > length - 1e-6)
            height += mesh->positions[3 * (size_t)v + 1] - x[3 * (size_t)v + 1],
                width += x[3 * (size_t)v + 2];
    return height / width;
}

static bool set_gamma(pl_world* world, double length, double gamma) {
    double g = gamma * YOUNG / (4.0 * DENSITY * length * length * length);
    return pl_world_set(world, "gravity[1]", -g, NULL) == PL_OK;
}

typedef struct rest {
    double ratio; // H/W
    int to_one_percent, iterations;
} rest;

static bool settle(pl_world* world, double length, rest* out) {
    double way[MAX_ITERATIONS];
    int count = 0;
    pl_frame_info info = {.unconverged_count = 1};
    while (info.unconverged_count && count < MAX_ITERATIONS) {
        if (!s3_step(NAME, world, &info)) return false;
        way[count++] = ratio_of(world, length);
    }
    out->ratio = way[count - 1];
    out->iterations = out->to_one_percent = count;
    while (out->to_one_percent > 1 && fabs(way[out->to_one_percent - 2] / out->ratio - 1.0) <= 0.01)
        out->to_one_percent--;
    return true;
}

// at each gamma, one after the other
static bool bend(const rod* r, const double* gammas, int count, rest* out) {
    pl_world* world = make_rod(r);
    bool ok = world != NULL;
    for (int k = 0; ok && k < count; k++) {
        double start = s3_cpu_seconds();
        ok = set_gamma(world, r->length, gammas[k]) && settle(world, r->length, &out[k]);
        if (!ok) break;
        printf("  %-5s nu %-7g gamma %-3g H/W %.4f (%.4f), %d iterations (%d to 1 %%), %.1f s\n",
               r->method, r->nu, gammas[k], out[k].ratio, master_curve(gammas[k]),
               out[k].iterations, out[k].to_one_percent, s3_cpu_seconds() - start);
        fflush(stdout);
    }
    pl_world_destroy(world);
    return ok;
}

// ---------------------------------------------------------------- results

typedef struct setting {
    double edge_short, edge_long;
    int short_count, gamma_count; // of GAMMAS: on the short rod, on both
} setting;
static const double GAMMAS[MAX_GAMMAS] = {1.0, 3.0, 10.0, 30.0, 100.0};

static bool compare(bench* b, const setting* s, const char* method, double nu) {
    rest rests[MAX_GAMMAS];
    rod r = {40.0, s->edge_short, nu, method, 0}, slender = {100.0, s->edge_long, nu, method, 0};
    int more = s->gamma_count - s->short_count;
    if (!bend(&r, GAMMAS, s->short_count, rests) ||
        (more > 0 && !bend(&slender, GAMMAS + s->short_count, more, rests + s->short_count)))
        return false;
    double worst = 0.0;
    for (int k = 0; k < s->gamma_count; k++)
        worst = fmax(worst, fabs(rests[k].ratio / master_curve(GAMMAS[k]) - 1.0));
    char name[32];
    snprintf(name, sizeof name, "error_%s", method);
    s3_result_nu(b, name, nu, worst, "");
    snprintf(name, sizeof name, "iterations_%s", method);
    s3_result_nu(b, name, nu, rests[0].to_one_percent, "");
    return true;
}

// p with (h0^p - h1^p) / (h1^p - h2^p) = quotient; h = 1 / cells.
static double order_of(const int cells[3], double quotient) {
    double low = 0.1, high = 6.0;
    for (int k = 0; k < 60; k++) {
        double p = 0.5 * (low + high), h[3];
        for (int i = 0; i < 3; i++) h[i] = pow(cells[i], -p);
        if ((h[0] - h[1]) / (h[1] - h[2]) < quotient) low = p;
        else high = p;
    }
    return 0.5 * (low + high);
}

// Of the differences between meshes, so that the bar's own distance from its axis' theory is out.
static bool find_order(bench* b) {
    static const int coarse[3] = {3, 4, 6}, fine[3] = {4, 6, 9};
    const int* cells = bench_quick(b) ? coarse : fine;
    static const double gamma = 1.0; // of a round rod, which is what set_gamma thinks of
    // As long as the round rods: of short bars the clamp, with its singular edge, is a larger part.
    rest rests[3];
    for (int k = 0; k < 3; k++) {
        rod r = {40.0, 0.0, 0.4999, "mixed", cells[k]};
        if (!bend(&r, &gamma, 1, &rests[k])) return false;
    }
    double quotient = (rests[1].ratio - rests[0].ratio) / (rests[2].ratio - rests[1].ratio);
    bench_result(b, "order", order_of(cells, quotient), "", NAN);
    return true;
}

// Parts: order_nu0.4999, mixed_nu0.49 .. mixed_nu0.5, fem_nu0.49 .. fem_nu0.49999.
static bool wanted(const bench* b, const char* name, double nu) {
    char text[64];
    snprintf(text, sizeof text, "%s_nu%g", name, nu);
    return !bench_part(b) || strcmp(bench_part(b), text) == 0;
}

bool bench_s3_cantilever(bench* b) {
    static const double nus[] = {0.49, 0.499, 0.4999, 0.49999, 0.5};
    setting s = bench_quick(b) ? (setting){0.4, 0.0, 1, 1} : (setting){0.25, 0.25, 3, 5};
    int step = bench_quick(b) ? 2 : 1;
    bool ok = !wanted(b, "order", 0.4999) || find_order(b);
    for (int k = 0; ok && k < (bench_quick(b) ? 3 : 5); k += step)
        ok = !wanted(b, "mixed", nus[k]) || compare(b, &s, "mixed", nus[k]);
    for (int k = 0; ok && k < 4; k += step)
        ok = !wanted(b, "fem", nus[k]) || compare(b, &s, "fem", nus[k]);
    return ok;
}
