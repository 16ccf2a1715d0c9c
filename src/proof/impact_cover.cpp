// What a set of leaves proves about all solutions of the impact laws: the program of each leaf, and the cover of all
// modes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "proof/impact_cover.hpp"
#include "proof/impact_law.hpp"
#include "proof/sums.hpp"
#include "stiction/proof/impact.hpp"

namespace stiction {

using namespace internal;
using Mode = ContactImpactMode;

namespace {

constexpr double kCosineRounding = 1.0 - 0x1p-40;  // of a cosine, which sets a bound from below
constexpr double kGainRounding = 1.0 + 0x1p-20;    // of the sums of an energy, which set one from above

/// Collects the columns of x and the rows J d - Σ coefficient x = -(1+ε)γ- of a leaf.
class ProgramWriter {
 public:
  ProgramWriter(const ContactProblem& problem, const Impact& impact)
      : problem_(problem),
        impact_(impact),
        bounds_(impact_bounds(problem, impact.velocity)),
        restitution_(restitutions(problem, impact)),
        before_(problem.rows()),
        caps_(Eigen::VectorXd::Zero(problem.rows()))
  {
    for (Eigen::Index j = 0; j < problem.nv(); ++j) free_.push_back(column(kReach * bounds_.motion[j]));
    for (Eigen::Index r = 0; r < problem.rows(); ++r)
      before_[r] = static_cast<double>(product(problem.J.row(r), impact.velocity).value);
  }

  void closure(const LoopConstraint& closure)
  {
    for (int r = closure.row; r < closure.row + closure.rows; ++r) {
      caps_[r] = kReach * bounds_.force[r];
      impulse(free_column(caps_[r]), r, 1.0);
      row(r);
    }
  }

  void contact(const ImpactElement& element, const Mode& mode)
  {
    const Contact& c = element.contact;
    if (mode.normal == Mode::Normal::kOpen) {  // D = {0}: the other rows move as they like
      slack(row(c.row), 1.0);
      return;
    }
    caps_[c.row] = kReach * normal_bound(element, bounds_);
    for (int k = 0; element.rubs() && k < c.tangents; ++k)
      caps_[c.row + 1 + k] = c.mu * element.stretch(k) * caps_[c.row];
    if (element.twists()) caps_[element.torsion_row()] = c.torsion * caps_[c.row];
    const int normal_row = row(c.row);
    if (mode.normal == Mode::Normal::kAny) {
      if (element.bilateral()) {  // a double cone: relaxed to all impulses
        const auto any = [&](int r) { impulse(free_column(caps_[r]), r, 1.0); };
        any(c.row);
        for (int k = 0; element.rubs() && k < c.tangents; ++k) any(c.row + 1 + k);
        if (element.twists()) any(element.torsion_row());
        return;
      }
      slack(normal_row, 1.0);
    }
    const double sign = mode.normal == Mode::Normal::kPulls ? -1.0 : 1.0;
    const std::vector<std::pair<int, double>> pressing = impulses(element, mode, sign);
    if (element.rubs() && mode.tangential != Mode::Tangential::kAny) {
      int rows[2];
      for (int k = 0; k < c.tangents; ++k) rows[k] = row(c.row + 1 + k);
      if (mode.tangential == Mode::Tangential::kSlip && c.tangents == 1) {
        losses_.push_back({c.mu, 1.0, pressing, {slack(rows[0], planar_sign(mode))}});
      } else if (mode.tangential == Mode::Tangential::kSlip) {
        const double fastest = std::hypot(speed(c.row + 1), element.stretch(1) * speed(c.row + 2));
        losses_.push_back({c.mu, kCosineRounding * std::cos(0.5 * (mode.to - mode.from)), pressing, {}});
        for (const double angle : {mode.from, mode.to}) {
          const int column = box_column(kBoundRounding * fastest);
          losses_.back().speed.push_back(column);
          const Eigen::Vector2d along = direction(angle);
          coefficients_.push_back({rows[0], column, along[0]});
          coefficients_.push_back({rows[1], column, along[1] / element.stretch(1)});
        }
        // Rounded directions leave slip between two sectors, or beyond the end of one.
        for (const int r : rows)
          rows_[static_cast<std::size_t>(r)].second = kBlur * (fastest / element.stretch(1) + fastest);
      }
    }
    if (element.twists() && mode.spin != Mode::Spin::kAny) {
      const int spin = row(element.torsion_row());
      if (mode.spin != Mode::Spin::kStick)
        losses_.push_back({c.torsion, 1.0, pressing, {slack(spin, mode.spin == Mode::Spin::kPositive ? 1.0 : -1.0)}});
    }
  }

