// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The fields of bodies: shape, transform, material, method and its settings.
#include "scene/scene_rules.h"

#include <math.h>

static const pl_field_info maker_value_rows[] = {
    PL_ROW_TEXT(pl_shape_value, "key", key, PL_FIELD_TEXT, PL_REQUIRED, "parameter"),
    PL_ROW_NUMBER(pl_shape_value, "number", number, 0, "", -1e12, 1e12, 0,
                  "number, if the parameter is one"),
    PL_ROW_TEXT(pl_shape_value, "word", word, PL_FIELD_TEXT, 0, "word, if the parameter is one"),
};
const pl_type pl_type_maker_value = {.name = "parameter",
                                     .help = "One parameter of a generated shape.",
                                     PL_TYPE_TABLE(pl_shape_value, maker_value_rows)};

static const pl_field_info maker_rows[] = {
    PL_ROW_TEXT(
        pl_shape_maker, "shape", shape, PL_FIELD_TEXT, PL_REQUIRED,
        "name of the shape; its parameters are further keys of this object (see Generated shapes)"),
    PL_ROW_LIST(pl_shape_maker, "values", values, value_count, PL_HIDDEN, maker_value,
                "its parameters"),
};
const pl_type pl_type_maker = {
    .name = "generate",
    .help = "A shape made by pliant. Further keys are the parameters of that shape.",
    PL_TYPE_TABLE(pl_shape_maker, maker_rows),
    .shorthand = "shape",
    .open = true,
    .check = pl_check_maker,
};

static const pl_field_info transform_rows[] = {
    PL_ROW_AUTO(
        pl_transform, "size", size, 0, "m", 1e-6, 1e6, "unchanged",
        "first, the mesh is scaled so that the longest side of its bounding box has this length"),
    PL_ROW_VECTOR(pl_transform, "scale", scale, PL_UNIFORM, "", 1e-9, 1e9, 1, 1, 1,
                  "then scaled by this; one number, or three"),
    PL_ROW_VECTOR(pl_transform, "rotate", rotate, 0, "deg", -1e6, 1e6, 0, 0, 0,
                  "then rotated about the axes x, y, z, in this order"),
    PL_ROW_VECTOR(pl_transform, "translate", translate, 0, "m", -1e9, 1e9, 0, 0, 0,
                  "then moved by this"),
};
const pl_type pl_type_transform = {.name = "transform",
                                   .help = "Places a mesh in the world.",
                                   PL_TYPE_TABLE(pl_transform, transform_rows)};

static const pl_field_info material_rows[] = {
    PL_ROW_CHOICE(pl_material_def, "law", law, pl_law, PL_LAW_AUTO, "material law"),
    PL_ROW_NUMBER(pl_material_def, "density", density, PL_ANIMATED, "kg/m^3", 1e-3, 1e6, 1000,
                  "density of solids"),
    PL_ROW_NUMBER(pl_material_def, "area_density", area_density, PL_ANIMATED, "kg/m^2", 1e-6, 1e4,
                  0.2, "mass per area of cloth"),
    PL_ROW_NUMBER(pl_material_def, "young", young, PL_ANIMATED, "Pa", 1e-3, 1e13, 1e5,
                  "Young's modulus: jelly 5e3, flesh 2e4, soft rubber 1e6, steel 2e11"),
    PL_ROW_NUMBER(pl_material_def, "poisson", poisson, PL_ANIMATED, "", -0.99, 0.5, 0.4,
                  "Poisson's ratio; 0: stretching does not narrow the body; 0.5: incompressible"),
    PL_ROW_AUTO(pl_material_def, "mu", mu, PL_ANIMATED, "Pa", 1e-3, 1e13, "from young and poisson",
                "shear modulus; with lambda or bulk it replaces young and poisson"),
    PL_ROW_AUTO(pl_material_def, "lambda", lambda, PL_ANIMATED, "Pa", -1e13, 1e15,
                "from the others", "first Lame parameter"),
    PL_ROW_AUTO(pl_material_def, "bulk", bulk, PL_ANIMATED, "Pa", 1e-3, 1e15, "from the others",
                "bulk modulus"),
    PL_ROW_NUMBER(pl_material_def, "mu2", mu2, PL_ANIMATED, "Pa", 0, 1e13, 0,
                  "part of the shear modulus of mooney_rivlin that acts on the second invariant, "
                  "from 0 to mu; the rest acts on the first: c01 = mu2/2, c10 = (mu - mu2)/2. Only "
                  "large strains change"),
    PL_ROW_NUMBER(pl_material_def, "thickness", thickness, PL_ANIMATED, "m", 1e-7, 1, 1e-3,
                  "thickness of cloth"),
    PL_ROW_NUMBER(pl_material_def, "stretch", stretch, PL_ANIMATED, "N/m", 0, 1e12, 1000,
                  "stretch modulus of cloth of springs: force per width at unit strain, "
                  "independent of direction and triangulation; Poisson's ratio is 1/3"),
    PL_ROW_AUTO(
        pl_material_def, "shear", shear, PL_ANIMATED, "N/m", 0, 1e12, "3/8 of stretch",
        "shear modulus of cloth of springs: force per width at unit shear angle, from springs "
        "across edges; below 3/8 of stretch, cloth is too soft in directions without edges"),
    PL_ROW_NUMBER(pl_material_def, "bend", bend, PL_ANIMATED, "N m", 0, 1e9, 1e-5,
                  "bending stiffness of cloth: moment per width at unit curvature, independent of "
                  "direction and triangulation"),
};
const pl_type pl_type_material = {
    .name = "material",
    .help = "What a body is made of. Solids use density and two elastic constants; cloth uses "
            "area_density, and stretch, shear and bend (law springs) or young, poisson, thickness "
            "and bend (law membrane).",
    PL_TYPE_TABLE(pl_material_def, material_rows),
    .check = pl_check_material,
};

