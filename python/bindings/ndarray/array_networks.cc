// Operations of neural networks, as further static methods of forebay._core.ArrayOperations.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>

#include "bindings/interpreter/bindings.h"
#include "bindings/ndarray/ndarray.h"
#include "forebay/ndarray/autograd.h"
#include "forebay/ndarray/nn/activation.h"
#include "forebay/ndarray/nn/convolution.h"
#include "forebay/ndarray/nn/cross_entropy.h"
#include "forebay/ndarray/nn/dense.h"
#include "forebay/ndarray/nn/normalization.h"
#include "forebay/ndarray/nn/optimizers.h"
#include "forebay/ndarray/nn/softmax.h"

namespace forebay::bindings {
namespace {

using ndarray::Array;
using Numbers = std::vector<int64_t>;

/// The class that array_operations.cc made; static methods are added to it here.
struct Networks {};
using Binding = nb::class_<Networks>;

/// None becomes an invalid array.
Array optional_array(nb::handle object) {
  return object.is_none() ? Array() : ndarray_of(object);
}

template <class Value, size_t kCount>
Value one_of(const std::array<const char*, kCount>& names, const std::string& name, const char* what) {
  for (size_t i = 0; i < kCount; ++i) {
    if (name == names[i]) {
      return static_cast<Value>(i);
    }
  }
  throw nb::value_error((std::string(what) + " is not '" + name + "'").c_str());
}

ndarray::SpatialNumbers spatial(const Numbers& numbers) {
  return {numbers.begin(), numbers.end()};
}

ndarray::ConvolutionOptions convolution_options(const Numbers& kernel, const Numbers& stride,
                                                const Numbers& dilate, const Numbers& pad, int64_t filters,
                                                int64_t groups) {
  return {spatial(kernel), spatial(stride), spatial(dilate), spatial(pad), filters, groups};
}

NdarrayObject convolution(const Array& data, const Array& weight, nb::handle bias, const Numbers& kernel,
                          const Numbers& stride, const Numbers& dilate, const Numbers& pad, int64_t filters,
                          int64_t groups) {
  return wrapped(ndarray::convolution(data, weight, optional_array(bias),
                                      convolution_options(kernel, stride, dilate, pad, filters, groups)));
}

NdarrayObject deconvolution(const Array& data, const Array& weight, nb::handle bias, const Numbers& kernel,
                            const Numbers& stride, const Numbers& dilate, const Numbers& pad,
                            const Numbers& adjust, int64_t filters, int64_t groups) {
  return wrapped(ndarray::deconvolution(data, weight, optional_array(bias),
                                        convolution_options(kernel, stride, dilate, pad, filters, groups),
                                        spatial(adjust)));
}

NdarrayObject pooling(const Array& data, const std::string& kind, bool is_global, const Numbers& kernel,
                      const Numbers& stride, const Numbers& pad, bool full, bool counts_padding,
                      double power) {
  constexpr std::array kKinds = {"max", "avg", "sum", "lp"};
  return wrapped(
      ndarray::pooling(data, {one_of<ndarray::Pooling>(kKinds, kind, "pool_type"), is_global, spatial(kernel),
                              spatial(stride), spatial(pad), full, counts_padding, power}));
}

void bind_spatial(Binding& binding) {
  binding
      .def_static("convolution", &convolution, nb::arg("data"), nb::arg("weight"), nb::arg("bias").none(),
                  nb::arg("kernel"), nb::arg("stride"), nb::arg("dilate"), nb::arg("pad"),
                  nb::arg("num_filter"), nb::arg("num_group"))
      .def_static("deconvolution", &deconvolution, nb::arg("data"), nb::arg("weight"), nb::arg("bias").none(),
                  nb::arg("kernel"), nb::arg("stride"), nb::arg("dilate"), nb::arg("pad"), nb::arg("adj"),
                  nb::arg("num_filter"), nb::arg("num_group"))
      .def_static("pooling", &pooling, nb::arg("data"), nb::arg("pool_type"), nb::arg("global_pool"),
                  nb::arg("kernel"), nb::arg("stride"), nb::arg("pad"), nb::arg("full"),
                  nb::arg("count_include_pad"), nb::arg("p_value"));
}

NdarrayObject activation(const Array& data, const std::string& name) {
  constexpr std::array kNames = {"exp",     "expm1", "log",      "log1p",   "relu",
                                 "sigmoid", "tanh",  "softrelu", "softsign"};
  return wrapped(ndarray::activation(one_of<kernels::Function>(kNames, name, "act_type"), data));
}

NdarrayObject rectified(const Array& data, const std::string& name, double slope) {
  constexpr std::array kNames = {"leaky", "elu", "selu", "gelu"};
  return wrapped(ndarray::rectified(one_of<ndarray::Rectifier>(kNames, name, "act_type"), slope, data));
}

void bind_elementwise(Binding& binding) {
  binding.def_static("activation", &activation, nb::arg("data"), nb::arg("act_type"))
      .def_static("rectified", &rectified, nb::arg("data"), nb::arg("act_type"), nb::arg("slope"))
      .def_static(
          "parametric_rectified",
          [](const Array& data, const Array& gamma) {
            return wrapped(ndarray::parametric_rectified(data, gamma));
          },
          nb::arg("data"), nb::arg("gamma"))
      .def_static(
          "dropout",
          [](const Array& data, double p, bool always, const std::vector<int>& axes) {
            const bool drops = p > 0 && (always || ndarray::is_training());
            return wrapped(drops ? ndarray::dropout(data, p, axes) : Result<Array>(data));
          },
          nb::arg("data"), nb::arg("p"), nb::arg("always"), nb::arg("axes"))
      .def_static(
          "sequence_mask",
          [](const Array& data, const Array& lengths, double value, int axis) {
            return wrapped(ndarray::sequence_mask(data, lengths, value, axis));
          },
          nb::arg("data"), nb::arg("lengths"), nb::arg("value"), nb::arg("axis"));
}

void bind_dense(Binding& binding) {
  binding
      .def_static(
          "fully_connected",
          [](const Array& data, const Array& weight, nb::handle bias, bool flatten) {
            return wrapped(ndarray::fully_connected(data, weight, optional_array(bias), flatten));
          },
          nb::arg("data"), nb::arg("weight"), nb::arg("bias").none(), nb::arg("flatten"))
      .def_static(
          "embedding",
          [](const Array& indices, const Array& weight) {
            return wrapped(ndarray::embedding(indices, weight));
          },
          nb::arg("indices"), nb::arg("weight"));
}

NdarrayObject softmax(const Array& data, int axis, double temperature, bool logarithm, bool negative,
                      nb::handle lengths) {
  return wrapped(ndarray::softmax(data, {axis, logarithm, negative, temperature}, optional_array(lengths)));
}

NdarrayObject softmax_output(const Array& data, const Array& label, double scale, bool multiple,
                             bool preserves, bool ignores, double ignored, double smoothing,
                             const std::string& normalization) {
  using Options = ndarray::SoftmaxOutputOptions;
  constexpr std::array kNormalizations = {"null", "batch", "valid"};
  return wrapped(ndarray::softmax_output(
      data, label,
      {scale, multiple, preserves, ignores, ignored, smoothing,
       one_of<Options::Normalization>(kNormalizations, normalization, "normalization")}));
}

void bind_softmax(Binding& binding) {
  binding
      .def_static("softmax", &softmax, nb::arg("data"), nb::arg("axis"), nb::arg("temperature"),
                  nb::arg("logarithm"), nb::arg("negative"), nb::arg("lengths").none() = nb::none())
      .def_static(
          "softmax_cross_entropy",
          [](const Array& data, const Array& label, int axis) {
            return wrapped(ndarray::softmax_cross_entropy(data, label, axis));
          },
          nb::arg("data"), nb::arg("label"), nb::arg("axis"),
          "The losses of softmax(data) with class labels, one a label.")
      .def_static("softmax_output", &softmax_output, nb::arg("data"), nb::arg("label"), nb::arg("grad_scale"),
                  nb::arg("multi_output"), nb::arg("preserve_shape"), nb::arg("use_ignore"),
                  nb::arg("ignore_label"), nb::arg("smooth_alpha"), nb::arg("normalization"));
}

nb::typed<nb::list, NdarrayObject> batch_norm(const Array& data, const Array& gamma, const Array& beta,
                                              const Array& moving_mean, const Array& moving_var, double eps,
                                              double momentum, bool fix_gamma, bool use_global_stats,
                                              int axis) {
  return wrapped_list(ndarray::batch_norm(data, gamma, beta, moving_mean, moving_var,
                                          {eps, momentum, fix_gamma, use_global_stats, axis}));
}

void bind_normalization(Binding& binding) {
  binding
      .def_static("batch_norm", &batch_norm, nb::arg("data"), nb::arg("gamma"), nb::arg("beta"),
                  nb::arg("moving_mean"), nb::arg("moving_var"), nb::arg("eps"), nb::arg("momentum"),
                  nb::arg("fix_gamma"), nb::arg("use_global_stats"), nb::arg("axis"))
      .def_static(
          "layer_norm",
          [](const Array& data, const Array& gamma, const Array& beta, int axis, double eps) {
            return wrapped_list(ndarray::layer_norm(data, gamma, beta, axis, eps));
          },
          nb::arg("data"), nb::arg("gamma"), nb::arg("beta"), nb::arg("axis"), nb::arg("eps"))
      .def_static(
          "group_norm",
          [](const Array& data, const Array& gamma, const Array& beta, int64_t groups, double eps) {
            return wrapped_list(ndarray::group_norm(data, gamma, beta, groups, eps));
          },
          nb::arg("data"), nb::arg("gamma"), nb::arg("beta"), nb::arg("num_groups"), nb::arg("eps"))
      .def_static(
          "l2_normalized",
          [](const Array& data, const std::vector<int>& axes, double eps) {
            return wrapped(ndarray::l2_normalized(data, axes, eps));
          },
          nb::arg("data"), nb::arg("axes"), nb::arg("eps"))
      .def_static(
          "local_response_norm",
          [](const Array& data, double alpha, double beta, double knorm, int64_t nsize) {
            return wrapped(ndarray::local_response_norm(data, alpha, beta, knorm, nsize));
          },
          nb::arg("data"), nb::arg("alpha"), nb::arg("beta"), nb::arg("knorm"), nb::arg("nsize"));
}

/// The options of an optimizer's rule, by name.
kernels::UpdateOptions update_options(const nb::dict& options) {
  kernels::UpdateOptions made;
  const std::pair<const char*, double*> known[] = {{"lr", &made.lr},
                                                   {"wd", &made.wd},
                                                   {"rescale_grad", &made.rescale},
                                                   {"momentum", &made.momentum},
                                                   {"beta1", &made.beta1},
                                                   {"clip_gradient", &made.clip},
                                                   {"beta2", &made.beta2},
                                                   {"gamma1", &made.gamma1},
                                                   {"gamma2", &made.gamma2},
                                                   {"epsilon", &made.epsilon},
                                                   {"clip_weights", &made.clip_weights}};
  for (const auto& [name, value] : known) {
    if (options.contains(name)) {
      *value = nb::cast<double>(nb::float_(options[name]));
    }
  }
  return made;
}

void update(const std::string& rule, const Array& weight, const Array& grad, nb::handle states,
            const Array& out, const nb::dict& options) {
  constexpr std::array kRules = {"sgd",  "sgd_mom", "nag_mom",     "signsgd",
                                 "adam", "rmsprop", "rmspropalex", "adagrad"};
  check(ndarray::update(one_of<kernels::UpdateRule>(kRules, rule, "the rule"), update_options(options),
                        weight, grad, arrays_of(states), out));
}

}  // namespace

void bind_array_networks(nb::module_& module) {
  auto binding = nb::borrow<Binding>(module.attr("ArrayOperations"));
  bind_spatial(binding);
  bind_elementwise(binding);
  bind_dense(binding);
  bind_softmax(binding);
  bind_normalization(binding);
  binding.def_static(
      "update", &update, nb::arg("rule"), nb::arg("weight"), nb::arg("grad"), nb::arg("states"),
      nb::arg("out"), nb::arg("options"),
      nb::sig("def update(rule: str, weight: NDArrayBase, grad: NDArrayBase, states: "
              "collections.abc.Sequence[NDArrayBase], out: NDArrayBase, options: dict[str, float]) -> None"),
      "One step of an optimizer; states and out change in place.");
}

}  // namespace forebay::bindings
