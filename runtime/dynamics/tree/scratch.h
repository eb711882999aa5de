#pragma once

#include "runtime/dynamics/tree/spatial.h"
#include "runtime/dynamics/tree/tree.h"

namespace abut::dynamics {

// Memory of a thread for the algorithms on one tree. Results stand in it until the next call that makes them.
// Nothing is allocated after it is made.
//
// Spatial vectors are in C: the axes of the world W, at the origin of the link that carries the branch (the
// ancestor whose parent is the world). In C the inertias and forces of links add up without a change of
// frame, and a branch far from the world's origin loses no digits.
template <class S>
struct BasicTreeScratch {
  // What is known of a link; in C where no frame is named.
  struct Link {
    Pose<S> X_CL;                    // of the link's frame L in C
    Vec3<S> p_WC = Vec3<S>::Zero();  // m
    Vec6<S> V = Vec6<S>::Zero();     // twist in W
    Vec6<S> V_PL = Vec6<S>::Zero();  // the joint's share of it
    Vec6<S> A = Vec6<S>::Zero();     // rate of V; in inverse and forward dynamics less gravity's acceleration
    Vec6<S> F =
        Vec6<S>::Zero();  // force of the joint on the link; articulated bias force in forward dynamics
    detail::SpatialInertia<S> inertia;      // of the link alone
    detail::SpatialInertia<S> composite;    // with all that the link carries
    Mat3<S> turn_moment = Mat3<S>::Zero();  // derivatives.cpp: T and p of the link and of what it carries
    Vec3<S> momentum = Vec3<S>::Zero();     // p, kg m/s
  };
  // What is known of a degree of freedom, in C.
  struct Dof {
    Vec6<S> axis = Vec6<S>::Zero();  // twist of a unit velocity
    Vec6<S> U = Vec6<S>::Zero();     // articulated inertia times axis [Featherstone2008, Eq. 7.43]
    S inverse_D = S(0), u = S(0);    // [Featherstone2008, Eq. 7.44] and the force that is left for it
  };
  // Of a degree of freedom, for the pairs that it makes with those that carry it (derivatives.cpp): six rows
  // of four.
  struct Derivative {
    S motion[6][4] = {};  // psi_ddot, psi_dot + axis_rate, psi_dot, axis
    S force[6][4] = {};   // on what it carries, by q, by velocity, unused, by acceleration
    S row[3] = {};        // 2 B' axis, angular
  };
  // Of a link, for Hessian-vector products (hessian_products.cpp, which says what the letters are).
  struct Product {
    Vec6<S> turn = Vec6<S>::Zero();       // twist of the direction against the parent
    detail::Moving<S> V_P, A_P, W_P;      // of the parent
    detail::Moving<S> V, A, W, F, IW, Y;  // of the link; F, IW and Y later of all that it carries
  };

  explicit BasicTreeScratch(const Tree& tree);  // allocates all that the tree needs

  std::vector<Link> links;              // (links)
  std::vector<Mat6<S>> articulated;     // articulated-body inertia of each link
  std::vector<Dof> dofs;                // (nv)
  std::vector<Derivative> derivatives;  // (nv)
  std::vector<Product> products;        // (links)
  std::vector<int> ancestors;           // degrees of freedom on the way to the world

  VecX<S> none;              // (nv) zeros
  VecX<S> tau;               // generalised forces: of inverse dynamics, N m and N
  VecX<S> acceleration;      // generalised: of forward dynamics
  MatX<S> mass_matrix;       // (nv, nv), zero off the branches
  MatX<S> factor;            // of it: L under the diagonal, 1/D on it, M = L' D L
  MatX<S> jacobian;          // (6, nv)
  MatX<S> dtau_dx;           // (nv, 2 nv): by the tangent of q, then by v; zero off the branches
  MatX<S> dacceleration_dx;  // (nv, 2 nv): of forward dynamics, columns as dtau_dx

  // hessian_products.h
  VecX<S> gradient;           // (3 nv)
  VecX<S> hessian_product;    // (3 nv)
  VecX<S> solved_weights;     // (nv) M^-1 weights,
  VecX<S> weights_rate;       // (nv) and its rate along the direction
  VecX<S> acceleration_rate;  // (nv) of forward dynamics
};

using TreeScratch = BasicTreeScratch<double>;  // of simulations; long double is for tests

}  // namespace abut::dynamics
