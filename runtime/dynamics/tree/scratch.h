#pragma once

#include "runtime/dynamics/tree/spatial.h"
#include "runtime/dynamics/tree/tree.h"

namespace abut::dynamics {

// Working memory of the algorithms on one tree; each thread needs its own. A result in it is valid until the
// next call that computes the same quantity. Allocates only in its constructor.
//
// Spatial vectors are in the frame C: the axes of the world W, at the origin of the branch's root link (the
// ancestor whose parent is the world). In C the inertias and forces of links can be added without a change of
// frame, and a branch far from the world's origin loses no digits.
template <class S>
struct BasicTreeScratch {
  // State of a link, in C where no frame is named.
  struct Link {
    Pose<S> X_CL;                    // of the link's frame L in C
    Vec3<S> p_WC = Vec3<S>::Zero();  // m
    Vec6<S> V = Vec6<S>::Zero();     // twist in W
    Vec6<S> V_PL = Vec6<S>::Zero();  // the joint's contribution to V
    Vec6<S> A = Vec6<S>::Zero();     // rate of V, minus gravity in inverse and forward dynamics
    Vec6<S> F =
        Vec6<S>::Zero();  // force of the joint on the link; articulated bias force in forward dynamics
    detail::SpatialInertia<S> inertia;      // of the link only
    detail::SpatialInertia<S> composite;    // of the link and all links that it carries
    Mat3<S> turn_moment = Mat3<S>::Zero();  // T of derivatives.cpp, of the link and all that it carries
    Vec3<S> momentum = Vec3<S>::Zero();     // p of derivatives.cpp, likewise, kg m/s
  };
  // State of a degree of freedom, in C.
  struct Dof {
    Vec6<S> axis = Vec6<S>::Zero();  // twist of a unit velocity
    Vec6<S> U = Vec6<S>::Zero();     // articulated inertia times axis [Featherstone2008, Eq. 7.43]
    S inverse_D = S(0), u = S(0);    // 1/D and u of [Featherstone2008, Eq. 7.44]; u is the remaining force
  };
  // Data of a degree of freedom for its pairs with those that carry it (derivatives.cpp, which defines the
  // symbols). Matrices are (6, 4): spatial vectors in four columns.
  struct Derivative {
    S motion[6][4] = {};  // psi_ddot, psi_dot + rate of the axis, psi_dot, axis
    S force[6][4] = {};   // on all that it carries: by q, by velocity, unused, by acceleration
    S row[3] = {};        // angular part of 2 B' axis
  };
  // Data of a link for Hessian-vector products (hessian_products.cpp, which defines the symbols).
  struct Product {
    Vec6<S> turn = Vec6<S>::Zero();       // twist of the direction, relative to the parent
    detail::Moving<S> V_P, A_P, W_P;      // of the parent
    detail::Moving<S> V, A, W, F, IW, Y;  // of the link; F, IW and Y later include all that it carries
  };

  explicit BasicTreeScratch(const Tree& tree);  // allocates all memory that the tree needs

  std::vector<Link> links;              // (links)
  std::vector<Mat6<S>> articulated;     // (links) articulated-body inertias
  std::vector<Dof> dofs;                // (nv)
  std::vector<Derivative> derivatives;  // (nv)
  std::vector<Product> products;        // (links)
  std::vector<int> ancestors;           // (nv) room for the degrees of freedom on a path to the world

  VecX<S> none;              // (nv) zeros
  VecX<S> tau;               // (nv) generalised forces of inverse dynamics, N m and N
  VecX<S> acceleration;      // (nv) generalised accelerations of forward dynamics
  MatX<S> mass_matrix;       // (nv, nv), zero between different branches
  MatX<S> factor;            // (nv, nv) of M = L' D L: L below the diagonal, 1/D on it
  MatX<S> jacobian;          // (6, nv)
  MatX<S> dtau_dx;           // (nv, 2 nv): by the tangent of q, then by v; zero between different branches
  MatX<S> dacceleration_dx;  // (nv, 2 nv): of forward dynamics, columns as dtau_dx

  // Results and intermediate values of hessian_products.h.
  VecX<S> gradient;           // (3 nv)
  VecX<S> hessian_product;    // (3 nv)
  VecX<S> solved_weights;     // (nv) M^-1 weights
  VecX<S> weights_rate;       // (nv) rate of solved_weights along the direction
  VecX<S> acceleration_rate;  // (nv) rate of forward dynamics' accelerations along the direction
};

using TreeScratch = BasicTreeScratch<double>;  // for simulations; tests also use long double

}  // namespace abut::dynamics
