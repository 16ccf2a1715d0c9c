#include "base/file.hpp"

#include <filesystem>
#include <fstream>

#include "base/text.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {

std::string read_whole_file(const std::string& file, std::size_t most, const std::string& path)
{
  namespace fs = std::filesystem;
  const auto refuse_size = [&] {
    throw InputError(path, "want at most " + std::to_string(most >> 20) + " MiB, got more in " + quoted(file));
  };
  std::error_code ignored, unsized;  // pipes and devices have no size
  if (!fs::exists(file, ignored)) throw InputError(path, "want an existing file, got " + quoted(file));
  if (fs::is_directory(file, ignored)) throw InputError(path, "want a file, got the directory " + quoted(file));
  if (const auto bytes = fs::file_size(file, unsized); !unsized && bytes > most) refuse_size();
  std::ifstream stream(file, std::ios::binary);
  std::string content, block(1 << 16, '\0');
  while (stream.read(block.data(), static_cast<std::streamsize>(block.size())), stream.gcount() > 0) {
    content.append(block, 0, static_cast<std::size_t>(stream.gcount()));
    if (content.size() > most) refuse_size();
  }
  if (!stream.eof()) throw InputError(path, "want a readable file, got " + quoted(file));
  return content;
}

}  // namespace stiction::internal
