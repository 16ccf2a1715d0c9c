#include "ask/hold.hpp"

#include <algorithm>
#include <cmath>

#include "cone/kernels.hpp"

namespace stiction::internal {
namespace {

/// How a program is decided: afresh, or from the one before.
using DecideProgram = Verdict (*)(Engine&, const ConeProgram&, ClaimJudge, ConeAnswer&);

/// One depth-first search; found.signs are those of the branch at hand.
class SignSearch {
 public:
  SignSearch(const HoldProblem& problem, DecideProgram decide, ClaimJudge judge, HoldWorkspace& workspace,
             HoldAnswer& found)
      : problem_(problem), decide_(decide), judge_(judge), workspace_(workspace), found_(found)
  {
  }

  Verdict run()
  {
    if (problem_.signs)
      found_.signs = *problem_.signs;
    else
      found_.signs.assign(problem_.set.problem().contacts.size(), 0);
    workspace_.recycle(found_.leaves);
    found_.verdict = decide_node();
    found_.forces = workspace_.answer.x;
    return found_.verdict;
  }

 private:
  struct Worst {
    int contact = -1;  ///< -1: no sign is open
    double violation = 0.0;
  };

  bool is_open(std::size_t contact) const { return problem_.set.needs_sign(contact) && found_.signs[contact] == 0; }
  int side_of(std::size_t contact) const { return workspace_.answer.x[problem_.set.column(contact)] < 0.0 ? -1 : 1; }

  Verdict decide_program();
  bool fails_with_more();
  Verdict decide_node();
  Verdict branch(std::size_t contact, int first);
  bool holds_as_relaxed();
  Worst worst_open_contact() const;
  void add_leaf();