  void write(LeafQuestion question, const std::vector<SlipFloor>& floors, ImpactProgram& out)
  {
    const auto nv = problem_.nv();
    const bool gains = question == LeafQuestion::kGains;
    const int gain_slack = gains ? box_column(0.0) : -1;
    const auto kinematic = static_cast<Eigen::Index>(rows_.size()),
               columns = static_cast<Eigen::Index>(bounds_of_.size());
    out.impulses.setZero(problem_.rows(), columns);
    Eigen::MatrixXd sizes = Eigen::MatrixXd::Zero(problem_.rows(), columns);
    for (const Entry& entry : impulses_) out.impulses(entry.row, entry.column) += entry.value;
    for (const Entry& entry : sizes_) sizes(entry.row, entry.column) += entry.value;
    ConeProgram& p = out.program;
    p.E.setZero(nv + kinematic + (gains ? 1 : 0), columns);
    p.e.setZero(p.E.rows());
    p.e_scale.setZero(p.E.rows());
    out.blur.setZero(p.E.rows(), columns);
    out.tolerance.setZero(p.E.rows());
    out.bound = Eigen::Map<const Eigen::VectorXd>(bounds_of_.data(), columns);
    p.E.topRows(nv).noalias() = -problem_.J.transpose() * out.impulses;
    p.E.topLeftCorner(nv, nv) += problem_.M;
    // Entries were rounded, and so were the impulses of a solution.
    out.blur.topRows(nv).noalias() = kBlur * (problem_.J.cwiseAbs().transpose() * sizes);
    out.tolerance.head(nv) = kBoundRounding * kSolve * bounds_.load;
    for (Eigen::Index k = 0; k < kinematic; ++k) {
      const auto [r, more] = rows_[static_cast<std::size_t>(k)];
      p.E.row(nv + k).head(nv) = problem_.J.row(r);
      p.e[nv + k] = -(1.0 + restitution_[r]) * before_[r];
      p.e_scale[nv + k] = (1.0 + restitution_[r]) * problem_.J.row(r).cwiseAbs().dot(impact_.velocity.cwiseAbs());
      out.tolerance[nv + k] = kBoundRounding * (kSolve + kBlur) * bounds_.row[r] + more;
    }
    for (const Entry& entry : coefficients_) p.E(nv + entry.row, entry.column) -= entry.value;
    out.losses.clear();
    for (const Loss& loss : losses_) {
      SlipLoss each{loss.rate, Eigen::VectorXd::Zero(columns), Eigen::VectorXd::Zero(columns)};
      for (const auto& [column, value] : loss.pressing) each.pressing[column] = value;
      for (const int column : loss.speed) each.speed[column] = loss.share;
      out.losses.push_back(std::move(each));
    }
    if (gains) write_gain(floors, sizes, gain_slack, out);
    p.cones = cones_;
    p.boxes = boxes_;
    p.free = free_;
  }

 private:
  struct Entry {
    int row, column;
    double value;
  };
  struct Loss {
    double rate, share;  ///< |ξ| >= share times the sum of the speeds
    std::vector<std::pair<int, double>> pressing;
    std::vector<int> speed;
  };

