// systemd's notifications: that a service is ready.
// https://www.freedesktop.org/software/systemd/man/sd_notify.html
#pragma once

namespace forebay::cli {

/// Says so where a service manager wants to hear it, by NOTIFY_SOCKET; it need not be there to hear.
void tell_service_manager_ready();

}  // namespace forebay::cli
