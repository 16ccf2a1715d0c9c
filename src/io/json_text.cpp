#include "io/json_text.hpp"

#include <set>
#include <vector>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {

nlohmann::ordered_json parse_json(const std::string& text, const std::string& source, const std::string& want)
{
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  int depth = 0;
  std::size_t values = 0;
  // The parser itself needs no stack per level; copying and destroying what it made does.
  const auto strictly = [&](int, nlohmann::ordered_json::parse_event_t event, nlohmann::ordered_json& value) {
    using Event = nlohmann::ordered_json::parse_event_t;
    if (++values > kMostJsonValues)
      throw InputError(source, "want at most " + std::to_string(kMostJsonValues) + " values and brackets, got more");
    if (event == Event::object_start || event == Event::array_start) {
      if (++depth > kDeepestJson)
        throw InputError(source, "want at most " + std::to_string(kDeepestJson) + " nested levels, got more");
      if (event == Event::object_start) keys.emplace_back();
    }
    if (event == Event::object_end || event == Event::array_end) --depth;
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && !keys.back().insert(value.get<std::string>()).second)
      throw InputError(source, "want each key once, got " + quoted(value.get<std::string>()) + " twice");
    return true;
  };
  try {
    return nlohmann::ordered_json::parse(text, strictly);
  } catch (const nlohmann::ordered_json::exception& error) {
    throw InputError(source, "want " + want + ", got: " + error.what());
  }
}

}  // namespace stiction::internal
