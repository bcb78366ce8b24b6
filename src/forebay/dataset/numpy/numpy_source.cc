#include "forebay/dataset/numpy/numpy_source.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "forebay/base/sync/mutex.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

constexpr uint64_t kHeaderRead = 4096;        // enough for almost every header
constexpr uint64_t kSmallFile = 128 << 10;    // is read whole, in one request
constexpr uint64_t kGuessedRegion = 4 << 20;  // what a region takes, until the header is known
constexpr size_t kMaxKeptHeaders = 100000;

/// Headers of files that were read before. Thread safe.
class KeptHeaders {
 public:
  std::optional<NpyHeader> find(uint32_t object) const {
    const MutexLock lock(mutex_);
    const auto found = headers_.find(object);
    return found == headers_.end() ? std::nullopt : std::optional(found->second);
  }

  void keep(uint32_t object, const NpyHeader& header) {
    const MutexLock lock(mutex_);
    if (headers_.size() < kMaxKeptHeaders) {
      headers_.emplace(object, header);
    }
  }

 private:
  mutable Mutex mutex_;
  std::unordered_map<uint32_t, NpyHeader> headers_ FOREBAY_GUARDED_BY(mutex_);
};

bool is_aligned(const void* address, size_t bytes) {
  return reinterpret_cast<uintptr_t>(address) % bytes == 0;
}

class NumpySource final : public IndexedSource {
 public:
  NumpySource(FileIndex files, const NumpyOptions& options)
      : IndexedSource(std::move(files.index), std::move(files.root), options),
        region_(options.region),
        fill_value_(options.fill_value) {}

  void read(int64_t index, const ReadFlags& flags, RecordCallback done) const override;
  void plan(int64_t index, std::vector<PlannedRead>* reads) const override;

 private:
  SampleRow extent_of(int64_t sample) const override;

  /// A sample that is being read.
  struct Job {
    int64_t index = 0;
    SampleRow row;
    ReadFlags flags;
    RecordCallback done;
  };

  bool is_read_whole(const SampleRow& row) const { return !region_ || row.length_bytes <= kSmallFile; }
  Result<RegionPlan> plan_of(const NpyHeader& header, uint64_t file_bytes) const;

  void read_whole(Job job) const;
  void read_header(Job job, uint64_t length) const;
  void read_region(Job job, const NpyHeader& header) const;

  Result<tensor::Tensor> whole_array(const storage::ReadBytes& read) const;
  Result<tensor::Tensor> region_of(const RegionPlan& plan,
                                   const std::vector<storage::ReadBytes>& reads) const;
  void finish(Job job, Result<tensor::Tensor> array) const;

  const std::function<Result<ArrayRegion>(const tensor::Shape&)> region_;
  const float fill_value_;
  mutable KeptHeaders headers_;
};

SampleRow NumpySource::extent_of(int64_t sample) const {
  SampleRow extent = IndexedSource::extent_of(sample);
  extent.label = 0;
  const SampleRow row = index().row(sample);
  if (is_read_whole(row)) {
    return extent;
  }
  const std::optional<NpyHeader> header = headers_.find(row.object);
  extent.length_bytes = std::min(row.length_bytes, kGuessedRegion);
  if (const auto plan = header ? plan_of(*header, row.length_bytes) : internal_error("not read yet");
      plan.ok()) {
    extent.length_bytes = plan->read_bytes();
  }
  return extent;
}

void NumpySource::read(int64_t index, const ReadFlags& flags, RecordCallback done) const {
  if (const Status status = check_index(index); !status.ok()) {
    done(status);
    return;
  }
  Job job{index, this->index().row(index), flags, std::move(done)};
  if (is_read_whole(job.row)) {
    read_whole(std::move(job));
    return;
  }
  if (const std::optional<NpyHeader> header = headers_.find(job.row.object)) {
    read_region(std::move(job), *header);
    return;
  }
  read_header(std::move(job), kHeaderRead);
}

void NumpySource::plan(int64_t index, std::vector<PlannedRead>* reads) const {
  if (!check_index(index).ok()) {
    return;
  }
  const SampleRow row = this->index().row(index);
  if (is_read_whole(row)) {
    const size_t before = reads->size();
    IndexedSource::plan(index, reads);
    if (reads->size() > before) {
      reads->back().range.is_to_end = true;
    }
    return;
  }
  const std::optional<NpyHeader> header = headers_.find(row.object);
  if (!header) {  // the rest is known when it is read
    plan_range(row.object, 0, kHeaderRead, reads);
    return;
  }
  if (const Result<RegionPlan> plan = plan_of(*header, row.length_bytes); plan.ok()) {
    for (const ByteRange& range : plan->ranges()) {
      plan_range(row.object, range.offset_bytes, range.length_bytes, reads);
    }
  }
}

