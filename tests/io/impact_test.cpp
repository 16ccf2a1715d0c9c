// The question impact from scenario files: oracles of the papers through URDFs, bad input, forged reports, batch rows.
#include <gmock/gmock.h>

#include <cmath>

#include "io/checked.hpp"
#include "io/row_answerer.hpp"
#include "io/verify.hpp"
#include "stiction/exact.hpp"

namespace stiction::internal {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;
using Overrides = std::vector<ScenarioOverride>;

double number(const Json& value) { return value.get<double>(); }
double change(const Json& report) { return number(report["impact"]["energy_change"]); }

/// A contact of an end of the rod with the ground, as YAML.
std::string rod_end(const std::string& name, int x, const std::string& more, const std::string& mu = "0")
{
  return "{name: " + name + ", link: r/rod, at: [" + std::to_string(x) + ", 0, 0], normal: [0, 0, 1], mu: " + mu +
         ", " + more + "}";
}

TEST(ImpactReport, GoldenOfThePendulum)
{
  EXPECT_EQ(to_text(checked("pendulum_gains_energy")), R"(GAINS ENERGY (fails): double pendulum hits the ground
the impact creates 0.1634 J on top of 0.2782 J; friction of tip injects 0.3921 J

                     impulse friction normal velocity [m/s]       work
contact  state         [N s]   in use     before      after        [J]
tip      sticking      3.408     86 %    -0.2684     0.1342     0.1634

 - no other velocity after the impact satisfies the laws
 - friction of tip injects 0.3921 J
 - whatever the velocity, closing contacts create no energy with a common
   restitution up to 0.2462 (up to 0.01287 by condition (87) of Glocker 2012)
 - with friction of 0.4306 everything can stick

what would make it hold:
 - a restitution of 0.2462 at every contact that closes
)");
}

TEST(ImpactReport, KeysInTheOrderOfTheContract)
{
  std::vector<std::string> keys;
  const Json json = checked_json("ratchet_carts");
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"stiction", "name", "question", "verdict", "summary", "velocity",
                                            "contacts", "impact", "margins", "repair", "certificate", "solver",
                                            "warnings", "inputs", "checksum"}));
}

TEST(ImpactReport, KanesPendulum)  // Glocker (2012), section 7: absolute rates, tangent along -x
{
  struct Case {
    const char *restitution, *mu;
    double normal, tangential, u1, u2, W, W_n, W_t;
  };
  for (const Case& c :
       {Case{"{normal: 0.5}", "0.5", 3.4078792829, 1.4675795461, -0.3346489298, 0.3631153642, 0.1634274686, -0.2286721,
             0.3920996},
        Case{"{normal: 0.5, tangential: 0.5}", "0.5", 0.6823003921, -0.3411501961, -0.2062930193, 0.2753147504,
             -0.1217219865, -0.0457830, -0.0759389},
        Case{"{}", "0.5", 0.4548669281, -0.2274334640, -0.1708620128, 0.1168765002, -0.1353042902, -0.0610441,
             -0.0742602},
        Case{"{normal: 0.5}", "0", 1.1963803850, 0, -0.2305026306, 0.2918750998, -0.0802783288, -0.0802783288, 0},
        Case{"{normal: 0.7}", "0.5", 5.4995088826, 2.7497544413, -0.4430383998, 0.4909389341, 0.4889268546,
             -0.2214135510, 0.7103404056}}) {
    const Json report =
        checked_json("pendulum_gains_energy", {{"contacts.tip.restitution", c.restitution}, {"contacts.tip.mu", c.mu}});
    EXPECT_EQ(report["verdict"], c.W > 0 ? "fails" : "holds");
    EXPECT_EQ(report["velocity"]["unique"], true);  // planar: proved
    const Json& tip = report["contacts"][0];
    EXPECT_NEAR(number(tip["normal_impulse"]), c.normal, 1e-9);
    EXPECT_NEAR(number(tip["impulse_world"][0]), -c.tangential, 1e-9);
    EXPECT_NEAR(number(tip["work_normal"]), c.W_n, 1e-7);
    EXPECT_NEAR(number(tip["work_tangential"]), c.W_t, 1e-7);
    const bool sticks = c.tangential > 0 && c.tangential < 0.5 * c.normal - 1e-9;
    EXPECT_EQ(tip["state"].get<std::string>(), sticks ? "sticking" : "sliding");
    EXPECT_NEAR(number(report["velocity"]["after"]["p/upper"]), c.u1, 1e-9);
    EXPECT_NEAR(number(report["velocity"]["after"]["p/lower"]), c.u2 - c.u1, 1e-9);
    EXPECT_NEAR(number(report["impact"]["energy_before"]), 0.2781769304, 1e-9);
    EXPECT_NEAR(change(report), c.W, 1e-9);
    EXPECT_EQ(report["impact"]["injected_by"].size(), c.W_t > 0 ? 1u : 0u);
  }
  const Json report = checked_json("pendulum_gains_energy");
  const Json& conditions = report["impact"]["conditions"];
  EXPECT_NEAR(number(conditions["G"][0][0]), 0.3365200968, 1e-9);
  EXPECT_NEAR(std::abs(number(conditions["G"][0][1])), 0.5071028860, 1e-9);  // the sign is that of the tangent
  EXPECT_NEAR(number(conditions["G"][1][1]), 0.8134460152, 1e-9);
  EXPECT_EQ(conditions["G"][1][0], conditions["G"][0][1]);
  EXPECT_NEAR(number(conditions["ratio"]), 0.0128682427, 1e-9);
  EXPECT_NEAR(number(conditions["eigenvalues"][0]), 0.0146100375, 1e-9);
  EXPECT_NEAR(number(conditions["eigenvalues"][1]), 1.1353560746, 1e-9);
  EXPECT_NEAR(number(conditions["small"]["left"]), 2.0 / 3, 1e-12);
  EXPECT_NEAR(number(conditions["sharpened"]["left"]), 0.5, 1e-12);
  for (const char* condition : {"similar", "small", "sharpened", "exact"})
    EXPECT_EQ(conditions[condition]["holds"], false);
  EXPECT_NEAR(number(report["margins"]["restitution"]), 0.246162, 1e-6);
  EXPECT_EQ(number(report["margins"]["restitution_least"]), 0.0);
  EXPECT_NEAR(number(report["margins"]["restitution_sharpened"]), 0.246162, 1e-6);  // exact for two scalar elements
  EXPECT_NEAR(number(report["margins"]["restitution_similar"]), 0.012868, 1e-6);
  EXPECT_NEAR(number(report["margins"]["sticking_friction"]), 0.430643, 1e-6);
  EXPECT_EQ(report["repair"][0]["to"], report["margins"]["restitution"]);
  EXPECT_EQ(report["impact"]["injected_by"][0]["who"], "friction of tip");
  EXPECT_GE(number(report["impact"]["energy_bound"]), change(report));  // (98)
}

