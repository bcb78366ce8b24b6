#include "forebay/dataset/parquet/parquet_footer.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace forebay::dataset {
namespace {

constexpr uint64_t kMaxFooterBytes = 256 << 20;
constexpr int64_t kMaxRows = int64_t{1} << 40;

/// A chunk as the file describes it; -1: not said.
struct StoredChunk {
  bool is_elsewhere = false;
  bool is_encrypted = false;
  int64_t type = -1;
  int64_t codec = -1;
  int64_t values = -1;
  int64_t unpacked_bytes = -1;
  int64_t packed_bytes = -1;
  int64_t data_offset = -1;
  int64_t dictionary_offset = -1;
  int64_t index_offset = -1;
  int64_t index_bytes = 0;
};

struct StoredGroup {
  std::vector<StoredChunk> chunks;
  int64_t rows = -1;
};

struct StoredFooter {
  std::vector<ParquetSchemaNode> nodes;
  std::vector<StoredGroup> groups;
  int64_t rows = -1;
  bool is_encrypted = false;
};

void read_chunk_metadata(ThriftReader& reader, StoredChunk* chunk) {
  reader.structure([&](int16_t id, uint8_t type) {
    switch (id) {
      case 1:
        chunk->type = reader.integer(type);
        break;
      case 4:
        chunk->codec = reader.integer(type);
        break;
      case 5:
        chunk->values = reader.integer(type);
        break;
      case 6:
        chunk->unpacked_bytes = reader.integer(type);
        break;
      case 7:
        chunk->packed_bytes = reader.integer(type);
        break;
      case 9:
        chunk->data_offset = reader.integer(type);
        break;
      case 11:
        chunk->dictionary_offset = reader.integer(type);
        break;
      default:
        reader.skip(type);
    }
  });
}

StoredChunk read_chunk(ThriftReader& reader) {
  StoredChunk chunk;
  reader.structure([&](int16_t id, uint8_t type) {
    switch (id) {
      case 1:
        chunk.is_elsewhere = !reader.text(type).empty();
        break;
      case 3:
        if (type == ThriftReader::kStruct) {
          read_chunk_metadata(reader, &chunk);
        } else {
          reader.fail();
        }
        break;
      case 4:
        chunk.index_offset = reader.integer(type);
        break;
      case 5:
        chunk.index_bytes = reader.integer(type);
        break;
      case 8:
      case 9:
        chunk.is_encrypted = true;
        reader.skip(type);
        break;
      default:
        reader.skip(type);
    }
  });
  return chunk;
}

StoredGroup read_group(ThriftReader& reader) {
  StoredGroup group;
  reader.structure([&](int16_t id, uint8_t type) {
    if (id == 1) {
      reader.list(type, ThriftReader::kStruct, [&] { group.chunks.push_back(read_chunk(reader)); });
    } else if (id == 3) {
      group.rows = reader.integer(type);
    } else {
      reader.skip(type);
    }
  });
  return group;
}

StoredFooter read_footer(ThriftReader& reader) {
  StoredFooter footer;
  reader.structure([&](int16_t id, uint8_t type) {
    switch (id) {
      case 2:
        reader.list(type, ThriftReader::kStruct,
                    [&] { footer.nodes.push_back(read_parquet_schema_node(reader)); });
        break;
      case 3:
        footer.rows = reader.integer(type);
        break;
      case 4:
        reader.list(type, ThriftReader::kStruct, [&] { footer.groups.push_back(read_group(reader)); });
        break;
      case 8:
        footer.is_encrypted = true;
        reader.skip(type);
        break;
      default:
        reader.skip(type);
    }
  });
  return footer;
}

Result<Compression> compression_of_codec(int64_t codec) {
  switch (codec) {
    case 0:
      return Compression::kNone;
    case 1:
      return Compression::kSnappy;
    case 2:
      return Compression::kGzip;
    case 4:
      return Compression::kBrotli;
    case 6:
      return Compression::kZstd;
    case 7:
      return Compression::kLz4;
    case 3:
      return unimplemented("it is compressed by LZO, which is not read; write it with another codec");
    case 5:
      return unimplemented(
          "it is compressed by the deprecated codec LZ4, which is not read; write it as LZ4_RAW");
    default:
      return data_loss("its codec is {}, which is none", codec);
  }
}

bool is_in_file(int64_t offset, int64_t length, uint64_t file_bytes) {
  return offset >= 4 && length >= 0 && static_cast<uint64_t>(offset) <= file_bytes &&
         static_cast<uint64_t>(length) <= file_bytes - static_cast<uint64_t>(offset);
}

Result<ParquetChunk> chunk_of(const StoredChunk& stored, const ParquetLeaf& leaf, uint64_t file_bytes) {
  if (stored.is_encrypted) {
    return unimplemented("it is encrypted");
  }
  if (stored.is_elsewhere) {
    return unimplemented("it is in another file");
  }
  if (stored.type != static_cast<int64_t>(leaf.type)) {
    return data_loss("its values are of type {}, and of type {} in the schema", stored.type,
                     static_cast<int>(leaf.type));
  }
  int64_t begin = stored.data_offset;
  if (stored.dictionary_offset > 0 && stored.dictionary_offset < begin) {
    begin = stored.dictionary_offset;
  }
  if (!is_in_file(begin, stored.packed_bytes, file_bytes) || stored.values < 0 || stored.unpacked_bytes < 0 ||
      stored.values > kMaxRows) {
    return data_loss("{} values in {} bytes at {} are not in a file of {} bytes", stored.values,
                     stored.packed_bytes, begin, file_bytes);
  }
  ParquetChunk chunk;
  FOREBAY_ASSIGN_OR_RETURN(chunk.compression, compression_of_codec(stored.codec));
  chunk.offset_bytes = static_cast<uint64_t>(begin);
  chunk.length_bytes = static_cast<uint64_t>(stored.packed_bytes);
  chunk.unpacked_bytes = static_cast<uint64_t>(stored.unpacked_bytes);
  chunk.values = static_cast<uint64_t>(stored.values);
  if (stored.index_bytes > 0 && is_in_file(stored.index_offset, stored.index_bytes, file_bytes)) {
    chunk.page_index_offset = static_cast<uint64_t>(stored.index_offset);
    chunk.page_index_bytes = static_cast<uint64_t>(stored.index_bytes);
  }
  return chunk;
}

/// From the first chunk's begin to the last one's end.
void set_extent(ParquetGroup* group) {
  uint64_t begin = std::numeric_limits<uint64_t>::max();
  uint64_t end = 0;
  for (const ParquetChunk& chunk : group->chunks) {
    if (chunk.problem.ok()) {
      begin = std::min(begin, chunk.offset_bytes);
      end = std::max(end, chunk.offset_bytes + chunk.length_bytes);
    }
  }
  if (begin < end) {
    group->offset_bytes = begin;
    group->length_bytes = end - begin;
  }
}

Result<ParquetGroup> parquet_group_of(const StoredGroup& stored, const std::vector<ParquetLeaf>& leaves,
                                      uint64_t file_bytes) {
  if (stored.rows < 0 || stored.rows > kMaxRows || stored.chunks.size() != leaves.size()) {
    return data_loss("{} rows of {} columns, where the schema has {}", stored.rows, stored.chunks.size(),
                     leaves.size());
  }
  ParquetGroup group;
  group.rows = static_cast<uint64_t>(stored.rows);
  for (size_t i = 0; i < leaves.size(); ++i) {
    Result<ParquetChunk> chunk = chunk_of(stored.chunks[i], leaves[i], file_bytes);
    group.chunks.push_back(chunk.ok() ? *std::move(chunk) : ParquetChunk{.problem = chunk.status()});
  }
  set_extent(&group);
  return group;
}

}  // namespace

