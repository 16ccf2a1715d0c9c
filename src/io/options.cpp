#include "io/options.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/limits.hpp"
#include "base/numerics.hpp"
#include "base/text.hpp"
#include "io/entry_reader.hpp"
#include "io/json.hpp"
#include "io/report.hpp"
#include "io/units.hpp"

namespace stiction::internal {
namespace option_table {
namespace {

void require(bool condition, const std::string& path, const std::string& want, const std::string& got)
{
  if (!condition) throw InputError(path, "want " + want + ", got " + got);
}

// ---- Kinds of values: read(entry, path), require(value, path), write(value).

struct YesOrNo {
  static bool read(const Entry& entry, const std::string& path) { return boolean(entry, path); }
  static void require(bool, const std::string&) {}
  static Json write(bool value) { return value; }
};

struct Name {
  static std::string read(const Entry& entry, const std::string& path) { return text_of(entry, path); }
  static void require(const std::string&, const std::string&) {}
  static Json write(const std::string& value) { return value; }
};

template <const auto& names>
struct OneOf {
  static std::string listed()
  {
    std::string list;
    for (const char* const name : names) list += (list.empty() ? "" : " | ") + std::string(name);
    return list;
  }
  static bool has(const std::string& value) { return std::ranges::find(names, value) != std::ranges::end(names); }
  static std::string read(const Entry& entry, const std::string& path)
  {
    if (entry.kind != Entry::Kind::kText || !has(entry.text))
      fail_choice(entry, path, {std::begin(names), std::end(names)});
    return entry.text;
  }
  static void require(const std::string& value, const std::string& path)
  {
    option_table::require(has(value), path, listed(), quoted(value));
  }
  static Json write(const std::string& value) { return value; }
};

struct Positive {
  static double read(const Entry& entry, const std::string& path) { return positive_number(entry, path); }
  static void require(double value, const std::string& path)
  {
    option_table::require(std::isfinite(value) && value > 0.0, path, "a finite number > 0", text(value));
    option_table::require(in_range(value), path, "a number up to 1e50", text(value));
  }
  static Json write(double value) { return value; }
};

struct Length : Positive {
  static double read(const Entry& entry, const std::string& path) { return positive_length(entry, path); }
};

struct HalfWidth : Length {
  static void require(double value, const std::string& path)
  {
    Positive::require(value, path);
    option_table::require(value <= 1e6, path, "at most 1e6 m", text(value));
  }
};

struct Tolerance {
  static double read(const Entry& entry, const std::string& path) { return number_at_least_zero(entry, path); }
  static void require(double value, const std::string& path)
  {
    option_table::require(value >= 0.0 && value <= kLargestTolerance, path, "0 to 2^-7", text(value));
  }
  static Json write(double value) { return value; }
};

struct Modes {
  static int read(const Entry& entry, const std::string& path)
  {
    return static_cast<int>(whole_number(entry, path, 1, 1e6));
  }
  static void require(int value, const std::string& path)
  {
    option_table::require(value >= 1 && value <= 1'000'000, path, "1 to 1e6", std::to_string(value));
  }
  static Json write(int value) { return value; }
};

struct Vector {
  static Eigen::Vector3d read(const Entry& entry, const std::string& path) { return vector3(entry, path); }
  static void require(const Eigen::Vector3d& value, const std::string& path)
  {
    option_table::require(value.allFinite(), path, "three finite numbers", text(value));
    option_table::require(in_range(value.lpNorm<Eigen::Infinity>()), path, "numbers up to 1e50", text(value));
  }
  static Json write(const Eigen::Vector3d& value) { return json(Eigen::VectorXd(value)); }
};

struct Point : Vector {
  static Eigen::Vector3d read(const Entry& entry, const std::string& path) { return lengths(entry, path); }
};

struct Cone {
  static ConeShape read(const Entry& entry, const std::string& path)
  {
    if (entry.kind == Entry::Kind::kText && entry.text == "exact") return ConeShape::exact();
    if (entry.kind != Entry::Kind::kMap || entry.keys.size() != 1 ||
        (entry.keys[0] != "inner" && entry.keys[0] != "outer"))
      fail(entry, path, "exact | {inner: facets} | {outer: facets}");
    const std::string where = path + "." + entry.keys[0];
    const double count = number(entry.items[0], where);
    if (count < 3 || count > kMostFacets || count != std::floor(count))
      fail(entry.items[0], where, "a whole number from 3 to 4096");
    const int facets = static_cast<int>(count);
    return entry.keys[0] == "inner" ? ConeShape::inner(facets) : ConeShape::outer(facets);
  }
  static void require(const ConeShape& shape, const std::string& path)
  {
    option_table::require(shape.facets >= 3 && shape.facets <= kMostFacets, path, "3 to 4096 facets",
                          std::to_string(shape.facets));
  }
  static Json write(const ConeShape& shape) { return cone_json(shape); }
};

struct Detaching {
  static Detachment read(const Entry& entry, const std::string& path)
  {
    return one_of<Detachment, 3>(
        entry, path,
        {{{"allowed", Detachment::kAllowed}, {"forbidden", Detachment::kForbidden}, {"free", Detachment::kFree}}});
  }
  static void require(Detachment, const std::string&) {}
  static Json write(Detachment value) { return name_of(value); }
};

struct Push {
  using Direction = PushOption::Direction;

