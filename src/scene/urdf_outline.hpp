#pragma once

#include <string>
#include <vector>

namespace stiction::internal {

/// A link or joint of a URDF, by name.
struct UrdfPlace {
  std::string name;
  int line = 0;
  std::string parent, child;  ///< links of a joint
};

/// What urdfdom does not tell: order and lines of links and joints, and who is whose child even where that is no tree.
struct UrdfOutline {
  std::string robot;
  int line = 0;  ///< of <robot>
  std::vector<UrdfPlace> links, joints;
  std::string text;  ///< the document in a layout that urdfdom reads; names and words in it are `masked`
};

/// @param path entry that error messages start with.
/// @throws InputError for what is no XML or no URDF, and for links and joints without the names they need
UrdfOutline read_outline(const std::string& text, const std::string& path);

/// Older urdfdoms take what they found in the file for a printf format: no % may reach them.
std::string masked(std::string text);
std::string unmasked(std::string text);

}  // namespace stiction::internal