  /// The last row: W > 0 as a linear inequality, its slack in units that make it an entry like the others.
  void write_gain(const std::vector<SlipFloor>& floors, const Eigen::MatrixXd& sizes, int slack,
                  ImpactProgram& out) const
  {
    const Eigen::VectorXd gain_rate = 0.5 * (1.0 - restitution_.array()) * before_.array();
    Eigen::RowVectorXd row = gain_rate.transpose() * out.impulses, size = bounds_.row.transpose() * sizes;
    double least_loss = 0.0;
    for (std::size_t k = 0; k < floors.size(); ++k) {
      const SlipLoss& loss = out.losses[k];
      const double least_impulse = floors[k].impulse, least_speed = floors[k].speed;
      const Eigen::RowVectorXd rate = 0.5 * loss.rate * (least_impulse * loss.speed + least_speed * loss.pressing);
      row -= rate;
      size += rate.cwiseAbs();
      least_loss += 0.5 * loss.rate * least_impulse * least_speed;
    }
    const double largest = row.cwiseAbs().maxCoeff(), unit = largest > 0.0 ? largest : 1.0;
    const auto last = out.program.E.rows() - 1;
    out.program.E.row(last) = row;
    out.program.E(last, slack) = -unit;
    out.program.e[last] = -least_loss;
    out.bound[slack] = kBoundRounding * (gain_rate.cwiseAbs().dot(caps_) + least_loss) / unit;
    out.blur.row(last) = kBlur * size;
    out.tolerance[last] = gain_doubt() + kBlur * least_loss;
  }

  static double planar_sign(const Mode& mode) { return mode.from == 0.0 ? 1.0 : -1.0; }

  /// (cos, sin), exact where quadrants meet.
  static Eigen::Vector2d direction(double angle)
  {
    for (int k = 0; k <= 4; ++k)
      if (angle == k * (0.5 * std::numbers::pi)) return {k % 2 == 0 ? 1.0 - (k % 4) : 0.0, k % 2 == 1 ? 2.0 - k : 0.0};
    return {std::cos(angle), std::sin(angle)};
  }

  /// Largest |ξ| of a row.
  double speed(int row) const { return (kReach + 4.0) * bounds_.row[row]; }

  /// How far W may exceed the bound Σ ½(1-ε)Λ'γ-: ½|Λ|'|ξ - ξ̂| + ½|M d - J'Λ|'|u+ + u-|.
  double gain_doubt() const
  {
    const Eigen::VectorXd fastest = (kReach + 2.0) * bounds_.motion;
    const double laws = kSolve * caps_.dot(bounds_.row), momentum = kSolve * bounds_.load.dot(fastest),
                 last = kBlur * caps_.dot(problem_.J.cwiseAbs() * fastest);
    return kBoundRounding * 0.5 * (laws + momentum + last);
  }

  int column(double bound)
  {
    bounds_of_.push_back(bound);
    return static_cast<int>(bounds_of_.size()) - 1;
  }
  int free_column(double bound)
  {
    free_.push_back(column(bound));
    return free_.back();
  }
  int box_column(double bound)
  {
    boxes_.push_back({column(bound), 0.0, kInfinity});
    return boxes_.back().col;
  }
  void impulse(int column, int row, double value) { impulse(column, row, value, std::abs(value)); }
  /// `size`: of the numbers that the value was computed from.
  void impulse(int column, int row, double value, double size)
  {
    impulses_.push_back({row, column, value});
    sizes_.push_back({row, column, size});
  }
  int row(int of_J)
  {
    rows_.emplace_back(of_J, 0.0);
    return static_cast<int>(rows_.size()) - 1;
  }
  /// ξ of that row is sign·(something >= 0).
  int slack(int row, double sign)
  {
    coefficients_.push_back({row, box_column(speed(rows_[static_cast<std::size_t>(row)].first)), sign});
    return coefficients_.back().column;
  }

