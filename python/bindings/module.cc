// forebay._core: the C++ library as Python sees it. The package around it (python/forebay) is what users
// import.
#include "bindings/interpreter/bindings.h"
#include "bindings/interpreter/gil_gate.h"
#include "bindings/interpreter/push_site.h"
#include "bindings/storage/caching.h"
#include "forebay/tensor/shape.h"

NB_MODULE(_core, module) {
  module.doc() = "The native part of Forebay.";
  module.attr("__version__") = FOREBAY_VERSION;
  module.attr("MAX_RANK") = forebay::tensor::kMaxRank;
  nanobind::set_leak_warnings(false);  // batches may be alive when the interpreter ends
  forebay::bindings::install_gil_gate();
  forebay::bindings::install_push_sites();
  forebay::bindings::bind_memory(module);
  forebay::bindings::bind_tensor(module);
  forebay::bindings::bind_array(module);
  forebay::bindings::bind_columns(module);
  forebay::bindings::bind_operators(module);
  forebay::bindings::bind_graph(module);
  forebay::bindings::bind_session(module);
  forebay::bindings::bind_requests(module);
  forebay::bindings::bind_ndarray(module);
  forebay::bindings::bind_calls(module);
  forebay::bindings::bind_array_operations(module);
  forebay::bindings::bind_array_networks(module);
  forebay::bindings::bind_array_files(module);
  forebay::bindings::bind_array_images(module);
  forebay::bindings::bind_autograd(module);
  forebay::bindings::bind_caching(module);
  forebay::bindings::bind_stores(module);
  forebay::bindings::bind_trace(module);
}
