#pragma once

#include <Eigen/Core>
#include <string>

namespace stiction {

/// Which set stands for the true friction disk. Only kInner and kExact may prove "holds", only kOuter and kExact
/// may prove "fails"; see may_prove_holds / may_prove_fails.
enum class ConeApproximation { kExact, kInner, kOuter };

struct ConeShape {
  ConeApproximation approximation = ConeApproximation::kExact;
  int facets = 0;  ///< >= 3 for kInner and kOuter, unused for kExact

  static ConeShape exact() { return {}; }
  static ConeShape inner(int facets) { return {ConeApproximation::kInner, facets}; }
  static ConeShape outer(int facets) { return {ConeApproximation::kOuter, facets}; }

  bool may_prove_holds() const { return approximation != ConeApproximation::kOuter; }
  bool may_prove_fails() const { return approximation != ConeApproximation::kInner; }
};

/// The forces one contact can exert, in its own frame (normal, tangents…, torsion):
///
///   K = { f : sign f_n >= 0, f_t in |f_n| D, |f_m| <= torsion |f_n| },  D = disk of radius mu, or a polygon for it.
///
/// Polygons have vertices at the angles (2j+1) pi/k, at radius mu (inner) or mu/cos(pi/k) (outer); in the plane
/// (tangents = 1) both equal the exact segment. sign = -1 is the pulling half of a bilateral contact's double cone.
/// The torsion bound is independent of the tangential one (hard bound of the soft-finger model).
struct FrictionCone {
  int tangents = 2;  ///< 0, 1 or 2
  bool torsional = false;
  double mu = 0.0;
  double torsion = 0.0;  ///< m
  double sign = 1.0;     ///< +1 pushes, -1 pulls
  ConeShape shape;

  int dim() const { return 1 + tangents + (torsional ? 1 : 0); }
  /// The usual cone of a point in space, without facets and torsion.
  bool round() const { return tangents == 2 && !torsional && shape.approximation == ConeApproximation::kExact; }
};

/// max of h·f over the forces of K with |f_n| = 1: h_n + mu |h_t| + torsion |h_m| for the exact pushing cone. The dual
/// direction h is blocked by the contact (h in the polar cone of K) iff the value is <= 0.
/// @param h dim() entries, as those of f and ray below. @throws InputError for another size.
double support(const FrictionCone& cone, const Eigen::Ref<const Eigen::VectorXd>& h);
/// @param[out] ray the maximiser, with |f_n| = 1.
double support(const FrictionCone& cone, const Eigen::Ref<const Eigen::VectorXd>& h, Eigen::Ref<Eigen::VectorXd> ray);

/// Slack of f: sign f_n minus the smallest normal force that would keep (f_t, f_m) admissible; >= 0 iff f in K.
/// For the exact cone min(f_n - |f_t|/mu, f_n - |f_m|/torsion, f_n), in newtons; -inf when a zero coefficient is
/// violated.
double slack(const FrictionCone& cone, const Eigen::Ref<const Eigen::VectorXd>& f);

/// |f_t| / (mu |f_n|), the share of the friction budget in use (torsion included by the larger of the two). 0 for a
/// zero force; +inf when a positive tangential force meets a zero budget.
double utilisation(const FrictionCone& cone, const Eigen::Ref<const Eigen::VectorXd>& f);

/// Nearest point of the exact, non-torsional cone to f (Euclidean).
Eigen::Vector3d project_to_cone(double mu, const Eigen::Vector3d& f);

/// Half-spaces C w + D >= 0 of the unit-normal polygon: f_t in f_n * {w : C w + D >= 0} (paper, (54)). One row per
/// facet.
/// @throws InputError for kExact, fewer than 3 facets, or tangents != 2.
void polygon_halfspaces(const FrictionCone& cone, Eigen::MatrixX2d& C, Eigen::VectorXd& D);

/// Generators of a polyhedral K as columns with |f_n| = 1: polygon vertices times torsion ends. In the plane and for
/// mu = 0 also for the exact shape. @throws InputError when the cone is not polyhedral.
Eigen::MatrixXd generators(const FrictionCone& cone);

/// @throws InputError with `path` as the entry when mu, torsion, tangents, sign or facets are out of range.
void validate(const FrictionCone& cone, const std::string& path);

}  // namespace stiction