  /// Columns of the impulses of a contact; returns those that |Λn| is the sum of, with their signs.
  std::vector<std::pair<int, double>> impulses(const ImpactElement& element, const Mode& mode, double sign)
  {
    const Contact& c = element.contact;
    const int tangents = element.rubs() ? c.tangents : 0;
    const bool spin_tied = mode.spin == Mode::Spin::kPositive || mode.spin == Mode::Spin::kNegative;
    const double spin_end = mode.spin == Mode::Spin::kPositive ? -c.torsion : c.torsion;
    const bool spin_free = element.twists() && !spin_tied;
    if (tangents > 0 && mode.tangential == Mode::Tangential::kSlip) {
      std::vector<Eigen::Vector2d> points;  // of the disk, per unit of normal impulse: their hull contains the arc
      if (tangents == 1) {
        points.emplace_back(-c.mu * planar_sign(mode), 0.0);
      } else {
        const auto at = [&](double angle, double radius) { points.emplace_back(-radius * direction(angle)); };
        at(mode.from, c.mu);
        at(mode.to, c.mu);
        at(0.5 * (mode.from + mode.to), c.mu / std::cos(0.5 * (mode.to - mode.from)));  // where the end tangents meet
      }
      std::vector<double> ends = {0.0};
      if (element.twists())
        ends = spin_tied ? std::vector<double>{spin_end} : std::vector<double>{-c.torsion, c.torsion};
      std::vector<std::pair<int, double>> pressing;
      for (const Eigen::Vector2d& point : points)
        for (const double end : ends) {
          const int column = box_column(caps_[c.row]);
          pressing.emplace_back(column, 1.0);
          impulse(column, c.row, sign);
          for (int k = 0; k < tangents; ++k)
            impulse(column, c.row + 1 + k, point[k] * element.stretch(k), 2.0 * c.mu * element.stretch(k));
          if (element.twists()) impulse(column, element.torsion_row(), end);
        }
      return pressing;
    }
    ConeBlock block;
    block.col = column(caps_[c.row]);
    block.cone.tangents = tangents;
    block.cone.mu = c.mu;
    block.cone.torsional = spin_free;
    block.cone.torsion = c.torsion;
    block.cone.sign = sign;
    impulse(block.col, c.row, 1.0);
    if (element.twists() && spin_tied) impulse(block.col, element.torsion_row(), sign * spin_end);
    for (int k = 0; k < tangents; ++k) impulse(column(0.0), c.row + 1 + k, element.stretch(k));
    if (spin_free) impulse(column(0.0), element.torsion_row(), 1.0);
    cones_.push_back(block);
    return {{block.col, sign}};
  }

