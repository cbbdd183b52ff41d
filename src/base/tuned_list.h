// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Numbers that were chosen by measurement: TUNED(type, name, value, top, measured on).
//
// None of them changes the solution of a converged step. They change the number of iterations, or
// the remaining error below the tolerance. `pliant-bench sensitivity` halves and doubles each:
// `value` itself where `top` is 0, else its distance from `top`. tuned.h includes this file several
// times.

// ---- levels of multigrid: multigrid/hierarchy.c, pl_mg_automatic_counts

// Vertices per node of level 1 in small bodies. With fewer, coarse levels are as expensive as the
// finest; with more, solves take more iterations.
TUNED(double, vertices_per_node, 40.0, 0.0, "bars and cubes of 1 000 to 523 000 vertices")
// Vertices per node of level 1 in large bodies, divided by the fourth root of the number of
// vertices.
TUNED(double, vertices_per_node_growth, 4.5, 0.0, "bars and cubes of 1 000 to 523 000 vertices")
// Nodes of the coarsest level, divided by the cube root of the number of vertices.
TUNED(double, coarsest_nodes, 2.0, 0.0, "bars and cubes of 1 000 to 523 000 vertices")
// Nodes of a coarse level per node of the next.
TUNED(int, nodes_per_node, 12, 0.0, "bars and cubes of 1 000 to 523 000 vertices")
// Keeping parts separate may need up to this many times the usual node count.
TUNED(int, max_node_factor, 4, 0.0, "bars with layers, lumps, bones and shells")

// ---- soft and stiff parts: multigrid/stiff_lengths.c

// An edge is strong if its stiffness is at least this share of its vertex's. Neighbours in one
// material differ by less, and smaller jumps cost few iterations.
TUNED(double, strong_edge, 0.02, 0.0, "bars with layers, lumps, bones and shells (s0-contrast)")
// Edges that lead from stiff to soft count as longer by this factor. Soft parts several elements
// thick then get their own nodes; thin ones between stiff parts need none.
TUNED(double, downhill_length, 3.0, 0.0, "bars with layers, lumps, bones and shells (s0-contrast)")
// Edges inside stiff parts count as longer by this factor, so that nodes are closer together there:
// the error of a thin part that bends grows with the third power of their distance.
TUNED(double, stiff_length, 1.6, 0.0, "bars with layers, lumps, bones and shells (s0-contrast)")
// A stiff part of fewer vertices stays whole: one node can represent it.
TUNED(int, large_part, 48, 0.0, "bars with layers, lumps, bones and shells (s0-contrast)")
// Rounds in which a weak edge becomes strong if strong edges join both its ends to a third vertex,
// as in badly shaped elements.
TUNED(int, ways_around, 2, 0.0, "octopus and armadillo with slivers")
// A body is uneven if more than `few_weak` edges plus one in `many_edges` stay weak. Badly shaped
// elements in a body of one material leave fewer.
TUNED(int, few_weak, 64, 0.0, "octopus and armadillo with slivers")
TUNED(int, many_edges, 10000, 0.0, "octopus and armadillo with slivers")
// Smallest eigenvalue that the iteration on the first coarse level of an uneven body aims at.
TUNED(float, first_level_aim, 0.15f, 0.0, "bars with layers, lumps, bones and shells (s0-contrast)")

// ---- cycles that are slow: multigrid/mg_krylov_float.c, mg_krylov.c, sparse/linear_fallback.c

// Cycles sweep the finest level on one side only, as long as they reduce the residual to this
// fraction or less, averaged over `watched_cycles` of them.
TUNED(double, sluggish_cycle, 0.75, 1.0, "armadillo, dragon and bars (s0-peers, s0-contrast)")
TUNED(int, watched_cycles, 8, 0.0, "armadillo, dragon and bars (s0-peers, s0-contrast)")
// Conjugate gradients take over from plain cycles if these leave more than this fraction of the
// residual.
TUNED(double, slow_cycle, 0.85, 1.0, "bars with lumps of 1e8")
// Conjugate gradients have failed if this many iterations leave more than `slow_gradients` of the
// residual.
TUNED(int, watched_gradients, 24, 0.0, "bars with lumps of 1e8")
TUNED(double, slow_gradients, 0.1, 0.0, "bars with lumps of 1e8")
// Iterations after which a solve that has not converged is given up.
TUNED(int, linear_patience, 100, 0.0, "bars with lumps of 1e8")

// ---- Newton's method: step/step_newton.c, step_search.c

