// The impact question: all velocities that the laws allow, found by splitting modes, and what they do to the energy.
#include "stiction/impact.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>

#include "ask/component_ranges.hpp"
#include "ask/impact_newton.hpp"
#include "ask/impulse_uniqueness.hpp"
#include "ask/mode_limit.hpp"
#include "ask/propositions_algebra.hpp"
#include "base/numerics.hpp"
#include "base/text.hpp"
#include "proof/impact_cover.hpp"
#include "proof/impact_law.hpp"
#include "stiction/error.hpp"
#include "stiction/prediction.hpp"

namespace stiction {

using namespace internal;
using Mode = ContactImpactMode;

namespace {

constexpr double kInverseError = 1e-6;  // of a left inverse: any matrix will do that the judge accepts
constexpr int kGuessSweeps = 128;       // of the first attempt; the search goes on without it
constexpr int kSettleRounds = 8;        // of Newton's method from that attempt, each in modes of its own
constexpr double kFinestSector = 1e-5;  // where an empty-looking sector is given up
constexpr const char* kOpenSlip = "slip directions in space are searched, not proved to be the only ones";
constexpr const char* kOpenVelocity = "a mode leaves the velocity open, or is within rounding of being impossible";

class Search {
 public:
  Search(const ContactProblem& problem, const Impact& impact, const ImpactOptions& options, Engine& engine,
         ImpactResult& result)
      : problem_(problem),
        impact_(impact),
        leaf_limit_(mode_limit(problem, options.leaf_limit, ImpactOptions().leaf_limit)),
        engine_(engine),
        result_(result),
        bounds_(impact_bounds(problem, impact.velocity)),
        newton_(problem, impact, elements_, bounds_),
        gain_rate_(0.5 * (1.0 - restitutions(problem, impact).array()) * (problem.J * impact.velocity).array()),
        no_gain_(proves_no_gain(problem, impact))
  {
    for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
      elements_.emplace_back(problem, impact, i);
      still_.push_back(normal_bound(elements_.back(), bounds_) == 0.0);
    }
  }

  void run()
  {
    // Everything sticks: where many impulses give the same velocity, those of least norm are the ones to show.
    const StickingTouchdown touchdown = sticking_touchdown(problem_, impact_);
    if (touchdown.consistent)
      record(touchdown.velocity - impact_.velocity,
             newton_.tidy(std::vector<Mode>(elements_.size()), touchdown.impulse.cwiseQuotient(newton_.stretch())));
    // A solution at once in most cases, whatever the number of contacts.
    PredictionOptions quick;
    quick.max_sweeps = kGuessSweeps;
    const Prediction guess = predict(newton_.problem(), quick);
    if (guess.acceleration.size() > 0) settle(guess.acceleration, guess.lambda);

    // Leaves that leave no other velocity, if that can be proved; else leaves that leave no gain of energy.
    const auto slips = [&](const ImpactSolution& solution) { return slips_in_space(solution); };
    const bool open = std::ranges::any_of(result_.solutions, slips);
    if (open) result_.reason = kOpenSlip;
    const auto covers = [&] { return judge_impact(problem_, impact_, result_.solutions, result_.leaves).covers; };
    if (!open && explore(LeafQuestion::kLaws) && (decided() || covers())) return;
    if (!result_.solutions.empty() && !decided()) explore(LeafQuestion::kGains);
  }

 private:
  /// No leaf proves that the velocity with this direction of slip is the only one.
  bool slips_in_space(const ImpactSolution& solution) const
  {
    const ImpactScales scales(problem_, impact_.velocity, solution.velocity);
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      const ContactImpact& c = solution.contacts[i];
      if (!elements_[i].rubs() || elements_[i].contact.tangents < 2 || c.impulse[0] == 0.0) continue;
      for (int k = 1; k <= 2; ++k) {
        const double xi = c.velocity_after[k] + elements_[i].law.tangential * c.velocity_before[k];
        if (std::abs(xi) > kClear * scales.speed[elements_[i].contact.row + k]) return true;
      }
    }
    return false;
  }

  /// Whether energy is created needs no leaves.
  bool decided() const { return gains_ || (no_gain_ && !result_.solutions.empty()); }

