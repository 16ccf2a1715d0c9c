#include "io/batch.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/names.hpp"
#include "io/check.hpp"
#include "io/checked.hpp"
#include "io/progress_text.hpp"
#include "io/row_answerer.hpp"

namespace stiction::internal {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class Batch : public ::testing::Test {
 protected:
  Batch() : folder_(fs::temp_directory_path() / ("stiction_batch_" + std::to_string(::getpid())))
  {
    fs::create_directories(folder_);
  }
  ~Batch() override { fs::remove_all(folder_); }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const
  {
    std::ofstream(file(name), std::ios::binary) << text;
  }
  std::string read(const std::string& name) const { return read_text_file(file(name), "file"); }
  BatchProgress run(const std::string& in, const std::string& out, int threads = 1, bool resume = false,
                    const std::string& name = "block_on_ground",
                    const std::vector<ScenarioOverride>& overrides = {}) const
  {
    BatchArguments arguments = arguments_of(in, out, name);
    apply(overrides, arguments.document);
    arguments.threads = threads;
    arguments.resume = resume;
    return run_batch(arguments);
  }
  BatchArguments arguments_of(const std::string& in, const std::string& out,
                              const std::string& name = "block_on_ground") const
  {
    BatchArguments arguments;
    arguments.document = load_scenario(scenario(name));
    arguments.inputs = file(in);
    arguments.out = file(out);
    return arguments;
  }
  std::string error_of(const std::string& in, const std::string& out, bool resume = false) const
  {
    BatchArguments arguments = arguments_of(in, out);
    arguments.resume = resume;
    return error_of(arguments);
  }
  static std::string error_of(const BatchArguments& arguments)
  {
    try {
      run_batch(arguments);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path folder_;
};

std::string many_rows(int count)
{
  std::ostringstream rows;
  for (int i = 0; i < count; ++i) {
    if (i % 97 == 5)
      rows << "{\"id\": " << i << ", \"contacts.left.mu\": \"much\"}\n";
    else
      rows << "{\"id\": " << i << ", \"contacts.left.mu\": " << 0.3 + 0.001 * (i % 400)
           << ", \"models.b.joints.theta\": " << 1e-3 * (i % 7) << ", \"models.b.effort.x\": " << 0.01 * (i % 50)
           << "}\n";
  }
  return rows.str();
}

double number(const RowAnswer& answer, const std::string& name)
{
  for (const RowCell& cell : answer.cells)
    if (cell.name == name) return cell.number.value();
  ADD_FAILURE() << "no cell " << name;
  return 0.0;
}

TEST_F(Batch, ARowNestedTooDeepIsBadAndTheRestGoesOn)
{
  write("in.jsonl", "{\"id\": \"a\"}\n{\"id\": \"deep\", \"contacts.left.mu\": " + std::string(20'000, '[') +
                        std::string(20'000, ']') + "}\n{\"id\": \"b\"}\n");
  const BatchProgress progress = run("in.jsonl", "out.jsonl");
  EXPECT_EQ(progress.bad, 1u);
  EXPECT_THAT(read("out.jsonl"), HasSubstr("want at most 64 nested levels, got more"));
  EXPECT_THAT(read("out.jsonl"), HasSubstr("{\"id\":\"b\",\"verdict\":\"holds\""));
}

TEST_F(Batch, AnswersEveryRowInOrder)
{
  write("in.jsonl",
        "{\"id\": \"a\"}\n\n{\"contacts.left.mu\": 0.1, \"contacts.right.mu\": 0.1}\n{\"id\": 7, \"contacts.lef.mu\": "
        "0.1}\nnonsense\n"
        "{\"loads.0.force\": [6, 0, 0]}\n{\"options.cone\": {\"inner\": 1}}");
  const BatchProgress progress = run("in.jsonl", "out.jsonl");
  EXPECT_EQ(progress.rows, 6u);
  EXPECT_EQ(progress.bad, 3u);
  std::istringstream lines(read("out.jsonl"));
  std::vector<nlohmann::json> rows;
  for (std::string line; std::getline(lines, line);) rows.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[0]["id"], "a");
  EXPECT_EQ(rows[0]["verdict"], "holds");
  EXPECT_NEAR(rows[0]["utilisation"].get<double>(), 0.8549, 1e-3);
  EXPECT_EQ(rows[1]["id"], 2);
  EXPECT_EQ(rows[1]["verdict"], "fails");
  EXPECT_THAT(rows[1]["summary"].get<std::string>(), HasSubstr("slides"));
  EXPECT_EQ(rows[2]["id"], 7);
  EXPECT_EQ(rows[2]["line"], 4);
  EXPECT_THAT(rows[2]["error"].get<std::string>(), HasSubstr("want one of right, left, got 'lef'"));
  EXPECT_EQ(rows[3]["line"], 5);
  EXPECT_THAT(rows[3]["error"].get<std::string>(), HasSubstr("want a JSON object"));
  EXPECT_EQ(rows[4]["verdict"], "fails");
  EXPECT_THAT(rows[5]["error"].get<std::string>(), HasSubstr("options.cone.inner: want a whole number"));
}

TEST_F(Batch, CsvInAndOut)
{
  write("in.csv",
        "id,contacts.left.mu,contacts.right.mu,models.b.pose.xyz\r\nfirst,0.5,0.5,\r\n\"a,b\",0.1,0.1,\r\n,,,\r\nbad,0."
        "1\r\n"
        "moved,,,\"[1, 2, 3]\"\r\n");
  const BatchProgress progress = run("in.csv", "out.csv");
  EXPECT_EQ(progress.bad, 1u);
  std::istringstream lines(read("out.csv"));
  std::vector<std::string> rows;
  for (std::string line; std::getline(lines, line);) rows.push_back(line);
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[0], "id,verdict,utilisation,slack,summary,error");
  EXPECT_THAT(rows[1], ::testing::StartsWith("first,holds,0.85"));
  EXPECT_THAT(rows[2], ::testing::StartsWith("\"a,b\",fails,"));
  EXPECT_THAT(rows[3], ::testing::StartsWith("3,holds,"));
  EXPECT_EQ(rows[4], "4,,,,,\"line 5: want 4 cells, got 2\"");
  EXPECT_THAT(rows[5], ::testing::StartsWith("moved,holds,0.85"));
}

TEST_F(Batch, ErrorsInListsOfCellsNameTheirPlace)
{
  write("in.csv", "id,models.b.pose.xyz\n1,\"[0, 0, x]\"\n2,\"[0, 0\"\n3,\"[0, 0]\"\n");
  EXPECT_EQ(run("in.csv", "out.csv").bad, 3u);
  const std::string text = read("out.csv");
  EXPECT_THAT(text, HasSubstr("line 2: 2:11: models.b.pose.xyz[2]: want a number, got 'x'"));
  EXPECT_THAT(text, HasSubstr("line 3: 3:4: models.b.pose.xyz: want YAML, got: end of sequence"));
  EXPECT_THAT(text, HasSubstr("line 4: 4:4: models.b.pose.xyz: want a list of three numbers, got a list of 2"));
}

TEST_F(Batch, RowsAnswerAsCheckDoes)
{
  // Each path takes another way through the loaded scene, or loads it again.
  const std::vector<std::pair<std::string, std::vector<ScenarioOverride>>> cases = {
      {"biped_standing", {{"models.robot.joints.left_knee", "0.85"}}},
      {"biped_standing", {{"models.robot.effort.left_knee", "20"}, {"models.robot.pose.rpy", "[0, 0.02, 0]"}}},
      {"biped_standing", {{"contacts.left.mu", "0.01"}, {"contacts.right.max_normal", "60"}}},
      {"biped_standing", {{"gravity", "[1, 0, -9.81]"}}},
      {"pinch_on_guide", {{"models.p.effort.x1", "9"}}},
      {"pinch_on_guide", {{"models.p.effort", "{x1: 8, x2: -15}"}, {"contacts.left.side", "bilateral"}}},
      {"block_with_pendulum", {{"models.b.rates.alpha", "2"}, {"models.b.joints.alpha", "1"}}},
      {"block_with_pendulum", {{"models.b.pose.rpy", "[0, 0.2, 0]"}}},
      {"soft_finger", {{"contacts.front.torsion", "0"}}},
      {"soft_finger", {{"contacts.front.torsion", "0.001"}, {"loads.0.torque", "[0.01, 0, 0]"}}},
      {"stack_of_boxes", {{"models.upper.pose.xyz", "[0.02, 0, 0.3]"}, {"options.detachment", "forbidden"}}},
  };
  int fails = 0;
  for (const auto& [name, overrides] : cases) {
    SCOPED_TRACE(name + " " + overrides[0].path);
    RowAnswerer answerer(load_scenario(scenario(name)), {});
    BatchRow row;
    for (const auto& [path, value] : overrides) row.changes.emplace_back(path, parse_yaml(value, ""));
    RowAnswer answer, again;
    answerer.answer(row, answer);
    std::vector<ScenarioOverride> asked = overrides;
    asked.push_back({"options.margins", "false"});  // which forces are shown depends on it
    const ScenarioReport report = check_file(scenario(name), asked, {});
    EXPECT_EQ(answer.verdict, report.verdict);
    double utilisation = 0.0;
    for (const ReportedContact& contact : report.contacts)
      utilisation = std::max(utilisation, contact.found.utilisation);
    if (answer.verdict == Verdict::kHolds) {
      EXPECT_NEAR(number(answer, "utilisation"), utilisation, 1e-6);
    }
    fails += answer.verdict == Verdict::kFails;
    // The row leaves nothing behind.
    RowAnswer plain;
    RowAnswerer(load_scenario(scenario(name)), {}).answer({}, plain);
    answerer.answer({}, again);
    EXPECT_EQ(again.verdict, plain.verdict);
    EXPECT_EQ(number(again, "utilisation"), number(plain, "utilisation"));
    EXPECT_EQ(again.summary, plain.summary);
  }
  EXPECT_GE(fails, 2);
}

TEST_F(Batch, WorldPointsFollowTheRow)
{
  // The contact point is where it is in the world: raising the block moves it down in the block, and the check must see
  // that.
  RowAnswerer answerer(load_scenario(scenario("block_on_ground")), {});
  const std::vector<ScenarioOverride> world = {{"contacts.left.at_frame", "world"}, {"models.b.joints.y", "0.3"}};
  BatchRow row;
  for (const auto& [path, value] : world) row.changes.emplace_back(path, parse_yaml(value, ""));
  RowAnswer answer;
  answerer.answer(row, answer);
  const ScenarioReport report = check_file(scenario("block_on_ground"), world, {});
  EXPECT_EQ(answer.verdict, report.verdict);
  ScenarioDocument document = load_scenario(scenario("block_on_ground"));
  apply({world[0]}, document);
  RowAnswerer in_world(document, {});
  row.changes.erase(row.changes.begin());
  RowAnswer moved;
  in_world.answer(row, moved);
  EXPECT_EQ(number(moved, "slack"), number(answer, "slack"));
}

TEST_F(Batch, ThreadsDoNotChangeABit)
{
  write("in.jsonl", many_rows(3000));
  run("in.jsonl", "one.jsonl", 1);
  run("in.jsonl", "two.jsonl", 2);
  run("in.jsonl", "five.jsonl", 5);
  const std::string one = read("one.jsonl");
  EXPECT_TRUE(one == read("two.jsonl"));
  EXPECT_TRUE(one == read("five.jsonl"));
  EXPECT_NE(one.find("\"verdict\":\"fails\""), one.npos);
  EXPECT_NE(one.find("\"verdict\":\"holds\""), one.npos);
}

TEST_F(Batch, ResumeContinuesAnywhere)
{
  for (const std::string type : {"jsonl", "csv"}) {
    write("in.jsonl", many_rows(600));
    const BatchProgress whole_run = run("in.jsonl", "whole." + type);
    const std::string whole = read("whole." + type);
    for (const std::size_t size : {std::size_t(0), std::size_t(3), whole.size() / 3, whole.size() / 2, whole.size() - 1,
                                   whole.size(), whole.find('\n', whole.size() / 5) + 1}) {
      write("part." + type, whole.substr(0, size));  // most of these end in a torn line
      write("part." + type + ".inputs", read("whole." + type + ".inputs"));
      const BatchProgress progress = run("in.jsonl", "part." + type, 2, true);
      EXPECT_TRUE(read("part." + type) == whole) << size;
      EXPECT_EQ(progress.rows, 600u);
      EXPECT_EQ(progress.bad, whole_run.bad);
    }
  }
}

TEST_F(Batch, ResumeRefusesOtherResults)
{
  write("in.jsonl", "{\"id\": 1}\n{\"id\": 2, \"gravity\": 0}\n{\"id\": 3}\n");
  for (const std::string out : {"out.jsonl", "out.csv"}) {
    run("in.jsonl", out);
    const std::string whole = read(out);
    const auto edited = [&](const std::string& what, const std::string& by) {
      write(out, std::string(whole).replace(whole.find(what), what.size(), by));
      return error_of("in.jsonl", out, true);
    };
    const std::string row = "--resume: want the answer to row ", first = out == "out.csv" ? "\n1," : "\"id\":1,";
    EXPECT_EQ(edited("summary", "summary"), "no error");
    EXPECT_THAT(edited("holds", "stands"), HasSubstr(row + "1 named 1"));
    EXPECT_THAT(edited(first, out == "out.csv" ? "\n5," : "\"id\":5,"), HasSubstr(row + "1 named 1"));
    EXPECT_THAT(edited("\n", "\nrubbish, \"\n"), HasSubstr(row));
    EXPECT_THAT(edited("\n", out == "out.csv" ? "\n1,,,,,oh no\n" : "\n{\"id\":2,\"error\":1}\n"),
                HasSubstr("--resume: want "));
    write(out, whole + whole.substr(whole.rfind('\n', whole.size() - 2) + 1));
    EXPECT_THAT(error_of("in.jsonl", out, true),
                HasSubstr("--resume: want results of these inputs, got more than 3 rows"));
  }
  write("out.csv", "id,verdict\n1,holds\n");
  EXPECT_THAT(error_of("in.jsonl", "out.csv", true), HasSubstr("want the results of the same options"));
}

TEST_F(Batch, ResumeIsBoundToItsInputs)
{
  write("in.jsonl", many_rows(20));
  fs::create_directories(folder_ / "scenarios");
  const std::string original = read_text_file(scenario("block_on_ground"), "scenario");
  const std::string urdf = read_text_file(std::string(STICTION_SOURCE_DIR) + "/urdf/block.urdf", "urdf");
  const std::string elsewhere = "urdf: ../urdf/block.urdf";
  std::string own = original;
  own.replace(own.find(elsewhere), elsewhere.size(), "urdf: block.urdf");
  const auto error = [&](const std::vector<ScenarioOverride>& overrides = {}) -> std::string {
    BatchArguments arguments;
    arguments.document = load_scenario(file("own.yaml"));
    apply(overrides, arguments.document);
    arguments.inputs = file("in.jsonl");
    arguments.out = file("out.jsonl");
    arguments.resume = true;
    try {
      run_batch(arguments);
    } catch (const InputError& e) {
      return e.what();
    }
    return "no error";
  };
  write("own.yaml", own);
  write("block.urdf", urdf);
  EXPECT_EQ(error(), "no error");
  const std::string results = read("out.jsonl");
  EXPECT_EQ(error(), "no error");  // nothing to do
  const std::string same = "--resume: want results of the same ";
  EXPECT_THAT(error({{"question", "sliding"}}), HasSubstr(same + "set, got those of another"));
  EXPECT_THAT(error({{"contacts.left.mu", "0.1"}}), HasSubstr(same + "set"));
  write("own.yaml", own + "# another\n");
  EXPECT_THAT(error(), HasSubstr(same + "scenario"));
  write("own.yaml", own);
  write("block.urdf", urdf + "<!-- another -->");
  EXPECT_THAT(error(), HasSubstr(same + "urdf"));
  write("block.urdf", urdf);
  write("in.jsonl", many_rows(21));
  EXPECT_THAT(error(), HasSubstr(same + "rows"));
  write("in.jsonl", many_rows(20));
  EXPECT_EQ(error(), "no error");
  EXPECT_EQ(read("out.jsonl"), results);
  fs::remove(file("out.jsonl.inputs"));
  EXPECT_THAT(error(), HasSubstr("out.jsonl.inputs', which says what the results answer, got none"));
}

TEST_F(Batch, ShardsPutTogetherAreTheWhole)
{
  std::string rows = many_rows(101), csv = "contacts.left.mu,models.b.joints.theta\n\n";  // rows without ids
  rows.insert(rows.find('\n') + 1, "\n{\"contacts.left.mu\": 0.31}\n  \n{\"contacts.lef.mu\": 0.31}\n");
  for (int i = 0; i < 20; ++i)
    csv += (i == 12 ? "much,\n\n" : std::to_string(0.3 + 0.01 * i) + "," + std::to_string(1e-3 * i) + "\n");
  write("in.jsonl", rows);
  write("in.csv", csv);
  for (const std::string in : {"in.jsonl", "in.csv"})
    for (const std::string type : {"jsonl", "csv"}) {
      const BatchProgress whole = run(in, "whole." + type);
      for (const std::uint64_t count : {1u, 7u, 30u}) {
        std::string together;
        BatchProgress sum;
        std::uint64_t fewest = whole.rows, most = 0;
        for (std::uint64_t index = 1; index <= count; ++index) {
          fs::remove(file("part." + type));
          BatchArguments arguments = arguments_of(in, "part." + type);
          arguments.shard = BatchShard{index, count};
          const BatchProgress part = run_batch(arguments);
          together += read("part." + type);
          sum.rows += part.rows;
          sum.bad += part.bad;
          sum.bytes += part.bytes;
          fewest = std::min(fewest, part.rows);
          most = std::max(most, part.rows);
        }
        EXPECT_TRUE(together == read("whole." + type)) << in << " " << type << " " << count;
        EXPECT_EQ(sum.rows, whole.rows);
        EXPECT_EQ(sum.bad, whole.bad);
        EXPECT_LE(most, fewest + 1);
        EXPECT_LE(sum.bytes, whole.bytes);
      }
    }
}

TEST_F(Batch, AShardIsResumedAsThatShard)
{
  write("in.jsonl", many_rows(100));
  for (const std::string type : {"jsonl", "csv"}) {
    const std::string out = "out." + type;
    BatchArguments arguments = arguments_of("in.jsonl", out);
    arguments.resume = true;
    arguments.shard = BatchShard{2, 3};
    run_batch(arguments);
    const std::string whole = read(out);
    for (const std::size_t size : {std::size_t(0), whole.size() / 2, whole.size()}) {
      write(out, whole.substr(0, size));
      EXPECT_EQ(run_batch(arguments).rows, 33u);
      EXPECT_TRUE(read(out) == whole) << size;
    }
    for (const std::optional<BatchShard>& other :
         {std::optional(BatchShard{1, 3}), std::optional(BatchShard{2, 4}), {}}) {
      arguments.shard = other;
      EXPECT_THAT(error_of(arguments), HasSubstr("--resume: want results of the same shard, got those of another"));
    }
    EXPECT_TRUE(read(out) == whole);
  }
  ASSERT_EQ(::mkfifo(file("pipe.jsonl").c_str(), 0600), 0);
  const int opened = ::open(file("pipe.jsonl").c_str(), O_RDWR);
  BatchArguments arguments = arguments_of("pipe.jsonl", "new.jsonl");
  arguments.shard = BatchShard{1, 2};
  EXPECT_THAT(error_of(arguments), HasSubstr("--shard: want rows in a regular file"));
  ::close(opened);
}

TEST(BatchShardText, IsOneOfSo)
{
  EXPECT_EQ(parse_shard("3/16").index, 3u);
  EXPECT_EQ(parse_shard("3/16").count, 16u);
  EXPECT_EQ(parse_shard("1/1").count, 1u);
  for (const std::string bad : {"", "0/3", "4/3", "3", "/3", "3/", "-1/3", "1/3 ", " 1/3", "1/0", "a/3", "1/3/4",
                                "1.5/3", "1/1000001", "1/99999999999999999999"})
    EXPECT_THROW(parse_shard(bad), InputError) << bad;
}

TEST_F(Batch, OneRunPerFile)
{
  write("in.jsonl", "{}\n");
  write("out.jsonl", "");
  const int other = ::open(file("out.jsonl").c_str(), O_RDWR);
  ASSERT_EQ(::flock(other, LOCK_EX | LOCK_NB), 0);
  EXPECT_THAT(error_of("in.jsonl", "out.jsonl"), HasSubstr("--out: want a file that no other batch is writing, got"));
  EXPECT_EQ(read("out.jsonl"), "");
  ::close(other);
  EXPECT_EQ(error_of("in.jsonl", "out.jsonl"), "no error");
}

TEST_F(Batch, ResultsDoNotReplaceWhatTheyAreMadeOf)
{
  write("in.jsonl", "{}\n");
  const std::string text = read_text_file(scenario("block_on_ground"), "scenario"), urdf = "../urdf/block.urdf";
  const auto error = [&](const std::string& scenario_file, const std::string& out) -> std::string {
    BatchArguments arguments;
    arguments.document = load_scenario(file(scenario_file));
    arguments.inputs = file("in.jsonl");
    arguments.out = file(out);
    try {
      run_batch(arguments);
    } catch (const InputError& e) {
      return e.what();
    }
    return "no error";
  };
  std::string own = text;
  own.replace(own.find(urdf), urdf.size(), "robot.jsonl");
  write("own.jsonl", own);
  fs::copy_file(std::string(STICTION_SOURCE_DIR) + "/urdf/block.urdf", file("robot.jsonl"));
  fs::create_hard_link(file("own.jsonl"), file("link.jsonl"));
  fs::create_symlink(file("robot.jsonl"), file("soft.csv"));
  for (const char* out : {"own.jsonl", "link.jsonl", "robot.jsonl", "soft.csv", "in.jsonl"})
    EXPECT_THAT(error("own.jsonl", out), HasSubstr("--out: want another file than the inputs, got")) << out;
  EXPECT_EQ(read("own.jsonl"), own);
  EXPECT_EQ(error("own.jsonl", "out.jsonl"), "no error");
}

TEST_F(Batch, ResumeOfADirectoryBlamesTheResults)
{
  write("in.jsonl", "{}\n");
  fs::create_directories(file("folder.jsonl"));
  EXPECT_THAT(error_of("in.jsonl", "folder.jsonl", true), HasSubstr("--out: want a file that can be opened"));
  EXPECT_THAT(error_of("folder.jsonl", "out.jsonl"), HasSubstr("--inputs: want a readable file"));
}

TEST_F(Batch, RowsOfOtherEncodingsAndNamesStayInTheirLine)
{
  write("in.csv",
        "id,contacts.left.name,models.b.pose.xyz\na\xff,left,\nb,\"x\xffy\",\nc,x\x1by,\nd,,\"[1, oh]\"\ne,,\"[1, "
        "{\"\nf,,\n");
  const BatchProgress progress = run("in.csv", "out.csv");
  EXPECT_EQ(progress.bad, 5u);
  const std::string results = read("out.csv");
  EXPECT_EQ(std::count(results.begin(), results.end(), '\n'), 7);
  EXPECT_EQ(not_utf8(results), std::string::npos);
  EXPECT_EQ(results.find('\x1b'), std::string::npos);
  EXPECT_THAT(results, HasSubstr("line 2: 2:2: want UTF-8, got another encoding"));
  EXPECT_THAT(
      results,
      HasSubstr("c,,,,,\"line 4: contacts[1].name: want a name in UTF-8 without control characters, got 'x\\x1by'"));
  EXPECT_THAT(results, HasSubstr("line 5: 5:5: models.b.pose.xyz: want a list of three numbers"));
  EXPECT_THAT(results, HasSubstr("line 6: 6:"));
  EXPECT_EQ(error_of("in.csv", "out.csv", true), "no error");
  write("in.jsonl", "{\"id\": \"a\\nb\"}\n{\"id\": \"\xff\"}\n{\"contacts.left.name\": \"a\\u001b\"}\n");
  run("in.jsonl", "out.csv");
  const std::string from_json = read("out.csv");
  EXPECT_EQ(std::count(from_json.begin(), from_json.end(), '\n'), 4);
  EXPECT_EQ(not_utf8(from_json), std::string::npos);
  EXPECT_THAT(from_json, HasSubstr("\na\\x0ab,holds,"));
  EXPECT_EQ(error_of("in.jsonl", "out.csv", true), "no error");
}

TEST_F(Batch, FilesThatCannotBeUsed)
{
  write("in.jsonl", many_rows(600));
  EXPECT_THAT(error_of("none.jsonl", "out.jsonl"), HasSubstr("--inputs: want a readable file, got"));
  EXPECT_THAT(error_of("in.jsonl", "no/such/folder.jsonl"), HasSubstr("--out: want a file that can be opened"));
  EXPECT_THAT(error_of("in.jsonl", "out.txt"), HasSubstr("--out: want a file that ends in .jsonl or .csv"));
  EXPECT_THAT(error_of("in.txt", "out.csv"), HasSubstr("--inputs: want a file that ends in .jsonl or .csv"));
  EXPECT_THAT(error_of("in.jsonl", "in.jsonl"), HasSubstr("--out: want another file than the inputs"));
  fs::create_symlink("/dev/full", file("full.jsonl"));
  EXPECT_THAT(error_of("in.jsonl", "full.jsonl"), HasSubstr("--out: want a file that can be written"));
  write("empty.csv", "");
  EXPECT_THAT(error_of("empty.csv", "out.csv"), HasSubstr("want a header of paths"));
  write("twice.csv", "id,gravity,gravity\n");
  EXPECT_THAT(error_of("twice.csv", "out.csv"), HasSubstr("want each column once, got 'gravity' twice"));
}

TEST_F(Batch, MarginsWhenAsked)
{
  write("in.jsonl", "{}\n{\"contacts.left.mu\": 0}\n");
  run("in.jsonl", "out.jsonl", 1, false, "block_on_ground", {{"options", "{margins: true}"}});
  EXPECT_THAT(read("out.jsonl"), HasSubstr("\"friction_scale\":0.815"));
  run("in.jsonl", "out.csv", 1, false, "block_on_ground", {{"options", "{margins: true}"}});
  EXPECT_THAT(read("out.csv"), HasSubstr("id,verdict,utilisation,slack,friction_scale,summary,error"));
}

TEST(BatchRows, JsonRowsAreStrict)
{
  BatchRow row;
  const auto error = [&](const std::string& line) {
    try {
      parse_json_row(line, 4, row);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(error("{\"a\": 1, \"a\": 2}"), HasSubstr("want each key once, got 'a' twice"));
  EXPECT_THAT(error("{\"a\": 1e999}"), HasSubstr("want a JSON object"));
  EXPECT_THAT(error("[1]"), HasSubstr("want a JSON object, got another value"));
  EXPECT_THAT(error("{\"id\": [1]}"), HasSubstr("id: want a text or a number"));
  EXPECT_THAT(error(std::string(LineReader::kLongest + 1, ' ')), HasSubstr("want at most a megabyte"));
  EXPECT_EQ(error("{\"id\": \"x\", \"a.b\": 0.1, \"c\": true, \"d\": [1, {\"e\": null}]}"), "no error");
  EXPECT_EQ(row.id, "\"x\"");
  ASSERT_EQ(row.changes.size(), 3u);
  EXPECT_EQ(row.changes[0].first, "a.b");
  EXPECT_EQ(row.changes[0].second.text, "0.1");
  EXPECT_FALSE(row.changes[0].second.quoted);
  EXPECT_EQ(error("{}"), "no error");
  EXPECT_EQ(row.id, "4");
}

TEST(BatchRows, CsvQuotes)
{
  EXPECT_EQ(split_csv("a,,\"b,\"\"c\"\"\",d\r"), (std::vector<std::string>{"a", "", "b,\"c\"", "d"}));
  EXPECT_THROW(split_csv("\"a"), InputError);
  EXPECT_THROW(split_csv("\"a\"b,c"), InputError);
}

TEST(ProgressText, SaysRateAndTimeLeft)
{
  BatchProgress progress;
  progress.rows = 600;
  progress.resumed = 100;
  progress.bad = 2;
  progress.bytes = 250;
  progress.total_bytes = 1000;
  EXPECT_EQ(progress_text(progress, 10.0, true),
            "[#####---------------]  25 %  600 rows (100 before), 2 bad, 50/s, 0:30 left");
  EXPECT_EQ(progress_text(progress, 2000.0, false), " 25 %  600 rows (100 before), 2 bad, 0/s, 1:40:00 left");
  progress.finished = true;
  EXPECT_EQ(progress_text(progress, 10.0, false), "600 rows (100 before), 2 bad, 50/s, 10.0 s");
}

}  // namespace
}  // namespace stiction::internal
