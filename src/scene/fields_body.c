// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The fields of bodies: shape, place, material, method and its settings.
#include "scene/scene_type.h"

#include <math.h>

static const pl_field_info maker_value_rows[] = {
    PL_ROW_TEXT(pl_shape_value, "key", key, PL_FIELD_TEXT, PL_REQUIRED, "parameter"),
    PL_ROW_NUMBER(pl_shape_value, "number", number, 0, "", -1e12, 1e12, 0, "its number"),
    PL_ROW_TEXT(pl_shape_value, "word", word, PL_FIELD_TEXT, 0, "or its word"),
};
const pl_type pl_type_maker_value = {.name = "parameter",
                                     .help = "One parameter of a generated shape.",
                                     PL_TYPE_TABLE(pl_shape_value, maker_value_rows)};

static const pl_field_info maker_rows[] = {
    PL_ROW_TEXT(pl_shape_maker, "shape", shape, PL_FIELD_TEXT, PL_REQUIRED,
                "name of the shape; its parameters stand beside it (see Generated shapes)"),
    PL_ROW_LIST(pl_shape_maker, "values", values, value_count, PL_HIDDEN, maker_value,
                "its parameters"),
};
const pl_type pl_type_maker = {
    .name = "generate",
    .help = "A shape made by pliant. Further keys are the parameters of that shape.",
    PL_TYPE_TABLE(pl_shape_maker, maker_rows),
    .shorthand = "shape",
    .open = true,
};

static const pl_field_info transform_rows[] = {
    PL_ROW_AUTO(pl_transform, "size", size, 0, "m", 1e-6, 1e6, "as it is",
                "first the longest side of the bounding box is made so long"),
    PL_ROW_VECTOR(pl_transform, "scale", scale, PL_UNIFORM, "", 1e-9, 1e9, 1, 1, 1,
                  "then this scale; one number, or three"),
    PL_ROW_VECTOR(pl_transform, "rotate", rotate, 0, "deg", -1e6, 1e6, 0, 0, 0,
                  "then turns about the axes x, y, z, in this order"),
    PL_ROW_VECTOR(pl_transform, "translate", translate, 0, "m", -1e9, 1e9, 0, 0, 0,
                  "then this shift"),
};
const pl_type pl_type_transform = {.name = "transform",
                                   .help = "Sets a mesh into the world.",
                                   PL_TYPE_TABLE(pl_transform, transform_rows)};

static const pl_field_info material_rows[] = {
    PL_ROW_CHOICE(pl_material_def, "law", law, pl_law, PL_LAW_AUTO, "material law"),
    PL_ROW_NUMBER(pl_material_def, "density", density, PL_ANIMATED, "kg/m^3", 1e-3, 1e6, 1000,
                  "mass of solids"),
    PL_ROW_NUMBER(pl_material_def, "area_density", area_density, PL_ANIMATED, "kg/m^2", 1e-6, 1e4,
                  0.2, "mass of cloth"),
    PL_ROW_NUMBER(pl_material_def, "young", young, PL_ANIMATED, "Pa", 1e-3, 1e13, 1e5,
                  "Young's modulus: jelly 5e3, flesh 2e4, soft rubber 1e6, steel 2e11"),
    PL_ROW_NUMBER(pl_material_def, "poisson", poisson, PL_ANIMATED, "", -0.99, 0.5, 0.4,
                  "Poisson's ratio: 0 keeps no volume, 0.5 would keep all of it"),
    PL_ROW_AUTO(pl_material_def, "mu", mu, PL_ANIMATED, "Pa", 1e-3, 1e13, "from young and poisson",
                "shear modulus; goes with lambda or bulk, in place of young and poisson"),
    PL_ROW_AUTO(pl_material_def, "lambda", lambda, PL_ANIMATED, "Pa", -1e13, 1e15,
                "from the others", "first Lame parameter"),
    PL_ROW_AUTO(pl_material_def, "bulk", bulk, PL_ANIMATED, "Pa", 1e-3, 1e15, "from the others",
                "bulk modulus"),
    PL_ROW_NUMBER(
        pl_material_def, "mu2", mu2, PL_ANIMATED, "Pa", 0, 1e13, 0,
        "part of the shear modulus of mooney_rivlin that belongs to the second invariant, "
        "from 0 to mu; the rest belongs to the first: c01 = mu2/2, c10 = (mu - mu2)/2. It "
        "changes large strains only"),
    PL_ROW_NUMBER(pl_material_def, "thickness", thickness, PL_ANIMATED, "m", 1e-7, 1, 1e-3,
                  "of cloth"),
    PL_ROW_NUMBER(pl_material_def, "stretch", stretch, PL_ANIMATED, "N/m", 0, 1e12, 1000,
                  "stretch modulus of cloth of springs: force per width at unit strain, in any "
                  "direction and whatever the triangles; Poisson's ratio is 1/3"),
    PL_ROW_AUTO(
        pl_material_def, "shear", shear, PL_ANIMATED, "N/m", 0, 1e12, "3/8 of stretch",
        "shear modulus of cloth of springs: force per width at unit shear angle, by springs "
        "across edges; below 3/8 of stretch, cloth gives way in directions that no edge has"),
    PL_ROW_NUMBER(
        pl_material_def, "bend", bend, PL_ANIMATED, "N m", 0, 1e9, 1e-5,
        "bending stiffness of cloth: moment per width at unit curvature, in any direction "
        "and whatever the triangles"),
};
const pl_type pl_type_material = {
    .name = "material",
    .help = "What a body is made of. Solids use density and two elastic constants; cloth uses "
            "area_density, and stretch, shear and bend (law springs) or young, poisson, thickness "
            "and bend (law membrane).",
    PL_TYPE_TABLE(pl_material_def, material_rows)};

