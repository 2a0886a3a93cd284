// Every operator for XLA: typed FFI handlers of the host and of CUDA. Attributes are `operator`, the names of the operands and of the results, in order
// and separated by blanks, and the fields.
#include <xla/ffi/api/c_api.h>

#include <algorithm>

#include "capi/named_call.hpp"

namespace {

using adjoint::named::Array;
using adjoint::named::Call;
using adjoint::named::Failure;

// 0 for a type that the library has not.
adj_dtype dtype_of(XLA_FFI_DataType type) {
  switch (type) {
    case XLA_FFI_DataType_PRED: return ADJ_BOOL;
    case XLA_FFI_DataType_S8: return ADJ_I8;
    case XLA_FFI_DataType_S16: return ADJ_I16;
    case XLA_FFI_DataType_S32: return ADJ_I32;
    case XLA_FFI_DataType_S64: return ADJ_I64;
    case XLA_FFI_DataType_U8: return ADJ_U8;
    case XLA_FFI_DataType_U16: return ADJ_U16;
    case XLA_FFI_DataType_U32: return ADJ_U32;
    case XLA_FFI_DataType_U64: return ADJ_U64;
    case XLA_FFI_DataType_F16: return ADJ_F16;
    case XLA_FFI_DataType_BF16: return ADJ_BF16;
    case XLA_FFI_DataType_F8E4M3FN: return ADJ_F8_E4M3;
    case XLA_FFI_DataType_F8E5M2: return ADJ_F8_E5M2;
    case XLA_FFI_DataType_F32: return ADJ_F32;
    case XLA_FFI_DataType_F64: return ADJ_F64;
    default: return ADJ_DTYPE_NONE;
  }
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> found;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) found.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return found;
}

std::string_view text_of(const XLA_FFI_Attrs& attributes, std::string_view name) {
  for (std::int64_t i = 0; i < attributes.size; ++i)
    if (attributes.types[i] == XLA_FFI_AttrType_STRING && std::string_view(attributes.names[i]->ptr, attributes.names[i]->len) == name) {
      const auto* text = static_cast<const XLA_FFI_ByteSpan*>(attributes.attrs[i]);
      return {text->ptr, text->len};
    }
  throw Failure(ADJ_ERROR_INVALID_ARGUMENT, "adjoint: the attribute " + std::string(name) + " is missing, or is no text");
}

void set(Call& call, const std::string& name, XLA_FFI_AttrType type, const void* attribute) {
  XLA_FFI_Array array;
  if (type == XLA_FFI_AttrType_STRING) {
    const auto* text = static_cast<const XLA_FFI_ByteSpan*>(attribute);
    return call.set(name, std::string_view(text->ptr, text->len));
  }
  if (type == XLA_FFI_AttrType_SCALAR) {
    const auto* scalar = static_cast<const XLA_FFI_Scalar*>(attribute);
    array = {scalar->dtype, 1, scalar->value};
  } else if (type == XLA_FFI_AttrType_ARRAY) {
    array = *static_cast<const XLA_FFI_Array*>(attribute);
  } else {
    call.refuse(name, "is an attribute of a kind that has no meaning here");
  }
  const auto* integers = static_cast<const std::int64_t*>(array.data);
  const auto* reals = static_cast<const double*>(array.data);
  if (array.dtype == XLA_FFI_DataType_S64) return type == XLA_FFI_AttrType_SCALAR ? call.set(name, *integers) : call.set(name, std::span(integers, array.size));
  if (array.dtype == XLA_FFI_DataType_F64) return type == XLA_FFI_AttrType_SCALAR ? call.set(name, *reals) : call.set(name, std::span(reals, array.size));
  if (array.dtype == XLA_FFI_DataType_PRED && type == XLA_FFI_AttrType_SCALAR) return call.set(name, std::int64_t{*static_cast<const bool*>(array.data)});
  call.refuse(name, "is an attribute of another type than i64, f64 or bool");
}

// The arrays of each name, in order. A name that stands several times is a list. A result that has the name of an operand must be its buffer.
using Named = std::vector<std::pair<std::string, std::vector<Array>>>;

void collect(const Call& call, Named& all, std::string_view attribute, void** buffers, std::int64_t count, bool results) {
  const std::vector<std::string> names = words(attribute);
  if (static_cast<std::int64_t>(names.size()) != count)
    throw Failure(ADJ_ERROR_INVALID_ARGUMENT, call.op().name + ": " + std::to_string(count) + (results ? " results" : " operands") + " and " +
                                                  std::to_string(names.size()) + " names for them");
  const std::size_t operands = results ? all.size() : 0;
  std::unordered_map<std::string, std::size_t> entries;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto* buffer = static_cast<const XLA_FFI_Buffer*>(buffers[i]);
    const adj_argument* argument = call.argument(names[i]);
    if (results && argument && argument->role == ADJ_ROLE_IN) call.refuse(names[i], "is an input, and not a result");
    if (!results && argument && argument->role == ADJ_ROLE_OUT) call.refuse(names[i], "is an output, and not an operand");
    const Array array{buffer->data, dtype_of(buffer->dtype), static_cast<int>(buffer->rank), buffer->dims};
    if (array.dtype == ADJ_DTYPE_NONE) call.refuse(names[i], "has an element type that the library has not", ADJ_ERROR_DTYPE_MISMATCH);
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& entry) { return entry.first == names[i]; });
    const std::size_t k = entries[names[i]]++;
    if (found == all.end()) {
      all.push_back({names[i], {array}});
    } else if (static_cast<std::size_t>(found - all.begin()) >= operands) {
      found->second.push_back(array);
    } else if (k >= found->second.size() || found->second[k].data != array.data) {
      call.refuse(names[i], "is an operand and a result, which must be aliased by input_output_aliases");
    }
  }
}

