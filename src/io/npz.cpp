#include "io/npz.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "base/names.hpp"
#include "base/text.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

template <class Number>
Number little_endian(const unsigned char* bytes)
{
  Number number;  // every machine that this runs on is little-endian
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

/// What stands behind 'key': in the header of an array, a Python literal.
std::string_view literal(std::string_view header, std::string_view key)
{
  const std::size_t at = header.find("'" + std::string(key) + "':");
  if (at == header.npos) return {};
  std::string_view rest = header.substr(at + key.size() + 3);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  if (rest.starts_with('\'')) return rest.substr(1, rest.find('\'', 1) - 1);
  if (rest.starts_with('(')) return rest.substr(1, rest.find(')') - 1);
  return rest.substr(0, rest.find_first_of(",}"));
}

std::vector<std::uint64_t> shape_of(std::string_view text)
{
  std::vector<std::uint64_t> shape;
  const char *at = text.data(), *const end = at + text.size();
  while (at < end) {
    std::uint64_t length = 0;
    const auto [next, error] = std::from_chars(at, end, length);
    if (error == std::errc()) shape.push_back(length);
    at = error == std::errc() ? next : at + 1;
  }
  return shape;
}

}  // namespace

NpzFile::NpzFile(const std::string& file, const char* option)
{
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status = {};
  const bool regular = fd >= 0 && ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
  void* const mapped =
      regular ? ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  if (fd >= 0) ::close(fd);
  if (mapped == MAP_FAILED) throw InputError(option, "want a readable file of arrays, got " + internal::quoted(file));
  begin_ = static_cast<const unsigned char*>(mapped);
  size_ = static_cast<std::uint64_t>(status.st_size);
  try {
    read_directory(file, option);
  } catch (...) {
    ::munmap(mapped, size_);
    throw;
  }
}

NpzFile::~NpzFile() { ::munmap(const_cast<unsigned char*>(begin_), size_); }

/// The central directory at the end of a zip archive (PKWARE's APPNOTE 4.3), and the arrays that it lists.
void NpzFile::read_directory(const std::string& file, const char* option)
{
  const std::string path = std::string(option) + ": " + file;
  constexpr std::uint64_t kEnd = 22, kEntry = 46, kLocal = 30;
  const auto refuse = [&](const std::string& got) {
    throw InputError(option, "want arrays of numpy.savez, got " + got + " in " + internal::quoted(file));
  };
  std::uint64_t end = size_ < kEnd ? 0 : size_ - kEnd;
  while (end > 0 && little_endian<std::uint32_t>(begin_ + end) != 0x06054b50) --end;
  if (size_ < kEnd || little_endian<std::uint32_t>(begin_ + end) != 0x06054b50) refuse("no zip archive");
  const auto count = little_endian<std::uint16_t>(begin_ + end + 10);
  std::uint64_t at = little_endian<std::uint32_t>(begin_ + end + 16);
  for (int i = 0; i < count; ++i) {
    if (at + kEntry > size_ || little_endian<std::uint32_t>(begin_ + at) != 0x02014b50) refuse("a torn archive");
    const unsigned char* const entry = begin_ + at;
    const auto method = little_endian<std::uint16_t>(entry + 10);
    std::uint64_t size = little_endian<std::uint32_t>(entry + 24);
    const std::uint64_t stored = little_endian<std::uint32_t>(entry + 20);
    const auto name_size = little_endian<std::uint16_t>(entry + 28), extra = little_endian<std::uint16_t>(entry + 30),
               comment = little_endian<std::uint16_t>(entry + 32);
    const std::uint64_t local = little_endian<std::uint32_t>(entry + 42);
    if (at + kEntry + name_size + extra + comment > size_) refuse("a torn archive");
    std::string name(reinterpret_cast<const char*>(entry + kEntry), name_size);
    at += kEntry + name_size + extra + comment;
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    require_name(name, option);
    if (method != 0) refuse("a compressed array " + internal::quoted(name) + " (savez_compressed)");
    if (stored == 0xffffffff || local == 0xffffffff) refuse("an array " + internal::quoted(name) + " beyond 4 GiB");
    if (local + kLocal > size_) refuse("a torn archive");
    const std::uint64_t data = local + kLocal + little_endian<std::uint16_t>(begin_ + local + 26) +
                               little_endian<std::uint16_t>(begin_ + local + 28);
    if (data + size > size_) refuse("a torn archive");
    const Column column = read_array(name, begin_ + data, size, option);
    if (std::ranges::find(columns_, name, &Column::name) != columns_.end()) refuse(internal::quoted(name) + " twice");
    columns_.push_back(column);
  }
  if (columns_.empty()) refuse("none");
}