static const pl_field_info region_material_rows[] = {
    PL_ROW_TEXT(pl_region_material, "region", region, PL_FIELD_TEXT, PL_REQUIRED,
                "name of a region of the mesh"),
    PL_ROW_OBJECT(pl_region_material, "material", material, PL_FIELD_OBJECT, 0, material,
                  "its material; what is not said is as in the body's material"),
};
const pl_type pl_type_region_material = {.name = "region",
                                         .help = "Another material in one region of the mesh.",
                                         PL_TYPE_TABLE(pl_region_material, region_material_rows)};

static const pl_field_info gradient_rows[] = {
    PL_ROW_NUMBER(pl_gradient, "from", from, 0, "", -1e15, 1e15, NAN,
                  "value where the body begins"),
    PL_ROW_NUMBER(pl_gradient, "to", to, 0, "", -1e15, 1e15, NAN, "value where the body ends"),
    PL_ROW_VECTOR(pl_gradient, "direction", direction, 0, "", -1e9, 1e9, 0, 1, 0,
                  "from beginning to end; any length"),
    PL_ROW_CHOICE(pl_gradient, "spacing", spacing, pl_spacing, PL_SPACING_LINEAR,
                  "how it goes in between"),
};
const pl_type pl_type_gradient = {.name = "gradient",
                                  .help = "A parameter that goes from one value to another across "
                                          "the body, in the unit of the parameter.",
                                  PL_TYPE_TABLE(pl_gradient, gradient_rows)};

static const pl_field_info field_source_rows[] = {
    PL_ROW_TEXT(pl_field_source, "name", name, PL_FIELD_TEXT, PL_REQUIRED,
                "a field of the mesh, on tets, triangles or vertices"),
    PL_ROW_NUMBER(pl_field_source, "scale", scale, 0, "", -1e15, 1e15, 1,
                  "its values are multiplied by this"),
};
const pl_type pl_type_field_source = {.name = "field",
                                      .help = "A parameter that is read from the mesh.",
                                      PL_TYPE_TABLE(pl_field_source, field_source_rows),
                                      .shorthand = "name"};

static const pl_field_info variation_rows[] = {
    PL_ROW_CHOICE(pl_variation, "parameter", parameter, pl_material_key, PL_VARY_YOUNG,
                  "what varies"),
    PL_ROW_OBJECT(pl_variation, "gradient", gradient, PL_FIELD_OBJECT, PL_VARIANT, gradient,
                  "between two values along a direction"),
    PL_ROW_OBJECT(pl_variation, "field", field, PL_FIELD_OBJECT, PL_VARIANT, field_source,
                  "by a field of the mesh"),
};
const pl_type pl_type_variation = {
    .name = "vary",
    .help = "A material parameter that is not the same everywhere.",
    PL_TYPE_TABLE(pl_variation, variation_rows),
    .variants = &pl_choices_of_pl_variation_kind,
    .variant_offset = offsetof(pl_variation, kind),
    .variant_required = true,
};