struct DeviceMemory {
  struct Free {
    const XLA_FFI_CallFrame* frame;
    std::uint64_t bytes;
    void operator()(void* data) const {
      XLA_FFI_DeviceMemory_Free_Args args{XLA_FFI_DeviceMemory_Free_Args_STRUCT_SIZE, nullptr, frame->ctx, bytes, data};
      frame->api->XLA_FFI_DeviceMemory_Free(&args);
    }
  };
  std::unique_ptr<void, Free> operator()(std::uint64_t bytes) const {
    XLA_FFI_DeviceMemory_Allocate_Args args{XLA_FFI_DeviceMemory_Allocate_Args_STRUCT_SIZE, nullptr, frame->ctx, bytes, 256, nullptr};
    ignore(frame, frame->api->XLA_FFI_DeviceMemory_Allocate(&args));
    return {args.data, Free{frame, bytes}};  // null: the call fails for want of memory
  }
  static void ignore(const XLA_FFI_CallFrame* frame, XLA_FFI_Error* error) {
    if (!error) return;
    XLA_FFI_Error_Destroy_Args args{XLA_FFI_Error_Destroy_Args_STRUCT_SIZE, nullptr, error};
    frame->api->XLA_FFI_Error_Destroy(&args);
  }
  const XLA_FFI_CallFrame* frame;
};

void execute(const XLA_FFI_CallFrame& frame, bool cuda) {
  Call call{std::string(text_of(frame.attrs, "operator"))};
  const std::string_view operands = text_of(frame.attrs, "operands"), results = text_of(frame.attrs, "results");
  Named arrays;
  collect(call, arrays, operands, frame.args.args, frame.args.size, false);
  collect(call, arrays, results, frame.rets.rets, frame.rets.size, true);
  for (const auto& [name, given] : arrays) {
    if (const adj_argument* a = call.argument(name); a && a->host && cuda)
      call.refuse(name, "must lie in ordinary memory, which XLA does not offer on a device");
    call.give(name, given);
  }
  for (const adj_argument& a : call.op().arguments) {  // an empty list has no names
    const auto named = [&](const auto& entry) { return entry.first == a.name; };
    if (a.kind == ADJ_ARGUMENT_LIST && a.presence == ADJ_PRESENCE_REQUIRED && std::ranges::none_of(arrays, named)) call.give(a.name, {});
  }
  for (std::int64_t i = 0; i < frame.attrs.size; ++i) {
    const std::string name(frame.attrs.names[i]->ptr, frame.attrs.names[i]->len);
    if (name != "operator" && name != "operands" && name != "results") set(call, name, frame.attrs.types[i], frame.attrs.attrs[i]);
  }
  if (!cuda) return call.run(adj_stream_host(), adjoint::named::HostMemory{});
  XLA_FFI_Stream_Get_Args got{XLA_FFI_Stream_Get_Args_STRUCT_SIZE, nullptr, frame.ctx, nullptr};
  if (XLA_FFI_Error* error = frame.api->XLA_FFI_Stream_Get(&got)) {
    DeviceMemory::ignore(&frame, error);
    throw Failure(ADJ_ERROR_INTERNAL, call.op().name + ": XLA gives no stream");
  }
  adj_stream stream;
  adjoint::named::check(adj_stream_wrap(got.stream, &stream));
  call.run(stream, DeviceMemory{&frame});
}

XLA_FFI_Error* handle(XLA_FFI_CallFrame* frame, bool cuda) noexcept {
  if (auto* extension = frame->extension_start; extension && extension->type == XLA_FFI_Extension_Metadata) {
    auto* metadata = reinterpret_cast<XLA_FFI_Metadata_Extension*>(extension)->metadata;
    metadata->api_version.major_version = XLA_FFI_API_MAJOR;
    metadata->api_version.minor_version = XLA_FFI_API_MINOR;
    return nullptr;
  }
  const auto error = [&](const char* message, XLA_FFI_Error_Code code) {
    XLA_FFI_Error_Create_Args args{XLA_FFI_Error_Create_Args_STRUCT_SIZE, nullptr, message, code};
    return frame->api->XLA_FFI_Error_Create(&args);
  };
  try {
    execute(*frame, cuda);
    return nullptr;
  } catch (const Failure& failure) {
    return error(failure.what(), adjoint::named::is_invalid(failure.code)  ? XLA_FFI_Error_Code_INVALID_ARGUMENT
                                 : failure.code == ADJ_ERROR_UNSUPPORTED   ? XLA_FFI_Error_Code_UNIMPLEMENTED
                                 : failure.code == ADJ_ERROR_OUT_OF_MEMORY ? XLA_FFI_Error_Code_RESOURCE_EXHAUSTED
                                                                           : XLA_FFI_Error_Code_INTERNAL);
  } catch (const std::bad_alloc&) { return error("adjoint: no memory for the arguments of a call", XLA_FFI_Error_Code_RESOURCE_EXHAUSTED); }
}

}  // namespace

extern "C" ADJ_API XLA_FFI_Error* adjoint_xla_host(XLA_FFI_CallFrame* frame) { return handle(frame, false); }
extern "C" ADJ_API XLA_FFI_Error* adjoint_xla_cuda(XLA_FFI_CallFrame* frame) { return handle(frame, true); }
