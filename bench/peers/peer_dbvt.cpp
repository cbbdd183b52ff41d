// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Pairs of moving surfaces by Bullet's trees of boxes (btDbvt), as its soft bodies use them: a tree
// of triangles for each surface, refitted from the leaves up, and one of surfaces. peer_dbvt FILE
// REPEATS; pair_problem.h has the file and what is printed, under the names
//
//   surfaces  a tree for each surface
//   one       one tree for all triangles
//   gimpact   btGImpactBvh for each surface, Bullet's other tree that can be refitted
//
// btSoftBody refits the same way (its updateFace). It has no call for a tree alone.
#include "pair_problem.h"

#include <BulletCollision/BroadphaseCollision/btDbvt.h>
#include <BulletCollision/Gimpact/btGImpactBvh.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

// boxes are floats: what rounding may take away
static const btScalar ROUNDING = btScalar(1e-5);

static btDbvtVolume volume_of(const pair_problem* p, int triangle) {
    btVector3 low(BT_LARGE_FLOAT, BT_LARGE_FLOAT, BT_LARGE_FLOAT), high = -low;
    for (int i = 0; i < 3; i++) {
        double from[3], to[3];
        pair_problem_box(p, p->triangles[3 * (size_t)triangle + (size_t)i], from, to);
        low.setMin(btVector3(btScalar(from[0]), btScalar(from[1]), btScalar(from[2])));
        high.setMax(btVector3(btScalar(to[0]), btScalar(to[1]), btScalar(to[2])));
    }
    const btScalar size = low.absolute().length() + high.absolute().length();
    const btVector3 room(ROUNDING * size, ROUNDING * size, ROUNDING * size);
    return btDbvtVolume::FromMM(low - room, high + room);
}

static int number_of(const btDbvtNode* leaf) { return (int)(intptr_t)leaf->data; }

// the triangles of two leaves
struct Triangles : btDbvt::ICollide {
    pair_problem* p;
    void Process(const btDbvtNode* a, const btDbvtNode* b) {
        pair_problem_compare(p, number_of(a), number_of(b));
    }
};

struct Trees {
    std::vector<std::unique_ptr<btDbvt>> surfaces; // one with all triangles, or one each
    btDbvt outer;
    std::vector<btDbvtNode*> places; // of the surfaces in it
    Triangles triangles;
};

static void refit(const pair_problem* p, btDbvtNode* node) {
    if (node->isleaf()) {
        node->volume = volume_of(p, number_of(node));
        return;
    }
    refit(p, node->childs[0]);
    refit(p, node->childs[1]);
    Merge(node->childs[0]->volume, node->childs[1]->volume, node->volume);
}

static void build(const pair_problem* p, bool is_one, Trees& trees) {
    trees.surfaces.resize(is_one ? 1 : (size_t)p->surface_count);
    for (size_t s = 0; s < trees.surfaces.size(); s++) {
        const int end = is_one ? p->triangle_count : p->firsts[s + 1];
        trees.surfaces[s].reset(new btDbvt);
        for (int t = p->firsts[s]; t < end; t++)
            trees.surfaces[s]->insert(volume_of(p, t), (void*)(intptr_t)t);
        trees.surfaces[s]->optimizeTopDown();
        trees.places.push_back(
            trees.outer.insert(trees.surfaces[s]->m_root->volume, (void*)(intptr_t)s));
    }
    trees.outer.optimizeTopDown();
}

// two surfaces whose boxes meet
struct Surfaces : btDbvt::ICollide {
    Trees* trees;
    void Process(const btDbvtNode* a, const btDbvtNode* b) {
        btDbvt &first = *trees->surfaces[(size_t)number_of(a)],
               &second = *trees->surfaces[(size_t)number_of(b)];
        first.collideTTpersistentStack(first.m_root, second.m_root, trees->triangles);
    }
};

