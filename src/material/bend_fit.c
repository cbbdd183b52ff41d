// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The curvature of a surface of flat triangles is concentrated on its edges. So a plate under the
// uniform moment K has the moment L K_nn at an edge of length L, with n across the edge. These
// moments are in balance at every inner vertex, and their work is that of the plate, for any
// triangles. So the forms must give these moments for the angles that a surface of curvature K has:
//     sum over the two triangles of an edge (M G K)_edge = L K_nn     for every K
// with theta = G K (pl_patch_hinge_angles). That is three rows per edge, linear in the forms.
//
// The quadratic surface through the vertices of each patch gives a form with the right energy, but
// its moments are not in balance: on the union jack such a sheet is nearly twice too soft, its
// vertices zigzag. The form of mid-edge normals has moments in balance for its own curvature, and
// is up to twice too stiff there.
//
// Least squares by coordinate descent: one patch at a time takes its best form, if that is positive
// definite, else the nearest that is. Curvatures are written as (K_xx + K_yy, K_xx - K_yy, 2 K_xy)
// / sqrt(2): |K| is the length of that vector, and a frame turned by a turns the last two by 2 a.
// The frame of an edge has x along it.
#include "material/bend_fit.h"
#include "base/memory.h"
#include "material/bend_patch.h"
#include "math/symmetric.h"

#include <string.h>

enum { SWEEPS = 60 };
// weight of the rows that keep a form near its initial guess where the others do not determine it
static const double GUESS_WEIGHT = 0.003;
// smallest eigenvalue of a form; forms of good triangles have the trace 2
static const double MIN_EIGENVALUE = 0.03;
// stop when a sweep changes forms by less than this on average
static const double MIN_CHANGE = 2e-3;

static const int entry_row[6] = {0, 1, 2, 0, 0, 1}, entry_column[6] = {0, 1, 2, 1, 2, 2};

typedef struct fit_patch {
    int edges[3];      // -1: no hinge
    double lengths[3]; // of the edges
    double G[3][3][3]; // [i][j]: angle j of a curvature in the frame of edge i
    double guess[6];
    double inverse[36]; // of the normal matrix
} fit_patch;

typedef struct fit {
    pl_bend_sheet* sheet;
    double* residuals; // 3 per edge, over its length
    fit_patch* patches;
} fit;

// the angle of a hinge, whose own edge stands at an angle (of which cosine and sine of the double)
static void turn_row(double nn, double tn, double tt, const double twice[2], double row[3]) {
    double r = sqrt(0.5), p = -r * (nn - tt), q = r * tn;
    row[0] = r * (nn + tt);
    row[1] = p * twice[0] - q * twice[1];
    row[2] = p * twice[1] + q * twice[0];
}

static void prepare_patch(fit_patch* q, const pl_bend_part* part, const double* positions,
                          const pl_side_groups* sides) {
    pl_vec3 x[6], along[3];
    double angles[3][3];
    memset(q, 0, sizeof *q);
    memcpy(q->guess, part->form, sizeof q->guess);
    for (int i = 0; i < 6; i++) x[i] = pl_vec3_load(positions + 3 * (size_t)part->corners[i]);
    pl_vec3 normal = pl_normalize(pl_cross(pl_sub(x[1], x[0]), pl_sub(x[2], x[0])));
    for (int i = 0; i < 3; i++) {
        const int* h = pl_patch_hinge[i];
        const pl_vec3 p[4] = {x[h[0]], x[h[1]], x[h[2]], x[h[3]]};
        q->edges[i] = part->form[i] > 0.0
                          ? sides->group_of_side[3 * (size_t)part->triangles[0] + (size_t)i]
                          : -1;
        along[i] = pl_sub(p[1], p[0]);
        q->lengths[i] = pl_norm(along[i]);
        if (q->edges[i] < 0) continue;
        pl_patch_hinge_angles(p, &angles[i][0], &angles[i][1], &angles[i][2]);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            if (q->edges[i] < 0 || q->edges[j] < 0) continue;
            double c = pl_dot(along[i], along[j]), r;
            double s = pl_dot(normal, pl_cross(along[i], along[j]));
            r = c * c + s * s;
            const double twice[2] = {(c * c - s * s) / r, 2.0 * c * s / r};
            turn_row(angles[j][0], angles[j][1], angles[j][2], twice, q->G[i][j]);
        }
}

// the coefficient of entry e of a form in the row of edge i, or 0
static const double* row_of(const fit_patch* q, int e, int i) {
    int a = entry_row[e], b = entry_column[e];
    if (q->edges[a] < 0 || q->edges[b] < 0 || (i != a && i != b)) return NULL;
    return q->G[i][i == a ? b : a];
}

// the inverse of a positive definite 6 x 6 matrix by Gauss-Jordan
static void invert6(double A[36], double out[36]) {
    memset(out, 0, 36 * sizeof *out);
    for (int i = 0; i < 6; i++) out[7 * i] = 1.0;
    for (int k = 0; k < 6; k++) {
        double s = 1.0 / A[7 * k];
        for (int c = 0; c < 6; c++) A[6 * k + c] *= s, out[6 * k + c] *= s;
        for (int r = 0; r < 6; r++) {
            double factor = A[6 * r + k];
            for (int c = 0; r != k && c < 6; c++) {
                A[6 * r + c] -= factor * A[6 * k + c];
                out[6 * r + c] -= factor * out[6 * k + c];
            }
        }
    }
}

