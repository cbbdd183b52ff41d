// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The choices that a scene can make. Each list gives the values in C, their names in scene files,
// and what they are.
#ifndef PLIANT_SCENE_NAMES_H
#define PLIANT_SCENE_NAMES_H

#include <pliant/status.h>

#ifdef __cplusplus
extern "C" {
#endif

// how keyframes are joined
#define PL_INTERPOLATION_LIST(X)                                                                   \
    X(PL_KEYS_STEP, "step", "constant from each key to the next")                                  \
    X(PL_KEYS_LINEAR, "linear", "linear from key to key")                                          \
    X(PL_KEYS_SMOOTH, "smooth", "smooth, within the range of the keys, at rest at both ends")

// an axis of the world
#define PL_AXIS_LIST(X)                                                                            \
    X(PL_AXIS_X, "x", "")                                                                          \
    X(PL_AXIS_Y, "y", "")                                                                          \
    X(PL_AXIS_Z, "z", "")

// a side of the bounding box
#define PL_SIDE_LIST(X)                                                                            \
    X(PL_SIDE_LOW_X, "-x", "the side of smallest x")                                               \
    X(PL_SIDE_HIGH_X, "+x", "the side of largest x")                                               \
    X(PL_SIDE_LOW_Y, "-y", "the side of smallest y")                                               \
    X(PL_SIDE_HIGH_Y, "+y", "the side of largest y")                                               \
    X(PL_SIDE_LOW_Z, "-z", "the side of smallest z")                                               \
    X(PL_SIDE_HIGH_Z, "+z", "the side of largest z")

// which vertices
#define PL_SELECTION_KIND_LIST(X)                                                                  \
    X(PL_SELECT_EVERYTHING, "everything", "")                                                      \
    X(PL_SELECT_BOX, "box", "")                                                                    \
    X(PL_SELECT_SPHERE, "sphere", "")                                                              \
    X(PL_SELECT_CAPSULE, "capsule", "")                                                            \
    X(PL_SELECT_HALF_SPACE, "half_space", "")                                                      \
    X(PL_SELECT_SIDE, "side", "")                                                                  \
    X(PL_SELECT_REGION, "region", "")                                                              \
    X(PL_SELECT_VERTICES, "vertices", "")                                                          \
    X(PL_SELECT_NEAREST, "nearest", "")                                                            \
    X(PL_SELECT_AND, "and", "")                                                                    \
    X(PL_SELECT_OR, "or", "")                                                                      \
    X(PL_SELECT_NOT, "not", "")

// Laws of solids: F(X, CODE, name, help). A law is one line here and one file,
// src/material/law_NAME.h, which the build finds by its name. All but the linear law are functions
// of invariants.
#define PL_ISOTROPIC_LAW_LIST(F, X)                                                                \
    F(X, COROTATED, corotated, "corotated linear elasticity")                                      \
    F(X, ARAP, arap, "as rigid as possible: bulk modulus 2/3 mu, lambda is not read")              \
    F(X, STVK, stvk, "St. Venant-Kirchhoff")                                                       \
    F(X, NEOHOOKEAN, neohookean, "Neo-Hookean with logarithm; fails where a tet inverts")          \
    F(X, STABLE_NEOHOOKEAN, stable_neohookean,                                                     \
      "survives inversion (Smith 2018, with logarithm): Neo-Hookean at small strains only, "       \
      "softer than it in large compression, 4/3 as stiff in large stretch")                        \
    F(X, MOONEY_RIVLIN, mooney_rivlin, "two moduli, for rubber; fails where a tet inverts")
#define PL_SOLID_LAW_LIST(F, X)                                                                    \
    F(X, LINEAR, linear, "linear elasticity, for small rotations only")                            \
    PL_ISOTROPIC_LAW_LIST(F, X)

// material law
#define PL_LAW_CHOICE(X, CODE, name, help) X(PL_LAW_##CODE, #name, help)
#define PL_LAW_LIST(X)                                                                             \
    X(PL_LAW_AUTO, "auto", "chosen by kind and method")                                            \
    PL_SOLID_LAW_LIST(PL_LAW_CHOICE, X)                                                            \
    X(PL_LAW_SPRINGS, "springs", "springs along edges and across them, and bending")               \
    X(PL_LAW_MEMBRANE, "membrane", "cloth of elastic triangles with bending at edges")

// a material parameter that may vary
#define PL_MATERIAL_KEY_LIST(X)                                                                    \
    X(PL_VARY_DENSITY, "density", "")                                                              \
    X(PL_VARY_AREA_DENSITY, "area_density", "")                                                    \
    X(PL_VARY_YOUNG, "young", "")                                                                  \
    X(PL_VARY_POISSON, "poisson", "")                                                              \
    X(PL_VARY_MU, "mu", "")                                                                        \
    X(PL_VARY_LAMBDA, "lambda", "")                                                                \
    X(PL_VARY_BULK, "bulk", "")                                                                    \
    X(PL_VARY_MU2, "mu2", "")                                                                      \
    X(PL_VARY_THICKNESS, "thickness", "")                                                          \
    X(PL_VARY_STRETCH, "stretch", "")                                                              \
    X(PL_VARY_SHEAR, "shear", "")                                                                  \
    X(PL_VARY_BEND, "bend", "")

// how a parameter varies
#define PL_VARIATION_KIND_LIST(X)                                                                  \
    X(PL_VARIATION_GRADIENT, "gradient", "")                                                       \
    X(PL_VARIATION_FIELD, "field", "")

// how a gradient goes between its ends
#define PL_SPACING_LIST(X)                                                                         \
    X(PL_SPACING_LINEAR, "linear", "")                                                             \
    X(PL_SPACING_LOGARITHMIC, "logarithmic",                                                       \
      "equal factors over equal distances; both ends above 0")

// where a body's mesh comes from
#define PL_BODY_SHAPE_LIST(X)                                                                      \
    X(PL_SHAPE_MESH, "mesh", "")                                                                   \
    X(PL_SHAPE_GENERATE, "generate", "")

// whether a body collides with itself
#define PL_SELF_CONTACT_LIST(X)                                                                    \
    X(PL_SELF_CONTACT_OFF, "false", "")                                                            \
    X(PL_SELF_CONTACT_ON, "true", "")                                                              \
    X(PL_SELF_CONTACT_AUTO, "auto", "for cloth of fem with newton")

// what a body is
#define PL_BODY_KIND_LIST(X)                                                                       \
    X(PL_BODY_AUTO, "auto", "cloth for generated cloths, otherwise solid")                         \
    X(PL_BODY_SOLID, "solid", "tets, or a closed surface to be filled")                            \
    X(PL_BODY_CLOTH, "cloth", "the triangles of the mesh")

// what fills a closed surface with tets
#define PL_MESHER_LIST(X)                                                                          \
    X(PL_MESHER_STUFFING, "stuffing",                                                              \
      "built in: tets of equal size; walls thinner than edge are lost")                            \
    X(PL_MESHER_TETGEN, "tetgen", "the program TetGen, if installed; keeps thin walls")

// method of simulation
#define PL_METHOD_LIST(X)                                                                          \
    X(PL_METHOD_FEM, "fem", "finite elements on tets, or cloth")                                   \
    X(PL_METHOD_MIXED, "mixed",                                                                    \
      "finite elements with pressure as an unknown: up to incompressible")                         \
    X(PL_METHOD_GRID, "grid", "a lattice inside any closed surface")                               \
    X(PL_METHOD_PBD, "pbd", "position based dynamics: fast, tearing")                              \
    X(PL_METHOD_RIGID, "rigid", "a solid that does not deform: six unknowns")

// time integration
#define PL_INTEGRATOR_LIST(X)                                                                      \
    X(PL_INTEGRATOR_AUTO, "auto", "bdf2 for solids of fem, otherwise euler")                       \
    X(PL_INTEGRATOR_EULER, "euler",                                                                \
      "implicit Euler, first order: damps all motion; a dropped ball does not bounce; free "       \
      "flight "                                                                                    \
      "is g t h/2 off after the time t")                                                           \
    X(PL_INTEGRATOR_MIDPOINT, "midpoint",                                                          \
      "implicit midpoint, second order: conserves momentum and angular momentum. Conserves "       \
      "energy "                                                                                    \
      "exactly for the linear law, and within 1 % for others where the time step resolves the "    \
      "motion; larger gains or losses of a step are corrected in the vibrations. Contacts act at " \
      "the end of a step and do not add energy")                                                   \
    X(PL_INTEGRATOR_BDF2, "bdf2",                                                                  \
      "second order: free flight is accurate, slow motions keep their energy, and vibrations "     \
      "that "                                                                                      \
      "the time step does not resolve are damped")                                                 \
    X(PL_INTEGRATOR_QUASISTATIC, "quasistatic", "no inertia: equilibrium in every frame")

// where the stabilisation of method mixed acts
#define PL_STABILIZE_LIST(X)                                                                       \
    X(PL_STABILIZE_FULL, "full", "in the equations: smooth pressures, few iterations")             \
    X(PL_STABILIZE_MATRIX, "matrix",                                                               \
      "in the matrix only: equations without stabilization, more iterations")

// nonlinear solver
#define PL_NONLINEAR_LIST(X)                                                                       \
    X(PL_NONLINEAR_AUTO, "auto", "chosen by the method")                                           \
    X(PL_NONLINEAR_NEWTON, "newton", "Newton iterations until the forces balance")                 \
    X(PL_NONLINEAR_PROJECTIVE, "projective", "local projections and one constant matrix")          \
    X(PL_NONLINEAR_LINEARISED, "linearised", "one linear solve per step")

// Linear solvers that need a matrix and nothing else: F(X, value, symbol, name, help). A solver is
// one line here and one file, src/sparse/linear_SYMBOL.c.
#define PL_MATRIX_SOLVER_LIST(F, X)                                                                \
    F(X, PL_LINEAR_DIRECT, direct, "direct", "sparse factorisation")                               \
    F(X, PL_LINEAR_PCG, pcg, "pcg", "conjugate gradients")                                         \
    F(X, PL_LINEAR_ICPCG, icpcg, "icpcg", "conjugate gradients with an incomplete factor")         \
    F(X, PL_LINEAR_CHEBYSHEV, chebyshev, "chebyshev", "Chebyshev semi-iteration")                  \
    F(X, PL_LINEAR_GAUSS_SEIDEL, gauss_seidel, "gauss-seidel", "coloured Gauss-Seidel")

// linear solver
#define PL_LINEAR_CHOICE(X, code, symbol, name, help) X(code, name, help)
#define PL_LINEAR_LIST(X)                                                                          \
    X(PL_LINEAR_AUTO, "auto", "chosen by method and size")                                         \
    X(PL_LINEAR_MULTIGRID, "multigrid", "cycles of multigrid")                                     \
    X(PL_LINEAR_MGPCG, "mgpcg", "conjugate gradients with multigrid as preconditioner")            \
    PL_MATRIX_SOLVER_LIST(PL_LINEAR_CHOICE, X)

// where the mass of an element goes
#define PL_MASS_LIST(X)                                                                            \
    X(PL_MASS_LUMPED, "lumped", "at the vertices, in equal parts")                                 \
    X(PL_MASS_CONSISTENT, "consistent", "over the volume of each element; fem only")

// smoother of multigrid
#define PL_SMOOTHER_LIST(X)                                                                        \
    X(PL_SMOOTHER_GAUSS_SEIDEL, "gauss-seidel", "coloured block Gauss-Seidel")                     \
    X(PL_SMOOTHER_JACOBI, "jacobi", "damped block Jacobi")

// how a surface follows a lattice
#define PL_GRID_EMBEDDING_LIST(X)                                                                  \
    X(PL_GRID_EMBEDDING_TRILINEAR, "trilinear", "")                                                \
    X(PL_GRID_EMBEDDING_TRICUBIC, "tricubic", "smooth across cells")

// smoother of the grid method
#define PL_GRID_SMOOTHER_LIST(X)                                                                   \
    X(PL_GRID_SMOOTHER_DISTRIBUTIVE, "distributive", "fast")                                       \
    X(PL_GRID_SMOOTHER_BOX, "box", "slow reference")

// what stiffness means to pbd
#define PL_PBD_MODEL_LIST(X)                                                                       \
    X(PL_PBD_STIFFNESS, "stiffness", "0 to 1; the effect depends on time step and iterations")     \
    X(PL_PBD_COMPLIANCE, "compliance", "in SI units; independent of the time step")

// rest length of coarse constraints
#define PL_REST_LENGTH_LIST(X)                                                                     \
    X(PL_REST_LENGTH_GEODESIC, "geodesic", "along the surface, unfolded into a plane")             \
    X(PL_REST_LENGTH_PATH, "path", "sum of the lengths of the collapsed edges")                    \
    X(PL_REST_LENGTH_DISTANCE, "distance", "straight distance at rest")

// what happens to the hierarchy at a tear
#define PL_TEAR_MODE_LIST(X)                                                                       \
    X(PL_TEAR_REBUILD, "rebuild", "rebuilds the hierarchy around the tear: stays stiff")           \
    X(PL_TEAR_REMOVE, "remove", "removes coarse constraints, as in the paper")

// what an attachment holds vertices at
#define PL_TARGET_LIST(X)                                                                          \
    X(PL_TARGET_PLACE, "place", "")                                                                \
    X(PL_TARGET_POINT, "point", "")                                                                \
    X(PL_TARGET_COLLIDER, "collider", "")                                                          \
    X(PL_TARGET_CACHE, "cache", "")

// Shapes of colliders: F(X, CODE, name, struct, help). A shape is one line here and one file,
// src/collider/shape_NAME.c. The struct is one of pliant/scene.h.
// clang-format off
#define PL_COLLIDER_TABLE(F, X)                                                                    \
    F(X, PLANE, plane, pl_plane_shape, "ground or wall")                                           \
    F(X, SPHERE, sphere, pl_sphere_shape, "ball")                                                  \
    F(X, BOX, box, pl_box_shape, "box")                                                            \
    F(X, CAPSULE, capsule, pl_capsule_shape, "rod with round ends")                                \
    F(X, CHAIN, chain, pl_chain_shape, "chain of capsules")                                        \
    F(X, CYLINDER, cylinder, pl_capsule_shape, "rod with flat ends")                               \
    F(X, TORUS, torus, pl_torus_shape, "ring")                                                     \
    F(X, MESH, mesh, pl_mesh_shape, "closed surface from a file, still or moved by a PC2 cache")
// clang-format on

// shape of a collider
#define PL_COLLIDER_CHOICE(X, CODE, name, type, help) X(PL_COLLIDER_##CODE, #name, "")
#define PL_COLLIDER_SHAPE_LIST(X) PL_COLLIDER_TABLE(PL_COLLIDER_CHOICE, X)

// what kind of load
#define PL_FORCE_KIND_LIST(X)                                                                      \
    X(PL_FORCE_FORCE, "force", "")                                                                 \
    X(PL_FORCE_ACCELERATION, "acceleration", "")                                                   \
    X(PL_FORCE_PRESSURE, "pressure", "")                                                           \
    X(PL_FORCE_TRACTION, "traction", "")

// which vertices are recorded
#define PL_RECORDED_LIST(X)                                                                        \
    X(PL_RECORD_SURFACE, "surface", "vertices of the surface")                                     \
    X(PL_RECORD_ALL, "all", "all vertices")

// a recorded field
#define PL_OUTPUT_FIELD_LIST(X)                                                                    \
    X(PL_OUTPUT_VELOCITY, "velocity", "[m/s]")                                                     \
    X(PL_OUTPUT_DISPLACEMENT, "displacement", "from the rest position [m]")                        \
    X(PL_OUTPUT_STRETCH, "stretch", "largest principal stretch")                                   \
    X(PL_OUTPUT_VOLUME, "volume", "volume ratio")                                                  \
    X(PL_OUTPUT_PRESSURE, "pressure", "[Pa]")                                                      \
    X(PL_OUTPUT_STRESS, "stress",                                                                  \
      "von Mises stress: mean over the tets around a vertex, by volume [Pa]")                      \
    X(PL_OUTPUT_ELEMENT_STRESS, "element_stress",                                                  \
      "von Mises stress of each tet [Pa]; with record all")                                        \
    X(PL_OUTPUT_ENERGY, "energy", "elastic energy density [J/m^3]")                                \
    X(PL_OUTPUT_CONTACT, "contact", "contact force [N]")

// all of them: type, list, prefix of the count
#define PL_CHOICE_LISTS(X)                                                                         \
    X(pl_interpolation, PL_INTERPOLATION_LIST, PL_KEYS_COUNT)                                      \
    X(pl_axis, PL_AXIS_LIST, PL_AXIS_COUNT)                                                        \
    X(pl_side, PL_SIDE_LIST, PL_SIDE_COUNT)                                                        \
    X(pl_selection_kind, PL_SELECTION_KIND_LIST, PL_SELECT_COUNT)                                  \
    X(pl_law, PL_LAW_LIST, PL_LAW_COUNT)                                                           \
    X(pl_material_key, PL_MATERIAL_KEY_LIST, PL_VARY_COUNT)                                        \
    X(pl_variation_kind, PL_VARIATION_KIND_LIST, PL_VARIATION_COUNT)                               \
    X(pl_spacing, PL_SPACING_LIST, PL_SPACING_COUNT)                                               \
    X(pl_body_shape, PL_BODY_SHAPE_LIST, PL_SHAPE_COUNT)                                           \
    X(pl_self_contact, PL_SELF_CONTACT_LIST, PL_SELF_CONTACT_COUNT)                                \
    X(pl_body_kind, PL_BODY_KIND_LIST, PL_BODY_COUNT)                                              \
    X(pl_mesher, PL_MESHER_LIST, PL_MESHER_COUNT)                                                  \
    X(pl_method, PL_METHOD_LIST, PL_METHOD_COUNT)                                                  \
    X(pl_integrator, PL_INTEGRATOR_LIST, PL_INTEGRATOR_COUNT)                                      \
    X(pl_nonlinear, PL_NONLINEAR_LIST, PL_NONLINEAR_COUNT)                                         \
    X(pl_stabilize, PL_STABILIZE_LIST, PL_STABILIZE_COUNT)                                         \
    X(pl_linear, PL_LINEAR_LIST, PL_LINEAR_COUNT)                                                  \
    X(pl_mass, PL_MASS_LIST, PL_MASS_COUNT)                                                        \
    X(pl_smoother, PL_SMOOTHER_LIST, PL_SMOOTHER_COUNT)                                            \
    X(pl_grid_embedding, PL_GRID_EMBEDDING_LIST, PL_GRID_EMBEDDING_COUNT)                          \
    X(pl_grid_smoother, PL_GRID_SMOOTHER_LIST, PL_GRID_SMOOTHER_COUNT)                             \
    X(pl_pbd_model, PL_PBD_MODEL_LIST, PL_PBD_COUNT)                                               \
    X(pl_rest_length, PL_REST_LENGTH_LIST, PL_REST_LENGTH_COUNT)                                   \
    X(pl_tear_mode, PL_TEAR_MODE_LIST, PL_TEAR_COUNT)                                              \
    X(pl_target, PL_TARGET_LIST, PL_TARGET_COUNT)                                                  \
    X(pl_collider_shape, PL_COLLIDER_SHAPE_LIST, PL_COLLIDER_COUNT)                                \
    X(pl_force_kind, PL_FORCE_KIND_LIST, PL_FORCE_COUNT)                                           \
    X(pl_recorded, PL_RECORDED_LIST, PL_RECORD_COUNT)                                              \
    X(pl_output_field, PL_OUTPUT_FIELD_LIST, PL_OUTPUT_COUNT)

#define PL_CHOICE_VALUE(code, name, help) code,
typedef enum pl_interpolation {
    PL_INTERPOLATION_LIST(PL_CHOICE_VALUE) PL_KEYS_COUNT
} pl_interpolation;
typedef enum pl_axis { PL_AXIS_LIST(PL_CHOICE_VALUE) PL_AXIS_COUNT } pl_axis;
typedef enum pl_side { PL_SIDE_LIST(PL_CHOICE_VALUE) PL_SIDE_COUNT } pl_side;
typedef enum pl_selection_kind {
    PL_SELECTION_KIND_LIST(PL_CHOICE_VALUE) PL_SELECT_COUNT
} pl_selection_kind;
typedef enum pl_law { PL_LAW_LIST(PL_CHOICE_VALUE) PL_LAW_COUNT } pl_law;
typedef enum pl_material_key {
    PL_MATERIAL_KEY_LIST(PL_CHOICE_VALUE) PL_VARY_COUNT
} pl_material_key;
typedef enum pl_variation_kind {
    PL_VARIATION_KIND_LIST(PL_CHOICE_VALUE) PL_VARIATION_COUNT
} pl_variation_kind;
typedef enum pl_spacing { PL_SPACING_LIST(PL_CHOICE_VALUE) PL_SPACING_COUNT } pl_spacing;
typedef enum pl_body_shape { PL_BODY_SHAPE_LIST(PL_CHOICE_VALUE) PL_SHAPE_COUNT } pl_body_shape;
typedef enum pl_self_contact {
    PL_SELF_CONTACT_LIST(PL_CHOICE_VALUE) PL_SELF_CONTACT_COUNT
} pl_self_contact;
typedef enum pl_body_kind { PL_BODY_KIND_LIST(PL_CHOICE_VALUE) PL_BODY_COUNT } pl_body_kind;
typedef enum pl_mesher { PL_MESHER_LIST(PL_CHOICE_VALUE) PL_MESHER_COUNT } pl_mesher;
typedef enum pl_method { PL_METHOD_LIST(PL_CHOICE_VALUE) PL_METHOD_COUNT } pl_method;
typedef enum pl_integrator {
    PL_INTEGRATOR_LIST(PL_CHOICE_VALUE) PL_INTEGRATOR_COUNT
} pl_integrator;
typedef enum pl_stabilize { PL_STABILIZE_LIST(PL_CHOICE_VALUE) PL_STABILIZE_COUNT } pl_stabilize;
typedef enum pl_nonlinear { PL_NONLINEAR_LIST(PL_CHOICE_VALUE) PL_NONLINEAR_COUNT } pl_nonlinear;
typedef enum pl_linear { PL_LINEAR_LIST(PL_CHOICE_VALUE) PL_LINEAR_COUNT } pl_linear;
typedef enum pl_mass { PL_MASS_LIST(PL_CHOICE_VALUE) PL_MASS_COUNT } pl_mass;
typedef enum pl_smoother { PL_SMOOTHER_LIST(PL_CHOICE_VALUE) PL_SMOOTHER_COUNT } pl_smoother;
typedef enum pl_grid_embedding {
    PL_GRID_EMBEDDING_LIST(PL_CHOICE_VALUE) PL_GRID_EMBEDDING_COUNT
} pl_grid_embedding;
typedef enum pl_grid_smoother {
    PL_GRID_SMOOTHER_LIST(PL_CHOICE_VALUE) PL_GRID_SMOOTHER_COUNT
} pl_grid_smoother;
typedef enum pl_pbd_model { PL_PBD_MODEL_LIST(PL_CHOICE_VALUE) PL_PBD_COUNT } pl_pbd_model;
typedef enum pl_rest_length {
    PL_REST_LENGTH_LIST(PL_CHOICE_VALUE) PL_REST_LENGTH_COUNT
} pl_rest_length;
typedef enum pl_tear_mode { PL_TEAR_MODE_LIST(PL_CHOICE_VALUE) PL_TEAR_COUNT } pl_tear_mode;
typedef enum pl_target { PL_TARGET_LIST(PL_CHOICE_VALUE) PL_TARGET_COUNT } pl_target;
typedef enum pl_collider_shape {
    PL_COLLIDER_SHAPE_LIST(PL_CHOICE_VALUE) PL_COLLIDER_COUNT
} pl_collider_shape;
typedef enum pl_force_kind { PL_FORCE_KIND_LIST(PL_CHOICE_VALUE) PL_FORCE_COUNT } pl_force_kind;
typedef enum pl_recorded { PL_RECORDED_LIST(PL_CHOICE_VALUE) PL_RECORD_COUNT } pl_recorded;
typedef enum pl_output_field {
    PL_OUTPUT_FIELD_LIST(PL_CHOICE_VALUE) PL_OUTPUT_COUNT
} pl_output_field;
#undef PL_CHOICE_VALUE

// pl_law_name(PL_LAW_ARAP) is "arap"; NULL for a number that is none of the values.
#define PL_CHOICE_NAME(type, list, count) PL_API const char* type##_name(int value);
PL_CHOICE_LISTS(PL_CHOICE_NAME)
#undef PL_CHOICE_NAME

#ifdef __cplusplus
}
#endif
#endif
