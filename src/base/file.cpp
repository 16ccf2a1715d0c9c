#include "base/file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>

#include "base/text.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

constexpr int kMillisecondsForWriter = 3000;

}  // namespace

std::string read_whole_file(const std::string& file, std::size_t most, const std::string& path)
{
  namespace fs = std::filesystem;
  const auto refuse_size = [&] {
    throw InputError(path, "want at most " + std::to_string(most >> 20) + " MiB, got more in " + quoted(file));
  };
  const auto refuse_reading = [&] { throw InputError(path, "want a readable file, got " + quoted(file)); };
  std::error_code ignored, unsized;  // pipes and devices have no size
  if (!fs::exists(file, ignored)) throw InputError(path, "want an existing file, got " + quoted(file));
  if (fs::is_directory(file, ignored)) throw InputError(path, "want a file, got the directory " + quoted(file));
  if (const auto bytes = fs::file_size(file, unsized); !unsized && bytes > most) refuse_size();

  // Opening a named pipe would wait for a writer for ever. EAGAIN says that there is one that has not written yet.
  const int opened = ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (opened < 0) refuse_reading();
  const auto close = [](const int* fd) { ::close(*fd); };
  const std::unique_ptr<const int, decltype(close)> descriptor(&opened, close);
  std::string content, block(1 << 16, '\0');
  while (true) {
    pollfd readable = {opened, POLLIN, 0};
    const int ready = ::poll(&readable, 1, kMillisecondsForWriter);
    const ssize_t bytes = ::read(opened, block.data(), block.size());
    if (bytes < 0 && errno != EINTR && errno != EAGAIN) refuse_reading();
    if (bytes == 0 && ready == 0) {  // an end that poll knows nothing of: nobody has opened the other side
      throw InputError(path, "want a file, got the pipe " + quoted(file) + ", to which nobody writes");
    }
    if (bytes == 0) return content;
    if (bytes > 0) content.append(block, 0, static_cast<std::size_t>(bytes));
    if (content.size() > most) refuse_size();
  }
}

}  // namespace stiction::internal
