// Requests of clients as bytes: the first says in how large pieces gRPC has them.
#include <grpcpp/support/slice.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "forebay/serving/grpc/request_reader.h"
#include "forebay/serving/grpc/wire_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) {
    return 0;
  }
  const size_t piece = size_t{1} + data[0];
  std::vector<grpc::Slice> slices;
  for (size_t at = 1; at < size; at += piece) {
    slices.emplace_back(data + at, std::min(piece, size - at));
  }
  const grpc::ByteBuffer message(slices.data(), slices.size());
  const forebay::Result<forebay::serving::WireRequest> wire = forebay::serving::read_wire_request(message);
  if (wire.ok()) {
    (void)forebay::serving::to_request(*wire, {});
  }
  return 0;
}
