#include "forebay/dataset/tfrecord/seen_features.h"

#include <fmt/format.h>

#include <algorithm>

#include "forebay/base/log/log.h"
#include "forebay/base/utf8.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

constexpr size_t kMaxShownNames = 20;
constexpr size_t kMaxShownBytes = 80;

std::string quoted_name(std::string_view name) {
  return fmt::format("'{}{}'", printable(name.substr(0, kMaxShownBytes)),
                     name.size() > kMaxShownBytes ? "..." : "");
}

}  // namespace

std::string shown_names(Bytes example) {
  const Result<std::vector<std::string_view>> names = feature_names(example);
  if (!names.ok() || names->empty()) {
    return "no features";
  }
  std::string shown;
  for (size_t i = 0; i < std::min(names->size(), kMaxShownNames); ++i) {
    shown += (i == 0 ? "" : ", ") + quoted_name((*names)[i]);
  }
  const size_t more = names->size() - std::min(names->size(), kMaxShownNames);
  return more == 0 ? shown : fmt::format("{} and {} more", shown, more);
}

SeenFeatures::SeenFeatures(std::vector<std::string_view> names)
    : names_(std::move(names)), is_seen_(new std::atomic<bool>[names_.size()]()) {
}

void SeenFeatures::note(std::span<const FeatureBytes> found, Bytes example,
                        absl::FunctionRef<std::string()> object) {
  if (records_.load(std::memory_order_relaxed) >= kRecordsOfNone) {
    return;
  }
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i].is_present()) {
      is_seen_[i].store(true, std::memory_order_relaxed);
    }
  }
  if (records_.fetch_add(1, std::memory_order_acq_rel) + 1 == kRecordsOfNone) {
    tell(example, object());
  }
}

void SeenFeatures::tell(Bytes example, std::string_view object) const {
  for (size_t i = 0; i < names_.size(); ++i) {
    if (!is_seen_[i].load(std::memory_order_relaxed)) {
      log_warning(
          "readers.tfrecord: none of the first {} records that were read has the feature {}: samples have "
          "its "
          "default, or no elements. A record of {} has {}",
          kRecordsOfNone, quoted_name(names_[i]), storage::uri_for_message(object), shown_names(example));
    }
  }
}

}  // namespace forebay::dataset
