#include "forebay/memory/copy.h"

#include "bindings/exchange/device_allocator.h"
#include "bindings/exchange/numpy_handler.h"
#include "bindings/interpreter/bindings.h"
#include "bindings/interpreter/errors.h"
#include "bindings/interpreter/gil_gate.h"
#include "forebay/base/metrics/metrics.h"
#include "forebay/memory/host/host_pool.h"
#include "forebay/storage/local/file_version.h"

namespace forebay::bindings {
namespace {

nb::dict host_statistics() {
  const memory::HostPoolStatistics facts = memory::process_host_pool().statistics();
  nb::dict fields;
  fields["in_use_bytes"] = facts.in_use_bytes;
  fields["kept_bytes"] = facts.kept_bytes;
  fields["peak_bytes"] = facts.peak_bytes;
  fields["hits"] = facts.hits;
  fields["misses"] = facts.misses;
  return fields;
}

nb::dict statistics_of_numpy() {
  const memory::HostBlockStatistics facts = numpy_statistics();
  nb::dict fields;
  fields["bytes"] = facts.bytes;
  fields["peak_bytes"] = facts.peak_bytes;
  fields["blocks"] = facts.blocks;
  fields["allocations"] = facts.allocations;
  return fields;
}

nb::object device_statistics() {
  const exchange::DevicePool* const pool = exchange::made_device_pool();
  if (pool == nullptr) {
    return nb::none();
  }
  const memory::PoolStatistics facts = pool->statistics();
  nb::dict fields;
  fields["reserved_bytes"] = facts.reserved_bytes;
  fields["out_bytes"] = facts.out_bytes;
  fields["peak_bytes"] = facts.peak_bytes;
  fields["allocations"] = facts.allocations;
  fields["largest_hole_bytes"] = facts.largest_hole_bytes;
  return fields;
}

void open_device_pool(uint64_t maximum_bytes) {
  check(without_gil([&] { return exchange::process_device_pool(maximum_bytes).status(); }));
}

void bind_pools(nb::module_& module) {
  module.def("host_pool_statistics", &host_statistics);
  module.def(
      "trim_host_pool", [] { return without_gil([] { return memory::process_host_pool().trim(); }); },
      "Gives what the process's pool keeps back to the system; the bytes given back.");
  module.def("numpy_memory_statistics", &statistics_of_numpy);
  module.def("install_numpy_handler", &install_numpy_handler,
             "Puts the pool under NumPy in this context; the handler that was in place.");
  module.def("restore_numpy_handler", &restore_numpy_handler, nb::arg("previous"),
             "Puts that handler back; False when the pool's is not in place here.");
  module.def("open_device_pool", &open_device_pool, nb::arg("maximum_bytes") = exchange::kDevicePoolBytes,
             "Makes the device's pool if it is not there; RuntimeError where no device can be used.");
  module.def("device_pool_statistics", &device_statistics,
             nb::sig("def device_pool_statistics() -> dict[str, int] | None"));
  nb::class_<DeviceBlock>(module, "DeviceBlock", "A block of the device's pool; goes back with this object.")
      .def(nb::init<uint64_t, int, uint64_t>(), nb::arg("bytes"), nb::arg("device"), nb::arg("stream"))
      .def_prop_ro("pointer", &DeviceBlock::pointer)
      .def_prop_ro("bytes", &DeviceBlock::bytes);
}

}  // namespace

void bind_memory(nanobind::module_& module) {
  module.def("bytes_copied", &memory::bytes_copied, "Bytes that this process has copied in bulk so far.");
  module.def(
      "count_copied", [](uint64_t bytes) { counter("bytes_copied").add(bytes); }, nanobind::arg("bytes"),
      "Counts bytes that NumPy copied on the library's behalf.");
  module.def(
      "touched_reads", &storage::touched_reads,
      "Reads of files that were accepted although their time of change had moved since they were listed.");
  bind_pools(module);
}

}  // namespace forebay::bindings
