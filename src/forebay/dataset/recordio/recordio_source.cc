#include "forebay/dataset/recordio/recordio_source.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "forebay/base/random/random.h"
#include "forebay/dataset/index/mix_texts.h"
#include "forebay/dataset/index/parsed_source.h"
#include "forebay/dataset/index/shard_index.h"
#include "forebay/dataset/opening.h"
#include "forebay/dataset/recordio/image_record.h"
#include "forebay/dataset/recordio/recordio_index.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

Result<std::vector<tensor::Tensor>> picture_and_labels(const storage::ReadBytes& read) {
  FOREBAY_ASSIGN_OR_RETURN(const RecordIoData record, recordio_data(read.bytes));
  FOREBAY_ASSIGN_OR_RETURN(const ImageRecord image, parse_image_record(record.bytes));
  const auto count = static_cast<int64_t>(image.labels.size());
  FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor labels, tensor::Tensor::copy_of<float>(image.labels, {count}));
  const Bytes bytes = record.bytes.subspan(image.image_offset);
  std::vector<tensor::Tensor> fields;
  if (record.joined.empty()) {
    const auto offset = static_cast<uint64_t>(bytes.data() - read.bytes.data());
    fields.push_back(byte_tensor(storage::buffer_of(read), offset, bytes.size()));
  } else {
    FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor joined, padded_byte_tensor(bytes));
    fields.push_back(std::move(joined));
  }
  fields.push_back(std::move(labels));
  return fields;
}

uint64_t recordio_parameters(const RecordIoOptions& options) {
  uint64_t hash = hash64("recordio_source 1");
  for (const std::vector<std::string>* texts : {&options.path, &options.index_path}) {
    hash = mix_texts(hash, *texts);
  }
  return hash;
}

Result<std::vector<uint64_t>> listed_offsets(const RecordIoOptions& options, const std::string& path) {
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, registry_of(options).resolve(path));
  FOREBAY_ASSIGN_OR_RETURN(const storage::ReadBytes read,
                           storage::read_now(*address.store, {.key = address.key}));
  return parse_recordio_index({reinterpret_cast<const char*>(read.bytes.data()), read.bytes.size()}, path);
}

/// What index files say: the offsets of one file's records.
struct ListedRecords {
  std::vector<std::vector<uint64_t>> of_file;  // empty: there are no index files
};

/// Deals the offsets of one index over the files that it goes on through.
Status deal(const RecordIoOptions& options, const std::vector<uint64_t>& offsets, ListedRecords& listed) {
  uint64_t begin = 0;
  auto next = offsets.begin();
  for (const std::string& path : options.path) {
    FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, registry_of(options).resolve(path));
    FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectStat stat,
                             storage::stat_now(*address.store, address.key, opening()));
    const auto end = std::lower_bound(next, offsets.end(), begin + stat.size_bytes);
    std::vector<uint64_t>& own = listed.of_file.emplace_back();
    std::transform(next, end, std::back_inserter(own), [begin](uint64_t offset) { return offset - begin; });
    begin += stat.size_bytes;
    next = end;
  }
  if (next != offsets.end()) {
    return data_loss("{}: a record begins at byte {}, but the files have {}", options.index_path.front(),
                     *next, begin);
  }
  return ok_status();
}

Result<ListedRecords> listed_records(const RecordIoOptions& options) {
  ListedRecords listed;
  if (options.index_path.size() == 1 && options.path.size() > 1) {
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<uint64_t> offsets,
                             listed_offsets(options, options.index_path[0]));
    FOREBAY_RETURN_IF_ERROR(deal(options, offsets, listed));
    return listed;
  }
  for (const std::string& path : options.index_path) {
    FOREBAY_ASSIGN_OR_RETURN(std::vector<uint64_t> offsets, listed_offsets(options, path));
    listed.of_file.push_back(std::move(offsets));
  }
  return listed;
}

