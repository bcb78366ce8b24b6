// Parses arbitrary bytes as a Datum and as TensorProtos: what is found must lie inside the message.

#include <cstdint>
#include <span>

#include "forebay/base/check.h"
#include "forebay/dataset/caffe/datum.h"

using namespace forebay;

namespace {

void check_inside(Bytes part, Bytes message) {
  FOREBAY_CHECK(part.empty() || (part.data() >= message.data() &&
                                 part.data() + part.size() <= message.data() + message.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Bytes message = std::as_bytes(std::span(data, size));
  if (const Result<dataset::Datum> datum = dataset::parse_datum(message); datum.ok() && datum->data) {
    check_inside(*datum->data, message);
  }
  const Result<std::vector<dataset::TensorProto>> protos = dataset::parse_tensor_protos(message);
  if (protos.ok()) {
    for (const dataset::TensorProto& proto : *protos) {
      check_inside(proto.bytes, message);
      check_inside(proto.text.value_or(Bytes()), message);
    }
  }
  return 0;
}
