// A library as a user writes one: what the C++ face can do.
#include <cmath>
#include <stdexcept>

#include "forebay/plugin/operator.h"

#ifndef LIBRARY_NAME
#define LIBRARY_NAME "good"
#endif

namespace {

using namespace forebay::plugin;

/// Multiplies by a number a sample.
struct Scale {
  Arg<float> factor = 1.0f;
  std::optional<DType> dtype;

  Status prepare(const Arguments& arguments) {
    if (arguments.num_inputs != 1) {
      return internal_error(arguments.num_inputs, " inputs");
    }
    return !factor.is_tensor() && factor.constant() < 0
               ? invalid_argument("factor is ", factor.constant(), ", which is negative")
               : ok_status();
  }

  TensorSpec output_spec(const Sample& sample) const {
    TensorSpec spec = sample.input(0).spec;
    spec.dtype = dtype.value_or(DType::kFloat);
    return spec;
  }

  void run(const Sample& sample) const {
    const float by = factor.get(sample);
    const TensorView from = sample.input(0);
    const MutableTensorView to = sample.output(0);
    visit_dtype(from.dtype(), [&](auto from_tag) {
      visit_dtype(to.dtype(), [&](auto to_tag) {
        using From = typename decltype(from_tag)::type;
        using To = typename decltype(to_tag)::type;
        const Span<const From> values = from.span<From>();
        for (size_t i = 0; i < values.size(); ++i) {
          to.as<To>()[i] = static_cast<To>(static_cast<float>(values[i]) * by);
        }
      });
    });
  }
};

OperatorSpec scale() {
  return describe<Scale>("plugin_test.scale", "Multiplies by a number.")
      .input("data", "Any tensor.")
      .param("factor", &Scale::factor, "By how much.")
      .param("dtype", &Scale::dtype, "Of the result.")
      .outputs("The products.")
      .build();
}

/// One input cut along its first axis.
struct Split {
  int64_t parts = 2;

  int num_outputs() const { return static_cast<int>(parts); }

  void output_specs(const Sample& sample, Span<TensorSpec> specs) const {
    TensorSpec spec = sample.input(0).spec;
    if (spec.shape.rank() == 0 || spec.shape[0] % parts != 0) {
      throw Error(
          invalid_argument("a tensor of ", spec.shape.to_string(), " has no ", parts, " equal parts"));
    }
    spec.shape[0] /= parts;
    for (TensorSpec& each : specs) {
      each = spec;
    }
  }

  Status run(const Sample& sample) const {
    const Span<const uint8_t> all = sample.input(0).span<uint8_t>();
    size_t at = 0;
    for (int part = 0; part < sample.num_outputs(); ++part) {
      for (uint8_t& element : sample.output(part).span<uint8_t>()) {
        element = all[at++];
      }
    }
    return ok_status();
  }
};

OperatorSpec split() {
  return describe<Split>("plugin_test.split", "Cuts along the first axis.")
      .input("data", "uint8.")
      .param("parts", &Split::parts, "How many.")
      .outputs("The parts.")
      .build();
}

/// Numbers that depend on the sample alone, and that items of parallel_for draw, each from its own stream.
struct Noise {
  Arg<std::vector<int64_t>> shape = std::vector<int64_t>{};

  TensorSpec output_spec(const Sample& sample) const {
    TensorSpec spec;
    for (const int64_t extent : shape.get(sample)) {
      spec.shape.push_back(extent);
    }
    spec.dtype = DType::kFloat64;
    return spec;
  }

  void run(const Sample& sample) const {
    const Span<double> values = sample.output(0).span<double>();
    const Span<uint32_t> draws = sample.scratch<uint32_t>(values.size());
    sample.parallel_for(static_cast<int64_t>(values.size()), [&](int64_t item) {
      RandomStream stream = sample.random(static_cast<uint32_t>(item));
      draws[static_cast<size_t>(item)] = stream.next_u32();
      double value = stream.normal();
      value += stream.uniform(0, 1);
      value += static_cast<double>(stream.below(10));
      values[static_cast<size_t>(item)] = value;
    });
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] += draws[i] % 2;
    }
  }
};

OperatorSpec noise() {
  return describe<Noise>("plugin_test.noise", "Draws numbers.")
      .param("shape", &Noise::shape, "Of the result.")
      .outputs("float64.")
      .random()
      .build();
}