  /// Splits modes, widest leaves first, until every leaf is proved; true when all are. Stops when that has failed,
  /// unless no solution is known yet, and when gains of energy need no proof any more.
  bool explore(LeafQuestion question)
  {
    const bool gains = question == LeafQuestion::kGains;
    bool proved = true;
    std::vector<ImpactLeaf> leaves;
    std::deque<std::vector<Mode>> open = {std::vector<Mode>(elements_.size())};
    for (int looked_at = 0; !open.empty() && (proved || result_.solutions.empty()); ++looked_at) {
      if (looked_at == leaf_limit_) {
        result_.reason = "more than " + std::to_string(leaf_limit_) + " combinations of modes";
        return false;
      }
      throw_if_stopped(engine_.stop_check());
      ImpactLeaf leaf;
      leaf.modes = std::move(open.front());
      open.pop_front();
      int contact = -1;  // to split
      if (gains ? loses(leaf, contact) : resolve(leaf, contact)) {
        proved = proved && leaf.kind != ImpactLeaf::Kind::kUnresolved;
        leaves.push_back(std::move(leaf));
        continue;
      }
      if (gains && decided()) return true;
      for (const Mode& part :
           split_mode(elements_[static_cast<std::size_t>(contact)], leaf.modes[static_cast<std::size_t>(contact)])) {
        open.push_back(leaf.modes);
        open.back()[static_cast<std::size_t>(contact)] = part;
      }
    }
    if (proved) result_.leaves = std::move(leaves);
    return proved;
  }

  static double sector(const Mode& mode)
  {
    return mode.tangential == Mode::Tangential::kSlip ? mode.to - mode.from : 0.0;
  }

  bool undetermined(std::size_t i, const Mode& mode) const
  {
    if (still_[i] || !elements_[i].branches() || mode.normal == Mode::Normal::kOpen) return false;
    return mode.normal == Mode::Normal::kAny || (elements_[i].rubs() && mode.tangential == Mode::Tangential::kAny) ||
           (elements_[i].twists() && mode.spin == Mode::Spin::kAny);
  }

  /// Only sectors of slip are left to split: the widest, 0 for none.
  std::optional<double> width(const std::vector<Mode>& modes) const
  {
    double widest = 0.0;
    for (std::size_t i = 0; i < modes.size(); ++i) {
      if (undetermined(i, modes[i])) return std::nullopt;
      widest = std::max(widest, sector(modes[i]));
    }
    return widest;
  }

  /// The contact whose law the point of the relaxed program breaks most, in energy; -1 when there is nothing to split.
  /// Sectors get narrow together: where impulses are large, a narrow one still breaks its law most.
  int worst(const std::vector<Mode>& modes) const
  {
    const ContactProblem& p = newton_.problem();
    const bool known = answer_.x.size() == program_.impulses.cols();
    Eigen::VectorXd impulse = Eigen::VectorXd::Zero(p.rows()), xi = impulse;
    if (known) {
      impulse = (program_.impulses * answer_.x).cwiseQuotient(newton_.stretch());
      xi = p.J * answer_.x.head(p.nv()) + p.gamma;
    }
    int best = -1;
    double most = -kInfinity, widest = 0.0;
    for (const Mode& mode : modes) widest = std::max(widest, sector(mode));
    for (std::size_t i = 0; i < modes.size(); ++i) {
      const double width = sector(modes[i]);
      if (!undetermined(i, modes[i]) && (still_[i] || width <= kFinestSector || width < 0.5 * widest)) continue;
      const ImpactElement& element = elements_[i];
      const Contact& c = element.contact;
      double broken = modes[i].normal == Mode::Normal::kAny && !element.bilateral() ? impulse[c.row] * xi[c.row] : 0.0;
      const auto friction = [&](int row, int size, double mu) {  // Λ'ξ = -mu |Λn| |ξ|
        const auto slip = xi.segment(row, size);
        broken += std::abs(impulse.segment(row, size).dot(slip) + mu * std::abs(impulse[c.row]) * slip.norm());
      };
      if (element.rubs() && modes[i].tangential != Mode::Tangential::kStick) friction(c.row + 1, c.tangents, c.mu);
      if (element.twists() && modes[i].spin == Mode::Spin::kAny) friction(element.torsion_row(), 1, c.torsion);
      if (broken <= most) continue;
      most = broken;
      best = static_cast<int>(i);
    }
    return best;
  }