TEST(ImpactReport, RatchetOfTwoCarts)  // section 6
{
  for (const char* e : {"0.1", "0.5", "0.7071", "0.70711", "1"}) {
    const double value = std::stod(e);
    const Json report = checked_json("ratchet_carts", {{"contacts.buffer.restitution.normal", e}});
    EXPECT_EQ(report["verdict"], value > std::sqrt(0.5) ? "fails" : "holds") << e;
    EXPECT_NEAR(change(report), value * value - 0.5, 1e-12);
    EXPECT_NEAR(number(report["contacts"][0]["normal_impulse"]), 1 + 2 * value, 1e-12);
    EXPECT_NEAR(number(report["contacts"][1]["normal_impulse"]), value, 1e-12);
    EXPECT_NEAR(number(report["velocity"]["after"]["c/second"]), value, 1e-12);
    EXPECT_NEAR(number(report["margins"]["restitution"]), std::sqrt(0.5), 1e-9);
  }
  const Json negative = checked_json("ratchet_carts_gain", {{"contacts.ratchet.restitution", "{normal: -0.5}"}});
  EXPECT_NEAR(change(negative), 1.125, 1e-12);
  EXPECT_NEAR(number(negative["velocity"]["after"]["c/second"]), 1.5, 1e-12);
  // (92) as printed would call these small (0 <= 0.146); they gain.
  const Json printed = checked_json("ratchet_carts", {{"contacts.buffer.restitution.normal", "0"},
                                                      {"contacts.ratchet.restitution", "{normal: -0.9}"},
                                                      {"models.c.rates", "{first: -1, second: 1}"}});
  EXPECT_EQ(printed["verdict"], "fails");
  EXPECT_NEAR(change(printed), 0.62, 1e-12);
  EXPECT_EQ(printed["impact"]["conditions"]["small"]["holds"], false);
  const Json none = checked_json("ratchet_against_buffer");
  EXPECT_EQ(none["verdict"], "fails");
  EXPECT_EQ(none["impact"]["exists"], "fails");
  EXPECT_TRUE(none["velocity"]["after"].is_null());
  EXPECT_EQ(none["certificate"]["kind"], "contradiction");
  EXPECT_EQ(checked_json("ratchet_against_buffer", {{"contacts.buffer.restitution.normal", "0"}})["verdict"], "holds");
}

