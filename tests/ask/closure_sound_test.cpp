// Closure and resisted wrenches: no certificate proves what another one refutes, and no verdict depends on units,
// order, axes, engines or contacts given twice.
#include <gtest/gtest.h>

#include "stiction/closure.hpp"
#include "support/grasps.hpp"
#include "support/sound.hpp"

namespace stiction {
namespace {

using testing::finger;
using testing::forge;
using testing::gaussian;
using testing::make_grasp;
using testing::planar;
using testing::Rng;
using testing::trials;
using testing::uniform;

/// Fingers at random, opposed, coincident or nearly so (1e-16 to 1e-6 m), hard, soft, bilateral or frictionless;
/// sometimes of millimetres, sometimes with an axis nobody holds.
std::vector<GraspContact> degenerate_fingers(Rng& rng, bool plane)
{
  std::vector<GraspContact> fingers =
      testing::random_fingers(rng, 1 + static_cast<int>(rng() % 4), rng() % 2 ? 0.8 : 4.0, plane);
  const auto near = [&](GraspContact c) {
    Eigen::Vector3d shift = std::pow(10.0, uniform(rng, -16, -6)) * Eigen::Vector3d(gaussian(rng, 3));
    if (plane) shift.z() = 0.0;
    c.point += shift;
    return c;
  };
  const auto opposed = [&](GraspContact c) {
    c.point = -c.point;
    c.normal = -c.normal;
    return c;
  };
  if (rng() % 2) fingers.push_back(opposed(fingers[0]));
  if (rng() % 2) fingers.push_back(near(fingers[rng() % fingers.size()]));
  if (rng() % 3 == 0) fingers.push_back(near(opposed(fingers[0])));
  for (GraspContact& c : fingers) {
    if (rng() % 4 == 0) c.normal = -c.point.normalized();  // through the middle
    const unsigned kind = rng() % 8;
    if (kind == 0) c.kind = GraspContactKind::kFrictionless;
    if (kind == 1 && fingers.size() < 4) c.kind = GraspContactKind::kBilateral;
    if (kind == 2) {
      c.kind = GraspContactKind::kSoftFinger;
      c.torsion = 0.01;
    }
    if (rng() % 8 == 0) c.mu = std::pow(10.0, uniform(rng, -8, 3));
  }
  const double size = rng() % 3 ? 1.0 : std::pow(10.0, uniform(rng, -9, 3));
  for (GraspContact& c : fingers) {
    c.point *= size;
    c.torsion *= size;
  }
  return fingers;
}

struct Both {
  bool holds = false, fails = false;
  void add(Verdict v)
  {
    holds = holds || v == Verdict::kHolds;
    fails = fails || v == Verdict::kFails;
  }
  bool contradict() const { return holds && fails; }
};

/// Leaves with motions, signs and each other mistaken.
void forge_leaves(Rng& rng, std::vector<MotionLeaf>& leaves)
{
  if (leaves.empty()) return;
  const auto any = [&]() -> MotionLeaf& { return leaves[rng() % leaves.size()]; };
  switch (rng() % 6) {
    case 0:
      for (MotionLeaf& leaf : leaves) forge(rng, leaf.motion);
      break;
    case 1:
      std::swap(any().motion, any().motion);
      break;
    case 2:
      leaves.erase(leaves.begin() + static_cast<std::ptrdiff_t>(rng() % leaves.size()));
      break;
    case 3: {
      std::vector<int>& signs = any().signs;
      signs[rng() % signs.size()] = static_cast<int>(rng() % 3) - 1;
      break;
    }
    default:
      forge(rng, any().motion);
  }
}

TEST(ClosureSound, NoGraspIsProvedBothClosedAndNot)
{
  Rng rng{171};
  ClosureChecker checkers[] = {ClosureChecker(make_engine("native")), ClosureChecker(make_engine("qpoases"))};
  const int count = trials(1000);
  ClosureOptions options;
  options.force = options.explain = false;
  int proved = 0, leaves = 0;
  long judged = 0;
  for (int i = 0; i < count; ++i) {
    const bool plane = i % 3 == 0;
    std::vector<GraspContact> fingers = degenerate_fingers(rng, plane);
    const WrenchConvention convention = plane ? planar() : WrenchConvention{};
    const Grasp grasp = make_grasp(fingers, convention);
    // The same grasp with friction or points changed by rounding up to a millionth: its certificates are tried on this
    // one.
    const double change = std::pow(10.0, uniform(rng, -16, -6));
    for (GraspContact& c : fingers) {
      c.mu *= 1.0 + change * uniform(rng, -1, 1);
      c.point *= 1.0 + change * uniform(rng, -1, 1);
    }
    const Grasp other = make_grasp(fingers, convention);
    for (const ClosureKind kind : {ClosureKind::kForm, ClosureKind::kFrictionalForm}) {
      Both both;
      std::vector<ClosureProof> proofs;
      for (const Grasp* source : {&grasp, &other}) {
        const ClosureResult r = checkers[i % 2].check(*source, options);
        const ClosureVerdict& v = kind == ClosureKind::kForm ? r.form_closure : r.frictional_form_closure;
        proofs.push_back(v.proof);
        leaves += !v.proof.leaves.empty();
        if (source == &grasp) both.add(v.verdict);
      }
      for (int trial = 0; trial < 5; ++trial) {
        ClosureProof forged = proofs[rng() % 2];
        forge(rng, forged.twist);
        forge(rng, forged.forces);
        forge(rng, forged.wrench);
        forge_leaves(rng, forged.leaves);
        both.add(judge_closure(grasp, kind, forged));
        ++judged;
      }
      // A motion along each axis, and unit squeezes.
      ClosureProof unit;
      unit.twist =
          Twist::Unit(grasp.G.rows(), static_cast<Eigen::Index>(rng() % static_cast<unsigned>(grasp.G.rows())));
      both.add(judge_closure(grasp, kind, unit));
      ASSERT_FALSE(both.contradict()) << i;
      proved += both.holds || both.fails;
    }
  }
  EXPECT_GT(proved, count);
  EXPECT_GE(leaves, count / 200);
  RecordProperty("judged", static_cast<int>(judged));
}

TEST(ClosureSound, NoWrenchIsProvedBothResistedAndNot)
{
  Rng rng{172};
  ClosureChecker checkers[] = {ClosureChecker(make_engine("native")), ClosureChecker(make_engine("qpoases"))};
  const int count = trials(1000);
  int proved = 0;
  for (int i = 0; i < count; ++i) {
    const bool plane = i % 3 == 0;
    std::vector<GraspContact> fingers = degenerate_fingers(rng, plane);
    const WrenchConvention convention = plane ? planar() : WrenchConvention{};
    Grasp grasp = make_grasp(fingers, convention);
    if (rng() % 4 == 0) grasp.contacts[0].max_normal = uniform(rng, 0, 5);
    Eigen::VectorXd wrench = gaussian(rng, grasp.G.rows());
    if (rng() % 2) {  // along the columns of one contact: at or near the limit of what it can do
      wrench = -grasp.G.col(0);
      if (grasp.contacts[0].cone.tangents > 0) wrench -= grasp.contacts[0].cone.mu * grasp.G.col(1);
    }
    if (rng() % 4 == 0) wrench[static_cast<Eigen::Index>(rng() % static_cast<unsigned>(wrench.size()))] *= 1e-15;
    Eigen::VectorXd other =
        wrench + std::pow(10.0, uniform(rng, -16, -3)) * wrench.norm() * gaussian(rng, wrench.size());
    Both both;
    std::vector<ResistProof> proofs;
    for (const Eigen::VectorXd* w : {&wrench, &other}) {
      const ResistResult r = checkers[i % 2].resists(grasp, *w);
      proofs.push_back(r.proof);
      if (w == &wrench) both.add(r.verdict);
    }
    for (int trial = 0; trial < 10; ++trial) {
      ResistProof forged = proofs[rng() % 2];
      if (forged.claims == Verdict::kUndecided) continue;
      forge(rng, forged.x);
      forge(rng, forged.y);
      forge_leaves(rng, forged.leaves);
      // Internal forces that cancel to rounding.
      if (forged.claims == Verdict::kHolds && rng() % 2 && grasp.contacts.size() > 1)
        for (const GraspBlock& block : grasp.contacts) forged.x[block.col] += std::pow(10.0, uniform(rng, 0, 20));
      both.add(judge_resists(grasp, wrench, forged));
    }
    ASSERT_FALSE(both.contradict()) << i;
    proved += both.holds || both.fails;
  }
  EXPECT_GT(proved, count * 3 / 4);
}

/// Opposed frictionless fingers squeezed with 1e20 N carry no weight by rounding of the squeeze.
TEST(ClosureSound, SqueezingHarderBuysNoTolerance)
{
  const Grasp grasp = make_grasp({testing::planar_finger(-1, 0, 1, 0), testing::planar_finger(1, 0, -1, 0)}, planar());
  const Eigen::Vector3d wrench(1e-3, 0, 0), across(0, 1, 0);
  ResistProof proof;
  proof.claims = Verdict::kHolds;
  for (const double squeeze : {1e10, 1e15, 1e20}) {
    proof.x = Eigen::Vector2d(squeeze, squeeze);
    EXPECT_EQ(judge_resists(grasp, wrench, proof), Verdict::kUndecided) << squeeze;
    EXPECT_EQ(judge_resists(grasp, across, proof), Verdict::kUndecided) << squeeze;
  }
  proof.x = Eigen::Vector2d(0, 1e-3);
  EXPECT_EQ(judge_resists(grasp, wrench, proof), Verdict::kHolds);
  EXPECT_EQ(ClosureChecker().resists(grasp, across).verdict, Verdict::kFails);
}

TEST(ClosureSound, NothingButTheGraspMatters)
{
  Rng rng{173};
  ClosureChecker native(make_engine("native")), qpoases(make_engine("qpoases"));
  const int count = trials(2000);
  int undecided = 0, flips = 0, lost = 0;
  for (int i = 0; i < count; ++i) {
    const bool plane = i % 3 == 0;
    const std::vector<GraspContact> fingers =
        i % 2 ? degenerate_fingers(rng, plane) : testing::random_fingers(rng, 2 + i % 7, i % 4 ? 0.8 : 4.0, plane);
    const WrenchConvention convention = plane ? planar() : WrenchConvention{};
    const Verdict verdict = native.closed(make_grasp(fingers, convention));
    undecided += verdict == Verdict::kUndecided;
    const auto compare = [&](const std::vector<GraspContact>& contacts, const WrenchConvention& c,
                             ClosureChecker& checker, bool exactly) {
      const Verdict again = checker.closed(make_grasp(contacts, c));
      if (again == verdict) return;
      ++(exactly || (again != Verdict::kUndecided && verdict != Verdict::kUndecided) ? flips : lost);
    };
    auto changed = fingers;
    std::reverse(changed.begin(), changed.end());
    compare(changed, convention, native, false);
    compare(fingers, convention, qpoases, false);
    changed = fingers;
    changed.push_back(fingers[0]);
    compare(changed, convention, native, false);
    for (const double unit : {0x1p-40, 0x1p-10, 0x1p13}) {  // to the last bit
      changed = fingers;
      for (GraspContact& c : changed) {
        c.point *= unit;
        c.torsion *= unit;
      }
      compare(changed, convention, native, true);
      WrenchConvention length = convention;
      length.torque_length = unit;
      compare(fingers, length, native, true);
    }
    changed = fingers;
    const Eigen::Vector3d axis = plane ? Eigen::Vector3d::UnitZ() : Eigen::Vector3d(gaussian(rng, 3)).normalized();
    const Eigen::Matrix3d R = Eigen::AngleAxisd(uniform(rng, 0, 6), axis).toRotationMatrix();
    for (GraspContact& c : changed) {
      c.point = R * c.point;
      c.normal = (R * c.normal).normalized();
    }
    compare(changed, convention, native, false);
  }
  EXPECT_EQ(flips, 0);
  std::printf("%d grasps, %d undecided, %d variants decided one way only\n", count, undecided, lost);
  EXPECT_LE(undecided, count / 50);
  EXPECT_LE(lost, count / 20);
}

}  // namespace
}  // namespace stiction
