#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "io/document.hpp"

namespace stiction::internal {

/// Text with every number replaced by #, and the numbers.
inline std::pair<std::string, std::vector<double>> numbers_of(const std::string& text)
{
  std::pair<std::string, std::vector<double>> result;
  for (const char* at = text.c_str(); *at;) {
    char* end = nullptr;
    const bool starts = std::isdigit(static_cast<unsigned char>(*at)) ||
                        (*at == '-' && std::isdigit(static_cast<unsigned char>(at[1])));
    if (starts) {
      result.second.push_back(std::strtod(at, &end));
      result.first += '#';
      at = end;
    } else {
      result.first += *at++;
    }
  }
  return result;
}

/// The same as tests/draw/golden/NAME.svg, with numbers that near.
inline void expect_golden(const std::string& svg, const std::string& name, double within)
{
  const auto [text, numbers] = numbers_of(svg);
  const auto [golden, wanted] =
      numbers_of(read_text_file(std::string(STICTION_SOURCE_DIR) + "/tests/draw/golden/" + name + ".svg", "golden"));
  EXPECT_EQ(text, golden);
  ASSERT_EQ(numbers.size(), wanted.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_NEAR(numbers[i], wanted[i], within) << i;
}

}  // namespace stiction::internal
