// Text of a problem as the command line tool takes it: "embedding_backward num_embeddings=50257 element=bf16 ...".
#pragma once

#include <string>

#include "plan/op.hpp"

namespace adj {

// The operator's name and every field that differs from its default, without addresses. The descriptor must have its full size, and its
// lists the lengths that it states.
std::string words_of(const OpInfo& op, const void* descriptor);
// The options of `adjoint sku explain` that stand for a preference; empty for the default preference.
std::string words_of(const adj_preference& preference);
// The place where a stream works: "host", "device:0" or "offline:sm_90a".
std::string words_of(const adj_stream& stream);

// The value of a field as the tool takes it; empty for an absent text and for a pointer.
std::string value_text(const Field& field, const void* descriptor);

const char* backend_name(adj_backend backend);
const char* determinism_name(adj_determinism determinism);

}  // namespace adj
