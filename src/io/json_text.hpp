// The one reader of JSON that others wrote: reports and rows of a batch.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace stiction::internal {

/// Levels of lists and objects; a report needs 8.
inline constexpr int kDeepestJson = 64;

/// Strict: each key once per object, at most kDeepestJson levels, no number beyond the range of doubles.
/// @throws InputError with `source` as the place; `want` names what the text should be, such as "a JSON report".
nlohmann::ordered_json parse_json(const std::string& text, const std::string& source, const std::string& want);

}  // namespace stiction::internal
