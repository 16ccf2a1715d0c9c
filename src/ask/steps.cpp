// The algorithm of section 4.2, step by step, from the result of a check.
#include "stiction/paper/steps.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "ask/component_ranges.hpp"
#include "ask/multiplier_set.hpp"
#include "ask/propositions_algebra.hpp"
#include "base/numerics.hpp"
#include "stiction/error.hpp"
#include "stiction/paper/mlcp.hpp"

namespace stiction {

using namespace internal;

namespace {

constexpr double kNoShareOfForce = 1e-9;  // of an internal force whose largest entry is 1

std::string shown(double value)
{
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.4g", value);
  return digits;
}

/// Of a least number: not below it.
std::string shown_up(double value)
{
  if (!(value > 0.0)) return shown(value);
  const double digit = std::pow(10.0, std::floor(std::log10(value)) - 3.0);
  return shown(digit * std::ceil(value / digit - kNoShareOfForce));
}

/// The singular value that is nearest to the tolerance of ranks, if it is near.
std::optional<double> doubtful_rank(const Eigen::MatrixXd& J)
{
  constexpr double kDoubtful = 1e3;  // times the tolerance, or this part of it
  std::optional<double> doubtful;
  if (J.size() == 0) return doubtful;
  const auto distance = [](double value) { return std::abs(std::log(value / kRankTolerance)); };
  for (const double value : singular_values(with_unit_rows(J)))
    if (value > kRankTolerance / kDoubtful && value < kDoubtful * kRankTolerance &&
        (!doubtful || distance(value) < distance(*doubtful)))
      doubtful = value;
  return doubtful;
}

bool stays(const StickingResult& result, std::size_t contact)
{
  return result.contacts[contact].state != ContactState::kDetaching;
}

/// Rows of contacts that stay and of closures.
std::vector<int> staying_rows(const ContactProblem& problem, const StickingResult& result)
{
  std::vector<int> rows;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i)
    for (int k = 0; stays(result, i) && k < problem.contacts[i].rows(); ++k)
      rows.push_back(problem.contacts[i].row + k);
  for (const LoopConstraint& closure : problem.loops)
    for (int k = 0; k < closure.rows; ++k) rows.push_back(closure.row + k);
  return rows;
}

/// A basis of {λ : J'λ = 0} on these rows, with few entries in each of them.
Eigen::MatrixXd basis_of_internal_forces(const ContactProblem& problem, const std::vector<int>& rows)
{
  Eigen::MatrixXd E = problem.J(rows, Eigen::all).transpose();
  const auto columns = E.cols();
  Eigen::VectorXd size = Eigen::VectorXd::Ones(columns);
  for (Eigen::Index j = 0; j < columns; ++j) {
    if (E.col(j).norm() > 0.0) size[j] = E.col(j).norm();
    E.col(j) /= size[j];
  }
  PivotedQr qr;
  Eigen::Index rank = 0;
  if (E.size() > 0) {
    qr.compute(E, kRank);
    rank = qr.rank();
  }
  Eigen::MatrixXd basis = Eigen::MatrixXd::Zero(problem.rows(), columns - rank);
  for (Eigen::Index k = 0; k < basis.cols(); ++k) {
    Eigen::VectorXd force = Eigen::VectorXd::Unit(columns, k);
    if (E.size() > 0) qr.cancel(rank, rank + k, force);
    force = force.cwiseQuotient(size);
    force /= force.lpNorm<Eigen::Infinity>();
    for (Eigen::Index j = 0; j < columns; ++j)
      if (std::abs(force[j]) > kNoShareOfForce) basis(rows[static_cast<std::size_t>(j)], k) = force[j];
  }
  return basis;
}

/// Ranges of forces on some rows, around known ones.
class ForceRanges {
 public:
  ForceRanges(const ContactProblem& problem, const std::vector<int>& rows, const Eigen::VectorXd& known,
              const Eigen::MatrixXd& internal_forces, Engine& engine)
      : problem_(problem), rows_(rows), known_(known), internal_forces_(internal_forces), engine_(engine)
  {
    program_.E = problem.J(rows, Eigen::all).transpose();
    start_ = known(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) column_of_row(rows[i]) = static_cast<int>(i);
  }

