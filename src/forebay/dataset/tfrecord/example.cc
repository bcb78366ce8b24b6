#include "forebay/dataset/tfrecord/example.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "forebay/dataset/protobuf/wire_reader.h"

namespace forebay::dataset {
namespace {

/// Merges a message of a feature into what is known of it.
Status merge_feature(Bytes message, FeatureBytes* feature) {
  WireReader reader(message);
  while (!reader.is_at_end()) {
    uint64_t number = 0;
    uint64_t type = 0;
    FOREBAY_RETURN_IF_ERROR(reader.tag(&number, &type));
    if (number > 3 || type != kLengthDelimited) {
      FOREBAY_RETURN_IF_ERROR(reader.skip(type));
      continue;
    }
    FOREBAY_ASSIGN_OR_RETURN(const Bytes list, reader.length_delimited());
    const FeatureKind kind = number == 1   ? FeatureKind::kString
                             : number == 2 ? FeatureKind::kFloat
                                           : FeatureKind::kInt64;
    if (kind != feature->kind) {
      feature->lists.clear();
    }
    feature->kind = kind;
    feature->lists.push_back(list);
  }
  return ok_status();
}

/// The key of an entry of the map, 1. The last one counts.
Result<std::string_view> key_of(Bytes entry) {
  std::string_view key;
  FOREBAY_RETURN_IF_ERROR(for_each_message(entry, 1, [&key](Bytes body) {
    key = {reinterpret_cast<const char*>(body.data()), body.size()};
    return ok_status();
  }));
  return key;
}

/// The value of an entry is 2; several are one in pieces.
Status parse_entry(Bytes entry, std::span<const std::string_view> names,
                   std::vector<FeatureBytes>* features) {
  FOREBAY_ASSIGN_OR_RETURN(const std::string_view key, key_of(entry));
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] != key) {
      continue;
    }
    FeatureBytes feature;
    FOREBAY_RETURN_IF_ERROR(
        for_each_message(entry, 2, [&feature](Bytes value) { return merge_feature(value, &feature); }));
    (*features)[i] = std::move(feature);
  }
  return ok_status();
}

/// Calls `take(bytes)` for the entries of the example's map.
template <class Take>
Status for_each_entry(Bytes example, Take&& take) {
  return for_each_message(example, 1, [&take](Bytes message) { return for_each_message(message, 1, take); });
}

/// Calls `packed(bytes)` or `single(reader)` for the values of a list of numbers.
template <class Packed, class Single>
Status for_each_number(Bytes list, uint64_t single_type, Packed&& packed, Single&& single) {
  WireReader reader(list);
  while (!reader.is_at_end()) {
    uint64_t number = 0;
    uint64_t type = 0;
    FOREBAY_RETURN_IF_ERROR(reader.tag(&number, &type));
    if (number == 1 && type == kLengthDelimited) {
      FOREBAY_ASSIGN_OR_RETURN(const Bytes body, reader.length_delimited());
      FOREBAY_RETURN_IF_ERROR(packed(body));
    } else if (number == 1 && type == single_type) {
      FOREBAY_RETURN_IF_ERROR(single(&reader));
    } else {
      FOREBAY_RETURN_IF_ERROR(reader.skip(type));
    }
  }
  return ok_status();
}

template <class Take>
Status for_each_int64(const FeatureBytes& feature, Take&& take) {
  const auto one = [&](WireReader* reader) {
    FOREBAY_ASSIGN_OR_RETURN(const uint64_t value, reader->varint());
    take(static_cast<int64_t>(value));
    return ok_status();
  };
  const auto packed = [&](Bytes body) {
    WireReader reader(body);
    while (!reader.is_at_end()) {
      FOREBAY_RETURN_IF_ERROR(one(&reader));
    }
    return ok_status();
  };
  for (const Bytes list : feature.lists) {
    FOREBAY_RETURN_IF_ERROR(for_each_number(list, kVarint, packed, one));
  }
  return ok_status();
}

/// `take` gets runs of bytes, each a multiple of 4.
template <class Take>
Status for_each_float_run(const FeatureBytes& feature, Take&& take) {
  const auto packed = [&](Bytes body) {
    if (body.size() % sizeof(float) != 0) {
      return data_loss("{} bytes of packed floats", body.size());
    }
    take(body);
    return ok_status();
  };
  const auto one = [&](WireReader* reader) {
    FOREBAY_ASSIGN_OR_RETURN(const Bytes value, reader->take(sizeof(float)));
    take(value);
    return ok_status();
  };
  for (const Bytes list : feature.lists) {
    FOREBAY_RETURN_IF_ERROR(for_each_number(list, kFixed32, packed, one));
  }
  return ok_status();
}

}  // namespace

Result<std::vector<FeatureBytes>> find_features(Bytes example, std::span<const std::string_view> names) {
  std::vector<FeatureBytes> features(names.size());
  FOREBAY_RETURN_IF_ERROR(
      for_each_entry(example, [&](Bytes entry) { return parse_entry(entry, names, &features); }));
  return features;
}

Result<std::vector<std::string_view>> feature_names(Bytes example) {
  std::vector<std::string_view> names;
  FOREBAY_RETURN_IF_ERROR(for_each_entry(example, [&](Bytes entry) -> Status {
    FOREBAY_ASSIGN_OR_RETURN(const std::string_view key, key_of(entry));
    names.push_back(key);
    return ok_status();
  }));
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  return names;
}

Result<Bytes> first_string(const FeatureBytes& feature) {
  Bytes first;
  bool is_found = false;
  for (const Bytes list : feature.lists) {
    FOREBAY_RETURN_IF_ERROR(for_each_message(list, 1, [&](Bytes value) {
      first = is_found ? first : value;
      is_found = true;
      return ok_status();
    }));
  }
  return first;
}

Result<int64_t> count_int64(const FeatureBytes& feature) {
  int64_t count = 0;
  FOREBAY_RETURN_IF_ERROR(for_each_int64(feature, [&](int64_t) { ++count; }));
  return count;
}

Result<int64_t> count_float(const FeatureBytes& feature) {
  int64_t count = 0;
  FOREBAY_RETURN_IF_ERROR(for_each_float_run(
      feature, [&](Bytes run) { count += static_cast<int64_t>(run.size() / sizeof(float)); }));
  return count;
}

Status decode_int64(const FeatureBytes& feature, std::span<int64_t> values) {
  size_t filled = 0;
  FOREBAY_RETURN_IF_ERROR(for_each_int64(feature, [&](int64_t value) {
    if (filled < values.size()) {
      values[filled] = value;
    }
    ++filled;
  }));
  return filled == values.size() ? ok_status()
                                 : internal_error("{} values, counted as {}", filled, values.size());
}

Status decode_float(const FeatureBytes& feature, std::span<float> values) {
  size_t filled = 0;
  FOREBAY_RETURN_IF_ERROR(for_each_float_run(feature, [&](Bytes run) {
    for (; !run.empty(); run = run.subspan(sizeof(float)), ++filled) {
      if (filled < values.size()) {
        std::memcpy(&values[filled], run.data(), sizeof(float));
      }
    }
  }));
  return filled == values.size() ? ok_status()
                                 : internal_error("{} values, counted as {}", filled, values.size());
}

}  // namespace forebay::dataset
