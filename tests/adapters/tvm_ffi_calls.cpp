// The adapter of TVM-FFI without its package: calls that it refuses, values of every kind, and exceptions, none of which may leave through the caller's C
// frames.
#include <doctest/doctest.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <cmath>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

extern "C" int __tvm_ffi_call(void*, const TVMFFIAny* args, std::int32_t count, TVMFFIAny* result);

namespace {

struct Raised {
  std::string kind, message;
};
Raised raised;
std::function<void*()> stream_of_environment;

}  // namespace

extern "C" {
void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message) { raised = {kind, message}; }
void* TVMFFIEnvGetStream(std::int32_t, std::int32_t) { return stream_of_environment(); }
TVMFFIByteArray TVMFFIBigIntGetContentByteArray(const TVMFFIAny* value) { return {static_cast<const char*>(value->v_ptr), 16}; }
}

namespace {

TVMFFIAny any(int type, auto TVMFFIAny::* member, auto value) {
  TVMFFIAny found{};
  found.type_index = type;
  found.*member = value;
  return found;
}
TVMFFIAny text(const char* value) { return any(kTVMFFIRawStr, &TVMFFIAny::v_c_str, value); }
TVMFFIAny number(std::int64_t value) { return any(kTVMFFIInt, &TVMFFIAny::v_int64, value); }
TVMFFIAny real(double value) { return any(kTVMFFIFloat, &TVMFFIAny::v_float64, value); }
TVMFFIAny type(std::uint8_t code, std::uint8_t bits, std::uint16_t lanes = 1) {
  return any(kTVMFFIDataType, &TVMFFIAny::v_dtype, DLDataType{code, bits, lanes});
}

// An object with a cell behind its head.
template <class Cell>
struct Object {
  TVMFFIObject head{};
  Cell cell;
  TVMFFIAny any(int type) { return ::any(type, &TVMFFIAny::v_obj, &head); }
};

struct Tensor {
  std::vector<float> values;
  std::vector<std::int64_t> shape;
  DLTensor array;
  explicit Tensor(std::vector<std::int64_t> of, float fill = 0, int device = kDLCPU, std::uint16_t lanes = 1) : shape(std::move(of)) {
    std::size_t count = 1;
    for (const std::int64_t n : shape) count *= static_cast<std::size_t>(n);
    values.assign(count, fill);
    array = {values.data(), {device, 0}, static_cast<std::int32_t>(shape.size()), {kDLFloat, 32, lanes}, shape.data(), nullptr, 0};
  }
  TVMFFIAny pointer() { return any(kTVMFFIDLTensorPtr, &TVMFFIAny::v_ptr, static_cast<void*>(&array)); }
};

int call(std::vector<TVMFFIAny> args) {
  raised = {};
  TVMFFIAny result{};
  result.type_index = -1;
  const int status = __tvm_ffi_call(nullptr, args.data(), static_cast<std::int32_t>(args.size()), &result);
  CHECK((status == 0) == (result.type_index == kTVMFFINone));
  CHECK((status == 0) == raised.kind.empty());
  return status;
}

void refused(const char* kind, const char* sentence, std::vector<TVMFFIAny> args) {
  CHECK(call(std::move(args)) == -1);
  CHECK(raised.kind == kind);
  CHECK(raised.message == sentence);
}

// softmax_backward of two rows; `more` comes before what is always given.
std::vector<TVMFFIAny> softmax(Tensor& dout, Tensor& out, Tensor& dinput, std::vector<TVMFFIAny> more = {}) {
  more.insert(more.begin(), text("softmax_backward"));
  for (auto& [name, tensor] : {std::pair{"dout", &dout}, {"out", &out}, {"dinput", &dinput}}) more.insert(more.end(), {text(name), tensor->pointer()});
  return more;
}

}  // namespace

TEST_CASE("a call is a name, and names and values by turns") {
  constexpr const char* kExpected = "adjoint: a call takes the name of an operator, and then names and values by turns";
  refused("ValueError", kExpected, {});
  refused("ValueError", kExpected, {number(3)});
  refused("ValueError", kExpected, {text("")});
  refused("ValueError", kExpected, {number(3), text("outer"), number(2)});
  refused("ValueError", kExpected, {text("softmax_backward"), text("outer")});
  refused("ValueError", "softmax_backward: argument 1 of the call is not a name", {text("softmax_backward"), number(4), number(4)});
  // A name alone is a call, of which arguments are missing.
  CHECK(call({text("softmax_backward")}) == -1);
  CHECK(raised.message != kExpected);
}

