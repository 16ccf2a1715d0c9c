// Reports of the gallery's scenarios, and forgeries of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "io/check.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {

inline std::string scenario(const std::string& name)
{
  return std::string(STICTION_SOURCE_DIR) + "/scenarios/" + name + ".yaml";
}

/// Folder to search for package://example-robot-data, or empty.
inline std::string robot_packages()
{
#ifdef STICTION_ROBOT_DATA
  const std::string robots =
      std::getenv("STICTION_ROBOT_DATA") ? std::getenv("STICTION_ROBOT_DATA") : STICTION_ROBOT_DATA;
#else
  const std::string robots = std::getenv("STICTION_ROBOT_DATA") ? std::getenv("STICTION_ROBOT_DATA") : "";
#endif
  return robots.empty() ? "" : std::filesystem::path(robots).parent_path().parent_path().string();
}

/// Files of the gallery, in their order.
/// @param real_robots_every of those with real robots, where these are found, one of so many
inline std::vector<std::string> gallery_files(int real_robots_every)
{
  std::vector<std::string> own, real;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(STICTION_SOURCE_DIR) + "/scenarios"))
    if (entry.path().extension() == ".yaml") {
      const std::string file = entry.path().string();
      const bool package = read_text_file(file, "scenario").find("package://") != std::string::npos;
      (package ? real : own).push_back(file);
    }
  std::ranges::sort(own);
  std::ranges::sort(real);
  if (robot_packages().empty())
    std::cout << "SKIPPED: " << real.size()
              << " scenarios with real robots, as none are found. Set STICTION_ROBOT_DATA.\n";
  else
    for (std::size_t i = 0; i < real.size(); i += static_cast<std::size_t>(std::max(1, real_robots_every)))
      own.push_back(real[i]);
  return own;
}

inline std::size_t widest_line(const std::string& text)
{
  std::size_t widest = 0;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) widest = std::max(widest, line.size());
  return widest;
}

inline ScenarioReport checked(const std::string& name, const std::vector<ScenarioOverride>& overrides = {})
{
  return check_file(scenario(name), overrides, {robot_packages()});
}

inline nlohmann::ordered_json checked_json(const std::string& name, const std::vector<ScenarioOverride>& overrides = {})
{
  return nlohmann::ordered_json::parse(to_json(checked(name, overrides)));
}

inline std::string error_of(const std::string& name, const std::vector<ScenarioOverride>& overrides)
{
  try {
    checked(name, overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// What verify says about a report that was edited by someone careful enough to mend the checksum.
template <class Edit>
std::string message_about_forged(const std::string& json, Edit edit)
{
  auto report = nlohmann::ordered_json::parse(json);
  edit(report);
  report.erase("checksum");
  report["checksum"] = checksum(report.dump());
  try {
    const Verification result = verify_report(report.dump(), "r");
    EXPECT_FALSE(result.valid);
    return result.message;
  } catch (const InputError& error) {  // no report any more
    return error.what();
  }
}

/// Changes about one digit in `every`, one at a time.
inline void expect_no_digit_may_change(const std::string& json, unsigned every = 8)
{
  std::mt19937 rng{5};
  int edits = 0;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (!std::isdigit(static_cast<unsigned char>(json[i])) || rng() % every != 0) continue;
    std::string edited = json;
    edited[i] = static_cast<char>('0' + (json[i] - '0' + 1 + static_cast<int>(rng() % 9)) % 10);
    bool valid = false;
    try {
      // A digit that does not change the number that it stands for changes nothing.
      if (nlohmann::ordered_json::parse(edited) == nlohmann::ordered_json::parse(json)) continue;
      valid = verify_report(edited, "r").valid;
    } catch (const std::exception&) {  // no report any more
    }
    EXPECT_FALSE(valid) << i << ": " << edited.substr(i > 20 ? i - 20 : 0, 40);
    ++edits;
  }
  EXPECT_GT(edits, 30);
}

}  // namespace stiction::internal
