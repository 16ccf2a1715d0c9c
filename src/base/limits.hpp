#pragma once

#include <cmath>
#include <cstddef>

// How much is read, and how large a scene may be. docs/limits.md states them; each is checked before the work.

namespace stiction::internal {

/// Numbers of scenarios and URDFs: products of three of them, and the squares of those, are finite.
inline constexpr double kLargestNumber = 1e50;
inline bool in_range(double value) { return std::abs(value) <= kLargestNumber; }  // nan is not

inline constexpr std::size_t kMostScenarioBytes = std::size_t{16} << 20;  // a second or two of reading YAML
inline constexpr std::size_t kMostUrdfBytes = std::size_t{8} << 20;       // XML takes a hundred times as much
inline constexpr std::size_t kMostReportBytes = std::size_t{128} << 20;
inline constexpr std::size_t kMostJsonValues = 6'000'000;               // some hundred bytes of memory each
inline constexpr std::size_t kMostSceneNumbers = std::size_t{1} << 22;  // of M and J together: 32 MB

}  // namespace stiction::internal
