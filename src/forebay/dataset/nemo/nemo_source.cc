#include "forebay/dataset/nemo/nemo_source.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "forebay/dataset/files/listed_index.h"
#include "forebay/dataset/files/whole_file_source.h"
#include "forebay/dataset/nemo/nemo_manifest.h"
#include "forebay/dataset/nemo/nemo_part.h"
#include "forebay/dataset/opening.h"
#include "forebay/memory/buffer.h"
#include "forebay/memory/copy.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

// In a WAV without large chunks of other things, all that says where its samples are.
constexpr uint64_t kHeadBytes = 32 << 10;

Result<tensor::Tensor> nemo_field(const void* values, const tensor::TensorSpec& spec) {
  FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor field, tensor::Tensor::allocate(spec));
  if (spec.size_bytes() > 0) {
    memory::copy(field.mutable_data(), values, spec.size_bytes());
  }
  return field;
}

/// A file of its own, followed by as many zeros as decoders may read.
Result<tensor::Tensor> sound_of_part(const WavPart& part, Bytes samples) {
  const size_t size = part.header.size() + samples.size();
  FOREBAY_ASSIGN_OR_RETURN(const memory::BufferRef buffer,
                           memory::Buffer::allocate(size + storage::kDecoderPaddingBytes));
  const MutableBytes bytes = buffer->mutable_bytes();
  memory::copy(bytes.data(), part.header.data(), part.header.size());
  memory::copy(bytes.data() + part.header.size(), samples.data(), samples.size());
  std::ranges::fill(bytes.subspan(size), std::byte{});
  return byte_tensor(buffer, 0, size);
}

constexpr double kLongest_s = 1e9;  // for lengths of samples

class NemoSource final : public WholeFileSource {
 public:
  NemoSource(std::shared_ptr<const SampleIndex> index, const NemoOptions& options, NemoEntries entries)
      : WholeFileSource(std::move(index), "", options), entries_(std::move(entries)) {}

  int num_fields() const override { return 4; }

  /// Microseconds, or bytes where a duration is unknown.
  std::vector<uint64_t> lengths() const override {
    std::vector<uint64_t> durations;
    for (const NemoEntry& entry : entries_.entries) {
      if (entry.duration_s < 0) {
        return WholeFileSource::lengths();
      }
      durations.push_back(static_cast<uint64_t>(std::min(entry.duration_s, kLongest_s) * 1e6));
    }
    return durations;
  }

  Result<SampleLocation> locate(int64_t index) const override {
    FOREBAY_ASSIGN_OR_RETURN(SampleLocation location, WholeFileSource::locate(index));
    if (reads_head_first(index)) {
      location.head_bytes = kHeadBytes;
    }
    return location;
  }

  void read(int64_t index, const ReadFlags& flags, RecordCallback done) const override {
    if (!check_index(index).ok() || !reads_head_first(index)) {
      WholeFileSource::read(index, flags, std::move(done));
      return;
    }
    const SampleRow row = this->index().row(index);
    read_ranges(index, row.object, {{0, kHeadBytes}}, flags,
                [this, index, row, flags, done = std::move(done)](auto head) mutable {
                  take_head(index, row, flags, std::move(head), std::move(done));
                });
  }

 private:
  using Ranges = Result<std::vector<storage::ReadBytes>>;

  const NemoEntry& entry_of(int64_t index) const { return entries_.entries[static_cast<size_t>(index)]; }
  bool is_part(int64_t index) const { return entry_of(index).offset_s >= 0; }

  bool reads_head_first(int64_t index) const {
    const SampleRow row = this->index().row(index);
    return !row.is_lost() && is_part(index) && row.length_bytes > kHeadBytes;
  }

  static Result<Reservation> reserved(const ReadFlags& flags, uint64_t bytes) {
    return flags.reserve ? flags.reserve(bytes) : Result<Reservation>(Reservation());
  }

  /// A part is read, and copied behind a header of its own.
  struct PartMemory {
    Reservation read;
    Reservation made;
  };

  static Result<PartMemory> memory_of(const WavPart& part, const ReadFlags& flags) {
    PartMemory memory;
    FOREBAY_ASSIGN_OR_RETURN(memory.read, reserved(flags, flags.only_resident ? 0 : part.length_bytes));
    FOREBAY_ASSIGN_OR_RETURN(memory.made, reserved(flags, part.header.size() + part.length_bytes));
    return memory;
  }

  void read_whole(int64_t index, const SampleRow& row, const ReadFlags& flags, RecordCallback done) const {
    Result<Reservation> whole = reserved(flags, flags.only_resident ? 0 : row.length_bytes);
    if (!whole.ok()) {
      done(whole.status());
      return;
    }
    WholeFileSource::read(index, flags,
                          [whole = *std::move(whole), done = std::move(done)](Result<Record> record) mutable {
                            if (record.ok()) {
                              record->fields[0].buffer()->attach(std::exchange(whole, {}));
                            }
                            whole.release();  // who is told may need it at once
                            done(std::move(record));
                          });
  }