  static PushOption read(const Entry& entry, const std::string& path)
  {
    const Map map(entry, path, {"link", "at", "direction"});
    PushOption push;
    push.link = text_of(map.need("link"), map.path_of("link"));
    push.at = lengths_or(map, "at", push.at);
    const Entry& direction = map.need("direction");
    if (direction.kind == Entry::Kind::kList) {
      push.direction = unit_vector(direction, map.path_of("direction")).normalized();
      return push;
    }
    if (direction.text != "horizontal" && direction.text != "any")
      fail(direction, map.path_of("direction"), "a unit vector in the world, horizontal or any");
    push.kind = direction.text == "any" ? Direction::kAny : Direction::kHorizontal;
    return push;
  }
  static void require(const PushOption& push, const std::string& path)
  {
    Vector::require(push.at, path + ".at");
    option_table::require(push.kind != Direction::kGiven || std::abs(push.direction.norm() - 1.0) <= kUnitRounding,
                          path + ".direction", "a unit vector", text(push.direction));
  }
  static Json write(const PushOption& push)
  {
    const Json direction = push.kind == Direction::kGiven ? Vector::write(push.direction)
                           : push.kind == Direction::kAny ? Json("any")
                                                          : Json("horizontal");
    return {{"link", push.link}, {"at", Vector::write(push.at)}, {"direction", direction}};
  }
};

struct Wrench {
  static WrenchOption read(const Entry& entry, const std::string& path)
  {
    const Map map(entry, path, {"force", "torque"});
    WrenchOption wrench;
    wrench.force = map.vector_or("force", wrench.force);
    wrench.torque = map.vector_or("torque", wrench.torque);
    return wrench;
  }
  static void require(const WrenchOption& wrench, const std::string& path)
  {
    Vector::require(wrench.force, path + ".force");
    Vector::require(wrench.torque, path + ".torque");
  }
  static Json write(const WrenchOption& wrench)
  {
    return {{"force", Vector::write(wrench.force)}, {"torque", Vector::write(wrench.torque)}};
  }
};

struct Noise {
  static NoiseOption read(const Entry& entry, const std::string& path)
  {
    const Map map(entry, path, {"position", "angle", "samples", "seed"});
    NoiseOption noise;
    if (const Entry* found = map.find("position"))
      noise.position = length_at_least_zero(*found, map.path_of("position"));
    if (const Entry* found = map.find("angle")) {
      noise.angle = angle(*found, map.path_of("angle"));
      if (noise.angle < 0.0) fail(*found, map.path_of("angle"), "a number >= 0");
    }
    if (const Entry* found = map.find("samples"))
      noise.samples = static_cast<int>(whole_number(*found, map.path_of("samples"), 1, 1e7));
    if (const Entry* found = map.find("seed")) noise.seed = whole_number(*found, map.path_of("seed"), 0, 0x1p53);
    return noise;
  }
  static void require(const NoiseOption& noise, const std::string& path)
  {
    const auto at_least_zero = [](double value, const std::string& where) {
      option_table::require(in_range(value) && value >= 0.0, where, "a finite number >= 0", text(value));
    };
    at_least_zero(noise.position, path + ".position");
    at_least_zero(noise.angle, path + ".angle");
    option_table::require(noise.samples >= 1 && noise.samples <= 10'000'000, path + ".samples", "1 to 1e7",
                          std::to_string(noise.samples));
  }
  static Json write(const NoiseOption& noise)
  {
    return {{"position", noise.position}, {"angle", noise.angle}, {"samples", noise.samples}, {"seed", noise.seed}};
  }
};

std::vector<std::string> joint_names(const Entry& entry, const std::string& path)
{
  std::vector<std::string> names;
  each(&entry, path.c_str(),
       [&](const Entry& name, const std::string& where) { names.push_back(text_of(name, where)); });
  if (names.empty()) fail(entry, path, "names of joints");
  return names;
}

struct RepairForces {
  static RepairForcesOption read(const Entry& entry, const std::string& path)
  {
    if (entry.kind == Entry::Kind::kText && entry.text == "actuated") return {true, {}};
    if (entry.kind != Entry::Kind::kList) fail(entry, path, "actuated, or a list of joints");
    return {false, joint_names(entry, path)};
  }
  static void require(const RepairForcesOption& forces, const std::string& path)
  {
    option_table::require(forces.actuated == forces.joints.empty(), path, "actuated, or a list of joints",
                          forces.actuated ? "both" : "neither");
  }
  static Json write(const RepairForcesOption& forces)
  {
    return forces.actuated ? Json("actuated") : Json(forces.joints);
  }
};

struct RepairPosture {
  using Contacts = PostureMoves::Contacts;

