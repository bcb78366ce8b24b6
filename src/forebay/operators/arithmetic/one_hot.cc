// one_hot: class numbers as rows of switches.
#include "forebay/kernels/generic/convert.h"
#include "forebay/memory/host/scratch.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/layout/axes.h"

namespace forebay::operators {
namespace {

struct OneHot {
  int64_t num_classes = 0;
  int64_t axis = -1;
  std::optional<std::string> axis_name;
  float on_value = 1;
  float off_value = 0;
  DType dtype = DType::kFloat;

  Status prepare(const Arguments&) {
    if (num_classes < 0) {
      return invalid_argument("num_classes is {}", num_classes);
    }
    if (axis_name && axis_name->size() != 1) {
      return invalid_argument("axis_name must be one letter, not '{}'", *axis_name);
    }
    return ok_status();
  }

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    const bool is_scalar = in.shape().rank() == 0 || (axis == -1 && in.volume() == 1);
    const Shape outer = is_scalar ? Shape() : in.shape();
    const int rank = outer.rank();
    if (axis < -1 || axis > rank || rank == tensor::kMaxRank) {
      return out_of_range("axis {} for classes of {}; give one from -1 to {}", axis, in.spec().to_string(),
                          rank);
    }
    const int at = axis == -1 ? rank : static_cast<int>(axis);
    FOREBAY_ASSIGN_OR_RETURN(const Layout layout, output_layout(in, is_scalar, at));
    TensorSpec spec{{}, dtype, layout};
    for (int a = 0; a <= rank; ++a) {
      spec.shape.push_back(a == at ? num_classes : outer[a < at ? a : a - 1]);
    }
    if (!spec.shape.checked_volume()) {
      return invalid_argument("no tensor can have the shape {}", spec.shape.to_string());
    }
    memory::ScratchVector<int64_t> classes(static_cast<size_t>(in.volume()));
    FOREBAY_RETURN_IF_ERROR(copy_ints(in, classes));
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
    write(classes, outer.volume(at, rank), out);
    return ok_status();
  }

 private:
  Result<Layout> output_layout(const Tensor& in, bool is_scalar, int at) const {
    if (!axis_name) {
      return Layout();
    }
    const Layout outer = is_scalar ? Layout() : in.layout();
    if (!is_scalar && outer.empty()) {
      return invalid_argument("axis_name is given, but the input has no layout to add it to");
    }
    return layout_with(outer, at, (*axis_name)[0]);
  }

  void write(std::span<const int64_t> classes, int64_t inner, const MutableTensorView& out) const {
    tensor::visit_dtype(out.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      std::ranges::fill(out.span<T>(), kernels::convert_saturated<T>(off_value));
      const T on = kernels::convert_saturated<T>(on_value);
      for (int64_t i = 0; i < static_cast<int64_t>(classes.size()); ++i) {
        if (classes[i] >= 0 && classes[i] < num_classes) {
          out.as<T>()[((i / inner) * num_classes + classes[i]) * inner + i % inner] = on;
        }
      }
    });
  }
};

}  // namespace

OperatorSpec one_hot() {
  return describe<OneHot>("one_hot", "Turns class numbers into vectors with one element switched on.")
      .input("data", "Class numbers. Those outside of the classes switch nothing on.")
      .param("num_classes", &OneHot::num_classes, "How many classes there are: the extent of the new axis.")
      .param("axis", &OneHot::axis,
             "Where the new axis stands; -1 for the last, and for the only one of a single class number.")
      .param("axis_name", &OneHot::axis_name,
             "The new axis's letter in the layout; without it the output has none.")
      .param("on_value", &OneHot::on_value, "The value of the element of the class, saturated to the type.")
      .any_number()
      .param("off_value", &OneHot::off_value, "The value of the others, saturated to the type.")
      .any_number()
      .param("dtype", &OneHot::dtype, "Type of the output.")
      .outputs("The input's shape with the new axis; with axis=-1 only that axis for a single class number.")
      .matches("DALI one_hot; there, values wrap around instead of saturating")
      .build();
}

}  // namespace forebay::operators