static const pl_field_info damping_rows[] = {
    PL_ROW_NUMBER(pl_damping, "mass", mass, PL_ANIMATED, "1/s", 0, 1e6, 0,
                  "slows every motion, as in a thick fluid"),
    PL_ROW_NUMBER(pl_damping, "stiffness", stiffness, PL_ANIMATED, "s", 0, 1e3, 0,
                  "calms vibrations"),
};
const pl_type pl_type_damping = {.name = "damping",
                                 .help = "Rayleigh damping: mass M + stiffness K.",
                                 PL_TYPE_TABLE(pl_damping, damping_rows)};

static const pl_field_info multigrid_rows[] = {
    PL_ROW_CHOICE(pl_multigrid, "smoother", smoother, pl_smoother, PL_SMOOTHER_GAUSS_SEIDEL,
                  "smoother"),
    PL_ROW_INT(pl_multigrid, "pre_sweeps", pre_sweeps, 0, 100, 1,
               "sweeps before the coarse correction"),
    PL_ROW_INT(pl_multigrid, "post_sweeps", post_sweeps, 0, 100, 1, "sweeps after it"),
    PL_ROW_ARRAY(
        pl_multigrid, "sweeps", sweeps, sweep_count, PL_FIELD_INTS, 0, 1, "", 1, 100,
        "sweeps before and after, level by level in place of these two; finest level first, "
        "the last number is for all coarser ones"),
    PL_ROW_CHOICE(pl_multigrid, "space", space, pl_coarse_space, PL_SPACE_AFFINE,
                  "unknowns of a coarse vertex"),
    PL_ROW_CHOICE(pl_multigrid, "weights", weights, pl_coarse_weights, PL_WEIGHTS_CONSTANT,
                  "weights of coarse vertices"),
    PL_ROW_BOOL(pl_multigrid, "stiffness_aware", stiffness_aware, true,
                "coarse vertices follow the stiffness of uneven bodies"),
    PL_ROW_BOOL(
        pl_multigrid, "fallback", fallback, true,
        "goes over to mgpcg where the plain cycle stalls, to direct where that fails, and says so"),
};
const pl_type pl_type_multigrid = {.name = "multigrid",
                                   .help = "The multigrid of fem and mixed.",
                                   PL_TYPE_TABLE(pl_multigrid, multigrid_rows)};

static const pl_field_info mixed_rows[] = {
    PL_ROW_NUMBER(pl_mixed, "stabilization", stabilization, 0, "", 0, 1e4, 1,
                  "of the pressure; higher is smoother"),
    PL_ROW_CHOICE(pl_mixed, "stabilize", stabilize, pl_stabilize, PL_STABILIZE_FULL,
                  "what the stabilization is part of"),
};
const pl_type pl_type_mixed = {
    .name = "mixed", .help = "Settings of method mixed.", PL_TYPE_TABLE(pl_mixed, mixed_rows)};

static const pl_field_info grid_rows[] = {
    PL_ROW_AUTO(pl_grid, "cell", cell, 0, "m", 1e-6, 1e6,
                "so that there are about 1200, more where the body is thin",
                "edge of a lattice cell"),
    PL_ROW_INT(pl_grid, "padding", padding, 0, 16, 0, "layers of cells around the surface"),
    PL_ROW_CHOICE(pl_grid, "embedding", embedding, pl_grid_embedding, PL_GRID_EMBEDDING_TRILINEAR,
                  "how the surface that is shown follows the lattice"),
    PL_ROW_CHOICE(pl_grid, "smoother", smoother, pl_grid_smoother, PL_GRID_SMOOTHER_DISTRIBUTIVE,
                  "smoother"),
    PL_ROW_INT(pl_grid, "update_every", update_every, 1, 1000, 1,
               "cycles between updates of the rotations"),
};
const pl_type pl_type_grid = {
    .name = "grid", .help = "Settings of method grid.", PL_TYPE_TABLE(pl_grid, grid_rows)};