static const pl_field_info region_material_rows[] = {
    PL_ROW_TEXT(pl_region_material, "region", region, PL_FIELD_TEXT, PL_REQUIRED,
                "name of a region of the mesh"),
    PL_ROW_OBJECT(pl_region_material, "material", material, PL_FIELD_OBJECT, 0, material,
                  "its material; missing keys are taken from the body's material"),
};
const pl_type pl_type_region_material = {.name = "region",
                                         .help = "A different material in one region of the mesh.",
                                         PL_TYPE_TABLE(pl_region_material, region_material_rows)};

static const pl_field_info gradient_rows[] = {
    PL_ROW_NUMBER(pl_gradient, "from", from, 0, "", -1e15, 1e15, NAN,
                  "value at the first end of the body"),
    PL_ROW_NUMBER(pl_gradient, "to", to, 0, "", -1e15, 1e15, NAN, "value at the other end"),
    PL_ROW_VECTOR(pl_gradient, "direction", direction, 0, "", -1e9, 1e9, 0, 1, 0,
                  "from the first end to the other; any length"),
    PL_ROW_CHOICE(pl_gradient, "spacing", spacing, pl_spacing, PL_SPACING_LINEAR,
                  "interpolation between the ends"),
};
const pl_type pl_type_gradient = {
    .name = "gradient",
    .help = "A parameter that changes from one value to another "
            "across the body, in the unit of the parameter.",
    PL_TYPE_TABLE(pl_gradient, gradient_rows),
    .check = pl_check_gradient,
};

static const pl_field_info field_source_rows[] = {
    PL_ROW_TEXT(pl_field_source, "name", name, PL_FIELD_TEXT, PL_REQUIRED,
                "a field of the mesh, on tets, triangles or vertices"),
    PL_ROW_NUMBER(pl_field_source, "scale", scale, 0, "", -1e15, 1e15, 1,
                  "its values are multiplied by this"),
};
const pl_type pl_type_field_source = {.name = "field",
                                      .help = "A parameter read from a field of the mesh.",
                                      PL_TYPE_TABLE(pl_field_source, field_source_rows),
                                      .shorthand = "name"};

static const pl_field_info variation_rows[] = {
    PL_ROW_CHOICE(pl_variation, "parameter", parameter, pl_material_key, PL_VARY_YOUNG,
                  "parameter that varies"),
    PL_ROW_OBJECT(pl_variation, "gradient", gradient, PL_FIELD_OBJECT, PL_VARIANT, gradient,
                  "interpolates two values along a direction"),
    PL_ROW_OBJECT(pl_variation, "field", field, PL_FIELD_OBJECT, PL_VARIANT, field_source,
                  "reads the values of a field of the mesh"),
};
const pl_type pl_type_variation = {
    .name = "vary",
    .help = "A material parameter that varies over the body.",
    PL_TYPE_TABLE(pl_variation, variation_rows),
    .variants = &pl_choices_of_pl_variation_kind,
    .variant_offset = offsetof(pl_variation, kind),
    .variant_required = true,
    .check = pl_check_variation,
};