  const ContactProblem& problem_;
  const Impact& impact_;
  MotionBounds bounds_;
  Eigen::VectorXd restitution_, before_;
  Eigen::VectorXd caps_;           ///< largest |Λ| per row of J
  std::vector<double> bounds_of_;  ///< per column; of a cone its first column counts
  std::vector<int> free_;
  std::vector<BoxVariable> boxes_;
  std::vector<ConeBlock> cones_;
  std::vector<Entry> impulses_, sizes_, coefficients_;
  std::vector<Loss> losses_;
  std::vector<std::pair<int, double>> rows_;  ///< row of J, and what rounded directions add to its tolerance
};

/// A mode that contacts of this kind have: programs of others would not contain the solutions that they stand for.
bool possible(const ImpactElement& element, const Mode& mode)
{
  if (mode.normal == (element.bilateral() ? Mode::Normal::kOpen : Mode::Normal::kPulls)) return false;
  if (mode.tangential != Mode::Tangential::kSlip) return true;
  if (element.contact.tangents == 1) return mode.from == mode.to && (mode.from == 0.0 || mode.from == std::numbers::pi);
  constexpr double kTypedAngle = 1e-9;  // rad: what a quarter turn in decimals may be off
  return mode.from <= mode.to && mode.to - mode.from <= 0.5 * std::numbers::pi + kTypedAngle;
}

bool includes(const Mode& wide, const Mode& narrow)
{
  if (wide.normal != Mode::Normal::kAny && wide.normal != narrow.normal) return false;
  if (wide.spin != Mode::Spin::kAny && wide.spin != narrow.spin) return false;
  if (wide.tangential == Mode::Tangential::kAny) return true;
  if (wide.tangential != narrow.tangential) return false;
  return wide.tangential == Mode::Tangential::kStick || (wide.from <= narrow.from && narrow.to <= wide.to);
}

/// The leaves cover `modes`, among those in `list`.
bool covered(const ContactProblem& problem, const Impact& impact, const std::vector<ImpactLeaf>& leaves,
             std::vector<Mode>& modes, const std::vector<int>& list)
{
  if (list.empty()) return false;
  const ImpactLeaf& leaf = leaves[static_cast<std::size_t>(list.front())];
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (includes(leaf.modes[i], modes[i])) continue;
    const Mode whole = modes[i];
    const std::vector<Mode> parts = split_mode(ImpactElement(problem, impact, i), whole);
    if (parts.empty()) return false;
    for (const Mode& part : parts) {
      modes[i] = part;
      std::vector<int> inside;
      for (const int k : list) {
        const Mode& other = leaves[static_cast<std::size_t>(k)].modes[i];
        if (includes(other, part) || includes(part, other)) inside.push_back(k);
      }
      if (!covered(problem, impact, leaves, modes, inside)) {
        modes[i] = whole;
        return false;
      }
    }
    modes[i] = whole;
    return true;
  }
  return true;  // the first leaf alone does
}

constexpr long double kMoreCharge = 1.0L + 0x1p-20L;  // rounding of the sums of charges

/// One long sum of a column with what rounding and blur may do to it.
struct Column {
  long double value = 0.0L, doubt = 0.0L;
};

template <class Weights>
Column column_of(const ImpactProgram& p, const Weights& y, Eigen::Index k)
{
  const Eigen::Index rows = p.program.E.rows();
  const long double last_bit = 4.0L * std::numeric_limits<long double>::epsilon() * static_cast<long double>(rows + 1);
  Column column;
  for (Eigen::Index i = 0; i < rows; ++i) {
    if (y[i] == 0.0) continue;
    const long double weight = y[i], term = weight * p.program.E(i, k);
    column.value += term;
    column.doubt += std::abs(weight) * p.blur(i, k) + last_bit * std::abs(term);
  }
  return column;
}

/// How far u+ - u- of any solution in the leaf is from `change`: with Y E = [I 0] + R and E x = e + r,
/// d = Y e + Y r - R x, and |r|, |x| are bounded. Any Y will do, good ones say more.
bool velocity_radius(const ImpactProgram& p, const Eigen::MatrixXd& Y, const Eigen::VectorXd& change,
                     Eigen::VectorXd& radius)
{
  const Eigen::MatrixXd& E = p.program.E;
  const Eigen::Index nv = change.size();
  if (Y.rows() != nv || Y.cols() != E.rows() || !all_finite(Y)) return false;
  const Eigen::VectorXd reach = reach_of(p);
  const long double last_bit =
      4.0L * std::numeric_limits<long double>::epsilon() * static_cast<long double>(E.rows() + 1);
  radius.setZero(nv);
  for (Eigen::Index i = 0; i < nv; ++i) {
    if (p.bound[i] == 0.0) continue;  // nothing reaches it
    long double distance = -static_cast<long double>(change[i]), charge = 0.0L;
    for (Eigen::Index k = 0; k < E.rows(); ++k) {
      const long double term = static_cast<long double>(Y(i, k)) * p.program.e[k];
      distance += term;
      charge += std::abs(static_cast<long double>(Y(i, k))) * p.tolerance[k] + last_bit * std::abs(term);
    }
    for (Eigen::Index k = 0; k < E.cols(); ++k) {
      if (reach[k] == 0.0) continue;
      const Column column = column_of(p, Y.row(i), k);
      charge += reach[k] * (std::abs(column.value - (i == k ? 1.0L : 0.0L)) + column.doubt);
    }
    radius[i] = static_cast<double>(kMoreCharge * (std::abs(distance) + charge));
    if (!std::isfinite(radius[i])) return false;
  }
  return true;
}

/// Largest energy change of velocities within `radius` of a solution.
double largest_gain(const ContactProblem& problem, const ImpactSolution& solution, const Eigen::VectorXd& radius)
{
  const Eigen::VectorXd momentum = (problem.M * solution.velocity).cwiseAbs();
  const Eigen::VectorXd blur = kRounding * (problem.M.cwiseAbs() * solution.velocity.cwiseAbs());
  return solution.energy_change +
         kGainRounding * ((momentum + blur).dot(radius) + 0.5 * radius.dot(problem.M.cwiseAbs() * radius));
}

}  // namespace