TEST(ImpactReport, Rod)  // both ends: G = [[4, -2], [-2, 4]]
{
  const Json clap = checked_json("rod_dropped"), flat = checked_json("rod_dropped", {{"models.r.rates", "{y: -1}"}});
  EXPECT_NEAR(number(clap["contacts"][0]["normal_impulse"]), 1.0 / 6, 1e-12);
  EXPECT_NEAR(number(clap["contacts"][1]["normal_impulse"]), 1.0 / 3, 1e-12);
  EXPECT_NEAR(change(clap), -1.0 / 6, 1e-12);
  EXPECT_NEAR(number(flat["contacts"][0]["normal_impulse"]), 0.5, 1e-12);
  EXPECT_NEAR(number(flat["contacts"][1]["normal_impulse"]), 0.5, 1e-12);
  // One oblique tip alone: m v/(1 + 3 cos^2).
  const double theta = 0.7, v = 2.0;
  const Json tip = checked_json("rod_dropped", {{"models.r.joints", "{theta: 0.7}"},
                                                {"models.r.rates", "{y: -2}"},
                                                {"contacts", "[" + rod_end("tip", -1, "normal_frame: world") + "]"}});
  EXPECT_NEAR(number(tip["contacts"][0]["normal_impulse"]), v / (1 + 3 * std::pow(std::cos(theta), 2)), 1e-12);
  // The right end held, by a bilateral contact or a guide: it is pushed half as hard as the left one is hit.
  for (const char* e : {"0", "0.5"}) {
    const double bounce = std::stod(e), hit = (1 + bounce) / 3;
    const Overrides rates = {{"models.r.rates", "{y: -0.5, theta: 0.5}"}, {"contacts.left.restitution.normal", e}};
    Overrides bilateral = rates, guide = rates;
    bilateral.push_back({"contacts.right.side", "bilateral"});
    guide.push_back({"contacts", "[" + rod_end("left", -1, "restitution: {normal: " + std::string(e) + "}") + "]"});
    guide.push_back({"closures", "[{name: guide, link: r/rod, at: [1, 0, 0], kind: guide, normal: [0, 0, 1]}]"});
    const Json a = checked_json("rod_dropped", bilateral), b = checked_json("rod_dropped", guide);
    EXPECT_NEAR(number(a["contacts"][0]["normal_impulse"]), hit, 1e-12);
    EXPECT_NEAR(number(a["contacts"][1]["normal_impulse"]), hit / 2, 1e-12);
    EXPECT_NEAR(number(b["impact"]["closures"][0]["impulse"][0]), hit / 2, 1e-12);
    EXPECT_NEAR(change(a), -hit * (1 - bounce) / 2, 1e-12);
    EXPECT_NEAR(change(b), change(a), 1e-12);
    EXPECT_EQ(a["verdict"], "holds");
    EXPECT_EQ(b["verdict"], "holds");
  }
}

TEST(ImpactReport,
     SeveralVelocities)  // Painlevé's rod: G = [[1.6, -1.2], [-1.2, 3.4]], a slipping tip has 1.6 - 2.4 < 0
{
  const Json report = checked_json("rod_three_ways");
  const Json& solutions = report["impact"]["solutions"];
  ASSERT_EQ(solutions.size(), 3u);
  const double stick = 0.5 * (0.215 * 0.1 - 0.37), slip = 0.5 * (0.125 * 0.1 - 0.25 * 1.3);
  EXPECT_NEAR(number(solutions[0]["energy_change"]), stick, 1e-12);
  EXPECT_NEAR(number(solutions[1]["energy_change"]), slip, 1e-12);
  EXPECT_NEAR(number(solutions[2]["energy_change"]), 0, 1e-12);
  EXPECT_EQ(report["impact"]["unique"], "fails");
  EXPECT_EQ(report["impact"]["complete"], true);
  EXPECT_NEAR(number(report["contacts"][0]["normal_impulse"]), 0.215, 1e-12);
  EXPECT_THAT(report["summary"].get<std::string>(), HasSubstr("3 velocities after it are possible, none gains"));

  // With a tangential bounce of 0.9 and more spin sticking gains: that one is shown. Lambda = -G^-1 (1 + e) gamma with
  // det G = 4.
  const Overrides bounce = {{"contacts.tip.restitution", "{tangential: 0.9}"},
                            {"models.r.rates", "{x: -1, y: 0.05, theta: -1}"}};
  const double c = std::sqrt(0.2), s = std::sqrt(0.8), normal = 0.05 + c, along = -1 - s;
  const double Ln = -(3.4 * normal + 1.2 * 1.9 * along) / 4, Lt = -(1.2 * normal + 1.6 * 1.9 * along) / 4;
  const Json gains = checked_json("rod_three_ways", bounce);
  EXPECT_EQ(gains["verdict"], "fails");
  EXPECT_EQ(gains["impact"]["solutions"].size(), 3u);
  EXPECT_NEAR(number(gains["contacts"][0]["normal_impulse"]), Ln, 1e-12);
  EXPECT_NEAR(change(gains), 0.5 * (Ln * normal + Lt * 0.1 * along), 1e-12);
  EXPECT_GT(change(gains), 0.04);
  const std::string json = to_json(checked("rod_three_ways", bounce));
  EXPECT_TRUE(verify_report(json, "r").valid);
  EXPECT_THAT(message_about_forged(
                  json, [](Json& r) { std::swap(r["certificate"]["solutions"][0], r["certificate"]["solutions"][2]); }),
              HasSubstr("not in the order of their energy"));
}