static const pl_field_info damping_rows[] = {
    PL_ROW_NUMBER(pl_damping, "mass", mass, PL_ANIMATED, "1/s", 0, 1e6, 0,
                  "damps every motion, as in a viscous fluid"),
    PL_ROW_NUMBER(pl_damping, "stiffness", stiffness, PL_ANIMATED, "s", 0, 1e3, 0,
                  "damps vibrations"),
};
const pl_type pl_type_damping = {.name = "damping",
                                 .help = "Rayleigh damping: mass M + stiffness K.",
                                 PL_TYPE_TABLE(pl_damping, damping_rows)};

static const pl_field_info multigrid_rows[] = {
    PL_ROW_CHOICE(pl_multigrid, "smoother", smoother, pl_smoother, PL_SMOOTHER_GAUSS_SEIDEL,
                  "smoother"),
    PL_ROW_INT(pl_multigrid, "pre_sweeps", pre_sweeps, 0, 100, 1,
               "sweeps before the coarse-grid correction"),
    PL_ROW_INT(pl_multigrid, "post_sweeps", post_sweeps, 0, 100, 1,
               "sweeps after the coarse-grid correction"),
    PL_ROW_ARRAY(pl_multigrid, "sweeps", sweeps, sweep_count, PL_FIELD_INTS, 0, 1, "", 1, 100,
                 "sweeps before and after on each level, in place of pre_sweeps and post_sweeps; "
                 "finest level first; the last number holds for all coarser levels"),
    PL_ROW_BOOL(pl_multigrid, "stiffness_aware", stiffness_aware, true,
                "chooses coarse vertices by stiffness where it varies"),
    PL_ROW_BOOL(pl_multigrid, "fallback", fallback, true,
                "if cycles stall, switches to mgpcg (mixed: to MINRES), and to direct if that "
                "fails; metrics "
                "count it"),
};
const pl_type pl_type_multigrid = {.name = "multigrid",
                                   .help = "Multigrid settings of fem and mixed.",
                                   PL_TYPE_TABLE(pl_multigrid, multigrid_rows)};

static const pl_field_info mixed_rows[] = {
    PL_ROW_NUMBER(pl_mixed, "stabilization", stabilization, 0, "", 0, 1e4, 1,
                  "strength of the pressure stabilization; higher is smoother"),
    PL_ROW_CHOICE(pl_mixed, "stabilize", stabilize, pl_stabilize, PL_STABILIZE_FULL,
                  "where the stabilization enters"),
    PL_ROW_AUTO(pl_mixed, "relaxation", relaxation, 0, "", 0.05, 2,
                "the largest with which the sweeps converge",
                "relaxation of the multigrid sweeps: the paper's omega"),
};
const pl_type pl_type_mixed = {
    .name = "mixed", .help = "Settings of method mixed.", PL_TYPE_TABLE(pl_mixed, mixed_rows)};

static const pl_field_info grid_rows[] = {
    PL_ROW_AUTO(pl_grid, "cell", cell, 0, "m", 1e-6, 1e6,
                "about 1200 cells, more where the body is thin", "edge of a lattice cell"),
    PL_ROW_INT(pl_grid, "padding", padding, 0, 16, 0, "layers of cells around the surface"),
    PL_ROW_CHOICE(pl_grid, "embedding", embedding, pl_grid_embedding, PL_GRID_EMBEDDING_TRILINEAR,
                  "interpolation of the displayed surface from the lattice"),
    PL_ROW_CHOICE(pl_grid, "smoother", smoother, pl_grid_smoother, PL_GRID_SMOOTHER_DISTRIBUTIVE,
                  "smoother"),
    PL_ROW_INT(pl_grid, "update_every", update_every, 1, 1000, 1,
               "cycles between updates of the rotations"),
};
const pl_type pl_type_grid = {
    .name = "grid", .help = "Settings of method grid.", PL_TYPE_TABLE(pl_grid, grid_rows)};

