#include "forebay/cli/mounting/mount_processes.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/cli/command/stop_on_signal.h"
#include "forebay/cli/command/this_program.h"
#include "forebay/cli/mounting/mount_parts.h"
#include "forebay/cli/mounting/tell_service_manager.h"
#include "forebay/fuse/mounts/mount_point.h"
#include "forebay/fuse/session/session.h"
#include "forebay/fuse/supervisor/peer.h"
#include "forebay/fuse/supervisor/stop_signals.h"
#include "forebay/fuse/supervisor/supervised.h"
#include "forebay/fuse/supervisor/supervisor.h"

namespace forebay::cli {
namespace {

using fuse::KeptState;
using fuse::MountLine;
using fuse::Peer;

constexpr std::chrono::seconds kUntilReady(10);
constexpr std::chrono::seconds kUntilGone(5);
constexpr uint64_t kReadAheadBytes = uint64_t{4} << 20;

/// A terminal that goes leaves no mount behind, either, unless nohup was asked for.
void end_with_terminal() {
  struct sigaction before {};
  if (::sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
    ::signal(SIGHUP, [](int) { ::raise(SIGTERM); });
  }
}

/// Nobody need be there to read it.
void say_where(const MountSettings& settings) {
  const std::string text = fmt::format("forebay fuse: {} is at {}\n", settings.source, settings.mount_point);
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

Result<FileDescriptor> same_file(const FileDescriptor& file) {
  FileDescriptor same(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0));
  return same.is_valid() ? Result<FileDescriptor>(std::move(same)) : errno_status(errno, "a descriptor");
}

/// A supervisor of this mount; `device` and `state` are its own.
fuse::SupervisorOptions supervisor_of(const MountSettings& settings, const MountLine& line,
                                      FileDescriptor device, FileDescriptor state) {
  fuse::SupervisorOptions options;
  options.mount = line;
  options.start_server = [&settings, device_number = device.get(),
                          state_number = state.get()](bool is_careful) {
    const MountPart part = is_careful ? MountPart::kCarefulServer : MountPart::kServer;
    return fuse::start_peer(words_as(settings, part), device_number, state_number);
  };
  options.device = std::move(device);
  options.state = std::move(state);
  return options;
}

/// Mounts, and holds the mount until it goes. `background` hears when it answers.
Status supervise_first(const MountSettings& settings, Background* background) {
  ::signal(SIGPIPE, SIG_IGN);  // whoever reads what this says may have ended
  FOREBAY_ASSIGN_OR_RETURN(FileDescriptor signals, fuse::block_stop_signals());
  FOREBAY_ASSIGN_OR_RETURN(fuse::MountPoint::Mounted mounted,
                           fuse::MountPoint::mount({.path = settings.mount_point,
                                                    .source = settings.source,
                                                    .is_for_others = settings.is_for_others,
                                                    .is_read_only = settings.is_read_only}));
  const MountLine line = mounted.point.line();
  FOREBAY_ASSIGN_OR_RETURN(FileDescriptor state,
                           KeptState::make_file({.line = line, .mounted_ns = wall_clock_ns()}));
  fuse::SupervisorOptions options =
      supervisor_of(settings, line, std::move(mounted.device), std::move(state));
  options.signals = std::move(signals);
  options.on_ready = [&settings, &line, background] {
    fuse::set_read_ahead(line, kReadAheadBytes);
    say_where(settings);
    tell_service_manager_ready();
    const bool is_heard = background == nullptr || background->tell(ok_status());
    return is_heard ? ok_status()
                    : cancelled("{}: who started it has ended before it was mounted", settings.mount_point);
  };
  fuse::Supervisor supervisor(std::move(options));
  mounted.point.let_go();  // it is the supervisor's
  return supervisor.run();
}

Status run_first(const MountSettings& settings) {
  if (settings.in_foreground) {
    return supervise_first(settings, nullptr);
  }
  FOREBAY_ASSIGN_OR_RETURN(FileDescriptor pipe, fuse::take_inherited(fuse::kDeviceNumber));
  Background background = Background::other_one(std::move(pipe));
  const Status status = supervise_first(settings, &background);
  background.tell(status);
  return status;
}

/// Holds what the server that has started this process serves.
Status supervise_again(const MountSettings& settings) {
  ::signal(SIGPIPE, SIG_IGN);
  FOREBAY_ASSIGN_OR_RETURN(FileDescriptor signals, fuse::block_stop_signals());
  FOREBAY_ASSIGN_OR_RETURN(fuse::InheritedDescriptors given, fuse::take_inherited());
  FOREBAY_ASSIGN_OR_RETURN(const MountLine line, mounted_line(settings));
  fuse::SupervisorOptions options =
      supervisor_of(settings, line, std::move(given.device), std::move(given.state));
  options.signals = std::move(signals);
  return fuse::Supervisor(std::move(options), Peer::starter(std::move(given.peer))).run();
}

/// A mount that this process serves.
struct ServedMount {
  const MountSettings& settings;
  fuse::InheritedDescriptors given;  // to be handed on to another supervisor
  std::shared_ptr<KeptState> kept;
  std::shared_ptr<fuse::FileSystem> files;