static const pl_field_info pbd_rows[] = {
    PL_ROW_CHOICE(pl_pbd, "model", model, pl_pbd_model, PL_PBD_COMPLIANCE, "meaning of stiffness"),
    PL_ROW_INT(pl_pbd, "substeps", substeps, 0, 10000, 0,
               "steps that each step is divided into; the sweeps of iterations are divided among "
               "them; 0: chosen by pliant, 1 with model stiffness"),
    PL_ROW_NUMBER(pl_pbd, "stretch", stretch, PL_ANIMATED, "", 0, 1, 1, "of distance constraints"),
    PL_ROW_NUMBER(pl_pbd, "shear", shear, PL_ANIMATED, "", 0, 1, 0,
                  "of distances across inner edges of cloth, which also resist folding"),
    PL_ROW_NUMBER(pl_pbd, "bend", bend, PL_ANIMATED, "", 0, 1, 0.1, "of bending constraints"),
    PL_ROW_NUMBER(pl_pbd, "volume", volume, PL_ANIMATED, "", 0, 1, 1, "of tets"),
    PL_ROW_AUTO(pl_pbd, "compliance", compliance, PL_ANIMATED, "m/N", 0, 1e6, "from the material",
                "of every distance, with model compliance"),
    PL_ROW_INT(pl_pbd, "parents", parents, 1, 16, 2, "of each fine particle, at least"),
    PL_ROW_AUTO(pl_pbd, "keep_attached", keep_attached, 0, "", 0, 1, "left out last",
                "probability that an attached particle stays on a coarse level"),
    PL_ROW_INT(pl_pbd, "passes", passes, 1, 100, 1, "over the hierarchy in each step"),
    PL_ROW_INT(pl_pbd, "coarse_sweeps", coarse_sweeps, 1, 1000, 1,
               "on each coarse level in a pass, the coarsest more"),
    PL_ROW_CHOICE(pl_pbd, "rest_length", rest_length, pl_rest_length, PL_REST_LENGTH_GEODESIC,
                  "rest length of coarse constraints"),
    PL_ROW_BOOL(pl_pbd, "coarse_bending", coarse_bending, false, "bending on coarse levels too"),
    PL_ROW_BOOL(pl_pbd, "lumped_mass", lumped_mass, true,
                "coarse masses lumped: linear momentum is kept"),
    PL_ROW_INT(pl_pbd, "level", level, 0, 32, 0, "simulate and draw only this level; 0: all"),
    PL_ROW_AUTO(pl_pbd, "tear", tear, PL_ANIMATED, "", 1, 1e3, "never",
                "constraints break above this stretch (2: twice as long)"),
    PL_ROW_CHOICE(pl_pbd, "tear_mode", tear_mode, pl_tear_mode, PL_TEAR_REBUILD,
                  "hierarchy at a tear"),
};
const pl_type pl_type_pbd = {
    .name = "pbd", .help = "Settings of method pbd.", PL_TYPE_TABLE(pl_pbd, pbd_rows)};

static const pl_field_info eigenfit_rows[] = {
    PL_ROW_INT(pl_eigenfit, "modes", modes, 1, 190, 10, "how many modes are fitted"),
    PL_ROW_TEXT(pl_eigenfit, "fine", fine, PL_FIELD_FILE, 0, "mesh of the fine body"),
    PL_ROW_AUTO(pl_eigenfit, "edge", edge, 0, "m", 1e-6, 1e6, "half that of the body",
                "edge length of the fine mesh, if no file is given"),
    PL_ROW_NUMBER(pl_eigenfit, "tolerance", tolerance, 0, "", 0, 1, 0.4,
                  "largest loss of orthogonality of a matched mode"),
    PL_ROW_AUTO(pl_eigenfit, "coarse_edge", coarse_edge, 0, "m", 1e-6, 1e6, "the body is coarse",
                "the body is the fine one, and moves on a mesh of this edge length that pliant "
                "makes"),
    PL_ROW_ARRAY(pl_eigenfit, "ratios", ratios, ratio_count, PL_FIELD_NUMBERS, 0, 1, "", 1e-6, 1e3,
                 "eigenvalues are multiplied by these, lowest mode first; there is no fine mesh"),
    PL_ROW_BOOL(pl_eigenfit, "dac", dac, false,
                "all stiffness is scaled by the ratio of the first mode, and no mode is fitted"),
    PL_ROW_BOOL(pl_eigenfit, "fallback", fallback, false,
                "steps whose modes are not those at rest go without a correction"),
    PL_ROW_BOOL(pl_eigenfit, "cache", cache, true,
                "modes of the fine mesh are kept on disk for the next run"),
};
const pl_type pl_type_eigenfit = {
    .name = "eigenfit",
    .help = "Makes a coarse fem body move like a fine one.",
    PL_TYPE_TABLE(pl_eigenfit, eigenfit_rows),
};

