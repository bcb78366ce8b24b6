#include "forebay/dataset/mds/mds_source.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "forebay/base/random/random.h"
#include "forebay/dataset/blocks/block_cache.h"
#include "forebay/dataset/blocks/block_reads.h"
#include "forebay/dataset/index/shard_index.h"
#include "forebay/dataset/mds/mds_shard.h"
#include "forebay/dataset/mds/mds_value.h"
#include "forebay/dataset/opening.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

constexpr uint64_t kMaxIndexBytes = 256 << 20;

/// A shard and what is asked for of its columns.
struct StreamShard {
  std::string path;
  MdsShard shard;
  std::vector<size_t> wanted;  // places of the columns that are asked for
  bool is_read_whole = false;
};

/// The shards of all folders.
struct ShardList {
  std::vector<StreamShard> shards;
  std::vector<MdsEncoding> encodings;  // of the columns that are asked for
  uint64_t hash = 0;                   // of what the folders' indexes say
};

/// A shard as it is when it is not compressed.
class ShardBlock final : public Block {
 public:
  ShardBlock(tensor::Tensor bytes, std::vector<uint32_t> offsets)
      : bytes_(std::move(bytes)), offsets_(std::move(offsets)) {}

  uint64_t size_bytes() const override { return bytes_.size_bytes() + offsets_.size() * sizeof(uint32_t); }
  /// `number`: below the number of the shard's samples.
  Bytes sample(int64_t number) const {
    const auto place = static_cast<size_t>(number);
    return bytes_.bytes().subspan(offsets_[place], offsets_[place + 1] - offsets_[place]);
  }

 private:
  const tensor::Tensor bytes_;
  const std::vector<uint32_t> offsets_;
};

Result<BlockRef> make_shard_block(const MdsShard& shard, bool verify_hashes, const storage::ReadBytes& read) {
  if (verify_hashes) {
    FOREBAY_RETURN_IF_ERROR(check_mds_hashes(shard.stored(), read.bytes));
  }
  tensor::Tensor bytes;
  if (shard.packed) {
    const tensor::TensorSpec spec{{static_cast<int64_t>(shard.raw.bytes)}, tensor::DType::kUint8, {}};
    FOREBAY_ASSIGN_OR_RETURN(bytes, tensor::Tensor::allocate(spec));
    FOREBAY_RETURN_IF_ERROR(unpack(shard.compression, read.bytes, bytes.mutable_view().bytes()));
    if (verify_hashes) {
      FOREBAY_RETURN_IF_ERROR(check_mds_hashes(shard.raw, bytes.bytes()));
    }
  } else {
    bytes = byte_tensor(storage::buffer_of(read), 0, read.size_bytes());
  }
  FOREBAY_ASSIGN_OR_RETURN(std::vector<uint32_t> offsets,
                           parse_mds_table(bytes.bytes(), shard.samples, bytes.size_bytes()));
  return std::make_shared<const ShardBlock>(std::move(bytes), std::move(offsets));
}

bool is_aligned_for(const void* address, tensor::DType dtype) {
  return reinterpret_cast<uintptr_t>(address) % tensor::size_of(dtype) == 0;
}

/// `owner`: holds the value's bytes, which it may share; null: they are copied.
Result<tensor::Tensor> tensor_of_value(const MdsEncoding& encoding, Bytes value,
                                       const memory::BufferRef& owner) {
  if (encoding.kind == MdsKind::kIntText || encoding.kind == MdsKind::kFloatText) {
    return parse_mds_text(encoding, value);
  }
  FOREBAY_ASSIGN_OR_RETURN(const MdsValue split, split_mds_value(encoding, value));
  if (!owner || !is_aligned_for(split.elements.data(), split.spec.dtype)) {
    return tensor::Tensor::copy_of_bytes(split.elements, split.spec);
  }
  const auto offset = split.elements.data() - static_cast<const std::byte*>(owner->data());
  return tensor::Tensor(owner, static_cast<size_t>(offset), split.spec);
}