  /// True when nothing is gained by splitting the leaf; else the contact to split.
  bool resolve(ImpactLeaf& leaf, int& contact)
  {
    write_impact_program(problem_, impact_, leaf.modes, LeafQuestion::kLaws, program_);
    if (empty()) {
      leaf.kind = ImpactLeaf::Kind::kEmpty;
      leaf.witness = answer_.y;
      return true;
    }
    contact = worst(leaf.modes);
    const std::optional<double> sectors = width(leaf.modes);
    if (!sectors) return false;
    const int solution = polish(leaf.modes);
    if (*sectors == 0.0 && solution >= 0 && invert(leaf, solution)) return true;
    if (contact >= 0 && solution < 0) return false;
    result_.reason = *sectors > 0.0 ? kOpenSlip : kOpenVelocity;
    return true;
  }

  /// The same when only gains of energy count.
  bool loses(ImpactLeaf& leaf, int& contact)
  {
    write_impact_program(problem_, impact_, leaf.modes, LeafQuestion::kGains, program_);
    if (empty()) {
      leaf.kind = ImpactLeaf::Kind::kLoses;
      leaf.witness = answer_.y;
      return true;
    }
    contact = worst(leaf.modes);
    const std::optional<double> sectors = width(leaf.modes);
    if (!sectors) return false;
    polish(leaf.modes);
    if (decided()) return false;
    return bound_losses(leaf) || (*sectors == 0.0 ? resolve(leaf, contact) : contact < 0);
  }

  /// Floors of impulses and speeds of slip above which the leaf loses energy, from the point of its program.
  bool bound_losses(ImpactLeaf& leaf)
  {
    const ImpactProgram plain = program_;
    const double gain = gain_rate_.dot(plain.impulses * answer_.x);
    double loss = 0.0;
    std::vector<SlipFloor> floors;
    for (const SlipLoss& each : plain.losses) {
      floors.push_back({std::max(0.0, each.pressing.dot(answer_.x)), std::max(0.0, each.speed.dot(answer_.x)), {}, {}});
      loss += 0.5 * each.rate * floors.back().impulse * floors.back().speed;
    }
    if (!(gain < loss)) return false;
    // Floors at a share 1 - s of the point leave out s² of its loss.
    const double share = 1.0 - std::min(0.5, 0.7 * std::sqrt(1.0 - std::max(0.0, gain) / loss));
    for (SlipFloor& floor : floors) {
      floor.impulse *= share;
      floor.speed *= share;
    }
    write_impact_program(problem_, impact_, leaf.modes, LeafQuestion::kGains, program_, floors);
    if (!empty()) return false;
    leaf.witness = answer_.y;
    const auto exceeds = [&](const Eigen::VectorXd& quantity, double floor, Eigen::VectorXd& witness) {
      if (floor == 0.0) return true;
      program_ = below(plain, quantity, floor);
      const bool does = empty();
      witness = answer_.y;
      return does;
    };
    for (std::size_t k = 0; k < floors.size(); ++k)
      if (!exceeds(plain.losses[k].pressing, floors[k].impulse, floors[k].impulse_witness) ||
          !exceeds(plain.losses[k].speed, floors[k].speed, floors[k].speed_witness))
        return false;
    leaf.floors = std::move(floors);
    leaf.kind = ImpactLeaf::Kind::kLoses;
    return true;
  }

  /// The engine finds no solution of program_, and the proof room agrees that there is none: it may where the engine
  /// itself, which knows no bounds, is in doubt.
  bool empty()
  {
    const auto proved = [&] { return answer_.outcome != Outcome::kFeasible && excludes(program_, answer_.y); };
    engine_.decide(program_.program, answer_);
    if (answer_.outcome != Outcome::kFeasible && !proved()) decide(false);
    if (answer_.outcome == Outcome::kFeasible ? beyond_bounds() : !proved()) {
      const Eigen::VectorXd x = answer_.x;
      decide(true);
      if (answer_.outcome == Outcome::kFeasible) return false;
      if (!proved()) answer_.x = x;
    }
    return proved();
  }

