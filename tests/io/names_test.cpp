// Names are for people: joints, contacts and models may be called anything.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "io/checked.hpp"
#include "io/row_answerer.hpp"

namespace stiction::internal {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;
using Overrides = std::vector<ScenarioOverride>;

std::string joint(const std::string& name, const std::string& type, const std::string& child)
{
  return "<link name='" + child + "'><inertial><mass value='0.1'/>" +
         "<inertia ixx='1e-3' iyy='1e-3' izz='1e-3' ixy='0' ixz='0' iyz='0'/></inertial></link>" + "<joint name='" +
         name + "' type='" + type + "'><parent link='body'/><child link='" + child + "'/><axis xyz='1 0 0'/>" +
         "<limit lower='-1' upper='1' effort='20' velocity='1'/></joint>";
}

/// A block with arms that move freely; one joint is called as the floating base is, one as a part of another one.
std::string urdf()
{
  return "<robot name='r'><link name='body'><inertial><mass value='50'/>"
         "<inertia ixx='5' iyy='5' izz='5' ixy='0' ixz='0' iyz='0'/></inertial></link>" +
         joint("finger[1]", "prismatic", "l1") + joint("a.b", "prismatic", "l2") + joint("x/y", "revolute", "l3") +
         joint("base", "prismatic", "l4") + joint("plane", "planar", "l5") + joint("plane[0]", "prismatic", "l6") +
         joint("finger", "prismatic", "l7") + "</robot>";
}

/// Nothing drives a planar joint: it falls. Its axes are y, z and x, which its plane is normal to.
const ScenarioOverride kPlaneFalls = {"models.r.1.accelerations.plane", "[0, -9.81, 0]"};

template <class Ask>
std::string error_text(Ask ask)
{
  try {
    ask();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

class AnyName : public ::testing::Test {
 protected:
  AnyName() : folder_(std::filesystem::temp_directory_path() / ("stiction_names_" + std::to_string(::getpid())))
  {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "r.urdf") << urdf();
    std::ofstream(file()) << R"(stiction: 1
models:
  r.1: {urdf: r.urdf, pose: {xyz: [0, 0, 0.5]}, effort: {"finger[1]": 1.5, a.b: -2, x/y: 0.25, base: 3}}
contacts:
  - {name: "sole", link: r.1/body, points: [[1, -1, -0.5], [-1, -1, -0.5]], normal: [0, 0, 1], mu: 0.9}
  - {name: "sole.left[0]", link: r.1/body, points: [[1, 1, -0.5], [-1, 1, -0.5]], normal: [0, 0, 1], mu: 0.9}
question: all_sticking
)";
  }
  ~AnyName() override { std::filesystem::remove_all(folder_); }

  std::string file() const { return (folder_ / "s.yaml").string(); }
  std::string check(const Overrides& overrides = {}) const { return to_json(check_file(file(), overrides, {})); }
  Scenario read(const Overrides& overrides) const { return read_scenario_file(file(), overrides); }

 private:
  std::filesystem::path folder_;
};

TEST_F(AnyName, EveryJointHasItsOwnEntryInTheReport)
{
  const Json report = Json::parse(check());
  EXPECT_EQ(report["verdict"], "holds") << report["summary"];
  const Json& efforts = report["efforts"];
  EXPECT_EQ(efforts["r.1/finger[1]"], 1.5);
  EXPECT_EQ(efforts["r.1/finger"], 0.0);
  EXPECT_EQ(efforts["r.1/a.b"], -2.0);
  EXPECT_EQ(efforts["r.1/x/y"], 0.25);
  EXPECT_EQ(efforts["r.1/base"], 3.0);
  EXPECT_EQ(efforts["r.1/plane[0]"], 0.0);
  EXPECT_EQ(efforts.size(), 6u);
  const Json& values = report["acceleration"]["values"];
  EXPECT_EQ(values.size(), 8u) << values;  // seven joints and the floating base
  EXPECT_NEAR(values["r.1/finger[1]"].get<double>(), 15.0, 1e-9);
  EXPECT_NEAR(values["r.1/base"].get<double>(), 30.0, 1e-9);
  EXPECT_NEAR(values["r.1/finger"].get<double>(), 0.0, 1e-9);
  EXPECT_EQ(values["r.1/base_"].size(), 6u);
  EXPECT_EQ(values["r.1/plane_"].size(), 3u);
}

TEST_F(AnyName, ReportsAreVerified)
{
  for (const std::string question : {"all_sticking", "equilibrium", "couplings", "sliding", "impact", "region"}) {
    Overrides overrides = {{"question", question}};
    if (question == "equilibrium" || question == "region") {
      overrides.push_back({"models.r.1.effort", "limits"});
      overrides.push_back(kPlaneFalls);
    }
    const std::string json = check(overrides);
    EXPECT_NE(Json::parse(json)["verdict"], "undecided") << question << ": " << json.substr(0, 300);
    const Verification alone = verify_report(json, "r"), mine = verify_report(json, "r", file(), overrides);
    EXPECT_TRUE(alone.valid) << question << ": " << alone.message;
    EXPECT_TRUE(mine.valid) << question << ": " << mine.message;
    if (question == "all_sticking") {
      EXPECT_THAT(alone.unchecked, Contains("efforts.r.1/finger[1]"));
    }
  }
}

TEST_F(AnyName, OverridesReachThem)
{
  const Scenario s = read({{"models.r.1.joints.finger[1]", "0.1"},
                           {"models.r.1.joints.a.b", "0.2"},
                           {"models.r.1.rates.x/y", "0.3"},
                           {"models.r.1.accelerations.joint_0.0", "0.5"},
                           {"models.r.1.accelerations.finger[1]", "0.6"},
                           {"models.r.1.accelerations.plane", "[1, 2, 3]"},
                           {"models.r.1.effort.finger[1]", "7"},
                           {"contacts.sole.left[0].mu", "0.1"},
                           {"contacts.sole.points[1]", "[0, 0, -0.5]"},
                           {"contacts[0].mu", "0.2"}});
  const ModelDescription& robot = s.scene.models[0];
  EXPECT_EQ(robot.joints.at("finger[1]"), 0.1);
  EXPECT_EQ(robot.joints.at("a.b"), 0.2);
  EXPECT_EQ(robot.rates.at("x/y"), 0.3);
  EXPECT_EQ(robot.accelerations.at("joint_0.0"), 0.5);
  EXPECT_EQ(robot.accelerations.at("finger[1]"), 0.6);
  EXPECT_EQ(robot.multi_accelerations.at("plane"), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(robot.effort.given.at("finger[1]"), 7.0);
  EXPECT_EQ(robot.effort.given.at("base"), 3.0);
  EXPECT_EQ(s.scene.contacts[0].mu, 0.2);
  EXPECT_EQ(s.scene.contacts[1].mu, 0.1);
  EXPECT_EQ(s.scene.contacts[0].points[1], Eigen::Vector3d(0, 0, -0.5));
  EXPECT_EQ(s.scene.models.size(), 1u);
}

TEST_F(AnyName, PrescribedAccelerationsMatter)
{
  const Overrides moved = {{"question", "equilibrium"},
                           {"models.r.1.effort", "limits"},
                           kPlaneFalls,
                           {"models.r.1.accelerations.finger[1]", "100"}};
  const Json report = Json::parse(check(moved));
  EXPECT_EQ(report["acceleration"]["values"]["r.1/finger[1]"], 100.0);
  EXPECT_NEAR(report["efforts"]["r.1/finger[1]"].get<double>(), 10.0, 1e-9);
  EXPECT_NEAR(report["efforts"]["r.1/finger"].get<double>(), 0.0, 1e-9);
}

TEST_F(AnyName, RowsOfABatchReachThem)
{
  RowAnswerer answerer(load_scenario(file()), {});
  RowAnswer answer;
  BatchRow row;
  parse_json_row(R"({"contacts.sole.left[0].mu": 0, "contacts.sole.mu": 0, "models.r.1.effort.finger[1]": 9})", 0, row);
  answerer.answer(row, answer);
  EXPECT_EQ(answer.verdict, Verdict::kFails) << answer.summary;
  parse_json_row(R"({"models.r.1.joints.finger[1]": 0.5})", 1, row);
  answerer.answer(row, answer);
  EXPECT_EQ(answer.verdict, Verdict::kHolds) << answer.summary;
}

TEST_F(AnyName, ErrorsNameTheLineAndTheEntry)
{
  const auto error = [&](const Overrides& overrides) { return error_text([&] { check(overrides); }); };
  EXPECT_THAT(error({{"models.r.1.joints.finger[2]", "1"}}),
              HasSubstr("--set models.r.1.joints.finger[2]=1: models.r.1.joints.finger[2]: want a joint of the URDF"));
  EXPECT_THAT(error({{"models.r.1.effort", "limits"}}),
              HasSubstr("want given efforts for all_sticking: `none`, or `{"));
}

TEST(Names, ForgedJointsAreNoticed)
{
  const std::string json = to_json(checked("box_pushed"));
  const auto message = [&](auto edit) { return message_about_forged(json, edit); };
  const auto joints = [](Json& report) -> Json& { return report["certificate"]["problem"]["joints"]; };
  EXPECT_THAT(message([&](Json& r) { joints(r)[0]["joint"] = "base"; }), HasSubstr("want the names of `joints`"));
  EXPECT_THAT(message([&](Json& r) { joints(r)[1]["index"] = 2; }), HasSubstr("want the names of `joints`"));
  EXPECT_THAT(message([&](Json& r) { joints(r)[1]["model"] = "bix"; }), HasSubstr("want the names of `joints`"));
  EXPECT_THAT(message([&](Json& r) { joints(r).erase(0); }), HasSubstr("want a joint for each degree of freedom"));
  EXPECT_THAT(message([&](Json& r) { joints(r)[2]["size"] = 7; }), HasSubstr("want 1 to 6"));
  EXPECT_THAT(message([&](Json& r) { r["certificate"]["problem"].erase("joints"); }), HasSubstr("not a report"));
}

}  // namespace
}  // namespace stiction::internal
