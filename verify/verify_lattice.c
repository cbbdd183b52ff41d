// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Method grid against mechanics, as scenes run it.
#include "math/mat3.h"
#include "verify.h"

#include <complex.h>
#include <math.h>
#include <pliant/world.h>
#include <stdio.h>

static const double GRAVITY = 9.81, BAR_HEIGHT = 0.1, BAR_LENGTH = 0.8, POISSON = 0.3;
static const double DENSITY = 1000.0;
static const double BETA = 1.8751040687; // the first root of cos b cosh b = -1
static const double BAR[4] = {0.8, 0.1, 0.1, 0.1}, CUBE[4] = {0.2, 0.2, 0.2, 0.1};
static const double BLOCK[4] = {0.2, 0.1, 0.2, 0.05};

typedef struct setting {
    const char* path;
    const char* value;
} setting;

// A scene of one box in a lattice, given by its sides and the edge of its mesh, with settings; the
// last one has no path.
static pl_status make_scene(const setting* settings, const double box[4], bool holds,
                            bool has_ground, pl_scene** out, pl_error* error) {
    pl_body body = pl_default_body();
    body.name = "b";
    body.shape = PL_SHAPE_GENERATE;
    body.generate.shape = "box";
    const pl_shape_value values[] = {{.key = "size_x", .number = box[0]},
                                     {.key = "size_y", .number = box[1]},
                                     {.key = "size_z", .number = box[2]},
                                     {.key = "edge", .number = box[3]}};
    body.generate.values = values;
    body.generate.value_count = 4;
    body.method = PL_METHOD_GRID;
    pl_attachment attachment = pl_default_attachment();
    attachment.body = "b";
    attachment.where.kind = PL_SELECT_SIDE;
    attachment.where.side.face = PL_SIDE_LOW_X;
    pl_collider ground = pl_default_collider();
    ground.shape = PL_COLLIDER_PLANE;
    pl_status status = pl_scene_create(out, error);
    if (status == PL_OK) status = pl_scene_add_body(*out, &body, error);
    if (status == PL_OK && holds) status = pl_scene_add_attachment(*out, &attachment, error);
    if (status == PL_OK && has_ground) status = pl_scene_add_collider(*out, &ground, error);
    for (; status == PL_OK && settings->path; settings++)
        status = pl_scene_set(*out, settings->path, settings->value, error);
    if (status == PL_OK) status = pl_scene_resolve(*out, error);
    return status;
}

static pl_status start(const setting* settings, const double box[4], bool holds, bool has_ground,
                       pl_world** out, pl_error* error) {
    pl_scene* scene = NULL;
    *out = NULL;
    pl_status status = make_scene(settings, box, holds, has_ground, &scene, error);
    if (status == PL_OK) status = pl_world_create(scene, out, NULL, error);
    pl_scene_destroy(scene);
    return status;
}

static pl_status step(pl_world* world, int frames, int* unconverged, pl_error* error) {
    pl_status status = PL_OK;
    for (int n = 0; status == PL_OK && n < frames; n++) {
        pl_frame_info info;
        status = pl_world_step(world, &info, error);
        if (status == PL_OK) *unconverged += info.unconverged_count;
    }
    return status;
}

static pl_vec3 mean_of(const double* x, int count) {
    pl_vec3 sum = {0, 0, 0};
    for (int v = 0; v < count; v++) sum = pl_add(sum, pl_vec3_load(x + 3 * (size_t)v));
    return pl_scale(1.0 / count, sum);
}
static pl_vec3 middle_of(pl_world* world) {
    return mean_of(pl_world_positions(world, 0), pl_world_mesh(world, 0)->vertex_count);
}

const double verify_bar_sag = 0.98905, verify_bar_frequency = 1.00339;

static verify_bar_case bar_case(double young) {
    return (verify_bar_case){BAR_LENGTH, BAR_HEIGHT, young, POISSON, DENSITY, GRAVITY};
}

