// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Convergence of the lattice's V-cycle (Zhu 2010, Fig. 10): the factor by which one cycle reduces
// the residual; and of the methods that the paper compares it with, written down plainly in
// s4_*.c. Boxes are 32^3 cells between two held walls, from random positions, in the long run. The
// armadillo is held at hands and feet, which are pulled apart at first: typical is the mean over
// the first eight cycles, asymptotic over the last five of thirty, or of those to a residual of
// 1e-11 of the first one, below which round-off slows them; both with two cycles of each coarse
// level for one of the finer one (grid_linear.h) and recombination of the last few cycles
// (grid_recombine.h). Cycles without recombination, and V-cycles with and without it, are printed
// beside.
//
// Rows of the corotated law are in s4_corot_rates.c. The skeleton is a tree
// of capsules in the armadillo in place of the paper's human: all its cells are held, each bone
// turned about its first end; linear law, asymptotic.
#include "bench.h"
#include "math/vec3.h"
#include "s4_corot_rates.h"
#include "s4_lattice.h"
#include "s4_poisson.h"
#include "s4_staggered.h"
#include "s4_tets.h"

#include <math.h>
#include <stdio.h>

enum { CELLS = 32, SWEEPS = 2 };

static bool report(pl_status status, const char* name, const pl_error* error) {
    if (status != PL_OK) printf("%s: %s\n", name, error->text);
    return status == PL_OK;
}

static bool box_rate(bench* b, const char* name, double nu, double inertia, double paper) {
    pl_error error = {0};
    pl_grid_cells cells = {0};
    s4_lattice lattice = {0};
    pl_status status = s4_box_cells(CELLS, &cells, &error);
    if (status == PL_OK) status = s4_lattice_create(&cells, &lattice, &error);
    if (!report(status, name, &error)) return false;
    enum { CYCLES = 20 };
    double residuals[CYCLES + 1];
    lattice.mg.band_sweeps = SWEEPS;
    s4_set_material(&lattice, nu, inertia);
    s4_start_random(&lattice, 7);
    // with inertia round-off is reached sooner
    int last = inertia > 0.0 ? 10 : CYCLES;
    s4_run_cycles(&lattice, last, false, residuals);
    printf("%s: %d levels, V(1,1), %d band sweeps before and after each interior sweep\n", name,
           lattice.mg.level_count, SWEEPS);
    bench_result(b, name, s4_rate(residuals, last - 5, last), "", paper);
    s4_lattice_free(&lattice);
    return true;
}

static bool hierarchy_rate(bench* b, const char* name, pl_status status, s4_hierarchy* h,
                           const pl_error* error, int cycles, double paper) {
    if (!report(status, name, error)) return false;
    printf("%s: %d levels, %d unknowns, V(1,1), lexicographic Gauss-Seidel\n", name, h->level_count,
           h->A[0].row_count);
    bench_result(b, name, s4_hierarchy_rate(h, cycles), "", paper);
    s4_hierarchy_free(h);
    return true;
}

static bool plain_rate(bench* b, const char* name, double nu, double paper) {
    pl_error error = {0};
    pl_grid_cells cells = {0};
    s4_hierarchy h = {0};
    pl_status status = s4_box_cells(CELLS, &cells, &error);
    if (status == PL_OK)
        status = s4_staggered_hierarchy(&cells, (1.0 - 2.0 * nu) / (2.0 * nu), &h, &error);
    pl_grid_cells_free(&cells);
    return hierarchy_rate(b, name, status, &h, &error, bench_quick(b) ? 14 : 30, paper);
}

static bool tet_rate(bench* b, const char* name, double nu, double paper) {
    pl_error error = {0};
    s4_hierarchy h = {0};
    int n = bench_quick(b) ? CELLS / 2 : CELLS;
    pl_status status = s4_tet_hierarchy(n, nu, &h, &error);
    return hierarchy_rate(b, name, status, &h, &error, bench_quick(b) ? 14 : 30, paper);
}

