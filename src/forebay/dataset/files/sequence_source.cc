#include "forebay/dataset/files/sequence_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/dataset/files/file_source.h"
#include "forebay/dataset/opening.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

constexpr int64_t kLongest = 4096;

/// The error of a frame as that of sample `index`: a context is never overwritten, so it is made anew.
Status error_of_sequence(const Status& error, int64_t index) {
  ErrorContext context = context_of(error).value_or(ErrorContext());
  context.sample_index = index;
  Status named = with_context(Status(error.code(), cause_of(error)), context);
  error.ForEachPayload([&named](absl::string_view type, const absl::Cord& payload) {
    if (!named.GetPayload(type)) {
      named.SetPayload(type, payload);
    }
  });
  return named;
}

/// A sequence while its frames are being read. The last answer makes the record.
class FramesUnderWay {
 public:
  FramesUnderWay(int64_t index, size_t count, RecordCallback done)
      : index_(index), left_(count), done_(std::move(done)) {
    record_.index = index;
    record_.fields.resize(count);
  }

  void take(size_t frame, Result<Record> read) {
    {
      const MutexLock lock(mutex_);
      if (read.ok()) {
        if (frame == 0) {
          record_.origin = std::move(read->origin);
        }
        record_.fields[frame] = std::move(read->fields[0]);
      } else if (!first_broken_ || frame < *first_broken_) {
        first_broken_ = frame;
        error_ = read.status();
      }
      if (--left_ > 0) {
        return;
      }
    }
    finish();
  }

 private:
  void finish() FOREBAY_NO_THREAD_SAFETY_ANALYSIS {  // nobody else comes any more
    if (error_.ok()) {
      done_(std::move(record_));
      return;
    }
    done_(error_of_sequence(error_, index_));
  }

  const int64_t index_;
  Mutex mutex_;
  size_t left_ FOREBAY_GUARDED_BY(mutex_);
  std::optional<size_t> first_broken_ FOREBAY_GUARDED_BY(mutex_);
  Status error_ FOREBAY_GUARDED_BY(mutex_);
  Record record_ FOREBAY_GUARDED_BY(mutex_);
  RecordCallback done_;
};

class SequenceSource final : public Source {
 public:
  SequenceSource(std::shared_ptr<Source> files, std::vector<int64_t> frames, std::vector<size_t> firsts,
                 const SequenceOptions& options)
      : files_(std::move(files)),
        frames_(std::move(frames)),
        firsts_(std::move(firsts)),
        length_(static_cast<size_t>(options.sequence_length)),
        stride_(static_cast<size_t>(options.stride)) {}

  int64_t size() const override { return static_cast<int64_t>(firsts_.size()); }
  int num_fields() const override { return static_cast<int>(length_); }
  std::vector<std::shared_ptr<storage::ObjectStore>> stores() const override { return files_->stores(); }

  Result<SampleLocation> locate(int64_t index) const override {
    FOREBAY_RETURN_IF_ERROR(check_index(index));
    FOREBAY_ASSIGN_OR_RETURN(SampleLocation location, files_->locate(frame_of(index, 0)));
    for (size_t frame = 1; frame < length_; ++frame) {
      FOREBAY_ASSIGN_OR_RETURN(const SampleLocation next, files_->locate(frame_of(index, frame)));
      location.length_bytes += next.length_bytes;
    }
    return location;
  }

  Result<SampleLocation> locate_field(int64_t index, int field) const override {
    FOREBAY_RETURN_IF_ERROR(check_index(index));
    return files_->locate(frame_of(index, static_cast<size_t>(field)));
  }

  std::vector<uint64_t> lengths() const override {
    const std::vector<uint64_t> of_files = files_->lengths();
    std::vector<uint64_t> lengths(firsts_.size());
    for (size_t index = 0; index < lengths.size(); ++index) {
      for (size_t frame = 0; frame < length_; ++frame) {
        lengths[index] += of_files[static_cast<size_t>(frame_of(static_cast<int64_t>(index), frame))];
      }
    }
    return lengths;
  }