// Timoshenko's beam
static double beam_sag(double E) {
    const double q = DENSITY * GRAVITY * BAR_HEIGHT * BAR_HEIGHT,
                 inertia = pow(BAR_HEIGHT, 4.0) / 12.0;
    const double G = E / (2.0 + 2.0 * POISSON), A = BAR_HEIGHT * BAR_HEIGHT;
    return q * pow(BAR_LENGTH, 4.0) / (8.0 * E * inertia) +
           1.2 * q * BAR_LENGTH * BAR_LENGTH / (2.0 * G * A);
}

// Bernoulli's beam, with shear by Dunkerley's formula
static double beam_frequency(double E) {
    const double A = BAR_HEIGHT * BAR_HEIGHT, inertia = pow(BAR_HEIGHT, 4.0) / 12.0;
    const double pi = acos(-1.0), G = E / (2.0 + 2.0 * POISSON);
    const double bending = pow(BETA / BAR_LENGTH, 2.0) * sqrt(E * inertia / (DENSITY * A));
    const double shear = 0.5 * pi / BAR_LENGTH * sqrt(G / (1.2 * DENSITY));
    return 1.0 / sqrt(1.0 / (bending * bending) + 1.0 / (shear * shear)) / (2.0 * pi);
}

// what values of three meshes, each twice as fine as the one before, tend to
static double limit_of(const double v[3]) {
    return v[2] - pow(v[2] - v[1], 2.0) / (v[2] - 2.0 * v[1] + v[0]);
}

pl_status verify_bar_ratios(int cells, double* sag, double* frequency, pl_error* error) {
    const verify_bar_case c = bar_case(1e9);
    double s[3], f[3];
    for (int k = 0; k < 3; k++) {
        pl_status status = verify_bar(&c, cells << k, &s[k], &f[k], error);
        if (status != PL_OK) return status;
    }
    *sag = limit_of(s) / beam_sag(c.young);
    *frequency = limit_of(f) / beam_frequency(c.young);
    return PL_OK;
}

// Stiff, so that its end sinks by less than a thousandth of its length: both laws have the answer
// of linear elasticity then.
pl_status verify_lattice_sag(const char* law, int across, verify_answer* answer, int* unconverged,
                             pl_error* error) {
    char cell[32];
    snprintf(cell, sizeof cell, "%.17g", BAR_HEIGHT / across);
    const setting settings[] = {
        {"bodies[0].integrator", "quasistatic"}, {"bodies[0].grid.cell", cell},
        {"bodies[0].material.law", law},         {"bodies[0].material.young", "1e9"},
        {"bodies[0].material.poisson", "0.3"},   {"bodies[0].linear_tolerance", "1e-4"},
        {"bodies[0].linear_iterations", "200"},  {NULL, NULL}};
    pl_world* world;
    *unconverged = 0;
    pl_status status = start(settings, BAR, true, false, &world, error);
    if (status == PL_OK) status = step(world, 1, unconverged, error);
    answer->value = 0.0;
    for (int v = 0; status == PL_OK && v < pl_world_mesh(world, 0)->vertex_count; v++)
        answer->value = fmax(answer->value, -pl_world_positions(world, 0)[3 * (size_t)v + 1]);
    pl_world_destroy(world);
    answer->reference = verify_bar_sag * beam_sag(1e9);
    return status;
}

// How much of the first mode of a beam the edges of a bar have; the second one, and the others,
// have next to nothing of it.
static double first_mode_of(pl_world* world) {
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    const double *x = pl_world_positions(world, 0), *rest = mesh->positions;
    const double even = (cosh(BETA) + cos(BETA)) / (sinh(BETA) + sin(BETA));
    double sum = 0.0;
    for (int v = 0; v < mesh->vertex_count; v++, x += 3, rest += 3) {
        const double s = BETA * rest[0] / BAR_LENGTH;
        const bool on_edge = fabs(fabs(rest[1] - 0.5 * BAR_HEIGHT) - 0.5 * BAR_HEIGHT) < 1e-9 &&
                             fabs(fabs(rest[2] - 0.5 * BAR_HEIGHT) - 0.5 * BAR_HEIGHT) < 1e-9;
        const double weight = rest[0] > BAR_LENGTH - 1e-9 ? 0.5 : 1.0;
        if (on_edge)
            sum += weight * (cosh(s) - cos(s) - even * (sinh(s) - sin(s))) * (x[1] - rest[1]);
    }
    return sum;
}