static bool poisson_rate(bench* b) {
    pl_error error = {0};
    s4_hierarchy h = {0};
    pl_status status = s4_poisson_hierarchy(64, &h, &error);
    return hierarchy_rate(b, "poisson_64", status, &h, &error, 12, 0.19);
}

// the last cycle before round-off counts
static int last_cycle(const double* residuals, int cycles) {
    int last = cycles;
    while (last > 8 && residuals[last] < 1e-11 * residuals[0]) last--;
    return last;
}

typedef struct rates {
    double typical, asymptotic, milliseconds;
} rates;

enum { MOST_CYCLES = 30 };

// `start` puts the state of the lattice back
static rates run_rates(s4_lattice* lattice, void (*start)(s4_lattice*, const void*),
                       const void* user, int cycles, int coarse_cycles, bool recombine) {
    enum { TYPICAL = 8 };
    double residuals[MOST_CYCLES + 1], seconds = 0.0;
    pl_error ignored;
    pl_grid_linear_set_coarse_cycles(&lattice->mg, coarse_cycles, &ignored);
    start(lattice, user);
    for (int k = 0; k < PL_GRID_TIMES; k++) lattice->mg.seconds[k] = 0.0;
    s4_run_cycles(lattice, cycles, recombine, residuals);
    for (int k = 0; k < PL_GRID_TIMES; k++) seconds += lattice->mg.seconds[k];
    int last = last_cycle(residuals, cycles);
    return (rates){s4_rate(residuals, 0, TYPICAL), s4_rate(residuals, last - 5, last),
                   1e3 * seconds / cycles};
}

// Prints all kinds of cycles; returns that of two cycles of coarse levels, recombined.
static rates compare_rates(s4_lattice* lattice, const char* name,
                           void (*start)(s4_lattice*, const void*), const void* user, int cycles) {
    rates r = {0};
    lattice->mg.band_sweeps = SWEEPS;
    s4_set_material(lattice, 0.475, 0.0);
    printf("%s: %d cells free, %d levels, %d band sweeps, %d of cells that coarser levels hold, %d "
           "faces of thin parts solved\n",
           name, lattice->levels.levels[0].cell_count, lattice->mg.level_count, SWEEPS,
           lattice->mg.relocated_sweeps, lattice->mg.exact[0].face_count);
    for (int k = 0; k < 4; k++) {
        r = run_rates(lattice, start, user, cycles, k / 2 + 1, k % 2);
        printf("%s: %d cycle%s of coarse levels%s: %.3f typical, %.3f asymptotic, %.0f ms per "
               "cycle%s\n",
               name, k / 2 + 1, k < 2 ? "" : "s", k % 2 ? ", recombined" : "", r.typical,
               r.asymptotic, r.milliseconds, k % 2 ? " and those of recombination" : "");
    }
    return r;
}

static void start_pulled(s4_lattice* lattice, const void* user) {
    (void)user;
    s4_start_pulled(lattice, 10.0);
}

static void armadillo_rows(bench* b, s4_lattice* lattice) {
    rates r =
        compare_rates(lattice, "armadillo", start_pulled, NULL, bench_quick(b) ? 16 : MOST_CYCLES);
    bench_result(b, "armadillo_linear_typical", r.typical, "", 0.35);
    bench_result(b, "armadillo_linear_asymptotic", r.asymptotic, "", 0.62);
}

static bool armadillo_rates(bench* b) {
    pl_error error = {0};
    pl_grid_cells cells = {0};
    pl_grid_frame frame;
    s4_lattice lattice = {0};
    // 310 000 cells, as many as the paper's
    pl_status status =
        s4_armadillo_cells(b, bench_quick(b) ? 0.012 : 0.0061, NULL, &frame, &cells, &error);
    if (status == PL_OK) status = s4_lattice_create(&cells, &lattice, &error);
    if (!report(status, "armadillo", &error)) return false;
    armadillo_rows(b, &lattice);
    bool ok = s4_corot_rates(b, &lattice);
    s4_lattice_free(&lattice);
    return ok;
}

// ------------------------------------------------------------------ a skeleton

