// Arrays that numpy.savez wrote: a zip archive of .npy files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stiction::internal {

/// A file of arrays of numbers that share their first dimension, mapped into memory.
class NpzFile {
 public:
  struct Column {
    std::string name;
    std::uint64_t width = 1;  ///< numbers per row
    bool scalar = true;       ///< one dimension: a number per row, else a list
    char kind = 'f';          ///< numpy's: f, i, u or b
    int size = 8;             ///< bytes of a number
    bool fortran = false;
    const unsigned char* data = nullptr;
  };

  /// @throws InputError at `option` for what is no such file: compressed, text, other shapes.
  NpzFile(const std::string& file, const char* option);
  ~NpzFile();
  NpzFile(const NpzFile&) = delete;
  NpzFile& operator=(const NpzFile&) = delete;

  std::uint64_t rows() const { return rows_; }
  std::uint64_t bytes() const { return size_; }
  const std::vector<Column>& columns() const { return columns_; }
  double value(const Column& column, std::uint64_t row, std::uint64_t k) const;

 private:
  void read_directory(const std::string& file, const char* option);
  Column read_array(const std::string& name, const unsigned char* begin, std::uint64_t size, const std::string& path);

  const unsigned char* begin_ = nullptr;
  std::uint64_t size_ = 0, rows_ = 0;
  std::vector<Column> columns_;
};

}  // namespace stiction::internal