/// Each record ends where the next one begins. Only an empty file has none.
Result<ShardRows> rows_between(const std::vector<uint64_t>& offsets, uint64_t file_bytes,
                               const RecordIoOptions& options, size_t which) {
  if (offsets.empty() && file_bytes > 0) {
    const size_t index = options.index_path.size() == 1 ? 0 : which;
    return data_loss("{}: the index names no record of {}, which has {} bytes, so it is not that file's",
                     storage::uri_for_message(options.index_path[index]),
                     storage::uri_for_message(options.path[which]), file_bytes);
  }
  ShardRows shard;
  for (size_t i = 0; i < offsets.size(); ++i) {
    const uint64_t end = i + 1 < offsets.size() ? offsets[i + 1] : std::max(file_bytes, offsets[i]);
    SampleRow row;
    row.offset_bytes = offsets[i];
    row.length_bytes = std::max(end - offsets[i], kRecordIoHeaderBytes);
    row.object = 0;
    shard.rows.push_back(row);
  }
  return shard;
}

SampleRow row_of_record(const RecordIoRange& record) {
  SampleRow row;
  row.object = 0;
  row.offset_bytes = record.offset_bytes;
  row.length_bytes = record.size_bytes;
  return row;
}

Result<ShardRows> scanned_rows(const ByteSource& file, const std::string& name, const TakeRows& take) {
  const auto take_record = [&take](const RecordIoRange& record) {
    const SampleRow row = row_of_record(record);
    take({&row, 1});
  };
  FOREBAY_ASSIGN_OR_RETURN(const RecordIoScan found, scan_recordio(file, name, take_record));
  ShardRows shard{.rows = {}, .lost_at = found.damaged_at, .damage = found.damage};
  std::ranges::transform(found.records, std::back_inserter(shard.rows), row_of_record);
  return shard;
}

Result<std::shared_ptr<const SampleIndex>> index_recordio(const RecordIoOptions& options,
                                                          uint64_t parameters) {
  FOREBAY_ASSIGN_OR_RETURN(const ListedRecords listed, listed_records(options));
  if (!listed.of_file.empty() && std::ranges::all_of(listed.of_file, &std::vector<uint64_t>::empty)) {
    return no_samples(storage::uri_for_message(options.index_path.front()), "the index names none");
  }
  const auto scan = [&](size_t which, const ObjectByteSource& file,
                        const TakeRows& take) -> Result<ShardRows> {
    return listed.of_file.empty() ? scanned_rows(file, options.path[which], take)
                                  : rows_between(listed.of_file[which], file.size_bytes(), options, which);
  };
  TableRules tables;
  if (listed.of_file.empty()) {
    tables.parameters = hash64("recordio table 1");
    tables.end_of_row = [](const SampleRow& row) {
      return end_of(RecordIoRange{row.offset_bytes, row.length_bytes});
    };
  }
  return index_shards(options, options.path, 1, parameters, tables, scan);
}

}  // namespace

Status check(const RecordIoOptions& options) {
  if (options.path.empty()) {
    return invalid_argument("`path` may not be empty");
  }
  const size_t count = options.index_path.size();
  if (count > 1 && count != options.path.size()) {
    return invalid_argument("{} index files for {} files; one for all, or one for each, is needed", count,
                            options.path.size());
  }
  return ok_status();
}

Result<std::shared_ptr<Source>> make_recordio_source(const RecordIoOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check(options));
  const uint64_t parameters = recordio_parameters(options);
  ParsedSourceParts parts;
  FOREBAY_ASSIGN_OR_RETURN(parts.index, open_or_build_index(options, {}, parameters, 1, [&] {
                             return index_recordio(options, parameters);
                           }));
  parts.num_fields = 2;
  parts.parse = [](const SampleRow&, const storage::ReadBytes& read) { return picture_and_labels(read); };
  return make_parsed_source(std::move(parts), options);
}

}  // namespace forebay::dataset
