// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Convergence of the lattice's V-cycle (Zhu 2010, Fig. 10): the factor by which one cycle reduces
// the residual; and of the methods that the paper compares it with, written down plainly in
// s4_*.c. Boxes are 32^3 cells between two held walls, from random positions, in the long run. The
// armadillo is held at hands and feet, which are pulled apart at first: typical is the mean over
// the first eight cycles, asymptotic over the last five of thirty; both with recombination of the
// last five cycles (grid_recombine.h), the plain cycle is printed beside.
#include "bench.h"
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

static void armadillo_rows(bench* b, s4_lattice* lattice) {
    enum { TYPICAL = 8 };
    int last = bench_quick(b) ? 16 : 30;
    double plain[31], combined[31];
    lattice->mg.band_sweeps = SWEEPS;
    s4_set_material(lattice, 0.475, 0.0);
    s4_start_pulled(lattice, 10.0);
    s4_run_cycles(lattice, last, false, plain);
    s4_start_pulled(lattice, 10.0);
    s4_run_cycles(lattice, last, true, combined);
    printf("armadillo: %d cells, %d levels, %d band sweeps; without recombination %.3f typical, "
           "%.3f asymptotic\n",
           lattice->mg.levels[0].cell_count, lattice->mg.level_count, SWEEPS,
           s4_rate(plain, 0, TYPICAL), s4_rate(plain, last - 5, last));
    bench_result(b, "armadillo_linear_typical", s4_rate(combined, 0, TYPICAL), "", 0.35);
    bench_result(b, "armadillo_linear_asymptotic", s4_rate(combined, last - 5, last), "", 0.62);
}

static bool armadillo_rates(bench* b) {
    pl_error error = {0};
    pl_grid_cells cells = {0};
    pl_grid_frame frame;
    s4_lattice lattice = {0};
    // 310 000 cells, as many as the paper's
    pl_status status =
        s4_armadillo_cells(bench_quick(b) ? 0.012 : 0.0061, NULL, &frame, &cells, &error);
    if (status == PL_ERROR_IO) {
        printf("armadillo_linear_typical, armadillo_linear_asymptotic: skipped, %s\n", error.text);
        return true;
    }
    if (status == PL_OK) status = s4_lattice_create(&cells, &lattice, &error);
    if (!report(status, "armadillo", &error)) return false;
    armadillo_rows(b, &lattice);
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
    return ok && dynamic_rates(b) && armadillo_rates(b);
}