class MdsSource final : public IndexedSource {
 public:
  MdsSource(std::shared_ptr<const SampleIndex> index, ShardList list, const MdsOptions& options)
      : IndexedSource(std::move(index), {}, options),
        list_(std::move(list)),
        verify_hashes_(options.verify_hashes),
        blocks_(static_cast<uint64_t>(options.block_bytes)) {
    std::unordered_map<std::string_view, size_t> by_path;
    for (size_t i = 0; i < list_.shards.size(); ++i) {
      by_path.emplace(list_.shards[i].path, i);
    }
    for (uint32_t id = 0; id < this->index().num_objects(); ++id) {
      const auto found = by_path.find(this->index().object(id).name);
      shard_of_object_.push_back(found == by_path.end() ? 0 : found->second);
    }
  }

  int num_fields() const override { return static_cast<int>(list_.encodings.size()); }

  void plan(int64_t index, std::vector<PlannedRead>* reads) const override {
    if (!check_index(index).ok()) {
      return;
    }
    const SampleRow row = this->index().row(index);
    if (!row.is_lost()) {
      plan_range(row.object, row.offset_bytes, row.length_bytes, reads);
    }
  }

  void read(int64_t index, const ReadFlags& flags, RecordCallback done) const override {
    if (const Status status = check_index(index); !status.ok()) {
      done(status);
      return;
    }
    const SampleRow row = this->index().row(index);
    if (shard_of(row).is_read_whole && !row.is_lost()) {
      read_from_block(index, row, flags, std::move(done));
      return;
    }
    read_row(index, row, flags, false, 0,
             [this, index, row, done = std::move(done)](const Result<storage::ReadBytes>& read) mutable {
               if (!read.ok()) {
                 done(read.status());
                 return;
               }
               done(record_of(index, row, read->bytes, storage::buffer_of(*read)));
             });
  }

 private:
  SampleRow extent_of(int64_t sample) const override {
    SampleRow row = index().row(sample);
    row.label = 0;
    const StreamShard& shard = shard_of(row);
    if (shard.is_read_whole && !row.is_lost()) {
      row.length_bytes = shard.shard.raw.bytes / std::max<uint64_t>(1, shard.shard.samples);
    }
    return row;
  }

  const StreamShard& shard_of(const SampleRow& row) const {
    return list_.shards[shard_of_object_[row.object]];
  }

  void read_from_block(int64_t index, const SampleRow& row, const ReadFlags& flags,
                       RecordCallback done) const {
    const MdsShard& shard = shard_of(row).shard;
    LoadBlock load = [this, row, &shard, block_flags = flags_of_block(flags)](BlockCallback loaded) {
      read_ranges(
          -1, row.object, {{0, row.length_bytes}}, block_flags,
          [this, row, &shard,
           loaded = std::move(loaded)](const Result<std::vector<storage::ReadBytes>>& reads) mutable {
            if (!reads.ok()) {
              loaded(reads.status());
              return;
            }
            Result<BlockRef> block = make_shard_block(shard, verify_hashes_, reads->front());
            loaded(block.ok() ? std::move(block)
                              : sample_error(block.status(), -1, origin_of(row.object, 0, row.length_bytes)));
          });
    };
    const uint64_t bytes = std::max(shard.raw.bytes, row.length_bytes);
    blocks_.get({row.object, 0, 0}, bytes, std::move(load),
                [this, index, row, done = std::move(done)](const Result<BlockRef>& block) mutable {
                  if (!block.ok()) {
                    done(sample_error(block.status(), index, origin_of(row.object, 0, row.length_bytes)));
                    return;
                  }
                  const auto& shard = static_cast<const ShardBlock&>(**block);
                  done(record_of(index, row, shard.sample(row.label), nullptr));
                });
  }

  Result<Record> record_of(int64_t index, const SampleRow& row, Bytes sample,
                           const memory::BufferRef& owner) const {
    Record record;
    record.index = index;
    record.origin = origin_of(row.object, row.offset_bytes, row.length_bytes);
    const Status status = fill(shard_of(row), sample, owner, &record.fields);
    if (!status.ok()) {
      return sample_error(status, index, record.origin);
    }
    return record;
  }