static void search_trees(pair_problem* p, void* user) {
    Trees& trees = *static_cast<Trees*>(user);
    trees.triangles.p = p;
    for (size_t s = 0; s < trees.surfaces.size(); s++) {
        btDbvt& tree = *trees.surfaces[s];
        refit(p, tree.m_root);
        tree.collideTTpersistentStack(tree.m_root, tree.m_root, trees.triangles);
        btDbvtVolume around = tree.m_root->volume;
        trees.outer.update(trees.places[s], around);
    }
    Surfaces pairs;
    pairs.trees = &trees;
    trees.outer.collideTT(trees.outer.m_root, trees.outer.m_root, pairs);
}

// ------------------------------------------------------------------ GImpact

struct Boxes : btPrimitiveManagerBase {
    const pair_problem* p;
    int first, count;
    bool is_trimesh() const { return false; }
    int get_primitive_count() const { return count; }
    void get_primitive_box(int k, btAABB& box) const {
        const btDbvtVolume volume = volume_of(p, first + k);
        box.m_min = volume.Mins();
        box.m_max = volume.Maxs();
    }
    void get_primitive_triangle(int, btPrimitiveTriangle&) const {}
};

struct Impact {
    std::vector<Boxes> boxes;
    std::vector<std::unique_ptr<btGImpactBvh>> trees;
    btDbvt outer;
    std::vector<btDbvtNode*> places;
    btPairSet pairs;
};

static btDbvtVolume volume_of(const btGImpactBvh& tree) {
    const btAABB box = tree.getGlobalBox();
    return btDbvtVolume::FromMM(box.m_min, box.m_max);
}

static void build(const pair_problem* p, Impact& impact) {
    impact.boxes.resize((size_t)p->surface_count);
    for (int s = 0; s < p->surface_count; s++) {
        Boxes& boxes = impact.boxes[(size_t)s];
        boxes.p = p;
        boxes.first = p->firsts[s];
        boxes.count = p->firsts[s + 1] - boxes.first;
        impact.trees.emplace_back(new btGImpactBvh(&boxes));
        impact.trees.back()->buildSet();
        impact.places.push_back(
            impact.outer.insert(volume_of(*impact.trees.back()), (void*)(intptr_t)s));
    }
    impact.outer.optimizeTopDown();
}

static void collide(pair_problem* p, Impact& impact, int a, int b) {
    const btTransform still = btTransform::getIdentity();
    impact.pairs.resize(0);
    btGImpactBvh::find_collision(impact.trees[(size_t)a].get(), still,
                                 impact.trees[(size_t)b].get(), still, impact.pairs);
    for (int k = 0; k < impact.pairs.size(); k++) {
        const int first = p->firsts[a] + impact.pairs[k].m_index1,
                  second = p->firsts[b] + impact.pairs[k].m_index2;
        // a tree against itself gives all twice
        if (a != b || first < second) pair_problem_compare(p, first, second);
    }
}

struct ImpactSurfaces : btDbvt::ICollide {
    pair_problem* p;
    Impact* impact;
    void Process(const btDbvtNode* a, const btDbvtNode* b) {
        collide(p, *impact, number_of(a), number_of(b));
    }
};

static void search_impact(pair_problem* p, void* user) {
    Impact& impact = *static_cast<Impact*>(user);
    for (int s = 0; s < p->surface_count; s++) {
        impact.trees[(size_t)s]->update();
        collide(p, impact, s, s);
        btDbvtVolume around = volume_of(*impact.trees[(size_t)s]);
        impact.outer.update(impact.places[(size_t)s], around);
    }
    ImpactSurfaces pairs;
    pairs.p = p;
    pairs.impact = &impact;
    impact.outer.collideTT(impact.outer.m_root, impact.outer.m_root, pairs);
}

int main(int argc, char** argv) {
    const int repeats = argc == 3 ? std::atoi(argv[2]) : 0;
    pair_problem* p = repeats > 0 && repeats < 99 ? pair_problem_read(argv[1]) : nullptr;
    if (!p) {
        std::fprintf(stderr, "usage: peer_dbvt FILE REPEATS\n");
        return 2;
    }
    Trees each, one;
    build(p, false, each);
    pair_problem_measure(p, search_trees, &each, "surfaces", repeats);
    build(p, true, one);
    pair_problem_measure(p, search_trees, &one, "one", repeats);
    Impact impact;
    build(p, impact);
    pair_problem_measure(p, search_impact, &impact, "gimpact", repeats);
    return 0;
}
