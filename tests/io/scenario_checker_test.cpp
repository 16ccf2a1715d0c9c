// The program's answers for programs: stiction/report.hpp.
#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <set>

#include "io/checked.hpp"
#include "io/row_answerer.hpp"
#include "stiction/report.hpp"

namespace stiction {
namespace {

using internal::scenario;
using testing::HasSubstr;
using testing::StartsWith;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Scenario read(const std::string& name, const std::vector<ScenarioOverride>& overrides = {})
{
  return read_scenario_file(scenario(name), overrides);
}

/// A file like biped.urdf with other masses.
std::string heavier_biped()
{
  std::string urdf = internal::read_text_file(std::string(STICTION_SOURCE_DIR) + "/urdf/biped.urdf", "urdf");
  for (std::size_t at = 0; (at = urdf.find("mass value=\"", at)) != urdf.npos;) urdf.insert(at += 12, "1");
  const std::string file = testing::TempDir() + "heavier_biped_" + std::to_string(::getpid()) + ".urdf";
  std::ofstream(file) << urdf;
  return file;
}

template <class Spoil>
std::string error_after(Spoil spoil)
{
  Scenario scenario = read("biped_standing");
  spoil(scenario);
  try {
    ScenarioChecker().check(scenario);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// A program's scenario has no file that could be named.
std::string without_scenario(const std::string& json)
{
  nlohmann::ordered_json report = nlohmann::ordered_json::parse(json);
  report["inputs"].erase("scenario");
  report.erase("checksum");
  return report.dump();
}

TEST(ScenarioChecker, SaysWhatTheProgramSays)
{
  ScenarioChecker checker;
  for (const char* name :
       {"biped_standing", "box_on_steep_slope", "pinch_too_weak", "box_pushed", "ball_between_hard_fingers"}) {
    SCOPED_TRACE(name);
    const ScenarioReport wanted = internal::checked(name);
    const ScenarioReport got = checker.check(read(name));
    EXPECT_EQ(got.verdict, wanted.verdict);
    EXPECT_EQ(got.summary, wanted.summary);
    EXPECT_EQ(without_scenario(to_json(got)), without_scenario(to_json(wanted)));
    EXPECT_EQ(to_text(got), to_text(wanted));
    EXPECT_TRUE(verify_report(to_json(got)).valid);
    const ScenarioReport from_text = check_scenario_text(internal::read_text_file(scenario(name), "scenario"),
                                                         std::string(STICTION_SOURCE_DIR) + "/scenarios");
    EXPECT_EQ(to_json(from_text), to_json(wanted));
  }
}

// What stays loaded must not show: neither in numbers (efforts and loads add up in one order only) nor in warnings.
TEST(ScenarioChecker, AnswersDoNotDependOnTheScenariosBefore)
{
  const char* knee = "models.robot.joints.left_knee";
  const ScenarioOverride push{"loads", "[{link: robot/torso, force: [3, 0.1, 0]}]"};
  std::vector<Scenario> scenarios = {
      read("biped_standing", {push}),
      read("biped_standing", {push, {knee, "0.81"}, {"models.robot.effort.left_knee", "-18.1"}}),
      read("biped_standing", {push, {knee, "3.3"}}),                             // outside its limits
      read("biped_standing", {push, {"models.robot.effort.left_knee", "1e5"}}),  // beyond them
      read("biped_standing", {push,
                              {"contacts.left.mu", "0.05"},
                              {"contacts.left.max_normal", "3"},
                              {"contacts.right.side", "bilateral"}}),
      read("biped_standing", {push, {"contacts.left.torsion", "0.1"}}),
      read("biped_standing", {push, {"contacts.left.at_frame", "world"}}),
      read("biped_standing", {push, {"contacts.left.at_frame", "world"}, {"models.robot.pose.xyz", "[0.1, 0, 0.83]"}}),
      read("biped_standing", {push, {"models.robot.effort", "limits"}, {"question", "equilibrium"}}),
      read("biped_standing",
           {push, {"models.robot.effort", "unlimited"}, {"question", "equilibrium"}, {"options.solver", "qpoases"}}),
      read("biped_standing", {push, {"gravity", "[0, 1, -9.81]"}}),
      read("biped_standing"),
      read("biped_standing", {{"models.robot.base", "fixed"}}),
      read("biped_standing", {{"models.robot.base", "fixed"}, {"models.robot.pose.rpy", "[0.1, 0, 0]"}}),
      read("biped_standing", {{"models.robot.urdf", heavier_biped()}}),
      read("quadruped_standing"),
  };
  for (Scenario& asked : scenarios)
    asked.options.intervals = asked.options.margins = asked.options.repairs = false;  // they only take time
  ScenarioChecker kept;
  std::set<std::string> reports;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    SCOPED_TRACE(i);
    const ScenarioReport got = kept.check(scenarios[i]);
    EXPECT_EQ(to_json(got), to_json(ScenarioChecker().check(scenarios[i])));
    reports.insert(to_json(got));
    const ScenarioNumbers brief = kept.check_numbers(scenarios[i]),
                          fresh = ScenarioChecker().check_numbers(scenarios[i]);
    EXPECT_EQ(brief.verdict, got.verdict);
    EXPECT_EQ(brief.summary, fresh.summary);
    ASSERT_EQ(brief.cells.size(), fresh.cells.size());
    for (std::size_t k = 0; k < brief.cells.size(); ++k) EXPECT_EQ(brief.cells[k].number, fresh.cells[k].number);
  }
  EXPECT_EQ(reports.size(), scenarios.size()) << "every change shows";
  EXPECT_THAT(to_json(kept.check(scenarios[2])), HasSubstr("outside the limits"));
  EXPECT_THAT(to_json(kept.check(scenarios[3])), HasSubstr("exceeds the effort limit"));
  EXPECT_THAT(to_json(kept.check(scenarios[0])), testing::Not(HasSubstr("limit")));
}

TEST(ScenarioChecker, NumbersAreThoseOfABatchRow)
{
  ScenarioChecker checker;
  for (const char* name : {"biped_standing", "box_pushed", "biped_region"}) {
    internal::RowAnswer wanted;
    internal::RowAnswerer(internal::load_scenario(scenario(name)), {}).answer({}, wanted);
    const ScenarioNumbers got = checker.check_numbers(read(name));
    EXPECT_EQ(got.verdict, wanted.verdict);
    EXPECT_EQ(got.summary, wanted.summary);
    ASSERT_EQ(got.cells.size(), wanted.cells.size());
    for (std::size_t i = 0; i < got.cells.size(); ++i) {
      EXPECT_EQ(got.cells[i].name, wanted.cells[i].name);
      EXPECT_EQ(got.cells[i].number, wanted.cells[i].number);
      EXPECT_EQ(got.cells[i].word, wanted.cells[i].word);
    }
  }
}

TEST(ScenarioChecker, NamesWhatAProgramGotWrong)
{
  EXPECT_EQ(error_after([](Scenario&) {}), "no error");
  EXPECT_THAT(error_after([](Scenario& s) { s.contact_motions.pop_back(); }),
              StartsWith("contact_motions: want one per contact, got 1"));
  EXPECT_THAT(error_after([](Scenario& s) { s.contact_motions[1].slides = Eigen::Vector3d::Zero(); }),
              StartsWith("contacts[1].slides"));
  EXPECT_THAT(error_after([](Scenario& s) { s.contact_motions[0].slides = Eigen::Vector3d(kNan, 0, 0); }),
              StartsWith("contacts[0].slides"));
  EXPECT_THAT(error_after([](Scenario& s) { s.contact_motions[1].restitution_normal = kNan; }),
              StartsWith("contacts[1].restitution.normal"));
  EXPECT_THAT(error_after([](Scenario& s) { s.contact_motions[1].restitution_tangential = kNan; }),
              StartsWith("contacts[1].restitution.tang"));
  for (const int facets : {-1, 2, 4097})
    EXPECT_THAT(error_after([&](Scenario& s) { s.options.cone = ConeShape::inner(facets); }),
                StartsWith("options.cone: want 3 to 4096"));
  EXPECT_THAT(error_after([](Scenario& s) { s.options.solver = "magic"; }),
              StartsWith("options.solver: want auto | native | sparse | qpoases, got 'magic'"));
  EXPECT_THAT(error_after([](Scenario& s) { s.options.plane = "xz"; }), StartsWith("options.plane: want xy | yz | zx"));
  for (const double value : {0.0, -1.0, kNan, kInfinity}) {
    EXPECT_THAT(error_after([&](Scenario& s) { s.options.gap = value; }), StartsWith("options.gap"));
    EXPECT_THAT(error_after([&](Scenario& s) { s.options.box = value; }), StartsWith("options.box"));
    EXPECT_THAT(error_after([&](Scenario& s) { s.options.length = value; }), StartsWith("options.length"));
  }
  EXPECT_THAT(error_after([](Scenario& s) { s.options.push.emplace().direction.x() = 2.0; }),
              StartsWith("options.push.direction"));
  EXPECT_THAT(error_after([](Scenario& s) { s.options.push.emplace().at.x() = kNan; }), StartsWith("options.push.at"));
  EXPECT_THAT(error_after([](Scenario& s) { s.options.point = Eigen::Vector3d(0, kNan, 0); }),
              StartsWith("options.point"));
  EXPECT_THAT(error_after([](Scenario& s) { s.options.wrench.emplace().force.x() = kNan; }),
              StartsWith("options.wrench.force"));
  EXPECT_THAT(error_after([](Scenario& s) { s.options.wrench.emplace().torque.x() = kNan; }),
              StartsWith("options.wrench.torque"));
  EXPECT_THAT(error_after([](Scenario& s) { s.options.noise.emplace().position = -1; }),
              StartsWith("options.noise.position"));
  EXPECT_THAT(error_after([](Scenario& s) { s.options.noise.emplace().angle = kNan; }),
              StartsWith("options.noise.angle"));
  EXPECT_THAT(error_after([](Scenario& s) { s.options.noise.emplace().samples = 0; }),
              StartsWith("options.noise.samples"));
}

TEST(ScenarioChecker, ErrorsAreTheSameWithAndWithoutALoadedScene)
{
  ScenarioChecker checker;
  const Scenario good = read("biped_standing");
  for (const auto& spoil : std::vector<void (*)(Scenario&)>{
           [](Scenario& s) { s.scene.contacts[1].mu = -1.0; }, [](Scenario& s) { s.scene.contacts[1].torsion = -1.0; },
           [](Scenario& s) { s.scene.contacts[1].max_normal = -1.0; },
           [](Scenario& s) { s.scene.models[0].joints["elbow"] = 1.0; },
           [](Scenario& s) { s.scene.models[0].effort.given["elbow"] = 1.0; },
           [](Scenario& s) { s.scene.models[0].linear_velocity.x() = 1.0; },
           [](Scenario& s) { s.scene.gravity.x() = kInfinity; }}) {
    Scenario bad = good;
    spoil(bad);
    std::string fresh, loaded;
    try {
      ScenarioChecker().check(bad);
    } catch (const InputError& error) {
      fresh = error.what();
    }
    checker.load(good);
    try {
      checker.check(bad);
    } catch (const InputError& error) {
      loaded = error.what();
    }
    EXPECT_NE(fresh, "");
    EXPECT_EQ(fresh, loaded);
    EXPECT_EQ(checker.check(good).verdict, Verdict::kHolds);
  }
}

TEST(ScenarioChecker, QuestionsGoByName)
{
  EXPECT_EQ(question_named("region"), Question::kRegion);
  EXPECT_EQ(question_named(name_of(Question::kAllSticking)), Question::kAllSticking);
  EXPECT_THROW(question_named("why"), InputError);
}

/// Says stop at the `nth` time it is asked, and counts.
struct StopAt {
  int nth = 0;
  std::shared_ptr<int> asked = std::make_shared<int>(0);
  bool operator()() const { return ++*asked >= nth; }
};

TEST(ScenarioChecker, StopsWhereverItIsAskedTo)
{
  for (const char* name : {"biped_standing", "box_on_steep_slope", "pinch_too_weak", "box_pushed", "biped_region",
                           "painleve_klein", "mug_closure", "pinch_on_guide", "biped_touchdown"}) {
    SCOPED_TRACE(name);
    const Scenario asked = read(name);
    const std::string whole = without_scenario(to_json(internal::checked(name)));
    ScenarioChecker checker;
    const StopAt never{std::numeric_limits<int>::max()};
    checker.set_stop(never);
    EXPECT_EQ(without_scenario(to_json(checker.check(asked))), whole);
    const int times = *never.asked;
    ASSERT_GT(times, 2);
    const int step = std::max(1, times / 5);
    for (int nth = 1; nth <= times; nth += step) {
      checker.set_stop(StopAt{nth});
      EXPECT_THROW(checker.check(asked), Stopped) << nth << " of " << times;
    }
    checker.set_stop({});  // whatever was left half done is not to be seen
    EXPECT_EQ(without_scenario(to_json(checker.check(asked))), whole);
    const ScenarioNumbers row = ScenarioChecker().check_numbers(asked);
    checker.set_stop(StopAt{2});
    EXPECT_THROW(checker.check_numbers(asked), Stopped);
    checker.set_stop({});
    EXPECT_EQ(checker.check_numbers(asked).summary, row.summary);
  }
}

}  // namespace
}  // namespace stiction
