// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Pairs of moving surfaces by FCL, the Flexible Collision Library: a BVHModel of boxes for each
// surface, updated and refitted from the leaves up, and its dynamic tree of boxes for the surfaces.
// peer_fcl FILE REPEATS; pair_problem.h has the file and what is printed, under the names
//
//   surfaces  a model for each surface; the cheaper of its two rules to split
//   one       one model for all triangles
//
// Of its bounding volumes boxes along the axes are the only ones that hold the room around a way
// exactly and cost least to refit. A model fits them to two places of each vertex; these are the
// corners of the box around its way.
#include "pair_problem.h"

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision_object.h>
#include <fcl/narrowphase/detail/traversal/collision/bvh_collision_traversal_node.h>
#include <fcl/narrowphase/detail/traversal/collision_node.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

typedef fcl::AABB<double> Box;
typedef fcl::BVHModel<Box> Model;
typedef fcl::Vector3<double> Vector;

struct Surface {
    std::shared_ptr<Model> model;
    std::vector<int> vertices; // of the model, in the problem
    int first_triangle;
    std::unique_ptr<fcl::CollisionObject<double>> object;
};

struct Trees {
    std::vector<Surface> surfaces;
    fcl::DynamicAABBTreeCollisionManager<double> manager;
    pair_problem* p = nullptr;
};

// FCL's traversal of two trees, with the triangles of leaves compared as all programs do it
struct Traversal : fcl::detail::BVHCollisionTraversalNode<Box> {
    const Surface *first, *second;
    pair_problem* p;
    void leafTesting(int b1, int b2) const override {
        pair_problem_compare(p, first->first_triangle + model1->getBV(b1).primitiveId(),
                             second->first_triangle + model2->getBV(b2).primitiveId());
    }
    bool canStop() const override { return false; }
};

static Traversal traversal_of(const Trees& trees, const Surface& a, const Surface& b) {
    Traversal node;
    node.first = &a;
    node.second = &b;
    node.model1 = a.model.get();
    node.model2 = b.model.get();
    node.p = trees.p;
    return node;
}

static Surface make_surface(const pair_problem* p, int first, int end,
                            fcl::detail::SplitMethodType split) {
    Surface out;
    std::vector<int> own((size_t)p->vertex_count, -1);
    std::vector<Vector> places;
    std::vector<fcl::Triangle> triangles;
    for (int t = first; t < end; t++) {
        size_t corners[3];
        for (size_t i = 0; i < 3; i++) {
            const size_t v = (size_t)p->triangles[3 * (size_t)t + i];
            if (own[v] < 0) {
                own[v] = (int)places.size();
                out.vertices.push_back((int)v);
                places.emplace_back(p->start[3 * v], p->start[3 * v + 1], p->start[3 * v + 2]);
            }
            corners[i] = (size_t)own[v];
        }
        triangles.emplace_back(corners[0], corners[1], corners[2]);
    }
    out.first_triangle = first;
    out.model.reset(new Model);
    out.model->bv_splitter.reset(new fcl::detail::BVSplitter<Box>(split));
    out.model->beginModel((int)triangles.size(), (int)places.size());
    out.model->addSubModel(places, triangles);
    out.model->endModel();
    out.object.reset(new fcl::CollisionObject<double>(out.model));
    return out;
}

static void build(const pair_problem* p, bool is_one, fcl::detail::SplitMethodType split,
                  Trees& trees) {
    const int count = is_one ? 1 : p->surface_count;
    for (int s = 0; s < count; s++)
        trees.surfaces.push_back(
            make_surface(p, p->firsts[s], is_one ? p->triangle_count : p->firsts[s + 1], split));
    for (Surface& surface : trees.surfaces) {
        surface.object->setUserData(&surface);
        trees.manager.registerObject(surface.object.get());
    }
    trees.manager.setup();
}

static void refit(const pair_problem* p, Surface& surface) {
    Model& model = *surface.model;
    model.beginUpdateModel(); // from here on prev_vertices are those of the last search
    for (size_t k = 0; k < surface.vertices.size(); k++) {
        double low[3], high[3];
        pair_problem_box(p, surface.vertices[k], low, high);
        model.prev_vertices[k] = Vector(low[0], low[1], low[2]);
        model.updateVertex(Vector(high[0], high[1], high[2]));
    }
    model.endUpdateModel(true, true);
    model.aabb_local = model.getBV(0).bv;
    model.aabb_center = model.aabb_local.center();
    model.aabb_radius = (model.aabb_local.min_ - model.aabb_center).norm();
    surface.object->computeAABB();
}

static bool compare_surfaces(fcl::CollisionObject<double>* a, fcl::CollisionObject<double>* b,
                             void* user) {
    Traversal node =
        traversal_of(*static_cast<Trees*>(user), *static_cast<Surface*>(a->getUserData()),
                     *static_cast<Surface*>(b->getUserData()));
    fcl::detail::collide(&node);
    return false;
}

static void search(pair_problem* p, void* user) {
    Trees& trees = *static_cast<Trees*>(user);
    trees.p = p;
    for (Surface& surface : trees.surfaces) {
        refit(p, surface);
        Traversal node = traversal_of(trees, surface, surface);
        fcl::detail::selfCollide(&node);
    }
    trees.manager.update();
    trees.manager.collide(&trees, compare_surfaces);
}

static void measure(pair_problem* p, bool is_one, fcl::detail::SplitMethodType split,
                    const char* name, int repeats) {
    Trees trees;
    build(p, is_one, split, trees);
    pair_problem_measure(p, search, &trees, name, repeats);
}

int main(int argc, char** argv) {
    const int repeats = argc == 3 ? std::atoi(argv[2]) : 0;
    pair_problem* p = repeats > 0 && repeats < 99 ? pair_problem_read(argv[1]) : nullptr;
    if (!p) {
        std::fprintf(stderr, "usage: peer_fcl FILE REPEATS\n");
        return 2;
    }
    measure(p, false, fcl::detail::SPLIT_METHOD_MEAN, "surfaces", repeats);
    measure(p, false, fcl::detail::SPLIT_METHOD_BV_CENTER, "centres", repeats);
    measure(p, true, fcl::detail::SPLIT_METHOD_MEAN, "one", repeats);
    return 0;
}
