#pragma once

#include <vector>

#include "stiction/cone_program.hpp"
#include "stiction/grasp.hpp"

namespace stiction::internal {

/// Newton's method on a smooth function of the twist that tells closure from its opposite: forces inside every cone
/// with G f = 0, or a twist u with G'u inside the dual of every cone.
///
/// In units of friction every cone is its own dual. With z = -G'u let f(u) be the forces that minimise |f - z|² - log
/// det f, det f = f_n² - |f_t|²: they are inside the cones, -G f is the gradient of a convex function of u, and its
/// Hessian is G D G', D = df/dz. Where the gradient vanishes f proves closure. It vanishes nowhere when some -z is
/// inside every cone, and u then runs off to such a twist. Most grasps are decided by the first or second step, within
/// a microsecond and long before convergence: each step leaves a twist to try, and forces f + D dz that solve G f = 0
/// and may be inside the cones.
class ClosureNewton {
 public:
  enum class End { kOpen, kForces, kTwist };

  /// kForces: forces() solves G f = 0 with slack > 0 in every cone, zero in the columns outside of `cones`. kTwist:
  /// twist() has twist'G in the dual of every cone, forces() is zero. Claims, to be judged. kOpen: G has neither 3 nor
  /// 6 rows, its rank is in doubt, or the grasp is so close to the boundary that an engine should look at it.
  End run(const Eigen::MatrixXd& G, const std::vector<ConeBlock>& cones);

  const Eigen::VectorXd& forces() const { return forces_; }
  const Twist& twist() const { return twist_; }

 private:
  /// In units of friction, padded to the widest contact: its columns of G, z, the forces that come with it, and
  /// D = [alpha, beta w'; beta w, tau I + (alpha - tau) w w'].
  struct Contact {
    double entries[4 * 6];
    double z[4], f[4];
    double w[4];  ///< direction of the tangential part of z, from entry 1
    double alpha, beta, tau;

    template <int rows, int width>
    auto columns()
    {
      return Eigen::Map<Eigen::Matrix<double, rows, width>>(entries);
    }
  };

  template <int rows>
  using Square = Eigen::Matrix<double, rows, rows>;
  template <int size>
  using Vector = Eigen::Matrix<double, size, 1>;

  /// Whether the forces are inside every cone, the twist inside every dual.
  struct Reached {
    bool inside, dual;
  };

  template <int rows, int width>
  End run_sized(const Eigen::MatrixXd& G, const std::vector<ConeBlock>& cones);
  template <int rows, int width>
  void start(const Eigen::MatrixXd& G, const std::vector<ConeBlock>& cones, const Vector<rows>& row_unit,
             Square<rows>& H, Vector<rows>& r);
  template <int rows, int width>
  Reached move(const std::vector<ConeBlock>& cones, const Vector<rows>& du, double stride);
  template <int rows, int width>
  void linearise(Square<rows>& H, Vector<rows>& r);
  template <int width>
  static void project_smoothly(Contact& contact);
  template <int rows, int width>
  bool pivots(const std::vector<ConeBlock>& cones, Vector<rows>& u);

  std::vector<Contact> contacts_;
  Eigen::VectorXd forces_;
  Twist twist_;
};

}  // namespace stiction::internal
