// The program of a leaf of impacts: a relaxation that contains every solution of the laws in its modes.
#include <algorithm>
#include <cmath>
#include <numbers>
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

}  // namespace

namespace internal {

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

}  // namespace internal

void write_impact_program(const ContactProblem& problem, const Impact& impact, const std::vector<Mode>& modes,
                          LeafQuestion question, ImpactProgram& out, const std::vector<SlipFloor>& floors)
{
  ProgramWriter writer(problem, impact);
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) writer.contact(ImpactElement(problem, impact, i), modes[i]);
  for (const LoopConstraint& closure : problem.loops) writer.closure(closure);
  writer.write(question, floors, out);
}

}  // namespace stiction
