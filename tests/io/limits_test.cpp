// What is out of all proportion is refused before the work, in words; names and numbers that would spoil a report too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/file.hpp"
#include "io/checked.hpp"
#include "io/json_text.hpp"
#include "io/verify.hpp"

namespace stiction::internal {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

std::string refusal_of_yaml(const std::string& text)
{
  try {
    parse_yaml(text, "f.yaml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(YamlLimits, ManyKeysAreReadInNoTime)
{
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "k" + std::to_string(i) + ": 1\n";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(parse_yaml(text, "f.yaml").keys.size(), 100'000u);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 5.0);  // it was 28
  EXPECT_THAT(refusal_of_yaml(text + "k7: 2\n"), HasSubstr("f.yaml:100001:1: want each key once, got 'k7' twice"));
}

TEST(YamlLimits, DepthIsNamedHoweverDeep)
{
  for (const int levels : {40, 1'000, 100'000}) {
    const std::string lists(static_cast<std::size_t>(levels), '['), ends(static_cast<std::size_t>(levels), ']');
    EXPECT_THAT(refusal_of_yaml("a: " + lists + ends), HasSubstr("want at most 32 nested levels, got more")) << levels;
  }
  EXPECT_THAT(refusal_of_yaml("a: " + std::string(100'000, '[')), HasSubstr("want at most 32 nested levels, got more"));
  std::string indented;
  for (std::size_t i = 0; i < 1'000; ++i) indented += std::string(i, ' ') + "a:\n";
  EXPECT_THAT(refusal_of_yaml(indented), HasSubstr("want at most 32 nested levels, got more"));
}

TEST(YamlLimits, EntriesAreCountedWhileTheyAreRead)
{
  std::string many = "[";
  for (int i = 0; i < 1'100'000; ++i) many += "[],";
  EXPECT_THAT(refusal_of_yaml(many + "]"), HasSubstr("want at most a million entries, got more"));
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 20; ++i) {
    const std::string before = "*a" + std::to_string(i - 1), comma = ", ";
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int k = 0; k < 9; ++k) bomb += comma + before;
    bomb += "]\n";
  }
  EXPECT_THAT(refusal_of_yaml(bomb), HasSubstr("want at most a million entries, got more"));
  std::string nested = "x";
  for (int i = 0; i < 30; ++i)
    nested = "&n" + std::to_string(i) + " [" + nested + ", " + std::string(40'000, ' ') + "1]";
  EXPECT_EQ(refusal_of_yaml(nested), "no error");
  EXPECT_THAT(refusal_of_yaml("a: &a [1, *a]"), HasSubstr("f.yaml:1:11: want an alias of something before it"));
}

TEST(YamlLimits, AliasesAnchorsQuotesAndPlacesAreRead)
{
  const Entry root = parse_yaml("a: &p [1, '2']\nb: *p\nc: ~\nd:\n  e: {f: \"g\"}\n", "f.yaml");
  ASSERT_EQ(root.keys, (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(root.find("b")->items.at(1).text, "2");
  EXPECT_TRUE(root.find("b")->items.at(1).quoted);
  EXPECT_FALSE(root.find("a")->items.at(0).quoted);
  EXPECT_EQ(root.find("c")->kind, Entry::Kind::kNull);
  EXPECT_EQ(root.find("c")->where(), "f.yaml:3:1");
  EXPECT_EQ(root.find("d")->find("e")->find("f")->where(), "f.yaml:5:10");
  EXPECT_EQ(root.find("d")->find("e")->find("f")->where_key(), "f.yaml:5:7");
  EXPECT_THAT(refusal_of_yaml("{[1]: 2}"), HasSubstr("want a plain key, got a list or a map"));
  EXPECT_THAT(refusal_of_yaml("a: 1\n---\nb: 2\n"), HasSubstr("want one YAML document, got 2 or more"));
  EXPECT_EQ(parse_yaml("", "f.yaml").kind, Entry::Kind::kNull);
}

TEST(JsonLimits, ValuesAreCountedWhileTheyAreRead)
{
  std::string many = "[";
  for (int i = 0; i < 3'100'000; ++i) many += "[],";
  try {
    parse_json(many + "0]", "r", "JSON");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("r: want at most 6000000 values and brackets, got more"));
  }
}

TEST(FileLimits, WhatHasNoEndIsNotRead)
{
  for (const auto& read : {+[] { read_text_file("/dev/zero", "scenario"); }, +[] { read_report_file("/dev/zero"); }}) {
    try {
      read();
      FAIL();
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), MatchesRegex("(scenario|report): want at most (16|128) MiB, got more in '/dev/zero'"));
    }
  }
  EXPECT_THAT(error_of("block_on_ground", {{"models.b.urdf", "/dev/zero"}}),
              HasSubstr("models.b.urdf: want at most 8 MiB, got more in '/dev/zero'"));
}

TEST(FileLimits, APipeWantsAWriter)
{
  const std::string pipe =
      (std::filesystem::temp_directory_path() / ("stiction_pipe_" + std::to_string(::getpid()))).string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  try {
    read_text_file(pipe, "scenario");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), "scenario: want a file, got the pipe '" + pipe + "', to which nobody writes");
  }
  std::thread writer([&] {
    std::ofstream out(pipe);
    out << std::string(100'000, 'a') << std::flush;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    out << "b";
  });
  const std::string text = read_text_file(pipe, "scenario");
  writer.join();
  std::filesystem::remove(pipe);
  EXPECT_EQ(text.size(), 100'001u);
  EXPECT_EQ(text.back(), 'b');
}

TEST(FileLimits, SizesAreLookedAtBeforeReading)
{
  const std::string file =
      (std::filesystem::temp_directory_path() / ("stiction_size_" + std::to_string(::getpid()))).string();
  std::ofstream(file) << "1";
  std::filesystem::resize_file(file, std::uintmax_t{1} << 40);  // sparse: reading it would take minutes
  EXPECT_THROW(read_text_file(file, "scenario"), InputError);
  std::filesystem::remove(file);
}

TEST(NameLimits, ControlCharactersAreRefusedWithThePlace)
{
  EXPECT_THAT(error_of("block_on_ground", {{"contacts.left.name", "\"a\\nb\""}}),
              HasSubstr("contacts[1].name: want a name in UTF-8 without control characters, got 'a\\x0ab'"));
  EXPECT_THAT(error_of("block_on_ground", {{"name", "\"\\e[2J\""}}),
              HasSubstr("name: want a name in UTF-8 without control characters, got '\\x1b[2J'"));
  EXPECT_THAT(error_of("block_on_ground", {{"models", "{\"b\\e\": {urdf: ../urdf/block.urdf}}"}}),
              HasSubstr("models[0].name: want a name in UTF-8 without control characters, got 'b\\x1b'"));
  for (const std::string name : {"a&#27;b", "a&#x85;b", "\xff"}) {
    const std::string urdf = "<robot name='r'><link name='" + name + "'/></robot>";
    try {
      inspect_urdf_text(urdf);
      ADD_FAILURE() << name;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("without control characters")) << name;
      EXPECT_THAT(error.what(), HasSubstr("(line 1)"));
    }
    EXPECT_THROW(inspect_urdf_text("<robot name='" + name + "'><link name='a'/></robot>"), InputError);
  }
}

TEST(NumberLimits, NoReportHasNan)
{
  const std::string huge[] = {"1e30", "1e49"};
  for (const std::string& x : huge)
    for (const char* question : {"all_sticking", "equilibrium", "closure", "region", "sliding", "impact", "couplings"})
      for (const ScenarioOverride& change :
           {ScenarioOverride{"contacts.bottom.points", "[[" + x + ", 0.1, 0], [-0.1, 0.1, 0], [0.1, -0.1, 0]]"},
            ScenarioOverride{"loads", "[{link: box/box, torque: [" + x + ", 0, " + x + "]}]"},
            ScenarioOverride{"gravity", "[0, 0, -" + x + "]"}}) {
        const ScenarioReport report =
            checked("box_on_slope", {change, {"question", question}, {"options", "{object: box}"}});
        EXPECT_THAT(to_json(report), Not(HasSubstr("nan"))) << question << change.path << x;
        EXPECT_THAT(to_text(report), Not(HasSubstr("nan"))) << question << change.path << x;
      }
  EXPECT_THAT(error_of("box_on_slope", {{"contacts.bottom.points", "[[1e155, 0.1, 0]]"}}),
              HasSubstr("contacts[0].points[0]: want numbers up to 1e50, got (1e+155, 0.1, 0)"));
}

/// Messages that used to name a matrix of ours.
TEST(Messages, NameTheEntry)
{
  const auto of = [](const std::string& question, const ScenarioOverride& change) {
    return error_of("box_on_slope", {{"question", question}, {"options", "{object: box}"}, change});
  };
  EXPECT_THAT(of("region", {"gravity", "[0, 0, 0]"}),
              HasSubstr("gravity: want a weight that moves with the centre of mass"));
  const std::string heavy = std::filesystem::temp_directory_path() / ("stiction_heavy_" + std::to_string(::getpid()));
  std::ofstream(heavy) << "<robot name='box'><link name='box'><inertial><mass value='9e49'/>"
                          "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>";
  EXPECT_THAT(error_of("box_on_slope", {{"question", "region"}, {"models.box.urdf", heavy}}),
              HasSubstr("model: want loads of 'box' up to 1e50 N"));
  std::filesystem::remove(heavy);
  EXPECT_THAT(of("closure", {"options.length", "1e200"}), HasSubstr("options.length: want a number up to 1e50"));
  EXPECT_THAT(of("region", {"options.box", "1e7"}), HasSubstr("options.box: want at most 1e6 m, got 1e+07"));
  EXPECT_THAT(of("equilibrium", {"loads", "[{link: box/box, torque: [1e308, 0, 0]}]"}),
              HasSubstr("loads[0].torque: want numbers up to 1e50"));
  EXPECT_THAT(of("closure", {"contacts.bottom.points", "[[1e155, 0, 0]]"}),
              HasSubstr("contacts[0].points[0]: want numbers up to 1e50"));
}

}  // namespace
}  // namespace stiction::internal