NpzFile::Column NpzFile::read_array(const std::string& name, const unsigned char* begin, std::uint64_t size,
                                    const std::string& path)
{
  const auto refuse = [&](const std::string& want, const std::string& got) {
    throw InputError(path, "want " + want + " for " + internal::quoted(name) + ", got " + got);
  };
  if (size < 12 || std::memcmp(begin, "\x93NUMPY", 6) != 0) refuse("an array of numpy", "something else");
  const bool first = begin[6] == 1;
  const std::uint64_t start = first ? 10 : 12;
  const std::uint64_t length =
      first ? little_endian<std::uint16_t>(begin + 8) : little_endian<std::uint32_t>(begin + 8);
  if (start + length > size) refuse("an array of numpy", "a torn one");
  const std::string_view header(reinterpret_cast<const char*>(begin + start), length);
  const std::string_view type = literal(header, "descr");
  const std::vector<std::uint64_t> shape = shape_of(literal(header, "shape"));
  Column column;
  column.name = name;
  column.fortran = literal(header, "fortran_order") == "True";
  const std::string_view kinds[] = {"<f8", "<f4", "<i8", "<i4", "<i2", "|i1", "<u8", "<u4", "<u2", "|u1", "|b1"};
  if (std::ranges::find(kinds, type) == std::end(kinds))
    refuse("real numbers or booleans", internal::quoted(std::string(type)));
  column.kind = type[1];
  column.size = type[2] - '0';
  if (shape.empty() || shape.size() > 2)
    refuse("a number or a list of numbers per row", std::to_string(shape.size()) + " dimensions");
  column.scalar = shape.size() == 1;
  column.width = column.scalar ? 1 : shape[1];
  constexpr std::uint64_t kWidest = 10000;
  if (column.width == 0 || column.width > kWidest) refuse("1 to 10000 numbers per row", std::to_string(column.width));
  if (!columns_.empty() && shape[0] != rows_)
    refuse(std::to_string(rows_) + " rows as " + internal::quoted(columns_.front().name) + " has",
           std::to_string(shape[0]));
  rows_ = shape[0];
  column.data = begin + start + length;
  const std::uint64_t bytes = size - start - length;
  if (rows_ > bytes || rows_ * column.width * static_cast<std::uint64_t>(column.size) != bytes)
    refuse("as many numbers as its shape says", std::to_string(bytes) + " bytes");
  return column;
}

double NpzFile::value(const Column& column, std::uint64_t row, std::uint64_t k) const
{
  const std::uint64_t index = column.fortran ? k * rows_ + row : row * column.width + k;
  const unsigned char* const at = column.data + index * static_cast<std::uint64_t>(column.size);
  switch (column.kind) {
    case 'f':
      return column.size == 8 ? little_endian<double>(at) : little_endian<float>(at);
    case 'i':
      return column.size == 8   ? static_cast<double>(little_endian<std::int64_t>(at))
             : column.size == 4 ? little_endian<std::int32_t>(at)
             : column.size == 2 ? little_endian<std::int16_t>(at)
                                : little_endian<std::int8_t>(at);
    case 'u':
      return column.size == 8   ? static_cast<double>(little_endian<std::uint64_t>(at))
             : column.size == 4 ? little_endian<std::uint32_t>(at)
             : column.size == 2 ? little_endian<std::uint16_t>(at)
                                : little_endian<std::uint8_t>(at);
    default:
      return *at != 0 ? 1.0 : 0.0;
  }
}

}  // namespace stiction::internal
