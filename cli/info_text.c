// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// `pliant info` as text.
#include "info.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// 12345 as "12,345"; the last four results stay valid
static const char* grouped(int64_t value, char text[32]) {
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%lld", (long long)value), at = 0;
    for (int i = 0; i < count; i++) {
        if (i && (count - i) % 3 == 0 && digits[i - 1] != '-') text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}

// only the first line of a row has its name
static void row(const char* name) { printf("  %-12s ", name); }

static void print_counts(const info* i) {
    const pl_mesh* mesh = i->mesh;
    char a[32], b[32];
    row("vertices");
    printf("%s", grouped(mesh->vertex_count, a));
    if (mesh->tet_count)
        printf(" (%s on the surface)", grouped(i->report->surface_vertex_count, b));
    printf("\n");
    if (mesh->tet_count) {
        row("tets");
        printf("%s\n", grouped(mesh->tet_count, a));
    }
    if (mesh->triangle_count) {
        row("triangles");
        printf("%s%s", grouped(mesh->triangle_count, a), mesh->tet_count ? " marked" : "");
        if (mesh->uv_count) printf(", with %s texture coordinates", grouped(mesh->uv_count, b));
        printf("\n");
    }
}

static void print_shape(const info* i) {
    const pl_mesh_report* r = i->report;
    row("size");
    printf("%.4g x %.4g x %.4g, from (%.4g, %.4g, %.4g) to (%.4g, %.4g, %.4g)\n",
           r->high[0] - r->low[0], r->high[1] - r->low[1], r->high[2] - r->low[2], r->low[0],
           r->low[1], r->low[2], r->high[0], r->high[1], r->high[2]);
    double volume = i->mesh->tet_count ? r->quality.volume : r->enclosed_volume;
    if (!isnan(volume)) {
        row("volume");
        printf("%.6g\n", volume);
    }
    row("area");
    printf("%.6g\n", r->quality.area);
    char a[32];
    row("edges");
    printf("%s, length %.3g to %.3g, mean %.3g\n", grouped(r->quality.edge_count, a),
           r->quality.edge_min, r->quality.edge_max, r->quality.edge_mean);
}

static void print_thickness(const info* i) {
    if (!i->advice || isnan(i->advice->thin)) return;
    row("thickness");
    printf("a twentieth of the surface is thinner than %.3g, half of it than %.3g\n",
           i->advice->thin, i->advice->median);
}

static void print_quality(const info* i) {
    const pl_mesh_quality* q = &i->report->quality;
    const char* item = i->mesh->tet_count ? "tet" : "triangle";
    row("quality");
    printf("radius ratio min %.2g, 1 %% %.2f, median %.2f (worst: %s %d)\n", q->radius_ratio_min,
           q->radius_ratio_1_percent, q->radius_ratio_median, item, q->worst_element);
    row("");
    printf("%s %.3g to %.4g degrees\n", i->mesh->tet_count ? "dihedral angles" : "angles",
           q->angle_min, q->angle_max);
}

static void print_surface(const info* i) {
    const pl_mesh_report* r = i->report;
    char a[32];
    row("surface");
    printf("%s triangles, ", grouped(r->surface_triangle_count, a));
    if (r->surface_closed) printf("closed");
    else printf("open, %s hole%s", grouped(r->hole_count, a), r->hole_count == 1 ? "" : "s");
    printf(", %s", r->surface_manifold ? "manifold" : "not manifold");
    if (r->genus >= 0) printf(", genus %d", r->genus);
    if (r->surface_component_count > 1)
        printf(", %s components", grouped(r->surface_component_count, a));
    printf("\n");
    row("components");
    printf("%s\n", grouped(r->component_count, a));
}

static const char* plural(pl_element_kind kind) {
    return kind == PL_ELEMENT_VERTEX     ? "vertices"
           : kind == PL_ELEMENT_TRIANGLE ? "triangles"
                                         : "tets";
}

static void print_attached(const info* i) {
    const pl_mesh* mesh = i->mesh;
    char a[32];
    for (int k = 0; k < mesh->region_count; k++) {
        const pl_region* region = &mesh->regions[k];
        row(k ? "" : "regions");
        printf("%-20s %10s %-9s tag %d\n", region->name, grouped(region->count, a),
               plural(region->kind), region->tag);
    }
    for (int k = 0; k < mesh->field_count; k++) {
        const pl_field* field = &mesh->fields[k];
        row(k ? "" : "fields");
        printf("%-20s %d per %s\n", field->name, field->components,
               field->kind == PL_ELEMENT_VERTEX     ? "vertex"
               : field->kind == PL_ELEMENT_TRIANGLE ? "triangle"
                                                    : "tet");
    }
}

static void print_defect(const info* i, pl_defect_kind kind) {
    const pl_defect* defect = &i->report->defects[kind];
    const char* item = pl_defect_item(kind);
    char a[32];
    bool at_least = kind == PL_DEFECT_INTERSECTIONS && !i->report->intersections_complete;
    printf("%10s%s  %-36s first: %s%s %d", grouped(defect->count, a), at_least ? "+" : "",
           pl_defect_text(kind),
           kind == PL_DEFECT_INTERSECTIONS && i->mesh->tet_count ? "surface " : "", item,
           defect->first);
    if (defect->other >= 0) printf(" and %d", defect->other);
    printf("\n");
}

static void print_defects(const info* i) {
    int printed = 0;
    for (int kind = 0; kind < PL_DEFECT_COUNT; kind++) {
        if (i->report->defects[kind].count == 0) continue;
        row(printed++ ? "" : "defects");
        print_defect(i, (pl_defect_kind)kind);
    }
    if (printed == 0) {
        row("defects");
        printf("none\n");
    }
    for (int k = 0; k < pl_notes_count(i->notes); k++) {
        row(k ? "" : "notes");
        printf("%s\n", pl_notes_text(i->notes, k, NULL));
    }
}

void info_print_text(const info* i) {
    printf("%s\n", i->path);
    print_counts(i);
    if (i->mesh->tet_count || i->mesh->triangle_count) {
        print_shape(i);
        print_thickness(i);
        print_quality(i);
        print_surface(i);
    }
    print_attached(i);
    print_defects(i);
    row("verdict");
    printf("%s\n\n", i->verdict);
}