  /// With cones, or with normals that push only.
  std::vector<Margin> ranges()
  {
    ComponentRanges ranges(program_, start_, engine_);
    std::vector<Margin> result(static_cast<std::size_t>(problem_.rows()), Margin{Margin::State::kKnown, 0.0, 0.0, {}});
    for (std::size_t j = 0; j < rows_.size(); ++j) {
      Margin& range = result[static_cast<std::size_t>(rows_[j])];
      const double value = known_[rows_[j]];
      const bool unique =
          internal_forces_.cols() == 0 || internal_forces_.row(rows_[j]).cwiseAbs().maxCoeff() <= kNoShareOfForce;
      range = unique ? Margin{Margin::State::kKnown, value, value, {}} : ranges.of(static_cast<int>(j));
    }
    return result;
  }

  void push(int row)
  {
    program_.boxes.push_back({column_of_row(row), 0.0, kInfinity});
    start_[column_of_row(row)] = std::max(start_[column_of_row(row)], 0.0);
  }
  void let(int row) { program_.free.push_back(column_of_row(row)); }
  void put_into(const Contact& contact, const ConeShape& shape, double sign)
  {
    ConeBlock block{column_of_row(contact.row), friction_cone(contact, shape)};
    block.cone.sign = sign;
    program_.cones.push_back(block);
    if (contact.max_normal == kInfinity) return;
    const auto rows = program_.E.rows(), columns = program_.E.cols();  // sign λn + s = max, s >= 0
    program_.E.conservativeResize(rows + 1, columns + 1);
    program_.E.row(rows).setZero();
    program_.E.col(columns).setZero();
    program_.E(rows, block.col) = sign;
    program_.E(rows, columns) = 1.0;
    program_.boxes.push_back({static_cast<int>(columns), 0.0, kInfinity});
    start_.conservativeResize(columns + 1);
    start_[columns] = std::max(contact.max_normal - sign * known_[contact.row], 0.0);
  }

 private:
  int& column_of_row(int row)
  {
    if (columns_.empty()) columns_.assign(static_cast<std::size_t>(problem_.rows()), -1);
    return columns_[static_cast<std::size_t>(row)];
  }

  const ContactProblem& problem_;
  const std::vector<int>& rows_;
  const Eigen::VectorXd& known_;
  const Eigen::MatrixXd& internal_forces_;
  Engine& engine_;
  ConeProgram program_;
  Eigen::VectorXd start_;
  std::vector<int> columns_;
};

/// Step 3: all multipliers of the MLCP; of the equations alone where no contact may open (61).
std::vector<Margin> ranges_without_cones(const ContactProblem& problem, Detachment detachment,
                                         const StickingResult& result, const std::vector<int>& rows,
                                         const Eigen::MatrixXd& basis, Engine& engine)
{
  ForceRanges ranges(problem, rows, result.lambda, basis, engine);
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    if (!stays(result, i)) continue;
    const bool pushes = contact.side == Side::kUnilateral && detachment == Detachment::kAllowed;
    pushes ? ranges.push(contact.row) : ranges.let(contact.row);
    for (int k = 1; k < contact.rows(); ++k) ranges.let(contact.row + k);
  }
  for (const LoopConstraint& closure : problem.loops)
    for (int k = 0; k < closure.rows; ++k) ranges.let(closure.row + k);
  return ranges.ranges();
}