TEST(ImpactReport, SphereSlipsSticksAndSpins)
{
  // The paper's m = 2 with our 0.2 kg: impulses and energies a tenth.
  const Json slip = checked_json("sphere_bounces");
  const Json stick = checked_json("sphere_bounces", {{"contacts.ground.mu", "0.5"}});
  EXPECT_NEAR(number(slip["contacts"][0]["tangential_impulse"][0]), -0.08586501, 1e-8);
  EXPECT_NEAR(number(slip["contacts"][0]["tangential_impulse"][1]), -0.042932505, 1e-8);
  EXPECT_NEAR(change(slip), -0.710022526, 1e-9);
  EXPECT_EQ(slip["contacts"][0]["state"], "sliding");
  EXPECT_NEAR(number(stick["contacts"][0]["velocity_after"][1]), -0.4, 1e-12);
  EXPECT_NEAR(number(stick["contacts"][0]["velocity_after"][2]), -0.2, 1e-12);
  EXPECT_NEAR(change(stick), -0.713142857, 1e-9);
  EXPECT_EQ(stick["velocity"]["unique"], true);

  // Orthotropic: on the rim xi_j = -alpha Lambda_j/mu_j^2 (52); alpha by bisection.
  const double mu1 = 0.1, mu2 = 0.04, g = 3.5 / 0.2;
  const auto impulse = [&](double alpha, int j) {
    return -1.2 * (j == 0 ? 2 : 1) / (g + alpha / std::pow(j == 0 ? mu1 : mu2, 2));
  };
  double lower = 0, upper = 1e3;
  for (int i = 0; i < 200; ++i) {
    const double alpha = 0.5 * (lower + upper);
    (std::hypot(impulse(alpha, 0) / mu1, impulse(alpha, 1) / mu2) > 0.96 ? lower : upper) = alpha;
  }
  const Json ellipse = checked_json("sphere_bounces", {{"contacts.ground.mu_second", "0.04"}});
  EXPECT_NEAR(number(ellipse["contacts"][0]["tangential_impulse"][0]), impulse(lower, 0), 1e-10);
  EXPECT_NEAR(number(ellipse["contacts"][0]["tangential_impulse"][1]), impulse(lower, 1), 1e-10);

  // A soft finger: spin about the normal, I = 2e-4; sticking takes (1 + e) I w, the budget is torsion times 0.96 N s.
  for (const auto& [torsion, after] : {std::pair{"0.01", -5.0}, std::pair{"0.001", 10.0 - 0.00096 / 2e-4}}) {
    const Json spin = checked_json("sphere_bounces", {{"contacts.ground.torsion", torsion},
                                                      {"contacts.ground.restitution.spin", "0.5"},
                                                      {"models.s.twist.angular", "[0, 0, 10]"}});
    EXPECT_NEAR(number(spin["contacts"][0]["velocity_after"][3]), after, 1e-9);
    EXPECT_NEAR(number(spin["contacts"][0]["torsion_impulse"]), 2e-4 * (after - 10), 1e-12);
    const ScenarioReport soft = checked("sphere_bounces", {{"contacts.ground.torsion", torsion}});
    EXPECT_TRUE(verify_report(to_json(soft), "r").valid);
  }
}

TEST(ImpactReport, TouchdownsByHand)
{
  const Json finger = checked_json("finger_regrasp");
  EXPECT_NEAR(number(finger["contacts"][0]["normal_impulse"]), 0.1, 1e-12);
  EXPECT_NEAR(number(finger["contacts"][1]["normal_impulse"]), 0.2, 1e-12);
  EXPECT_NEAR(number(finger["contacts"][1]["utilisation"]), 2.0 / 3, 1e-12);
  EXPECT_NEAR(change(finger), -1.0 / 30, 1e-12);
  EXPECT_EQ(finger["velocity"]["unique"], true);
  const Json quadruped = checked_json("quadruped_touchdown");
  for (const Json& foot : quadruped["contacts"]) {
    const bool left = foot["name"].get<std::string>()[0] == 'l';
    EXPECT_NEAR(number(foot["impulse_world"][1]), left ? -0.12 : 0.12, 1e-9);
    EXPECT_NEAR(number(foot["normal_impulse"]), 1.72, 1e-9);
  }
  EXPECT_NEAR(change(quadruped), -1.376, 1e-9);
  const Json biped = checked_json("biped_touchdown", {{"options.modes", "20"}});
  double sum = 0;
  for (const Json& point : biped["contacts"]) sum += number(point["normal_impulse"]);
  EXPECT_NEAR(sum, 16, 1e-9);
  EXPECT_NEAR(change(biped), -4, 1e-9);
  EXPECT_EQ(biped["impact"]["unique"], "undecided");
  EXPECT_EQ(biped["impact"]["impulses_unique"], false);
  EXPECT_NEAR(number(biped["contacts"][0]["normal_impulse"]), number(biped["contacts"][1]["normal_impulse"]),
              1e-9);  // least norm
}