  const MountLine& line() const { return kept->mount().line; }
};

/// What a server has taken from a ring the kernel sends to no other, so that programs would wait for ever;
/// and what it knew is not written down, which would cost a part of what rings are for.
Status check_can_go_on(const KeptState& kept, const MountSettings& settings) {
  return settings.uses_rings && kept.agreement()
             ? unavailable("{}: its process was killed, and a mount with --io-uring ends with it",
                           settings.mount_point)
             : ok_status();
}

Result<ServedMount> go_on(const MountSettings& settings, const FilesToShow& files_to_show,
                          fuse::InheritedDescriptors given) {
  FOREBAY_ASSIGN_OR_RETURN(FileDescriptor state, same_file(given.state));
  FOREBAY_ASSIGN_OR_RETURN(KeptState::Opened opened, KeptState::open(std::move(state)));
  FOREBAY_RETURN_IF_ERROR(check_can_go_on(*opened.state, settings));
  FOREBAY_ASSIGN_OR_RETURN(fuse::FileSystemOptions shown, files_to_show());
  shown.mounted_ns = opened.state->mount().mounted_ns;
  shown.kept = settings.uses_rings ? nullptr : opened.state;
  auto files = std::make_shared<fuse::FileSystem>(std::move(shown), &opened.restored);
  return ServedMount{settings, std::move(given), std::move(opened.state), std::move(files)};
}

/// Answers the kernel until the mount goes. The error with which it cannot, or does not any more.
Status serve(const ServedMount& mount, const std::stop_token& signal, Peer supervisor, bool& is_heard) {
  FOREBAY_ASSIGN_OR_RETURN(FileDescriptor device, same_file(mount.given.device));
  fuse::Session session(mount.files, std::move(device),
                        {.most_threads = mount.settings.threads,
                         .may_use_rings = mount.settings.uses_rings,
                         .may_pass_through = ::geteuid() == 0,
                         .kept = mount.kept,
                         .refuses_what_was_fatal = mount.settings.part == MountPart::kCarefulServer});
  // Without root's rights a mount that programs use lives on until its descriptor is closed.
  const auto end = [&] {
    fuse::end_mount(mount.line());
    if (!session.wait_for(kUntilGone)) {
      std::_Exit(EXIT_SUCCESS);
    }
  };
  const auto start_supervisor = [&mount] {
    MountSettings settings = mount.settings;
    settings.mounted_as = mounted_text(mount.line());
    return fuse::start_peer(words_as(settings, MountPart::kSupervisor), mount.given.device.get(),
                            mount.given.state.get());
  };
  fuse::Supervised supervised(std::move(supervisor),
                              {.kept = mount.kept, .start_supervisor = start_supervisor, .stop = end});
  Status status = session.wait_until_ready(kUntilReady);
  if (status.ok()) {
    supervised.say_ready();
    const std::stop_callback on_signal(signal, [&] {
      supervised.say_ending();
      end();
    });
    status = session.wait();
  }
  is_heard = supervised.say_ended(status);
  return status;
}

/// Whoever is not heard ends the mount itself; else the supervisor decides what an error means.
Status run_server(const MountSettings& settings, const FilesToShow& files) {
  StopOnSignal signal;
  signal.only_once();  // what the first one begins has to be done
  end_with_terminal();
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);  // `ulimit -f` holds for the state, too, which is then said to be incomplete
  fuse::unblock_stop_signals();
  FOREBAY_ASSIGN_OR_RETURN(fuse::InheritedDescriptors given, fuse::take_inherited());
  Peer supervisor = Peer::starter(std::move(given.peer));
  const Result<ServedMount> mount = go_on(settings, files, std::move(given));
  if (!mount.ok()) {
    return supervisor.say(fuse::Word::kEnded, message(mount.status())) ? ok_status() : mount.status();
  }
  bool is_heard = false;
  const Status status = serve(*mount, signal.token(), std::move(supervisor), is_heard);
  if (status.ok() || !is_heard) {
    fuse::end_mount(mount->line());
  }
  return is_heard ? ok_status() : status;
}

}  // namespace

Status become_supervisor(const MountSettings& settings, const Background* background) {
  return fuse::become(words_as(settings, MountPart::kFirst), background == nullptr ? -1 : background->pipe());
}

Status run_part(const MountSettings& settings, const FilesToShow& files) {
  ::prctl(PR_SET_NAME, "forebay");  // not "exe", by which the program was found
  switch (settings.part) {
    case MountPart::kFirst:
      return run_first(settings);
    case MountPart::kSupervisor:
      return supervise_again(settings);
    case MountPart::kServer:
    case MountPart::kCarefulServer:
      return run_server(settings, files);
    case MountPart::kStarter:
      break;
  }
  return internal_error("no part of a mount");
}

}  // namespace forebay::cli