static const pl_field_info pbd_rows[] = {
    PL_ROW_CHOICE(pl_pbd, "model", model, pl_pbd_model, PL_PBD_COMPLIANCE,
                  "how stiffness is given"),
    PL_ROW_INT(pl_pbd, "substeps", substeps, 0, 10000, 0,
               "substeps of each step, which share the sweeps of iterations; 0: chosen by pliant, "
               "1 with model stiffness"),
    PL_ROW_NUMBER(pl_pbd, "stretch", stretch, PL_ANIMATED, "", 0, 1, 1,
                  "stiffness of distance constraints"),
    PL_ROW_NUMBER(pl_pbd, "shear", shear, PL_ANIMATED, "", 0, 1, 0,
                  "stiffness of distances across inner edges of cloth; they also resist folding"),
    PL_ROW_NUMBER(pl_pbd, "bend", bend, PL_ANIMATED, "", 0, 1, 0.1,
                  "stiffness of bending constraints"),
    PL_ROW_NUMBER(pl_pbd, "volume", volume, PL_ANIMATED, "", 0, 1, 1,
                  "stiffness of tet constraints"),
    PL_ROW_AUTO(pl_pbd, "compliance", compliance, PL_ANIMATED, "m/N", 0, 1e6, "from the material",
                "compliance of every distance, with model compliance"),
    PL_ROW_INT(pl_pbd, "parents", parents, 1, 16, 2,
               "smallest number of coarse parents of a fine particle"),
    PL_ROW_AUTO(pl_pbd, "keep_attached", keep_attached, 0, "", 0, 1, "dropped last",
                "probability that an attached particle stays on a coarse level"),
    PL_ROW_INT(pl_pbd, "passes", passes, 1, 100, 1, "passes over the hierarchy in each step"),
    PL_ROW_INT(pl_pbd, "coarse_sweeps", coarse_sweeps, 1, 1000, 1,
               "sweeps over each coarse level in a pass; the coarsest gets more"),
    PL_ROW_CHOICE(pl_pbd, "rest_length", rest_length, pl_rest_length, PL_REST_LENGTH_GEODESIC,
                  "rest length of coarse constraints"),
    PL_ROW_BOOL(pl_pbd, "coarse_bending", coarse_bending, false,
                "coarse levels have bending constraints, too"),
    PL_ROW_BOOL(pl_pbd, "lumped_mass", lumped_mass, true,
                "lumps masses on coarse levels, which conserves linear momentum"),
    PL_ROW_INT(pl_pbd, "level", level, 0, 32, 0, "simulate and draw only this level; 0: all"),
    PL_ROW_AUTO(pl_pbd, "tear", tear, PL_ANIMATED, "", 1, 1e3, "never",
                "constraints break above this stretch (2: twice the rest length)"),
    PL_ROW_CHOICE(pl_pbd, "tear_mode", tear_mode, pl_tear_mode, PL_TEAR_REBUILD,
                  "how the hierarchy adapts to a tear"),
};
const pl_type pl_type_pbd = {
    .name = "pbd", .help = "Settings of method pbd.", PL_TYPE_TABLE(pl_pbd, pbd_rows)};

static const pl_field_info eigenfit_rows[] = {
    PL_ROW_INT(pl_eigenfit, "modes", modes, 1, 190, 10, "number of modes to fit"),
    PL_ROW_TEXT(pl_eigenfit, "fine", fine, PL_FIELD_FILE, 0, "mesh of the fine body"),
    PL_ROW_AUTO(pl_eigenfit, "edge", edge, 0, "m", 1e-6, 1e6, "half that of the body",
                "edge length of the fine mesh, if no file is given"),
    PL_ROW_NUMBER(pl_eigenfit, "tolerance", tolerance, 0, "", 0, 1, 0.4,
                  "modes match if their overlap is above 1 - tolerance"),
    PL_ROW_AUTO(pl_eigenfit, "coarse_edge", coarse_edge, 0, "m", 1e-6, 1e6, "the body is coarse",
                "the body is the fine one, and is simulated on a mesh of this edge length that "
                "pliant generates"),
    PL_ROW_ARRAY(pl_eigenfit, "ratios", ratios, ratio_count, PL_FIELD_NUMBERS, 0, 1, "", 1e-6, 1e3,
                 "factors of the eigenvalues, lowest mode first; replaces the fine mesh"),
    PL_ROW_BOOL(pl_eigenfit, "dac", dac, false,
                "scales all stiffness by the ratio of the first mode, without fitting modes"),
    PL_ROW_BOOL(pl_eigenfit, "fallback", fallback, false,
                "steps whose modes do not match those at rest are not corrected"),
    PL_ROW_BOOL(pl_eigenfit, "cache", cache, true,
                "caches the modes of the fine mesh on disk for the next run"),
};
const pl_type pl_type_eigenfit = {
    .name = "eigenfit",
    .help = "Makes a coarse fem body move like a fine one.",
    PL_TYPE_TABLE(pl_eigenfit, eigenfit_rows),
};

