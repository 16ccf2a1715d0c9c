// What the judges of impact and couplings must refuse, and that no problem has two verdicts, whoever writes the
// certificates. STICTION_TRIALS multiplies the number of random problems.
#include <gtest/gtest.h>

#include <algorithm>

#include "ask/propositions_algebra.hpp"
#include "proof/impact_cover.hpp"
#include "stiction/couplings.hpp"
#include "stiction/impact.hpp"
#include "support/impacts.hpp"
#include "support/sound.hpp"

namespace stiction {
namespace {

using namespace testing;

ContactProblem with_row(ContactProblem p, const Eigen::RowVectorXd& row, Side side = Side::kBilateral)
{
  const auto r = static_cast<int>(p.rows());
  p.J.conservativeResize(r + 1, Eigen::NoChange);
  p.J.bottomRows(1) = row;
  p.gamma.conservativeResize(r + 1);
  p.gamma[r] = 0.0;
  p.contacts.push_back(single_row(r, side));
  return p;
}

/// Random systems, made worse: copied, opposite, scaled and zero rows, masses far apart.
Drawn degenerate(Rng& rng)
{
  Drawn d = draw(rng, 1 + static_cast<int>(rng() % 2));
  ContactProblem& p = d.problem;
  const auto copied = static_cast<Eigen::Index>(rng() % static_cast<unsigned>(p.rows()));
  const auto kind = rng() % 6;
  if (kind < 3) {
    const double factor = kind == 0 ? 1.0 : kind == 1 ? -1.0 : 0.0;
    p = with_row(p, factor * p.J.row(copied), rng() % 2 == 0 ? Side::kBilateral : Side::kUnilateral);
    d.impact.laws.push_back(bounce(0));
  } else if (kind == 3) {  // nearly the same row
    p = with_row(p, p.J.row(copied) + std::pow(10.0, uniform(rng, -16, -6)) * gaussian(rng, p.nv()).transpose(),
                 Side::kUnilateral);
    d.impact.laws.push_back(bounce(uniform(rng, 0, 1)));
  } else if (kind == 4) {
    const Eigen::VectorXd scale =
        Eigen::VectorXd::NullaryExpr(p.nv(), [&] { return std::pow(10.0, uniform(rng, -7.5, 7.5)); });
    p.M = scale.asDiagonal() * p.M * scale.asDiagonal();  // ratios up to 1e15 in the diagonal, and beyond
    p.M = 0.5 * (p.M + p.M.transpose()).eval();
  }
  return d;
}

/// One or two contacts with friction in space.
Drawn in_space(Rng& rng)
{
  const int contacts = 1 + static_cast<int>(rng() % 2), rows = 3 * contacts, nv = rows + static_cast<int>(rng() % 2);
  const Eigen::MatrixXd A = Eigen::Map<Eigen::MatrixXd>(gaussian(rng, nv * nv).data(), nv, nv);
  Drawn d;
  d.problem = problem_of(A * A.transpose() + 0.3 * Eigen::MatrixXd::Identity(nv, nv),
                         Eigen::Map<Eigen::MatrixXd>(gaussian(rng, rows * nv).data(), rows, nv));
  d.impact.velocity = gaussian(rng, nv);
  for (int i = 0; i < contacts; ++i) {
    Contact c = planar_contact("c" + std::to_string(i), 3 * i, uniform(rng, 0.1, 1.0));
    c.tangents = 2;
    d.problem.contacts.push_back(c);
    d.impact.laws.push_back(bounce(uniform(rng, 0, 1)));
    if (rng() % 3 == 0) d.impact.laws.back().mu_second = uniform(rng, 0.1, 1.0);
  }
  return d;
}

struct Claims {
  bool exists[2] = {}, unique[2] = {}, loses[2] = {};
  std::vector<Eigen::VectorXd> only;  ///< "the only velocity"

