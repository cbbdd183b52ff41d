// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The mesh doctor: measures a mesh, finds its defects and repairs what can be repaired.
#ifndef PLIANT_MESH_CHECK_H
#define PLIANT_MESH_CHECK_H

#include <pliant/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pl_severity {
    PL_SEVERITY_INFO,    ///< worth knowing, harmless
    PL_SEVERITY_WARNING, ///< can be simulated, but should be examined
    PL_SEVERITY_FATAL,   ///< cannot be simulated
} pl_severity;

// code, JSON name, text for many, what the index counts, severity
#define PL_DEFECT_LIST(X)                                                                          \
    X(PL_DEFECT_NON_FINITE, "non_finite_vertices", "vertices that are not finite", "vertex",       \
      PL_SEVERITY_FATAL)                                                                           \
    X(PL_DEFECT_INVERTED_TETS, "inverted_tets", "inverted tets", "tet", PL_SEVERITY_FATAL)         \
    X(PL_DEFECT_FLAT_TETS, "degenerate_tets", "degenerate tets", "tet", PL_SEVERITY_FATAL)         \
    X(PL_DEFECT_EQUAL_TETS, "duplicate_tets", "duplicate tets", "tet", PL_SEVERITY_FATAL)          \
    X(PL_DEFECT_CROWDED_FACES, "non_manifold_faces", "faces of three or more tets", "tet",         \
      PL_SEVERITY_FATAL)                                                                           \
    X(PL_DEFECT_FLAT_TRIANGLES, "degenerate_triangles", "degenerate triangles", "triangle",        \
      PL_SEVERITY_WARNING)                                                                         \
    X(PL_DEFECT_EQUAL_TRIANGLES, "duplicate_triangles", "duplicate triangles", "triangle",         \
      PL_SEVERITY_WARNING)                                                                         \
    X(PL_DEFECT_EQUAL_VERTICES, "duplicate_vertices", "vertices at the same place", "vertex",      \
      PL_SEVERITY_WARNING)                                                                         \
    X(PL_DEFECT_CLOSE_VERTICES, "close_vertices", "vertices closer than the tolerance", "vertex",  \
      PL_SEVERITY_WARNING)                                                                         \
    X(PL_DEFECT_UNUSED_VERTICES, "unreferenced_vertices", "unreferenced vertices", "vertex",       \
      PL_SEVERITY_WARNING)                                                                         \
    X(PL_DEFECT_NON_MANIFOLD_EDGES, "non_manifold_edges", "non-manifold surface edges", "vertex",  \
      PL_SEVERITY_WARNING)                                                                         \
    X(PL_DEFECT_NON_MANIFOLD_VERTICES, "non_manifold_vertices", "non-manifold surface vertices",   \
      "vertex", PL_SEVERITY_WARNING)                                                               \
    X(PL_DEFECT_OPEN_EDGES, "open_edges", "open surface edges", "vertex", PL_SEVERITY_INFO)        \
    X(PL_DEFECT_UNEVEN_EDGES, "inconsistent_edges", "edges between triangles of opposite winding", \
      "vertex", PL_SEVERITY_WARNING)                                                               \
    X(PL_DEFECT_INSIDE_OUT, "inside_out_components", "closed components that are inside out",      \
      "triangle", PL_SEVERITY_WARNING)                                                             \
    X(PL_DEFECT_INTERSECTIONS, "self_intersections", "intersecting pairs of surface triangles",    \
      "triangle", PL_SEVERITY_WARNING)

#define PL_DEFECT_ENUM(code, key, text, item, severity) code,
typedef enum pl_defect_kind { PL_DEFECT_LIST(PL_DEFECT_ENUM) PL_DEFECT_COUNT } pl_defect_kind;
#undef PL_DEFECT_ENUM

