#include "forebay/base/end_of_data.h"

#include "absl/strings/cord.h"

namespace forebay {
namespace {

constexpr char kEndOfDataType[] = "forebay.dev/end-of-data";

}  // namespace

Status end_of_data(std::string_view text) {
  Status status = out_of_range("{}", text);
  status.SetPayload(kEndOfDataType, absl::Cord());
  return status;
}

bool is_end_of_data(const Status& status) {
  return status.GetPayload(kEndOfDataType).has_value();
}

}  // namespace forebay
