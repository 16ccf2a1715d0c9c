// Sliding contacts: an enumeration written differently, properties, limits and forms that must agree, tampering, input.
#include "stiction/sliding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "stiction/error.hpp"
#include "support/algebra.hpp"
#include "support/random_problems.hpp"
#include "support/sliding.hpp"
#include "support/trials.hpp"

namespace stiction::sliding_test {

using stiction::testing::gaussian;
using stiction::testing::Rng;
using stiction::testing::uniform;
using ::testing::HasSubstr;

// ---- An enumeration written differently -----------------------------------------------------------------------------

using Long = long double;
using LongMatrix = Eigen::Matrix<Long, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<Long, Eigen::Dynamic, 1>;

/// All solutions by brute force: every set of closed contacts and signs, dense solves in long double on contact forces
/// only (M > 0 is inverted, unlike in the code under test). `safe` is false when some decision was closer than 1e-6.
std::vector<LongVector> brute_force(const ContactProblem& p, const SlipDirections& slips, bool& safe)
{
  const LongMatrix M = p.M.cast<Long>(), J = p.J.cast<Long>();
  const LongMatrix Minv = M.fullPivLu().inverse();
  const LongVector F = p.F.cast<Long>(), gamma = p.gamma.cast<Long>();
  const LongMatrix W = J * Minv * J.transpose();
  const LongVector w = gamma - J * (Minv * F);
  std::vector<LongVector> solutions;
  const unsigned modes = 1u << p.contacts.size();
  safe = true;
  const auto decided = [&](Long value, Long scale) {
    if (std::abs(value) < 1e-6L * scale) safe = false;
    return value >= 0;
  };
  for (unsigned mode = 0; mode < modes; ++mode) {
    // Unknown forces c, λ = P c; rows that must not accelerate.
    std::vector<int> rows;
    std::vector<LongVector> columns;
    bool possible = true;
    for (std::size_t i = 0; i < p.contacts.size(); ++i) {
      const Contact& c = p.contacts[i];
      const bool first = mode >> i & 1u, bilateral = c.side == Side::kBilateral;
      if (!first && !bilateral) {
        if (!slips[i] && c.tangents > 0) possible = false;  // to stick without touching: no force makes it so
        continue;
      }
      rows.push_back(c.row);
      LongVector column = LongVector::Zero(p.rows());
      column[c.row] = 1;
      if (slips[i])
        for (int k = 0; k < c.tangents; ++k)
          column[c.row + 1 + k] = -static_cast<Long>(c.mu) * (first ? 1 : -1) * (*slips[i])[k];
      columns.push_back(column);
      if (slips[i]) continue;
      for (int k = 1; k <= c.tangents; ++k) {
        rows.push_back(c.row + k);
        columns.push_back(LongVector::Unit(p.rows(), c.row + k));
      }
    }
    if (!possible) continue;
    LongVector lambda = LongVector::Zero(p.rows());
    if (!rows.empty()) {
      LongMatrix P(p.rows(), static_cast<Eigen::Index>(columns.size()));
      for (std::size_t k = 0; k < columns.size(); ++k) P.col(static_cast<Eigen::Index>(k)) = columns[k];
      const LongMatrix X = (W * P)(rows, Eigen::all);
      Eigen::FullPivLU<LongMatrix> lu(X);
      lu.setThreshold(1e-9L);
      if (!lu.isInvertible() || lu.rcond() < 1e-7L) {
        safe = false;
        return {};
      }
      lambda = P * lu.solve(LongVector(-w(rows)));
    }
    const LongVector u = W * lambda + w;
    const Long force = lambda.lpNorm<Eigen::Infinity>() + 1e-3L, motion = w.lpNorm<Eigen::Infinity>();
    bool admissible = true;
    for (std::size_t i = 0; i < p.contacts.size() && admissible; ++i) {
      const Contact& c = p.contacts[i];
      const bool first = mode >> i & 1u, bilateral = c.side == Side::kBilateral;
      if (bilateral)
        admissible = decided((first ? 1 : -1) * lambda[c.row], force);
      else
        admissible = first ? decided(lambda[c.row], force) : decided(u[c.row], motion);
      if (admissible && !slips[i] && c.tangents > 0 && (first || bilateral))
        admissible = decided(c.mu * std::abs(lambda[c.row]) - lambda.segment(c.row + 1, c.tangents).norm(), force);
    }
    if (admissible) solutions.push_back(lambda);
  }
  return solutions;
}

/// A general system: dense M, rows drawn at random, contacts of every kind.
ContactProblem random_system(Rng& rng, SlipDirections& slips)
{
  ContactProblem p;
  const int contacts = 1 + static_cast<int>(rng() % 4);
  const bool sticking = rng() % 3 == 0;
  int rows = 0;
  for (int i = 0; i < contacts; ++i) {
    Contact c;
    c.name = "c" + std::to_string(i);
    c.row = rows;
    c.tangents = rng() % 2 ? 1 : 2;
    c.side = rng() % 3 == 0 ? Side::kBilateral : Side::kUnilateral;
    c.mu = uniform(rng, 0.1, 2.5);
    rows += c.rows();
    p.contacts.push_back(c);
    const double angle = uniform(rng, 0, 2 * M_PI);
    if (sticking && rng() % 2)
      slips.push_back(std::nullopt);
    else if (c.tangents == 1)
      slips.push_back(along(rng() % 2 ? 1 : -1));
    else
      slips.push_back(Eigen::Vector2d(std::cos(angle), std::sin(angle)));
  }
  const int nv = std::max(3, rows + static_cast<int>(rng() % 3) - 1);
  const auto matrix = [&](int r, int c) {
    const Eigen::VectorXd entries = gaussian(rng, r * c);
    return Eigen::MatrixXd(Eigen::Map<const Eigen::MatrixXd>(entries.data(), r, c));
  };
  const Eigen::MatrixXd B = matrix(nv, nv);
  p.M = B * B.transpose() + 0.3 * Eigen::MatrixXd::Identity(nv, nv);
  p.J = matrix(rows, nv);
  p.F = 5 * gaussian(rng, nv);
  p.gamma = gaussian(rng, rows);
  return p;
}

TEST(RandomSystems, SameSolutionsAsBruteForce)
{
  Rng rng{11};
  SlidingChecker checker;
  SlidingOptions options;
  options.well_posedness = false;
  int none = 0, one = 0, several = 0, compared = 0;
  const int wanted = testing::trials(5000);
  for (int draw = 0; compared < wanted && draw < 4 * wanted; ++draw) {
    SlipDirections slips;
    const ContactProblem p = random_system(rng, slips);
    bool safe = true;
    const std::vector<LongVector> expected = brute_force(p, slips, safe);
    if (!safe) continue;
    ++compared;
    const SlidingResult r = checker.check(p, slips, options);
    ASSERT_TRUE(r.complete) << "draw " << draw << ": " << r.reason;
    ASSERT_EQ(r.solutions.size(), expected.size()) << "draw " << draw;
    ASSERT_EQ(r.count, expected.empty()       ? SolutionCount::kNone
                       : expected.size() == 1 ? SolutionCount::kUnique
                                              : SolutionCount::kSeveral);
    ++(expected.empty() ? none : expected.size() == 1 ? one : several);
    for (const LongVector& lambda : expected) {
      double nearest = kInfinity;
      for (const SlidingSolution& s : r.solutions)
        nearest = std::min(nearest, (s.lambda - lambda.cast<double>()).norm());
      EXPECT_LT(nearest, 1e-7 * (1 + static_cast<double>(lambda.norm()))) << "draw " << draw;
    }
  }
  EXPECT_EQ(compared, wanted);
  // All three kinds occur often enough to mean something.
  EXPECT_GT(none, wanted / 25);
  EXPECT_GT(one, wanted / 5);
  EXPECT_GT(several, wanted / 25);
}

/// det X(σ)_{b ∪ α} > 0 for all σ, α, against "unique" for many loads: a well-posed system never has none or several.
TEST(RandomSystems, WellPosedMeansOneSolutionForEveryLoad)
{
  Rng rng{12};
  SlidingChecker checker;
  SlidingOptions options;
  options.well_posedness = false;
  const int draws = testing::trials(400);
  int well = 0, ill = 0, ill_shown = 0;
  for (int draw = 0; draw < draws; ++draw) {
    SlipDirections slips;
    ContactProblem p = random_system(rng, slips);
    for (std::size_t i = 0; i < slips.size(); ++i)
      if (!slips[i]) slips[i] = along(1);
    const WellPosedness w = friction_well_posedness(p, slips);
    if (w.unique_for_all_loads == Verdict::kUndecided || std::abs(w.margin) < 1e-3) continue;
    const bool unique = w.unique_for_all_loads == Verdict::kHolds;
    EXPECT_EQ(unique, w.unique_scales.has_value()) << draw;
    if (w.critical_scale > 1.0) {  // not the other way round: MoreFrictionMayRestoreUniqueness
      EXPECT_TRUE(unique) << draw;
      EXPECT_EQ(w.unique_scales->first, 0.0) << draw;
      EXPECT_EQ(w.unique_scales->second, w.critical_scale) << draw;
    }
    for (const FrictionScreen& s : w.screens)  // each norm bound is sufficient
      if (s.satisfied() && s.guarantees.find("one solution") == 0) {
        EXPECT_TRUE(unique) << s.name;
      }
    bool counter_example = false;
    for (int load = 0; load < 20; ++load) {
      p.F = 5 * gaussian(rng, p.nv());
      const SlidingResult r = checker.check(p, slips, options);
      if (unique) {
        EXPECT_EQ(r.count, SolutionCount::kUnique) << draw;
      }
      counter_example = counter_example || r.count == SolutionCount::kNone || r.count == SolutionCount::kSeveral;
    }
    ++(unique ? well : ill);
    if (!unique && counter_example) ++ill_shown;
  }
  EXPECT_GT(well, draws / 8);
  EXPECT_GT(ill, draws / 8);
  EXPECT_GT(ill_shown, ill / 2);
}

TEST(WellPosed, MoreFrictionMayRestoreUniqueness)
{
  // A = [[1, .9], [.9, 1]], At = [[0, -2], [.5, 0]]: det = 1 - (.9 + 2 mu)(.9 - .5 mu) < 0 between 0.1596 and 1.1904.
  const double s = std::sqrt(0.19), roots[] = {(1.35 - std::sqrt(1.0625)) / 2, (1.35 + std::sqrt(1.0625)) / 2};
  ContactProblem p;
  p.M = Eigen::Matrix2d::Identity();
  p.F = Eigen::Vector2d(1, 2);
  p.gamma.setZero(4);
  p.J = (Eigen::MatrixXd(4, 2) << 1, 0, 0, 0.5 / s, 0.9, s, -2, 1.8 / s).finished();
  for (const double mu : {0.1, 1.0, 2.0}) {
    p.contacts = {planar_contact("a", 0, mu), planar_contact("b", 2, mu)};
    const WellPosedness w = friction_well_posedness(p, {along(1), along(1)});
    EXPECT_NEAR(w.critical_scale, roots[0] / mu, 1e-9);
    EXPECT_EQ(w.unique_for_all_loads, mu == 1.0 ? Verdict::kFails : Verdict::kHolds);
    ASSERT_EQ(w.unique_scales.has_value(), mu != 1.0);
    if (mu == 1.0) continue;
    EXPECT_NEAR(w.unique_scales->first, mu < 1 ? 0 : roots[1] / mu, 1e-9);
    if (mu < 1) {
      EXPECT_NEAR(w.unique_scales->second, roots[0] / mu, 1e-9);
    } else {
      EXPECT_EQ(w.unique_scales->second, kInfinity);
    }
  }
}

TEST(RandomSystems, ExistenceForEveryLoadIsWhatLoadsShow)
{
  Rng rng{14};
  SlidingChecker checker;
  SlidingOptions options;
  options.well_posedness = false;
  const int draws = testing::trials(400);
  int not_unique = 0, fails = 0, undecided = 0;
  for (int draw = 0; draw < draws; ++draw) {
    SlipDirections slips;
    ContactProblem p = random_system(rng, slips);
    for (std::size_t i = 0; i < slips.size(); ++i)
      if (!slips[i]) slips[i] = along(1);
    const WellPosedness w = friction_well_posedness(p, slips);
    if (!w.hypotheses.hold()) continue;
    undecided += w.exists_for_all_loads == Verdict::kUndecided;
    EXPECT_EQ(w.exists_for_all_loads == Verdict::kFails, w.unsolvable_load.has_value());
    if (w.unsolvable_load) {
      ++fails;
      p.F = *w.unsolvable_load;
      p.gamma.setZero();
      EXPECT_EQ(checker.check(p, slips, options).count, SolutionCount::kNone) << draw;
      EXPECT_EQ(w.unique_for_all_loads, Verdict::kFails);
    }
    if (w.exists_for_all_loads != Verdict::kHolds || w.unique_for_all_loads == Verdict::kHolds) continue;
    ++not_unique;
    for (int load = 0; load < 20; ++load) {
      p.F = 5 * gaussian(rng, p.nv());
      EXPECT_NE(checker.check(p, slips, options).count, SolutionCount::kNone) << draw;
    }
  }
  EXPECT_GE(not_unique, draws / 80);
  EXPECT_GT(fails, draws / 8);
  EXPECT_LE(undecided, draws / 50);
}

TEST(WellPosed, NormBoundsDecideWhereDeterminantsAreTooMany)
{
  const int contacts = 14;
  ContactProblem p;
  p.M = Eigen::MatrixXd::Identity(contacts, contacts);
  p.F.setOnes(contacts);
  p.J.setZero(2 * contacts, contacts);
  p.gamma.setZero(2 * contacts);
  SlipDirections slips;
  for (int i = 0; i < contacts; ++i) {
    p.J(2 * i, i) = 1;
    p.J(2 * i + 1, (i + 1) % contacts) = 1;
    p.contacts.push_back(
        planar_contact("c" + std::to_string(i), 2 * i, 0.5, i == 0 ? Side::kBilateral : Side::kUnilateral));
    slips.push_back(along(1));
  }
  const WellPosedness w = friction_well_posedness(p, slips);
  EXPECT_FALSE(w.hypotheses.hold());
  EXPECT_EQ(w.unique_for_all_loads, Verdict::kHolds);
  EXPECT_EQ(w.exists_for_all_loads, Verdict::kHolds);
  for (Contact& c : p.contacts) c.mu = 1.5;
  EXPECT_EQ(friction_well_posedness(p, slips).unique_for_all_loads, Verdict::kUndecided);
}

TEST(States, AContactThatOnlyTouchesCarriesNothing)
{
  ContactProblem p = rod(0.7, 0, 0.3);
  p.F.setZero();
  const SlidingResult r = solved(p, {along(1)});
  ASSERT_EQ(r.count, SolutionCount::kUnique);
  EXPECT_EQ(r.solutions[0].contacts[0].state, ContactState::kUnloaded);
  EXPECT_THAT(r.explanation, HasSubstr("tip carries nothing"));
}

/// Erratum 10: with A_nunb - A_nutb[μξ] for λ- in row 2, as (57) prints, the P-property of the matrix is that of
/// another problem; (58) has the plus sign and agrees with the determinants.
TEST(Errata, TheSignInRow2Of57)
{
  Rng rng{13};
  int printed_wrong = 0, tried = 0;
  for (int draw = 0; draw < 400; ++draw) {
    ContactProblem p = ladder(uniform(rng, 0.1, 1.4), uniform(rng, 0.1, 1.2), uniform(rng, 0.1, 2.0));
    const double xb = rng() % 2 ? 1 : -1, xu = rng() % 2 ? 1 : -1;
    const WellPosedness w = friction_well_posedness(p, {along(xb), along(xu)});
    if (std::abs(w.margin) < 1e-3) continue;
    const Eigen::MatrixXd W = testing::delassus(p);  // rows: nb, tb, nu, tu
    const double b = p.contacts[0].mu * xb, u = p.contacts[1].mu * xu;
    const double A = W(0, 0) - W(0, 1) * b, Abar = W(0, 0) + W(0, 1) * b, B = W(0, 2) - W(0, 3) * u;
    const double C = W(2, 0) - W(2, 1) * b, D = W(2, 2) - W(2, 3) * u;
    const auto is_P = [&](double Cbar) {
      const double m11 = Abar / A, m12 = -B / A, m21 = C * Abar / A - Cbar, m22 = D - C * B / A;
      return m11 > 0 && m22 > 0 && m11 * m22 - m12 * m21 > 0;
    };
    if (A <= 0) continue;
    ++tried;
    EXPECT_EQ(is_P(W(2, 0) + W(2, 1) * b), w.unique_for_all_loads == Verdict::kHolds);
    if (is_P(W(2, 0) - W(2, 1) * b) != (w.unique_for_all_loads == Verdict::kHolds)) ++printed_wrong;
  }
  EXPECT_GT(tried, 200);
  EXPECT_GT(printed_wrong, 10);
}

/// Erratum 1: (33) with w_c as corrected gives the acceleration; with F_M = -MF, as printed, it does not.
TEST(Errata, TheReducedLoadOf33)
{
  Rng rng{14};
  for (int draw = 0; draw < 20; ++draw) {
    ContactProblem p;
    const Eigen::MatrixXd B = Eigen::Map<const Eigen::MatrixXd>(gaussian(rng, 16).data(), 4, 4);
    p.M = B * B.transpose() + Eigen::MatrixXd::Identity(4, 4);
    p.J = Eigen::Map<const Eigen::MatrixXd>(gaussian(rng, 8).data(), 2, 4);
    p.F = 3 * gaussian(rng, 4);
    p.gamma = gaussian(rng, 2);
    p.loops = {{"rail", 0, 1}};
    p.contacts = {normal_only("floor", 1)};
    const SlidingResult r = solved(p, {std::nullopt});
    ASSERT_EQ(r.count, SolutionCount::kUnique);
    const Eigen::MatrixXd Minv = testing::inverse(p.M), W = p.J * Minv * p.J.transpose();
    const Eigen::VectorXd Nb = p.J.row(0).transpose();
    const Eigen::MatrixXd P = Eigen::MatrixXd::Identity(4, 4) - Nb * Nb.transpose() * Minv / W(0, 0);
    const double Ac = W(1, 1) - W(1, 0) * W(0, 1) / W(0, 0);
    const auto reduced_force = [&](const Eigen::VectorXd& load) {
      const double wc = -p.J.row(1).dot(Minv * (P * load)) - W(1, 0) / W(0, 0) * p.gamma[0] + p.gamma[1];
      return std::max(0.0, -wc / Ac);
    };
    EXPECT_NEAR(reduced_force(p.F), r.solutions[0].lambda[1], 1e-9 * (1 + r.solutions[0].lambda[1]));
    const double printed = reduced_force(p.M * p.F);
    if (r.solutions[0].lambda[1] > 0.1) {
      EXPECT_GT(std::abs(printed - r.solutions[0].lambda[1]), 1e-3);
    }
  }
}

// ---- Properties -----------------------------------------------------------------------------------------------------

TEST(Properties, AHeavierCopyHasTheSameBoundsAndMotion)
{
  Rng rng{15};
  for (int draw = 0; draw < 50; ++draw) {
    SlipDirections slips;
    const ContactProblem p = random_system(rng, slips);
    ContactProblem heavy = p;
    heavy.M *= 1000;
    heavy.F *= 1000;
    const SlidingResult a = solved(p, slips), b = solved(heavy, slips);
    EXPECT_EQ(a.count, b.count);
    ASSERT_EQ(a.solutions.size(), b.solutions.size());
    for (std::size_t i = 0; i < a.solutions.size(); ++i)
      EXPECT_LT((a.solutions[i].acceleration - b.solutions[i].acceleration).norm(),
                1e-7 * (1 + a.solutions[i].acceleration.norm()));
    if (!a.well_posedness.hypotheses.hold()) continue;
    if (std::isfinite(a.well_posedness.critical_scale)) {
      EXPECT_NEAR(a.well_posedness.critical_scale / b.well_posedness.critical_scale, 1, 1e-7);
    }
    for (std::size_t i = 0; i < a.well_posedness.screens.size(); ++i) {
      const FrictionScreen &sa = a.well_posedness.screens[i], &sb = b.well_posedness.screens[i];
      if (sa.hypotheses.hold() && std::isfinite(sa.bound)) {
        EXPECT_NEAR(sa.bound, sb.bound, 1e-8 * (1 + sa.bound)) << sa.name;
      }
    }
  }
}

TEST(Properties, ATwinOfAContactChangesNoMotion)
{
  Rng rng{16};
  for (int draw = 0; draw < 60; ++draw) {
    const ContactProblem p = ladder(uniform(rng, 0.2, 1.3), uniform(rng, 0, 0.4), uniform(rng, 0.1, 0.4));
    ContactProblem twin = p;
    twin.J.conservativeResize(6, 3);
    twin.J.bottomRows(2) = p.J.bottomRows(2);
    twin.gamma.setZero(6);
    twin.contacts.push_back(planar_contact("ground again", 4, p.contacts[1].mu));
    const SlidingResult a = solved(p, kFalling), b = solved(twin, {along(-1), along(1), along(1)});
    ASSERT_EQ(a.count, SolutionCount::kUnique);
    ASSERT_EQ(b.count, SolutionCount::kUnique) << b.reason;
    EXPECT_LT((a.solutions[0].acceleration - b.solutions[0].acceleration).norm(), 1e-9);
    EXPECT_EQ(b.solutions[0].forces_unique, a.solutions[0].lambda[2] == 0.0);
    EXPECT_FALSE(b.well_posedness.hypotheses.hold());
  }
}

TEST(Properties, NormBoundsAreBelowTheExactBox)
{
  Rng rng{17};
  for (int draw = 0; draw < 200; ++draw) {
    SlipDirections slips;
    ContactProblem p = random_system(rng, slips);
    for (std::size_t i = 0; i < slips.size(); ++i) {
      p.contacts[i].mu = 1;
      p.contacts[i].side = draw % 2 ? Side::kUnilateral : Side::kBilateral;
      if (!slips[i]) slips[i] = along(1);
    }
    const WellPosedness w = friction_well_posedness(p, slips);
    if (!w.hypotheses.hold()) continue;
    const double bound = screen(w, draw % 2 ? "Proposition 12" : "Proposition 9").bound;
    EXPECT_LE(bound, *w.critical_scale_any_sense * (1 + 1e-9));
    EXPECT_LE(w.direction_free_mu, bound * (1 + 1e-9));
    EXPECT_LE(*w.critical_scale_any_sense, w.critical_scale * (1 + 1e-9));
  }
}

TEST(Properties, TheLipschitzConstantBoundsForces)
{
  Rng rng{18};
  SlidingChecker checker;
  int compared = 0;
  for (int draw = 0; draw < 200; ++draw) {
    SlipDirections slips;
    ContactProblem p = random_system(rng, slips);
    for (std::size_t i = 0; i < slips.size(); ++i) {
      p.contacts[i].side = Side::kUnilateral;
      if (!slips[i]) slips[i] = along(1);
    }
    const SlidingResult a = checker.check(p, slips);
    if (!a.well_posedness.lipschitz || a.count != SolutionCount::kUnique) continue;
    ContactProblem moved = p;
    for (const Contact& c : p.contacts) moved.gamma[c.row] += uniform(rng, -1, 1);
    const SlidingResult b = checker.check(moved, slips);
    ASSERT_EQ(b.count, SolutionCount::kUnique);
    double force = 0, drift = 0;
    for (const Contact& c : p.contacts) {
      force += std::pow(a.solutions[0].lambda[c.row] - b.solutions[0].lambda[c.row], 2);
      drift += std::pow(p.gamma[c.row] - moved.gamma[c.row], 2);
    }
    EXPECT_LE(std::sqrt(force), *a.well_posedness.lipschitz * std::sqrt(drift) * (1 + 1e-9));
    ++compared;
  }
  EXPECT_GT(compared, 30);
}

/// mu -> 0: Gauss' principle without friction, by the sticking question with frictionless contacts.
TEST(Limits, NoFrictionIsGauss)
{
  Rng rng{19};
  StickingChecker sticking;
  for (int draw = 0; draw < 100; ++draw) {
    SlipDirections slips;
    ContactProblem p = random_system(rng, slips);
    ContactProblem bare = p;  // normals only
    bare.J.resize(static_cast<Eigen::Index>(p.contacts.size()), p.nv());
    bare.gamma.resize(bare.J.rows());
    for (std::size_t i = 0; i < p.contacts.size(); ++i) {
      if (!slips[i]) slips[i] = along(1);
      bare.J.row(static_cast<Eigen::Index>(i)) = p.J.row(p.contacts[i].row);
      bare.gamma[static_cast<Eigen::Index>(i)] = p.gamma[p.contacts[i].row];
      bare.contacts[i].row = static_cast<int>(i);
      bare.contacts[i].tangents = 0;
      bare.contacts[i].mu = 0;
    }
    const StickingResult gauss = sticking.check(bare);
    if (gauss.verdict != Verdict::kHolds) continue;
    for (const double mu : {0.0, 1e-9}) {
      for (Contact& c : p.contacts) c.mu = mu;
      const SlidingResult r = solved(p, slips);
      ASSERT_EQ(r.count, SolutionCount::kUnique) << r.reason;
      EXPECT_LT((r.solutions[0].acceleration - gauss.acceleration).norm(), 1e-5 * (1 + gauss.acceleration.norm()));
    }
  }
}

/// Nothing slides: the all-sticking question. With friction without end the disks do not matter.
TEST(Limits, NothingSlidesIsAllSticking)
{
  Rng rng{20};
  StickingChecker sticking;
  SlidingChecker checker;
  int holds = 0, fails = 0;
  for (int draw = 0; draw < 200; ++draw) {
    const Side side = draw % 4 ? Side::kUnilateral : Side::kBilateral;
    ContactProblem p = stiction::testing::random_contacts(rng, 1 + draw % 3, 0.5, side);
    if (!stiction::testing::make_either(rng, p, draw % 2)) continue;
    if (draw % 5 == 0)
      for (Contact& c : p.contacts) c.mu = 1e6;
    const StickingResult expected = sticking.check(p);
    const SlidingResult r = checker.check(p, SlipDirections(p.contacts.size()));
    if (expected.verdict == Verdict::kUndecided) continue;
    EXPECT_EQ(r.verdict, expected.verdict) << draw << " " << r.reason;
    if (r.verdict == Verdict::kHolds) {
      EXPECT_LT((r.solutions[0].acceleration - expected.acceleration).norm(), 1e-8) << draw;
    }
    ++(expected.verdict == Verdict::kHolds ? holds : fails);
  }
  EXPECT_GT(holds, 40);
  EXPECT_GT(fails, 20);
}

/// Friction without end at contacts that push: they hold as closures do, which can pull as well.
TEST(Limits, EndlessFrictionIsAClosure)
{
  Rng rng{22};
  int pushing = 0, pulling = 0, undecided = 0;
  for (int draw = 0; draw < 200; ++draw) {
    SlipDirections slips;
    ContactProblem p = random_system(rng, slips);
    ContactProblem closed = p;
    closed.contacts.clear();
    for (Contact& c : p.contacts) {
      c.mu = 1e9;
      c.side = Side::kUnilateral;
      closed.loops.push_back({c.name, c.row, c.rows()});
    }
    if (p.rows() > p.nv()) continue;
    const SlidingResult held = solved(closed, {});
    if (held.count == SolutionCount::kUndecided) {  // M so ill-conditioned that rounding may move the solution
      ++undecided;
      continue;
    }
    ASSERT_EQ(held.count, SolutionCount::kUnique) << held.reason;
    const Eigen::VectorXd& lambda = held.solutions[0].lambda;
    bool pushes = true, clear = true;
    for (const Contact& c : p.contacts) {
      pushes = pushes && lambda[c.row] > 0;
      clear = clear && std::abs(lambda[c.row]) > 1e-3 * lambda.norm();  // 1e9 is no longer endless next to zero
    }
    if (!clear) continue;
    const SlidingResult r = solved(p, SlipDirections(p.contacts.size()));
    double nearest = kInfinity;
    for (const SlidingSolution& s : r.solutions)
      nearest = std::min(nearest, (s.lambda - lambda).norm() / lambda.norm());
    EXPECT_EQ(nearest < 1e-7, pushes) << draw;
    ++(pushes ? pushing : pulling);
  }
  EXPECT_GT(pushing, 20);
  EXPECT_GT(pulling, 20);
  EXPECT_LE(undecided, 2);
}

// ---- Other forms of the same problem --------------------------------------------------------------------------------

/// Frictionless, held and pushing rows mixed: the multiplier problem (11) and the reduced one (31), each by projected
/// Gauss–Seidel, have the acceleration and the generalised force of the modes.
TEST(Forms, MultipliersReducedMultipliersAndModesAgree)
{
  Rng rng{23};
  int open = 0, closed = 0;
  for (int draw = 0; draw < 100; ++draw) {
    const int nv = 6, held = draw % 3, pushing = 1 + draw % 4;
    const auto matrix = [&](int r, int c) {
      const Eigen::VectorXd entries = gaussian(rng, r * c);
      return Eigen::MatrixXd(Eigen::Map<const Eigen::MatrixXd>(entries.data(), r, c));
    };
    ContactProblem p;
    const Eigen::MatrixXd L = matrix(nv, nv);
    p.M = L * L.transpose() + Eigen::MatrixXd::Identity(nv, nv);
    p.J = matrix(held + pushing, nv);
    if (pushing > 2) p.J.row(held + 2) = p.J.row(held);  // a row stated twice
    p.gamma = gaussian(rng, held + pushing);
    if (pushing > 2) p.gamma[held + 2] = p.gamma[held];
    p.F = 3 * gaussian(rng, nv);
    if (held > 0) p.loops = {{"held", 0, held}};
    for (int i = 0; i < pushing; ++i) p.contacts.push_back(normal_only("n" + std::to_string(i), held + i));
    const SlidingResult r = solved(p, SlipDirections(p.contacts.size()));
    ASSERT_EQ(r.count, SolutionCount::kUnique) << r.reason;

    const Eigen::MatrixXd Minv = testing::inverse(p.M), W = p.J * Minv * p.J.transpose();
    const Eigen::VectorXd w = p.gamma - p.J * (Minv * p.F);
    const auto expect_same = [&](const Eigen::VectorXd& lambda) {
      const Eigen::VectorXd force = p.J.transpose() * lambda, a = Minv * (force - p.F);
      EXPECT_LT((a - r.solutions[0].acceleration).norm(), 1e-7 * (1 + a.norm())) << draw;
      EXPECT_LT((force - p.J.transpose() * r.solutions[0].lambda).norm(), 1e-7 * (1 + force.norm())) << draw;
    };
    // (11) with free multipliers for the held rows: minimise over one entry at a time.
    Eigen::VectorXd lambda = Eigen::VectorXd::Zero(p.rows());
    for (int sweep = 0; sweep < 20000; ++sweep)
      for (int i = 0; i < p.rows(); ++i) {
        const double best = lambda[i] - (W.row(i).dot(lambda) + w[i]) / W(i, i);
        lambda[i] = i < held ? best : std::max(0.0, best);
      }
    expect_same(lambda);
    // (31): the held rows eliminated, w_c as corrected.
    const Eigen::MatrixXd Wbb = W.topLeftCorner(held, held), Wub = W.bottomLeftCorner(pushing, held);
    Eigen::MatrixXd Ac = W.bottomRightCorner(pushing, pushing);
    Eigen::VectorXd wc = w.tail(pushing);
    if (held > 0) {
      Ac -= Wub * internal::solve_definite(Wbb, Wub.transpose());
      wc -= Wub * internal::solve_definite(Wbb, w.head(held));
    }
    Eigen::VectorXd lu = Eigen::VectorXd::Zero(pushing);
    for (int sweep = 0; sweep < 20000; ++sweep)
      for (int i = 0; i < pushing; ++i) lu[i] = std::max(0.0, lu[i] - (Ac.row(i).dot(lu) + wc[i]) / Ac(i, i));
    lambda.tail(pushing) = lu;
    if (held > 0) lambda.head(held) = -internal::solve_definite(Wbb, Wub.transpose() * lu + w.head(held));  // (17)
    expect_same(lambda);
    for (int i = 0; i < pushing; ++i) ++(lu[i] > 1e-6 ? closed : open);
  }
  EXPECT_GT(open, 30);
  EXPECT_GT(closed, 30);
}

/// Below the bound (38) the iteration λ <- A⁻¹(At[μξ]|λ| - w) converges to the one solution that the signs give.
TEST(Forms, PicardsIterationBelowTheBoundOfProposition9)
{
  Rng rng{24};
  int tried = 0;
  for (int draw = 0; draw < 200; ++draw) {
    SlipDirections slips;
    ContactProblem p = random_system(rng, slips);
    const auto count = static_cast<Eigen::Index>(p.contacts.size());
    std::vector<int> normals;
    Eigen::MatrixXd T(count, p.nv());
    for (std::size_t i = 0; i < slips.size(); ++i) {
      Contact& c = p.contacts[i];
      c.side = Side::kBilateral;
      c.mu = 1;
      if (!slips[i]) slips[i] = along(1);
      normals.push_back(c.row);
      T.row(static_cast<Eigen::Index>(i)) =
          slips[i]->head(c.tangents).transpose() * p.J.middleRows(c.row + 1, c.tangents);
    }
    const double bound = screen(friction_well_posedness(p, slips), "Proposition 9").bound;
    for (Contact& c : p.contacts) c.mu = 0.9 * bound;
    const SlidingResult r = solved(p, slips);
    ASSERT_EQ(r.count, SolutionCount::kUnique) << draw << " " << r.reason;
    const Eigen::MatrixXd N = p.J(normals, Eigen::all), Minv = testing::inverse(p.M), A = N * Minv * N.transpose();
    const Eigen::MatrixXd At = N * Minv * T.transpose();
    const Eigen::VectorXd w = Eigen::VectorXd(p.gamma(normals)) - N * (Minv * p.F);
    Eigen::VectorXd lambda = Eigen::VectorXd::Zero(count);
    for (int step = 0; step < 2000; ++step)
      lambda = internal::solve_definite(A, 0.9 * bound * At * lambda.cwiseAbs() - w);
    EXPECT_LT((lambda - r.solutions[0].lambda(normals)).norm(), 1e-7 * lambda.norm()) << draw;
    ++tried;
  }
  EXPECT_EQ(tried, 200);
}

/// Erratum 6 (Remark 2): with drifts that the rows can have, a solution exists for every load, also one that the rows
/// do not span.
TEST(Errata, RedundantRowsAreSolvableForEveryLoad)
{
  Rng rng{25};
  for (int draw = 0; draw < 50; ++draw) {
    ContactProblem p;
    p.M = Eigen::Vector3d(1, 2, 3).asDiagonal();
    p.J.resize(3, 3);
    p.J << 1, 0, 0, 1, 0, 0, 0, 1, 0;
    p.gamma = p.J * gaussian(rng, 3);
    p.F = gaussian(rng, 3);
    p.F[2] = 5;  // outside the span of the rows: "iff F in Im" would say no
    p.contacts = {normal_only("one", 0), normal_only("twin", 1), normal_only("other", 2)};
    EXPECT_EQ(solved(p, SlipDirections(3)).count, SolutionCount::kUnique);
  }
}

/// A foot that sticks while a hand slips along a wall: the stuck foot carries what it needs until its disk is used up.
TEST(Mixed, StickingDisksLimitWhatSlidingMayAskFor)
{
  // A block on the ground (sticks) with a belt pressed on top of it by a fixed force that drags it along +x.
  for (const double drag_mu : {0.2, 0.5}) {
    ContactProblem p;  // q = (x, y) of the block, y of the press; unit masses
    p.M = Eigen::Matrix3d::Identity();
    p.F = Eigen::Vector3d(0, kGravity, kGravity + 20);
    p.J.resize(4, 3);
    // Rows: ground n, t on the block; block n, t on the press (relative velocity press minus block).
    p.J << 0, 1, 0, 1, 0, 0, 0, -1, 1, -1, 0, 0;
    p.gamma.setZero(4);
    p.contacts = {planar_contact("ground", 0, 0.3), planar_contact("press", 2, drag_mu)};
    const SlidingResult r = solved(p, {std::nullopt, along(1)});
    const double press = kGravity + 20, ground = press + kGravity, drag = drag_mu * press;
    if (drag <= 0.3 * ground) {
      ASSERT_EQ(r.count, SolutionCount::kUnique) << r.reason;
      EXPECT_NEAR(r.solutions[0].lambda[0], ground, 1e-10);
      EXPECT_NEAR(r.solutions[0].lambda[1], -drag, 1e-10);  // the press pulls the block along, the ground holds it
      EXPECT_NEAR(r.solutions[0].lambda[3], -drag, 1e-10);
      EXPECT_EQ(r.solutions[0].contacts[0].state, ContactState::kSticking);
      EXPECT_EQ(r.solutions[0].contacts[1].state, ContactState::kSliding);
      EXPECT_NEAR(r.solutions[0].contacts[0].utilisation, drag / (0.3 * ground), 1e-10);
    } else {
      EXPECT_EQ(r.count, SolutionCount::kNone);
    }
  }
}

TEST(ManyContacts, PivotingFindsOneAndSaysWhatItDoesNotKnow)
{
  Rng rng{21};
  const int contacts = 16;
  ContactProblem p;
  const int nv = contacts + 2;
  p.M = Eigen::MatrixXd::Identity(nv, nv);
  p.J = 0.1 * Eigen::Map<const Eigen::MatrixXd>(gaussian(rng, 2 * contacts * nv).data(), 2 * contacts, nv);
  SlipDirections slips;
  for (int i = 0; i < contacts; ++i) {
    p.J(2 * i, i) += 1;
    p.contacts.push_back(planar_contact("c" + std::to_string(i), 2 * i, 0.3));
    slips.push_back(along(rng() % 2 ? 1 : -1));
  }
  p.F = gaussian(rng, nv);
  p.gamma = gaussian(rng, 2 * contacts);
  SlidingChecker checker;
  SlidingOptions options;
  options.node_limit = 100;
  options.well_posedness = false;
  const SlidingResult some = checker.check(p, slips, options);
  EXPECT_EQ(some.count, SolutionCount::kAtLeastOne);
  EXPECT_EQ(some.verdict, Verdict::kHolds);
  EXPECT_FALSE(some.complete);
  EXPECT_THAT(some.reason, HasSubstr("limit of 100"));
  EXPECT_THAT(some.explanation, HasSubstr("at least one"));
  ASSERT_EQ(some.solutions.size(), 1u);
  EXPECT_TRUE(proves_sliding_solution(p, slips, some.solutions[0].acceleration, some.solutions[0].lambda));
}

// ---- The judge and the door -----------------------------------------------------------------------------------------

TEST(Judge, RefusesWhatWasTamperedWith)
{
  const ContactProblem p = ladder(0.9, 0.3, 0.4);
  const SlidingResult r = solved(p, kFalling);
  ASSERT_EQ(r.count, SolutionCount::kUnique);
  ASSERT_EQ(judge_sliding(p, kFalling, r.certificate).count, SolutionCount::kUnique);
  const Eigen::VectorXd a = r.solutions[0].acceleration, lambda = r.solutions[0].lambda;
  std::string why;
  Eigen::VectorXd wrong = lambda;
  wrong[0] += 1e-6;
  EXPECT_FALSE(proves_sliding_solution(p, kFalling, a, wrong, &why));
  EXPECT_THAT(why, HasSubstr("degree of freedom"));
  // Balanced, but not by the law of friction: slip directions reversed.
  EXPECT_FALSE(proves_sliding_solution(p, {along(1), along(1)}, a, lambda, &why));
  EXPECT_THAT(why, HasSubstr("wall breaks the law of sliding"));
  // Balanced, but off the wall.
  ContactProblem open = p;
  open.gamma[0] += 1e-3;
  EXPECT_FALSE(proves_sliding_solution(open, kFalling, a, lambda, &why));
  EXPECT_THAT(why, HasSubstr("wall does not keep"));
  // Balanced, but penetrating, or pushing while it opens.
  open = p;
  open.gamma[2] -= 1e-3;
  EXPECT_FALSE(proves_sliding_solution(open, kFalling, a, lambda));
  open.gamma[2] = p.gamma[2] + 1e-3;
  EXPECT_FALSE(proves_sliding_solution(open, kFalling, a, lambda, &why));
  EXPECT_THAT(why, HasSubstr("separates and still carries"));
  // A contact that sticks must not accelerate sideways.
  EXPECT_FALSE(proves_sliding_solution(p, {along(-1), std::nullopt}, a, lambda, &why));
  EXPECT_THAT(why, HasSubstr("ground does not stick"));

  // Falls through the floor without a force.
  const ContactProblem falling = rod(0.8, 0, 0.5);
  const Eigen::Vector3d drop(0, -kGravity, 0);
  EXPECT_FALSE(proves_sliding_solution(falling, {along(1)}, drop, Eigen::Vector2d::Zero(), &why));
  EXPECT_THAT(why, HasSubstr("tip does not keep its normal acceleration"));
  // Rests by a friction force beyond the disk, or beyond the law of sliding.
  ContactProblem slope = rod(M_PI / 2, 0, 0.5);  // upright: the tip is below the centre
  slope.M(2, 2) = 1e9;                           // does not tip over
  slope.F[0] = 0.6 * kGravity;
  slope.F[2] = 0.6 * kGravity;  // the moment of the friction force
  const Eigen::Vector2d steep(kGravity, 0.6 * kGravity);
  slope.J(0, 2) = 0.0;
  EXPECT_FALSE(proves_sliding_solution(slope, {std::nullopt}, Eigen::Vector3d::Zero(), steep, &why));
  EXPECT_THAT(why, HasSubstr("tip breaks the law of sticking"));
  EXPECT_FALSE(proves_sliding_solution(slope, {along(-1)}, Eigen::Vector3d::Zero(), steep, &why));
  EXPECT_THAT(why, HasSubstr("tip breaks the law of sliding"));
  slope.contacts[0].mu = 0.6;
  EXPECT_TRUE(proves_sliding_solution(slope, {std::nullopt}, Eigen::Vector3d::Zero(), steep, &why)) << why;
  EXPECT_TRUE(proves_sliding_solution(slope, {along(-1)}, Eigen::Vector3d::Zero(), steep, &why)) << why;

  for (std::size_t i = 0; i < r.certificate.leaves.size(); ++i) {
    SlidingCertificate forged = r.certificate;
    forged.leaves[i].motion *= -1;
    EXPECT_EQ(judge_sliding(p, kFalling, forged).count, SolutionCount::kAtLeastOne);
    forged = r.certificate;
    forged.leaves.erase(forged.leaves.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_EQ(judge_sliding(p, kFalling, forged).count, SolutionCount::kAtLeastOne);
  }
  SlidingCertificate forged = r.certificate;
  forged.witnesses[0].signs = {-forged.witnesses[0].signs[0], forged.witnesses[0].signs[1]};
  EXPECT_NE(judge_sliding(p, kFalling, forged).count, SolutionCount::kUnique);
  forged.witnesses.clear();
  EXPECT_EQ(judge_sliding(p, kFalling, forged).count, SolutionCount::kUndecided);
}

TEST(SlidingInput, SaysWhichEntryIsWrong)
{
  const auto error = [](const ContactProblem& p, const SlipDirections& slips) -> std::string {
    try {
      solved(p, slips);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  ContactProblem p = ladder(0.9, 0.3, 0.4);
  EXPECT_THAT(error(p, {along(1)}), HasSubstr("slides: want one entry per contact (2), got 1"));
  EXPECT_THAT(error(p, {along(1), Eigen::Vector2d(0.5, 0)}), HasSubstr("slides[1]: want a unit vector, got (0.5, 0)"));
  EXPECT_THAT(error(p, {along(1), Eigen::Vector2d(0.6, 0.8)}), HasSubstr("slides[1]: want a direction within"));
  EXPECT_THAT(error(p, {along(std::nan("")), along(1)}), HasSubstr("slides[0]"));
  Rng rng{1};
  ContactProblem soft = stiction::testing::random_contacts(rng, 1, 0.1);
  soft.J.conservativeResize(4, 6);
  soft.J.row(3).setZero();
  soft.J(3, 5) = 1;
  soft.gamma.setZero(4);
  soft.contacts[0].torsional = true;
  soft.contacts[0].torsion = 0.1;
  EXPECT_THAT(error(soft, {along(1)}), HasSubstr("want no torsion"));
  soft.contacts[0].torsion = 0;
  EXPECT_EQ(error(soft, {along(1)}), "");
}

TEST(SlidingInput, NoContactsAndNoMassesAreAnswered)
{
  ContactProblem p;
  p.M = Eigen::Matrix2d::Identity();
  p.F = Eigen::Vector2d(1, 2);
  p.J.resize(0, 2);
  const SlidingResult r = solved(p, {});
  ASSERT_EQ(r.count, SolutionCount::kUnique) << r.reason;
  EXPECT_NEAR((r.solutions[0].acceleration + p.F).norm(), 0, 1e-14);
  EXPECT_THAT(r.well_posedness.hypotheses.failed, Contains(HasSubstr("no contact slides")));
}

}  // namespace stiction::sliding_test