static const pl_field_info body_contact_rows[] = {
    PL_ROW_AUTO(pl_body_contact, "thickness", thickness, PL_ANIMATED, "m", 0, 1e3,
                "a tenth of an edge",
                "kept free around the surface; of bodies that touch, both count"),
    PL_ROW_AUTO(pl_body_contact, "stiffness", stiffness, PL_ANIMATED, "N/m", 0, 1e15,
                "from the material", "of the penalty"),
    PL_ROW_NUMBER(
        pl_body_contact, "friction", friction, PL_ANIMATED, "", 0, 10, 0.3,
        "Coulomb's coefficient on colliders that give none, and between bodies, where the "
        "larger of two counts"),
    PL_ROW_BOOL(pl_body_contact, "self", self, false,
                "the body collides with itself; methods fem and pbd"),
    PL_ROW_BOOL(pl_body_contact, "bodies", bodies, true,
                "it collides with other bodies that have this set; what each method does about it "
                "is in contact.md"),
};
const pl_type pl_type_body_contact = {.name = "contact",
                                      .help = "How a body touches others.",
                                      PL_TYPE_TABLE(pl_body_contact, body_contact_rows)};

static const pl_field_info render_rows[] = {
    PL_ROW_TEXT(pl_render, "surface", surface, PL_FIELD_FILE, 0,
                "mesh that moves with the body and is drawn and exported in its place"),
    PL_ROW_AUTO(
        pl_render, "edge", edge, 0, "m", 1e-6, 1e6, "the body's own",
        "a body of \"generate\" is drawn and exported as if its edges were so long; its tets "
        "stay what they are. Not with record all"),
    PL_ROW_BOOL(pl_render, "keep_surface", keep_surface, true,
                "a closed surface that was filled with tets is drawn, recorded and exported as it "
                "came (faces, texture coordinates, normals, materials); false, or record all: the "
                "boundary of the tets, which is what touches things either way"),
    PL_ROW_VECTOR_AUTO(pl_render, "color", color, 0, "", 0, 1, "chosen by pliant",
                       "red, green, blue"),
};
const pl_type pl_type_render = {
    .name = "render", .help = "What is seen of a body.", PL_TYPE_TABLE(pl_render, render_rows)};