TEST_CASE("values of every kind reach the operator") {
  Tensor dout({2, 5}, 1), out({2, 5}, 0.2F), dinput({2, 5}, 7);
  const auto passes = [&](std::vector<TVMFFIAny> more, TVMFFIAny outer = number(2)) {
    dinput.values.assign(10, 7);
    more.insert(more.end(), {text("outer"), outer, text("extent"), number(5)});
    REQUIRE_MESSAGE(call(softmax(dout, out, dinput, std::move(more))) == 0, raised.message);
    for (const float x : dinput.values) CHECK(std::fabs(x) < 1e-6F);
  };
  passes({});
  passes({text("element"), type(kDLFloat, 32)});
  TVMFFIAny small{};
  small.type_index = kTVMFFISmallStr, small.small_str_len = 3;
  std::copy_n("f32", 3, small.v_bytes);
  passes({text("element"), small});
  TVMFFIByteArray bytes{"f32 and more", 3};
  passes({text("element"), any(kTVMFFIByteArrayPtr, &TVMFFIAny::v_ptr, static_cast<void*>(&bytes))});
  Object<TVMFFIByteArray> string{.cell = bytes};
  passes({text("element"), string.any(kTVMFFIStr)});
  std::uint64_t big[2] = {2, 0};
  passes({}, any(kTVMFFIBigInt, &TVMFFIAny::v_ptr, static_cast<void*>(big)));
  passes({text("element"), any(kTVMFFINone, &TVMFFIAny::v_int64, std::int64_t{0})});  // as if it were not given

  std::int64_t sizes[] = {2, 5};
  Object<TVMFFIShapeCell> shape{.cell = {sizes, 2}};
  Tensor x({2, 5}, 3), y({2, 5});
  const auto norm = [&](TVMFFIAny of) {
    return std::vector<TVMFFIAny>{text("rms_norm_forward"), text("shape"), of, text("axis"), number(-1), text("input"), x.pointer(), text("out"), y.pointer()};
  };
  CHECK_MESSAGE(call(norm(shape.any(kTVMFFIShape))) == 0, raised.message);
  CHECK(std::fabs(y.values[0] - 1) < 1e-4F);
  std::vector<TVMFFIAny> entries{number(2), number(5)};
  Object<TVMFFISeqCell> list{.cell = {entries.data(), 2}};
  CHECK_MESSAGE(call(norm(list.any(kTVMFFIArray))) == 0, raised.message);
  CHECK_MESSAGE(call(norm(list.any(kTVMFFIList))) == 0, raised.message);
  entries[1] = real(5);
  refused("ValueError", "rms_norm_forward: shape is not a list of integers", norm(list.any(kTVMFFIArray)));
  entries[0] = real(2);
  refused("ValueError", "rms_norm_forward: shape is not a list of integers", norm(list.any(kTVMFFIArray)));
  entries[1] = text("5");
  refused("ValueError", "rms_norm_forward: shape has an entry that is not a number", norm(list.any(kTVMFFIArray)));
}

TEST_CASE("a type that the library has not is refused, and not taken for none") {
  Tensor dout({2, 5}, 1), out({2, 5}, 0.2F), dinput({2, 5}, 7), complex({2, 5}, 1), vectors({2, 5}, 1, kDLCPU, 4);
  constexpr const char* kSentence = "softmax_backward: element is an element type that the library has not";
  for (const TVMFFIAny& none :
       {type(kDLComplex, 64), type(kDLFloat, 8), type(kDLFloat, 128), type(kDLInt, 4), type(kDLFloat, 32, 2), type(kDLBool, 16), type(kDLBfloat, 32)})
    refused("ValueError", kSentence, softmax(dout, out, dinput, {text("element"), none}));
  complex.array.dtype.code = kDLComplex;
  refused("ValueError", "softmax_backward: dout has an element type that the library has not", softmax(complex, out, dinput));
  refused("ValueError", "softmax_backward: out has an element type that the library has not", softmax(dout, vectors, dinput));
  Tensor elsewhere({2, 5}, 1, kDLOther);
  refused("ValueError", "softmax_backward: dout lies neither in ordinary memory nor on a CUDA device", softmax(elsewhere, out, dinput));
  Tensor device({2, 5}, 1, kDLCUDA);
  refused("ValueError", "softmax_backward: out and dout lie on different devices", softmax(dout, device, dinput));
  refused("ValueError", "softmax_backward: extent is neither an array, a number, a text nor a list of these",
          softmax(dout, out, dinput, {text("extent"), any(kTVMFFIMap, &TVMFFIAny::v_int64, std::int64_t{0})}));
  for (const float x : dinput.values) CHECK(x == 7);
}

TEST_CASE("no exception leaves through C frames") {
  Tensor dout({2, 5}, 1, kDLCUDA), out({2, 5}, 0.2F, kDLCUDA), dinput({2, 5}, 7, kDLCUDA);
  stream_of_environment = []() -> void* { throw std::bad_alloc(); };
  refused("MemoryError", "adjoint: no memory for the arguments of a call", softmax(dout, out, dinput));
  stream_of_environment = []() -> void* { throw std::out_of_range("beyond the end"); };
  refused("RuntimeError", "beyond the end", softmax(dout, out, dinput));
  stream_of_environment = []() -> void* { throw 3; };
  refused("RuntimeError", "adjoint: an exception of unknown type", softmax(dout, out, dinput));
}
