#include "solve/boundary_pair.hpp"

#include <algorithm>
#include <cmath>

#include "base/linear_algebra.hpp"
#include "base/numerics.hpp"

namespace stiction::internal {
namespace {

constexpr double kPairSolved = 1e-11;  // residual of scaled equations at which they are solved
constexpr double kPolished = 1e-9;     // by which solved equations may break an inequality that they do not know
constexpr double kOnTheWay = 1e-3;     // the same where other forces can still be chosen
constexpr double kStrict = 1e-7;       // share of all forces above which one is more than none
constexpr double kNoSize = 1e-300;     // of nothing, where something is divided by it
constexpr double kLeastUnit = 1e-3;    // of friction
constexpr double kTold = 1e-9;         // of pivots: what is less is no direction of its own

Eigen::VectorXd with_last(const Eigen::VectorXd& v, double last)
{
  Eigen::VectorXd longer(v.size() + 1);
  longer << v, last;
  return longer;
}

/// The projector across a unit vector over the length that was made one: slope of v / |v|.
Eigen::MatrixXd turning(const Eigen::VectorXd& unit, double length)
{
  return (Eigen::MatrixXd::Identity(unit.size(), unit.size()) - unit * unit.transpose()) / length;
}

}  // namespace

/// Rows that move as much when their variables do.
void BoundaryPair::scale(const ConeFamily& family)
{
  const ConeProgram& program = family.program;
  const Eigen::Index m = program.E.rows();
  row_scale_.setOnes(m);
  for (Eigen::Index i = 0; i < m; ++i)
    if (const double most = program.E.row(i).cwiseAbs().maxCoeff(); most > 0.0) row_scale_[i] = most;
  const Eigen::VectorXd over = row_scale_.cwiseInverse();
  E_ = over.asDiagonal() * program.E;
  e_ = over.cwiseProduct(program.e);
  ways_ = over.asDiagonal() * family.ways;
}

Eigen::VectorXd BoundaryPair::direction() const
{
  if (ways_.cols() == 0) return Eigen::VectorXd::Zero(E_.rows());
  if (ways_.cols() == 1) return ways_.col(0);
  return ways_ * (ways_.transpose() * y_scaled_).normalized();
}

/// What the motion says of every variable: those that it drives are at a bound, those that it would work against carry
/// nothing. False: it contradicts the program.
bool BoundaryPair::classify(double tolerance)
{
  const ConeProgram& program = family_->program;
  const Eigen::VectorXd h = E_.transpose() * y_scaled_;
  contacts_.assign(program.cones.size(), Contact{});
  for (std::size_t i = 0; i < program.cones.size(); ++i) {
    const auto& [col, cone] = program.cones[i];
    Contact& contact = contacts_[i];
    const int twist = col + 1 + cone.tangents;
    double support = cone.sign * h[col], size = E_.col(col).norm();
    if (cone.tangents > 0 && mu(i) > 0.0) {
      const double speed = h.segment(col + 1, cone.tangents).norm();
      contact.slides = speed > tolerance * E_.middleCols(col + 1, cone.tangents).norm();
      contact.rests = !contact.slides;
      support += mu(i) * speed;
    }
    if (cone.torsional && torsion(i) > 0.0) {
      contact.spins = std::abs(h[twist]) > tolerance * E_.col(twist).norm();
      contact.holds_twist = !contact.spins;
      support += torsion(i) * std::abs(h[twist]);
    }
    if (support > tolerance * (1.0 + mu(i)) * size) return false;
    contact.presses = support >= -tolerance * size;
  }
  bounds_.assign(program.boxes.size(), Bound::kInside);
  for (std::size_t k = 0; k < program.boxes.size(); ++k) {
    const BoxVariable& box = program.boxes[k];
    const double reach = tolerance * E_.col(box.col).norm();
    if (box.lower == box.upper || h[box.col] < -reach)
      bounds_[k] = Bound::kLower;
    else if (h[box.col] > reach)
      bounds_[k] = Bound::kUpper;
    if (!std::isfinite(bounds_[k] == Bound::kUpper ? box.upper : bounds_[k] == Bound::kLower ? box.lower : 0.0))
      return false;
  }
  number_unknowns();
  return true;
}

void BoundaryPair::number_unknowns()
{
  const ConeProgram& program = family_->program;
  int next = 0;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    if (!contacts_[i].presses) continue;
    contacts_[i].first = next++;
    if (contacts_[i].rests) next += program.cones[i].cone.tangents;
    if (contacts_[i].holds_twist) ++next;
  }
  bound_unknown_.assign(bounds_.size(), -1);
  for (std::size_t k = 0; k < bounds_.size(); ++k)
    if (bounds_[k] == Bound::kInside) bound_unknown_[k] = next++;
  unknowns_ = next + static_cast<int>(program.free.size());
}

