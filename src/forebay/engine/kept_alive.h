// What the engine's own threads keep alive while they run: the engine's core, without knowing it.
#pragma once

#include <memory>

namespace forebay::engine {

/// Base of the object that owns every part of an engine. Made by std::make_shared.
class KeptAlive : public std::enable_shared_from_this<KeptAlive> {
 protected:
  KeptAlive() = default;
  ~KeptAlive() = default;
};

}  // namespace forebay::engine
