#include "base/names.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

/// Bytes of the UTF-8 character at the start of the text; 0 if there is none.
std::size_t character(std::string_view text)
{
  const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  const unsigned lead = byte(0);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xc2 && lead < 0xe0 ? 2
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(k) & 0xc0) != 0x80) return 0;
  const bool overlong_or_surrogate = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f) ||
                                     (lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) > 0x8f);
  return overlong_or_surrogate ? 0 : length;
}

}  // namespace

std::size_t not_utf8(std::string_view text)
{
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character(text.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return text.npos;
}

std::string printable(std::string_view text)
{
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character(text.substr(i));
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[i + k]); };
    const bool control = length == 1 ? byte(0) < 0x20 || byte(0) == 0x7f
                                     : length == 2 && byte(0) == 0xc2 && byte(1) < 0xa0;  // C1: some terminals obey
    if (length > 0 && !control) {
      result += text.substr(i, length);
    } else {
      for (std::size_t k = 0; k < std::max<std::size_t>(length, 1); ++k) {
        result += "\\x";
        for (const int shift : {4, 0}) result += "0123456789abcdef"[byte(k) >> shift & 0xf];
      }
    }
    i += std::max<std::size_t>(length, 1);
  }
  return result;
}

void require_name(const std::string& name, const std::string& path)
{
  if (name.empty()) throw InputError(path, "want a name, got an empty one");
  if (printable(name) != name)
    throw InputError(path, "want a name in UTF-8 without control characters, got " + quoted(name));
}

}  // namespace stiction::internal