/// How often a defect was found and where first: a vertex, tet or triangle of the mesh; for edges
/// their two vertices, for duplicates and intersections both partners, lower first. For a mesh with
/// tets, `triangle` of an intersection is a triangle of its surface (pl_mesh_surface).
typedef struct pl_defect {
    int64_t count;
    int first; ///< -1 if count is 0
    int other; ///< -1 if one index is enough
} pl_defect;

/// Shapes of the elements: of the tets, or of the triangles if there are no tets. NaN where there
/// is nothing to measure.
typedef struct pl_mesh_quality {
    double volume; ///< of all tets, inverted ones too [m^3]
    double area;   ///< of all triangles [m^2]
    /// 3 inradius / circumradius (triangles: 2): 1 is regular, 0 is flat
    double radius_ratio_min, radius_ratio_1_percent, radius_ratio_median;
    int worst_element;           ///< the one with the smallest ratio, -1 if there is none
    double angle_min, angle_max; ///< dihedral angles of tets, corners of triangles [degrees]
    int edge_count;
    double edge_min, edge_mean, edge_max; ///< [m]
} pl_mesh_quality;

typedef struct pl_mesh_report {
    double low[3], high[3];  ///< bounding box of the finite vertices in use
    pl_mesh_quality quality; ///< area is that of the surface
    double enclosed_volume;  ///< of the surface, negative if inside out; NaN if it is open
    int component_count;     ///< of tets (or triangles) connected through vertices
    int surface_triangle_count, surface_vertex_count, surface_edge_count, surface_component_count;
    int hole_count;        ///< loops of open edges; one that passes a vertex twice counts once
    bool surface_closed;   ///< no open edge
    bool surface_manifold; ///< no non-manifold edge or vertex
    int genus; ///< handles of a closed, manifold, orientable surface in one piece, else -1
    bool intersections_complete; ///< false if the search was stopped early: counts are lower bounds
    pl_defect defects[PL_DEFECT_COUNT];
} pl_mesh_report;

typedef struct pl_mesh_check_options {
    double tolerance; ///< distance of close vertices, relative to the diagonal of the box; 0: 1e-9
    bool skip_intersections;
    /// Largest number of pairs of overlapping boxes to test; 0: ten million plus a hundred per
    /// element.
    int64_t intersection_limit;
} pl_mesh_check_options;

/// Measures a mesh and finds its defects. options, pool and error may be NULL. Fails if memory runs
/// out or the mesh has more than 178 million tets (32-bit indices).
PL_API pl_status pl_mesh_check(const pl_mesh* mesh, const pl_mesh_check_options* options,
                               pl_pool* pool, pl_mesh_report* report, pl_error* error);

/// The key for programs ("inverted_tets"), the text for people ("inverted tets"), and what the
/// first index counts ("tet").
PL_API const char* pl_defect_key(pl_defect_kind kind);
PL_API const char* pl_defect_text(pl_defect_kind kind);
PL_API const char* pl_defect_item(pl_defect_kind kind);
PL_API pl_severity pl_defect_severity(pl_defect_kind kind);

typedef struct pl_mesh_repair_options {
    double tolerance; ///< vertices closer than this, relative to the diagonal, are merged; 0: only
                      ///< equal ones
    bool keep_unused; ///< leave unreferenced vertices alone
    int fill_hole_edges; ///< close holes of at most that many edges; 0: none
} pl_mesh_repair_options;

/// Repairs a mesh in place: drops vertices that are not finite and their elements, merges duplicate
/// vertices, repairs or drops degenerate elements, drops duplicate elements, turns inverted tets,
/// winds the triangles of a surface consistently and outward, closes small holes if asked to, and
/// drops unreferenced vertices. Regions, fields and texture coordinates follow. Everything done is
/// noted with its count and the first index in the old numbering. options, notes and error may be
/// NULL. Fails only if memory runs out, and then leaves the mesh unchanged.
PL_API pl_status pl_mesh_repair(pl_mesh* mesh, const pl_mesh_repair_options* options,
                                pl_notes* notes, pl_error* error);

#ifdef __cplusplus
}
#endif
#endif