  /// Asks the engine with every column in units of its expected size, powers of two that change no bit of the data.
  void decide(bool bounded)
  {
    scaled_ = program_.program;
    Eigen::VectorXd unit = Eigen::VectorXd::Ones(scaled_.E.cols());
    const auto measure = [&](int column, int count) {
      const double size = program_.bound[column] / kReach;
      if (size > 0.0) unit.segment(column, count).setConstant(std::ldexp(1.0, std::ilogb(size)));
    };
    for (const int column : scaled_.free) measure(column, 1);
    for (const ConeBlock& block : scaled_.cones) measure(block.col, block.cone.dim());
    for (BoxVariable& box : scaled_.boxes) {
      measure(box.col, 1);
      if (bounded) box.upper = program_.bound[box.col] / unit[box.col];
    }
    scaled_.E = program_.program.E * unit.asDiagonal();
    engine_.decide(scaled_, answer_);
    answer_.x = answer_.x.cwiseProduct(unit);
  }

  /// The point is one that the data do not explain.
  bool beyond_bounds() const
  {
    const auto beyond = [&](const BoxVariable& box) { return answer_.x[box.col] > program_.bound[box.col]; };
    return std::ranges::any_of(program_.program.boxes, beyond);
  }

  /// Y with Y E = [I 0], if the equations of the leaf determine the velocity.
  bool invert(ImpactLeaf& leaf, int solution)
  {
    // Columns that nothing moves need no inverse.
    const Eigen::MatrixXd E =
        program_.program.E * (reach_of(program_).array() > 0.0).cast<double>().matrix().asDiagonal();
    // Rows and columns of size one, so that the rank does not depend on units.
    Eigen::VectorXd row = E.cwiseAbs().rowwise().maxCoeff();
    for (double& r : row) r = r > 0.0 ? 1.0 / r : 1.0;
    Eigen::MatrixXd scaled = row.asDiagonal() * E;
    Eigen::VectorXd column = scaled.cwiseAbs().colwise().maxCoeff().transpose();
    for (double& c : column) c = c > 0.0 ? 1.0 / c : 1.0;
    scaled = scaled * column.asDiagonal();
    const LeastNorm inverse(scaled.transpose(), kDependent);
    const auto nv = problem_.nv();
    Eigen::MatrixXd target = Eigen::MatrixXd::Zero(E.cols(), nv), identity = target.transpose();
    for (Eigen::Index i = 0; i < nv; ++i)
      if (program_.bound[i] > 0.0) {
        target(i, i) = column[i];
        identity(i, i) = 1.0;
      }
    Eigen::MatrixXd Y = inverse.solve(target);
    Y += inverse.solve(target - scaled.transpose() * Y);
    leaf.left_inverse = (row.asDiagonal() * Y).transpose();
    leaf.solution = solution;
    if ((leaf.left_inverse * E - identity).cwiseAbs().maxCoeff() > kInverseError) return false;
    leaf.kind = ImpactLeaf::Kind::kSolved;
    return true;
  }

  /// (d, Λ) of the point of the relaxed program.
  Eigen::VectorXd relaxed_point() const
  {
    Eigen::VectorXd z(problem_.nv() + problem_.rows());
    z << answer_.x.head(problem_.nv()), (program_.impulses * answer_.x).cwiseQuotient(newton_.stretch());
    return z;
  }

  /// Newton on the equations of a mode from the point of its relaxed program; index of the solution, or -1.
  int polish(const std::vector<Mode>& modes)
  {
    Eigen::VectorXd z = relaxed_point();
    return newton_.solve(modes, z) ? record(z.head(problem_.nv()), newton_.tidy(modes, z.tail(problem_.rows()))) : -1;
  }

  /// The same from any point, in the modes that the point is nearest to, and again in those of what comes out.
  void settle(const Eigen::VectorXd& change, const Eigen::VectorXd& impulse)
  {
    Eigen::VectorXd z(problem_.nv() + problem_.rows());
    z << change, impulse;
    for (int round = 0; round < kSettleRounds; ++round) {
      const std::vector<Mode> modes = newton_.modes_at(z);
      if (!newton_.solve(modes, z) || record(z.head(problem_.nv()), newton_.tidy(modes, z.tail(problem_.rows()))) >= 0)
        return;
    }
  }

