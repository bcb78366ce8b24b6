// Stores as Python sees them: objects and folders by path or URI. forebay.filesystem is the face of it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/exchange/array_object.h"
#include "bindings/exchange/buffer_protocol.h"
#include "bindings/interpreter/bindings.h"
#include "bindings/interpreter/text.h"
#include "bindings/storage/store_calls.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/stores/store_registry.h"
#include "forebay/storage/tree/copy_object.h"
#include "forebay/storage/tree/entry.h"
#include "forebay/storage/tree/moves.h"
#include "forebay/storage/tree/place.h"
#include "forebay/storage/tree/remove_tree.h"
#include "forebay/storage/uri.h"

namespace forebay::bindings {
namespace {

using storage::CallContext;
using storage::ObjectAddress;
using storage::ObjectStat;
using storage::ReadBytes;

/// (name, is_folder, size, modified_ns, version)
nb::tuple entry_tuple(std::string_view name, bool is_folder, const ObjectStat& stat) {
  return nb::make_tuple(text_to_python(name), is_folder, stat.size_bytes, stat.modified_ns,
                        text_to_python(stat.version));
}

nb::tuple stat_path(nb::handle path, bool for_read) {
  const ObjectAddress address = address_of(path);
  const auto entry = await_work<Result<storage::Entry>>([&](CallContext context) {
    context.is_for_read = for_read;
    return storage::find_entry(*address.store, address.key, context);
  });
  const bool is_absent = entry.status().code() == StatusCode::kNotFound;
  if (is_absent && storage::default_registry().is_above_mounts(text_from_python(path))) {
    return entry_tuple(storage::as_folder_key(address.key), true, {});
  }
  const storage::Entry found = value_or_store_error(entry);
  return entry_tuple(found.stat.key, found.is_folder, found.stat);
}

/// A folder's entries, page by page.
class Listing {
 public:
  Listing(nb::handle folder, bool is_recursive) : address_(address_of(folder)) {
    storage::ListRequest request;
    request.prefix = storage::as_folder_key(address_.key);
    request.delimiter = is_recursive ? "" : "/";
    name_start_ = request.prefix.size();
    stream_ = address_.store->open_list(std::move(request));
  }

  /// Names behind the folder's; None after the last page.
  nb::object next() {
    if (is_at_end_) {
      return nb::none();
    }
    const auto page = value_or_store_error(await_answer<Result<storage::ListPage>>(
        [&](const CallContext& context, auto done) { stream_->next(context, std::move(done)); }));
    is_at_end_ = page.is_last;
    nb::list entries;
    for (const ObjectStat& object : page.objects) {
      entries.append(entry_tuple(std::string_view(object.key).substr(name_start_), false, object));
    }
    for (const std::string& folder : page.prefixes) {
      entries.append(entry_tuple(std::string_view(folder).substr(name_start_), true, {}));
    }
    return entries;
  }

 private:
  const ObjectAddress address_;
  size_t name_start_ = 0;
  std::unique_ptr<storage::ListStream> stream_;
  bool is_at_end_ = false;
};

/// The bytes as they lie in the store or where they were read to: no copy.
PythonArray array_of_read(const ReadBytes& read) {
  exchange::StridedArray array;
  array.owner = storage::buffer_of(read);
  array.data = const_cast<std::byte*>(read.bytes.data());
  array.type = {exchange::dlpack::kUInt, 8, 1};
  array.shape.push_back(static_cast<int64_t>(read.bytes.size()));
  array.strides_bytes.push_back(1);
  array.is_read_only = true;
  return PythonArray{std::move(array)};
}

storage::ReadRequest request_of(const std::string& key, uint64_t offset, std::optional<uint64_t> length,
                                const std::string& version, std::optional<uint64_t> size) {
  return {.key = key,
          .offset_bytes = offset,
          .length_bytes = length.value_or(storage::kToEnd),
          .if_version = version,
          .object_bytes = size};
}

PythonArray read_path(nb::handle path, uint64_t offset, std::optional<uint64_t> length,
                      const std::string& version, std::optional<uint64_t> size) {
  const ObjectAddress address = address_of(path);
  return array_of_read(
      value_or_store_error(await_answer<Result<ReadBytes>>([&](const CallContext& context, auto done) {
        address.store->read(request_of(address.key, offset, length, version, size), context, std::move(done));
      })));
}

/// The bytes of an object with the buffer protocol, as they lie there.
Bytes bytes_of_buffer(const exchange::StridedArray& array) {
  if (!array.is_dense()) {
    raise(invalid_argument("the bytes to write do not lie together"));
  }
  return {array.data, array.size_bytes()};
}

nb::tuple write_path(nb::handle path, nb::handle content, bool if_absent) {
  const ObjectAddress address = address_of(path);
  const exchange::StridedArray array = array_from_buffer(content);
  const Bytes bytes = bytes_of_buffer(array);
  const auto stat =
      value_or_store_error(await_answer<Result<ObjectStat>>([&](const CallContext& context, auto done) {
        address.store->write(address.key, bytes, {.if_absent = if_absent}, context, std::move(done));
      }));
  return entry_tuple(stat.key, false, stat);
}

/// An object being written in parts. Nothing is visible before commit().
class Writer {
 public:
  Writer(nb::handle path, bool if_absent) : address_(address_of(path)) {
    writer_ = value_or_store_error(
        without_gil([&] { return address_.store->open_writer(address_.key, {.if_absent = if_absent}); }));
  }

  uint64_t least_part_bytes() const { return writer().limits().least_bytes; }

