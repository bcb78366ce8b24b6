// forebay fuse: any store, or all mounts, as a file system that every program can read.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/base/units.h"
#include "forebay/cli/command/background.h"
#include "forebay/cli/command/command.h"
#include "forebay/cli/command/duration.h"
#include "forebay/cli/command/stop_on_signal.h"
#include "forebay/cli/mounting/mount_parts.h"
#include "forebay/cli/mounting/mount_processes.h"
#include "forebay/fuse/files/file_system.h"
#include "forebay/fuse/files/whole_namespace.h"
#include "forebay/fuse/mounts/mount_point.h"
#include "forebay/fuse/session/session.h"
#include "forebay/storage/home/forebay_home.h"
#include "forebay/storage/stores/store_registry.h"
#include "forebay/storage/tree/place.h"
#include "forebay/storage/uri.h"

namespace forebay::cli {
namespace {

struct FuseOptions : MountSettings {
  FuseOptions() { threads = fuse::SessionOptions().most_threads; }

  std::string typed_mount_point;
  std::string typed_shown;  // a path or URI; empty: all mounts
  uint64_t trusted_s = 1;
  uint64_t patience_s = 600;
};

/// What the user typed, for all processes of the mount: they leave the folder that it was typed in.
Status make_absolute(FuseOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(options.mount_point, fuse::free_mount_point(options.typed_mount_point));
  options.shown = options.typed_shown;
  if (options.shown.empty()) {
    return ok_status();
  }
  FOREBAY_ASSIGN_OR_RETURN(const storage::Uri uri, storage::parse_uri(options.shown));
  if (uri.is_plain_path) {
    options.shown = (std::filesystem::current_path() / uri.path).lexically_normal();
  }
  return ok_status();
}

/// A local folder must not show the mount that shows it, nor be hidden by it; nor may others see by the mount
/// what the folder itself does not let them.
Status check_place(const storage::Place& place, const FuseOptions& options) {
  if (!place.entry.is_folder) {
    return invalid_argument("{}: a folder can be mounted, and this is an object", place.name);
  }
  const std::optional<std::string> folder = place.address.store->local_file(place.folder_key());
  if (!folder) {
    return ok_status();
  }
  std::error_code error;
  const std::string shown = storage::as_folder_key(std::filesystem::canonical(*folder, error).string());
  if (error) {  // names above mounts are no folders
    return error.value() == ENOENT ? ok_status() : errno_status(error.value(), place.name);
  }
  if (options.is_for_others) {
    return invalid_argument(
        "{}: a local folder cannot be mounted with --allow-other, which would give others the rights of who "
        "mounts it; they can read the folder itself, as far as they may",
        place.name);
  }
  const std::string mount_point = storage::as_folder_key(options.mount_point);
  if (mount_point.starts_with(shown)) {
    return invalid_argument("{}: lies in {}, which it would show, and so itself", options.mount_point,
                            place.name);
  }
  return shown.starts_with(mount_point) ? invalid_argument("{}: {} lies in it, which the mount would hide",
                                                           options.mount_point, place.name)
                                        : ok_status();
}

/// Whether there is something that can be shown; the store is asked.
Status check_shown(const FuseOptions& options) {
  if (options.shown.empty()) {
    return ok_status();
  }
  StopOnSignal signal;
  FOREBAY_ASSIGN_OR_RETURN(const storage::Place place,
                           storage::find_place(options.shown, {.cancellation = signal.token()}));
  FOREBAY_RETURN_IF_ERROR(check_place(place, options));
  return signal.token().stop_requested() ? cancelled("{}: stopped by a signal", options.mount_point)
                                         : ok_status();
}

/// What is shown, of which check_shown() has said that it is there.
Result<fuse::FileSystemOptions> what_to_show(const FuseOptions& options) {
  fuse::FileSystemOptions files;
  if (options.shown.empty()) {
    files = fuse::whole_namespace(storage::default_registry(), storage::process_mounts());
  } else {
    FOREBAY_ASSIGN_OR_RETURN(storage::ObjectAddress address,
                             storage::default_registry().resolve(options.shown));
    files = fuse::folder_of(std::move(address.store), storage::as_folder_key(std::move(address.key)));
  }
  files.trusted_ns = static_cast<int64_t>(options.trusted_s) * kSecond;
  files.patience_ns = static_cast<int64_t>(options.patience_s) * kSecond;
  files.is_for_others = options.is_for_others;
  files.is_read_only = options.is_read_only;
  files.uid = ::getuid();
  files.gid = ::getgid();
  return files;
}

/// Returns only if nothing was mounted.
Status start_mount(const FuseOptions& options, const Background* background) {
  FOREBAY_RETURN_IF_ERROR(check_shown(options));
  return become_supervisor(options, background);
}

/// What a process may have mounted that was killed before it could say so: nobody knows of it.
void end_what_was_left(const FuseOptions& options) {
  const Result<std::optional<fuse::MountLine>> line = fuse::own_mount_at(options.mount_point);
  if (line.ok() && *line && (*line)->source == options.source) {
    fuse::end_mount(**line);
  }
}

Status start_in_background(const FuseOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(const std::string home, storage::forebay_home());
  FOREBAY_RETURN_IF_ERROR(storage::make_private_folder(home));
  FOREBAY_ASSIGN_OR_RETURN(Background background, Background::enter(home + "/fuse.log"));
  if (background.is_starter()) {
    const Status status = background.wait();
    if (status.code() == StatusCode::kUnavailable) {
      end_what_was_left(options);
    }
    return status;
  }
  const Status status = caught([&] { return start_mount(options, &background); });
  background.tell(status);
  return status;
}

Status run_fuse(FuseOptions options) {
  if (options.part == MountPart::kStarter) {
    FOREBAY_RETURN_IF_ERROR(make_absolute(options));
  }
  options.source = options.shown.empty() ? "forebay" : storage::uri_for_message(options.shown);
  if (options.part != MountPart::kStarter) {
    return caught([&] { return run_part(options, [&] { return what_to_show(options); }); });
  }
  return options.in_foreground ? caught([&] { return start_mount(options, nullptr); })
                               : start_in_background(options);
}

void add_times(CLI::App& command, FuseOptions& options) {
  const CLI::Validator seconds(to_seconds, "TIME", "time");
  command
      .add_option(
          "--trust", options.trusted_s,
          "For how long the kernel takes names as they were, and absent ones as absent, without asking")
      ->transform(seconds);
  command
      .add_option("--patience", options.patience_s, "What is not answered after this time fails (ETIMEDOUT)")
      ->transform(seconds);
}

}  // namespace

void add_fuse(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "fuse", "Mount a store, or all mounts, in the file system, for programs that know nothing of Forebay");
  command->footer(
      "A file that is written is stored when it is closed. `forebay unmount MOUNTPOINT` ends the mount, and "
      "so does SIGTERM. "
      "It needs root, or the program fusermount3 (package fuse3). Without --foreground it goes on in the "
      "background, "
      "with a log, fuse.log, in FOREBAY_HOME, which says the causes of errors that programs see as EIO.");
  auto options = std::make_shared<FuseOptions>();
  command->add_option("mountpoint", options->typed_mount_point, "An existing folder")->required();
  command->add_option(
      "path", options->typed_shown,
      "The path or URI of a folder, as in s3://bucket/train; without one, all that `forebay mount` lists");
  command->add_flag("--read-only", options->is_read_only, "Whatever would write fails (EROFS)");
  command->add_flag("--allow-other", options->is_for_others,
                    "Other users may use it, too; not of a local folder");
  command->add_flag(
      "--io-uring", options->uses_rings,
      "Requests come by io_uring, where root has enabled that for FUSE: more of them a second; but "
      "the mount ends if its process is killed");
  command->add_flag("--foreground", options->in_foreground, "Stay until it is unmounted, or a signal comes");
  add_times(*command, *options);
  add_part_options(*command, *options);
  command->add_option("--threads", options->threads, "How many requests may wait for the store at once")
      ->check(CLI::Range(size_t{2}, size_t{1024}));
  command->callback([&invocation, options] { invocation.run = [options] { return run_fuse(*options); }; });
}

}  // namespace forebay::cli
