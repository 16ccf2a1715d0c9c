#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "io/inspect_text.hpp"
#include "io/nearest_name.hpp"
#include "stiction/error.hpp"
#include "stiction/scene.hpp"

namespace {

enum ExitCode { kOk = 0, kBadInput = 2, kBug = 4 };

void write_result(const std::string& text)
{
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw stiction::InputError("standard output", "cannot be written");
}

/// "'inspct', did you mean 'inspect'?" for the first argument that nobody understood; empty if there is none.
std::string not_understood(const CLI::App& app)
{
  const std::vector<std::string> arguments = app.remaining(true);
  if (arguments.empty()) return {};
  const std::string& argument = arguments.front();

  const std::vector<const CLI::App*> chosen = app.get_subcommands([](const CLI::App* sub) { return sub->parsed(); });
  std::vector<std::string> names;
  if (argument.starts_with('-')) {
    for (const CLI::Option* option : (chosen.empty() ? app : *chosen.front()).get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  } else if (chosen.empty()) {
    for (const CLI::App* sub : app.get_subcommands({})) names.push_back(sub->get_name());
  }
  const std::string near = stiction::internal::nearest_name(argument.substr(0, argument.find('=')), names);
  return "'" + argument + "'" + (near.empty() ? "" : ", did you mean '" + near + "'?");
}

int run(int argc, char** argv)
{
  CLI::App app{"Decides whether a grasp or a legged robot holds (all contacts stick), with a proof."};
  app.name("stiction");
  app.set_version_flag("--version", "stiction " STICTION_VERSION);
  app.require_subcommand(1);
  app.footer("Exit codes: 0 done, 2 bad input or usage, 4 a bug of ours.");

  std::string robot_file;
  CLI::App& inspect = *app.add_subcommand("inspect", "Links, joints, limits, masses of a robot, and what looks wrong");
  inspect.set_version_flag("--version", "stiction " STICTION_VERSION);
  inspect.add_option("ROBOT.urdf", robot_file, "The robot's URDF file")->required();
  inspect.callback([&] { write_result(stiction::internal::inspect_text(stiction::inspect_urdf_file(robot_file))); });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    const std::string unknown = not_understood(app);
    std::fprintf(stderr, "stiction: %s\nTry 'stiction --help'.\n",
                 unknown.empty() ? error.what() : ("not understood: " + unknown).c_str());
    return kBadInput;
  }
  return kOk;
}

}  // namespace

int main(int argc, char** argv)
{
  try {
    return run(argc, argv);
  } catch (const stiction::InputError& error) {
    std::fprintf(stderr, "stiction: %s\n", error.what());
    return kBadInput;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stiction: internal error, please report it: %s\n", error.what());
    return kBug;
  }
}
