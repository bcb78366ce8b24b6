#include "forebay/storage/remote/range_plan.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace forebay::storage {
namespace {

bool may_join(const ReadRequest& request, const JoinLimits& limits) {
  return !request.only_resident && request.length_bytes > 0 && request.length_bytes <= limits.longest_range &&
         request.padding_bytes <= limits.longest_range && request.offset_bytes <= kToEnd / 2;
}

bool are_of_one_version(const ReadRequest& left, const ReadRequest& right) {
  return left.key == right.key && left.if_version == right.if_version;
}

uint64_t end_of(const JoinedRange& range) {
  return range.offset_bytes + range.length_bytes;
}

bool fits_behind(const JoinedRange& range, const ReadRequest& request, const JoinLimits& limits) {
  const uint64_t end = std::max(end_of(range), request.offset_bytes + request.length_bytes);
  return request.offset_bytes <= end_of(range) + limits.gap_bytes &&
         end - range.offset_bytes <= limits.longest_request;
}

JoinedRange alone(const ReadRequest& request, size_t place) {
  return {request.offset_bytes, request.length_bytes, request.padding_bytes, {place}};
}

// What is read behind the end as the padding of an earlier range may be more than that of the last.
void append(JoinedRange* range, const ReadRequest& request, size_t place) {
  const uint64_t readable = std::max(end_of(*range) + range->padding_bytes,
                                     request.offset_bytes + request.length_bytes + request.padding_bytes);
  range->length_bytes =
      std::max(end_of(*range), request.offset_bytes + request.length_bytes) - range->offset_bytes;
  range->padding_bytes = readable - end_of(*range);
  range->requests.push_back(place);
}

}  // namespace

std::vector<JoinedRange> join_ranges(const std::vector<ReadRequest>& requests, const JoinLimits& limits) {
  std::vector<size_t> order(requests.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](size_t place) {
    const ReadRequest& request = requests[place];
    return std::tie(request.key, request.if_version, request.offset_bytes);
  });
  std::vector<JoinedRange> joined;
  const ReadRequest* last = nullptr;  // the last one that may be joined to
  for (const size_t place : order) {
    const ReadRequest& request = requests[place];
    const bool joins = may_join(request, limits);
    if (joins && last != nullptr && are_of_one_version(*last, request) &&
        fits_behind(joined.back(), request, limits)) {
      append(&joined.back(), request, place);
    } else {
      joined.push_back(alone(request, place));
    }
    last = joins ? &request : nullptr;
  }
  return joined;
}

}  // namespace forebay::storage
