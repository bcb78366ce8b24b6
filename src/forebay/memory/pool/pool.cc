#include "forebay/memory/pool/pool.h"

#include "forebay/memory/pool/pool_definitions.h"

namespace forebay::memory {

template class BasicPool<NoPoolChecks>;
template class BasicPool<AllPoolChecks>;

}  // namespace forebay::memory
