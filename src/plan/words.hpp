// A problem in the words that the command line tool takes: "embedding_backward num_embeddings=50257 element=bf16 ...".
#pragma once

#include <string>

#include "plan/op.hpp"

namespace adj {

// The operator's name and every field that differs from its default. Addresses are left out. The descriptor is of full size and its
// lists are as long as they say.
std::string words_of(const OpInfo& op, const void* descriptor);
// The options of `adjoint sku explain` that say the same as a preference; empty for one that asks for nothing.
std::string words_of(const adj_preference& preference);
// Where a stream works: "host", "device:0" or "offline:sm_90a".
std::string words_of(const adj_stream& stream);

// The value of a field, as the tool takes it; empty where there is nothing to give.
std::string value_text(const Field& field, const void* descriptor);

const char* backend_name(adj_backend backend);
const char* determinism_name(adj_determinism determinism);

}  // namespace adj
