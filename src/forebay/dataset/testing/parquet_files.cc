#include "forebay/dataset/testing/parquet_files.h"

#include <libdeflate.h>

#include "forebay/dataset/testing/packed_bytes.h"
#include "forebay/dataset/testing/record_files.h"

namespace forebay::dataset::testing {
namespace {

std::string zigzag(int64_t value) {
  return varint(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
}

std::string word_text(uint32_t word) {
  return {reinterpret_cast<const char*>(&word), sizeof(word)};
}

/// Thrift's compact protocol: fields in the order of their numbers.
class ThriftText {
 public:
  ThriftText& number(int id, int64_t value, int type = 6) { return field(id, type, zigzag(value)); }
  ThriftText& text(int id, const std::string& value) { return field(id, 8, varint(value.size()) + value); }
  ThriftText& structure(int id, const std::string& value) { return field(id, 12, value); }
  ThriftText& list(int id, int element, const std::vector<std::string>& values) {
    std::string body = values.size() < 15
                           ? std::string(1, static_cast<char>(values.size() << 4 | element))
                           : std::string(1, static_cast<char>(0xF0 | element)) + varint(values.size());
    for (const std::string& value : values) {
      body += value;
    }
    return field(id, 9, body);
  }
  std::string end() const { return text_ + '\0'; }

 private:
  ThriftText& field(int id, int type, const std::string& body) {
    text_ += static_cast<char>((id - last_) << 4 | type);
    text_ += body;
    last_ = id;
    return *this;
  }

  std::string text_;
  int last_ = 0;
};

int64_t codec_of(Compression compression) {
  switch (compression) {
    case Compression::kSnappy:
      return 1;
    case Compression::kGzip:
      return 2;
    case Compression::kBrotli:
      return 4;
    case Compression::kZstd:
      return 6;
    case Compression::kLz4:
      return 7;
    default:
      return 0;
  }
}

std::string with_length(const std::string& levels) {
  return levels.empty() ? levels : word_text(static_cast<uint32_t>(levels.size())) + levels;
}

/// A page with its header.
std::string page_text(const PageText& page, Compression compression, uint64_t* unpacked) {
  std::string body;
  uint64_t size = 0;
  ThriftText details;
  details.number(1, static_cast<int64_t>(page.values), 5);
  if (page.kind == 3) {
    const std::string levels = page.repetition + page.definition;
    size = levels.size() + page.content.size();
    body = levels + pack(compression, page.content);
    details.number(2, 0, 5).number(3, static_cast<int64_t>(page.rows), 5).number(4, page.coding, 5);
    details.number(5, static_cast<int64_t>(page.definition.size()), 5);
    details.number(6, static_cast<int64_t>(page.repetition.size()), 5);
  } else {
    const std::string plain = with_length(page.repetition) + with_length(page.definition) + page.content;
    size = plain.size();
    body = pack(compression, plain);
    details.number(2, page.coding, 5);
    if (page.kind == 0) {
      details.number(3, 3, 5).number(4, 3, 5);
    }
  }
  ThriftText header;
  header.number(1, page.kind, 5).number(2, static_cast<int64_t>(size), 5);
  header.number(3, static_cast<int64_t>(body.size()), 5);
  if (page.has_checksum || page.has_wrong_checksum) {
    const uint32_t checksum =
        ::libdeflate_crc32(0, body.data(), body.size()) ^ (page.has_wrong_checksum ? 1u : 0u);
    header.number(4, static_cast<int32_t>(checksum), 5);
  }
  header.structure(page.kind == 0 ? 5 : page.kind == 2 ? 7 : 8, details.end());
  *unpacked += size + header.end().size();
  return header.end() + body;
}

}  // namespace

std::string runs_of(const std::vector<uint32_t>& numbers, int bits) {
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t end = i;
    while (end < numbers.size() && numbers[end] == numbers[i]) {
      ++end;
    }
    text += varint((end - i) << 1);
    text += word_text(numbers[i]).substr(0, static_cast<size_t>((bits + 7) / 8));
    i = end;
  }
  return text;
}

std::vector<SchemaText> list_schema(const std::string& name, int type) {
  return {{name, -1, 1, 1, 3}, {"list", -1, 2, 1}, {"element", type, 1}};
}

std::string plain_texts(const std::vector<std::string>& texts) {
  std::string plain;
  for (const std::string& text : texts) {
    plain += word_text(static_cast<uint32_t>(text.size())) + text;
  }
  return plain;
}

void ParquetText::add_chunk(int type, const std::vector<PageText>& pages) {
  Chunk chunk{type, file_.size(), 0, 0, 0, false, {}};
  uint64_t row = 0;
  for (const PageText& page : pages) {
    const std::string text = page_text(page, compression_, &chunk.unpacked);
    if (page.kind == 2) {
      chunk.has_dictionary = true;
    } else {
      chunk.values += page.values;
      chunk.pages.push_back({file_.size(), text.size(), row});
      row += page.rows;
    }
    file_ += text;
  }
  chunk.end = file_.size();
  groups_.back().chunks.push_back(std::move(chunk));
}

std::string ParquetText::chunk_text(const Chunk& chunk) const {
  ThriftText details;
  details.number(1, chunk.type, 5).list(2, 5, {zigzag(0)}).list(3, 8, {varint(1) + "x"});
  details.number(4, codec >= 0 ? codec : codec_of(compression_), 5);
  details.number(5, static_cast<int64_t>(chunk.values)).number(6, static_cast<int64_t>(chunk.unpacked));
  details.number(7, static_cast<int64_t>(chunk.end - chunk.begin));
  details.number(9, static_cast<int64_t>(chunk.pages.empty() ? chunk.begin : chunk.pages[0].offset));
  if (chunk.has_dictionary) {
    details.number(11, static_cast<int64_t>(chunk.begin));
  }
  ThriftText text;
  text.number(2, static_cast<int64_t>(chunk.begin)).structure(3, details.end());
  if (chunk.index_length > 0) {
    text.number(4, static_cast<int64_t>(chunk.index_offset))
        .number(5, static_cast<int64_t>(chunk.index_length), 5);
  }
  return text.end();
}

std::string ParquetText::metadata() const {
  std::vector<std::string> nodes;
  int top = 0;
  for (size_t i = 0; i < columns_.size(); ++top) {
    size_t below = 1;  // nodes that follow the next top one
    for (; below > 0; --below) {
      below += static_cast<size_t>(columns_[i++].children);
    }
  }
  nodes.push_back(ThriftText().text(4, "schema").number(5, top, 5).end());
  for (const SchemaText& column : columns_) {
    ThriftText node;
    if (column.type >= 0) {
      node.number(1, column.type, 5).number(2, column.type_length, 5);
    }
    node.number(3, column.repetition, 5).text(4, column.name).number(5, column.children, 5);
    if (column.converted >= 0) {
      node.number(6, column.converted, 5);
    }
    if (column.logical > 0) {
      node.structure(10, ThriftText().structure(column.logical, ThriftText().end()).end());
    }
    nodes.push_back(node.end());
  }
  std::vector<std::string> groups;
  uint64_t rows = 0;
  for (const Group& group : groups_) {
    std::vector<std::string> chunks;
    for (const Chunk& chunk : group.chunks) {
      chunks.push_back(chunk_text(chunk));
    }
    groups.push_back(
        ThriftText().list(1, 12, chunks).number(2, 0).number(3, static_cast<int64_t>(group.rows)).end());
    rows += group.rows;
  }
  return ThriftText()
      .number(1, 2, 5)
      .list(2, 12, nodes)
      .number(3, static_cast<int64_t>(rows))
      .list(4, 12, groups)
      .text(6, "a test")
      .end();
}

std::string ParquetText::finish() {
  for (Group& group : groups_) {
    for (Chunk& chunk : group.chunks) {
      if (!has_page_index_) {
        continue;
      }
      std::vector<std::string> places;
      for (const Place& page : chunk.pages) {
        places.push_back(ThriftText()
                             .number(1, static_cast<int64_t>(page.offset))
                             .number(2, static_cast<int64_t>(page.length), 5)
                             .number(3, static_cast<int64_t>(page.first_row))
                             .end());
      }
      const std::string index = ThriftText().list(1, 12, places).end();
      chunk.index_offset = file_.size();
      chunk.index_length = index.size();
      file_ += index;
    }
  }
  const std::string text = metadata();
  return file_ + text + word_text(static_cast<uint32_t>(text.size())) + "PAR1";
}

std::string parquet_of_numbers(const std::string& name, const std::vector<int64_t>& numbers) {
  ParquetText file({{name, 2}});
  file.begin_group(numbers.size());
  file.add_chunk(2, {plain_page(numbers)});
  return file.finish();
}

}  // namespace forebay::dataset::testing