/// Step 5: those in the disks. Empty when a bilateral contact may push or pull: its double cone is not convex.
std::vector<Margin> ranges_in_cones(const ContactProblem& problem, const ConeShape& shape, const StickingResult& result,
                                    const std::vector<int>& rows, const StickingSteps& steps, Engine& engine)
{
  ForceRanges ranges(problem, rows, result.lambda, steps.internal_forces, engine);
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    if (!stays(result, i)) continue;
    const Margin& normal = steps.multipliers[static_cast<std::size_t>(contact.row)];
    const bool alone = contact.rows() == 1 && contact.max_normal == kInfinity;
    if (contact.side == Side::kBilateral && alone) {
      ranges.let(contact.row);
      continue;
    }
    if (contact.side == Side::kBilateral &&
        !(normal.state == Margin::State::kKnown && (normal.lower >= 0.0 || normal.upper <= 0.0)))
      return {};
    ranges.put_into(contact, shape, contact.side == Side::kBilateral && normal.upper <= 0.0 ? -1.0 : 1.0);
  }
  for (const LoopConstraint& closure : problem.loops)
    for (int k = 0; k < closure.rows; ++k) ranges.let(closure.row + k);
  return ranges.ranges();
}

Margin disk_of(const Contact& contact, const Margin& normal)
{
  if (normal.state != Margin::State::kKnown) return normal;
  const double low = std::abs(normal.lower), high = std::abs(normal.upper);
  const bool straddles = normal.lower < 0.0 && normal.upper > 0.0;
  const double largest = std::max(low, high);
  if (contact.mu == 0.0 || largest == 0.0) return {Margin::State::kKnown, 0.0, 0.0, {}};  // of infinity too
  return {Margin::State::kKnown, contact.mu * (straddles ? 0.0 : std::min(low, high)), contact.mu * largest, {}};
}

/// Step 7.
void judge_persistence(const ContactProblem& problem, const StickingResult& result, StickingSteps& steps)
{
  const Persistence found = persistence(problem, result.lambda);
  for (const auto& [from, to] :
       {std::pair{&found.strict, &steps.strict}, {&found.rim, &steps.rim}, {&found.violated, &steps.violated}})
    for (const int contact : *from)
      if (stays(result, static_cast<std::size_t>(contact))) to->push_back(contact);
  steps.persists = steps.verdict == Verdict::kHolds && (result.strict || (steps.rim.empty() && steps.violated.empty()));
  if (steps.verdict == Verdict::kHolds && steps.rim.empty()) return;
  PredictionOptions how;
  if (!steps.rim.empty()) how.start = result.lambda;
  steps.prediction = predict(problem, how);
}

const char* yes_no(Verdict verdict, const char* yes, const char* no)
{
  return verdict == Verdict::kUndecided ? "could not be decided" : verdict == Verdict::kHolds ? yes : no;
}

void add_bilateral(const ContactProblem& problem, std::vector<PropositionAtWork>& list)
{
  const BilateralKkt p1 = bilateral_kkt(problem);
  list.push_back({"P1", "matrix of the held rows", p1.hypotheses.failed,
                  p1.invertible()
                      ? "regular: one acceleration, one set of forces"
                      : std::string("singular: ") +
                            (p1.structure.solvable() ? "solvable, acceleration " : "not solvable, acceleration ") +
                            (p1.structure.acceleration_unique ? "unique" : "not unique") + ", forces " +
                            (p1.structure.forces_unique ? "unique" : "not unique")});
  const BilateralSticking p2 = bilateral_sticking(problem);
  const std::string inside = "every force is within its disk (22)", outside = "a force is outside of its disk (22)";
  list.push_back({"P2", "bilateral contacts", p2.hypotheses.failed, p2.sticks ? inside : outside});
  list.push_back({"P3", "forces with which bilateral contacts stick", p2.hypotheses.failed,
                  "yes: rows are independent; the question equilibrium finds efforts within limits"});
  const BilateralStatics c1 = bilateral_statics(problem);
  list.push_back({"C1", "bilateral contacts at rest", c1.hypotheses.failed, c1.sticks ? inside : outside});
}