  void plan(int64_t index, std::vector<PlannedRead>* reads) const override {
    for (size_t frame = 0; check_index(index).ok() && frame < length_; ++frame) {
      files_->plan(frame_of(index, frame), reads);
    }
  }

  void read(int64_t index, const ReadFlags& flags, RecordCallback done) const override {
    if (const Status status = check_index(index); !status.ok()) {
      done(status);
      return;
    }
    const auto under_way = std::make_shared<FramesUnderWay>(index, length_, std::move(done));
    for (size_t frame = 0; frame < length_; ++frame) {
      files_->read(frame_of(index, frame), flags,
                   [under_way, frame](Result<Record> read) { under_way->take(frame, std::move(read)); });
    }
  }

 private:
  Status check_index(int64_t index) const {
    return index >= 0 && index < size()
               ? ok_status()
               : out_of_range("there is no sample {}; the source has {}", index, size());
  }
  int64_t frame_of(int64_t index, size_t frame) const {
    return frames_[firsts_[static_cast<size_t>(index)] + frame * stride_];
  }

  const std::shared_ptr<Source> files_;
  const std::vector<int64_t> frames_;  // of all videos, as samples of files_
  const std::vector<size_t> firsts_;   // where each sequence begins among them
  const size_t length_;
  const size_t stride_;
};

bool is_hidden(const std::string& path) {
  const std::string_view folder = storage::parent_path(path);
  return path.find('/') != std::string::npos &&
         (path[path.rfind('/') + 1] == '.' || folder.substr(folder.rfind('/') + 1).starts_with('.'));
}

/// The frames of all videos in the order of their paths.
Result<std::vector<std::pair<std::string, int64_t>>> frames_of(const Source& files) {
  std::vector<std::pair<std::string, int64_t>> frames;
  for (int64_t i = 0; i < files.size(); ++i) {
    FOREBAY_ASSIGN_OR_RETURN(SampleLocation location, files.locate(i));
    if (!is_hidden(location.object)) {
      frames.emplace_back(std::move(location.object), i);
    }
  }
  std::ranges::sort(frames);
  return frames;
}

}  // namespace

Status check(const SequenceOptions& options) {
  if (options.file_root.empty()) {
    return invalid_argument("`file_root` may not be empty");
  }
  if (options.sequence_length < 1 || options.sequence_length > kLongest) {
    return invalid_argument("sequence_length is {}; 1 to {} are possible", options.sequence_length, kLongest);
  }
  if (options.step < 1 || options.stride < 1) {
    return invalid_argument("step is {} and stride {}; at least 1 is needed", options.step, options.stride);
  }
  return ok_status();
}

Result<std::shared_ptr<Source>> make_sequence_source(const SequenceOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check(options));
  FileSourceOptions given;
  static_cast<SourceOptions&>(given) = options;
  given.file_root = options.file_root;
  given.file_filters = picture_file_filters();
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<Source> files, make_file_source(given));
  FOREBAY_ASSIGN_OR_RETURN(const auto named, frames_of(*files));
  const auto span =
      static_cast<uint64_t>(options.sequence_length - 1) * static_cast<uint64_t>(options.stride);
  std::vector<int64_t> frames;
  std::vector<size_t> firsts;
  for (size_t begin = 0; begin < named.size();) {
    const std::string_view folder = storage::parent_path(named[begin].first);
    size_t end = begin;
    while (end < named.size() && storage::parent_path(named[end].first) == folder) {
      frames.push_back(named[end++].second);
    }
    for (size_t first = begin; span < end - first; first += std::min<size_t>(options.step, end - first)) {
      firsts.push_back(first);
    }
    begin = end;
  }
  if (firsts.empty()) {
    return no_samples(fmt::format("file_root {}", storage::uri_for_message(options.file_root)),
                      fmt::format("no folder in it has the {} pictures of a sequence", span + 1));
  }
  return std::make_shared<SequenceSource>(std::move(files), std::move(frames), std::move(firsts), options);
}

}  // namespace forebay::dataset
