#include "stiction/cone.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <sstream>

#include "cone/kernels.hpp"
#include "stiction/error.hpp"

namespace stiction {
namespace {

constexpr double kPi = std::numbers::pi;

bool is_polygon(const FrictionCone& cone)
{
  return cone.tangents == 2 && cone.shape.approximation != ConeApproximation::kExact;
}

/// Cosines and sines of odd multiples of pi/16, pi/8, pi/4: the first vertices of the usual polygons.
constexpr double kCos16 = 0.98078528040323044913, kSin16 = 0.19509032201612826785;
constexpr double kCos3_16 = 0.83146961230254523708, kSin3_16 = 0.55557023301960222474;
constexpr double kCos8 = 0.92387953251128675613, kSin8 = 0.38268343236508977173;
constexpr double kCos4 = std::numbers::sqrt2 / 2.0;

/// cos(pi/k): the ratio of a regular polygon's inner to its outer radius.
double radius_ratio(int k) { return k == 4 ? kCos4 : k == 8 ? kCos8 : k == 16 ? kCos16 : std::cos(kPi / k); }

/// Distance of the polygon's vertices from the origin.
double circumradius(const FrictionCone& cone)
{
  const bool inner = cone.shape.approximation == ConeApproximation::kInner;
  return inner ? cone.mu : cone.mu / radius_ratio(cone.shape.facets);
}

/// Distance of the polygon's sides from the origin.
double inradius(const FrictionCone& cone)
{
  const bool inner = cone.shape.approximation == ConeApproximation::kInner;
  return inner ? cone.mu * radius_ratio(cone.shape.facets) : cone.mu;
}

/// Vertex j lies between the sides j and j + 1, whose outward normals have the angles 2 j pi/k.
Eigen::Vector2d vertex_direction(int facets, double j)
{
  const double angle = (2.0 * j + 1.0) * kPi / facets;
  return {std::cos(angle), std::sin(angle)};
}

Eigen::Vector2d side_normal(int facets, int j)
{
  const double angle = 2.0 * j * kPi / facets;
  return {std::cos(angle), std::sin(angle)};
}

/// std::hypot, without its care for the ends of the exponent range where that is not needed.
double quick_hypot(double x, double y)
{
  const double squares = x * x + y * y;
  constexpr double kSmallest = 1e-280, kLargest = 1e280;  // squares that neither under- nor overflowed
  return squares > kSmallest && squares < kLargest ? std::sqrt(squares) : std::hypot(x, y);
}

/// The polygon's |f_t|: mu-free gauge g with f_t in n D iff g <= mu n, for the disk, the segment and the polygons.
double tangential_gauge(const FrictionCone& cone, const double* f_t)
{
  if (cone.tangents == 0) return 0.0;
  if (cone.tangents == 1) return std::abs(f_t[0]);
  if (!is_polygon(cone)) return quick_hypot(f_t[0], f_t[1]);
  // The side whose normal is nearest in angle to f_t is the one f_t would cross.
  const int k = cone.shape.facets;
  const double j = std::nearbyint(std::atan2(f_t[1], f_t[0]) * k / (2.0 * kPi));
  const Eigen::Vector2d normal = side_normal(k, static_cast<int>(j));
  const double reach = normal.x() * f_t[0] + normal.y() * f_t[1];
  return cone.shape.approximation == ConeApproximation::kInner ? reach / radius_ratio(k) : reach;
}

/// demand / coefficient, with 0/0 = 0 and x/0 = inf.
double over(double demand, double coefficient) { return demand == 0.0 ? 0.0 : demand / coefficient; }

/// Smallest |f_n| for which (f_t, f_m) is admissible.
double needed_normal(const FrictionCone& cone, const double* f)
{
  const double tangential = over(tangential_gauge(cone, f + 1), cone.mu);
  const double torsional = cone.torsional ? over(std::abs(f[1 + cone.tangents]), cone.torsion) : 0.0;
  return std::max(tangential, torsional);
}

template <typename T>
std::string want_got(const char* want, const T& got)
{
  std::ostringstream text;
  text << "want " << want << ", got " << got;
  return text.str();
}

/// @throws InputError unless there is one for each row of the contact.
const double* entries(const FrictionCone& cone, const Eigen::Ref<const Eigen::VectorXd>& values, const char* name)
{
  if (values.size() != cone.dim())
    throw InputError(name, want_got((std::to_string(cone.dim()) + " entries").c_str(), values.size()));
  return values.data();
}

}  // namespace

namespace internal {

double polygon_support(const FrictionCone& cone, const double* h_t, double* w)
{
  const int k = cone.shape.facets;
  const double radius = circumradius(cone);
  if (k == 4 || k == 8 || k == 16) {
    // The usual counts look alike in every octant: fold into the first one instead of computing angles.
    const bool steep = std::abs(h_t[1]) > std::abs(h_t[0]);
    const double major = std::abs(h_t[steep ? 1 : 0]), minor = std::abs(h_t[steep ? 0 : 1]);
    double near_axis = k == 4 ? kCos4 : kCos8, far_axis = k == 4 ? kCos4 : kSin8;
    if (k == 16) {
      const bool second = major * kCos3_16 + minor * kSin3_16 > major * kCos16 + minor * kSin16;
      near_axis = second ? kCos3_16 : kCos16;
      far_axis = second ? kSin3_16 : kSin16;
    }
    w[0] = std::copysign(radius * (steep ? far_axis : near_axis), h_t[0]);
    w[1] = std::copysign(radius * (steep ? near_axis : far_axis), h_t[1]);
  } else {
    const double j = std::floor(std::atan2(h_t[1], h_t[0]) * k / (2.0 * kPi));
    const Eigen::Vector2d vertex = vertex_direction(k, j);
    w[0] = radius * vertex.x();
    w[1] = radius * vertex.y();
  }
  return h_t[0] * w[0] + h_t[1] * w[1];
}

double slack(const FrictionCone& cone, const double* f) { return cone.sign * f[0] - needed_normal(cone, f); }

double utilisation(const FrictionCone& cone, const double* f) { return over(needed_normal(cone, f), std::abs(f[0])); }

}  // namespace internal

double support(const FrictionCone& cone, const Eigen::Ref<const Eigen::VectorXd>& h)
{
  return internal::support(cone, entries(cone, h, "h"));
}

double support(const FrictionCone& cone, const Eigen::Ref<const Eigen::VectorXd>& h, Eigen::Ref<Eigen::VectorXd> ray)
{
  entries(cone, ray, "ray");
  return internal::support(cone, entries(cone, h, "h"), ray.data());
}

double slack(const FrictionCone& cone, const Eigen::Ref<const Eigen::VectorXd>& f)
{
  return internal::slack(cone, entries(cone, f, "f"));
}

double utilisation(const FrictionCone& cone, const Eigen::Ref<const Eigen::VectorXd>& f)
{
  return internal::utilisation(cone, entries(cone, f, "f"));
}

Eigen::Vector3d project_to_cone(double mu, const Eigen::Vector3d& f)
{
  const double n = f[0], t = std::hypot(f[1], f[2]);
  if (t <= mu * n) return f;
  if (mu * t <= -n) return Eigen::Vector3d::Zero();      // f lies in the polar cone
  const double normal = (n + mu * t) / (1.0 + mu * mu);  // along the generator (1, mu) nearest to f; t > 0 here
  return {normal, mu * normal * (f[1] / t), mu * normal * (f[2] / t)};
}

void polygon_halfspaces(const FrictionCone& cone, Eigen::MatrixX2d& C, Eigen::VectorXd& D)
{
  validate(cone, "cone");
  if (cone.tangents != 2) throw InputError("cone.tangents", want_got("2 for half-spaces of a polygon", cone.tangents));
  if (!is_polygon(cone)) throw InputError("cone.shape", "want inner or outer facets, got the exact disk");
  const int k = cone.shape.facets;
  C.resize(k, 2);
  D.setConstant(k, inradius(cone));
  for (int j = 0; j < k; ++j) C.row(j) = -side_normal(k, j).transpose();
}

Eigen::MatrixXd generators(const FrictionCone& cone)
{
  validate(cone, "cone");
  const bool tangential = cone.tangents > 0 && cone.mu > 0.0;
  if (tangential && cone.tangents == 2 && !is_polygon(cone))
    throw InputError("cone.shape", "want inner or outer facets, got the exact disk");
  const bool twisting = cone.torsional && cone.torsion > 0.0;
  const int sides = !tangential ? 1 : cone.tangents == 1 ? 2 : cone.shape.facets;
  const int ends = twisting ? 2 : 1;

  Eigen::MatrixXd rays = Eigen::MatrixXd::Zero(cone.dim(), sides * ends);
  rays.row(0).setConstant(cone.sign);
  for (int j = 0; j < sides; ++j) {
    for (int m = 0; m < ends; ++m) {
      auto ray = rays.col(j * ends + m);
      if (tangential && cone.tangents == 1) ray[1] = j == 0 ? cone.mu : -cone.mu;
      if (tangential && cone.tangents == 2)
        ray.segment<2>(1) = circumradius(cone) * vertex_direction(cone.shape.facets, j);
      if (twisting) ray[1 + cone.tangents] = m == 0 ? cone.torsion : -cone.torsion;
    }
  }
  return rays;
}

void validate(const FrictionCone& cone, const std::string& path)
{
  if (cone.tangents < 0 || cone.tangents > 2)
    throw InputError(path + ".tangents", want_got("0, 1 or 2", cone.tangents));
  if (!(std::isfinite(cone.mu) && cone.mu >= 0.0)) throw InputError(path + ".mu", want_got("finite and >= 0", cone.mu));
  if (!(std::isfinite(cone.torsion) && cone.torsion >= 0.0))
    throw InputError(path + ".torsion", want_got("finite and >= 0", cone.torsion));
  if (cone.sign != 1.0 && cone.sign != -1.0) throw InputError(path + ".sign", want_got("+1 or -1", cone.sign));
  if (cone.shape.approximation != ConeApproximation::kExact && cone.shape.facets < 3)
    throw InputError(path + ".facets", want_got(">= 3", cone.shape.facets));
}

}  // namespace stiction