TEST(ImpactReport, AWheelWithoutARimTakesAStep)
{
  const Json wheel = checked_json("rimless_wheel_step");
  const double r = (0.25 + std::cos(M_PI * 2 / 9)) / 1.25;
  EXPECT_NEAR(number(wheel["velocity"]["after"]["w/theta"]), -r, 1e-9);
  EXPECT_NEAR(change(wheel), 0.625 * (r * r - 1), 1e-9);
  EXPECT_EQ(wheel["contacts"][0]["state"].get<std::string>(), "detaching");
  EXPECT_NEAR(number(wheel["margins"]["sticking_friction"]), 0.28366, 5e-6);
  EXPECT_THAT(to_text(checked("rimless_wheel_step")),
              HasSubstr("with friction of 0.2837 everything that is hit can stick, while old leaves\n"));
  const std::string json = to_json(checked("rimless_wheel_step"));
  EXPECT_THAT(message_about_forged(json, [](Json& report) { report["margins"]["sticking_friction"] = 0.2; }),
              HasSubstr("margins.sticking_friction is not what makes"));
  EXPECT_THAT(message_about_forged(json, [](Json& report) { report["margins"]["sticking_friction"] = nullptr; }),
              HasSubstr("margins.sticking_friction is not what makes"));
}

TEST(ImpactReport, SafeRestitutionWithOtherCoefficients)
{
  const auto pendulum = [](const char* tangential) {
    return checked("pendulum_gains_energy", {{"contacts.tip.restitution.tangential", tangential}});
  };
  const Json middle = Json::parse(to_json(pendulum("0.5")));
  EXPECT_NEAR(number(middle["margins"]["restitution_least"]), 0.2894653, 1e-6);
  EXPECT_NEAR(number(middle["margins"]["restitution"]), 0.6643889, 1e-6);
  EXPECT_THAT(to_text(pendulum("0.5")), HasSubstr("restitution from 0.2895 to 0.6644"));
  EXPECT_NEAR(number(Json::parse(to_json(pendulum("0.1")))["margins"]["restitution_similar"]), 0.112723, 1e-6);
  EXPECT_TRUE(Json::parse(to_json(pendulum("-0.1")))["margins"]["restitution_similar"].is_null());
  EXPECT_THAT(message_about_forged(to_json(pendulum("0.5")), [](Json& r) { r["margins"]["restitution_least"] = 0.2; }),
              HasSubstr("margins.restitution_least is not proved to be safe"));
}

TEST(ImpactReport, ContactsWithoutFrictionDoNotStick)
{
  const Json rod = checked_json("rod_dropped");
  for (const Json& end : rod["contacts"]) EXPECT_EQ(end["state"].get<std::string>(), "sliding");
  EXPECT_THAT(to_text(checked("rod_dropped")), Not(HasSubstr("e-16")));  // rounding is no velocity
}

TEST(ImpactReport, PlanarMechanismsHavePlanarFriction)
{
  // A rough rod that slides along: in the plane x z, and in a plane turned about the vertical, across both world axes.
  const auto rod = [](const char* turn) {
    return checked_json("rod_dropped", {{"models.r.rates", "{x: 1, y: -0.5, theta: -0.5}"},
                                        {"models.r.pose", "{rpy: [0, 0, " + std::string(turn) + "]}"},
                                        {"contacts", "[" + rod_end("left", -1, "normal_frame: world", "0.3") + ", " +
                                                         rod_end("right", 1, "normal_frame: world", "0.3") + "]"}});
  };
  const Json straight = rod("0"), turned = rod("0.6");
  for (const Json* report : {&straight, &turned}) {
    EXPECT_EQ((*report)["certificate"]["problem"]["contacts"][0]["tangents"], 1);
    EXPECT_EQ((*report)["velocity"]["unique"], true);
    EXPECT_EQ((*report)["contacts"][1]["state"], "sliding");
  }
  EXPECT_NEAR(change(turned), change(straight), 1e-12);
  EXPECT_NEAR(number(turned["contacts"][1]["impulse_world"][1]),
              number(straight["contacts"][1]["impulse_world"][0]) * std::sin(0.6), 1e-12);
  // Of orthotropic friction the axis in the plane remains: upwards is the second tangent of a normal along x. The right
  // finger then slips and gives 0.2 x 0.2 N s to the mass and, through sticking friction, to the left one: 0.02 m/s; it
  // keeps 0.06 m/s itself.
  const Json ellipse = checked_json("finger_regrasp", {{"contacts.right.mu_second", "0.2"}});
  EXPECT_EQ(ellipse["contacts"][1]["state"], "sliding");
  EXPECT_NEAR(number(ellipse["velocity"]["after"]["p/y2"]), 0.06, 1e-12);
  EXPECT_NEAR(number(ellipse["velocity"]["after"]["p/y1"]), 0.02, 1e-12);
  EXPECT_NEAR(change(ellipse), -0.0328, 1e-12);
  // Carts on a track cannot slide across it at all.
  const Json carts = checked_json("ratchet_carts", {{"contacts.buffer.mu", "0.5"}});
  EXPECT_EQ(carts["certificate"]["problem"]["contacts"][0]["tangents"], 0);
}