  /// Reads the part where the head tells where it is, else all.
  void take_head(int64_t index, const SampleRow& row, const ReadFlags& flags, const Ranges& head,
                 RecordCallback done) const {
    if (!head.ok()) {
      done(head.status());
      return;
    }
    const NemoEntry& entry = entry_of(index);
    std::optional<WavPart> part =
        wav_part((*head)[0].bytes, row.length_bytes, entry.offset_s, entry.duration_s);
    if (!part) {
      read_whole(index, row, flags, std::move(done));
      return;
    }
    Result<PartMemory> memory = memory_of(*part, flags);
    if (!memory.ok()) {
      done(memory.status());
      return;
    }
    const ByteRange range{part->offset_bytes, part->length_bytes};
    read_ranges(index, row.object, {range}, flags,
                [this, index, row, part = *std::move(part), memory = *std::move(memory),
                 done = std::move(done)](Ranges samples) mutable {
                  Result<Record> record =
                      samples.ok() ? record_of_part(index, row, part, std::exchange(memory.made, {}),
                                                    std::exchange(*samples, {})[0].bytes)
                                   : Result<Record>(samples.status());
                  memory = {};  // who is told may need it at once
                  done(std::move(record));
                });
  }

  Result<Record> record_of_part(int64_t index, const SampleRow& row, const WavPart& part, Reservation made,
                                Bytes samples) const {
    Record record;
    record.index = index;
    record.origin = origin_of(row.object, part.offset_bytes, part.length_bytes);
    FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor sound, sound_of_part(part, samples));
    sound.buffer()->attach(std::move(made));
    record.fields.push_back(std::move(sound));
    FOREBAY_RETURN_IF_ERROR(add_fields_of(index, {kUnknownSeconds, kUnknownSeconds}, &record.fields));
    return record;
  }

  Status add_fields(int64_t index, const SampleRow&, std::vector<tensor::Tensor>* fields) const override {
    const NemoEntry& entry = entry_of(index);
    // A duration alone chooses entries; who wants a part says where it begins.
    const double duration_s = is_part(index) ? entry.duration_s : kUnknownSeconds;
    return add_fields_of(index, {entry.offset_s, duration_s}, fields);
  }

  Status add_fields_of(int64_t index, const std::array<double, 2>& seconds,
                       std::vector<tensor::Tensor>* fields) const {
    const std::string_view text = entries_.text(static_cast<size_t>(index));
    const auto length = static_cast<int64_t>(text.size());
    FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor part,
                             nemo_field(seconds.data(), {{2}, tensor::DType::kFloat64, {}}));
    FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor transcript,
                             nemo_field(text.data(), {{length}, tensor::DType::kUint8, {}}));
    FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor number,
                             nemo_field(&entry_of(index).number, {{1}, tensor::DType::kInt64, {}}));
    fields->push_back(std::move(part));
    fields->push_back(std::move(transcript));
    fields->push_back(std::move(number));
    return ok_status();
  }

  const NemoEntries entries_;
};

/// The path as the store registry takes it.
std::string path_from(const std::string& manifest, bool is_local, std::string path) {
  if (path.starts_with('/') || path.find("://") != std::string::npos) {
    return path;
  }
  std::error_code error;
  if (is_local && std::filesystem::is_regular_file(path, error)) {
    return path;
  }
  const std::string folder(storage::parent_path(manifest));
  return folder.empty() ? path : folder + (folder.ends_with('/') ? "" : "/") + path;
}

Status add_manifest(const NemoOptions& options, const std::string& manifest, NemoEntries* entries) {
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, registry_of(options).resolve(manifest));
  const std::string shown = storage::uri_for_message(manifest);
  const auto read = storage::read_now(*address.store, {.key = address.key}, opening());
  FOREBAY_RETURN_IF_ERROR(annotate(read.status(), shown));
  const size_t before = entries->entries.size();
  const std::string_view text(reinterpret_cast<const char*>(read->bytes.data()), read->bytes.size());
  FOREBAY_RETURN_IF_ERROR(
      parse_nemo_manifest(text, shown, {options.min_duration, options.max_duration}, entries));
  const bool is_local = address.store->local_file(address.key).has_value();
  for (size_t i = before; i < entries->entries.size(); ++i) {
    entries->entries[i].path = path_from(manifest, is_local, std::move(entries->entries[i].path));
  }
  return ok_status();
}

/// Of several the first, and how many there are.
std::string shown_manifests(const std::vector<std::string>& names) {
  const std::string first = storage::uri_for_message(names[0]);
  return names.size() == 1 ? first : fmt::format("{} and {} more", first, names.size() - 1);
}

}  // namespace

Status check(const NemoOptions& options) {
  const std::vector<std::string>& names = options.manifest_filepaths;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty() || names[i].find('\0') != std::string::npos) {
      return invalid_argument("`manifest_filepaths`[{}] {}", i,
                              names[i].empty() ? "is empty" : "has a NUL byte; no path has one");
    }
  }
  return names.empty() ? invalid_argument("`manifest_filepaths` names no manifest") : ok_status();
}

Result<std::shared_ptr<Source>> make_nemo_source(const NemoOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check(options));
  NemoEntries entries;
  for (const std::string& manifest : options.manifest_filepaths) {
    FOREBAY_RETURN_IF_ERROR(add_manifest(options, manifest, &entries));
  }
  std::vector<ListedFile> files;
  files.reserve(entries.entries.size());
  for (NemoEntry& entry : entries.entries) {
    files.push_back({std::exchange(entry.path, {}), static_cast<int32_t>(files.size())});
  }
  if (files.empty()) {
    const bool is_bounded = options.min_duration > 0 || options.max_duration > 0;
    return no_samples(
        shown_manifests(options.manifest_filepaths),
        is_bounded ? "no entry has a duration within `min_duration` and `max_duration`" : "no entries");
  }
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<const SampleIndex> index,
                           open_or_build_index(options, "", parameters_of_list(files), 1,
                                               [&] { return index_listed_files(files, "", options); }));
  return std::make_shared<NemoSource>(std::move(index), options, std::move(entries));
}

}  // namespace forebay::dataset