  Status fill(const StreamShard& shard, Bytes sample, const memory::BufferRef& owner,
              std::vector<tensor::Tensor>* fields) const {
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<Bytes> values, split_mds_sample(shard.shard.columns, sample));
    for (size_t i = 0; i < shard.wanted.size(); ++i) {
      const size_t column = shard.wanted[i];
      Result<tensor::Tensor> tensor = tensor_of_value(list_.encodings[i], values[column], owner);
      if (!tensor.ok()) {
        return annotate(tensor.status(), fmt::format("column '{}'", shard.shard.columns[column].name));
      }
      fields->push_back(*std::move(tensor));
    }
    return ok_status();
  }

  const ShardList list_;
  std::vector<size_t> shard_of_object_;  // by the object's id in the index
  const bool verify_hashes_;
  mutable BlockCache blocks_;
};

std::string names_of(const std::vector<MdsColumn>& columns) {
  std::string names;
  for (const MdsColumn& column : columns) {
    names += (names.empty() ? "" : ", ") + column.name;
  }
  return names;
}

/// Finds the columns in one shard; the first shard decides how they are encoded.
Status find_columns(const MdsOptions& options, StreamShard* shard, const StreamShard* first) {
  const std::vector<MdsColumn>& columns = shard->shard.columns;
  for (const std::string& name : options.columns) {
    const auto found = std::ranges::find(columns, name, &MdsColumn::name);
    if (found == columns.end()) {
      return invalid_argument("{} has no column '{}'; it has {}", storage::uri_for_message(shard->path), name,
                              names_of(columns));
    }
    shard->wanted.push_back(static_cast<size_t>(found - columns.begin()));
    const size_t place = shard->wanted.size() - 1;
    if (first != nullptr && first->shard.columns[first->wanted[place]] != *found) {
      return invalid_argument("{}: column '{}' is encoded as '{}', and as '{}' in {}",
                              storage::uri_for_message(shard->path), name, found->encoding,
                              first->shard.columns[first->wanted[place]].encoding,
                              storage::uri_for_message(first->path));
    }
  }
  return ok_status();
}

Result<std::vector<MdsEncoding>> encodings_of(const StreamShard& shard) {
  std::vector<MdsEncoding> encodings;
  for (const size_t place : shard.wanted) {
    const MdsColumn& column = shard.shard.columns[place];
    Result<MdsEncoding> encoding = parse_mds_encoding(column.encoding);
    if (!encoding.ok()) {
      return annotate(encoding.status(),
                      fmt::format("{}: column '{}'", storage::uri_for_message(shard.path), column.name));
    }
    if (encoding->size_bytes() && encoding->size_bytes() != column.bytes) {
      return data_loss("{}: column '{}' of encoding '{}' has {} bytes a value in the index",
                       storage::uri_for_message(shard.path), column.name, column.encoding,
                       column.bytes.value_or(0));
    }
    encodings.push_back(*std::move(encoding));
  }
  return encodings;
}

Result<std::string> read_index_text(const MdsOptions& options, const std::string& path) {
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, registry_of(options).resolve(path));
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectStat stat,
                           storage::stat_now(*address.store, address.key, opening()));
  if (stat.size_bytes > kMaxIndexBytes) {
    return data_loss("{}: {} bytes are too many for an index", address.uri(), stat.size_bytes);
  }
  FOREBAY_ASSIGN_OR_RETURN(const storage::ReadBytes read,
                           storage::read_now(*address.store, {.key = address.key}));
  return std::string(reinterpret_cast<const char*>(read.bytes.data()), read.bytes.size());
}