Result<RegionPlan> NumpySource::plan_of(const NpyHeader& header, uint64_t file_bytes) const {
  ArrayRegion region = ArrayRegion::all_of(header.shape);
  if (region_) {
    FOREBAY_ASSIGN_OR_RETURN(region, region_(header.shape));
  }
  return RegionPlan::make(header, region, file_bytes);
}

void NumpySource::read_whole(Job job) const {
  const SampleRow row = job.row;
  const ReadFlags flags = job.flags;
  const int64_t index = job.index;
  read_row(index, row, flags, true, 0,
           [this, job = std::move(job)](const Result<storage::ReadBytes>& read) mutable {
             if (!read.ok()) {
               job.done(read.status());
               return;
             }
             finish(std::move(job), whole_array(*read));
           });
}

Result<tensor::Tensor> NumpySource::whole_array(const storage::ReadBytes& read) const {
  FOREBAY_ASSIGN_OR_RETURN(const NpyHeader header, parse_npy_header(read.bytes));
  FOREBAY_ASSIGN_OR_RETURN(const RegionPlan plan, plan_of(header, read.size_bytes()));
  storage::ReadBytes part = read;
  std::vector<storage::ReadBytes> parts;
  for (const ByteRange& range : plan.ranges()) {
    part.bytes = read.bytes.subspan(range.offset_bytes, range.length_bytes);
    parts.push_back(part);
  }
  if (plan.is_one_run() && is_aligned(parts[0].bytes.data(), tensor::size_of(header.dtype))) {
    const auto offset = static_cast<uint64_t>(parts[0].bytes.data() - read.bytes.data());
    return tensor::Tensor(storage::buffer_of(read), offset, plan.spec());
  }
  return region_of(plan, parts);
}

void NumpySource::read_header(Job job, uint64_t length) const {
  SampleRow row = job.row;
  row.length_bytes = std::min(length, row.length_bytes);
  const ReadFlags flags = job.flags;
  const int64_t index = job.index;
  read_row(index, row, flags, false, 0,
           [this, length, job = std::move(job)](const Result<storage::ReadBytes>& read) mutable {
             if (!read.ok()) {
               job.done(read.status());
               return;
             }
             const Result<uint64_t> needed = npy_header_bytes(read->bytes);
             if (needed.ok() && *needed > read->size_bytes() && *needed > length) {
               read_header(std::move(job), *needed);
               return;
             }
             const Result<NpyHeader> header = parse_npy_header(read->bytes);
             if (!header.ok()) {
               finish(std::move(job), header.status());
               return;
             }
             headers_.keep(job.row.object, *header);
             read_region(std::move(job), *header);
           });
}

void NumpySource::read_region(Job job, const NpyHeader& header) const {
  Result<RegionPlan> plan = plan_of(header, job.row.length_bytes);
  if (!plan.ok()) {
    finish(std::move(job), plan.status());
    return;
  }
  std::vector<ByteRange> ranges = plan->ranges();
  if (ranges.empty()) {
    finish(std::move(job), region_of(*plan, {}));
    return;
  }
  const uint32_t object = job.row.object;
  const ReadFlags flags = job.flags;
  const int64_t index = job.index;
  read_ranges(index, object, std::move(ranges), flags,
              [this, plan = *std::move(plan),
               job = std::move(job)](const Result<std::vector<storage::ReadBytes>>& reads) mutable {
                if (!reads.ok()) {
                  job.done(reads.status());
                  return;
                }
                finish(std::move(job), region_of(plan, *reads));
              });
}

Result<tensor::Tensor> NumpySource::region_of(const RegionPlan& plan,
                                              const std::vector<storage::ReadBytes>& reads) const {
  const size_t element = tensor::size_of(plan.spec().dtype);
  if (plan.is_one_run() && is_aligned(reads[0].bytes.data(), element)) {
    return tensor::Tensor(storage::buffer_of(reads[0]), 0, plan.spec());
  }
  FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor array, tensor::Tensor::allocate(plan.spec()));
  std::vector<Bytes> blocks;
  for (const storage::ReadBytes& read : reads) {
    blocks.push_back(read.bytes);
  }
  plan.fill(blocks, fill_value_, array.mutable_view().bytes());
  return array;
}

void NumpySource::finish(Job job, Result<tensor::Tensor> array) const {
  Record record;
  record.index = job.index;
  record.origin = origin_of(job.row.object, 0, job.row.length_bytes);
  if (!array.ok()) {
    const Status named = annotate(array.status(), record.origin.object);
    job.done(sample_error(named, job.index, record.origin));
    return;
  }
  record.fields.push_back(*std::move(array));
  job.done(std::move(record));
}

}  // namespace

Status check(const NumpyOptions& options) {
  return check_listing(options);
}

Result<std::shared_ptr<Source>> make_numpy_source(const NumpyOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check(options));
  FOREBAY_ASSIGN_OR_RETURN(
      FileIndex files, open_file_index(options, {}, root_and_folders(options.file_filter), parse_path_list));
  return std::make_shared<NumpySource>(std::move(files), options);
}

}  // namespace forebay::dataset
