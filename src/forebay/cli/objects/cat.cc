// forebay cat: the bytes of objects, or a range of one, to standard output.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <vector>

#include "forebay/base/system_error.h"
#include "forebay/cli/command/command.h"
#include "forebay/cli/command/output.h"
#include "forebay/cli/objects/place.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/local/local_file.h"

namespace forebay::cli {
namespace {

constexpr uint64_t kPieceBytes = 4 << 20;

struct CatOptions {
  std::vector<std::string> names;
  uint64_t offset = 0;
  uint64_t length = storage::kToEnd;
};

Status check_range(const CatOptions& options, const Place& place) {
  const uint64_t size = place.entry.stat.size_bytes;
  if (options.offset > size ||
      (options.length != storage::kToEnd && options.length > size - options.offset)) {
    return out_of_range("{}: the object has {} bytes; the range goes beyond them", place.name, size);
  }
  return ok_status();
}

/// Of /proc and its kin, whose files say that they have no bytes.
Status print_to_the_end(const std::string& path, const Place& place, Output& output) {
  FOREBAY_ASSIGN_OR_RETURN(const storage::OpenFile file, storage::open_file(path, place.name));
  std::vector<std::byte> piece(kPieceBytes);
  while (!output.is_closed()) {
    const ssize_t count = ::read(file.descriptor.get(), piece.data(), piece.size());
    if (count < 0) {
      return errno_status(errno, place.name);
    }
    if (count == 0) {
      break;
    }
    output.print(Bytes(piece).first(static_cast<size_t>(count)));
  }
  return ok_status();
}

Status print_object(const Place& place, const CatOptions& options, Output& output) {
  FOREBAY_RETURN_IF_ERROR(check_range(options, place));
  const storage::ObjectStat& stat = place.entry.stat;
  const std::optional<std::string> path = place.address.store->local_file(place.address.key);
  if (stat.size_bytes == 0 && path) {
    return print_to_the_end(*path, place, output);
  }
  const uint64_t end = options.length == storage::kToEnd ? stat.size_bytes : options.offset + options.length;
  for (uint64_t at = options.offset; at < end && !output.is_closed(); at += kPieceBytes) {
    FOREBAY_ASSIGN_OR_RETURN(
        const storage::ReadBytes read,
        storage::read_now(*place.address.store, {.key = place.address.key,
                                                 .offset_bytes = at,
                                                 .length_bytes = std::min(kPieceBytes, end - at),
                                                 .if_version = stat.version,
                                                 .object_bytes = stat.size_bytes}));
    output.print(read.bytes);
  }
  return ok_status();
}

Status run_cat(const CatOptions& options) {
  Output output;
  for (const std::string& name : options.names) {
    FOREBAY_ASSIGN_OR_RETURN(const Place place, find_place(name));
    if (place.entry.is_folder) {
      return invalid_argument("{} is a folder", name);
    }
    FOREBAY_RETURN_IF_ERROR(print_object(place, options, output));
  }
  return output.flush();
}

}  // namespace

void add_cat(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("cat", "Print objects of any store, or a range of each");
  auto options = std::make_shared<CatOptions>();
  command->add_option("path", options->names, "Paths or URIs")->required();
  command->add_option("--offset", options->offset, "First byte to print (4KiB, say)")
      ->transform(CLI::AsSizeValue(false));
  command->add_option("--length", options->length, "How many bytes to print; to the end if not given")
      ->transform(CLI::AsSizeValue(false));
  command->callback([&invocation, options] { invocation.run = [options] { return run_cat(*options); }; });
}

}  // namespace forebay::cli
