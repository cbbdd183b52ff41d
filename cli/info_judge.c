// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The verdict of `pliant info`: what a mesh can be used for, or the command that repairs it.
#include "info.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void say(info* i, const char* format, ...) PL_PRINTF(2, 3);
static void say(info* i, const char* format, ...) {
    size_t used = strlen(i->verdict);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(i->verdict + used, sizeof i->verdict - used, format, arguments);
    va_end(arguments);
}

static int64_t count_of(const info* i, pl_defect_kind kind) {
    return i->report->defects[kind].count;
}

// lists the defects for which `wanted` is true, as in "inverted tets (3), duplicate tets (2)";
// returns how many kinds
static int say_defects(info* i, bool (*wanted)(pl_defect_kind)) {
    int said = 0;
    for (int kind = 0; kind < PL_DEFECT_COUNT; kind++)
        if (count_of(i, (pl_defect_kind)kind) && wanted((pl_defect_kind)kind))
            say(i, "%s%s (%lld)", said++ ? ", " : "", pl_defect_text((pl_defect_kind)kind),
                (long long)count_of(i, (pl_defect_kind)kind));
    return said;
}

static bool has_defect(const info* i, bool (*wanted)(pl_defect_kind)) {
    for (int kind = 0; kind < PL_DEFECT_COUNT; kind++)
        if (count_of(i, (pl_defect_kind)kind) && wanted((pl_defect_kind)kind)) return true;
    return false;
}

static bool is_fatal(pl_defect_kind kind) { return pl_defect_severity(kind) == PL_SEVERITY_FATAL; }

// Defects that `pliant mesh --repair` removes.
static bool is_mendable(pl_defect_kind kind) {
    switch (kind) {
    case PL_DEFECT_NON_FINITE:
    case PL_DEFECT_INVERTED_TETS:
    case PL_DEFECT_FLAT_TETS:
    case PL_DEFECT_EQUAL_TETS:
    case PL_DEFECT_FLAT_TRIANGLES:
    case PL_DEFECT_EQUAL_TRIANGLES:
    case PL_DEFECT_EQUAL_VERTICES:
    case PL_DEFECT_UNUSED_VERTICES:
    case PL_DEFECT_UNEVEN_EDGES:
    case PL_DEFECT_INSIDE_OUT: return true;
    default: return false;
    }
}

// Defects that remain but do not matter.
static bool is_tolerable(pl_defect_kind kind) {
    return !is_mendable(kind) && pl_defect_severity(kind) == PL_SEVERITY_WARNING;
}

// quotes the path for a shell
static void say_path(info* i) {
    if (!i->path[strspn(i->path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                 "_./+-,:@%")]) {
        say(i, "%s", i->path);
        return;
    }
    say(i, "'");
    for (const char* p = i->path; *p; p++) {
        if (*p == '\'') say(i, "'\\''");
        else say(i, "%c", *p);
    }
    say(i, "'");
}

static void say_repair(info* i) {
    say(i, "`pliant mesh ");
    say_path(i);
    say(i, " -o OUT.%s --repair`", i->mesh->tet_count ? "msh" : "obj");
}

static void say_mendable(info* i) {
    if (!has_defect(i, is_mendable)) return;
    say(i, "; ");
    say_repair(i);
    say(i, " mends ");
    say_defects(i, is_mendable);
}

static void judge_tets(info* i) {
    double worst = i->report->quality.radius_ratio_min;
    say(i, "ready to simulate");
    if (i->report->component_count > 1)
        say(i, ", in %d separate pieces", i->report->component_count);
    if (worst < 1e-3)
        say(i, ", slowly: there are slivers (radius ratio %.2g at tet %d)", worst,
            i->report->quality.worst_element);
    if (has_defect(i, is_tolerable)) {
        say(i, "; note ");
        say_defects(i, is_tolerable);
    }
    say_mendable(i);
}

static void say_fill(info* i) {
    const pl_fill_advice* a = i->advice;
    if (!a) {
        say(i, "closed surface that cannot be filled with tets: %.300s", i->no_advice);
        return;
    }
    bool works = a->edge > 0.0;
    say(i, works ? "closed surface: fill it with tets by `pliant mesh "
                 : "closed surface, too thin for even tets: where TetGen is installed, fill it by "
                   "`pliant mesh ");
    say_path(i);
    if (works) say(i, " -o OUT.msh --edge %.2g` (%d tets)", a->edge, a->tet_count);
    else say(i, " -o OUT.msh --with tetgen`");
    if (works && count_of(i, PL_DEFECT_INTERSECTIONS))
        say(i, ", which tolerates its %lld self-intersections",
            (long long)count_of(i, PL_DEFECT_INTERSECTIONS));
}

static void judge_triangles(info* i) {
    const pl_mesh_report* report = i->report;
    if (report->surface_closed) say_fill(i);
    else if (report->component_count > 1 && count_of(i, PL_DEFECT_EQUAL_VERTICES))
        say(i,
            "%d separate pieces, as triangles that meet have vertices of their own: cloth of it "
            "falls apart unless it is repaired",
            report->component_count);
    else
        say(i, "open surface with %d hole%s: ready to simulate as cloth", report->hole_count,
            report->hole_count == 1 ? "" : "s");
    say_mendable(i);
}

void info_judge(info* i) {
    i->verdict[0] = '\0';
    i->usable = !has_defect(i, is_fatal);
    if (i->mesh->tet_count == 0 && i->mesh->triangle_count == 0) {
        i->usable = false;
        say(i, "no tets and no triangles: nothing to simulate");
    } else if (!i->usable) {
        say(i, "cannot be simulated: ");
        say_defects(i, is_fatal);
        if (has_defect(i, is_mendable)) {
            say(i, "; try ");
            say_repair(i);
        }
    } else if (i->mesh->tet_count) judge_tets(i);
    else judge_triangles(i);
}