/// What each unknown does, how that changes with t, and how the motion turns it.
void BoundaryPair::write_columns()
{
  const ConeProgram& program = family_->program;
  const Eigen::Index m = E_.rows();
  columns_.setZero(m, unknowns_);
  slopes_.setZero(m, unknowns_);
  curvature_.setZero(m, m);
  constant_.setZero(m);
  expand_.setZero(E_.cols(), unknowns_);
  const Eigen::VectorXd h = E_.transpose() * y_scaled_;
  int next = 0;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Contact& contact = contacts_[i];
    if (contact.first < 0) continue;
    const auto& [col, cone] = program.cones[i];
    const int twist = col + 1 + cone.tangents;
    next = contact.first;
    const int press = next++;
    expand_(col, press) = cone.sign;
    if (contact.slides) {
      const auto along = h.segment(col + 1, cone.tangents);
      const double speed = along.norm();
      const Eigen::VectorXd unit = along / speed;
      const auto E_t = E_.middleCols(col + 1, cone.tangents);
      expand_.col(press).segment(col + 1, cone.tangents) = mu(i) * unit;
      slopes_.col(press) += slope(i).mu * (E_t * unit);
      if (a_.size() == unknowns_ && cone.tangents > 1)
        curvature_ += a_[press] * mu(i) * E_t * turning(unit, speed) * E_t.transpose();
    }
    if (contact.spins) {
      const double way = std::copysign(1.0, h[twist]);
      expand_(twist, press) = torsion(i) * way;
      slopes_.col(press) += slope(i).torsion * way * E_.col(twist);
    }
    for (int k = 0; contact.rests && k < cone.tangents; ++k) expand_(col + 1 + k, next++) = 1.0;
    if (contact.holds_twist) expand_(twist, next++) = 1.0;
  }
  for (std::size_t k = 0; k < bounds_.size(); ++k) {
    const BoxVariable& box = program.boxes[k];
    if (bound_unknown_[k] >= 0)
      expand_(box.col, next = bound_unknown_[k]) = 1.0;
    else
      constant_ += E_.col(box.col) * (bounds_[k] == Bound::kUpper ? box.upper : box.lower);
  }
  next = unknowns_ - static_cast<int>(program.free.size());
  for (const int col : program.free) expand_(col, next++) = 1.0;
  columns_ = E_ * expand_;
  if (ways_.cols() > 1) {
    const Eigen::VectorXd along = ways_.transpose() * y_scaled_;
    curvature_ -= t_ / size_ * ways_ * turning(along.normalized(), along.norm()) * ways_.transpose();
  }
}

/// The unknowns in the forces nearby; without a load those of sum 1 that come nearest.
void BoundaryPair::start(const Eigen::VectorXd& x)
{
  const ConeProgram& program = family_->program;
  homogeneous_ = e_.isZero(0.0) && ways_.cols() == 0;
  size_ = homogeneous_ ? 1.0 : std::max(x.lpNorm<Eigen::Infinity>(), kNoSize);
  a_.resize(0);
  write_columns();
  normal_.setZero(unknowns_);
  for (const Contact& contact : contacts_)
    if (contact.first >= 0) normal_[contact.first] = 1.0;
  if (homogeneous_) {
    Eigen::MatrixXd rows(columns_.rows() + 1, unknowns_);
    rows << columns_, normal_.transpose();
    a_ = LeastNorm(rows, kTold).solve(with_last(Eigen::VectorXd::Zero(columns_.rows()), 1.0));
    return;
  }
  a_.setZero(unknowns_);
  int next = 0;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    if (contacts_[i].first < 0) continue;
    const auto& [col, cone] = program.cones[i];
    next = contacts_[i].first;
    a_[next++] = std::abs(x[col]);
    for (int k = 0; contacts_[i].rests && k < cone.tangents; ++k) a_[next++] = x[col + 1 + k];
    if (contacts_[i].holds_twist) a_[next++] = x[col + 1 + cone.tangents];
  }
  for (std::size_t k = 0; k < bounds_.size(); ++k)
    if (bound_unknown_[k] >= 0) a_[bound_unknown_[k]] = x[program.boxes[k].col];
  next = unknowns_ - static_cast<int>(program.free.size());
  for (const int col : program.free) a_[next++] = x[col];
  a_ /= size_;
}

