#include "scene/urdf_outline.hpp"

#include <tinyxml2.h>

#include <algorithm>
#include <string_view>

#include "base/limits.hpp"
#include "base/names.hpp"
#include "base/text.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

using tinyxml2::XMLElement;

constexpr char kMask = '\x01';            // no character of XML
constexpr std::size_t kMostLevels = 64;   // a URDF has five
constexpr std::size_t kMostLinks = 4096;  // a mass matrix of 130 MB; and links are walked by recursion

/// Levels of elements in XML; in what is not XML, those before the mistake that the parser then finds. Older versions
/// of tinyxml2 walk any number of levels by recursion, until the stack ends.
std::size_t nested_levels(std::string_view xml)
{
  std::size_t level = 0, most = 0;
  for (std::size_t at = 0; (at = xml.find('<', at)) != xml.npos;) {
    const std::string_view rest = xml.substr(at);
    const char* const end = rest.starts_with("<!--") ? "-->" : rest.starts_with("<![CDATA[") ? "]]>" : nullptr;
    if (end || rest.starts_with("<?") || rest.starts_with("<!")) {
      at = xml.find(end ? end : rest[1] == '?' ? "?>" : ">", at + 2);
      if (at == xml.npos) break;
      continue;
    }
    char quote = 0, before = 0;
    for (++at; at < xml.size() && (quote || xml[at] != '>'); before = xml[at++])
      if (quote ? xml[at] == quote : xml[at] == '"' || xml[at] == '\'') quote = quote ? 0 : xml[at];
    if (rest.starts_with("</"))
      level -= level > 0;
    else if (before != '/')
      most = std::max(most, ++level);
  }
  return most;
}

class Reader {
 public:
  Reader(const std::string& text, const std::string& path) : path_(path)
  {
    if (text.size() > kMostUrdfBytes)
      throw InputError(path_,
                       "want at most " + std::to_string(kMostUrdfBytes) + " bytes, got " + std::to_string(text.size()));
    if (const std::size_t levels = nested_levels(text); levels > kMostLevels)
      throw InputError(
          path_, "want at most " + std::to_string(kMostLevels) + " nested elements, got " + std::to_string(levels));
    if (document_.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS)
      throw InputError(path_, "want well-formed XML, got " + std::string(document_.ErrorName()) + " (line " +
                                  std::to_string(document_.ErrorLineNum()) + ")");
  }

  UrdfOutline read()
  {
    XMLElement* robot = document_.RootElement();
    check_format(robot);
    if (!robot->Attribute("name")) robot->SetAttribute("name", "");  // urdfdom insists
    UrdfOutline outline;
    outline.robot = robot->Attribute("name");
    outline.line = robot->GetLineNum();
    if (printable(outline.robot) != outline.robot)
      fail(robot, "robot: want a name in UTF-8 without control characters, got " + internal::quoted(outline.robot));
    for (auto* e = robot->FirstChildElement("link"); e; e = e->NextSiblingElement("link"))
      outline.links.push_back({attribute(e, "link", "name"), e->GetLineNum(), {}, {}});
    if (outline.links.empty()) throw InputError(path_, "want at least one <link>, got none");
    if (outline.links.size() > kMostLinks)
      throw InputError(
          path_, "want at most " + std::to_string(kMostLinks) + " links, got " + std::to_string(outline.links.size()));
    for (auto* e = robot->FirstChildElement("joint"); e; e = e->NextSiblingElement("joint")) {
      const std::string name = attribute(e, "joint", "name");
      outline.joints.push_back({name, e->GetLineNum(), link_of(e, name, "parent"), link_of(e, name, "child")});
    }
    const char* version = robot->Attribute("version");
    quaternions_ = version && std::string_view(version) != "1.0";
    lay_out(robot);
    tinyxml2::XMLPrinter printer(nullptr, true);
    document_.Print(&printer);
    outline.text = printer.CStr();
    return outline;
  }

