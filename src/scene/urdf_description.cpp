#include "scene/urdf_description.hpp"

#include <stdio.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "base/text.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

/// What a command prints, errors too.
std::string output_of(const std::string& command)
{
  constexpr std::size_t kMostBytes = 1 << 20;
  std::string output;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) return output;
  std::array<char, 4096> chunk;
  for (std::size_t count; (count = std::fread(chunk.data(), 1, chunk.size(), pipe)) > 0;)
    if (output.size() < kMostBytes) output.append(chunk.data(), count);
  ::pclose(pipe);
  return output;
}

}  // namespace

std::string locate_description(const std::string& name, const std::string& path)
{
  const auto plain = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  if (name.empty() || !std::ranges::all_of(name, plain))
    throw InputError(path, "want robot_descriptions:NAME such as go2_description, got " + quoted(name));
  const std::string output =
      output_of("python3 -c 'import importlib; m = importlib.import_module(\"robot_descriptions." + name +
                "\"); print(\"\\nURDF at \" + m.URDF_PATH)' 2>&1");
  constexpr std::string_view kFound = "\nURDF at ";
  if (const auto found = output.find(kFound); found != output.npos) {
    const auto start = found + kFound.size();
    return output.substr(start, output.find('\n', start) - start);
  }
  const auto says = [&](const std::string& words) { return output.find(words) != output.npos; };
  if (says("No module named 'robot_descriptions'"))
    throw InputError(path,
                     "want the Python package robot_descriptions, which python3 does not find: pip install "
                     "robot_descriptions, in the environment that is active");
  if (says("No module named"))
    throw InputError(path, "want a name that the Python package robot_descriptions has, got " + quoted(name));
  if (says("URDF_PATH")) throw InputError(path, "want a description with a URDF, got " + quoted(name) + " without one");
  const auto end = output.find_last_not_of('\n');
  const auto last = end == output.npos ? output.npos : output.rfind('\n', end);
  throw InputError(path, "want " + quoted(name) + " of the Python package robot_descriptions, got: " +
                             (end == output.npos ? "no python3" : output.substr(last + 1, end - last)));
}

}  // namespace stiction::internal
