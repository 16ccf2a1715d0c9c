#include "proof/polygon.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/numerics.hpp"

namespace stiction {
namespace internal {
namespace {

double cross(const Eigen::Vector2d& a, const Eigen::Vector2d& b) { return a.x() * b.y() - a.y() * b.x(); }

/// Sign of an exact sum of doubles: a nonoverlapping expansion, grown term by term (Shewchuk 1997); its last component
/// that is not zero has the sign of the sum.
int sign_of_sum(const std::array<double, 12>& terms)
{
  std::array<double, 12> parts{};
  std::size_t count = 0;
  for (const double term : terms) {
    double carried = term;
    for (std::size_t i = 0; i < count; ++i) {
      const double sum = carried + parts[i], back = sum - carried;
      parts[i] = (carried - (sum - back)) + (parts[i] - back);
      carried = sum;
    }
    parts[count++] = carried;
  }
  for (std::size_t i = count; i-- > 0;)
    if (parts[i] != 0.0) return parts[i] > 0.0 ? 1 : -1;
  return 0;
}

}  // namespace

int orientation(const Eigen::Vector2d& a, const Eigen::Vector2d& b, const Eigen::Vector2d& c)
{
  const Eigen::Vector2d ab = b - a, ac = c - a;
  const double left = ab.x() * ac.y(), right = ab.y() * ac.x();
  // Differences, products and their difference are off by 2^-53 each: what is clear needs no exact sum.
  if (std::abs(left - right) > 4.0 * kUlp * (std::abs(left) + std::abs(right))) return left > right ? 1 : -1;
  std::array<double, 12> terms;
  std::size_t next = 0;
  const auto add = [&](double x, double y) {  // x y is exactly the sum of two doubles
    const double product = x * y;
    terms[next++] = product;
    terms[next++] = std::fma(x, y, -product);
  };
  add(a.x(), b.y()), add(-a.y(), b.x()), add(b.x(), c.y()), add(-b.y(), c.x()), add(c.x(), a.y()), add(-c.y(), a.x());
  return sign_of_sum(terms);
}

double area(const Polygon& polygon)
{
  double twice = 0.0;
  for (size_t i = 0; i + 2 < polygon.size(); ++i)
    twice += cross(polygon[i + 1] - polygon[0], polygon[i + 2] - polygon[0]);
  return 0.5 * twice;
}

/// A difference is off by 2^-53 of itself, so a product of two and what is made of it by less than 2^-51; summing n of
/// them adds less than n 2^-53 of the sum of absolute products.
Bounds area_bounds(const Polygon& polygon)
{
  double twice = 0.0, size = 0.0;
  for (size_t i = 0; i + 2 < polygon.size(); ++i) {
    const Eigen::Vector2d u = polygon[i + 1] - polygon[0], v = polygon[i + 2] - polygon[0];
    twice += cross(u, v);
    size += std::abs(u.x() * v.y()) + std::abs(u.y() * v.x());
  }
  const double error = (2.0 * kUlp + kUlp * static_cast<double>(polygon.size())) * size;
  return {std::max(0.0, 0.5 * (twice - error)), 0.5 * (twice + error)};
}

/// The slabs of union_area are cut at crossings that rounding moves by 2^-50 of the whole width, divided by the
/// difference of two slopes; the two sides are then apart by that difference times as much, so that no slab is off by
/// more than 2^-48 of the area around all polygons. The allowance is 2^-36 of it, and the plain sums that no union can
/// miss bound it again.
Bounds union_area_bounds(const std::vector<Polygon>& polygons)
{
  if (polygons.empty()) return {0.0, 0.0};
  if (polygons.size() == 1) return area_bounds(polygons[0]);
  double largest = 0.0, sum = 0.0;
  Eigen::Vector2d low = Eigen::Vector2d::Constant(kInfinity), high = -low;
  for (const Polygon& polygon : polygons) {
    const Bounds one = area_bounds(polygon);
    largest = std::max(largest, one.lower);
    sum += one.upper * (1.0 + 4.0 * kUlp);
    for (const Eigen::Vector2d& corner : polygon) low = low.cwiseMin(corner), high = high.cwiseMax(corner);
  }
  constexpr double kSlabs = 0x1p-36;
  const double whole = union_area(polygons), error = low.x() <= high.x() ? kSlabs * (high - low).prod() : 0.0;
  return {std::max(largest, whole - error), std::min(sum, whole + error)};
}

void convex_hull(const std::vector<Eigen::Vector2d>& points, Polygon& hull, std::vector<int>& order)
{
  std::vector<int> sorted(points.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  std::sort(sorted.begin(), sorted.end(), [&](int i, int j) {
    return points[i].x() < points[j].x() || (points[i].x() == points[j].x() && points[i].y() < points[j].y());
  });
  sorted.erase(std::unique(sorted.begin(), sorted.end(), [&](int i, int j) { return points[i] == points[j]; }),
               sorted.end());
  order.clear();
  if (sorted.size() < 3) {
    order = sorted;
  } else {
    auto half = [&](auto begin, auto end) {
      const size_t base = order.size();
      for (auto it = begin; it != end; ++it) {
        while (order.size() >= base + 2 &&
               orientation(points[order[order.size() - 2]], points[order.back()], points[*it]) <= 0)
          order.pop_back();
        order.push_back(*it);
      }
      order.pop_back();
    };
    half(sorted.begin(), sorted.end());
    half(sorted.rbegin(), sorted.rend());
  }
  hull.clear();
  for (int i : order) hull.push_back(points[i]);
}

bool is_convex(const Polygon& polygon)
{
  Polygon hull;
  std::vector<int> order;
  convex_hull(polygon, hull, order);
  if (hull.size() != polygon.size()) return false;
  const auto n = static_cast<int>(order.size());
  for (int i = 0; n > 2 && i < n; ++i)
    if (order[static_cast<size_t>((i + 1) % n)] != (order[static_cast<size_t>(i)] + 1) % n) return false;
  return true;
}

void tidy(Polygon& polygon, std::vector<int>& owner, double length)
{
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < polygon.size() && polygon.size() > 3; ++i) {
      const size_t n = polygon.size(), before = (i + n - 1) % n, after = (i + 1) % n;
      const double back = (polygon[i] - polygon[before]).norm(), on = (polygon[after] - polygon[i]).norm();
      if (orientation(polygon[before], polygon[i], polygon[after]) > 0 && !(on < length)) continue;
      if (on > back) owner[before] = owner[i];
      polygon.erase(polygon.begin() + static_cast<std::ptrdiff_t>(i));
      owner.erase(owner.begin() + static_cast<std::ptrdiff_t>(i));
      changed = true;
      break;
    }
  }
}

bool clip(Polygon& polygon, std::vector<int>& owner, const Eigen::Vector2d& normal, double offset, int cut)
{
  const size_t n = polygon.size();
  std::vector<double> over(n);
  bool any = false;
  for (size_t i = 0; i < n; ++i) {
    over[i] = normal.dot(polygon[i]) - offset;
    any = any || over[i] > 0.0;
  }
  if (!any) return false;
  Polygon kept;
  std::vector<int> kept_owner;
  for (size_t i = 0; i < n; ++i) {
    const size_t j = (i + 1) % n;
    if (over[i] <= 0.0) {
      kept.push_back(polygon[i]);
      kept_owner.push_back(owner[i]);
    }
    if ((over[i] <= 0.0) == (over[j] <= 0.0)) continue;
    const Eigen::Vector2d corner = polygon[i] + (over[i] / (over[i] - over[j])) * (polygon[j] - polygon[i]);
    kept.push_back(corner);
    kept_owner.push_back(over[i] <= 0.0 ? cut : owner[i]);
  }
  polygon.swap(kept);
  owner.swap(kept_owner);
  return true;
}

double distance_outside(const Polygon& polygon, const Eigen::Vector2d& p)
{
  const size_t n = polygon.size();
  if (n == 0) return kInfinity;
  double nearest = (p - polygon[0]).norm();
  bool inside = n > 2;
  for (size_t i = 0; i < n; ++i) {
    const Eigen::Vector2d &a = polygon[i], &b = polygon[(i + 1) % n];
    const Eigen::Vector2d side = b - a;
    inside = inside && cross(side, p - a) >= 0.0;
    const double length2 = side.squaredNorm();
    const double t = length2 > 0.0 ? std::clamp((p - a).dot(side) / length2, 0.0, 1.0) : 0.0;
    nearest = std::min(nearest, (p - a - t * side).norm());
  }
  return inside ? 0.0 : nearest;
}

double distance_inside(const Polygon& polygon, const Eigen::Vector2d& p)
{
  const size_t n = polygon.size();
  if (n < 3) return 0.0;
  double nearest = kInfinity;
  for (size_t i = 0; i < n; ++i) {
    const Eigen::Vector2d side = polygon[(i + 1) % n] - polygon[i];
    const double length = side.norm();
    if (length > 0.0) nearest = std::min(nearest, cross(side, p - polygon[i]) / length);
  }
  return nearest;
}

/// Side and corner are off by 2^-53 of themselves, their product divided by the side's length by less than 2^-49 of the
/// corner.
double distance_error(const Polygon& polygon)
{
  double furthest = 0.0;
  for (const Eigen::Vector2d& corner : polygon) furthest = std::max(furthest, corner.norm());
  return 16.0 * kUlp * furthest;
}

}  // namespace internal

