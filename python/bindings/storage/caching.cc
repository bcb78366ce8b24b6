#include "bindings/storage/caching.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/interpreter/errors.h"
#include "bindings/interpreter/gil_gate.h"
#include "bindings/interpreter/text.h"
#include "bindings/storage/host_cache.h"
#include "forebay/assembly/assemble.h"
#include "forebay/cache/cache.h"
#include "forebay/cache/store/install.h"
#include "forebay/storage/stores/store_registry.h"

namespace forebay::bindings {
namespace {

/// The file that this code is in; empty if the loader does not tell.
std::string this_module() {
  Dl_info found{};
  return dladdr(reinterpret_cast<const void*>(&this_module), &found) != 0 && found.dli_fname != nullptr
             ? found.dli_fname
             : "";
}

/// Where installers put the program: PREFIX/bin, for a module in PREFIX/lib/python3.x/site-packages/forebay.
std::vector<std::string> programs_beside(const std::string& prefix) {
  std::filesystem::path own = this_module();
  for (int i = 0; i < 5; ++i) {
    own = own.parent_path();
  }
  return {prefix + "/bin/forebay", (own / "bin" / "forebay").string()};
}

/// The program that starts the host's daemon, where it may be; set when the module is loaded.
std::vector<std::string>& programs() {
  static auto* const known = new std::vector<std::string>;
  return *known;
}

/// The cache of the process's remote stores, for as long as it is open.
class InstalledCache {
 public:
  InstalledCache(const cache::CacheOptions& options, const std::vector<std::string>& schemes,
                 const cache::FreshnessOptions& freshness)
      : cache_(value_of(without_gil([&] { return cache::Cache::open(options); }))) {
    cache::install(storage::default_registry(), cache_, schemes, freshness);
  }

  nb::dict statistics() const {
    nb::dict fields;
    for (const auto& [name, count] : cache::counts_of(open_cache()->statistics())) {
      fields[name] = count;
    }
    return fields;
  }

  void flush() const {
    const std::shared_ptr<cache::Cache> open = open_cache();
    without_gil([&] { open->flush(); });
  }

  void close() {
    if (std::shared_ptr<cache::Cache> closed = std::exchange(cache_, nullptr)) {
      assembly::assemble({.programs = programs()});
      without_gil([&] {
        closed->close();
        closed.reset();
      });
    }
  }

 private:
  std::shared_ptr<cache::Cache> open_cache() const {
    if (!cache_) {
      raise(failed_precondition("the cache has been closed"));
    }
    return cache_;
  }

  std::shared_ptr<cache::Cache> cache_;
};

InstalledCache open_cache(nb::handle directory, uint64_t quota_bytes, uint64_t memory_bytes,
                          uint64_t least_free_bytes, const std::vector<std::string>& schemes,
                          double trusted_seconds, bool immutable) {
  cache::CacheOptions options;
  options.memory_bytes = memory_bytes;
  if (!directory.is_none()) {
    options.directories = {{text_from_python(directory), quota_bytes, least_free_bytes}};
  }
  cache::FreshnessOptions freshness;
  freshness.trusted_ns = static_cast<int64_t>(std::clamp(trusted_seconds, 0.0, 1e9) * 1e9);
  freshness.is_immutable = immutable;
  return InstalledCache(options, schemes, freshness);
}

}  // namespace

void bind_caching(nanobind::module_& module) {
  programs() = programs_beside(nb::cast<std::string>(nb::module_::import_("sys").attr("prefix")));
  assembly::assemble({.programs = programs()});
  bind_host_cache(module, programs());
  nb::class_<InstalledCache>(module, "InstalledCache", "The cache through which remote stores are read.")
      .def("statistics", &InstalledCache::statistics, nb::sig("def statistics(self) -> dict[str, int]"))
      .def("flush", &InstalledCache::flush)
      .def("close", &InstalledCache::close);
  module.def("open_cache", &open_cache, nb::arg("directory").none(), nb::arg("quota_bytes"),
             nb::arg("memory_bytes"), nb::arg("least_free_bytes"), nb::arg("schemes"),
             nb::arg("trusted_seconds"), nb::arg("immutable"),
             nb::sig("def open_cache(directory: str | bytes | None, quota_bytes: int, memory_bytes: int, "
                     "least_free_bytes: int, schemes: list[str], trusted_seconds: float, immutable: bool) "
                     "-> InstalledCache"),
             "Opens a cache and reads the stores of these schemes through it from now on.");
}

}  // namespace forebay::bindings