void add_forces(const ContactProblem& problem, const StickingSteps& steps, std::vector<PropositionAtWork>& list)
{
  std::vector<std::string> failed;
  if (steps.verdict != Verdict::kHolds) failed.push_back("not every contact sticks");
  list.push_back({"P4", "persistence", failed,
                  steps.persists ? "yes, for continuous data: there are forces strictly inside of every disk"
                                 : "a contact is at the rim of its disk: it may begin to slip, see (69)"});
  const MinimumNormForces p5 = minimum_norm_forces(problem);
  std::string outside;
  for (const int contact : persistence(problem, p5.lambda).violated)
    outside += (outside.empty() ? "" : ", ") + problem.contacts[static_cast<std::size_t>(contact)].name;
  list.push_back({"P5", "all rows held, forces of least norm", p5.hypotheses.failed,
                  "their norm is " + shown(p5.lambda.norm()) +
                      (outside.empty() ? ", inside of every disk"
                                       : ", outside of the disk of " + outside + "; other forces may be inside")});
  const ContactLcp p6 = contact_lcp(problem);
  list.push_back({"P6", "normal forces unique for all data", p6.hypotheses.failed,
                  std::string(p6.unique_for_all_data ? "yes" : "no") + ": smallest eigenvalue of Ac " +
                      shown(p6.unique_for_all_data ? p6.smallest_eigenvalue : 0.0)});
}

void add_solvability(const ContactProblem& problem, Engine& engine, std::vector<PropositionAtWork>& list)
{
  const Solvability s = solvability(problem, engine);
  list.push_back({"P7", "MLCP solvable", {}, yes_no(s.solvable, "yes", "no")});
  std::vector<std::string> p8, c2;
  if (s.mfcq != Verdict::kHolds) p8.push_back("no motion leaves all contacts at once (MFCQ, Definition 1)");
  if (s.no_free_motion != Verdict::kHolds) p8.push_back("x part of E: a motion without inertia is held by nothing");
  if (s.no_jam != Verdict::kHolds) p8.push_back("y part of E: held rows depend on each other or on the normals");
  list.push_back(
      {"P8", "MLCP solvable for all data", p8,
       std::string("yes; acceleration ") +
           (s.free_motions == 0 ? "unique" : "unique up to " + std::to_string(s.free_motions) + " free motions")});
  if (s.c2_applies != Verdict::kHolds)
    c2.push_back("M is singular, held rows press against normals, or drifts contradict each other");
  if (s.mfcq != Verdict::kHolds) c2.push_back("no motion leaves all contacts at once (MFCQ, Definition 1)");
  list.push_back({"C2", "MLCP solvable for every load", c2, "yes, with one acceleration"});
}

void add_facets(const ContactProblem& problem, const ConeShape& shape, std::vector<PropositionAtWork>& list)
{
  constexpr int kSides = 8;
  const ConeShape polygon = shape.approximation == ConeApproximation::kExact ? ConeShape::inner(kSides) : shape;
  const FacetMlcp facets = facet_mlcp(problem, polygon);
  const FacetMlcpAnswer answer = solve_facet_mlcp(facets);
  std::vector<std::string> failed = facets.hypotheses.failed;
  if (failed.empty() && !answer.solved) failed.push_back("the QP was not solved");
  list.push_back({"P9", "normal forces fixed by (53)", failed, "yes, before friction is looked at"});
  list.push_back(
      {"P10", "QP (57), polygons for disks", failed,
       std::string(answer.sticks ? "optimum 0: every contact sticks" : "optimum > 0: not every contact sticks") +
           " (|A z + F| " + shown(answer.residual > kProductRounding ? answer.residual * facets.scale : 0.0) +
           " m/s²)"});
}

void add_friction(const ContactProblem& problem, Engine& engine, std::vector<PropositionAtWork>& list)
{
  StickingChecker checker(stopping_with(engine, engine.fresh()));
  const MinimalFriction p11 = minimal_friction(problem, checker);
  std::vector<std::string> failed = p11.hypotheses.failed;
  if (failed.empty() && !p11.known) failed.push_back("it could not be told");
  list.push_back({"P11", "smallest common friction coefficient", failed,
                  p11.mu ? shown_up(*p11.mu) : "none suffices: a contact that does not press has to hold sideways"});
  const MixedContactLcp p12 = mixed_contact_lcp(problem);
  list.push_back({"P12", "normal forces unique, with bilateral contacts", p12.hypotheses.failed,
                  std::string(p12.bound_holds ? "yes by the bound (64): " : "the bound (64) does not tell: ") +
                      shown(p12.coupling) + (p12.bound_holds ? " < " : " >= ") + shown(p12.separation) +
                      (p12.bound_holds           ? ""
                       : p12.unique_for_all_data ? "; Ac > 0 says yes"
                                                 : "; Ac is singular")});
  list.push_back({"P13", "some contacts slide", {"no contact slides (the question sliding)"}, ""});
}

