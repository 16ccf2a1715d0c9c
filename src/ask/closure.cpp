#include <algorithm>
#include <cmath>

#include "ask/closure_workspace.hpp"
#include "ask/parts.hpp"
#include "ask/resist_program.hpp"
#include "stiction/error.hpp"
#include "stiction/words.hpp"

namespace stiction {

using internal::has_friction;

namespace {

constexpr int kMostSignedContacts = 8;  // frictional bilateral contacts whose sign patterns are tried, all of them

const char* const kAtTheBoundary =
    "within tolerance of the boundary: neither internal forces nor a free motion could be proved";
const char* const kManySigns =
    "frictional bilateral contacts: no choice of pushing and pulling proves closure by itself";

/// A motion that serves all signs as the vector of the program, several ones as they are.
void write_motion(const Grasp& grasp, const std::vector<MotionLeaf>& leaves, ResistProof& proof)
{
  const MotionLeaf& leaf = leaves[0];
  if (std::ranges::count(leaf.signs, 0) != std::ssize(leaf.signs)) {
    proof.y.resize(0);
    proof.leaves = leaves;
    return;
  }
  Eigen::Index price = grasp.G.rows() + grasp.J_hand.cols();
  proof.y = leaf.motion.head(price);
  for (const GraspBlock& block : grasp.contacts) {
    if (!std::isfinite(block.max_normal)) continue;
    if (block.side == Side::kUnilateral) {
      proof.y.conservativeResize(proof.y.size() + 1);
      proof.y[proof.y.size() - 1] = -leaf.motion[price];
    }
    ++price;
  }
}

bool carries(const FrictionCone& cone, int k)
{
  return k == 0 || (k <= cone.tangents ? cone.mu > 0.0 : cone.torsion > 0.0);
}

}  // namespace

ClosureChecker::ClosureChecker(std::unique_ptr<Engine> engine) : workspace_(std::make_unique<Workspace>())
{
  if (!engine) throw InputError("engine", "want an engine, got none");
  workspace_->engine = std::move(engine);
}
ClosureChecker::~ClosureChecker() = default;
ClosureChecker::ClosureChecker(ClosureChecker&&) noexcept = default;
ClosureChecker& ClosureChecker::operator=(ClosureChecker&&) noexcept = default;

Verdict ClosureChecker::closed(const Grasp& grasp)
{
  return workspace_->decide(grasp, ClosureKind::kFrictionalForm, workspace_->trial_proof);
}

Verdict ClosureChecker::closed(const std::vector<GraspContact>& contacts, const WrenchConvention& convention)
{
  set_grasp(contacts, convention, ConeShape::exact(), workspace_->drawn);
  return closed(workspace_->drawn);
}

ClosureResult ClosureChecker::check(const Grasp& grasp, const ClosureOptions& options)
{
  grasp.validate();
  ClosureResult result;
  check(grasp, options, result);
  return result;
}

ResistResult ClosureChecker::resists(const Grasp& grasp, const Eigen::VectorXd& wrench)
{
  grasp.validate();
  ResistResult result;
  resists(grasp, wrench, result);
  return result;
}

void ClosureChecker::resists(const Grasp& grasp, const Eigen::VectorXd& wrench, ResistResult& result)
{
  if (wrench.size() != grasp.G.rows())
    throw InputError("wrench",
                     "want " + std::to_string(grasp.G.rows()) + " entries, got " + std::to_string(wrench.size()));
  if (!wrench.allFinite()) throw InputError("wrench", "want finite entries, got a non-finite one");
  workspace_->resists(grasp, wrench, result);
}

void ClosureChecker::check(const Grasp& grasp, const ClosureOptions& options, ClosureResult& result)
{
  Workspace& w = *workspace_;
  result.form_closure.asked = options.form;
  result.frictional_form_closure.asked = options.frictional || options.force;
  result.force_closure.asked = options.force;
  if (options.form) w.check(grasp, ClosureKind::kForm, options, result.form_closure);
  if (result.frictional_form_closure.asked)
    w.check(grasp, ClosureKind::kFrictionalForm, options, result.frictional_form_closure);
  if (options.force) w.check_force(grasp, result.frictional_form_closure, options, result.force_closure);
  for (Margin* number : {&result.form_d, &result.d, &result.epsilon_l1, &result.epsilon_linf, &result.friction_factor})
    *number = {};
  result.contact_friction.clear();
  result.null_spaces.reset();
  if (options.d) {
    result.form_d = w.largest_slack(grasp, ClosureKind::kForm);
    result.d = w.largest_slack(grasp, ClosureKind::kFrictionalForm);
  }
  if (options.epsilon_l1) result.epsilon_l1 = w.epsilon(grasp, HullNorm::kL1, options);
  if (options.epsilon_linf) result.epsilon_linf = w.epsilon(grasp, HullNorm::kLinf, options);
  if (options.minimal_friction) {
    result.friction_factor = w.least_friction(grasp, -1);
    for (std::size_t i = 0; i < grasp.contacts.size(); ++i)
      result.contact_friction.push_back(
          grasp.contacts[i].cone.tangents > 0 ? w.least_friction(grasp, static_cast<int>(i)) : Margin{});
  }
  if (options.null_spaces) result.null_spaces = w.null_spaces(grasp);
}

/// With the unit normals c, closure asks for G lambda = 0 with slack; lambda = x + c turns that into G x = -G c, x in
/// the cones. They are wider by twice the doubt, so that a separating twist is one with room to spare; forces are
/// judged in the true ones. Columns that carry no force stay, fixed at zero: the size of the program is then that of G
/// for every kind.
void ClosureChecker::Workspace::write_program(const Grasp& grasp, ClosureKind kind, const std::vector<int>& pattern)
{
  write_cones(grasp, kind, pattern);
  write_rows(grasp);
}

void ClosureChecker::Workspace::write_cones(const Grasp& grasp, ClosureKind kind, const std::vector<int>& pattern)
{
  program.cones.clear();
  program.boxes.clear();
  program.free.assign(grasp.free.begin(), grasp.free.end());
  for (std::size_t i = 0; i < grasp.contacts.size(); ++i) {
    const GraspBlock& block = grasp.contacts[i];
    const bool friction = has_friction(block, kind);
    const auto idle = [&](int k) { return k > 0 && (!friction || !carries(block.cone, k)); };
    if (block.side == Side::kBilateral && (!friction || pattern[i] == 0)) {
      for (int k = 0; k < block.cone.dim(); ++k) {
        if (idle(k))
          program.boxes.push_back({block.col + k, 0.0, 0.0});
        else
          program.free.push_back(block.col + k);
      }
      continue;
    }
    ConeBlock cone{block.col, block.cone};
    cone.cone.sign = block.side == Side::kBilateral ? pattern[i] : 1.0;
    if (idle(1 + block.cone.tangents)) cone.cone.torsional = false;
    if (idle(1) && !cone.cone.torsional) cone.cone.tangents = 0;
    cone.cone.mu *= 1.0 + 2.0 * kClosureDoubt;
    cone.cone.torsion *= 1.0 + 2.0 * kClosureDoubt;
    for (int k = cone.cone.dim(); k < block.cone.dim(); ++k) program.boxes.push_back({block.col + k, 0.0, 0.0});
    program.cones.push_back(cone);
  }
}

/// After write_cones(). Torsion in units of its own coefficient, to a power of two: a moment is then like the torques
/// of the other columns, whatever the unit of length.
void ClosureChecker::Workspace::write_rows(const Grasp& grasp)
{
  program.E = grasp.G;
  torsion_unit.assign(program.cones.size(), 1.0);
  for (std::size_t i = 0; i < program.cones.size(); ++i) {
    ConeBlock& block = program.cones[i];
    if (!block.cone.torsional || !(block.cone.torsion > 0.0)) continue;
    torsion_unit[i] = std::ldexp(1.0, std::ilogb(block.cone.torsion));
    block.cone.torsion /= torsion_unit[i];
    program.E.col(block.col + 1 + block.cone.tangents) *= torsion_unit[i];
  }
  program.e.setZero(grasp.G.rows());
  program.e_scale.resize(0);
  for (const ConeBlock& block : program.cones) program.e -= block.cone.sign * grasp.G.col(block.col);
}

/// Leaves in `direction` what the rows (at least as many as columns) do not span: nothing at all of it (true), or
/// least.
bool ClosureChecker::Workspace::weakest_direction(const Eigen::MatrixXd& rows, internal::PivotedQr& qr)
{
  qr.compute(rows, kClosureDoubt);
  const bool deficient = qr.rank() < rows.cols();
  const Eigen::Index last = deficient ? qr.rank() : rows.cols() - 1;
  direction.resize(rows.cols());
  qr.cancel(last, last, direction);
  return deficient;
}

/// The twist that the balls around the forces, as in judge_closure(), oppose least; when they do not span every
/// direction, nothing opposes it. Of the program last written.
void ClosureChecker::Workspace::weakest_twist(const Eigen::VectorXd& forces, Twist& twist)
{
  const Eigen::MatrixXd& G = program.E;
  const Eigen::Index m = G.rows(), n = G.cols();
  twist.setZero(m);
  weight.setZero(n);
  const double largest = std::max(forces.size() > 0 ? forces.cwiseAbs().maxCoeff() : 0.0, 1.0);
  for (const int col : program.free) weight[col] = largest;
  for (const ConeBlock& block : program.cones) {
    const double radius = std::max(slack(block.cone, forces.segment(block.col, block.cone.dim())), 0.0);
    for (int k = 0; k < block.cone.dim(); ++k)
      weight[block.col + k] = radius * (k == 0 ? 1.0 : k <= block.cone.tangents ? block.cone.mu : block.cone.torsion);
  }
  row_size.resize(m);
  weighted.setZero(std::max(n, m), m);
  for (Eigen::Index i = 0; i < m; ++i) {
    double size = 0.0;
    for (Eigen::Index j = 0; j < n; ++j) size = std::max(size, std::abs(G(i, j)) * weight[j]);
    if (size == 0.0) {  // nothing pushes along this row at all
      twist[i] = 1.0;
      return;
    }
    for (Eigen::Index j = 0; j < n; ++j) weighted(j, i) = G(i, j) * weight[j] / size;
    row_size[i] = size;
  }
  weakest_direction(weighted, weighted_qr);
  for (Eigen::Index i = 0; i < m; ++i) twist[i] = direction[i] / row_size[i];
}

/// Whether forces of these signs do not oppose the twist.
bool ClosureChecker::Workspace::gives_way(const Grasp& grasp, ClosureKind kind, const std::vector<int>& pattern,
                                          const Twist& twist)
{
  leaf.signs = pattern;
  leaf.motion = twist;
  return internal::leaf_gives_way(grasp, kind, twist, leaf, scratch, nullptr);
}

/// Holds: the forces of the proof close the grasp. Fails: its twist is free for forces of these signs.
Verdict ClosureChecker::Workspace::decide_signs(const Grasp& grasp, ClosureKind kind, const std::vector<int>& pattern,
                                                ClosureProof& proof)
{
  const Eigen::Index m = grasp.G.rows(), n = grasp.G.cols();
  proof.twist.resize(0);
  const auto closes = [&] { return internal::judge_closure(grasp, kind, proof, scratch, nullptr) == Verdict::kHolds; };
  const auto fails_by = [&](const Twist& twist) {
    if (!gives_way(grasp, kind, pattern, twist)) return false;
    proof.twist = twist;
    return true;
  };
  if (n == 0)  // nothing touches it
    return fails_by(Twist::Unit(m, 0)) ? Verdict::kFails : Verdict::kUndecided;
  write_cones(grasp, kind, pattern);
  throw_if_stopped(engine->stop_check());
  const bool try_newton = program.free.empty() && engine->may_be_bypassed();
  const auto quick = try_newton ? newton.run(grasp.G, program.cones) : internal::ClosureNewton::End::kOpen;
  if (quick != internal::ClosureNewton::End::kOpen) {
    proof.forces = newton.forces();
    if (quick == internal::ClosureNewton::End::kTwist && fails_by(newton.twist())) return Verdict::kFails;
    if (quick == internal::ClosureNewton::End::kForces && closes()) return Verdict::kHolds;
  }
  write_rows(grasp);
  engine->decide(program, answer);
  if (answer.outcome == Outcome::kInfeasible && fails_by(-answer.y)) return Verdict::kFails;
  if (answer.x.size() != n) return Verdict::kUndecided;
  proof.forces = answer.x;
  for (const ConeBlock& cone : program.cones) proof.forces[cone.col] += cone.cone.sign;
  weakest_twist(proof.forces,
                weakest);  // tried when neither will do: a missing direction, or one opposed only within rounding
  for (std::size_t i = 0; i < program.cones.size(); ++i)
    if (program.cones[i].cone.torsional)
      proof.forces[program.cones[i].col + 1 + program.cones[i].cone.tangents] *= torsion_unit[i];
  if (answer.outcome == Outcome::kFeasible && closes()) return Verdict::kHolds;
  return fails_by(weakest) || fails_by(-weakest) ? Verdict::kFails : Verdict::kUndecided;
}

/// Frictional bilateral contacts: first as if they could do anything, a motion that is free even then is a proof of
/// "fails"; then with every choice of pushing and pulling, one that is closed by itself is a proof of "holds", and a
/// wrench that none of them resists one of "fails".
Verdict ClosureChecker::Workspace::decide(const Grasp& grasp, ClosureKind kind, ClosureProof& proof)
{
  signs.assign(grasp.contacts.size(), 0);
  proof.wrench.resize(0);
  proof.leaves.clear();
  int to_sign = 0;
  for (const GraspBlock& block : grasp.contacts) to_sign += block.side == Side::kBilateral && has_friction(block, kind);
  Verdict verdict = decide_signs(grasp, kind, signs, proof);
  if (to_sign == 0 || verdict != Verdict::kUndecided || to_sign > kMostSignedContacts) return verdict;
  leaves.clear();
  for (int pattern = 0; pattern < 1 << to_sign; ++pattern) {
    int bit = 0;
    for (std::size_t i = 0; i < signs.size(); ++i)
      if (grasp.contacts[i].side == Side::kBilateral && has_friction(grasp.contacts[i], kind))
        signs[i] = pattern >> bit++ & 1 ? -1 : 1;
    verdict = decide_signs(grasp, kind, signs, proof);
    if (verdict == Verdict::kHolds) return verdict;
    if (verdict == Verdict::kFails) leaves.push_back({signs, proof.twist});
  }
  proof.twist.resize(0);
  if (std::ssize(leaves) < 1 << to_sign || !find_wrench(grasp, kind, proof.wrench)) return Verdict::kUndecided;
  proof.leaves = leaves;
  return internal::judge_closure(grasp, kind, proof, scratch, nullptr);
}

/// A wrench that no choice of signs resists, with `leaves` that say so; they are turned where that helps. One that
/// drives the twists found first is tried first, then pulls along the tangents of double cones, which take normal
/// forces to resist.
bool ClosureChecker::Workspace::find_wrench(const Grasp& grasp, ClosureKind kind, Twist& wrench)
{
  const auto drives_all = [&] {
    return std::ranges::all_of(leaves, [&](MotionLeaf& own) { return drive(grasp, kind, wrench, own); });
  };
  if (separate(grasp, wrench) && drives_all()) return true;
  for (const GraspBlock& block : grasp.contacts) {
    if (block.side != Side::kBilateral || !has_friction(block, kind)) continue;
    for (int k = 1; k < block.cone.dim(); ++k)
      for (const double way : {1.0, -1.0}) {
        wrench = way * grasp.G.col(block.col + k);
        if (drives_all()) return true;
      }
  }
  return false;
}

/// A wrench that drives the twists of all leaves, if there is one: zero is no mean of these.
bool ClosureChecker::Workspace::separate(const Grasp& grasp, Twist& wrench)
{
  const Eigen::Index m = grasp.G.rows(), count = std::ssize(leaves);
  const Twist row_unit = grasp.G.cwiseAbs().rowwise().maxCoeff();  // what the motion of a row does to contacts
  program.E.resize(m + 1, count);
  program.cones.clear();
  program.free.clear();
  program.boxes.clear();
  for (Eigen::Index j = 0; j < count; ++j) {
    const Twist motion = leaves[static_cast<std::size_t>(j)].motion.cwiseProduct(row_unit);
    program.E.col(j) << motion.normalized(), 1.0;
    program.boxes.push_back({static_cast<int>(j), 0.0, kInfinity});
  }
  program.e = Eigen::VectorXd::Unit(m + 1, m);
  program.e_scale.resize(0);
  engine->decide(program, answer);
  if (answer.outcome != Outcome::kInfeasible) return false;
  wrench = -answer.y.head(m).cwiseProduct(row_unit);
  return true;
}

/// Whether the wrench drives the twist of the leaf, or another one that forces of its signs do not oppose.
bool ClosureChecker::Workspace::drive(const Grasp& grasp, ClosureKind kind, const Twist& wrench, MotionLeaf& own)
{
  constexpr double kClearly = 1e-6;  // of the product, beyond what the judge asks for
  const auto drives = [&](const Eigen::VectorXd& twist) {
    return wrench.dot(twist) > kClearly * wrench.cwiseAbs().dot(twist.cwiseAbs());
  };
  if (drives(own.motion)) return true;
  write_program(grasp, kind, own.signs);
  program.e = -wrench;
  engine->decide(program, answer);
  if (answer.outcome != Outcome::kInfeasible || !drives(-answer.y) || !gives_way(grasp, kind, own.signs, -answer.y))
    return false;
  own.motion = -answer.y;
  return true;
}

void ClosureChecker::Workspace::check(const Grasp& grasp, ClosureKind kind, const ClosureOptions& options,
                                      ClosureVerdict& result)
{
  result.reason.clear();
  result.explanation.clear();
  result.verdict = decide(grasp, kind, result.proof);
  if (result.verdict == Verdict::kUndecided) {
    const bool sided = std::any_of(grasp.contacts.begin(), grasp.contacts.end(), [&](const GraspBlock& block) {
      return block.side == Side::kBilateral && has_friction(block, kind);
    });
    result.reason = sided ? kManySigns : kAtTheBoundary;
  }
  if (!options.explain) return;
  if (result.verdict == Verdict::kFails) result.explanation = describe_free_motion(grasp, result.proof);
  if (result.verdict == Verdict::kHolds)
    result.explanation = kind == ClosureKind::kForm ? "held by the normals alone" : "every wrench can be resisted";
}

/// Internal forces that the hand does not feel: a direction that the rows of (G; J_hand') do not span.
bool ClosureChecker::Workspace::uncommandable_force(const Grasp& grasp, Eigen::VectorXd& forces)
{
  const Eigen::Index m = grasp.G.rows(), n = grasp.G.cols(), dofs = grasp.J_hand.cols();
  carrying.clear();
  for (const GraspBlock& block : grasp.contacts)
    for (int k = 0; k < block.cone.dim(); ++k)
      if (carries(block.cone, k)) carrying.push_back(block.col + k);
  for (const int col : grasp.free) carrying.push_back(col);
  const Eigen::Index used = static_cast<Eigen::Index>(carrying.size());
  if (used == 0) return false;
  stacked.setZero(std::max(m + dofs, used), used);
  for (Eigen::Index j = 0; j < used; ++j) {
    const Eigen::Index col = carrying[static_cast<std::size_t>(j)];
    stacked.col(j).head(m) = grasp.G.col(col);
    for (Eigen::Index k = 0; k < dofs; ++k)
      if (grasp.effort_lower[k] < grasp.effort_upper[k]) stacked(m + k, j) = grasp.J_hand(col, k);
  }
  for (Eigen::Index i = 0; i < m + dofs; ++i) {
    const double largest = stacked.row(i).cwiseAbs().maxCoeff();
    if (largest > 0.0) stacked.row(i) /= largest;
  }
  if (!weakest_direction(stacked, stacked_qr)) return false;
  const double largest = direction.cwiseAbs().maxCoeff();
  forces.setZero(n);
  for (Eigen::Index j = 0; j < used; ++j)  // entries that are rounding of rounding would unbalance rows of zeros
    if (std::abs(direction[j]) > kRounding * largest) forces[carrying[static_cast<std::size_t>(j)]] = direction[j];
  return true;
}

void ClosureChecker::Workspace::check_force(const Grasp& grasp, const ClosureVerdict& frictional,
                                            const ClosureOptions& options, ClosureVerdict& result)
{
  result.verdict = Verdict::kUndecided;
  result.reason.clear();
  result.explanation.clear();
  if (!grasp.has_hand()) {
    result.proof = {};
    result.reason = "no hand is modelled: what it can command is not known";
    return;
  }
  // Frictional form closure, and then what the hand can do about internal forces.
  result.proof = frictional.proof;
  if (frictional.verdict != Verdict::kUndecided)
    result.verdict = internal::judge_closure(grasp, ClosureKind::kForce, result.proof, scratch, nullptr);
  if (result.verdict == Verdict::kUndecided && uncommandable_force(grasp, result.proof.forces)) {
    result.proof.twist.resize(0);
    result.proof.wrench.resize(0);
    result.proof.leaves.clear();
    result.verdict = internal::judge_closure(grasp, ClosureKind::kForce, result.proof, scratch, nullptr);
  }
  if (result.verdict == Verdict::kFails && options.explain)
    result.explanation =
        result.proof.claims_failure() ? frictional.explanation : "the hand cannot command every internal force";
  if (result.verdict == Verdict::kHolds && options.explain)
    result.explanation = "every wrench can be resisted and the hand commands every internal force";
  if (result.verdict == Verdict::kUndecided)
    result.reason = frictional.verdict == Verdict::kUndecided
                        ? frictional.reason
                        : "within tolerance of internal forces that the hand cannot command";
}

void ClosureChecker::Workspace::resists(const Grasp& grasp, const Eigen::VectorXd& wrench, ResistResult& result)
{
  const Eigen::Index n = grasp.G.cols();
  result.verdict = Verdict::kUndecided;
  result.reason.clear();
  result.proof.claims = Verdict::kUndecided;
  result.proof.leaves.clear();
  result.forces.setZero(n);
  result.efforts.setZero(grasp.J_hand.cols());
  result.twist.resize(0);
  const bool has_signs = find_resisting_forces(grasp, wrench, result);
  result.proof.claims = result.verdict;
  if (result.verdict == Verdict::kHolds) {
    result.forces = result.proof.x.head(n);
    result.efforts = result.proof.x.segment(n, grasp.J_hand.cols());
    return;
  }
  if (find_unresisted_motion(grasp, wrench, result) || resists_as_equilibrium(grasp, wrench, result)) return;
  result.reason =
      has_signs ? kManySigns : "within tolerance of the boundary: neither forces nor a motion could be proved";
}

/// Tries the signs of contacts that may pull and push, one choice after the other; whether there are any. The search is
/// stricter than the judge by as much again.
bool ClosureChecker::Workspace::find_resisting_forces(const Grasp& grasp, const Eigen::VectorXd& wrench,
                                                      ResistResult& result)
{
  const Eigen::Index n = grasp.G.cols(), m = grasp.G.rows();
  const auto has_sign = [](const GraspBlock& block) {
    return block.side == Side::kBilateral && has_friction(block, ClosureKind::kFrictionalForm);
  };
  const auto to_sign = std::ranges::count_if(grasp.contacts, has_sign);
  result.proof.signs.assign(grasp.contacts.size(), 0);
  const int patterns = to_sign <= kMostSignedContacts ? 1 << to_sign : 0;
  for (int pattern = 0; pattern < patterns && result.verdict == Verdict::kUndecided; ++pattern) {
    int bit = 0;
    for (std::size_t i = 0; i < grasp.contacts.size(); ++i)
      if (has_sign(grasp.contacts[i])) result.proof.signs[i] = pattern >> bit++ & 1 ? -1 : 1;
    internal::write_resist_program(grasp, wrench, -2.0 * kClosureDoubt, result.proof.signs, program);
    engine->decide(program, answer);
    if (answer.outcome != Outcome::kFeasible) continue;
    internal::write_resist_program(grasp, wrench, -kClosureDoubt, result.proof.signs, program);
    // Slacks of limits take up the difference between the two programs.
    result.proof.x = answer.x;
    for (Eigen::Index k = n + grasp.J_hand.cols(), row = m + grasp.J_hand.cols(); row < program.E.rows(); ++row, ++k)
      result.proof.x[k] = program.e[row] - program.E.row(row).head(n).dot(result.proof.x.head(n));
    result.proof.claims = Verdict::kHolds;
    result.verdict = internal::judge_resists(grasp, wrench, result.proof, resist_scratch, nullptr);
  }
  return to_sign > 0;
}

/// A motion that no forces oppose, proved for all signs at once; again stricter than the judge.
bool ClosureChecker::Workspace::find_unresisted_motion(const Grasp& grasp, const Eigen::VectorXd& wrench,
                                                       ResistResult& result)
{
  result.proof.signs.assign(grasp.contacts.size(), 0);
  internal::write_resist_program(grasp, wrench, 2.0 * kClosureDoubt, result.proof.signs, program);
  engine->decide(program, answer);
  if (answer.outcome != Outcome::kInfeasible) return false;
  result.proof.claims = Verdict::kFails;
  // A motion that no contact sees has rounding in rows that it should leave alone, which contacts do see.
  constexpr double kNoises[] = {0.0, 0x1p-48, 0x1p-40, 0x1p-32, 0x1p-24};
  row_size.setZero(program.E.rows());  // what the motion of a row does to contacts, whatever its unit
  for (Eigen::Index j = 0; j < program.E.cols(); ++j) row_size = row_size.cwiseMax(program.E.col(j).cwiseAbs());
  row_size.array() *= answer.y.array().abs();
  const double largest = row_size.maxCoeff();
  for (const double noise : kNoises) {
    result.proof.y = (row_size.array() == 0.0 || row_size.array() > noise * largest).select(answer.y, 0.0);
    result.verdict = internal::judge_resists(grasp, wrench, result.proof, resist_scratch, nullptr);
    if (result.verdict != Verdict::kFails) continue;
    result.twist = -result.proof.y.head(grasp.G.rows());
    return true;
  }
  result.proof.claims = Verdict::kUndecided;
  return false;
}

/// What one program does not settle: equilibrium also looks at parts that nothing connects one by one, and turns
/// motions away from contacts.
bool ClosureChecker::Workspace::resists_as_equilibrium(const Grasp& grasp, const Eigen::VectorXd& wrench,
                                                       ResistResult& result)
{
  const Eigen::Index n = grasp.G.cols(), m = grasp.G.rows(), dofs = grasp.J_hand.cols();
  const Eigen::VectorXd at_rest;
  EquilibriumOptions options;
  options.largest_slack = options.structure = options.explain = false;
  const internal::Lend lend(engine, equilibrium.search.engine);
  for (const Verdict claim : {Verdict::kHolds, Verdict::kFails}) {
    const double doubt = claim == Verdict::kHolds ? -kClosureDoubt : kClosureDoubt;
    internal::write_resist_problem(grasp, wrench, 2.0 * doubt, resist_problem);
    for (Contact& contact : resist_problem.contacts) contact.max_normal *= 1.0 + 2.0 * doubt;
    for (Actuator& motor : resist_problem.actuators) {
      if (motor.lower == motor.upper) continue;  // a given effort has no width to lose
      if (std::isfinite(motor.lower)) motor.lower -= 2.0 * doubt * std::abs(motor.lower);
      if (std::isfinite(motor.upper)) motor.upper += 2.0 * doubt * std::abs(motor.upper);
    }
    equilibrium.check(resist_problem, at_rest, options, found);
    if (found.verdict == Verdict::kUndecided) equilibrium.check_by_parts(resist_problem, at_rest, options, found);
    if (found.verdict != claim) continue;
    if (claim == Verdict::kHolds) {
      result.proof.x.resize(n + dofs);
      result.proof.x << found.certificate.lambda, found.certificate.efforts;
    } else {
      write_motion(grasp, found.certificate.leaves, result.proof);
    }
    result.proof.claims = claim;
    result.verdict = internal::judge_resists(grasp, wrench, result.proof, resist_scratch, nullptr);
    result.proof.claims = result.verdict;
    if (result.verdict == Verdict::kUndecided) continue;
    if (claim == Verdict::kHolds) {
      result.forces = result.proof.x.head(n);
      result.efforts = result.proof.x.tail(dofs);
    } else {
      result.twist = -found.certificate.leaves[0].motion.head(m);
    }
    return true;
  }
  return false;
}

}  // namespace stiction