/// Solves  columns a = e + t d,  columns'y = 0,  y0'y = 1  (and sum of normal forces = 1 without a load); returns what
/// is left of them. Steps are those of least norm: what is not told stays where it is.
double BoundaryPair::newton()
{
  constexpr int kMostPairSteps = 12;
  const Eigen::Index m = E_.rows(), n = unknowns_;
  const Eigen::VectorXd y0 = y_scaled_;
  const bool cones_change = !family_->slopes.empty();
  const double unit_of_t =
      cones_change ? std::max(std::abs(t_), kLeastUnit) : size_ / std::max(direction().norm(), kNoSize);
  double left = kInfinity;
  for (int step = 0;; ++step) {
    write_columns();
    const Eigen::VectorXd d = direction();
    const Eigen::VectorXd slip = slopes_.transpose() * y_scaled_, growth = slopes_ * a_;
    Eigen::VectorXd rest(m + n + 2);
    rest << columns_ * a_ + (constant_ - e_ - t_ * d) / size_, columns_.transpose() * y_scaled_,
        y0.dot(y_scaled_) - 1.0, homogeneous_ ? normal_.dot(a_) - 1.0 : 0.0;
    const double now = rest.lpNorm<Eigen::Infinity>();
    if (!std::isfinite(now)) return kInfinity;
    if (step == kMostPairSteps || now == 0.0 || (now <= kPairSolved && now >= 0.5 * left)) return now;
    left = now;
    Eigen::MatrixXd slopes = Eigen::MatrixXd::Zero(m + n + 2, m + n + 1);
    slopes.topLeftCorner(m, m) = curvature_;
    slopes.block(0, m, m, n) = columns_;
    slopes.block(m, 0, n, m) = columns_.transpose();
    slopes.col(m + n).head(m) = unit_of_t * (growth - d / size_);
    slopes.col(m + n).segment(m, n) = unit_of_t * slip;
    slopes.row(m + n).head(m) = y0.transpose();
    if (homogeneous_) slopes.row(m + n + 1).segment(m, n) = normal_.transpose();
    const Eigen::VectorXd change = LeastNorm(slopes, kTold).solve(-rest);
    y_scaled_ += change.head(m);
    a_ += change.segment(m, n);
    t_ += unit_of_t * change[m + n];
  }
}

/// Whether what the equations left out is so: no contact pulls, nothing beyond a rim or a bound, nothing that carries
/// no force opposes the motion.
bool BoundaryPair::complementary()
{
  const ConeProgram& program = family_->program;
  const double forgiven = forces_unique_ ? kPolished : kOnTheWay;
  const Eigen::VectorXd h = E_.transpose() * y_scaled_;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const auto& [col, cone] = program.cones[i];
    const Contact& contact = contacts_[i];
    const int twist = col + 1 + cone.tangents;
    if (contact.first < 0) {
      double support = cone.sign * h[col];
      if (cone.tangents > 0) support += mu(i) * h.segment(col + 1, cone.tangents).norm();
      if (cone.torsional) support += torsion(i) * std::abs(h[twist]);
      if (support > kPolished * (1.0 + mu(i)) * E_.col(col).norm()) return false;
      continue;
    }
    int next = contact.first;
    const double press = a_[next++];
    if (press < -forgiven) return false;
    if (contact.rests) {
      if (a_.segment(next, cone.tangents).norm() > mu(i) * press + forgiven) return false;
      next += cone.tangents;
    }
    if (contact.holds_twist && std::abs(a_[next]) > torsion(i) * press + forgiven) return false;
  }
  for (std::size_t k = 0; k < bounds_.size(); ++k)
    if (const int unknown = bound_unknown_[k]; unknown >= 0) {
      const BoxVariable& box = program.boxes[k];
      const double value = size_ * a_[unknown], room = forgiven * size_;
      if (value < box.lower - room || value > box.upper + room) return false;
    }
  return true;
}