TEST(ImpactReport, RemarksAboutVelocities)
{
  const auto text = [](const std::string& name, const Overrides& overrides) {
    return to_text(checked(name, overrides));
  };
  EXPECT_THAT(text("rod_dropped", {{"models.r.rates", "{}"}}),
              HasSubstr("nothing is hit, velocities stay as they are"));
  EXPECT_THAT(text("rod_dropped", {{"models.r.rates", "{theta: -1}"}}), HasSubstr("left separates already (1 m/s)"));
  // Sections 4.5 and 7.3: the tip's slip turns round.
  EXPECT_THAT(text("pendulum_gains_energy", {{"contacts.tip.restitution.normal", "0.7"}}),
              HasSubstr("tip begins to slip or turns round: Newton's law makes its friction too"));
  EXPECT_THAT(text("pendulum_gains_energy", {{"contacts.tip.restitution", "{}"}}), Not(HasSubstr("turns round")));
  const Json flaws = checked_json("rod_dropped", {{"models.r.rates", "{theta: -1}"}})["impact"]["flaws"];
  ASSERT_EQ(flaws.size(), 1u);
  EXPECT_EQ(flaws[0], Json({{"who", "left"}, {"after", false}, {"velocity", 1.0}}));
  EXPECT_THAT(text("rod_dropped", {{"contacts.right.side", "bilateral"}}),
              HasSubstr("right moves along its normal before the impact (1 m/s)"));
  EXPECT_THAT(text("ratchet_carts", {{"models.c.rates", "{second: -1}"}}),
              HasSubstr("ratchet moves the way it cannot before the impact (1 m/s)"));
  EXPECT_THAT(text("rod_dropped", {{"closures", "[{name: latch, link: r/rod, kind: guide, normal: [0, 0, 1]}]"}}),
              HasSubstr("latch moves before the impact (0.5): it is caught at once"));
}

TEST(ImpactInput, BadEntriesAreNamed)
{
  const auto sphere = [](const std::string& path, const std::string& value) {
    return error_of("sphere_bounces", {{path, value}});
  };
  const std::string ground = "contacts.ground.";
  EXPECT_THAT(sphere(ground + "restitution.normal", "1.1"),
              HasSubstr("contacts[0].restitution.normal: want [0, 1] for a contact that closes, got 1.1"));
  EXPECT_THAT(sphere(ground + "restitution.normal", "-0.1"),
              HasSubstr("want [0, 1] for a contact that closes, got -0.1"));
  EXPECT_THAT(sphere(ground + "restitution.tangential", "-1"),
              HasSubstr("contacts[0].restitution.tangential: want (-1, 1] for friction, got -1"));
  EXPECT_THAT(sphere(ground + "restitution.spin", "2"),
              HasSubstr("contacts[0].restitution.spin: want (-1, 1] for torsion, got 2"));
  EXPECT_THAT(sphere(ground + "restitution.bounce", "2"), HasSubstr("want a known key (normal, tangential, spin)"));
  EXPECT_THAT(sphere(ground + "one_way", "1"), HasSubstr("contacts[0].one_way: want true or false, got '1'"));
  EXPECT_THAT(sphere(ground + "one_way", "true"),
              HasSubstr("restitution.normal: want (-1, 0] for a one-way contact, got 0.6"));
  EXPECT_THAT(sphere(ground + "mu_second", "0"),
              HasSubstr("contacts[0].mu_second: want it positive exactly where mu is (0.1), got 0"));
  EXPECT_THAT(sphere(ground + "mu_second", "-1"), HasSubstr("contacts[0].mu_second: want a number >= 0"));
  EXPECT_THAT(sphere(ground + "slides", "[1, 0, 0]"),
              HasSubstr("contacts[0].slides: want velocities in `rates` and `twist`"));
  EXPECT_THAT(sphere("options.cone", "{inner: 8}"), HasSubstr("options.cone: want exact for the question impact"));
  EXPECT_THAT(sphere("options.detachment", "forbidden"), HasSubstr("options.detachment: want allowed"));
  EXPECT_THAT(sphere("options.modes", "0"), HasSubstr("options.modes: want a whole number from 1 to"));
  EXPECT_THAT(error_of("ratchet_carts", {{"contacts.ratchet.side", "bilateral"}}),
              HasSubstr("contacts[1].one_way: want a unilateral contact"));
  EXPECT_THAT(
      error_of("rod_dropped", {{"contacts.left.side", "bilateral"}, {"contacts.left.restitution.normal", "-1"}}),
      HasSubstr("want (-1, 1] for a bilateral contact, got -1"));
}