// Smallest share of the projected Hessian to blend in.
TUNED(double, min_projected_fraction, 0.25, 0.0, "cloth of 1 000 to 10 000 triangles on a ball")
// Above this residual, cloth keeps the share of its last matrix. A smaller share would mostly make
// the matrix indefinite, which shows only after it is assembled and half solved.
TUNED(double, far_residual, 0.05, 0.0, "cloth of 1 000 to 10 000 triangles on a ball")
// Linear systems of cloth are solved to this tolerance.
TUNED(double, rough_tolerance, 0.3, 0.0, "22 frames of a cloth of 10 000 triangles on a ball")
// The last linear system is solved until the residual of the step would be this fraction of the
// tolerance if forces were linear.
TUNED(double, end_part, 0.6, 0.0, "a cloth of 10 000 triangles on a ball")
// A system that would need a smaller tolerance than this is not treated as the last one.
TUNED(double, min_end_tolerance, 0.01, 0.0, "a cloth of 10 000 triangles on a ball")
// Linear systems of bodies that touch each other are solved to this tolerance. 40 frames of three
// bears take 28 137 cycles at 1e-3, 14 099 at 0.02, 9757 at 0.2, which leaves more steps
// unconverged.
TUNED(double, contact_tolerance, 0.02, 0.0, "40 frames of three bears that fall on one another")
// Multigrid gives up on a system of cloth after this many iterations: the Hessian is nearly
// singular where cloth folds, and sweeps find the rest cheaper.
TUNED(int, rough_iterations, 10, 0.0, "37 frames of a cloth of 10 000 triangles on a ball")
// The limit after a step that its matrix predicted well.
TUNED(int, smooth_iterations, 20, 0.0, "40 frames of cloths of 10 000 and 20 000 triangles")
// The same for cloth that touches itself or other bodies, at any time.
TUNED(int, contact_iterations, 30, 0.0,
      "34 frames of a falling cloth of 5 000 triangles that folds")
// If cloth that touches something leaves more than this fraction of a linear system, the matrix is
// nearly indefinite, and the rest of the step takes more of the projected Hessian.
TUNED(double, unsolved_residual, 0.5, 0.0,
      "34 frames of a falling cloth of 5 000 triangles that folds")
// Cloth that folds and bodies that touch may take this many times the scene's `iterations`.
TUNED(int, folding_factor, 4, 0.0, "a cloth of 10 000 triangles on a ball, three bears")
// A step was short if more than this fraction of the initial slope is left after it.
TUNED(double, straight_slope, 0.6, 0.0, "scenes/cloth_over_sphere.json")
// A step agrees with its model if its gain is within this fraction of the predicted gain.
TUNED(double, as_foreseen, 0.02, 0.0, "scenes/cloth_over_sphere.json")

// ---- friction: step/step_friction.c, step_meeting_friction.c

// Normal forces are updated if forces along normals are out of balance by less than this fraction
// of the error of friction.
TUNED(double, max_normal_part, 0.3, 0.0, "blocks on slopes")
// They are updated only half way if the error is still above this fraction of the error at the last
// update.
TUNED(double, min_friction_progress, 0.7, 1.0, "blocks on slopes")
// Between bodies, friction follows before a minimum is reached if its forces then change by more
// than this multiple of all forces that are out of balance.
TUNED(double, early_friction, 1.0, 0.0, "60 frames of three bears, 34 frames of a cloth that folds")

// ---- sweeps over cloth: fem/spring_relax.c

TUNED(int, relax_sweeps, 100, 0.0, "40 frames of cloths of 10 000 and 20 000 triangles")
// The last of them, which are not over-relaxed.
TUNED(int, plain_sweeps, 5, 0.0, "a cloth of 10 000 triangles on a ball")
// Contacts are evaluated anew once in this many sweeps, and in plain ones. In between they are
// linear.
TUNED(int, contact_sweeps, 4, 0.0, "37 frames of a cloth of 10 000 triangles on a ball")
TUNED(float, over_relaxation, 1.95f, 2.0, "40 frames of cloths of 10 000 and 20 000 triangles")

// ---- Projective Dynamics: step/step_projective_loop.c, fem/fem_projective_*.c

// Steps end at this fraction of the tolerance. With the demo's 1e-3, a tumbling bear ends up 6 % of
// its way off if steps end at the tolerance, 0.1 % if they end at a tenth of it.
TUNED(double, projective_aim, 0.1, 0.0, "scenes/demo.json")
// A direction takes a single cycle if the test solve needs no more iterations than this. Otherwise
// directions are solved to `projective_tolerance`.
TUNED(int, max_fast_iterations, 7, 0.0, "bears, bars, armadillo, octopus")
TUNED(double, projective_tolerance, 0.1, 0.0, "bears, bars, armadillo, octopus")
// Bodies whose vertices turn farther than this in a step [rad] start it as if they were rigid. The
// second number is for steps that start with the forces of the last one.
TUNED(double, fast_turn, 0.05, 0.0, "a bar that spins at 60 rad/s")
TUNED(double, fast_warm_turn, 0.3, 0.0, "a bear that tumbles")
