// Waiting for NCCL's communicators that do not block, and aborting communicators.
#pragma once

#include "driver/libraries.hpp"

namespace adj {

// Waits until the communicator has issued the work of a call that returned `result`, and returns the call's outcome. A communicator that does
// not block returns ncclInProgress first; its work is on the stream only when it is no longer in progress.
Result<void> finish_nccl(const cu::NcclApi& api, cu::NcclComm comm, cu::NcclResult result, const char* call);

// Aborts a communicator. Threads that wait in finish_nccl leave first, with an error.
Result<void> abort_nccl(const cu::NcclApi& api, cu::NcclComm comm);

}  // namespace adj
