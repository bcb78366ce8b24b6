// Status codes and deadlines at gRPC's border.
#include "forebay/serving/grpc/grpc_status.h"

#include <string>

#include "forebay/base/clock.h"
#include "forebay/serving/grpc/valid_text.h"
#include "forebay/serving/inference/inference.h"

namespace forebay::serving {
namespace {

// Each byte of a text may take three in the header.
constexpr size_t kMaxTextBytes = 2048;

// Abseil's codes are gRPC's.
static_assert(static_cast<int>(StatusCode::kInvalidArgument) == grpc::StatusCode::INVALID_ARGUMENT);
static_assert(static_cast<int>(StatusCode::kUnauthenticated) == grpc::StatusCode::UNAUTHENTICATED);
static_assert(static_cast<int>(StatusCode::kDataLoss) == grpc::StatusCode::DATA_LOSS);

bool is_inside_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

std::string cut_text(std::string text) {
  if (text.size() <= kMaxTextBytes) {
    return text;
  }
  size_t end = kMaxTextBytes;
  while (end > 0 && is_inside_character(text[end])) {
    --end;
  }
  return text.substr(0, end) + "...";
}

}  // namespace

grpc::Status to_grpc(const Status& status) {
  if (status.ok()) {
    return grpc::Status::OK;
  }
  return {static_cast<grpc::StatusCode>(status.code()), cut_text(valid_text(message(status)))};
}

int64_t deadline_ns_of(std::chrono::system_clock::time_point deadline) {
  if (deadline == std::chrono::system_clock::time_point::max()) {
    return kNoDeadlineNs;
  }
  const int64_t left_ns = std::chrono::nanoseconds(deadline.time_since_epoch()).count() - wall_clock_ns();
  int64_t at_ns = 0;
  const bool is_never = __builtin_add_overflow(left_ns, steady_clock().now_ns(), &at_ns);
  return is_never && left_ns > 0 ? kNoDeadlineNs : at_ns;
}

}  // namespace forebay::serving
