// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "contact/contact_report.h"

#include <stdlib.h>
#include <string.h>

pl_contact_report pl_report_of_pair(const int v[4], bool is_edges, const double weights[4],
                                    pl_vec3 normal, const double* x) {
    pl_contact_report report = {.first_count = is_edges ? 2 : 1, .obstacle = -1, .normal = normal};
    pl_vec3 apart = {0, 0, 0};
    memcpy(report.v, v, sizeof report.v);
    for (int i = 0; i < 4; i++) {
        const pl_vec3 at = pl_vec3_load(x + 3 * (size_t)v[i]);
        // halfway between the two closest points
        report.point =
            pl_madd(report.point, 0.5 * (i < report.first_count ? 1.0 : -1.0) * weights[i], at);
        apart = pl_madd(apart, weights[i], at);
    }
    report.distance = pl_norm(apart);
    return report;
}

static int compare_pairs(const void* a, const void* b) {
    const pl_contact_report *x = a, *y = b;
    if (x->first_count != y->first_count) return x->first_count - y->first_count;
    for (int i = 0; i < 4; i++)
        if (x->v[i] != y->v[i]) return x->v[i] < y->v[i] ? -1 : 1;
    return 0;
}

static int compare(const void* a, const void* b) {
    const int pairs = compare_pairs(a, b);
    return pairs ? pairs
                 : ((const pl_contact_report*)a)->order - ((const pl_contact_report*)b)->order;
}

void pl_reports_join(pl_array* reports, size_t first) {
    if (reports->count <= first + 1) return;
    pl_contact_report* all = (pl_contact_report*)reports->data + first;
    const size_t count = reports->count - first;
    qsort(all, count, sizeof *all, compare);
    size_t kept = 0;
    for (size_t k = 1; k < count; k++) {
        if (compare_pairs(&all[kept], &all[k]) == 0)
            all[k].force = pl_add(all[kept].force, all[k].force);
        else kept++;
        all[kept] = all[k];
    }
    reports->count = first + kept + 1;
}
