// Parquet files put together by hand, page by page, for tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "forebay/dataset/compression/unpack.h"

namespace forebay::dataset::testing {

/// Numbers as the coding RLE has them, a run each.
std::string runs_of(const std::vector<uint32_t>& numbers, int bits);

/// A node of the schema; the numbers are the format's.
struct SchemaText {
  std::string name;
  int type = -1;       // -1: a group
  int repetition = 0;  // 0 required, 1 optional, 2 repeated
  int children = 0;
  int converted = -1;
  int type_length = 0;
  int logical = 0;
};

/// What makes the column `name` a list, which may be null, of elements, which may be null.
std::vector<SchemaText> list_schema(const std::string& name, int type);

struct PageText {
  int kind = 0;  // 0 data, 2 a dictionary, 3 data of version 2
  uint64_t values = 0;
  int coding = 0;
  std::string repetition;  // runs, without their length
  std::string definition;
  std::string content;
  uint64_t rows = 0;
  bool has_checksum = false;
  bool has_wrong_checksum = false;
};

/// A page of plain numbers, one a row.
template <class T>
PageText plain_page(const std::vector<T>& numbers) {
  PageText page{.values = numbers.size(), .rows = numbers.size()};
  page.content.assign(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T));
  return page;
}

/// Texts as plain values.
std::string plain_texts(const std::vector<std::string>& texts);

/// Writes a file: all columns of the schema's leaves, a row group after the other.
class ParquetText {
 public:
  explicit ParquetText(std::vector<SchemaText> columns, Compression compression = Compression::kNone,
                       bool has_page_index = false)
      : columns_(std::move(columns)), compression_(compression), has_page_index_(has_page_index) {}

  /// Begins a row group.
  void begin_group(uint64_t rows) { groups_.push_back({rows, {}}); }
  /// The pages of the next leaf in the row group.
  void add_chunk(int type, const std::vector<PageText>& pages);
  std::string finish();

  int64_t codec = -1;  // instead of the compression's own

 private:
  struct Place {
    uint64_t offset;
    uint64_t length;
    uint64_t first_row;
  };
  struct Chunk {
    int type;
    uint64_t begin;
    uint64_t end;
    uint64_t unpacked;
    uint64_t values;
    bool has_dictionary;
    std::vector<Place> pages;
    uint64_t index_offset = 0;
    uint64_t index_length = 0;
  };
  struct Group {
    uint64_t rows;
    std::vector<Chunk> chunks;
  };
  std::string metadata() const;
  std::string chunk_text(const Chunk& chunk) const;

  std::vector<SchemaText> columns_;
  Compression compression_;
  bool has_page_index_;
  std::string file_ = "PAR1";
  std::vector<Group> groups_;
};

/// A file of one row group with the column `name` of these numbers, INT64.
std::string parquet_of_numbers(const std::string& name, const std::vector<int64_t>& numbers);

}  // namespace forebay::dataset::testing