/// Writes down what it was given, as text.
struct EveryKind {
  bool flag = true;
  int64_t number = -3;
  int32_t small_number = 7;
  float fraction = 0.5f;
  std::string word = "one";
  std::vector<int64_t> numbers = {1, 2};
  std::vector<float> fractions = {0.5f, 1.5f};
  std::vector<std::string> words = {"a", "b"};
  DType dtype = DType::kInt16;
  ImageType image_type = ImageType::kBGR;
  InterpType interp_type = InterpType::kLinear;
  LayoutName layout = {"HWC"};
  std::optional<double> maybe;
  Arg<bool> sometimes = false;
  std::string needed;

  TensorSpec output_spec(const Sample& sample) const {
    return {{static_cast<int64_t>(written(sample).size())}, DType::kUint8, "W"};
  }

  void run(const Sample& sample) const {
    const std::string text = written(sample);
    for (size_t i = 0; i < text.size(); ++i) {
      sample.output(0).as<uint8_t>()[i] = static_cast<uint8_t>(text[i]);
    }
  }

 private:
  std::string written(const Sample& sample) const {
    std::string text = detail::text_of(flag, ' ', number, ' ', small_number, ' ', fraction, ' ', word, " [");
    for (const int64_t each : numbers) {
      text += detail::text_of(each, ' ');
    }
    for (const float each : fractions) {
      text += detail::text_of(each, ' ');
    }
    for (const std::string& each : words) {
      text += detail::text_of(each, ' ');
    }
    text += detail::text_of("] ", name_of(dtype), ' ', int64_t(image_type), ' ', int64_t(interp_type), ' ');
    text += detail::text_of(layout.names, ' ', maybe ? detail::text_of(*maybe) : "nothing", ' ');
    return text +
           detail::text_of(sometimes.get(sample), ' ', needed, ' ', sample.epoch(), ' ', sample.position());
  }
};

OperatorSpec every_kind() {
  return describe<EveryKind>("plugin_test.every_kind", "Writes down its arguments.")
      .param("flag", &EveryKind::flag, "A bool.")
      .param("number", &EveryKind::number, "An integer.")
      .param("small_number", &EveryKind::small_number, "An integer of 32 bits.")
      .param("fraction", &EveryKind::fraction, "A float.")
      .param("word", &EveryKind::word, "A string.")
      .choices({"one", "two"})
      .param("numbers", &EveryKind::numbers, "Integers.")
      .param("fractions", &EveryKind::fractions, "Floats.")
      .param("words", &EveryKind::words, "Strings.")
      .param("dtype", &EveryKind::dtype, "An element type.")
      .param("image_type", &EveryKind::image_type, "A colour space.")
      .param("interp_type", &EveryKind::interp_type, "A filter.")
      .param("layout", &EveryKind::layout, "A layout.")
      .param("maybe", &EveryKind::maybe, "A float, or nothing.")
      .param("sometimes", &EveryKind::sometimes, "A bool, or one a sample.")
      .param("needed", &EveryKind::needed, "A string.")
      .required()
      .outputs("The text.")
      .build();
}

/// Fails in the way that it is told.
struct Fails {
  std::string how = "status";

  TensorSpec output_spec(const Sample& sample) const {
    if (how == "in output_spec") {
      throw std::runtime_error("no spec today");
    }
    return sample.input(0).spec;
  }

  Status run(const Sample& sample) const {
    if (how == "status") {
      return data_loss("the bytes are ", "broken");
    }
    if (how == "error") {
      throw Error(out_of_range("past the end"));
    }
    if (how == "exception") {
      throw std::runtime_error("a tap was left open");
    }
    if (how == "number") {
      throw 7;
    }
    if (how == "memory") {
      throw std::bad_alloc();
    }
    if (how == "index") {
      return sample.input(5).volume() == 0 ? ok_status() : internal_error("there is an input 5");
    }
    if (how == "dtype") {
      sample.input(0).as<double>();
    }
    if (how == "in parallel") {
      sample.parallel_for(8, [](int64_t item) {
        if (item >= 3) {
          throw std::runtime_error("item " + std::to_string(item));
        }
      });
    }
    if (how == "scratch") {
      sample.scratch<uint8_t>(size_t{1} << 50);
    }
    return ok_status();
  }
};

OperatorSpec fails() {
  return describe<Fails>("plugin_test.fails", "Fails.")
      .input("data", "Any tensor.")
      .param("how", &Fails::how, "In which way.")
      .outputs("Nothing of use.")
      .build();
}

}  // namespace

FOREBAY_PLUGIN(LIBRARY_NAME, "1.0", scale(), split(), noise(), every_kind(), fails())