// The time between the first two lowest places of a bar's first mode, by parabolas.
static pl_status find_period(pl_world* world, double dt, int frames, double* period,
                             pl_error* error) {
    double y[3] = {first_mode_of(world)}, first = -1.0;
    int unconverged = 0;
    pl_status status = PL_OK;
    *period = NAN;
    for (int n = 1; status == PL_OK && n <= frames && isnan(*period); n++) {
        status = step(world, 1, &unconverged, error);
        y[2] = y[1], y[1] = y[0], y[0] = first_mode_of(world);
        if (n < 2 || !(y[1] < y[0] && y[1] <= y[2])) continue;
        const double at = (n - 1 + 0.5 * (y[2] - y[0]) / (y[2] - 2.0 * y[1] + y[0])) * dt;
        if (first < 0.0) first = at;
        else *period = at - first;
    }
    return status;
}

// The frequency that BDF2 shows with another one, of which w dt = turn: z of
// (3 - 2 i turn) z^2 - 4 z + 1 = 0 turns by that much in a step.
static double true_turn(double shown) {
    double turn = shown;
    for (int k = 0; k < 20; k++) {
        const double complex bottom = 3.0 - 2.0 * turn * _Complex_I;
        turn *= shown / carg((2.0 + csqrt(4.0 - bottom)) / bottom);
    }
    return turn;
}

pl_status verify_lattice_frequency(const char* law, int across, verify_answer* answer,
                                   pl_error* error) {
    char cell[32], time_step[32];
    const double pi = acos(-1.0), dt = 1.0 / (80.0 * beam_frequency(1e6));
    answer->reference = verify_bar_frequency * beam_frequency(1e6);
    snprintf(cell, sizeof cell, "%.17g", BAR_HEIGHT / across);
    snprintf(time_step, sizeof time_step, "%.17g", dt);
    const setting settings[] = {{"bodies[0].integrator", "bdf2"},
                                {"bodies[0].grid.cell", cell},
                                {"bodies[0].material.law", law},
                                {"bodies[0].material.young", "1e6"},
                                {"bodies[0].material.poisson", "0.3"},
                                {"bodies[0].linear_tolerance", "1e-4"},
                                {"time_step", time_step},
                                {"gravity", "[0, -0.1, 0]"},
                                {NULL, NULL}};
    pl_world* world;
    double period;
    pl_status status = start(settings, BAR, true, false, &world, error);
    if (status == PL_OK) status = find_period(world, dt, 200, &period, error);
    if (status == PL_OK) answer->value = true_turn(2.0 * pi * dt / period) / (2.0 * pi * dt);
    pl_world_destroy(world);
    return status;
}

// the angular velocity that fits the velocities of the vertices best [rad/s]
static pl_vec3 spin_of(pl_world* world) {
    const int count = pl_world_mesh(world, 0)->vertex_count;
    const double *x = pl_world_positions(world, 0), *v = pl_world_velocities(world, 0);
    const pl_vec3 at = mean_of(x, count), mean = mean_of(v, count);
    pl_vec3 angular = {0, 0, 0};
    pl_mat3 inertia = {{0}}, inverse = pl_mat3_identity();
    for (int k = 0; k < count; k++) {
        const pl_vec3 r = pl_sub(pl_vec3_load(x + 3 * (size_t)k), at);
        angular = pl_add(angular, pl_cross(r, pl_sub(pl_vec3_load(v + 3 * (size_t)k), mean)));
        for (int a = 0; a < 3; a++) inertia.m[4 * a] += pl_dot(r, r);
        inertia = pl_mat3_sub(inertia, pl_outer(r, r));
    }
    pl_mat3_inverse(inertia, &inverse);
    return pl_mat3_apply(&inverse, angular);
}