  const HoldProblem& problem_;
  DecideProgram decide_;
  ClaimJudge judge_;
  HoldWorkspace& workspace_;
  HoldAnswer& found_;
  int nodes_ = 0;
};

/// Decides the program of the signs at hand; effort bounds become rows when a solution without them violates them.
Verdict SignSearch::decide_program()
{
  ConeAnswer& answer = workspace_.answer;
  MultiplierSet& set = problem_.set;
  const ConeProgram& program = set.arrange(problem_.loads, found_.signs, problem_.friction);
  for (;;) {
    Verdict verdict = Verdict::kHolds;
    if (program.E.rows() == 0) {
      answer.x.setZero(program.E.cols());
      answer.y.resize(0);
      answer.iterations = 0;
    } else {
      verdict = decide_(*workspace_.engine, program, judge_, answer);
      if (verdict == Verdict::kUndecided && answer.outcome == Outcome::kInfeasible && fails_with_more())
        verdict = Verdict::kFails;
    }
    workspace_.iterations += answer.iterations;
    if (verdict == Verdict::kFails || !set.add_violated_bounds(answer.x)) return verdict;
  }
}

/// A motion that even slightly wider cones cannot oppose is clear of the rounding that spoils one for the cones
/// themselves.
bool SignSearch::fails_with_more()
{
  ConeAnswer& answer = workspace_.answer;
  constexpr double kMoreFriction[] = {1e-9, 1e-6};  // shares of it: as little as helps
  for (const double more : kMoreFriction) {
    Friction wider = problem_.friction;
    wider.factor *= 1.0 + more;
    wider.mu *= 1.0 + more;
    workspace_.engine->decide(problem_.set.arrange(problem_.loads, found_.signs, wider), answer);
    workspace_.iterations += answer.iterations;
    const ConeProgram& program = problem_.set.arrange(problem_.loads, found_.signs, problem_.friction);
    if (answer.outcome == Outcome::kInfeasible && proves_infeasible(program, answer.y)) return true;
  }
  return false;
}

Verdict SignSearch::decide_node()
{
  if (++nodes_ > problem_.branch_limit) {
    found_.reason = "more than " + std::to_string(problem_.branch_limit) + " sign patterns of bilateral contacts";
    return Verdict::kUndecided;
  }
  const Verdict verdict = decide_program();
  if (verdict == Verdict::kUndecided)
    found_.reason = "within tolerance of the boundary: neither forces nor a motion could be proved";
  if (verdict == Verdict::kFails) add_leaf();
  if (verdict != Verdict::kHolds) return verdict;
  const Worst worst = worst_open_contact();
  if (worst.contact < 0) return Verdict::kHolds;
  const auto contact = static_cast<std::size_t>(worst.contact);
  const int first = side_of(contact);  // the side the relaxed solution is on
  return worst.violation <= 0.0 && holds_as_relaxed() ? Verdict::kHolds : branch(contact, first);
}

Verdict SignSearch::branch(std::size_t contact, int first)
{
  bool undecided = false;
  for (const int sign : {first, -first}) {
    found_.signs[contact] = sign;
    const Verdict verdict = decide_node();
    if (verdict == Verdict::kHolds) return verdict;
    undecided = undecided || verdict == Verdict::kUndecided;
    if (nodes_ > problem_.branch_limit) break;
  }
  found_.signs[contact] = 0;
  return undecided ? Verdict::kUndecided : Verdict::kFails;
}

/// The relaxed solution respects every double cone: its signs are a feasible pattern, to be confirmed.
bool SignSearch::holds_as_relaxed()
{
  const std::vector<int> parent = found_.signs;
  const std::size_t leaves = found_.leaves.size();
  for (std::size_t i = 0; i < found_.signs.size(); ++i)
    if (is_open(i)) found_.signs[i] = side_of(i);
  if (decide_node() == Verdict::kHolds) return true;
  found_.leaves.resize(leaves);
  found_.signs = parent;
  return false;
}

/// The contact without a sign that violates its double cone most.
SignSearch::Worst SignSearch::worst_open_contact() const
{
  const Eigen::VectorXd& x = workspace_.answer.x;
  Worst worst;
  for (std::size_t i = 0; i < found_.signs.size(); ++i) {
    if (!is_open(i)) continue;
    FrictionCone cone = problem_.set.cone(i, problem_.friction);
    cone.sign = side_of(i);
    const double* f = x.data() + problem_.set.column(i);
    double excess = std::max(-slack(cone, f), std::abs(f[0]) - problem_.set.problem().contacts[i].max_normal);
    if (std::isinf(excess)) excess = x.lpNorm<Eigen::Infinity>();
    if (worst.contact < 0 || excess > worst.violation) worst = {static_cast<int>(i), excess};
  }
  return worst;
}

void SignSearch::add_leaf()
{
  std::vector<MotionLeaf>& spare = workspace_.spare_leaves;
  if (spare.empty()) spare.emplace_back();
  found_.leaves.push_back(std::move(spare.back()));
  spare.pop_back();
  found_.leaves.back().signs = found_.signs;
  problem_.set.to_motion(workspace_.answer.y, found_.leaves.back().motion);
}

}  // namespace

void HoldWorkspace::recycle(std::vector<MotionLeaf>& used)
{
  for (MotionLeaf& leaf : used) spare_leaves.push_back(std::move(leaf));
  used.clear();
}

Verdict decide(const HoldProblem& problem, HoldWorkspace& workspace, HoldAnswer& found)
{
  return SignSearch(problem, decide, judge_claim, workspace, found).run();
}

Verdict decide_next(const HoldProblem& problem, HoldWorkspace& workspace, HoldAnswer& found)
{
  return SignSearch(problem, decide_next, judge_claim, workspace, found).run();
}

Verdict claim(const HoldProblem& problem, HoldWorkspace& workspace, HoldAnswer& found)
{
  found.verdict = Verdict::kUndecided;  // an unproved node could hide the branch that holds
  return problem.set.needs_signs() ? Verdict::kUndecided : SignSearch(problem, decide, believe, workspace, found).run();
}

double gain(const ContactProblem& problem, const MotionLeaf& leaf, const Loads& loads)
{
  const auto nv = problem.nv();
  double sum = 0.0;
  for (Eigen::Index d = 0; d < nv; ++d) {
    const double y = leaf.motion[d];
    if (y != 0.0) sum += y * (loads.e[d] - (y > 0.0 ? loads.upper[d] : loads.lower[d]));
  }
  Eigen::Index price = nv;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i)
    if (std::isfinite(problem.contacts[i].max_normal)) {
      const double w = leaf.motion[price++];
      if (w != 0.0) sum -= w * loads.max_normal[static_cast<Eigen::Index>(i)];
    }
  return sum;
}

}  // namespace stiction::internal
