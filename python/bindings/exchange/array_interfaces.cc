#include "bindings/exchange/array_interfaces.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "bindings/exchange/array_object.h"
#include "bindings/interpreter/errors.h"
#include "bindings/interpreter/gil_gate.h"
#include "bindings/interpreter/limited_api.h"
#include "bindings/interpreter/python_ref.h"
#include "forebay/exchange/arrays/array_interface.h"
#include "forebay/exchange/devices/cuda_devices.h"

namespace forebay::bindings {
namespace {

using exchange::ArrayInterface;
using exchange::StridedArray;

nb::dict dictionary_of(const ArrayInterface& facts) {
  nb::dict fields;
  fields["version"] = facts.version;
  fields["typestr"] = nb::str(facts.typestring.c_str());
  fields["shape"] = tuple_of(facts.shape);
  fields["strides"] = facts.strides_bytes ? nb::object(tuple_of(*facts.strides_bytes)) : nb::none();
  fields["data"] = nb::make_tuple(facts.pointer, facts.is_read_only);
  return fields;
}

ArrayInterface facts_or_attribute_error(Result<ArrayInterface> facts) {
  if (!facts.ok()) {
    throw nb::attribute_error(std::string(message(facts.status())).c_str());
  }
  return *std::move(facts);
}

exchange::Extents extents_of(nb::handle items) {
  exchange::Extents extents;
  for (const nb::handle item : items) {
    extents.push_back(nb::cast<int64_t>(item));
  }
  return extents;
}

nb::object required_field(const nb::dict& fields, const char* name) {
  return fields.contains(name) ? nb::object(fields[name]) : nb::none();
}

ArrayInterface facts_of(const nb::dict& fields) {
  ArrayInterface facts;
  facts.version = nb::cast<int64_t>(required_field(fields, "version"));
  facts.typestring = nb::cast<const char*>(required_field(fields, "typestr"));
  facts.shape = extents_of(required_field(fields, "shape"));
  if (const nb::object strides = required_field(fields, "strides"); !strides.is_none()) {
    facts.strides_bytes = extents_of(strides);
  }
  const nb::object data = required_field(fields, "data");
  if (!nb::isinstance<nb::tuple>(data)) {
    throw nb::type_error("an array interface without a pointer cannot be taken");
  }
  facts.pointer = nb::cast<uint64_t>(data[0]);
  facts.is_read_only = nb::cast<bool>(data[1]);
  facts.has_mask = !required_field(fields, "mask").is_none();
  if (const nb::object stream = required_field(fields, "stream"); !stream.is_none()) {
    facts.stream = nb::cast<uint64_t>(stream);
  }
  return facts;
}

// None when the object has no such attribute, or one that is no dictionary.
nb::object interface_of(nb::handle object, const char* name) {
  nb::object fields = nb::getattr(object, name, nb::none());
  return nb::isinstance<nb::dict>(fields) ? fields : nb::none();
}

}  // namespace

nb::object array_interface(nb::handle object) {
  return dictionary_of(facts_or_attribute_error(exchange::array_interface_of(array_of_object(object))));
}

nb::object cuda_array_interface(nb::handle object) {
  const ArrayInterface facts =
      facts_or_attribute_error(exchange::cuda_array_interface_of(array_of_object(object)));
  nb::dict fields = dictionary_of(facts);
  fields["stream"] = facts.stream ? nb::object(nb::int_(*facts.stream)) : nb::none();
  return fields;
}

StridedArray array_from_interface(nb::handle object) {
  const nb::object on_host = interface_of(object, "__array_interface__");
  const nb::object on_device =
      on_host.is_none() ? interface_of(object, "__cuda_array_interface__") : nb::none();
  if (on_host.is_none() && on_device.is_none()) {
    throw nb::type_error(
        fmt::format("{} speaks neither the buffer protocol nor DLPack nor an array interface",
                    type_name_of(object))
            .c_str());
  }
  auto keeper = std::make_shared<PythonRef>(nb::borrow(object));
  auto release = [keeper = std::move(keeper)]() mutable { keeper.reset(); };
  ArrayInterface facts;
  try {
    facts = facts_of(nb::cast<nb::dict>(on_host.is_none() ? on_device : on_host));
  } catch (const nb::cast_error&) {
    throw nb::type_error("the array interface has fields of the wrong type");
  }
  const exchange::dlpack::Device device{on_host.is_none() ? exchange::dlpack::kCuda : exchange::dlpack::kCpu,
                                        0};
  const bool has_stream = !on_device.is_none() && facts.stream.has_value();
  const uint32_t driver =
      has_stream ? value_or_buffer_error(without_gil([] { return exchange::driver_of_streams(); })) : 0;
  return value_or_buffer_error(exchange::array_of(facts, device, std::move(release), driver));
}

}  // namespace forebay::bindings
