#include "io/batch_output.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "io/sha256.hpp"
#include "stiction/version.hpp"

namespace stiction::internal {
namespace {

constexpr auto kSyncEvery = std::chrono::seconds(1);

using Json = nlohmann::ordered_json;

constexpr std::pair<const char*, std::string BatchOrigin::*> kOriginParts[] = {
    {"program", &BatchOrigin::program}, {"scenario", &BatchOrigin::scenario}, {"set", &BatchOrigin::set},
    {"urdf", &BatchOrigin::urdf},       {"rows", &BatchOrigin::rows},         {"shard", &BatchOrigin::shard}};

}  // namespace

std::string BatchOrigin::json() const
{
  Json json;
  for (const auto& [name, part] : kOriginParts) json[name] = this->*part;
  return json.dump() + "\n";
}

BatchOrigin origin_of(const BatchArguments& arguments, const std::vector<std::pair<std::string, std::string>>& urdf)
{
  Json set = Json::array(), models = Json::array();
  for (const ScenarioOverride& change : arguments.document.overrides) set.push_back({change.path, change.value});
  if (!arguments.settings.empty()) set.push_back(arguments.settings);
  for (const auto& [name, hash] : urdf) models.push_back({name, hash});
  const auto hash = [](const Json& json) { return sha256(json.dump(-1, ' ', false, Json::error_handler_t::replace)); };
  std::error_code ignored;
  const bool regular = std::filesystem::is_regular_file(arguments.inputs, ignored);
  const std::optional<BatchShard>& shard = arguments.shard;
  return {STICTION_VERSION,
          arguments.document.sha256,
          hash(set),
          hash(models),
          regular ? sha256_of_file(arguments.inputs) : "",
          shard ? std::to_string(shard->index) + "/" + std::to_string(shard->count) : ""};
}

BatchOutput::BatchOutput(const std::string& file) : name_(file)
{
  fd_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd_ < 0) fail("opened");
  struct stat status = {};
  regular_ = ::fstat(fd_, &status) == 0 && S_ISREG(status.st_mode);
  // Held until the process ends, however it does. File systems without locks have none.
  if (regular_ && ::flock(fd_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(fd_);
    throw InputError("--out", "want a file that no other batch is writing, got " + internal::quoted(name_));
  }
  if (regular_ && ::fstat(fd_, &status) == 0) size_ = static_cast<std::uint64_t>(status.st_size);
}

BatchOutput::~BatchOutput()
{
  if (fd_ >= 0) ::close(fd_);
}

void BatchOutput::resume_at(std::uint64_t size)
{
  if (!regular_) return;
  if (::ftruncate(fd_, static_cast<off_t>(size)) != 0 || ::lseek(fd_, 0, SEEK_END) < 0) fail("continued");
}

void BatchOutput::write(const std::string& text)
{
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(fd_, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("written");
    done += static_cast<std::size_t>(count);
  }
  if (std::chrono::steady_clock::now() - synced_ > kSyncEvery) sync();
}

void BatchOutput::sync()
{
  if (::fsync(fd_) != 0 && errno != EINVAL && errno != ENOTSUP) fail("saved");  // pipes and devices cannot
  synced_ = std::chrono::steady_clock::now();
}

void BatchOutput::write_origin(const BatchOrigin& origin) const
{
  if (!regular_) return;
  std::ofstream stream(name_ + ".inputs", std::ios::binary);
  stream << origin.json() << std::flush;
  if (!stream)
    throw InputError("--out", "want a file that can be written, got " + internal::quoted(name_ + ".inputs") + ": " +
                                  std::strerror(errno));
}

void BatchOutput::require_origin(const BatchOrigin& origin) const
{
  const std::string file = name_ + ".inputs";
  std::ifstream stream(file, std::ios::binary);
  const Json found = Json::parse(stream, nullptr, false);
  if (!found.is_object())
    throw InputError("--resume", "want " + internal::quoted(file) +
                                     ", which says what the results answer, got none; without "
                                     "--resume they are written anew");
  const Json wanted = Json::parse(origin.json());
  for (const auto& [name, part] : kOriginParts)
    if (!found.contains(name) || found[name] != wanted[name])
      throw InputError("--resume", "want results of the same " + std::string(name) + ", got those of another in " +
                                       internal::quoted(name_) + " (" + internal::quoted(file) + ")");
}

void BatchOutput::fail(const char* what) const
{
  throw InputError("--out", "want a file that can be " + std::string(what) + ", got " + internal::quoted(name_) + ": " +
                                std::strerror(errno));
}

}  // namespace stiction::internal
