// lookup_table: integers replaced by the entries of a table.
#include <algorithm>
#include <array>
#include <span>
#include <type_traits>

#include "forebay/kernels/generic/convert.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

constexpr int64_t kLargestKey = 65535;

struct LookupTable {
  std::vector<int64_t> keys;
  std::vector<float> values;
  float default_value = 0;
  DType dtype = DType::kFloat;

  Status prepare(const Arguments&) {
    if (keys.size() != values.size()) {
      return invalid_argument("there are {} keys and {} values", keys.size(), values.size());
    }
    for (size_t i = 0; i < keys.size(); ++i) {
      if (keys[i] < 0 || keys[i] > kLargestKey) {
        return invalid_argument("the key {}; keys are from 0 to {}", keys[i], kLargestKey);
      }
      entries_.resize(std::max(entries_.size(), static_cast<size_t>(keys[i]) + 1), default_value);
      entries_[static_cast<size_t>(keys[i])] = values[i];
    }
    return ok_status();
  }

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    if (!tensor::is_integer(in.dtype())) {
      return invalid_argument("a table is looked up by integers, not by {}", in.spec().to_string());
    }
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, {in.shape(), dtype, in.layout()}));
    tensor::visit_dtype(in.dtype(), [&](auto from) {
      tensor::visit_dtype(dtype, [&](auto to) {
        using In = typename decltype(from)::type;
        using Out = typename decltype(to)::type;
        if constexpr (std::is_integral_v<In>) {
          look_up(in.view().span<In>(), out.as<Out>());
        }
      });
    });
    return ok_status();
  }

 private:
  template <class Out, class In>
  Out entry(In key) const {
    const auto place = static_cast<uint64_t>(key);  // of a negative key beyond every table
    return kernels::convert_saturated<Out>(place < entries_.size() ? entries_[place] : default_value);
  }

  /// Of bytes all entries are converted first, as there are few.
  template <class In, class Out>
  void look_up(std::span<const In> numbers, Out* out) const {
    if constexpr (sizeof(In) == 1 && !std::is_same_v<In, bool>) {
      std::array<Out, 256> all;
      for (int key = 0; key < 256; ++key) {
        all[static_cast<size_t>(key)] = entry<Out>(static_cast<In>(key));
      }
      std::ranges::transform(numbers, out, [&](In key) { return all[static_cast<uint8_t>(key)]; });
    } else {
      std::ranges::transform(numbers, out, [&](In key) { return entry<Out>(key); });
    }
  }

  std::vector<float> entries_;
};

}  // namespace

OperatorSpec lookup_table() {
  return describe<LookupTable>("lookup_table", "Replaces integers by the entries of a table.")
      .input("data", "Integers of any type.")
      .param("keys", &LookupTable::keys,
             "Numbers from 0 to 65535; of a key that is given twice the last value counts.")
      .param("values", &LookupTable::values, "What each key becomes.")
      .any_number()
      .param("default_value", &LookupTable::default_value, "What all other numbers become.")
      .any_number()
      .param("dtype", &LookupTable::dtype, "Type of the output; integers are rounded and saturated.")
      .old_name("output_dtype", &LookupTable::dtype)
      .outputs("The entries, in the input's shape.")
      .matches("DALI lookup_table")
      .build();
}

}  // namespace forebay::operators
