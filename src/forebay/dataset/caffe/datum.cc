#include "forebay/dataset/caffe/datum.h"

#include <utility>

#include "forebay/dataset/protobuf/wire_numbers.h"

namespace forebay::dataset {
namespace {

constexpr size_t kMaxProtos = 4096;

Status take_datum_field(WireReader& reader, uint64_t number, uint64_t type, Datum& datum) {
  if (number == 4 && type == kLengthDelimited) {
    FOREBAY_ASSIGN_OR_RETURN(datum.data, reader.length_delimited());
    return ok_status();
  }
  if (type != kVarint) {
    return reader.skip(type);
  }
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t value, reader.varint());
  const auto number_of_32_bits = static_cast<int32_t>(value);
  if (number == 1) {
    datum.channels = number_of_32_bits;
  } else if (number == 2) {
    datum.height = number_of_32_bits;
  } else if (number == 3) {
    datum.width = number_of_32_bits;
  } else if (number == 5) {
    datum.label = number_of_32_bits;
  } else if (number == 7) {
    datum.is_encoded = value != 0;
  }
  return ok_status();
}

Status take_proto_field(WireReader& reader, uint64_t number, uint64_t type, TensorProto& proto) {
  if (number == 1) {
    return take_numbers<int64_t>(reader, type, [&](int64_t value) { proto.dims.push_back(value); });
  }
  if (number == 2 && type == kVarint) {
    FOREBAY_ASSIGN_OR_RETURN(const uint64_t value, reader.varint());
    proto.type = static_cast<ProtoType>(value);
    return ok_status();
  }
  if (number == 3) {
    return take_numbers<float>(reader, type, [&](float value) { proto.floats.push_back(value); });
  }
  if (number == 4) {
    return take_numbers<int32_t>(reader, type, [&](int32_t value) { proto.int32s.push_back(value); });
  }
  if (number == 5 && type == kLengthDelimited) {
    FOREBAY_ASSIGN_OR_RETURN(proto.bytes, reader.length_delimited());
    return ok_status();
  }
  if (number == 6 && type == kLengthDelimited) {
    FOREBAY_ASSIGN_OR_RETURN(const Bytes text, reader.length_delimited());
    proto.text = proto.text.value_or(text);
    return ok_status();
  }
  if (number == 10) {
    return take_numbers<int64_t>(reader, type, [&](int64_t value) { proto.int64s.push_back(value); });
  }
  return reader.skip(type);
}

/// Calls `take(reader, number, type)` for each field.
template <class Take>
Status for_each_field(Bytes message, Take&& take) {
  WireReader reader(message);
  while (!reader.is_at_end()) {
    uint64_t number = 0;
    uint64_t type = 0;
    FOREBAY_RETURN_IF_ERROR(reader.tag(&number, &type));
    FOREBAY_RETURN_IF_ERROR(take(reader, number, type));
  }
  return ok_status();
}

}  // namespace

Result<Datum> parse_datum(Bytes message) {
  Datum datum;
  FOREBAY_RETURN_IF_ERROR(for_each_field(message, [&](WireReader& reader, uint64_t number, uint64_t type) {
    return take_datum_field(reader, number, type, datum);
  }));
  return datum;
}

Result<std::vector<TensorProto>> parse_tensor_protos(Bytes message) {
  std::vector<TensorProto> protos;
  FOREBAY_RETURN_IF_ERROR(for_each_message(message, 1, [&](Bytes body) -> Status {
    if (protos.size() == kMaxProtos) {
      return data_loss("more than {} tensors", kMaxProtos);
    }
    TensorProto& proto = protos.emplace_back();
    return for_each_field(body, [&](WireReader& reader, uint64_t number, uint64_t type) {
      return take_proto_field(reader, number, type, proto);
    });
  }));
  return protos;
}

}  // namespace forebay::dataset