Result<uint64_t> parquet_footer_bytes(Bytes tail, uint64_t file_bytes) {
  if (tail.size() < kParquetTailBytes || file_bytes < kParquetTailBytes + 4) {
    return data_loss("not a Parquet file: it has {} bytes", file_bytes);
  }
  tail = tail.last(kParquetTailBytes);
  const std::string_view magic(reinterpret_cast<const char*>(tail.data()) + 4, 4);
  if (magic == "PARE") {
    return unimplemented("the file's metadata is encrypted");
  }
  if (magic != "PAR1") {
    return data_loss("not a Parquet file, or cut: it does not end with PAR1");
  }
  uint32_t length = 0;
  std::memcpy(&length, tail.data(), sizeof(length));
  if (length > kMaxFooterBytes || length > file_bytes - kParquetTailBytes - 4) {
    return data_loss("its metadata is said to have {} bytes, in a file of {}", length, file_bytes);
  }
  return length;
}

Result<ParquetFooter> parse_parquet_footer(Bytes metadata, uint64_t file_bytes) {
  ThriftReader reader(metadata);
  const StoredFooter stored = read_footer(reader);
  if (reader.failed()) {
    return data_loss("the file's metadata is damaged at its byte {}", reader.position());
  }
  if (stored.is_encrypted) {
    return unimplemented("the file is encrypted");
  }
  ParquetFooter footer;
  FOREBAY_ASSIGN_OR_RETURN(footer.leaves, parquet_leaves(stored.nodes));
  for (const StoredGroup& group : stored.groups) {
    Result<ParquetGroup> next = parquet_group_of(group, footer.leaves, file_bytes);
    if (!next.ok()) {
      return annotate(next.status(), fmt::format("row group {}", footer.groups.size()));
    }
    next->first_row = footer.rows;
    footer.rows += next->rows;
    footer.groups.push_back(*std::move(next));
  }
  if (stored.rows != static_cast<int64_t>(footer.rows)) {
    return data_loss("the file is said to have {} rows, its row groups have {}", stored.rows, footer.rows);
  }
  return footer;
}

