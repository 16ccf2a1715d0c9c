#include "stiction/scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/scenario_document.hpp"
#include "stiction/error.hpp"

namespace stiction {
namespace {

using ::testing::HasSubstr;

const std::string kScenario = R"(stiction: 1
name: biped on a slope
gravity: [0, 0, -9.8]
models:
  robot:
    urdf: ../urdf/biped.urdf
    base: floating
    pose: {xyz: [0, 0, 0.9], rpy: [0, 0.1, 0]}
    joints: {left_knee: 0.4, plane: [1, 2, 3]}
    rates: {left_knee: -0.5}
    twist: {linear: [1, 0, 0], angular: [0, 0, 2]}
    effort: {left_knee: 12.5}
  box: {urdf: "package://stiction/urdf/box.urdf", base: fixed, effort: limits}
loads:
  - {link: robot/torso, force: [10, 0, 0], torque: [0, 1, 0], at: [0, 0, 0.2], frame: link}
contacts:
  - name: left_toe
    link: robot/left_sole
    on: box/box
    at: [0.1, 0.05, 0]
    at_frame: world
    normal: [0, 0, 1]
    normal_frame: on
    mu: 0.6
    side: bilateral
    torsion: 0.01
    max_normal: 500
    slides: [1, 0, 0]
    restitution: {normal: 0.5, tangential: 0.25}
  - {name: heel, link: robot/left_sole, points: [[-0.1, 0, 0], [-0.1, 0.1, 0]], normal: [0, 0, 1], mu: 0}
closures:
  - {name: bar, link: robot/left_foot, on: robot/right_foot, at: [1, 2, 3], kind: weld}
  - {name: rail, link: robot/torso, kind: guide, normal: [0, 1, 0]}
question: equilibrium
options: {cone: {outer: 12}, detachment: forbidden, solver: qpoases, object: box, margins: true}
)";

TEST(Scenario, EveryKeyArrives)
{
  const Scenario s = read_scenario_text(kScenario, "somewhere/scenarios");
  EXPECT_EQ(s.name, "biped on a slope");
  EXPECT_EQ(s.scene.gravity, Eigen::Vector3d(0, 0, -9.8));
  ASSERT_EQ(s.scene.models.size(), 2u);
  const ModelDescription& robot = s.scene.models[0];
  EXPECT_EQ(robot.name, "robot");
  EXPECT_EQ(robot.urdf_file, "somewhere/urdf/biped.urdf");
  EXPECT_EQ(robot.base, Base::kFloating);
  EXPECT_EQ(robot.pose.xyz, Eigen::Vector3d(0, 0, 0.9));
  EXPECT_EQ(robot.pose.rpy, Eigen::Vector3d(0, 0.1, 0));
  EXPECT_EQ(robot.joints.at("left_knee"), 0.4);
  EXPECT_EQ(robot.multi_joints.at("plane"), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(robot.rates.at("left_knee"), -0.5);
  EXPECT_EQ(robot.linear_velocity, Eigen::Vector3d(1, 0, 0));
  EXPECT_EQ(robot.angular_velocity, Eigen::Vector3d(0, 0, 2));
  EXPECT_EQ(robot.effort.kind, Effort::Kind::kGiven);
  EXPECT_EQ(robot.effort.given.at("left_knee"), 12.5);
  EXPECT_EQ(s.scene.models[1].urdf_file, "package://stiction/urdf/box.urdf");
  EXPECT_EQ(s.scene.models[1].base, Base::kFixed);
  EXPECT_EQ(s.scene.models[1].effort.kind, Effort::Kind::kLimits);
  ASSERT_EQ(s.scene.loads.size(), 1u);
  EXPECT_EQ(s.scene.loads[0].force, Eigen::Vector3d(10, 0, 0));
  EXPECT_EQ(s.scene.loads[0].torque, Eigen::Vector3d(0, 1, 0));
  EXPECT_EQ(s.scene.loads[0].at, Eigen::Vector3d(0, 0, 0.2));
  EXPECT_EQ(s.scene.loads[0].frame, LoadDescription::Frame::kLink);
  ASSERT_EQ(s.scene.contacts.size(), 2u);
  const ContactDescription& toe = s.scene.contacts[0];
  EXPECT_EQ(toe.on, "box/box");
  EXPECT_EQ(toe.points, (std::vector<Eigen::Vector3d>{{0.1, 0.05, 0}}));
  EXPECT_FALSE(toe.patch);
  EXPECT_EQ(toe.at_frame, ContactFrame::kWorld);
  EXPECT_EQ(toe.normal_frame, ContactFrame::kOn);
  EXPECT_EQ(toe.mu, 0.6);
  EXPECT_EQ(toe.side, Side::kBilateral);
  EXPECT_EQ(toe.torsion, 0.01);
  EXPECT_EQ(toe.max_normal, 500);
  EXPECT_EQ(s.contact_motions[0].slides, Eigen::Vector3d(1, 0, 0));
  EXPECT_EQ(s.contact_motions[0].restitution_normal, 0.5);
  EXPECT_EQ(s.contact_motions[0].restitution_tangential, 0.25);
  EXPECT_TRUE(s.scene.contacts[1].patch);
  EXPECT_EQ(s.scene.contacts[1].points.size(), 2u);
  EXPECT_EQ(s.scene.contacts[1].max_normal, kInfinity);
  EXPECT_FALSE(s.contact_motions[1].slides);
  ASSERT_EQ(s.scene.loops.size(), 2u);
  EXPECT_EQ(s.scene.loops[0].kind, LoopDescription::Kind::kWeld);
  EXPECT_EQ(s.scene.loops[0].on, "robot/right_foot");
  EXPECT_EQ(s.scene.loops[1].normal, Eigen::Vector3d(0, 1, 0));
  EXPECT_EQ(s.question, Question::kEquilibrium);
  EXPECT_EQ(s.options.cone.approximation, ConeApproximation::kOuter);
  EXPECT_EQ(s.options.cone.facets, 12);
  EXPECT_EQ(s.options.detachment, Detachment::kForbidden);
  EXPECT_EQ(s.options.solver, "qpoases");
  EXPECT_EQ(s.options.object, "box");
  EXPECT_EQ(s.options.margins, true);
  EXPECT_FALSE(s.options.repairs);
}

TEST(Scenario, DefaultsAreTheDocumentedOnes)
{
  const Scenario s = read_scenario_text("stiction: 1\nmodels: {b: {urdf: b.urdf}}\n", "");
  EXPECT_EQ(s.scene.gravity, Eigen::Vector3d(0, 0, -9.81));
  EXPECT_EQ(s.scene.models[0].base, Base::kFloating);
  EXPECT_EQ(s.scene.models[0].effort.kind, Effort::Kind::kNone);
  EXPECT_EQ(s.question, Question::kAllSticking);
  EXPECT_EQ(s.options.cone.approximation, ConeApproximation::kExact);
  EXPECT_EQ(s.options.detachment, Detachment::kAllowed);
  EXPECT_EQ(s.options.solver, "auto");
}

TEST(Scenario, OverridesByPath)
{
  const Scenario s = read_scenario_text(kScenario, "", "f.yaml",
                                        {{"options.cone", "{inner: 8}"},
                                         {"models.robot.joints.left_knee", "0.5"},
                                         {"models.robot.joints.joint_0.0", "0.25"},  // a joint with a dot in its name
                                         {"models.robot.effort", "none"},
                                         {"contacts.left_toe.mu", "0.3"},
                                         {"contacts.heel.points", "[[0, 0, 1]]"},
                                         {"loads.0.force", "[1, 2, 3]"},
                                         {"question", "all_sticking"}});
  EXPECT_EQ(s.options.cone.approximation, ConeApproximation::kInner);
  EXPECT_EQ(s.options.cone.facets, 8);
  EXPECT_EQ(s.scene.models[0].joints.at("left_knee"), 0.5);
  EXPECT_EQ(s.scene.models[0].joints.at("joint_0.0"), 0.25);
  EXPECT_EQ(s.scene.models[0].effort.kind, Effort::Kind::kNone);
  EXPECT_EQ(s.scene.contacts[0].mu, 0.3);
  EXPECT_EQ(s.scene.contacts[1].points, (std::vector<Eigen::Vector3d>{{0, 0, 1}}));
  EXPECT_EQ(s.scene.loads[0].force, Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(s.question, Question::kAllSticking);
}

std::string error_of(const std::string& text, const std::vector<ScenarioOverride>& overrides = {})
{
  try {
    read_scenario_text(text, "", "f.yaml", overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

struct Bad {
  const char *what, *replace, *by, *message;
};

class BadScenario : public ::testing::TestWithParam<Bad> {};

TEST_P(BadScenario, SaysWhereAndWhat)
{
  const Bad& bad = GetParam();
  std::string text = kScenario;
  const auto at = text.find(bad.replace);
  ASSERT_NE(at, text.npos);
  text.replace(at, std::string(bad.replace).size(), bad.by);
  EXPECT_THAT(error_of(text), HasSubstr(bad.message));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadScenario,
    ::testing::Values(
        Bad{"unknown key", "    base: floating", "    bass: floating",
            "f.yaml:7:5: models.robot.bass: want a known key (urdf, base, pose"},
        Bad{"near key", "    base: floating", "    bas: floating", "got 'bas', did you mean 'base'?"},
        Bad{"duplicate key", "    base: floating", "    base: floating\n    base: fixed",
            "f.yaml:8:5: want each key once, got 'base' twice"},
        Bad{"unknown top key",
            "gravity:", "gravitas:", "f.yaml:3:1: gravitas: want a known key (stiction, name, gravity"},
        Bad{"nan", "mu: 0.6", "mu: nan", "f.yaml:24:9: contacts[0].mu: want a finite number, got 'nan'"},
        Bad{"inf", "mu: 0.6", "mu: inf", "want a finite number, got 'inf'"},
        Bad{"too large", "mu: 0.6", "mu: 1e400", "want a finite number, got '1e400'"},
        Bad{"text for a number", "mu: 0.6", "mu: high", "want a number, got 'high'"},
        Bad{"quoted number", "mu: 0.6", "mu: \"0.6\"", "want a number, got '0.6'"},
        Bad{"trailing letters", "mu: 0.6", "mu: 0.6x", "want a number, got '0.6x'"},
        Bad{"list for a number", "mu: 0.6", "mu: [0.6]", "want a number, got a list of 1"},
        Bad{"nothing", "mu: 0.6", "mu:", "f.yaml:24:5: contacts[0].mu: want a number, got nothing"},
        Bad{"negative mu", "mu: 0.6", "mu: -0.1", "want a number >= 0, got '-0.1'"},
        Bad{"missing mu", "    mu: 0.6\n", "", "contacts[0].mu: want an entry 'mu', got none"},
        Bad{"two numbers", "[0, 0, -9.8]", "[0, 0]",
            "f.yaml:3:10: gravity: want a list of three numbers, got a list of 2"},
        Bad{"nan inside", "[0, 0, -9.8]", "[0, .nan, 0]", "gravity[1]: want a number, got '.nan'"},
        Bad{"not a unit normal", "normal: [0, 0, 1]", "normal: [0, 0, 1.1]",
            "contacts[0].normal: want a unit vector, got (0, 0, 1.1)"},
        Bad{"at and points", "    at: [0.1, 0.05, 0]", "    at: [0.1, 0.05, 0]\n    points: [[0, 0, 0]]",
            "want either at or points"},
        Bad{"neither", "    at: [0.1, 0.05, 0]\n", "", "contacts[0].at: want an entry 'at', got none"},
        Bad{"no points", "points: [[-0.1, 0, 0], [-0.1, 0.1, 0]]", "points: []",
            "contacts[1].points: want a list of points"},
        Bad{"side", "side: bilateral", "side: both", "contacts[0].side: want unilateral | bilateral, got 'both'"},
        Bad{"frame", "at_frame: world", "at_frame: earth", "want link | world | on, got 'earth'"},
        Bad{"slides nowhere", "slides: [1, 0, 0]", "slides: [0, 0, 0]", "contacts[0].slides: want a direction"},
        Bad{"effort", "effort: limits", "effort: full",
            "models.box.effort: want limits | unlimited | none, got 'full'"},
        Bad{"joints", "joints: {left_knee: 0.4, plane: [1, 2, 3]}", "joints: 3",
            "models.robot.joints: want a map of joint names to numbers"},
        Bad{"guide without normal", ", kind: guide, normal: [0, 1, 0]", ", kind: guide",
            "closures[1].normal: want an entry 'normal', got none"},
        Bad{"normal of a pin", ", kind: guide, normal", ", kind: pin, normal",
            "closures[1].normal: want no normal unless the kind is guide"},
        Bad{"question", "question: equilibrium", "question: will it hold",
            "want all_sticking | equilibrium | closure | region | sliding | impact | couplings"},
        Bad{"facets", "{outer: 12}", "{outer: 2}", "options.cone.outer: want a whole number from 3 to 4096, got '2'"},
        Bad{"half a facet", "{outer: 12}", "{outer: 8.5}", "want a whole number from 3 to 4096"},
        Bad{"cone", "{outer: 12}", "round",
            "options.cone: want exact | {inner: facets} | {outer: facets}, got 'round'"},
        Bad{"solver", "solver: qpoases", "solver: magic",
            "options.solver: want auto | native | sparse | qpoases, got 'magic'"},
        Bad{"flag", "margins: true", "margins: 1", "options.margins: want true or false, got '1'"},
        Bad{"version", "stiction: 1", "stiction: 2", "f.yaml:1:11: stiction: want version 1, got '2'"},
        Bad{"no version", "stiction: 1\n", "", "stiction: want an entry 'stiction', got none"},
        Bad{"contacts as map", "contacts:\n  - name: left_toe\n    link: robot/left_sole\n",
            "contacts:\n  first: 1\nloads2:\n  - name: x\n    link: y\n", "want a known key"},
        Bad{"on of YAML 1_1", "    on: box/box", "    true: box/box", ".true: want a known key ("},
        Bad{"not yaml", "gravity: [0, 0, -9.8]", "gravity: [0, 0, -9.8", "want YAML, got: "},
        Bad{"two documents", "name: biped", "---\nname: biped", "want one YAML document, got 2"}),
    [](const auto& test) {
      std::string name = test.param.what;
      for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
      return name;
    });

TEST(Scenario, OptionsAndAccelerationsOfTheQuestionsArrive)
{
  const std::vector<ScenarioOverride> overrides = {
      {"models.robot.accelerations", "{left_knee: 0.25, plane: [1, 2, 3]}"},
      {"models.robot.acceleration", "{linear: [1, 2, 3], angular: [4, 5, 6]}"},
      {"options",
       "{push: {link: robot/torso, at: [0, 0, 0.2], direction: [0, 1, 0]}, gap: 0.01, box: 2, object: box, plane: yz, "
       "length: 0.1, "
       "point: [0, 0, 0.05], wrench: {force: [1, 0, 0], torque: [0, 0, 2]}, noise: {position: 0.001, angle: 0.02, "
       "samples: 50, seed: 9}}"}};
  const Scenario s = read_scenario_text(kScenario, "somewhere", "f.yaml", overrides);
  const ModelDescription& robot = s.scene.models[0];
  EXPECT_EQ(robot.accelerations.at("left_knee"), 0.25);
  EXPECT_EQ(robot.multi_accelerations.at("plane"), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(robot.linear_acceleration, Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(robot.angular_acceleration, Eigen::Vector3d(4, 5, 6));
  const ScenarioOptions& o = s.options;
  EXPECT_EQ(o.push->link, "robot/torso");
  EXPECT_EQ(o.push->at, Eigen::Vector3d(0, 0, 0.2));
  EXPECT_EQ(o.push->kind, PushOption::Direction::kGiven);
  EXPECT_EQ(o.push->direction, Eigen::Vector3d(0, 1, 0));
  EXPECT_EQ(o.gap, 0.01);
  EXPECT_EQ(o.box, 2.0);
  EXPECT_EQ(o.plane, "yz");
  EXPECT_EQ(o.length, 0.1);
  EXPECT_EQ(*o.point, Eigen::Vector3d(0, 0, 0.05));
  EXPECT_EQ(o.wrench->force, Eigen::Vector3d(1, 0, 0));
  EXPECT_EQ(o.wrench->torque, Eigen::Vector3d(0, 0, 2));
  EXPECT_EQ(o.noise->position, 0.001);
  EXPECT_EQ(o.noise->angle, 0.02);
  EXPECT_EQ(o.noise->samples, 50);
  EXPECT_EQ(o.noise->seed, 9u);
  const auto direction = [&](const std::string& text) {
    return read_scenario_text(kScenario, "", "f.yaml", {{"options", "{push: {link: a/b, direction: " + text + "}}"}})
        .options.push->kind;
  };
  EXPECT_EQ(direction("any"), PushOption::Direction::kAny);
  EXPECT_EQ(direction("horizontal"), PushOption::Direction::kHorizontal);
}

TEST(Scenario, BadOptionsSayWhatIsWanted)
{
  const auto error = [&](const std::string& options) { return error_of(kScenario, {{"options", options}}); };
  EXPECT_THAT(error("{push: {direction: any}}"), HasSubstr("options.push.link: want an entry 'link', got none"));
  EXPECT_THAT(error("{push: {link: a/b}}"), HasSubstr("options.push.direction: want an entry"));
  EXPECT_THAT(error("{push: {link: a/b, direction: up}}"),
              HasSubstr("options.push.direction: want a unit vector in the world, horizontal or any, got 'up'"));
  EXPECT_THAT(error("{push: {link: a/b, direction: [0, 0, 2]}}"),
              HasSubstr("options.push.direction: want a unit vector"));
  EXPECT_THAT(error("{gap: 0}"), HasSubstr("options.gap: want a number > 0, got '0'"));
  EXPECT_THAT(error("{box: -1}"), HasSubstr("options.box: want a number > 0"));
  EXPECT_THAT(error("{plane: xz}"), HasSubstr("options.plane: want xy | yz | zx, got 'xz'"));
  EXPECT_THAT(error("{wrench: [0, 0, 1]}"), HasSubstr("options.wrench: want a map"));
  EXPECT_THAT(error("{noise: {samples: 0}}"), HasSubstr("options.noise.samples: want a whole number from 1 to"));
  EXPECT_THAT(error("{noise: {seed: 1.5}}"), HasSubstr("options.noise.seed: want a whole number"));
  EXPECT_THAT(error("{noise: {sigma: 1}}"), HasSubstr("want a known key (position, angle, samples, seed)"));
}

TEST(Scenario, BadOverridesNameThemselves)
{
  EXPECT_THAT(error_of(kScenario, {{"contacts.left_to.mu", "1"}}),
              HasSubstr("--set contacts.left_to.mu=1: want one of left_toe, heel, got 'left_to' in "
                        "'contacts.left_to.mu', did you mean 'left_toe'?"));
  EXPECT_THAT(error_of(kScenario, {{"loads.7.force", "[0, 0, 1]"}}), HasSubstr("want an index below 1, got '7'"));
  EXPECT_THAT(error_of(kScenario, {{"contacts.left_toe.mu", "high"}}),
              HasSubstr("--set contacts.left_toe.mu=high: contacts[0].mu: want a number, got 'high'"));
  EXPECT_THAT(error_of(kScenario, {{"models.robot.bass", "fixed"}}), HasSubstr("models.robot.bass: want a known key"));
  EXPECT_THAT(error_of(kScenario, {{"name.first", "x"}}), HasSubstr("nothing below 'biped on a slope'"));
  EXPECT_THAT(error_of(kScenario, {{"models..base", "x"}}), HasSubstr("want a path such as"));
  EXPECT_THAT(error_of(kScenario, {{"options.cone", "{inner: 8"}}), HasSubstr("want YAML"));
}

TEST(Scenario, HostileYamlEndsInAnError)
{
  EXPECT_THAT(error_of(""), HasSubstr("f.yaml: scenario: want a map, got nothing"));
  EXPECT_THAT(error_of("- 1\n"), HasSubstr("scenario: want a map, got a list of 1"));
  EXPECT_THAT(error_of(std::string("stiction: 1\0", 12)), HasSubstr("got a binary file"));
  EXPECT_THAT(error_of("&a [*a]"), HasSubstr("want"));
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) bomb += (k ? ", *a" : "*a") + std::to_string(i - 1);
    bomb += "]\n";
  }
  EXPECT_THAT(error_of(bomb), HasSubstr("want at most a million entries"));
  EXPECT_THAT(error_of("stiction: 1\nname: \xff\n"), HasSubstr("f.yaml:2: want UTF-8"));
  EXPECT_THAT(error_of("name: \xed\xa0\x80\n"), HasSubstr("f.yaml:1: want UTF-8"));  // a surrogate
  EXPECT_THAT(error_of("name: \xc3\xa9\n"), HasSubstr("want an entry 'stiction'"));  // é is fine
  EXPECT_THAT(error_of("? [a]\n: 1\n"), HasSubstr("want a plain key"));
}

TEST(Scenario, MissingFileIsNamed)
{
  EXPECT_THROW(
      {
        try {
          read_scenario_file("no/such.yaml");
        } catch (const InputError& error) {
          EXPECT_THAT(error.what(), HasSubstr("want an existing file, got 'no/such.yaml'"));
          throw;
        }
      },
      InputError);
}

TEST(ScenarioDocument, LocatesErrorsOfTheScene)
{
  internal::ScenarioDocument document{internal::parse_yaml(kScenario, "f.yaml"), ""};
  EXPECT_STREQ(document.located(InputError("contacts[1].normal", "want x, got y")).what(),
               "f.yaml:30:89: contacts[1].normal: want x, got y");
  EXPECT_STREQ(document.located(InputError("models.robot.joints.left_knee", "want x, got y")).what(),
               "f.yaml:9:25: models.robot.joints.left_knee: want x, got y");
  EXPECT_STREQ(document.located(InputError("elsewhere", "want x, got y")).what(), "elsewhere: want x, got y");
}

}  // namespace
}  // namespace stiction