static const pl_field_info body_rows[] = {
    PL_ROW_TEXT(pl_body, "name", name, PL_FIELD_TEXT, 0, "unique; without it body0, body1, ..."),
    PL_ROW_TEXT(pl_body, "mesh", mesh, PL_FIELD_FILE, PL_VARIANT,
                "mesh file: msh, node/ele, mesh, vtk, vtu, obj, ply, stl, off, also .gz"),
    PL_ROW_OBJECT(pl_body, "generate", generate, PL_FIELD_OBJECT, PL_VARIANT, maker,
                  "a shape made by pliant"),
    PL_ROW_CHOICE(pl_body, "kind", kind, pl_body_kind, PL_BODY_AUTO, "solid or cloth"),
    PL_ROW_AUTO(pl_body, "edge", edge, 0, "m", 1e-6, 1e6, "by thickness, <= diagonal / 30",
                "edge length of the tets that fill a closed surface"),
    PL_ROW_CHOICE(pl_body, "mesher", mesher, pl_mesher, PL_MESHER_STUFFING,
                  "what fills a closed surface with tets"),
    PL_ROW_BOOL(pl_body, "allow_split", allow_split, false,
                "accepts tets in more pieces than the surface, or with a volume off by over 5 %"),
    PL_ROW_OBJECT(pl_body, "transform", transform, PL_FIELD_OBJECT, 0, transform, "its place"),
    PL_ROW_VECTOR(pl_body, "velocity", velocity, 0, "m/s", -1e6, 1e6, 0, 0, 0, "at the start"),
    PL_ROW_VECTOR(pl_body, "angular_velocity", angular_velocity, 0, "deg/s", -1e8, 1e8, 0, 0, 0,
                  "at the start, around its middle"),
    PL_ROW_OBJECT(pl_body, "material", material, PL_FIELD_OBJECT, 0, material,
                  "what it is made of"),
    PL_ROW_LIST(pl_body, "regions", regions, region_count, PL_INHERIT, region_material,
                "other materials in regions of the mesh"),
    PL_ROW_LIST(pl_body, "vary", variations, variation_count, 0, variation,
                "parameters that vary over the body"),
    PL_ROW_CHOICE(pl_body, "method", method, pl_method, PL_METHOD_FEM, "method of simulation"),
    PL_ROW_CHOICE(pl_body, "integrator", integrator, pl_integrator, PL_INTEGRATOR_AUTO,
                  "time integration"),
    PL_ROW_CHOICE(pl_body, "nonlinear", nonlinear, pl_nonlinear, PL_NONLINEAR_AUTO, "outer solver"),
    PL_ROW_CHOICE(pl_body, "linear", linear, pl_linear, PL_LINEAR_AUTO, "linear solver"),
    PL_ROW_ARRAY(pl_body, "levels", multigrid.levels, multigrid.level_count, PL_FIELD_INTS, 0, 1,
                 "", 1, 1e9,
                 "vertices of the coarse levels of multigrid, coarsest first; none: chosen by "
                 "pliant"),
    PL_ROW_NUMBER(pl_body, "tolerance", solver.tolerance, 0, "", 1e-15, 1, 1e-4,
                  "of the outer solver: residual force relative to the load"),
    PL_ROW_INT(pl_body, "iterations", solver.iterations, 1, 100000, 20,
               "of the outer solver, at most; cloth of springs by Newton may take 4 times as many, "
               "nonlinear projective 20 times as many unless they are fixed"),
    PL_ROW_BOOL(pl_body, "fixed", solver.fixed, false,
                "always all iterations, whatever the residual"),
    PL_ROW_NUMBER(pl_body, "linear_tolerance", solver.linear_tolerance, 0, "", 1e-15, 1, 1e-3,
                  "of the linear solver: residual relative to its first one"),
    PL_ROW_INT(pl_body, "linear_iterations", solver.linear_iterations, 1, 1000000, 100,
               "of the linear solver, at most"),
    PL_ROW_BOOL(pl_body, "line_search", solver.line_search, true,
                "shortens steps that would raise the energy"),
    PL_ROW_CHOICE(pl_body, "mass", mass, pl_mass, PL_MASS_LUMPED, "how mass is spread"),
    PL_ROW_OBJECT(pl_body, "damping", damping, PL_FIELD_OBJECT, 0, damping, "Rayleigh damping"),
    PL_ROW_OBJECT(pl_body, "multigrid", multigrid, PL_FIELD_OBJECT, 0, multigrid,
                  "settings of multigrid"),
    PL_ROW_OBJECT(pl_body, "mixed", mixed, PL_FIELD_OBJECT, 0, mixed, "settings of mixed"),
    PL_ROW_OBJECT(pl_body, "grid", grid, PL_FIELD_OBJECT, 0, grid, "settings of grid"),
    PL_ROW_OBJECT(pl_body, "pbd", pbd, PL_FIELD_OBJECT, 0, pbd, "settings of pbd"),
    // after the object that it is stored in, whose presets would overwrite it
    PL_ROW_INT(pl_body, "hierarchy", pbd.hierarchy, -1, 32, -1,
               "coarse levels of pbd; 0: plain position based dynamics; -1: chosen by pliant, none "
               "with model stiffness"),
    PL_ROW_OBJECT(pl_body, "eigenfit", eigenfit, PL_FIELD_OPTIONAL, 0, eigenfit,
                  "fits the motion to that of a finer mesh"),
    PL_ROW_OBJECT(pl_body, "contact", contact, PL_FIELD_OBJECT, 0, body_contact,
                  "how it touches others"),
    PL_ROW_OBJECT(pl_body, "render", render, PL_FIELD_OBJECT, 0, render, "what is seen of it"),
};
const pl_type pl_type_body = {
    .name = "body",
    .help = "A deformable object.",
    PL_TYPE_TABLE(pl_body, body_rows),
    .variants = &pl_choices_of_pl_body_shape,
    .variant_offset = offsetof(pl_body, shape),
    .variant_required = true,
};