Result<ShardList> list_shards(const MdsOptions& options) {
  ShardList list;
  list.hash = hash64("mds_source 1");
  for (const std::string& folder : options.path) {
    const std::string path = storage::join_path(folder, "index.json");
    FOREBAY_ASSIGN_OR_RETURN(const std::string text, read_index_text(options, path));
    list.hash = mix64(mix64(list.hash, hash64(folder)), hash64(text));
    FOREBAY_ASSIGN_OR_RETURN(std::vector<MdsShard> shards,
                             parse_mds_index(text, storage::uri_for_message(path)));
    for (MdsShard& shard : shards) {
      if (shard.samples == 0) {
        continue;
      }
      StreamShard next{storage::join_path(folder, shard.stored().basename), std::move(shard), {}, false};
      next.is_read_whole = next.shard.packed.has_value() || options.verify_hashes;
      FOREBAY_RETURN_IF_ERROR(
          find_columns(options, &next, list.shards.empty() ? nullptr : &list.shards.front()));
      list.shards.push_back(std::move(next));
    }
  }
  if (list.shards.empty()) {
    return no_samples(storage::uri_for_message(options.path.front()));
  }
  FOREBAY_ASSIGN_OR_RETURN(list.encodings, encodings_of(list.shards.front()));
  return list;
}

ShardRows rows_of_whole(const MdsShard& shard) {
  ShardRows rows;
  rows.rows.reserve(shard.samples);
  for (uint32_t i = 0; i < shard.samples; ++i) {
    rows.rows.push_back({.object = 0, .length_bytes = shard.stored().bytes, .label = i});
  }
  return rows;
}

Result<ShardRows> rows_of_table(const MdsShard& shard, const ByteSource& file) {
  const uint64_t table_bytes = std::min(mds_table_bytes(shard.samples), file.size_bytes());
  std::vector<std::byte> table(table_bytes);
  FOREBAY_RETURN_IF_ERROR(file.read(0, table));
  const Result<std::vector<uint32_t>> offsets = parse_mds_table(table, shard.samples, file.size_bytes());
  if (!offsets.ok()) {
    return ShardRows{.lost_at = 0, .damage = offsets.status()};
  }
  ShardRows rows;
  rows.rows.reserve(shard.samples);
  for (uint32_t i = 0; i < shard.samples; ++i) {
    rows.rows.push_back(
        {.object = 0, .offset_bytes = (*offsets)[i], .length_bytes = (*offsets)[i + 1] - (*offsets)[i]});
  }
  return rows;
}

Result<std::shared_ptr<const SampleIndex>> build_mds_index(const MdsOptions& options, const ShardList& list,
                                                           uint64_t parameters) {
  std::vector<std::string> paths;
  for (const StreamShard& shard : list.shards) {
    paths.push_back(shard.path);
  }
  const auto scan = [&](size_t which, const ObjectByteSource& file, const TakeRows&) -> Result<ShardRows> {
    const StreamShard& shard = list.shards[which];
    const uint64_t bytes = shard.shard.stored().bytes;
    if (file.size_bytes() != bytes) {
      return ShardRows{.lost_at = 0,
                       .damage = data_loss("{}: {} bytes, where index.json says {}",
                                           storage::uri_for_message(shard.path), file.size_bytes(), bytes)};
    }
    if (shard.is_read_whole) {
      return rows_of_whole(shard.shard);
    }
    Result<ShardRows> rows = rows_of_table(shard.shard, file);
    if (rows.ok()) {
      rows->damage = annotate(rows->damage, storage::uri_for_message(shard.path));
    }
    return rows;
  };
  return index_shards(options, paths, 1, parameters, {}, scan);
}

}  // namespace

Status check(const MdsOptions& options) {
  return check_block_options(options.path, options.block_bytes);
}

Result<std::shared_ptr<Source>> make_mds_source(const MdsOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check(options));
  FOREBAY_ASSIGN_OR_RETURN(ShardList list, list_shards(options));
  const uint64_t parameters = mix64(list.hash, options.verify_hashes ? 1 : 0);
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<const SampleIndex> index,
                           open_or_build_index(options, {}, parameters, 1,
                                               [&] { return build_mds_index(options, list, parameters); }));
  return std::make_shared<MdsSource>(std::move(index), std::move(list), options);
}

}  // namespace forebay::dataset