  void append(nb::handle content) {
    const exchange::StridedArray array = array_from_buffer(content);
    const Bytes bytes = bytes_of_buffer(array);
    check_store_call(await_answer<Status>(
        [&](const CallContext& context, auto done) { writer().append(bytes, context, std::move(done)); }));
  }

  nb::tuple commit() {
    const auto stat = value_or_store_error(await_answer<Result<ObjectStat>>(
        [&](const CallContext& context, auto done) { writer().commit(context, std::move(done)); }));
    writer_.reset();
    return entry_tuple(stat.key, false, stat);
  }

  void abort() {
    without_gil([&] { writer_.reset(); });
  }

 private:
  storage::ObjectWriter& writer() const {
    if (writer_ == nullptr) {
      raise(failed_precondition("{}: the writer has ended", address_.uri()));
    }
    return *writer_;
  }

  const ObjectAddress address_;
  std::unique_ptr<storage::ObjectWriter> writer_;
};

void copy_path(nb::handle from, nb::handle to, bool if_absent) {
  const ObjectAddress source = address_of(from);
  const ObjectAddress target = address_of(to);
  check_store_call(await_work<Status>([&](const CallContext& context) {
    return storage::copy_object(source, target, {.if_absent = if_absent}, context).status();
  }));
}

void move_path(nb::handle from, nb::handle to) {
  const std::string source = text_from_python(from);
  const ObjectAddress target = address_of(to);
  check_store_call(storage::default_registry().check_no_mount(source, "renamed"));
  check_store_call(await_work<Status>([&](const CallContext& context) -> Status {
    FOREBAY_ASSIGN_OR_RETURN(const storage::Place place, storage::find_place(source, context));
    return storage::move_entry(place, target, {.replaces_within_store = true}, context).status();
  }));
}

void remove_path(nb::handle path) {
  const ObjectAddress address = address_of(path);
  check_store_call(await_answer<Status>([&](const CallContext& context, auto done) {
    address.store->remove(address.key, context, std::move(done));
  }));
}

void remove_tree_path(nb::handle path) {
  const ObjectAddress address = address_of(path);
  check_store_call(storage::default_registry().check_no_mount(text_from_python(path), "removed"));
  check_store_call(await_work<Status>([&](const CallContext& context) {
    return storage::remove_tree(*address.store, storage::as_folder_key(address.key), {}, context).status();
  }));
}

void make_directory_path(nb::handle path) {
  const ObjectAddress address = address_of(path);
  check_store_call(await_answer<Status>([&](const CallContext& context, auto done) {
    address.store->make_directory(storage::as_folder_key(address.key), context, std::move(done));
  }));
}

/// (name, help, is_secret, type, default, variables) of each option.
nb::list options_of_scheme(const std::string& scheme) {
  nb::list options;
  for (const storage::StoreOptionSpec& option :
       value_or_store_error(storage::default_registry().options_of(scheme))) {
    nb::list variables;
    for (const std::string& name : option.variables) {
      variables.append(name);
    }
    options.append(nb::make_tuple(option.name, option.help, option.is_secret, option.type, option.by_default,
                                  variables));
  }
  return options;
}

}  // namespace

void bind_stores(nb::module_& module) {
  const char* const entry = "(key, is_folder, size, modified_ns, version)";
  module.def(
      "store_shown_name",
      [](nb::handle path) { return text_to_python(storage::uri_for_message(text_from_python(path))); },
      nb::arg("path"), nb::sig("def store_shown_name(path: object) -> str"),
      "The path or URI for messages: without what may be secret, such as passwords and queries.");
  module.def("store_schemes", [] { return storage::default_registry().schemes(); });
  module.def(
      "store_options", &options_of_scheme, nb::arg("scheme"),
      nb::sig("def store_options(scheme: str) -> list[tuple[str, str, bool, str, str, list[str]]]"),
      "(name, help, is_secret, type, default, variables of the environment) of each option of a mount.");
  module.def("store_stat", &stat_path, nb::arg("path"), nb::arg("for_read") = false, entry);
  nb::class_<Listing>(module, "StoreListing", "The entries of a folder, page by page.")
      .def(nb::init<nb::handle, bool>(), nb::arg("folder"), nb::arg("is_recursive"))
      .def("next", &Listing::next, nb::sig("def next(self) -> list[tuple[str, bool, int, int, str]] | None"),
           "(name below the folder, is_folder, size, modified_ns, version) of each; None after the last "
           "page.");
  module.def("store_read", &read_path, nb::arg("path"), nb::arg("offset") = 0, nb::arg("length") = nb::none(),
             nb::arg("version") = "", nb::arg("size") = nb::none(),
             "The bytes, without a copy. `size`: that of the object in this version, where it is known.");
  bind_store_read_many(module);
  module.def("store_write", &write_path, nb::arg("path"), nb::arg("content"), nb::arg("if_absent") = false,
             entry);
  nb::class_<Writer>(module, "StoreWriter", "An object being written; nothing is visible before commit().")
      .def(nb::init<nb::handle, bool>(), nb::arg("path"), nb::arg("if_absent") = false)
      .def_prop_ro("least_part_bytes", &Writer::least_part_bytes)
      .def("append", &Writer::append, nb::arg("content"))
      .def("commit", &Writer::commit)
      .def("abort", &Writer::abort);
  module.def("store_copy", &copy_path, nb::arg("source"), nb::arg("target"), nb::arg("if_absent") = false);
  module.def("store_move", &move_path, nb::arg("source"), nb::arg("target"));
  module.def("store_remove", &remove_path, nb::arg("path"));
  module.def("store_remove_tree", &remove_tree_path, nb::arg("path"));
  module.def("store_make_directory", &make_directory_path, nb::arg("path"));
}

}  // namespace forebay::bindings
