#include "io/wrap.hpp"

#include <algorithm>

namespace stiction::internal {
namespace {

constexpr std::size_t kWidth = 80;

void append_words(std::string& out, const std::string& text, const std::string& first, const std::string& indent)
{
  std::size_t column = first.size();
  out += first;
  bool start = true;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (!start && column + 1 + (end - begin) > kWidth) {
      out += "\n" + indent;
      column = indent.size();
      start = true;
    }
    if (!start) {
      out += ' ';
      ++column;
    }
    out.append(text, begin, end - begin);
    column += end - begin;
    start = false;
    begin = end + 1;
  }
  out += '\n';
}

}  // namespace

void append_wrapped(std::string& out, const std::string& text) { append_words(out, text, "", ""); }

void append_item(std::string& out, const std::string& text) { append_words(out, text, " - ", "   "); }

}  // namespace stiction::internal