 private:
  [[noreturn]] void fail(const XMLElement* element, const std::string& what) const
  {
    throw InputError(path_, what + " (line " + std::to_string(element->GetLineNum()) + ")");
  }

  void check_format(const XMLElement* root) const
  {
    const std::string name = root ? root->Name() : "";
    const std::string advice = ": give the URDF that it was made from, or convert it to URDF first";
    const std::string wanted = "want a URDF (<robot>), got ";
    if (name == "sdf") fail(root, wanted + "an SDF file (<sdf>), Gazebo's format" + advice);
    if (name.starts_with("mujoco")) fail(root, wanted + "an MJCF file (<" + name + ">), MuJoCo's format" + advice);
    if (name != "robot") throw InputError(path_, "want a <robot> element, got " + (root ? "<" + name + ">" : "none"));
    for (auto* e = root->FirstChildElement(); e; e = e->NextSiblingElement())
      if (std::string_view(e->Name()).starts_with("xacro:"))
        fail(e, e->Name() + std::string(": want plain URDF, got a xacro file: expand it with xacro first"));
  }

  std::string attribute(const XMLElement* element, const std::string& words, const char* name) const
  {
    const char* value = element->Attribute(name);
    if (!value) fail(element, words + ": want attribute " + name + ", got none");
    return in_one_line(value);
  }

  std::string link_of(const XMLElement* joint, const std::string& name, const char* role) const
  {
    const std::string words = "joint " + quoted(name);
    const XMLElement* end = joint->FirstChildElement(role);
    if (!end) fail(joint, words + ": want a <" + role + "> element, got none");
    return attribute(end, words + ", " + role, "link");
  }

  /// As XML has it: a tab or line break in an attribute stands for a blank.
  static std::string in_one_line(std::string value)
  {
    std::ranges::replace_if(value, [](char c) { return c == '\t' || c == '\r' || c == '\n'; }, ' ');
    return value;
  }

  /// Attributes as urdfdom reads them: numbers with nothing but blanks between them and nothing behind the last.
  void lay_out(XMLElement* element) const  // by recursion, of at most kMostLevels
  {
    for (const auto* a = element->FirstAttribute(); a; a = a->Next()) {
      const std::string_view name = a->Name();
      std::string value = in_one_line(a->Value());
      if (name != "name" && name != "link" && name != "joint") value.erase(value.find_last_not_of(' ') + 1);
      if (name == "quat_xyzw") check_quaternion(element, value);
      element->SetAttribute(a->Name(), masked(std::move(value)).c_str());
    }
    for (auto* e = element->FirstChildElement(); e; e = e->NextSiblingElement()) lay_out(e);
  }

  /// urdfdom leaves them out where the version has none, and takes zero for "not turned".
  void check_quaternion(const XMLElement* element, const std::string& value) const
  {
    const std::string words = words_of(element) + ": quat_xyzw: want ";
    if (!quaternions_) fail(element, words + "<robot version=\"1.1\"> or newer, got it in an older version");
    if (value.find_first_of("123456789") == value.npos)
      fail(element, words + "four numbers that are not all zero, got " + quoted(value));
  }

  /// "joint 'knee', origin"
  static std::string words_of(const XMLElement* element)
  {
    const auto* parent = element->Parent() ? element->Parent()->ToElement() : nullptr;
    if (!parent) return element->Name();
    const char* name = element->Attribute("name");
    const std::string words = element->Name() + (name ? " " + quoted(name) : "");
    return parent->Parent() == parent->GetDocument() ? words : words_of(parent) + ", " + words;
  }

  const std::string& path_;
  tinyxml2::XMLDocument document_;
  bool quaternions_ = false;
};

}  // namespace

UrdfOutline read_outline(const std::string& text, const std::string& path) { return Reader(text, path).read(); }

std::string masked(std::string text)
{
  std::ranges::replace(text, '%', kMask);
  return text;
}

std::string unmasked(std::string text)
{
  std::ranges::replace(text, kMask, '%');
  return text;
}

}  // namespace stiction::internal