static const pl_field_info body_contact_rows[] = {
    PL_ROW_AUTO(pl_body_contact, "thickness", thickness, PL_ANIMATED, "m", 0, 1e3,
                "a tenth of an edge; solids a twentieth",
                "distance kept free around the surface; for two bodies, the sum of both"),
    PL_ROW_AUTO(pl_body_contact, "stiffness", stiffness, PL_ANIMATED, "N/m", 0, 1e15,
                "from the material", "stiffness of the contact penalty"),
    PL_ROW_NUMBER(pl_body_contact, "friction", friction, PL_ANIMATED, "", 0, 10, 0.3,
                  "friction coefficient on colliders without one, and between bodies, where the "
                  "larger of two counts"),
    PL_ROW_CHOICE(pl_body_contact, "self", self, pl_self_contact, PL_SELF_CONTACT_AUTO,
                  "whether the body collides with itself; all methods but rigid. auto: for cloth "
                  "of fem that moves, but with nonlinear linearised or fixed"),
    PL_ROW_BOOL(pl_body_contact, "bodies", bodies, true,
                "it collides with other bodies that have this set; contact.md says what each "
                "method supports"),
};
const pl_type pl_type_body_contact = {.name = "contact",
                                      .help = "Contact settings of a body.",
                                      PL_TYPE_TABLE(pl_body_contact, body_contact_rows)};

static const pl_field_info render_rows[] = {
    PL_ROW_TEXT(pl_render, "surface", surface, PL_FIELD_FILE, 0,
                "mesh that moves with the body and is drawn and exported instead"),
    PL_ROW_AUTO(
        pl_render, "edge", edge, 0, "m", 1e-6, 1e6, "the body's own",
        "draws and exports a body of \"generate\" with this edge length, before its transform; "
        "its tets do not change. Not with record all"),
    PL_ROW_BOOL(pl_render, "keep_surface", keep_surface, true,
                "draws, records and exports a closed surface that was filled with tets as it was "
                "given (faces, texture coordinates, normals, materials), and a body with eigenfit "
                "as the surface of its fine mesh; false, or record all: the boundary of the tets. "
                "Contact always uses that boundary"),
    PL_ROW_VECTOR_AUTO(pl_render, "color", color, 0, "", 0, 1, "chosen by pliant",
                       "red, green, blue"),
};
const pl_type pl_type_render = {
    .name = "render", .help = "How a body is drawn.", PL_TYPE_TABLE(pl_render, render_rows)};