namespace internal {

bool excludes(const ImpactProgram& p, const Eigen::VectorXd& y)
{
  const ConeProgram& program = p.program;
  if (y.size() != program.E.rows() || !all_finite(y)) return false;
  const long double last_bit =
      4.0L * std::numeric_limits<long double>::epsilon() * static_cast<long double>(y.size() + 1);
  long double gap = 0.0L, charge = 0.0L;
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    const long double term = static_cast<long double>(y[i]) * program.e[i];
    gap += term;
    charge += std::abs(static_cast<long double>(y[i])) * p.tolerance[i] + last_bit * std::abs(term);
  }
  for (const int k : program.free) {
    if (p.bound[k] == 0.0) continue;
    const Column column = column_of(p, y, k);
    charge += p.bound[k] * (std::abs(column.value) + column.doubt);
  }
  for (const BoxVariable& box : program.boxes) {
    if (p.bound[box.col] == 0.0) continue;
    const Column column = column_of(p, y, box.col);
    charge += p.bound[box.col] * std::max(0.0L, column.value + column.doubt);
  }
  for (const ConeBlock& block : program.cones) {
    if (p.bound[block.col] == 0.0) continue;
    Sum h[4];
    for (int k = 0; k < block.cone.dim(); ++k) {
      const Column column = column_of(p, y, block.col + k);
      h[k] = {column.value, column.doubt};
    }
    long double doubt = h[0].scale;  // any direction of friction may be doubted
    for (int k = 1; k <= block.cone.tangents; ++k) doubt += block.cone.mu * h[k].scale;
    if (block.cone.torsional) doubt += block.cone.torsion * h[1 + block.cone.tangents].scale;
    charge += p.bound[block.col] * std::max(0.0L, support_sum(block.cone, h).value + doubt);
  }
  return std::isfinite(charge) && gap > kMoreCharge * charge;
}

ImpactProgram below(const ImpactProgram& p, const Eigen::VectorXd& quantity, double limit)
{
  ImpactProgram out = p;
  const auto rows = p.program.E.rows(), columns = p.program.E.cols();
  out.program.E.conservativeResizeLike(Eigen::MatrixXd::Zero(rows + 1, columns + 1));
  out.program.E.row(rows).head(columns) = quantity.transpose();
  const double unit = quantity.lpNorm<Eigen::Infinity>();
  out.program.E(rows, columns) = unit > 0.0 ? unit : 1.0;
  out.program.e.conservativeResizeLike(Eigen::VectorXd::Constant(rows + 1, limit));
  out.program.e_scale.conservativeResizeLike(Eigen::VectorXd::Constant(rows + 1, limit));
  out.program.boxes.push_back({static_cast<int>(columns), 0.0, kInfinity});
  out.bound.conservativeResizeLike(Eigen::VectorXd::Constant(columns + 1, 2.0 * limit / out.program.E(rows, columns)));
  out.tolerance.conservativeResizeLike(Eigen::VectorXd::Constant(rows + 1, kBlur * limit));
  out.blur.conservativeResizeLike(Eigen::MatrixXd::Zero(rows + 1, columns + 1));
  out.blur.row(rows).head(columns) = kBlur * quantity.cwiseAbs().transpose();
  return out;
}

Eigen::VectorXd reach_of(const ImpactProgram& p)
{
  Eigen::VectorXd reach = p.bound;  // of cones: the other components by the first
  for (const ConeBlock& block : p.program.cones) {
    for (int k = 1; k <= block.cone.tangents; ++k) reach[block.col + k] = block.cone.mu * p.bound[block.col];
    if (block.cone.torsional) reach[block.col + 1 + block.cone.tangents] = block.cone.torsion * p.bound[block.col];
  }
  return reach;
}