// Ends as parts of the bounding box.
typedef struct bone {
    double from[3], to[3];
    double turn; // about an axis along z through its first end [rad]
} bone;
static const bone bones[] = {
    {{0.50, 0.37, 0.36}, {0.50, 0.67, 0.42}, 0.0},    // spine
    {{0.50, 0.76, 0.47}, {0.50, 0.77, 0.86}, 0.3},    // head
    {{0.515, 0.35, 0.24}, {0.525, 0.325, 0.05}, 0.0}, // tail
    {{0.33, 0.71, 0.43}, {0.22, 0.72, 0.49}, 0.2},    // arms
    {{0.67, 0.72, 0.43}, {0.78, 0.73, 0.52}, -0.2},
    {{0.18, 0.74, 0.54}, {0.05, 0.80, 0.69}, 0.4}, // forearms and hands
    {{0.82, 0.74, 0.58}, {0.95, 0.79, 0.77}, -0.4},
    {{0.33, 0.33, 0.40}, {0.315, 0.22, 0.39}, 0.1}, // thighs
    {{0.71, 0.33, 0.39}, {0.75, 0.22, 0.40}, -0.1},
    {{0.32, 0.17, 0.36}, {0.31, 0.04, 0.34}, 0.2}, // shins
    {{0.75, 0.17, 0.39}, {0.78, 0.04, 0.38}, -0.2},
    {{0.31, 0.03, 0.36}, {0.28, 0.02, 0.48}, 0.2}, // feet
    {{0.78, 0.03, 0.40}, {0.83, 0.02, 0.50}, -0.2},
};
enum { BONES = sizeof bones / sizeof bones[0] };

static pl_vec3 bone_end(const pl_grid_cells* c, const double at[3]) {
    double x[3];
    for (int d = 0; d < 3; d++) x[d] = c->low[d] + at[d] * c->size[d];
    return pl_vec3_load(x);
}

typedef struct skeleton {
    pl_vec3 from[BONES], to[BONES];
    double radius;
} skeleton;

static double bone_distance(const skeleton* s, int n, pl_vec3 x) {
    pl_vec3 way = pl_sub(s->to[n], s->from[n]), d = pl_sub(x, s->from[n]);
    double t = fmin(fmax(pl_dot(d, way) / pl_dot(way, way), 0.0), 1.0);
    return pl_norm(pl_sub(d, pl_scale(t, way)));
}

// the bone nearest to a place; -1 if it is in none
static int bone_at(const skeleton* s, pl_vec3 x) {
    int nearest = -1;
    double least = s->radius;
    for (int n = 0; n < BONES; n++) {
        double distance = bone_distance(s, n, x);
        if (distance < least) least = distance, nearest = n;
    }
    return nearest;
}

// the cells of bones are held, all others not; returns how many are
static int hold_bones(const skeleton* s, pl_grid_cells* c) {
    int held = 0;
    for (size_t n = 0; n < pl_grid_cells_count(c); n++) {
        if (c->kinds[n] == PL_CELL_EXTERIOR) continue;
        int i = (int)(n % (size_t)c->size[0]), row = (int)(n / (size_t)c->size[0]);
        pl_vec3 x = {c->low[0] + i + 0.5, c->low[1] + row % c->size[1] + 0.5,
                     c->low[2] + row / c->size[1] + 0.5};
        bool inside = bone_at(s, x) >= 0;
        c->kinds[n] = inside ? PL_CELL_DIRICHLET : PL_CELL_INTERIOR;
        held += inside;
    }
    return held;
}