  void add(const ImpactProof& proof, const std::vector<ImpactSolution>& solutions)
  {
    const auto note = [](bool* pair, Verdict v) {
      if (v != Verdict::kUndecided) pair[v == Verdict::kHolds] = true;
    };
    note(exists, proof.exists);
    note(unique, proof.unique);
    note(loses, proof.dissipates);
    if (proof.unique == Verdict::kHolds) only.push_back(solutions.front().velocity);
  }
  bool contradict() const
  {
    bool apart = false;
    for (const Eigen::VectorXd& u : only) apart = apart || (u - only.front()).norm() > 1e-5 * (1 + only.front().norm());
    return apart || (exists[0] && exists[1]) || (unique[0] && unique[1]) || (loses[0] && loses[1]);
  }
};

/// Λ along which J'Λ = 0 to rounding, of norm one; empty if rows are independent.
Eigen::VectorXd internal_impulse(const ContactProblem& p)
{
  const Eigen::MatrixXd basis = internal::null_space(p.J.transpose());
  return basis.cols() > 0 ? Eigen::VectorXd(basis.col(0)) : Eigen::VectorXd();
}

/// Certificates that a forger would try for this problem, from those of an engine.
void forge(Rng& rng, const Drawn& d, const ImpactResult& r, const ImpactResult& other, Claims& claims)
{
  const auto judge = [&](const std::vector<ImpactSolution>& solutions, const std::vector<ImpactLeaf>& leaves) {
    claims.add(judge_impact(d.problem, d.impact, solutions, leaves), solutions);
  };
  judge(r.solutions, r.leaves);
  judge({}, r.leaves);
  const Eigen::VectorXd internal = internal_impulse(d.problem);
  for (const double size : {1e-12, 1e-9, 1e-6, 1e-3, 1.0, 1e3, 1e10, 1e20}) {
    ImpactSolution forged;
    forged.velocity = d.impact.velocity + (r.solutions.empty() ? Eigen::VectorXd::Zero(d.problem.nv()).eval()
                                                               : (r.solutions[0].velocity - d.impact.velocity).eval());
    forged.velocity += size * gaussian(rng, d.problem.nv());
    forged.impulse = r.solutions.empty() ? Eigen::VectorXd::Zero(d.problem.rows()).eval() : r.solutions[0].impulse;
    if (internal.size() > 0) forged.impulse += 1e20 * size * internal;
    judge({forged}, r.leaves);
    std::vector<ImpactSolution> two = r.solutions;
    two.push_back(forged);
    judge(two, r.leaves);
    // Witnesses and inverses of any size, and everything called empty.
    std::vector<ImpactLeaf> leaves = r.leaves;
    for (ImpactLeaf& leaf : leaves) {
      leaf.left_inverse *= rng() % 2 == 0 ? 1.0 : size;
      leaf.witness *= 1e10 * size;
      if (leaf.left_inverse.size() > 0) leaf.left_inverse.col(leaf.left_inverse.cols() - 1).array() += size * 1e20;
      for (SlipFloor& floor : leaf.floors) {
        (rng() % 2 == 0 ? floor.impulse : floor.speed) *= 1.0 + size;
        (rng() % 2 == 0 ? floor.impulse_witness : floor.speed_witness) *= 1e10 * size;
      }
    }
    judge({forged}, leaves);
    judge(r.solutions, leaves);
    for (ImpactLeaf& leaf : leaves) {
      if (leaf.kind == ImpactLeaf::Kind::kSolved) leaf.witness = leaf.left_inverse.row(0).transpose();
      leaf.kind = ImpactLeaf::Kind::kEmpty;
    }
    judge({}, leaves);
  }
  if (other.leaves.empty() || other.leaves[0].modes.size() != d.problem.contacts.size()) return;
  judge(other.solutions, other.leaves);  // of a slightly different problem
  judge({}, other.leaves);
}

TEST(ImpactForgers, NoProblemHasTwoVerdicts)
{
  Rng rng{17};
  int decided = 0;
  const int count = trials(300);
  for (int i = 0; i < count; ++i) {
    const Drawn d = i % 4 == 3 ? in_space(rng) : degenerate(rng);
    Drawn near = d;
    near.impact.velocity += std::pow(10.0, uniform(rng, -14, -2)) * gaussian(rng, d.problem.nv());
    ImpactChecker native, second(make_engine("qpoases"));
    Claims claims;
    const ImpactResult r = native.check(d.problem, d.impact);
    forge(rng, d, r, native.check(near.problem, near.impact), claims);
    const ImpactResult q = second.check(d.problem, d.impact);
    claims.add(judge_impact(d.problem, d.impact, q.solutions, q.leaves), q.solutions);
    EXPECT_FALSE(claims.contradict()) << "draw " << i;
    decided += r.exists != Verdict::kUndecided;
  }
  EXPECT_GT(decided, 3 * count / 4);
}

TEST(ImpactForgers, InternalImpulsesBuyNothing)
{
  // Two opposite bilateral rows: any impulse between them is internal.
  ContactProblem p = with_row(with_row(pendulum(.5), Eigen::RowVector2d(1, 0)), Eigen::RowVector2d(-1, 0));
  const Impact impact{kPendulumSpeed, {bounce(.5), bounce(0), bounce(0)}};
  const ImpactResult r = ImpactChecker().check(p, impact);
  ASSERT_FALSE(r.solutions.empty());
  ImpactSolution s = r.solutions[0];
  ASSERT_TRUE(proves_impact(p, impact, s.velocity, s.impulse));
  for (const double size : {1e8, 1e20, 1e100}) {
    Eigen::VectorXd L = s.impulse;
    L[2] += size;
    L[3] += size;
    std::string why;
    EXPECT_FALSE(proves_impact(p, impact, s.velocity, L, nullptr, &why));
    EXPECT_NE(why.find("harder"), std::string::npos) << why;
  }
}

TEST(ImpactForgers, AnInverseOfAnySizeProvesOneVelocityOnly)
{
  // A row of zeros is an equation that says nothing, however much of it is added.
  const ContactProblem p = with_row(pendulum(.5), Eigen::RowVector2d(0, 0));
  const Impact impact{kPendulumSpeed, {bounce(.5), bounce(0)}};
  const ImpactResult r = ImpactChecker().check(p, impact);
  ASSERT_EQ(r.unique, Verdict::kHolds);
  for (const double size : {1e3, 1e12, 1e30}) {
    std::vector<ImpactLeaf> leaves = r.leaves;
    for (ImpactLeaf& leaf : leaves)
      if (leaf.kind == ImpactLeaf::Kind::kSolved) leaf.left_inverse *= size;
    EXPECT_FALSE(judge_impact(p, impact, r.solutions, leaves).covers);
  }
  std::vector<ImpactLeaf> twice = r.leaves;
  twice.insert(twice.end(), r.leaves.begin(), r.leaves.end());
  std::reverse(twice.begin(), twice.end());
  EXPECT_EQ(judge_impact(p, impact, r.solutions, twice).unique, Verdict::kHolds);  // order and copies do not matter
}

/// Of the first solution: slip of contact 0 as its law sees it, ellipses stretched to disks.
Eigen::Vector2d slip_of(const Drawn& d, const ImpactSolution& s)
{
  const ContactImpact& c = s.contacts[0];
  const ImpactLaw& law = d.impact.laws[0];
  const double stretch = law.mu_second ? *law.mu_second / d.problem.contacts[0].mu : 1.0;
  const Eigen::Vector2d xi = c.velocity_after.segment<2>(1) + law.tangential * c.velocity_before.segment<2>(1);
  return {xi[0], stretch * xi[1]};
}

/// Chooses ε so that the contact slips and W is a given share of the energy before; false if this draw has no such ε.
bool with_work(Drawn& d, double share)
{
  ImpactChecker checker;
  const auto work = [&](double e) {
    d.impact.laws[0].normal = e;
    const ImpactResult r = checker.check(d.problem, d.impact);
    const bool slips = r.solutions.size() == 1 && r.solutions[0].contacts[0].state == ImpactState::kSlips;
    return slips ? r.solutions[0].energy_change / r.solutions[0].energy_before - share : std::nan("");
  };
  double lower = 0.0, upper = 1.0;
  if (!(work(lower) < 0.0 && work(upper) > 0.0)) return false;
  while (upper - lower > 1e-9) (work(0.5 * (lower + upper)) > 0.0 ? upper : lower) = 0.5 * (lower + upper);
  return std::abs(work(upper)) < 1e-6;
}

TEST(ImpactForgers, FloorsLeaveNoGainOut)
{
  // The row that W > 0 implies holds where W is hardly above 0, however wide the sector is and wherever the floors are.
  // And it is no weaker than it must be: the leaf is proved to lose where W is clearly negative, the sector narrow and
  // the floors near.
  Rng rng{29};
  const std::unique_ptr<Engine> engine = make_native_engine();
  int gaining = 0, losing = 0, without = 0;
  const int draws = trials(600);
  for (int i = 0; i < draws; ++i) {
    for (const double share : {1e-5, -1e-2}) {
      Rng again{static_cast<unsigned>(1000 + i)};
      Drawn d = in_space(again);
      if (d.problem.contacts.size() > 1 || !with_work(d, share)) continue;
      const ImpactSolution s = ImpactChecker().check(d.problem, d.impact).solutions.at(0);
      const Eigen::Vector2d slip = slip_of(d, s);
      const double angle = std::fmod(std::atan2(slip[1], slip[0]) + 2.0 * M_PI, 2.0 * M_PI), speed = slip.norm();
      const auto excluded = [&](double width, double floor) {
        const double off = width * uniform(rng, 0, 1);
        ContactImpactMode mode;
        mode.normal = ContactImpactMode::Normal::kPushes;
        mode.tangential = ContactImpactMode::Tangential::kSlip;
        mode.from = angle - off;
        mode.to = mode.from + width;
        ImpactProgram program;
        write_impact_program(d.problem, d.impact, {mode}, LeafQuestion::kGains, program,
                             {{floor * s.impulse[0], floor * speed, {}, {}}});
        EXPECT_EQ(program.losses.size(), 1u);
        ConeAnswer answer;
        engine->decide(program.program, answer);
        return answer.outcome == Outcome::kInfeasible && internal::excludes(program, answer.y);
      };
      if (share > 0.0) {
        ++gaining;
        for (const double width : {1.5, 0.3, 0.01})
          for (const double floor : {0.0, 0.5, 0.9, 0.999})
            EXPECT_FALSE(excluded(width, floor)) << "draw " << i << ", " << width << ", " << floor;
      } else {
        losing += excluded(1e-4, 0.99);
        without += excluded(1e-4, 0.0);
        EXPECT_TRUE(excluded(1e-4, 0.99)) << "draw " << i;
      }
    }
  }
  EXPECT_GE(gaining, draws / 100);
  EXPECT_GT(losing, without);
}

TEST(ImpactForgers, FloorsNeedTheirWitnesses)
{
  Rng rng{31};
  int tampered = 0;
  for (int i = 0; i < 400 && tampered < 10; ++i) {
    const Drawn d = in_space(rng);
    const ImpactResult r = ImpactChecker().check(d.problem, d.impact);
    const auto at = std::ranges::find_if(r.leaves, [](const ImpactLeaf& leaf) { return !leaf.floors.empty(); });
    if (at == r.leaves.end()) continue;
    ++tampered;
    EXPECT_EQ(r.dissipates, Verdict::kHolds) << "draw " << i;
    const auto proved = [&](auto change) {
      std::vector<ImpactLeaf> leaves = r.leaves;
      change(leaves[static_cast<std::size_t>(at - r.leaves.begin())]);
      return judge_impact(d.problem, d.impact, r.solutions, leaves).dissipates == Verdict::kHolds;
    };
    EXPECT_TRUE(proved([](ImpactLeaf&) {}));
    EXPECT_FALSE(proved([](ImpactLeaf& leaf) { leaf.floors[0].impulse *= 100; }));
    EXPECT_FALSE(proved([](ImpactLeaf& leaf) { leaf.floors[0].speed *= 100; }));
    EXPECT_FALSE(proved([](ImpactLeaf& leaf) { leaf.floors[0].impulse_witness.setZero(); }));
    EXPECT_FALSE(proved([](ImpactLeaf& leaf) { leaf.floors[0].speed_witness *= -1; }));
    EXPECT_FALSE(proved([](ImpactLeaf& leaf) { leaf.floors[0].speed = std::nan(""); }));
    EXPECT_FALSE(proved([](ImpactLeaf& leaf) { leaf.floors[0].impulse *= -1; }));
    EXPECT_FALSE(proved([](ImpactLeaf& leaf) { leaf.floors.push_back(leaf.floors[0]); }));
    EXPECT_FALSE(proved([](ImpactLeaf& leaf) { leaf.kind = ImpactLeaf::Kind::kEmpty; }));
  }
  EXPECT_EQ(tampered, 10);
}

/// The same impact with contacts in another order and units that are powers of two.
Drawn in_other_words(Rng& rng, const Drawn& d)
{
  Drawn other = d;
  const auto nv = d.problem.nv();
  const double mass = std::ldexp(1.0, static_cast<int>(rng() % 41) - 20),
               speed = std::ldexp(1.0, static_cast<int>(rng() % 41) - 20);
  const Eigen::VectorXd length =
      Eigen::VectorXd::NullaryExpr(nv, [&] { return std::ldexp(1.0, static_cast<int>(rng() % 21) - 10); });
  other.problem.M = mass * (length.asDiagonal() * d.problem.M * length.asDiagonal());
  other.impact.velocity = speed * d.impact.velocity.cwiseQuotient(length);
  std::vector<std::size_t> order(d.problem.contacts.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::shuffle(order.begin(), order.end(), rng);
  int row = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    Contact& c = other.problem.contacts[k] = d.problem.contacts[order[k]];
    other.impact.laws[k] = d.impact.laws[order[k]];
    other.problem.J.middleRows(row, c.rows()) = d.problem.J.middleRows(c.row, c.rows()) * length.asDiagonal();
    c.row = row;
    row += c.rows();
  }
  return other;
}

TEST(ImpactForgers, OrderUnitsAndEngineChangeNoVerdict)
{
  Rng rng{19};
  ImpactChecker native, second(make_engine("qpoases"));
  int doubtful = 0;
  const int count = trials(400);
  for (int i = 0; i < count; ++i) {
    const Drawn d = i % 4 == 0 ? degenerate(rng) : draw(rng, 1 + i % 3);
    const Drawn other = in_other_words(rng, d);
    const ImpactResult a = native.check(d.problem, d.impact);
    for (const ImpactResult& b : {native.check(other.problem, other.impact), second.check(d.problem, d.impact)})
      for (const auto& [x, y] : {std::pair{a.exists, b.exists}, {a.unique, b.unique}, {a.dissipates, b.dissipates}}) {
        EXPECT_FALSE(x != y && x != Verdict::kUndecided && y != Verdict::kUndecided) << "draw " << i;
        doubtful += x != y;
      }
  }
  EXPECT_LT(doubtful, count / 10);
}

// ---- Couplings ----

/// Rows with drifts: the same few directions again and again, so that they often contradict each other.
ContactProblem drifting(Rng& rng)
{
  const int nv = 2 + static_cast<int>(rng() % 3), rows = 2 + static_cast<int>(rng() % 4);
  const Eigen::MatrixXd A = Eigen::Map<Eigen::MatrixXd>(gaussian(rng, nv * nv).data(), nv, nv);
  Eigen::MatrixXd J = Eigen::Map<Eigen::MatrixXd>(gaussian(rng, rows * nv).data(), rows, nv);
  for (int r = 1; r < rows; ++r) {
    if (rng() % 2 == 0)
      J.row(r) = uniform(rng, -2, 2) * J.row(static_cast<Eigen::Index>(rng() % static_cast<unsigned>(r)));
    if (rng() % 4 == 0) J.row(r) += std::pow(10.0, uniform(rng, -17, -5)) * gaussian(rng, nv).transpose();
    if (rng() % 10 == 0) J.row(r).setZero();
  }
  const double ratio = rng() % 3 == 0 ? std::pow(10.0, uniform(rng, 0, 7.5)) : 1.0;
  Eigen::VectorXd scale = Eigen::VectorXd::Ones(nv);
  scale[0] = ratio;
  ContactProblem p = problem_of(
      scale.asDiagonal() * (A * A.transpose() + 0.3 * Eigen::MatrixXd::Identity(nv, nv)) * scale.asDiagonal(), J);
  p.M = 0.5 * (p.M + p.M.transpose()).eval();
  p.F = gaussian(rng, nv);
  const Eigen::VectorXd a = gaussian(rng, nv);
  p.gamma = -J * a + (rng() % 2 == 0 ? std::pow(10.0, uniform(rng, -16, 0)) : 0.0) * gaussian(rng, rows);
  for (int r = 0; r < rows; ++r)
    p.contacts.push_back(single_row(r, rng() % 2 == 0 ? Side::kBilateral : Side::kUnilateral));
  return p;
}

TEST(CouplingForgers, NoProblemHasTwoVerdicts)
{
  Rng rng{23};
  CouplingChecker native, second(make_engine("qpoases"));
  CouplingOptions quick;
  quick.intervals = false;
  int count[3] = {};
  const int draws = trials(2000);
  for (int i = 0; i < draws; ++i) {
    const ContactProblem p = drifting(rng);
    bool holds = false, fails = false;
    Couplings found[2] = {native.check(p, quick), second.check(p, quick)};
    ++count[static_cast<int>(found[0].solvable)];
    const auto& [unilateral, bilateral] = std::pair{found[0].unilateral, found[0].bilateral};
    for (const Couplings& c : found) {
      holds = holds || c.solvable == Verdict::kHolds;
      fails = fails || c.solvable == Verdict::kFails;
    }
    const Eigen::VectorXd internal = internal_impulse(p);
    for (const double size : {1e-13, 1e-9, 1e-5, 1.0, 1e4, 1e10, 1e30}) {
      Eigen::VectorXd y = internal.size() > 0 ? internal : gaussian(rng, p.rows()).eval();
      for (const double sign : {size, -size}) fails = fails || proves_contradiction(p, unilateral, bilateral, sign * y);
      Eigen::VectorXd a =
          found[0].solvable == Verdict::kHolds ? found[0].acceleration : Eigen::VectorXd::Zero(p.nv()).eval();
      Eigen::VectorXd lambda =
          found[0].solvable == Verdict::kHolds ? found[0].forces : Eigen::VectorXd::Zero(p.rows()).eval();
      a += size * gaussian(rng, p.nv());
      lambda += size * y.cwiseAbs();
      holds = holds || proves_motion(p, unilateral, bilateral, a, lambda);
    }
    EXPECT_FALSE(holds && fails) << "draw " << i;
  }
  EXPECT_GT(count[static_cast<int>(Verdict::kHolds)], draws / 4);
  EXPECT_GT(count[static_cast<int>(Verdict::kFails)], draws / 10);
  EXPECT_LT(count[static_cast<int>(Verdict::kUndecided)], draws / 5 + 10);  // chance, where few are drawn
}

TEST(CouplingForgers, RowsAreListedOnce)
{
  ContactProblem p = problem_of(Eigen::Matrix2d::Identity(), (Eigen::Matrix2d() << 1, 0, -1, 0).finished());
  p.contacts = {single_row(0), single_row(1)};
  p.gamma << 1, 1;  // both open
  const Eigen::Vector2d y(-1, -1), zero(0, 0);
  EXPECT_TRUE(proves_motion(p, {0, 1}, {}, zero, zero));
  EXPECT_FALSE(proves_contradiction(p, {0, 1}, {}, y));
  EXPECT_TRUE(proves_contradiction(p, {}, {0, 1}, y));       // another problem: both rows held
  EXPECT_FALSE(proves_contradiction(p, {0, 1}, {0, 1}, y));  // rows of one kind listed as the other as well
  EXPECT_FALSE(proves_contradiction(p, {}, {0, 1, 1}, y));
  EXPECT_FALSE(proves_motion(p, {0, 1}, {1}, zero, zero));
}

}  // namespace
}  // namespace stiction
