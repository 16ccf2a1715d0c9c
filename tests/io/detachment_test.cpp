// detachment: free, from scenario files to reports and back, in rational arithmetic too.
#include <gmock/gmock.h>

#include "io/checked.hpp"
#include "stiction/exact.hpp"

namespace stiction::internal {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

const std::vector<ScenarioOverride> kFree = {{"options.detachment", "free"}};

/// Both judges accept the report.
Json proved(const std::string& name, const std::vector<ScenarioOverride>& overrides)
{
  const std::string text = to_json(checked(name, overrides));
  const Verification verified = verify_report(text, "r");
  EXPECT_TRUE(verified.valid) << name << ": " << verified.message;
  const ExactJudgement exact = judge_exactly(text);
  EXPECT_TRUE(exact.valid) << name << ": " << exact.message;
  return Json::parse(text);
}

TEST(FreeDetachmentReport, ABoxTipsOffAStep)
{
  const Json report = proved("box_tips_off_step", {});
  EXPECT_EQ(report["verdict"], "holds");
  EXPECT_THAT(report["summary"].get<std::string>(), HasSubstr("b/0, b/1 detach"));
  EXPECT_EQ(report["certificate"]["leaving"], Json({2, 3}));
  for (const int i : {2, 3}) {
    EXPECT_EQ(report["contacts"][i]["state"], "detaching");
    EXPECT_EQ(report["contacts"][i]["normal_force"], 0.0);
  }
  EXPECT_EQ(checked("box_tips_off_step", {{"options.detachment", "allowed"}}).verdict, Verdict::kFails);
  EXPECT_EQ(checked("box_tips_off_step", {{"options.detachment", "forbidden"}}).verdict, Verdict::kFails);
}

TEST(FreeDetachmentReport, BothVerdictsOfTheGallery)
{
  for (const char* name : {"block_on_ground", "block_on_corner", "box_on_slope", "pinch_on_guide", "rail_grasp"})
    EXPECT_EQ(proved(name, kFree)["verdict"], "holds") << name;
  for (const char* name : {"block_slides", "box_on_steep_slope", "pinch_too_weak"}) {
    const Json report = proved(name, kFree);
    EXPECT_EQ(report["verdict"], "fails") << name;
    EXPECT_EQ(report["certificate"]["kind"], "modes");
    EXPECT_EQ(report["failure"]["cause"], "friction") << name;
    EXPECT_THAT(report["summary"].get<std::string>(), HasSubstr("whichever contacts leave"));
  }
}

/// A box on a slope without friction slides off whatever leaves; with friction, and told that nothing may carry more
/// than 5 N, only larger forces help.
TEST(FreeDetachmentReport, SaysWhyItFails)
{
  const Json slips = proved("box_on_steep_slope", {{"options.detachment", "free"}, {"contacts.bottom.mu", "0"}});
  EXPECT_EQ(slips["failure"]["cause"], "nothing");
  EXPECT_THAT(slips["summary"].get<std::string>(), HasSubstr("have no friction, whichever contacts leave"));
  const Json heavy =
      proved("block_on_ground",
             {{"options.detachment", "free"}, {"contacts.left.max_normal", "2"}, {"contacts.right.max_normal", "2"}});
  EXPECT_EQ(heavy["failure"]["cause"], "limits");
  EXPECT_EQ(heavy["failure"]["helps"], Json::array({"limits"}));
  EXPECT_THAT(heavy["summary"].get<std::string>(), HasSubstr("overloads: left and right would have to push beyond"));
  const std::string text = heavy.dump();
  EXPECT_THAT(message_about_forged(text, [](Json& r) { r["failure"]["cause"] = "friction"; }),
              HasSubstr("failure.cause: the report says 'friction'"));
  EXPECT_THAT(message_about_forged(text, [](Json& r) { r["certificate"]["counterfactuals"] = Json::array(); }),
              HasSubstr("but its certificate proves"));
  EXPECT_THAT(message_about_forged(text,
                                   [](Json& r) {
                                     for (Json& trial : r["certificate"]["counterfactuals"])
                                       if (trial["kind"] == "modes") trial["modes"].erase(0);
                                   }),
              HasSubstr("proves nothing"));
}

/// Refused by both.
template <class Edit>
void expect_refused(const std::string& text, Edit edit, const char* what)
{
  message_about_forged(text, edit);
  Json forged = Json::parse(text);
  edit(forged);
  EXPECT_FALSE(judge_exactly(forged.dump()).valid) << what;
}

TEST(FreeDetachmentReport, Forgeries)
{
  const std::string holds = to_json(checked("box_tips_off_step")), fails = to_json(checked("block_slides", kFree));
  expect_refused(holds, [](Json& r) { r["certificate"]["leaving"] = Json::array(); }, "nothing leaves");
  expect_refused(holds, [](Json& r) { r["certificate"]["leaving"] = {1, 2, 3}; }, "a loaded one leaves");
  expect_refused(holds, [](Json& r) { r["certificate"]["lambda"][6] = 1e-3; }, "what leaves carries");
  expect_refused(holds, [](Json& r) { r["certificate"]["rules"]["detachment"] = "allowed"; }, "other rules");
  expect_refused(fails, [](Json& r) { r["certificate"]["modes"].erase(0); }, "a mode is missing");
  expect_refused(fails, [](Json& r) { r["certificate"]["modes"][0] = r["certificate"]["modes"][1]; }, "one twice");
  expect_refused(fails, [](Json& r) { r["certificate"]["rules"]["detachment"] = "forbidden"; }, "other rules");
  const Json modes = Json::parse(fails)["certificate"]["modes"];
  std::size_t driven = modes.size();
  for (std::size_t i = 0; i < modes.size(); ++i)
    if (modes[i]["kind"] == "penetration") driven = i;
  ASSERT_LT(driven, modes.size());
  expect_refused(
      fails,
      [&](Json& r) {
        for (Json& entry : r["certificate"]["modes"][driven]["a"]) entry = -entry.get<double>();
      },
      "it rises");
}

TEST(FreeDetachmentReport, IsForAllStickingOnly)
{
  EXPECT_THAT(error_of("box_pushed", kFree), HasSubstr("options.detachment: want allowed or forbidden unless"));
  EXPECT_THAT(error_of("painleve_jammed", kFree), HasSubstr("options.detachment: want allowed"));
}

}  // namespace
}  // namespace stiction::internal
