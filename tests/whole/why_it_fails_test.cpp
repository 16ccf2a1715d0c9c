// The words about a failing case are true: its cause is confirmed by solving the changed problem, and the sentence does
// not depend on how the scene is said. STICTION_TRIALS multiplies the number of failing scenes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <numeric>
#include <sstream>

#include "scene/helpers.hpp"
#include "stiction/equilibrium.hpp"
#include "support/random_problems.hpp"
#include "support/stances.hpp"
#include "support/trials.hpp"

namespace stiction {
namespace {

using testing::Rng;
using testing::uniform;

/// The sentence without its numbers.
std::string shape_of(const std::string& sentence)
{
  std::string shape;
  bool number = false;
  for (const char c : sentence) {
    number = c == '(' ? true : c == ')' ? false : number;
    if (!number || std::isalpha(static_cast<unsigned char>(c))) shape += c;
  }
  return shape;
}

struct StandingRobot {
  const char* name;
  std::string file;
  std::vector<const char*> feet;
  bool flat;
};

std::vector<StandingRobot> robots()
{
  std::vector<StandingRobot> list = {
      {"biped", testing::own_urdf("biped.urdf"), {"left_foot", "right_foot"}, true},
      {"quadruped", testing::own_urdf("quadruped.urdf"), {"lf_foot", "rf_foot", "lh_foot", "rh_foot"}, false}};
  const std::string real = testing::robot_folder();
  if (real.empty()) {
    std::cout << testing::kNoRobots << "\n";
    return list;
  }
  list.push_back(
      {"solo12", real + "/solo_description/robots/solo12.urdf", {"FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"}, false});
  list.push_back({"anymal",
                  real + "/anymal_b_simple_description/robots/anymal.urdf",
                  {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"},
                  false});
  list.push_back(
      {"talos", real + "/talos_data/robots/talos_reduced.urdf", {"left_sole_link", "right_sole_link"}, true});
  list.push_back({"g1",
                  real + "/g1_description/urdf/g1_29dof_rev_1_0.urdf",
                  {"left_ankle_roll_link", "right_ankle_roll_link"},
                  true});
  return list;
}

SceneDescription standing(const StandingRobot& robot)
{
  SceneDescription d = testing::scene_of({testing::model_from_file("r", robot.file, Base::kFloating)});
  d.models[0].effort.kind = Effort::Kind::kLimits;
  for (const char* foot : robot.feet) {
    ContactDescription c = testing::contact(foot, std::string("r/") + foot, {0, 0, 0}, Eigen::Vector3d::UnitZ());
    if (robot.flat) c.points = {{0.1, 0.05, 0}, {0.1, -0.05, 0}, {-0.1, 0.05, 0}, {-0.1, -0.05, 0}};
    d.contacts.push_back(c);
  }
  return d;
}

/// Random stances whose friction, efforts or limits may be too small.
ContactProblem draw(Rng& rng, Scene& scene)
{
  SceneState state = scene.described_state();
  const double bent = uniform(rng, 0, 1) < 0.5 ? 0.02 : uniform(rng, 0.0, 0.3);
  state.q = scene.integrate(state.q, bent * testing::gaussian(rng, scene.nv()));
  ContactProblem p;
  scene.compute(state, p);
  const double weight = scene.total_mass() * 9.81, n = static_cast<double>(p.contacts.size());
  p.F.head<3>() += 0.3 * weight * uniform(rng, 0.0, 1.0) * Eigen::Vector3d(testing::gaussian(rng, 3));
  const bool weak = uniform(rng, 0, 1) < 0.5, limited = uniform(rng, 0, 1) < 0.3;
  const double mu = uniform(rng, 0.1, 1.0), effort = weak ? uniform(rng, 0.1, 1.0) : 1.0;
  for (Contact& c : p.contacts) {
    c.mu = mu * uniform(rng, 0.8, 1.2);
    if (limited) c.max_normal = weight / n * uniform(rng, 0.7, 2.0);
  }
  for (Actuator& motor : p.actuators) {
    motor.lower *= effort;
    motor.upper *= effort;
  }
  return p;
}

// The changed problems, independently of the library's own.
ContactProblem with_friction(ContactProblem p, double factor)
{
  for (Contact& c : p.contacts) c.mu *= factor;
  return p;
}
ContactProblem with_efforts(ContactProblem p)
{
  for (Actuator& motor : p.actuators) {
    motor.lower = -kInfinity;
    motor.upper = kInfinity;
  }
  return p;
}
ContactProblem with_limits(ContactProblem p)
{
  for (Contact& c : p.contacts) c.max_normal = kInfinity;
  return p;
}

Verdict verdict_of(const ContactProblem& p)
{
  EquilibriumOptions options;
  options.explain = false;
  return EquilibriumChecker().check(p, {}, options).verdict;
}

/// Where ten thousand times the friction is too much for a proof, less counts.
Verdict with_much_friction(const ContactProblem& p)
{
  Verdict verdict = Verdict::kUndecided;
  for (const double factor : {1e4, 1e2})
    if (verdict == Verdict::kUndecided) verdict = verdict_of(with_friction(p, factor));
  return verdict;
}

void expect_true(const ContactProblem& p, const EquilibriumResult& result, const std::string& where)
{
  const Verdict friction = with_much_friction(p), effort = verdict_of(with_efforts(p)),
                limits = verdict_of(with_limits(p)), all = with_much_friction(with_efforts(with_limits(p)));
  const auto starts = [&](const char* word) { return result.explanation.starts_with(word); };
  const std::string said = where + ": " + result.explanation;
  if (starts("slides")) {
    EXPECT_EQ(friction, Verdict::kHolds) << said;
  }
  if (starts("tips")) {
    EXPECT_EQ(friction, Verdict::kFails) << said;
  }
  if (starts("too weak")) {
    EXPECT_EQ(effort, Verdict::kHolds) << said;
  }
  if (starts("overloads")) {
    EXPECT_EQ(limits, Verdict::kHolds) << said;
  }
  const FailureCause cause = result.failure.cause;
  EXPECT_EQ(starts("slides") || starts("twists"), cause == FailureCause::kFriction) << said;
  EXPECT_EQ(starts("too weak"), cause == FailureCause::kEffort) << said;
  EXPECT_EQ(starts("overloads"), cause == FailureCause::kLimits) << said;
  if (cause == FailureCause::kNothing) {
    EXPECT_EQ(all, Verdict::kFails) << said;
  }
  if (cause != FailureCause::kSeveral) return;
  for (const Verdict alone : {friction, effort, limits}) EXPECT_EQ(alone, Verdict::kFails) << said;
  EXPECT_NE(all, Verdict::kFails) << said;  // so much friction may be too much for a proof
}

/// The same scene with its contacts in another order.
ContactProblem shuffled(const ContactProblem& p, Rng& rng)
{
  std::vector<std::size_t> order(p.contacts.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::shuffle(order, rng);
  ContactProblem q = p;
  Eigen::Index row = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Contact& from = p.contacts[order[i]];
    q.contacts[i] = from;
    q.contacts[i].row = static_cast<int>(row);
    q.J.middleRows(row, from.rows()) = p.J.middleRows(from.row, from.rows());
    q.gamma.segment(row, from.rows()) = p.gamma.segment(from.row, from.rows());
    row += from.rows();
  }
  return q;
}

/// The world turned, and the base's velocity in other axes.
ContactProblem turned(const ContactProblem& p, Rng& rng)
{
  const Eigen::Matrix3d R =
      Eigen::Quaterniond(Eigen::Vector4d(testing::gaussian(rng, 4)).normalized()).toRotationMatrix();
  Eigen::MatrixXd T = Eigen::MatrixXd::Identity(p.nv(), p.nv());
  T.block<3, 3>(0, 0) = T.block<3, 3>(3, 3) = R.transpose();
  ContactProblem q = p;
  q.M = T.transpose() * p.M * T;
  q.M = 0.5 * (q.M + q.M.transpose()).eval();
  q.F = T.transpose() * p.F;
  q.J = p.J * T;
  for (Contact& c : q.contacts) {
    c.axes_W = R * c.axes_W;
    c.point_W = R * c.point_W;
  }
  return q;
}

/// Every number changed by 1e-9 of itself.
ContactProblem nudged(const ContactProblem& p, Rng& rng)
{
  ContactProblem q = p;
  const auto nudge = [&](double& x) { x *= 1.0 + 1e-9 * uniform(rng, -1.0, 1.0); };
  for (double& x : q.J.reshaped()) nudge(x);
  for (double& x : q.F) nudge(x);
  for (Eigen::Index i = 0; i < q.nv(); ++i)
    for (Eigen::Index j = 0; j <= i; ++j) {
      nudge(q.M(i, j));
      q.M(j, i) = q.M(i, j);
    }
  for (Contact& c : q.contacts) nudge(c.mu);
  return q;
}

/// Other names, in the same alphabetical order.
ContactProblem renamed(ContactProblem p)
{
  for (Contact& c : p.contacts) c.name = "new_" + c.name;
  return p;
}

std::string without_new(std::string text)
{
  for (std::size_t at; (at = text.find("new_")) != std::string::npos;) text.erase(at, 4);
  return text;
}

/// Names whose alphabetical order is the opposite one.
ContactProblem renamed_backwards(ContactProblem p, std::map<std::string, std::string>& old_names)
{
  std::vector<std::string> names;
  for (const Contact& c : p.contacts) names.push_back(c.name);
  std::ranges::sort(names);
  for (Contact& c : p.contacts) {
    const auto place = std::ranges::find(names, c.name) - names.begin();
    const std::string name = "k" + std::to_string(1000 + static_cast<std::ptrdiff_t>(names.size()) - place);
    old_names[name] = c.name;
    c.name = name;
  }
  return p;
}

/// The words of a sentence with names put back, in no order: lists are sorted by name.
std::vector<std::string> words_of(std::string sentence, const std::map<std::string, std::string>& old_names)
{
  std::ranges::replace_if(sentence, [](char c) { return std::strchr(",:;()", c) != nullptr; }, ' ');
  std::istringstream stream(sentence);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    const auto old = old_names.find(word);
    words.push_back(old == old_names.end() ? word : old->second);
  }
  std::ranges::sort(words);
  return words;
}

TEST(WhyItFails, TheCauseIsTrueAndTheSentenceDoesNotDependOnHowTheSceneIsSaid)
{
  Rng rng{19};
  std::map<FailureCause, int> causes;
  std::vector<Scene> scenes;
  std::vector<std::string> names;
  for (const StandingRobot& robot : robots()) {
    scenes.emplace_back(standing(robot));
    names.push_back(robot.name);
  }
  EquilibriumChecker checker;
  const int asked = testing::trials(120);
  for (int found = 0, drawn = 0; found < asked && drawn < 20 * asked; ++drawn) {
    const std::size_t robot = static_cast<std::size_t>(drawn) % scenes.size();
    const ContactProblem p = draw(rng, scenes[robot]);
    const EquilibriumResult result = checker.check(p);
    if (result.verdict != Verdict::kFails) continue;
    const std::string where = names[robot] + " " + std::to_string(drawn);
    ++found;
    ++causes[result.failure.cause];
    expect_true(p, result, where);
    EXPECT_EQ(checker.check(shuffled(p, rng)).explanation, result.explanation) << where;
    EXPECT_EQ(without_new(checker.check(renamed(p)).explanation), result.explanation) << where;
    std::map<std::string, std::string> old_names;
    const std::string backwards = checker.check(renamed_backwards(p, old_names)).explanation;
    EXPECT_EQ(words_of(backwards, old_names), words_of(result.explanation, {})) << where << ": " << backwards;
    EXPECT_EQ(shape_of(checker.check(turned(p, rng)).explanation), shape_of(result.explanation)) << where;
    EXPECT_EQ(shape_of(checker.check(nudged(p, rng)).explanation), shape_of(result.explanation)) << where;
  }
  for (const auto& [cause, count] : causes) std::cout << "cause " << static_cast<int>(cause) << ": " << count << "\n";
  EXPECT_LE(causes[FailureCause::kUnknown], asked / 50);
  for (const FailureCause cause : {FailureCause::kFriction, FailureCause::kEffort, FailureCause::kNothing})
    EXPECT_GE(causes[cause], std::max(1, asked / 200));
}

/// Upright to a slope that rises in front of it, hands anywhere: it falls over backwards, and that is what is said.
TEST(WhyItFails, RealRobotsThatTipBackwardsAreToldInOneSentence)
{
  if (testing::robot_folder().empty()) GTEST_SKIP() << testing::kNoRobots;
  for (const StandingRobot& robot : robots()) {
    if (std::string(robot.name) != "talos" && std::string(robot.name) != "g1") continue;
    const std::string legs[] = {"hip", "knee", "ankle", "leg"};
    Rng rng{19};
    std::map<std::string, int> sentences;
    int asked = 0, failing = 0;
    for (const double slope : {10.0, 12.0, 15.0}) {
      SceneDescription d = standing(robot);
      const double angle = slope * M_PI / 180.0;
      d.gravity = 9.81 * Eigen::Vector3d(-std::sin(angle), 0.0, -std::cos(angle));
      Scene scene(d);
      const ContactProblem names = scene.compute();
      EquilibriumChecker checker;
      for (int i = 0; i < std::max(20, testing::trials(120) / 4); ++i) {
        Eigen::VectorXd change = 0.3 * testing::gaussian(rng, scene.nv());
        change.head<6>().setZero();
        for (Eigen::Index k = 6; k < change.size(); ++k)
          if (std::ranges::any_of(legs, [&](const std::string& leg) {
                return names.dof_names[static_cast<std::size_t>(k)].find(leg) != std::string::npos;
              }))
            change[k] = 0.0;
        SceneState state = scene.described_state();
        state.q = scene.integrate(state.q, change);
        ContactProblem p;
        scene.compute(state, p);
        const EquilibriumResult result = checker.check(p);
        ++asked;
        if (result.verdict != Verdict::kFails) continue;
        ++failing;
        ++sentences[shape_of(result.explanation)];
        EXPECT_EQ(result.failure.cause, FailureCause::kNothing) << robot.name << " " << result.explanation;
        EXPECT_TRUE(result.explanation.starts_with("tips")) << robot.name << " " << result.explanation;
      }
    }
    EXPECT_GE(failing, asked * 3 / 4) << robot.name << ": the slope is too steep to stand on";
    EXPECT_EQ(sentences.size(), 1u) << robot.name;
    for (const auto& [sentence, count] : sentences) std::cout << robot.name << " " << count << " " << sentence << "\n";
  }
}

}  // namespace
}  // namespace stiction