/// P7 to P11 are about (43), (65a) and (60), whatever contacts may do in the problem that is asked.
void say_what_may_open(Detachment detachment, std::vector<PropositionAtWork>& list)
{
  if (detachment == Detachment::kAllowed) return;
  for (PropositionAtWork& proposition : list)
    for (const char* name : {"P7", "P8", "C2", "P9", "P10", "P11"})
      if (proposition.name == name)
        proposition.about +=
            detachment == Detachment::kForbidden ? "; contacts may open" : "; what opens is held sideways";
}

}  // namespace

StickingSteps sticking_steps(const ContactProblem& problem, const StickingRules& rules, const StickingResult& result,
                             Engine& engine)
{
  problem.validate();
  if (result.contacts.size() != problem.contacts.size() || result.lambda.size() != problem.rows())
    throw InputError("result", "want that of a check of this problem, got another");
  StickingSteps steps;
  steps.row_names = row_labels(problem);
  steps.dofs = static_cast<int>(problem.nv());
  steps.contacts = static_cast<int>(problem.contacts.size());
  steps.closures = static_cast<int>(problem.loops.size());
  steps.rows = static_cast<int>(problem.rows());
  const UnitMass unit(problem);
  steps.rank_mass = static_cast<int>((unit.mass_eigenvalues().array() > kRankTolerance).count());
  steps.rank_rows = rank_of(unit.J);
  steps.doubtful_rank = doubtful_rank(unit.J);
  steps.verdict = result.verdict;
  const CertificateKind kind = result.certificate.kind;
  steps.solvable = kind == CertificateKind::kForces || kind == CertificateKind::kMotion ||
                   (kind == CertificateKind::kNone && (result.lambda.array() != 0.0).any());
  if (steps.solvable) {
    steps.acceleration = result.acceleration;
    steps.acceleration_unique = result.acceleration_unique;
    steps.normal_acceleration.resize(steps.contacts);
    for (int i = 0; i < steps.contacts; ++i)
      steps.normal_acceleration[i] = result.contacts[static_cast<std::size_t>(i)].normal_acceleration;
    const std::vector<int> rows = staying_rows(problem, result);
    steps.internal_forces = basis_of_internal_forces(problem, rows);
    if (problem.rows() <= kMostRanges) {
      steps.multipliers = ranges_without_cones(problem, rules.detachment, result, rows, steps.internal_forces, engine);
      if (result.verdict == Verdict::kHolds)
        steps.admissible = ranges_in_cones(problem, rules.shape, result, rows, steps, engine);
    } else {
      steps.multipliers.assign(static_cast<std::size_t>(problem.rows()), {});
    }
    for (const Contact& contact : problem.contacts)
      steps.disk_radius.push_back(disk_of(contact, steps.multipliers[static_cast<std::size_t>(contact.row)]));
    judge_persistence(problem, result, steps);
  }
  steps.repairs = result.repairs;
  add_bilateral(problem, steps.propositions);
  add_forces(problem, steps, steps.propositions);
  add_solvability(problem, engine, steps.propositions);
  add_facets(problem, rules.shape, steps.propositions);
  add_friction(problem, engine, steps.propositions);
  say_what_may_open(rules.detachment, steps.propositions);
  for (PropositionAtWork& proposition : steps.propositions)
    if (!proposition.failed.empty()) proposition.says.clear();
  return steps;
}

}  // namespace stiction