  /// Keeps a velocity that the proof room accepts and that is new; its index, or -1.
  int record(const Eigen::VectorXd& change, const Eigen::VectorXd& stretched_impulse)
  {
    ImpactSolution solution;
    solution.velocity =
        impact_.velocity + (bounds_.motion.array() > 0.0).select(change, 0.0);  // nothing reaches the rest
    solution.impulse = newton_.stretch().cwiseProduct(stretched_impulse);
    if (!proves_impact(problem_, impact_, solution.velocity, solution.impulse, &solution.residual)) return -1;
    for (std::size_t k = 0; k < result_.solutions.size(); ++k)
      if (same_velocity(bounds_, result_.solutions[k].velocity, solution.velocity)) return static_cast<int>(k);
    account(problem_, impact_, solution);
    gains_ = gains_ || (!no_gain_ && solution.energy_change > noticeable_gain(bounds_));
    result_.solutions.push_back(std::move(solution));
    return static_cast<int>(result_.solutions.size()) - 1;
  }

  const ContactProblem& problem_;
  const Impact& impact_;
  const int leaf_limit_;
  Engine& engine_;
  ImpactResult& result_;
  MotionBounds bounds_;
  std::vector<ImpactElement> elements_;
  ImpactNewton newton_;
  Eigen::VectorXd gain_rate_;
  std::vector<char> still_;  ///< contacts of what nothing moves
  bool no_gain_;             ///< whatever the solution
  bool gains_ = false;       ///< a solution does
  ImpactProgram program_;
  ConeProgram scaled_;
  ConeAnswer answer_;
};

}  // namespace

ImpactChecker::ImpactChecker(std::unique_ptr<Engine> engine) : engine_(std::move(engine))
{
  if (!engine_) throw InputError("engine", "want an engine, got none");
}
ImpactChecker::~ImpactChecker() = default;
ImpactChecker::ImpactChecker(ImpactChecker&&) noexcept = default;
ImpactChecker& ImpactChecker::operator=(ImpactChecker&&) noexcept = default;

ImpactResult ImpactChecker::check(const ContactProblem& problem, const Impact& impact, const ImpactOptions& options)
{
  validate(problem, impact);
  ImpactResult result;
  check(problem, impact, options, result);
  return result;
}

void ImpactChecker::check(const ContactProblem& problem, const Impact& impact, const ImpactOptions& options,
                          ImpactResult& result)
{
  result = {};
  Search(problem, impact, options, *engine_, result).run();
  for (ImpactSolution& solution : result.solutions)
    solution.impulse_unique = impulse_is_unique(problem, impact, solution, *engine_);
  // Least energy first; leaves keep pointing at their solutions.
  std::vector<int> order(result.solutions.size()), place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return result.solutions[static_cast<std::size_t>(a)].energy_change <
           result.solutions[static_cast<std::size_t>(b)].energy_change;
  });
  std::vector<ImpactSolution> sorted;
  for (std::size_t k = 0; k < order.size(); ++k) {
    place[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
    sorted.push_back(std::move(result.solutions[static_cast<std::size_t>(order[k])]));
  }
  result.solutions = std::move(sorted);
  for (ImpactLeaf& leaf : result.leaves)
    if (leaf.solution >= 0) leaf.solution = place[static_cast<std::size_t>(leaf.solution)];

  const ImpactProof proof = judge_impact(problem, impact, result.solutions, result.leaves);
  result.exists = proof.exists;
  result.unique = proof.unique;
  result.complete = proof.complete;
  result.dissipates = proof.dissipates;
  if (proof.complete)
    result.reason.clear();
  else if (result.reason.empty())
    result.reason = kOpenVelocity;
  result.why_dissipates = proof.why_dissipates;

  look_before(problem, impact, &result.flaws);
  if (options.conditions) result.conditions = energy_conditions(problem, impact.laws);
}

std::vector<Margin> ImpactChecker::impulse_intervals(const ContactProblem& problem, const Impact& impact,
                                                     const ImpactSolution& solution)
{
  if (problem.rows() > kMostRanges) return {};
  return impulse_ranges(problem, impact, solution, *engine_);
}

}  // namespace stiction