/// Of forces: no others go with the motion. Of the motion: nothing else is at right angles to everything that presses,
/// and turning it turns forces on the rim.
void BoundaryPair::test_uniqueness()
{
  const Eigen::Index m = E_.rows();
  std::vector<Eigen::Index> told;
  for (Eigen::Index k = 0; k < unknowns_; ++k)
    if (pressing_[static_cast<std::size_t>(k)]) told.push_back(k);
  Eigen::MatrixXd across(m, static_cast<Eigen::Index>(told.size()) + 1);
  for (std::size_t k = 0; k < told.size(); ++k) {
    const double size = columns_.col(told[k]).norm();
    across.col(static_cast<Eigen::Index>(k)) = columns_.col(told[k]) / (size > 0.0 ? size : 1.0);
  }
  across.rightCols(1) = y_scaled_.normalized();
  const ColumnSpan span = column_span(across, kTold);
  const Eigen::MatrixXd others = span.complement();
  motion_unique_ = others.cols() == 0 || column_rank(others.transpose() * curvature_ * others, kTold) == others.cols();
  if (others.cols() > 0 && motion_unique_)  // pivots are compared with the largest: is that one clear of rounding?
    motion_unique_ = (others.transpose() * curvature_ * others).norm() > kTold;
}

bool BoundaryPair::find(const ConeFamily& family, double t, const ConeAnswer& nearby)
{
  constexpr double kTolerances[] = {1e-3, 1e-5, 1e-2};  // of what answers nearby leave of zero
  family_ = &family;
  scale(family);
  const Eigen::VectorXd first = row_scale_.cwiseProduct(nearby.y).normalized();
  for (const double tolerance : kTolerances) {
    y_scaled_ = first;
    t_ = t;
    if (!first.allFinite() || !classify(tolerance) || unknowns_ == 0) continue;
    start(nearby.x);
    if (newton() > kPairSolved) continue;
    Eigen::MatrixXd unit = columns_;
    if (homogeneous_) {
      unit.conservativeResize(unit.rows() + 1, Eigen::NoChange);
      unit.bottomRows(1) = normal_.transpose();
    }
    for (Eigen::Index k = 0; k < unit.cols(); ++k)
      if (const double size = unit.col(k).norm(); size > 0.0) unit.col(k) /= size;
    forces_unique_ = unknowns_ == 0 || column_rank(unit, kTold) == unknowns_;
    if (!complementary()) continue;
    y_ = y_scaled_.cwiseQuotient(row_scale_);
    rate_ = y_scaled_.dot(direction()) - size_ * y_scaled_.dot(slopes_ * a_);
    double steepest = direction().norm();
    for (const ConeFamily::Slope& own : family.slopes)
      steepest = std::max({steepest, size_ * own.mu, size_ * own.torsion});
    if (!(std::abs(rate_) > kStrict * steepest)) continue;  // t is not told
    write_face();
    pressing_.assign(static_cast<std::size_t>(unknowns_), 1);
    for (const Contact& contact : contacts_)
      if (contact.first >= 0 && a_[contact.first] <= kStrict) pressing_[static_cast<std::size_t>(contact.first)] = 0;
    test_uniqueness();
    return true;
  }
  return false;
}