/// Vertical slabs between all corners and crossings: inside each the union is made of trapezoids.
double union_area(const std::vector<Polygon>& polygons)
{
  struct Line {
    Eigen::Vector2d a, b;  // a.x() < b.x()
    size_t polygon;
  };
  std::vector<Line> sides;
  std::vector<double> xs;
  for (size_t k = 0; k < polygons.size(); ++k)
    for (size_t i = 0; polygons[k].size() > 2 && i < polygons[k].size(); ++i) {
      Eigen::Vector2d a = polygons[k][i], b = polygons[k][(i + 1) % polygons[k].size()];
      xs.push_back(a.x());
      if (a.x() == b.x()) continue;
      if (a.x() > b.x()) std::swap(a, b);
      sides.push_back({a, b, k});
    }
  if (polygons.size() == 1) return internal::area(polygons[0]);
  auto y_at = [](const Line& s, double x) {
    return s.a.y() + (x - s.a.x()) / (s.b.x() - s.a.x()) * (s.b.y() - s.a.y());
  };
  for (size_t i = 0; i < sides.size(); ++i)
    for (size_t j = i + 1; j < sides.size(); ++j) {
      if (sides[i].polygon == sides[j].polygon) continue;
      const double from = std::max(sides[i].a.x(), sides[j].a.x()), to = std::min(sides[i].b.x(), sides[j].b.x());
      if (from >= to) continue;
      const double before = y_at(sides[i], from) - y_at(sides[j], from),
                   after = y_at(sides[i], to) - y_at(sides[j], to);
      if (before * after < 0.0) xs.push_back(from + before / (before - after) * (to - from));
    }
  std::sort(xs.begin(), xs.end());
  double sum = 0.0;
  std::vector<std::pair<double, double>> spans;  // lower and upper ends at the middle of the slab
  for (size_t i = 0; i + 1 < xs.size(); ++i) {
    const double width = xs[i + 1] - xs[i], middle = 0.5 * (xs[i] + xs[i + 1]);
    if (!(width > 0.0)) continue;
    spans.clear();
    for (size_t k = 0; k < polygons.size(); ++k) {
      double low = kInfinity, high = -kInfinity;
      for (const Line& side : sides)
        if (side.polygon == k && side.a.x() <= middle && side.b.x() >= middle) {
          low = std::min(low, y_at(side, middle));
          high = std::max(high, y_at(side, middle));
        }
      if (low < high) spans.emplace_back(low, high);
    }
    std::sort(spans.begin(), spans.end());
    double top = -kInfinity;
    for (const auto& [low, high] : spans) {
      sum += width * std::max(0.0, high - std::max(low, top));
      top = std::max(top, high);
    }
  }
  return sum;
}

}  // namespace stiction