static double guess_weight(int e) { return GUESS_WEIGHT * (e < 3 ? 1.0 : 2.0); }

static void prepare_normal(fit_patch* q) {
    double A[36] = {0.0};
    for (int e = 0; e < 6; e++)
        for (int g = 0; g < 6; g++)
            for (int i = 0; i < 3; i++) {
                const double *x = row_of(q, e, i), *y = row_of(q, g, i);
                double scale = 1.0 / (q->lengths[i] * q->lengths[i]);
                for (int k = 0; x && y && k < 3; k++) A[6 * e + g] += scale * x[k] * y[k];
            }
    for (int e = 0; e < 6; e++) A[7 * e] += guess_weight(e);
    invert6(A, q->inverse);
}

static void add_form(fit* f, const fit_patch* q, const double change[6]) {
    for (int e = 0; e < 6; e++)
        for (int i = 0; i < 3; i++) {
            const double* row = row_of(q, e, i);
            for (int k = 0; row && k < 3; k++)
                f->residuals[3 * (size_t)q->edges[i] + (size_t)k] +=
                    change[e] * row[k] / q->lengths[i];
        }
}

static void find_slopes(const fit* f, const fit_patch* q, const double form[6], double slopes[6]) {
    for (int e = 0; e < 6; e++) {
        slopes[e] = guess_weight(e) * (form[e] - q->guess[e]);
        for (int i = 0; i < 3; i++) {
            const double* row = row_of(q, e, i);
            for (int k = 0; row && k < 3; k++)
                slopes[e] +=
                    row[k] / q->lengths[i] * f->residuals[3 * (size_t)q->edges[i] + (size_t)k];
        }
    }
}

// all leading minors are positive
static bool is_definite(const double A[9]) {
    double minor = A[0] * A[4] - A[1] * A[1];
    double det =
        A[8] * minor - A[5] * (A[0] * A[5] - A[1] * A[2]) + A[2] * (A[1] * A[5] - A[4] * A[2]);
    return A[0] > 0.0 && minor > 0.0 && det > 0.0;
}

// the nearest form whose eigenvalues are at least MIN_EIGENVALUE, restricted to existing hinges
static void make_definite(const fit_patch* q, double form[6]) {
    double A[9];
    for (int i = 0; i < 9; i++) A[i] = form[pl_patch_entry[i / 3][i % 3]];
    for (int i = 0; i < 3; i++) A[4 * i] -= q->edges[i] >= 0 ? MIN_EIGENVALUE : 0.0;
    if (is_definite(A)) return;
    pl_symmetric_project(3, A);
    for (int i = 0; i < 3; i++) A[4 * i] += q->edges[i] >= 0 ? MIN_EIGENVALUE : 0.0;
    for (int e = 0; e < 6; e++) form[e] = A[3 * entry_row[e] + entry_column[e]];
}

static double improve(fit* f, int p) {
    const fit_patch* q = &f->patches[p];
    double slopes[6], form[6], change[6], size = 0.0, *own = f->sheet->parts[p].form;
    find_slopes(f, q, own, slopes);
    for (int e = 0; e < 6; e++) {
        form[e] = own[e];
        for (int g = 0; g < 6; g++) form[e] -= q->inverse[6 * e + g] * slopes[g];
        if (q->edges[entry_row[e]] < 0 || q->edges[entry_column[e]] < 0) form[e] = 0.0;
    }
    make_definite(q, form);
    for (int e = 0; e < 6; e++) {
        change[e] = form[e] - own[e];
        size += fabs(change[e]);
    }
    memcpy(own, form, sizeof form);
    add_form(f, q, change);
    return size;
}

static void descend(fit* f) {
    int count = f->sheet->patch_count;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double change = 0.0;
        for (int p = 0; p < count; p++) change += improve(f, p);
        if (change <= MIN_CHANGE * count) break;
    }
}

pl_status pl_bend_fit(const double* positions, const pl_side_groups* sides, pl_bend_sheet* sheet,
                      pl_error* error) {
    size_t edges = (size_t)sides->groups.count;
    if (sheet->patch_count == 0) return PL_OK;
    fit f = {sheet, PL_ALLOC(double, 3 * edges), PL_ALLOC(fit_patch, sheet->patch_count)};
    bool ok = f.residuals && f.patches;
    for (size_t e = 0; ok && e < edges; e++) {
        // minus K_nn
        f.residuals[3 * e] = -sqrt(0.5);
        f.residuals[3 * e + 1] = sqrt(0.5);
    }
    for (int p = 0; ok && p < sheet->patch_count; p++) {
        prepare_patch(&f.patches[p], &sheet->parts[p], positions, sides);
        prepare_normal(&f.patches[p]);
        add_form(&f, &f.patches[p], sheet->parts[p].form);
    }
    if (ok) descend(&f);
    PL_FREE(f.residuals, double, 3 * edges);
    PL_FREE(f.patches, fit_patch, sheet->patch_count);
    return ok ? PL_OK : pl_fail_memory(error, "the bending of a cloth");
}
