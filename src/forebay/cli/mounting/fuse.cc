// forebay fuse: any store, or all mounts, as a file system that every program can read.
#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/base/units.h"
#include "forebay/cli/caching/background.h"
#include "forebay/cli/caching/duration.h"
#include "forebay/cli/command.h"
#include "forebay/cli/objects/stop_on_signal.h"
#include "forebay/fuse/file_system.h"
#include "forebay/fuse/mount_point.h"
#include "forebay/fuse/session.h"
#include "forebay/fuse/whole_namespace.h"
#include "forebay/storage/namespace/forebay_home.h"
#include "forebay/storage/store_registry.h"
#include "forebay/storage/tree/place.h"
#include "forebay/storage/uri.h"

namespace forebay::cli {
namespace {

constexpr std::chrono::seconds kUntilReady(10);
constexpr std::chrono::seconds kUntilGone(5);
constexpr uint64_t kReadAheadBytes = uint64_t{4} << 20;

struct FuseOptions {
  std::string mount_point;
  std::string shown;  // a path or URI; empty: all mounts
  bool is_read_only = false;
  bool is_for_others = false;
  bool in_foreground = false;
  uint64_t trusted_s = 1;
  uint64_t patience_s = 600;
  size_t threads = fuse::SessionOptions().most_threads;

  std::string source() const { return shown.empty() ? "forebay" : storage::uri_for_message(shown); }
};

/// It leaves the folder that it is started in.
Status make_absolute(FuseOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(options.mount_point, fuse::free_mount_point(options.mount_point));
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

Result<fuse::FileSystemOptions> what_to_show(const FuseOptions& options, const std::stop_token& stop) {
  fuse::FileSystemOptions files;
  if (options.shown.empty()) {
    files = fuse::whole_namespace(storage::default_registry(), storage::process_mounts());
  } else {
    FOREBAY_ASSIGN_OR_RETURN(const storage::Place place,
                             storage::find_place(options.shown, {.cancellation = stop}));
    FOREBAY_RETURN_IF_ERROR(check_place(place, options));
    files = fuse::folder_of(place.address.store, place.folder_key());
  }
  files.trusted_ns = static_cast<int64_t>(options.trusted_s) * kSecond;
  files.patience_ns = static_cast<int64_t>(options.patience_s) * kSecond;
  files.is_for_others = options.is_for_others;
  files.uid = ::getuid();
  files.gid = ::getgid();
  files.mounted_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count();
  return files;
}

/// A terminal that goes leaves no mount behind, either, unless nohup was asked for.
void end_with_terminal() {
  struct sigaction before {};
  if (::sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
    ::signal(SIGHUP, [](int) { ::raise(SIGTERM); });
  }
}

/// Nobody need be there to read it.
void say_where(const FuseOptions& options, const fuse::MountPoint& point) {
  const std::string text = fmt::format("forebay fuse: {} is at {}\n", options.source(), point.path());
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

/// Serves the mount until it goes, or a signal ends it. `background` hears when it answers.
Status serve_mount(const FuseOptions& options, Background* background) {
  StopOnSignal signal;
  end_with_terminal();
  ::signal(SIGPIPE, SIG_IGN);  // whoever reads what this says may have ended
  FOREBAY_ASSIGN_OR_RETURN(fuse::FileSystemOptions shown, what_to_show(options, signal.token()));
  signal.only_once();  // without this process a mount answers nobody
  const auto files = std::make_shared<fuse::FileSystem>(std::move(shown));
  FOREBAY_ASSIGN_OR_RETURN(
      fuse::MountPoint::Mounted mounted,
      fuse::MountPoint::mount(
          {.path = options.mount_point, .source = options.source(), .is_for_others = options.is_for_others}));
  fuse::Session session(files, std::move(mounted.device),
                        {.most_threads = options.threads, .may_pass_through = ::geteuid() == 0});
  const Status ready = session.wait_until_ready(kUntilReady);
  if (!ready.ok()) {
    mounted.point.end();
    return ready;
  }
  mounted.point.read_ahead(kReadAheadBytes);
  say_where(options, mounted.point);
  if (background != nullptr && !background->tell(ok_status())) {
    mounted.point.end();
    return cancelled("{}: who started it has ended before it was mounted", options.mount_point);
  }
  // Without root's rights a mount that programs use lives on until its descriptor is closed.
  const std::stop_callback end(signal.token(), [&] {
    mounted.point.end();
    if (!session.wait_for(kUntilGone)) {
      std::_Exit(EXIT_SUCCESS);
    }
  });
  return session.wait();
}

Status serve_in_background(const FuseOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(const std::string home, storage::forebay_home());
  FOREBAY_RETURN_IF_ERROR(storage::make_private_folder(home));
  FOREBAY_ASSIGN_OR_RETURN(Background background, Background::enter(home + "/fuse.log"));
  if (background.is_starter()) {
    return background.wait();
  }
  const Status status = caught([&] { return serve_mount(options, &background); });
  background.tell(status);
  return status;
}

Status run_fuse(FuseOptions options) {
  FOREBAY_RETURN_IF_ERROR(make_absolute(options));
  return options.in_foreground ? caught([&] { return serve_mount(options, nullptr); })
                               : serve_in_background(options);
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
      "The mount is read-only: what would write gets EROFS. `forebay unmount MOUNTPOINT` ends it, and so "
      "does SIGTERM. "
      "It needs root, or the program fusermount3 (package fuse3). Without --foreground it goes on in the "
      "background, "
      "with a log, fuse.log, in FOREBAY_HOME, which says the causes of errors that programs see as EIO.");
  auto options = std::make_shared<FuseOptions>();
  command->add_option("mountpoint", options->mount_point, "An existing folder")->required();
  command->add_option(
      "path", options->shown,
      "The path or URI of a folder, as in s3://bucket/train; without one, all that `forebay mount` lists");
  command->add_flag("--read-only", options->is_read_only, "As every mount is up to now");
  command->add_flag("--allow-other", options->is_for_others,
                    "Other users may read it, too; not of a local folder");
  command->add_flag("--foreground", options->in_foreground, "Stay until it is unmounted, or a signal comes");
  add_times(*command, *options);
  command->add_option("--threads", options->threads, "How many requests may wait for the store at once")
      ->check(CLI::Range(size_t{2}, size_t{1024}));
  command->callback([&invocation, options] { invocation.run = [options] { return run_fuse(*options); }; });
}

}  // namespace forebay::cli