std::vector<Mode> split_mode(const ImpactElement& element, const Mode& mode)
{
  std::vector<Mode> parts;
  const auto add = [&](auto change) {
    parts.push_back(mode);
    change(parts.back());
  };
  if (!element.branches() || mode.normal == Mode::Normal::kOpen) return parts;
  if (mode.normal == Mode::Normal::kAny) {
    add([](Mode& m) { m.normal = Mode::Normal::kPushes; });
    add([&](Mode& m) { m.normal = element.bilateral() ? Mode::Normal::kPulls : Mode::Normal::kOpen; });
  } else if (element.rubs() && mode.tangential == Mode::Tangential::kAny) {
    add([](Mode& m) { m.tangential = Mode::Tangential::kStick; });
    const int sectors = element.contact.tangents == 1 ? 2 : 4;
    const double step = 2.0 * std::numbers::pi / sectors, width = element.contact.tangents == 1 ? 0.0 : step;
    for (int k = 0; k < sectors; ++k)
      add([&](Mode& m) {
        m.tangential = Mode::Tangential::kSlip;
        m.from = k * step;
        m.to = m.from + width;
      });
  } else if (element.twists() && mode.spin == Mode::Spin::kAny) {
    for (const Mode::Spin spin : {Mode::Spin::kStick, Mode::Spin::kPositive, Mode::Spin::kNegative})
      add([&](Mode& m) { m.spin = spin; });
  } else if (mode.tangential == Mode::Tangential::kSlip && mode.from < mode.to) {
    const double middle = 0.5 * (mode.from + mode.to);
    if (!(mode.from < middle && middle < mode.to)) return parts;  // no doubles in between: nothing is left to halve
    add([&](Mode& m) { m.to = middle; });
    add([&](Mode& m) { m.from = middle; });
  }
  return parts;
}

}  // namespace internal

void write_impact_program(const ContactProblem& problem, const Impact& impact, const std::vector<Mode>& modes,
                          LeafQuestion question, ImpactProgram& out, const std::vector<SlipFloor>& floors)
{
  ProgramWriter writer(problem, impact);
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) writer.contact(ImpactElement(problem, impact, i), modes[i]);
  for (const LoopConstraint& closure : problem.loops) writer.closure(closure);
  writer.write(question, floors, out);
}

namespace {

/// What the leaves show, one after the other.
struct LeafFindings {
  bool resolved = true;  ///< every leaf is proved
  bool complete = true;  ///< and leaves no velocity but the listed ones
  bool one = true;       ///< which all are the first one
  bool lossy = true;     ///< no solution in a leaf gains energy
};

/// No solution in a leaf of kind kLoses gains energy.
bool proves_loss(const ContactProblem& problem, const Impact& impact, const ImpactLeaf& leaf, ImpactProgram& program)
{
  write_impact_program(problem, impact, leaf.modes, LeafQuestion::kGains, program);
  if (leaf.floors.empty()) return excludes(program, leaf.witness);
  if (leaf.floors.size() != program.losses.size()) return false;
  const auto exceeds = [&](const Eigen::VectorXd& quantity, double floor, const Eigen::VectorXd& witness) {
    return floor == 0.0 || (std::isfinite(floor) && floor > 0.0 && excludes(below(program, quantity, floor), witness));
  };
  for (std::size_t k = 0; k < leaf.floors.size(); ++k) {
    const SlipFloor& floor = leaf.floors[k];
    if (!exceeds(program.losses[k].pressing, floor.impulse, floor.impulse_witness) ||
        !exceeds(program.losses[k].speed, floor.speed, floor.speed_witness))
      return false;
  }
  write_impact_program(problem, impact, leaf.modes, LeafQuestion::kGains, program, leaf.floors);
  return excludes(program, leaf.witness);
}

bool look_at_leaf(const ContactProblem& problem, const Impact& impact, const std::vector<ImpactSolution>& solutions,
                  const ImpactLeaf& leaf, const MotionBounds& bounds, ImpactProgram& program, LeafFindings& found)
{
  if (leaf.kind == ImpactLeaf::Kind::kLoses) {
    found.complete = false;
    return proves_loss(problem, impact, leaf, program);
  }
  write_impact_program(problem, impact, leaf.modes, LeafQuestion::kLaws, program);
  if (leaf.kind == ImpactLeaf::Kind::kEmpty) return excludes(program, leaf.witness);
  if (leaf.kind != ImpactLeaf::Kind::kSolved || leaf.solution < 0 ||
      leaf.solution >= static_cast<int>(solutions.size()))
    return false;
  const ImpactSolution& solution = solutions[static_cast<std::size_t>(leaf.solution)];
  Eigen::VectorXd radius;
  if (!velocity_radius(program, leaf.left_inverse, solution.velocity - impact.velocity, radius) ||
      !same_velocity(bounds, solution.velocity, solution.velocity, 0.5, &radius))
    return false;
  found.one = found.one && same_velocity(bounds, solutions.front().velocity, solution.velocity, 0.5, &radius);
  found.lossy = found.lossy && largest_gain(problem, solution, radius) <= noticeable_gain(bounds);
  return true;
}

}  // namespace

