// ONNX Runtime's CUDA training registrations (src/ops/registry.tsv), the operators that serve them, and how nodes become calls (src/ops/onnx).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/op.hpp"

namespace adj {

struct RegistryRow {
  std::string domain, op, types;  // domain spelled "com.microsoft" or ""
  int since_version = 0, until_version = 0;
  std::vector<std::vector<adj_dtype>> combinations;  // element types that the row registers, spelled out

  // Filled in by resolving.
  const OpInfo* adjoint_op = nullptr;
  std::string signature, reason;
  std::string settings;  // enumerations, flags and real numbers that differ from their defaults, "function=relu"
  const char* note = "";
  bool resolved = false;

  // From src/ops/onnx.
  std::string session = "none";  // table, rewrite or none: how a node runs in a session of a stock ONNX Runtime
  std::string obstacle;          // why none
  std::string binding;           // the stanzas of the operator, and of what takes its place after a rewrite
  std::string type_names;        // combinations in words: "f32 i64; f16 i64"
  std::vector<const Sku*> skus;
};

// Resolved on first use: a row counts as resolved only when select succeeds for every one of its type combinations on an
// offline sm_90a device and on the host stream.
std::span<const RegistryRow> registry();

// The row that covers (domain, op, opset) with these types; an error that says what is registered otherwise.
Result<const RegistryRow*> find_registration(std::string_view domain, std::string_view op, int opset, std::string_view types);

}  // namespace adj