static const pl_field_info body_rows[] = {
    PL_ROW_TEXT(pl_body, "name", name, PL_FIELD_TEXT, 0, "unique; by default body0, body1, ..."),
    PL_ROW_TEXT(pl_body, "mesh", mesh, PL_FIELD_FILE, PL_VARIANT,
                "mesh file: msh, node/ele, mesh, vtk, vtu, obj, ply, stl, off, also .gz"),
    PL_ROW_OBJECT(pl_body, "generate", generate, PL_FIELD_OBJECT, PL_VARIANT, maker,
                  "a shape made by pliant"),
    PL_ROW_CHOICE(pl_body, "kind", kind, pl_body_kind, PL_BODY_AUTO, "solid or cloth"),
    PL_ROW_AUTO(pl_body, "edge", edge, 0, "m", 1e-6, 1e6, "by thickness, <= diagonal / 30",
                "edge length of the tets that fill a closed surface"),
    PL_ROW_CHOICE(pl_body, "mesher", mesher, pl_mesher, PL_MESHER_STUFFING,
                  "mesher that fills a closed surface with tets"),
    PL_ROW_BOOL(pl_body, "allow_split", allow_split, false,
                "accepts tets in more pieces than the surface, or with a volume error above 5 %"),
    PL_ROW_OBJECT(pl_body, "transform", transform, PL_FIELD_OBJECT, 0, transform,
                  "placement of the mesh"),
    PL_ROW_VECTOR(pl_body, "velocity", velocity, 0, "m/s", -1e6, 1e6, 0, 0, 0, "initial velocity"),
    PL_ROW_VECTOR(pl_body, "angular_velocity", angular_velocity, 0, "deg/s", -1e8, 1e8, 0, 0, 0,
                  "initial angular velocity about its centre"),
    PL_ROW_OBJECT(pl_body, "material", material, PL_FIELD_OBJECT, 0, material, "material"),
    PL_ROW_LIST(pl_body, "regions", regions, region_count, PL_INHERIT, region_material,
                "different materials in regions of the mesh"),
    PL_ROW_LIST(pl_body, "vary", variations, variation_count, 0, variation,
                "parameters that vary over the body"),
    PL_ROW_BOOL(pl_body, "rigid", rigid, false,
                "does not deform; uses method rigid, whatever the key method says"),
    PL_ROW_CHOICE(pl_body, "method", method, pl_method, PL_METHOD_FEM, "method of simulation"),
    PL_ROW_CHOICE(pl_body, "integrator", integrator, pl_integrator, PL_INTEGRATOR_AUTO,
                  "time integration"),
    PL_ROW_CHOICE(pl_body, "nonlinear", nonlinear, pl_nonlinear, PL_NONLINEAR_AUTO,
                  "nonlinear solver"),
    PL_ROW_CHOICE(pl_body, "linear", linear, pl_linear, PL_LINEAR_AUTO, "linear solver"),
    PL_ROW_ARRAY(pl_body, "levels", multigrid.levels, multigrid.level_count, PL_FIELD_INTS, 0, 1,
                 "", 1, 1e9,
                 "number of nodes of each coarse multigrid level, coarsest first; empty: chosen "
                 "by pliant"),
    PL_ROW_NUMBER(pl_body, "tolerance", solver.tolerance, 0, "", 1e-15, 1, 1e-4,
                  "tolerance of the nonlinear solver: residual force relative to the load"),
    PL_ROW_INT(
        pl_body, "iterations", solver.iterations, 1, 100000, 20,
        "largest number of nonlinear iterations; unless fixed, Newton may take 4 times as many on "
        "cloth of springs and where bodies may touch something, nonlinear projective 20 "
        "times"),
    PL_ROW_BOOL(pl_body, "fixed", solver.fixed, false,
                "always makes all iterations, regardless of the residual"),
    PL_ROW_NUMBER(
        pl_body, "linear_tolerance", solver.linear_tolerance, 0, "", 1e-15, 1, 1e-3,
        "tolerance of the linear solver: residual relative to the initial one; cloth of springs is "
        "solved to 0.01 to 0.3 and touching bodies of fem to 0.02, unless it is larger"),
    PL_ROW_INT(pl_body, "linear_iterations", solver.linear_iterations, 1, 1000000, 100,
               "largest number of iterations of the linear solver; cloth of springs takes at "
               "most 10 of multigrid at first"),
    PL_ROW_BOOL(pl_body, "line_search", solver.line_search, true,
                "shortens steps that would raise the energy"),
    PL_ROW_CHOICE(pl_body, "mass", mass, pl_mass, PL_MASS_LUMPED, "mass matrix"),
    PL_ROW_OBJECT(pl_body, "damping", damping, PL_FIELD_OBJECT, 0, damping, "Rayleigh damping"),
    PL_ROW_OBJECT(pl_body, "multigrid", multigrid, PL_FIELD_OBJECT, 0, multigrid,
                  "multigrid settings"),
    PL_ROW_OBJECT(pl_body, "mixed", mixed, PL_FIELD_OBJECT, 0, mixed, "settings of method mixed"),
    PL_ROW_OBJECT(pl_body, "grid", grid, PL_FIELD_OBJECT, 0, grid, "settings of method grid"),
    PL_ROW_OBJECT(pl_body, "pbd", pbd, PL_FIELD_OBJECT, 0, pbd, "settings of method pbd"),
    // after the object that stores it, whose defaults would overwrite it
    PL_ROW_INT(pl_body, "hierarchy", pbd.hierarchy, -1, 32, -1,
               "number of coarse levels of pbd; 0: plain position based dynamics; -1: chosen by "
               "pliant, none with model stiffness"),
    PL_ROW_OBJECT(pl_body, "eigenfit", eigenfit, PL_FIELD_OPTIONAL, 0, eigenfit,
                  "makes the body move like a finer mesh"),
    PL_ROW_OBJECT(pl_body, "contact", contact, PL_FIELD_OBJECT, 0, body_contact,
                  "contact settings"),
    PL_ROW_OBJECT(pl_body, "render", render, PL_FIELD_OBJECT, 0, render, "how it is drawn"),
};
const pl_type pl_type_body = {
    .name = "body",
    .help = "A deformable object.",
    PL_TYPE_TABLE(pl_body, body_rows),
    .variants = &pl_choices_of_pl_body_shape,
    .variant_offset = offsetof(pl_body, shape),
    .variant_required = true,
    .check = pl_check_body,
};