ImpactProof judge_impact(const ContactProblem& problem, const Impact& impact,
                         const std::vector<ImpactSolution>& solutions, const std::vector<ImpactLeaf>& leaves,
                         std::string* why)
{
  ImpactProof proof;
  bool gains = false;
  std::vector<ImpactSolution> checked = solutions;
  const MotionBounds bounds = impact_bounds(problem, impact.velocity);
  for (ImpactSolution& solution : checked) {
    if (!proves_impact(problem, impact, solution.velocity, solution.impulse, nullptr, why)) return proof;
    account(problem, impact, solution);
    gains = gains || solution.energy_change > noticeable_gain(bounds);
  }
  if (!checked.empty()) proof.exists = Verdict::kHolds;
  for (std::size_t k = 1; k < checked.size(); ++k)
    if (!same_velocity(bounds, checked[0].velocity, checked[k].velocity)) proof.unique = Verdict::kFails;
  // What the data rule out for every solution is not overruled by one that gains within the allowances.
  const bool no_gain = !checked.empty() && proves_no_gain(problem, impact, &proof.why_dissipates);
  if (no_gain && !gains) {
    proof.dissipates = Verdict::kHolds;
  } else if (no_gain) {
    proof.why_dissipates.clear();
  } else if (gains) {
    proof.dissipates = Verdict::kFails;
    proof.why_dissipates = "a velocity that satisfies every law gains energy";
  }

  LeafFindings found;
  ImpactProgram program;
  for (const ImpactLeaf& leaf : leaves) {
    if (leaf.modes.size() != problem.contacts.size()) return proof;
    for (std::size_t i = 0; i < leaf.modes.size(); ++i)
      if (!possible(ImpactElement(problem, impact, i), leaf.modes[i])) {
        refuse(why, [&] { return "a leaf has a mode that " + problem.contacts[i].name + " does not have"; });
        return proof;
      }
    if (look_at_leaf(problem, impact, checked, leaf, bounds, program, found)) continue;
    found.resolved = false;
    if (leaf.kind != ImpactLeaf::Kind::kUnresolved) refuse(why, [] { return std::string("a leaf is not proved"); });
  }
  std::vector<Mode> all(problem.contacts.size());
  std::vector<int> list(leaves.size());
  for (std::size_t k = 0; k < list.size(); ++k) list[k] = static_cast<int>(k);
  proof.covers = found.resolved && covered(problem, impact, leaves, all, list);
  if (!proof.covers) return proof;
  proof.complete = found.complete;
  if (checked.empty()) {
    if (found.complete) proof.exists = Verdict::kFails;
    return proof;
  }
  if (found.complete && found.one && proof.unique == Verdict::kUndecided) proof.unique = Verdict::kHolds;
  if (proof.dissipates == Verdict::kUndecided && !gains && found.lossy) {
    proof.dissipates = Verdict::kHolds;
    proof.why_dissipates = "every velocity that satisfies the laws was looked at";
  }
  return proof;
}

}  // namespace stiction