// where the bone of a held face takes it; 0 elsewhere
static void move_bones(const skeleton* s, s4_lattice* lattice) {
    const pl_grid_level* l = &lattice->levels.levels[0];
    for (int g = 0; g < l->segment_count; g++)
        for (int i = 0; i < l->segments[g].count * PL_GRID_CHUNK; i++)
            for (int a = 0; a < 3; a++) {
                const pl_grid_segment* r = &l->segments[g];
                lattice->state.u[a][r->begin + i] = 0.0;
                for (int side = 0; side < 2; side++) { // the two cells of the face
                    int at[3] = {r->x + i, r->y, r->z};
                    at[a] -= side;
                    int n = bone_at(s, (pl_vec3){at[0] + 0.5, at[1] + 0.5, at[2] + 0.5});
                    if (n < 0 ||
                        pl_grid_cell(&lattice->cells, at[0], at[1], at[2]) != PL_CELL_DIRICHLET)
                        continue;
                    double x = r->x + i + (a ? 0.5 : 0.0) - s->from[n].x;
                    double y = r->y + (a == 1 ? 0.0 : 0.5) - s->from[n].y;
                    double co = cos(bones[n].turn) - 1.0, si = sin(bones[n].turn);
                    const double u[3] = {co * x - si * y, si * x + co * y, 0.0};
                    lattice->state.u[a][r->begin + i] = u[a];
                }
            }
    pl_grid_substitute(l, &lattice->state);
}

static void start_skeleton(s4_lattice* lattice, const void* user) { move_bones(user, lattice); }

static bool skeleton_rate(bench* b) {
    enum { CYCLES = 14 };
    pl_error error = {0};
    pl_grid_cells cells = {0};
    pl_grid_frame frame;
    s4_lattice lattice = {0};
    skeleton s;
    pl_status status =
        s4_armadillo_cells(b, bench_quick(b) ? 0.012 : 0.0061, NULL, &frame, &cells, &error);
    int held = 0;
    if (status == PL_OK) {
        s.radius = 0.03 * cells.size[1];
        for (int n = 0; n < BONES; n++) {
            s.from[n] = bone_end(&cells, bones[n].from);
            s.to[n] = bone_end(&cells, bones[n].to);
        }
        held = hold_bones(&s, &cells);
        status = s4_lattice_create(&cells, &lattice, &error);
    }
    if (!report(status, "skeleton", &error)) return false;
    printf("skeleton: %d bones of radius %.1f cells, %d cells held\n", (int)BONES, s.radius, held);
    rates r = compare_rates(&lattice, "skeleton", start_skeleton, &s, CYCLES);
    bench_result(b, "skeleton", r.asymptotic, "", 0.24);
    s4_lattice_free(&lattice);
    return true;
}

// Inertia in units of mu / h^2, density h^2 / (mu dt^2), for a body of the paper's car (Fig. 26):
// 43 000 cells in 4 m, so cells of 8 cm; nu = 0.4; a step as long as a frame, 1/24 s. The paper
// gives no stiffness, and the rate hangs on it: the row has E = 5 kPa (jelly) and 1000 kg/m^3;
// stiffer ones are printed beside.
static double car_inertia(double young) {
    const double cell = 0.08, nu = 0.4, density = 1000.0, step = 1.0 / 24.0;
    return density * cell * cell / (young / (2.0 + 2.0 * nu) * step * step);
}

static bool dynamic_rates(bench* b) {
    static const double young[] = {1e5, 2e4, 5e3};
    for (int k = 0; k < 3; k++) {
        printf("E = %g Pa, inertia %.3f mu / h^2\n", young[k], car_inertia(young[k]));
        const char* name = k == 2 ? "dynamic" : k ? "dynamic_20kPa" : "dynamic_100kPa";
        if (!box_rate(b, name, 0.4, car_inertia(young[k]), k == 2 ? 0.08 : NAN)) return false;
    }
    return true;
}

bool bench_s4_rates(bench* b) {
    bool ok = poisson_rate(b) && plain_rate(b, "plain_nu0.2", 0.2, 0.41) &&
              plain_rate(b, "plain_nu0.475", 0.475, 0.85) &&
              plain_rate(b, "plain_nu0.49", 0.49, 0.9) && tet_rate(b, "tet_nu0.2", 0.2, 0.35) &&
              tet_rate(b, "tet_nu0.49", 0.49, 0.89) && box_rate(b, "box_nu0.2", 0.2, 0.0, 0.26) &&
              box_rate(b, "box_nu0.49", 0.49, 0.0, 0.28) &&
              box_rate(b, "box_nu0.4999", 0.4999, 0.0, NAN);
    return ok && dynamic_rates(b) && armadillo_rates(b) && skeleton_rate(b);
}