Result<std::vector<ParquetPagePlace>> parse_parquet_page_index(Bytes index, const ParquetChunk& chunk,
                                                               uint64_t rows) {
  struct Stored {
    int64_t offset = -1;
    int64_t length = -1;
    int64_t first_row = -1;
  };
  std::vector<Stored> stored;
  ThriftReader reader(index);
  const auto read_place = [&] {
    Stored place;
    reader.structure([&](int16_t id, uint8_t type) {
      if (id >= 1 && id <= 3) {
        (id == 1 ? place.offset : id == 2 ? place.length : place.first_row) = reader.integer(type);
      } else {
        reader.skip(type);
      }
    });
    stored.push_back(place);
  };
  reader.structure([&](int16_t id, uint8_t type) {
    if (id == 1) {
      reader.list(type, ThriftReader::kStruct, read_place);
    } else {
      reader.skip(type);
    }
  });
  if (reader.failed()) {
    return data_loss("the index of a column's pages is damaged");
  }
  std::vector<ParquetPagePlace> pages;
  uint64_t end = chunk.offset_bytes;
  const uint64_t chunk_end = chunk.offset_bytes + chunk.length_bytes;
  for (const Stored& place : stored) {
    const bool is_first = pages.empty();
    const auto offset = static_cast<uint64_t>(place.offset);
    const auto length = static_cast<uint64_t>(place.length);
    const bool rises =
        is_first ? place.first_row == 0 : place.first_row > static_cast<int64_t>(pages.back().first_row);
    if (place.offset < 0 || place.length < 1 || offset < end || offset > chunk_end ||
        length > chunk_end - offset || !rises || place.first_row >= static_cast<int64_t>(rows)) {
      return data_loss("page {} of a column is said to begin with row {} of {}, at {}, with {} bytes",
                       pages.size(), place.first_row, rows, place.offset, place.length);
    }
    pages.push_back({offset, length, static_cast<uint64_t>(place.first_row)});
    end = offset + length;
  }
  return pages;
}

}  // namespace forebay::dataset
