#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "base/file.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "scene/urdf.hpp"
#include "scene/urdf_description.hpp"
#include "scene/urdf_outline.hpp"
#include "scene/urdf_shapes.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScheme = "package://";
constexpr std::string_view kDescription = "robot_descriptions:";

std::vector<std::string> split_path_list(const char* list)
{
  std::vector<std::string> entries;
  std::istringstream stream(list ? list : "");
  for (std::string entry; std::getline(stream, entry, ':');)
    if (!entry.empty()) entries.push_back(entry);
  return entries;
}

/// The file a `package://name/rest` address stands for: below a folder of packages, or in a folder that is the package.
/// @param beside a file whose folders are looked at as well; may be empty.
fs::path find_in_packages(const std::string& address, const std::vector<std::string>& package_paths,
                          const std::string& path, const fs::path& beside = {})
{
  const fs::path relative = address.substr(kScheme.size());
  if (relative.empty() || relative.is_absolute())
    throw InputError(path, "want package://name/file, got " + quoted(address));
  const std::string package = relative.begin()->string();

  std::vector<std::string> roots = split_path_list(std::getenv("ROS_PACKAGE_PATH"));
  for (const std::string& prefix : split_path_list(std::getenv("AMENT_PREFIX_PATH")))
    roots.push_back(prefix + "/share");
  roots.insert(roots.end(), package_paths.begin(), package_paths.end());
  for (fs::path folder = beside.parent_path(); folder.has_relative_path(); folder = folder.parent_path())
    roots.push_back(folder.string());

  std::error_code ignored;
  std::string searched;
  for (const std::string& root : roots) {
    fs::path folder = root;
    if (!folder.has_filename()) folder = folder.parent_path();  // a trailing slash
    if (fs::path candidate = folder / relative; fs::is_regular_file(candidate, ignored)) return candidate;
    if (folder.filename() == package)
      if (fs::path candidate = folder.parent_path() / relative; fs::is_regular_file(candidate, ignored))
        return candidate;
    searched += (searched.empty() ? "" : ", ") + root;
  }
  throw InputError(path, "want a file in ROS_PACKAGE_PATH, AMENT_PREFIX_PATH or the package paths, got " +
                             quoted(address) +
                             " (searched: " + (searched.empty() ? "nothing, none of them is set" : searched) + ")");
}

}  // namespace

std::string locate_urdf_file(const std::string& file, const std::vector<std::string>& package_paths,
                             const std::string& path)
{
  if (file.starts_with(kDescription)) return locate_description(file.substr(kDescription.size()), path);
  return file.starts_with(kScheme) ? find_in_packages(file, package_paths, path).string() : file;
}

std::string locate_mesh_file(const std::string& mesh, const std::string& urdf,
                             const std::vector<std::string>& package_paths, const std::string& path)
{
  std::error_code ignored;
  const fs::path beside = urdf.empty() ? fs::path() : fs::absolute(urdf, ignored).lexically_normal();
  if (mesh.starts_with(kScheme)) return find_in_packages(mesh, package_paths, path, beside).string();
  constexpr std::string_view kFile = "file://";
  const fs::path file = mesh.starts_with(kFile) ? mesh.substr(kFile.size()) : mesh;
  const fs::path found = file.is_absolute() ? file : beside.parent_path() / file;
  if (!fs::is_regular_file(found, ignored)) throw InputError(path, "want a readable mesh, got " + quoted(mesh));
  return found.string();
}

std::string read_urdf_file(const std::string& file, const std::vector<std::string>& package_paths,
                           const std::string& path)
{
  std::string content = read_whole_file(locate_urdf_file(file, package_paths, path), kMostUrdfBytes, path);
  if (content.empty()) throw InputError(path, "want a readable, non-empty file, got " + quoted(file));
  return content;
}

}  // namespace stiction::internal