// Places and velocities of vertices that are in the middle of cells, which are those of the cells:
// equal masses, as the lattice counts them.
typedef struct cell_motion {
    pl_vec3 middle, velocity; // means
    pl_vec3 angular;          // sum of r x v about the middle
} cell_motion;

static bool is_in_the_middle(const double* rest, double cell) {
    for (int a = 0; a < 3; a++)
        if (fabs(rest[a] / cell - floor(rest[a] / cell) - 0.5) > 1e-6) return false;
    return true;
}

static cell_motion motion_of_cells(pl_world* world, double cell) {
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    const double *x = pl_world_positions(world, 0), *v = pl_world_velocities(world, 0);
    cell_motion out = {0};
    pl_vec3 about_origin = {0, 0, 0};
    int count = 0;
    for (int k = 0; k < mesh->vertex_count; k++) {
        if (!is_in_the_middle(mesh->positions + 3 * (size_t)k, cell)) continue;
        const pl_vec3 at = pl_vec3_load(x + 3 * (size_t)k), speed = pl_vec3_load(v + 3 * (size_t)k);
        out.middle = pl_add(out.middle, at);
        out.velocity = pl_add(out.velocity, speed);
        about_origin = pl_add(about_origin, pl_cross(at, speed));
        count++;
    }
    out.middle = pl_scale(1.0 / count, out.middle);
    out.velocity = pl_scale(1.0 / count, out.velocity);
    out.angular = pl_madd(about_origin, -count, pl_cross(out.middle, out.velocity));
    return out;
}

// The largest distance of a vertex from where a rigid cube would be that moved by `way` and turned
// by the vector `turn` about its middle.
static double distance_from(pl_world* world, pl_vec3 turn, pl_vec3 way) {
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    const pl_vec3 middle = {0.5 * CUBE[0], 0.5 * CUBE[1], 0.5 * CUBE[2]};
    const double angle = pl_norm(turn), s = sin(0.5 * angle) / angle;
    const pl_mat3 R =
        pl_quat_to_mat3((pl_quat){s * turn.x, s * turn.y, s * turn.z, cos(0.5 * angle)});
    double largest = 0.0;
    for (int k = 0; k < mesh->vertex_count; k++) {
        const pl_vec3 r = pl_sub(pl_vec3_load(mesh->positions + 3 * (size_t)k), middle);
        const pl_vec3 to = pl_add(pl_add(middle, way), pl_mat3_apply(&R, r));
        const pl_vec3 at = pl_vec3_load(pl_world_positions(world, 0) + 3 * (size_t)k);
        largest = fmax(largest, pl_norm(pl_sub(at, to)));
    }
    return largest;
}

static const pl_vec3 SPIN = {120, 200, 40}, WAY = {0.3, -0.2, 0.1}; // [degrees/s, m/s]

static pl_status start_spin(const verify_spin_case* c, pl_world** out, pl_error* error) {
    char cell[32], time_step[32], young[32], tolerance[32];
    snprintf(cell, sizeof cell, "%.17g", CUBE[0] / c->cells);
    snprintf(time_step, sizeof time_step, "%.17g", 1.0 / c->rate);
    snprintf(young, sizeof young, "%.17g", c->young);
    snprintf(tolerance, sizeof tolerance, "%.17g", c->linear_tolerance);
    const setting settings[] = {{"bodies[0].integrator", c->integrator},
                                {"bodies[0].grid.cell", cell},
                                {"bodies[0].material.law", "corotated"},
                                {"bodies[0].material.young", young},
                                {"bodies[0].material.poisson", "0.35"},
                                {"bodies[0].linear_tolerance", tolerance},
                                {"bodies[0].velocity", "[0.3, -0.2, 0.1]"},
                                {"bodies[0].angular_velocity", "[120, 200, 40]"},
                                {"gravity", "[0, 0, 0]"},
                                {"time_step", time_step},
                                {NULL, NULL}};
    // as many cells of the mesh, each with a vertex in its middle
    const double box[4] = {CUBE[0], CUBE[1], CUBE[2], 0.9 * CUBE[0] / c->cells};
    return start(settings, box, false, false, out, error);
}