void BoundaryPair::write_face()
{
  const ConeProgram& program = family_->program;
  face_ = ConeProgram{};
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Contact& contact = contacts_[i];
    if (contact.first < 0) continue;
    const FrictionCone& cone = program.cones[i].cone;
    face_.cones.push_back({contact.first, FrictionCone{contact.rests ? cone.tangents : 0,
                                                       contact.holds_twist,
                                                       mu(i),
                                                       contact.holds_twist ? torsion(i) : 0.0,
                                                       1.0,
                                                       {}}});
  }
  for (std::size_t k = 0; k < bounds_.size(); ++k)
    if (bound_unknown_[k] >= 0)
      face_.boxes.push_back({bound_unknown_[k], program.boxes[k].lower, program.boxes[k].upper});
  for (int k = unknowns_ - static_cast<int>(program.free.size()); k < unknowns_; ++k) face_.free.push_back(k);
  face_.E = columns_;
  if (homogeneous_) {
    face_.E.conservativeResize(face_.E.rows() + 1, Eigen::NoChange);
    face_.E.bottomRows(1) = normal_.transpose();
  }
  face_.e = face_.E * (size_ * a_);  // what is outside of the span of the columns is rounding
  face_.e_scale = face_.E.cwiseAbs() * (size_ * a_.cwiseAbs());
  x_ = expand_ * (size_ * a_);
  for (std::size_t k = 0; k < bounds_.size(); ++k)
    if (bound_unknown_[k] < 0)
      x_[program.boxes[k].col] = bounds_[k] == Bound::kUpper ? program.boxes[k].upper : program.boxes[k].lower;
}

bool BoundaryPair::settle(Engine& engine, ClaimJudge judge, Caster& caster)
{
  if (forces_unique_) return true;
  ConeAnswer answer;
  if (decide(engine, face_, judge, answer) != Verdict::kHolds) return false;
  const Eigen::VectorXd before = size_ * a_;
  a_ = answer.x / size_;
  x_ += expand_ * (answer.x - before);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const int press = contacts_[i].first;
    if (press < 0) continue;
    double least = 0.0, most = 0.0;
    Eigen::VectorXd c = Eigen::VectorXd::Zero(E_.cols());
    c[family_->program.cones[i].col] = family_->program.cones[i].cone.sign;
    const bool known = a_[press] > kStrict || range(c, engine, caster, least, most);
    pressing_[static_cast<std::size_t>(press)] = a_[press] > kStrict || (known && most > kStrict * size_);
  }
  test_uniqueness();
  return true;
}

bool BoundaryPair::range(const Eigen::VectorXd& c, Engine& engine, Caster& caster, double& least, double& most)
{
  least = most = c.dot(x_);
  if (forces_unique_) return true;
  const Eigen::VectorXd row = expand_.transpose() * c;
  const double size = row.norm() * size_;
  const Eigen::VectorXd along = LeastNorm(face_.E.transpose(), kTold).solve(row);
  if ((face_.E.transpose() * along - row).norm() * size_ <= kPolished * size || size == 0.0) return true;
  const Eigen::Index m = face_.E.rows();
  ConeProgram extended = face_;
  const Eigen::VectorXd at = size_ * a_;
  extended.E.conservativeResize(m + 1, Eigen::NoChange);
  extended.E.row(m) = row.transpose();
  extended.e = with_last(face_.e, row.dot(at));
  extended.e_scale = with_last(face_.e_scale, row.cwiseAbs().dot(at.cwiseAbs()));
  CastOptions how;
  how.scale = size;
  Cast cast;
  for (const double way : {1.0, -1.0}) {
    caster.cast(engine, extended, Eigen::VectorXd::Unit(m + 1, m) * way, 0.0, at, how, cast);
    const double end = cast.end == CastRange::End::kUnbounded ? kInfinity : cast.lower;
    if (cast.end == CastRange::End::kUndecided && !(cast.upper - cast.lower <= kPolished * size)) return false;
    (way > 0.0 ? most : least) += way * end;
  }
  return true;
}

void BoundaryPair::sliding_of(std::size_t cone, Eigen::VectorXd& c) const
{
  c.setZero(E_.cols());
  if (!contacts_[cone].slides) return;
  const auto& [col, own] = family_->program.cones[cone];
  c[col] = own.sign * (family_->program.E.transpose() * y_).segment(col + 1, own.tangents).norm();
}

void BoundaryPair::spinning_of(std::size_t cone, Eigen::VectorXd& c) const
{
  c.setZero(E_.cols());
  if (!contacts_[cone].spins) return;
  const auto& [col, own] = family_->program.cones[cone];
  c[col] = own.sign * std::abs((family_->program.E.transpose() * y_)[col + 1 + own.tangents]);
}

}  // namespace stiction::internal