TEST(ImpactInput, OtherQuestionsRefuseWhatTheyWouldIgnore)
{
  EXPECT_THAT(error_of("block_on_ground", {{"contacts.left.one_way", "true"}}),
              HasSubstr("contacts[1].one_way: want no one-way contact in the question all_sticking, got true; the "
                        "question impact has them"));
  EXPECT_THAT(error_of("box_pushed", {{"contacts.ground.mu_second", "0.2"}}),
              HasSubstr("contacts[0].mu_second: want the same friction in all directions in the question "
                        "equilibrium, got 0.2"));
  EXPECT_EQ(error_of("block_on_ground", {{"contacts.left.restitution", "{normal: 0.5}"}}), "no error");
  EXPECT_THAT(error_of("rod_dropped", {{"question", "all_sticking"}}),
              HasSubstr("one that hits belongs to the question impact"));
}

TEST(ImpactVerify, SaysWhatDisagrees)
{
  const std::string fails = to_json(checked("pendulum_gains_energy"));
  const std::string holds = to_json(checked("finger_regrasp"));
  const std::string none = to_json(checked("ratchet_against_buffer"));
  const auto message = [](const std::string& json, auto edit) { return message_about_forged(json, edit); };
  EXPECT_THAT(message(fails, [](Json& r) { r["verdict"] = "holds"; }),
              HasSubstr("says 'holds', but its certificate proves 'fails'"));
  EXPECT_THAT(message(fails, [](Json& r) { r["contacts"][0]["normal_impulse"] = 3.5; }),
              HasSubstr("contacts[0].normal_impulse: the report says 3.5"));
  EXPECT_THAT(message(fails, [](Json& r) { r["contacts"][0]["work"] = -0.1; }),
              HasSubstr("contacts[0].work: the report says -0.1"));
  EXPECT_THAT(message(fails, [](Json& r) { r["contacts"][0]["state"] = "sliding"; }), HasSubstr("contacts[0].state"));
  EXPECT_THAT(message(fails, [](Json& r) { r["impact"]["energy_change"] = 0.2; }), HasSubstr("impact.energy_change"));
  EXPECT_THAT(message(fails, [](Json& r) { r["impact"]["energy_bound"] = 0.2; }), HasSubstr("impact.energy_bound"));
  EXPECT_THAT(message(fails, [](Json& r) { r["impact"]["injected_by"][0]["who"] = "nobody"; }),
              HasSubstr("injected_by[0].who"));
  EXPECT_THAT(message(fails, [](Json& r) { r["velocity"]["after"]["p/upper"] = 0.0; }),
              HasSubstr("velocity.after.p/upper"));
  EXPECT_THAT(message(fails, [](Json& r) { r["velocity"]["before"]["p/upper"] = 0.0; }),
              HasSubstr("velocity.before.p/upper"));
  EXPECT_THAT(message(fails, [](Json& r) { r["certificate"]["velocity"][0] = -0.2; }),
              HasSubstr("proves nothing: momentum"));
  EXPECT_THAT(message(fails, [](Json& r) { r["certificate"]["laws"][0]["normal"] = 0.4; }),
              HasSubstr("proves nothing: tip: pushes although it opens"));
  EXPECT_THAT(message(fails, [](Json& r) { r["certificate"]["laws"][0]["normal"] = 1.4; }),
              HasSubstr("is not one: laws[0].normal"));
  EXPECT_THAT(message(fails, [](Json& r) { r["certificate"]["problem"]["contacts"][0]["mu"] = 0.4; }),
              HasSubstr("exceeds its budget"));
  EXPECT_THAT(message(fails, [](Json& r) { r["margins"]["restitution"] = 0.25; }),
              HasSubstr("margins.restitution is not proved"));
  EXPECT_THAT(message(fails, [](Json& r) { r["impact"]["conditions"]["exact"]["holds"] = true; }),
              HasSubstr("conditions.exact does not hold"));

  // Uniqueness stands on the leaves: every mode looked at, each with a proof.
  EXPECT_THAT(message(holds, [](Json& r) { r["certificate"]["leaves"].erase(0); }),
              HasSubstr("velocity.unique: the report says true, but its certificate proves false"));
  EXPECT_THAT(message(holds,
                      [](Json& r) {
                        for (Json& leaf : r["certificate"]["leaves"])
                          if (leaf.contains("witness")) leaf["witness"][0] = 7.0;
                      }),
              HasSubstr("but its certificate proves"));
  EXPECT_THAT(message(holds,
                      [](Json& r) {
                        for (Json& leaf : r["certificate"]["leaves"])
                          if (leaf.contains("left_inverse")) leaf["left_inverse"][0][0] = 7.0;
                      }),
              HasSubstr("velocity.unique: the report says true, but its certificate proves false"));
  EXPECT_THAT(message(holds, [](Json& r) { r["impact"]["unique"] = "fails"; }), HasSubstr("impact.unique"));
  // The same solution twice is not two solutions, however consistently it is told.
  EXPECT_THAT(message(holds,
                      [](Json& r) {
                        for (Json* list : {&r["certificate"]["solutions"], &r["impact"]["solutions"]}) {
                          const Json first = (*list)[0];
                          list->push_back(first);
                        }
                        r["certificate"]["leaves"] = Json::array();
                        r["impact"]["unique"] = "fails";
                        r["impact"]["complete"] = r["velocity"]["unique"] = false;
                      }),
              HasSubstr("one solution is listed twice"));
  EXPECT_THAT(message(none, [](Json& r) { r["certificate"]["leaves"].erase(0); }), HasSubstr("proves nothing"));
  EXPECT_THAT(message(none, [](Json& r) { r["certificate"]["laws"][0]["normal"] = 0.0; }), HasSubstr("proves nothing"));

  expect_no_digit_may_change(none, 4);
  expect_no_digit_may_change(fails, 16);
}