pl_status verify_lattice_spin(const verify_spin_case* c, verify_spin* out, pl_error* error) {
    const double cell = CUBE[0] / c->cells;
    const pl_vec3 spin = pl_scale(acos(-1.0) / 180.0, SPIN);
    pl_world* world;
    int unconverged = 0;
    *out = (verify_spin){0};
    pl_status status = start_spin(c, &world, error);
    if (status != PL_OK) return status;
    const cell_motion first = motion_of_cells(world, cell);
    const double fastest = pl_norm(WAY) + pl_norm(spin) * sqrt(0.75) * CUBE[0];
    for (int n = 1; status == PL_OK && n <= c->frames; n++) {
        status = step(world, 1, &unconverged, error);
        if (status != PL_OK) break;
        const double t = (double)n / c->rate;
        const pl_vec3 now = spin_of(world);
        const cell_motion m = motion_of_cells(world, cell);
        const pl_vec3 gone = pl_madd(pl_sub(m.middle, first.middle), -t, WAY);
        const pl_vec3 gained = pl_sub(m.velocity, first.velocity);
        const pl_vec3 turned = pl_sub(m.angular, first.angular);
        out->speed = fmax(out->speed, fabs(pl_norm(now) / pl_norm(spin) - 1.0));
        out->turn = fmax(out->turn, pl_norm(pl_cross(now, spin)) / pl_norm(now) / pl_norm(spin));
        out->drift = fmax(out->drift, pl_norm(gone));
        out->momentum = fmax(out->momentum, pl_norm(gained) / fastest);
        out->angular = fmax(out->angular, pl_norm(turned) / pl_norm(first.angular));
    }
    if (status == PL_OK) {
        const double t = (double)c->frames / c->rate;
        out->distance = distance_from(world, pl_scale(t, spin), pl_scale(t, WAY));
    }
    pl_world_destroy(world);
    return status;
}

pl_status verify_lattice_slide(const char* integrator, int rate, verify_answer* answer,
                               int* unconverged, pl_error* error) {
    char time_step[32];
    snprintf(time_step, sizeof time_step, "%.17g", 1.0 / rate);
    const setting settings[] = {{"bodies[0].integrator", integrator},
                                {"bodies[0].grid.cell", "0.025"},
                                {"bodies[0].material.law", "corotated"},
                                {"bodies[0].material.young", "1e6"},
                                {"bodies[0].material.poisson", "0.3"},
                                {"bodies[0].damping.stiffness", "0.001"},
                                {"bodies[0].velocity", "[2, 0, 0]"},
                                {"bodies[0].contact.thickness", "0"},
                                {"bodies[0].contact.friction", "0.3"},
                                {"colliders[0].friction", "0.3"},
                                {"colliders[0].thickness", "0"},
                                {"time_step", time_step},
                                {NULL, NULL}};
    pl_world* world;
    *unconverged = 0;
    pl_status status = start(settings, BLOCK, false, true, &world, error);
    if (status != PL_OK) return status;
    const pl_vec3 first = middle_of(world);
    status = step(world, rate * 3 / 4, unconverged, error);
    if (status == PL_OK) answer->value = middle_of(world).x - first.x;
    answer->reference = 2.0 * 2.0 / (2.0 * 0.3 * GRAVITY);
    pl_world_destroy(world);
    return status;
}
