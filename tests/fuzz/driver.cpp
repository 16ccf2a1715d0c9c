// Runs a target without libFuzzer: every file of a corpus, then mutations of them, the same ones each time.
//
//   fuzz_scenario CORPUS [MUTATIONS] [SEED]
//
// A crash, a hang or too much memory ends it; the input that did it is then in ./fuzz_….input.
#include <sys/resource.h>
#include <sys/time.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr int kLongestRun = 20;         // seconds of processor time; sanitized code is several times as slow
constexpr long kMostMemory = 2L << 20;  // kB; a quarter of a gigabyte of it is AddressSanitizer's quarantine
constexpr std::size_t kLongestInput = 1 << 16;

std::vector<std::string> read_corpus(const std::string& folder)
{
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<std::string> texts;
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return texts;
}

class Mutator {
 public:
  Mutator(const std::vector<std::string>& corpus, unsigned seed) : corpus_(corpus), rng_(seed) {}

  std::string next()
  {
    std::string text = any(corpus_);
    for (std::size_t k = 0; k <= below(4); ++k) change(text);
    return text.substr(0, kLongestInput);
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : rng_() % n; }
  const std::string& any(const std::vector<std::string>& list) { return list[below(list.size())]; }

  /// A number, a name or a mark at a random place; empty at the end.
  std::pair<std::size_t, std::size_t> token(const std::string& text)
  {
    constexpr const char* kWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.+-_";
    const std::size_t at = below(text.size());
    if (text.empty() || std::string(kWord).find(text[at]) == std::string::npos) return {at, text.empty() ? 0 : 1};
    const std::size_t before = text.find_last_not_of(kWord, at), begin = before == text.npos ? 0 : before + 1;
    const std::size_t end = text.find_first_not_of(kWord, at);
    return {begin, (end == text.npos ? text.size() : end) - begin};
  }

  void change(std::string& text)
  {
    static const std::vector<std::string> kBy = {
        "0",  "-1",    "1e30", "1e-300", "1e400", "nan", "inf", "2147483648", "-0.0", "0.5",     "true",    "null",
        "~",  "[]",    "{}",   "[[",     "}",     "\"",  "'",   "\xff",       "\x1b", "\\u0000", "%n",      "&a",
        "*a", "world", ":",    ",",      "<",     "/>",  "\n",  " ",          "- ",   "1000000", "sliding", "impact"};
    const auto [begin, length] = token(text);
    switch (below(7)) {
      case 0:
        if (!text.empty()) text[below(text.size())] = static_cast<char>(rng_());
        break;
      case 1:
        text.erase(begin, length);
        break;
      case 2:
        text.replace(begin, length, any(kBy));
        break;
      case 3: {  // by another one
        const auto [other, count] = token(text);
        text.replace(begin, length, text.substr(other, count));
        break;
      }
      case 4:  // again
        text.insert(begin, text.substr(below(text.size()), below(200)));
        break;
      case 5:
        text.erase(below(text.size()), below(100));
        break;
      default: {  // the end of another one
        const std::string& other = any(corpus_);
        text = text.substr(0, below(text.size())) + other.substr(below(other.size()));
      }
    }
  }

  const std::vector<std::string>& corpus_;
  std::mt19937 rng_;
};

/// The input is on disk before it runs.
class Runner {
 public:
  explicit Runner(const std::string& program) : file_(std::filesystem::path(program).filename().string() + ".input") {}
  ~Runner() { std::filesystem::remove(file_); }

  void run(const std::string& text)
  {
    std::ofstream(file_, std::ios::binary) << text;
    const itimerval limit = {{0, 0}, {kLongestRun, 0}};
    setitimer(ITIMER_VIRTUAL, &limit, nullptr);  // SIGVTALRM ends the program
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    rusage used = {};
    getrusage(RUSAGE_SELF, &used);
    if (used.ru_maxrss <= kMostMemory) return;
    std::fprintf(stderr, "more than %ld kB of memory\n", kMostMemory);
    std::abort();
  }

 private:
  std::string file_;
};

}  // namespace

int main(int argc, char** argv)
{
  if (argc < 2) return 2;
  const int mutations = argc > 2 ? std::atoi(argv[2]) : 1000;
  const std::vector<std::string> corpus = read_corpus(argv[1]);
  if (corpus.empty()) return 2;
  Runner runner(argv[0]);
  for (const std::string& text : corpus) runner.run(text);
  Mutator mutator(corpus, argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 1);
  for (int k = 0; k < mutations; ++k) runner.run(mutator.next());
  std::printf("%zu inputs and %d mutations\n", corpus.size(), mutations);
  return 0;
}