// Another processor rounds differences otherwise: by a share of what they are differences of.
TEST(ImpactVerify, DifferencesMayBeRoundedOtherwise)
{
  const Json report = checked_json("finger_regrasp");
  const auto verify = [&](double velocity) {
    Json changed = report;
    changed["contacts"][0]["velocity_after"][0] = velocity;  // it comes to rest
    changed.erase("checksum");
    changed["checksum"] = checksum(changed.dump());
    return verify_report(changed.dump(), "r").valid;
  };
  EXPECT_TRUE(verify(1e-14));
  EXPECT_FALSE(verify(1e-9));
}

TEST(ImpactVerify, AnUndecidedReportClaimsNothing)
{
  // A quadruped that slides while it lands, unequal restitutions, and no time to look at modes.
  const ScenarioReport report = checked("quadruped_touchdown", {{"models.robot.twist", "{linear: [0.6, 0.2, -0.4]}"},
                                                                {"contacts.lf.restitution", "{normal: 0.5}"},
                                                                {"contacts.rh.restitution", "{normal: 0.9}"},
                                                                {"options.modes", "1"}});
  EXPECT_EQ(report.verdict, Verdict::kUndecided) << to_text(report);
  EXPECT_THAT(report.summary, HasSubstr("more than 1 combinations of modes"));
  EXPECT_THAT(verify_report(to_json(report), "r").message, HasSubstr("claims nothing"));
}

TEST(ImpactVerify, SectorsWithoutWidthCoverNothing)
{
  Json report = checked_json("quadruped_touchdown");
  int forged = 0;
  for (Json& leaf : report["certificate"]["leaves"])
    for (Json& mode : leaf["modes"])
      if (mode.contains("angles") && mode["angles"][0] == 0.0) {
        mode["angles"][1] = 0.0;
        ++forged;
      }
  ASSERT_GT(forged, 0);
  EXPECT_FALSE(verify_json(report, nullptr).valid);
  EXPECT_FALSE(judge_exactly(report.dump()).valid);
}

TEST(ImpactBatch, RowsAnswerAsCheckDoes)
{
  const std::vector<Overrides> rows = {{{"contacts.tip.restitution.normal", "0.3"}},
                                       {{"contacts.tip.mu", "0.1"}},
                                       {},
                                       {{"models.p.rates.upper", "0.5"}},
                                       {{"contacts.tip.restitution", "{normal: 0.5, tangential: 0.5}"}},
                                       {{"contacts.tip.one_way", "true"}, {"contacts.tip.restitution", "{}"}},
                                       {{"options.margins", "true"}}};
  ScenarioDocument document = load_scenario(scenario("pendulum_gains_energy"));
  RowAnswerer answerer(document, {});
  EXPECT_EQ(answerer.columns(),
            (std::vector<std::string>{"energy_before", "energy_change", "utilisation", "solutions", "unique"}));
  int fails = 0;
  for (const Overrides& overrides : rows) {
    BatchRow row;
    for (const auto& [path, value] : overrides) row.changes.emplace_back(path, parse_yaml(value, ""));
    RowAnswer answer;
    answerer.answer(row, answer);
    const Json report = checked_json("pendulum_gains_energy", overrides);
    EXPECT_EQ(name_of(answer.verdict), report["verdict"]);
    EXPECT_EQ(answer.summary, report["summary"].get<std::string>());
    EXPECT_EQ(answer.cells[1].number, change(report));
    EXPECT_EQ(answer.cells[3].number, report["impact"]["solutions"].size());
    EXPECT_EQ(answer.cells[4].word, report["impact"]["unique"].get<std::string>());
    fails += answer.verdict == Verdict::kFails;
  }
  EXPECT_GE(fails, 1);
  RowAnswer none;
  RowAnswerer contradiction(load_scenario(scenario("ratchet_against_buffer")), {});
  contradiction.answer({}, none);
  EXPECT_EQ(none.verdict, Verdict::kFails);
  EXPECT_FALSE(none.cells[1].number);  // null
}

}  // namespace
}  // namespace stiction::internal