  static RepairPostureOption read(const Entry& entry, const std::string& path)
  {
    const Map map(entry, path, {"move", "contacts"});
    return {joint_names(map.need("move"), map.path_of("move")),
            map.choice_or<Contacts, 2>("contacts", {{{"stay", Contacts::kStay}, {"along", Contacts::kAlong}}},
                                       Contacts::kStay)};
  }
  static void require(const RepairPostureOption& posture, const std::string& path)
  {
    option_table::require(!posture.move.empty(), path + ".move", "names of joints", "none");
  }
  static Json write(const RepairPostureOption& posture)
  {
    return {{"move", posture.move}, {"contacts", posture.contacts == Contacts::kStay ? "stay" : "along"}};
  }
};

constexpr const char* kSolvers[] = {"auto", "native", "sparse", "qpoases"};
constexpr const char* kPlaneNames[] = {"xy", "yz", "zx"};
constexpr const char* kTangential[] = {"held", "left_out"};
constexpr const char* kParting[] = {"refused", "left_out"};

// ---- The table.

/// What was set: an optional has a value, anything else is not the default.
template <class Value>
const Value* set_value(const std::optional<Value>& value, const std::optional<Value>&)
{
  return value ? &*value : nullptr;
}
template <class Value>
const Value* set_value(const Value& value, const Value& usual)
{
  return value == usual ? nullptr : &value;
}
const ConeShape* set_value(const ConeShape& value, const ConeShape& usual)
{
  return value.approximation == usual.approximation ? nullptr : &value;
}

struct Option {
  const char* key;
  void (*read)(const Entry& entry, const std::string& path, ScenarioOptions& options);
  void (*require)(const ScenarioOptions& options, const std::string& path);
  Json (*write)(const ScenarioOptions& options);    ///< null: it was not set
  const char* needs_robots;                         ///< why a problem file has none; null: it may
  std::optional<Question> only_for = std::nullopt;  ///< refused with other questions, instead of not looked at
};

template <auto field>
const auto* found(const ScenarioOptions& options)
{
  static const ScenarioOptions kUsual;
  return set_value(options.*field, kUsual.*field);
}

template <class Kind, auto field>
constexpr Option option(const char* key, const char* needs_robots = nullptr,
                        std::optional<Question> only_for = std::nullopt)
{
  return {key,
          [](const Entry& entry, const std::string& path, ScenarioOptions& options) {
            options.*field = Kind::read(entry, path);
          },
          [](const ScenarioOptions& options, const std::string& path) {
            if (const auto* value = found<field>(options)) Kind::require(*value, path);
          },
          [](const ScenarioOptions& options) {
            const auto* value = found<field>(options);
            return value ? Kind::write(*value) : Json();
          },
          needs_robots,
          only_for};
}

using O = ScenarioOptions;

constexpr Option kOptions[] = {
    option<Cone, &O::cone>("cone"),
    option<Detaching, &O::detachment>("detachment"),
    option<OneOf<kSolvers>, &O::solver>("solver"),
    option<Tolerance, &O::tolerance>("tolerance", nullptr, Question::kEquilibrium),
    option<YesOrNo, &O::intervals>("intervals"),
    option<YesOrNo, &O::margins>("margins"),
    option<YesOrNo, &O::repairs>("repairs"),
    option<RepairForces, &O::repair_forces>("repair_forces", nullptr, Question::kAllSticking),
    option<RepairPosture, &O::repair_posture>("repair_posture", "it needs robots with joints", Question::kAllSticking),
    option<YesOrNo, &O::explain>("explain"),
    option<YesOrNo, &O::steps>("steps", nullptr, Question::kAllSticking),
    option<Push, &O::push>("push", "it needs a robot with links"),
    option<Positive, &O::gap>("gap"),
    option<HalfWidth, &O::box>("box"),
    option<Name, &O::object>("object"),
    option<OneOf<kPlaneNames>, &O::plane>("plane", "the matrices say what moves"),
    option<Length, &O::length>("length"),
    option<Point, &O::point>("point"),
    option<Wrench, &O::wrench>("wrench", "it belongs to F"),
    option<Noise, &O::noise>("noise", "it needs contacts on a floating object"),
    option<OneOf<kTangential>, &O::tangential>("tangential"),
    option<Modes, &O::modes>("modes"),
    option<OneOf<kParting>, &O::parting>("parting"),
    option<YesOrNo, &O::strict>("strict", "it is about collision shapes"),
};

std::string path_of(const Option& option) { return std::string("options.") + option.key; }

}  // namespace
}  // namespace option_table

using option_table::kOptions, option_table::Option, option_table::path_of;

ScenarioOptions decode_options(const Entry& entry)
{
  ScenarioOptions options;
  if (entry.kind == Entry::Kind::kNull) return options;
  std::vector<std::string> keys;
  for (const Option& option : kOptions) keys.push_back(option.key);
  const Map map(entry, "options", keys);
  for (const Option& option : kOptions)
    if (const Entry* found = map.find(option.key)) option.read(*found, path_of(option), options);
  return options;
}

void require_options(const Scenario& scenario)
{
  for (const Option& option : kOptions) {
    option.require(scenario.options, path_of(option));
    if (!option.only_for || *option.only_for == scenario.question) continue;
    const Json value = option.write(scenario.options);
    option_table::require(value.is_null(), path_of(option),
                          std::string("none unless the question is ") + stiction::name_of(*option.only_for),
                          value.dump());
  }
}

void require_options_of_matrices(const ScenarioOptions& options)
{
  for (const Option& option : kOptions)
    if (option.needs_robots && !option.write(options).is_null())
      throw InputError(path_of(option),
                       std::string("want none for a problem file: ") + option.needs_robots + ", got one");
}

Json options_json(const ScenarioOptions& options)
{
  Json entry = Json::object();
  for (const Option& option : kOptions)
    if (Json value = option.write(options); !value.is_null()) entry[option.key] = std::move(value);
  return entry;
}

}  // namespace stiction::internal
