// The defaults of every operator are the same bytes in C, in C++ and in the library.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <adjoint.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

extern "C" {
#include "initialisers.h"
#include "ops/table.gen.hpp"
extern const initialiser initialisers[];
}

namespace {

#define ADJ_VALUES(name, NAME)                       \
  const adj_##name##_descriptor name##_descriptor{}; \
  const adj_##name##_args name##_args{};
ADJ_OP_TABLE(ADJ_VALUES)

const std::map<std::int32_t, initialiser> cpp_initialisers{
#define ADJ_ENTRY(name, NAME) {ADJ_OP_##NAME, {ADJ_OP_##NAME, #name, &name##_descriptor, &name##_args, sizeof(name##_descriptor), sizeof(name##_args)}},
    ADJ_OP_TABLE(ADJ_ENTRY)};

// Index of the first byte that differs, or the size.
std::size_t same_bytes(const void* a, const void* b, std::size_t size) {
  const auto *x = static_cast<const unsigned char*>(a), *y = static_cast<const unsigned char*>(b);
  std::size_t i = 0;
  while (i < size && x[i] == y[i]) ++i;
  return i;
}

}  // namespace

TEST_CASE("defaults in C, in C++ and in the library") {
  std::int64_t operators = 0;
  for (const initialiser* c = initialisers; c->name; ++c, ++operators) {
    const std::string name = c->name;
    CAPTURE(name);
    const initialiser& cpp = cpp_initialisers.at(c->op);
    REQUIRE(c->descriptor_size == cpp.descriptor_size);
    REQUIRE(c->args_size == cpp.args_size);
    CHECK(same_bytes(c->descriptor, cpp.descriptor, c->descriptor_size) == c->descriptor_size);
    CHECK(same_bytes(c->args, cpp.args, c->args_size) == c->args_size);

    CHECK(adj_op_name(c->op) == name);
    std::vector<unsigned char> ours(c->descriptor_size, 0xff);
    REQUIRE_MESSAGE(adj_op_descriptor_init(c->op, ours.data(), ours.size()) == ADJ_OK, adj_last_error());
    CHECK(same_bytes(c->descriptor, ours.data(), ours.size()) == ours.size());

    adj_header header;
    std::memcpy(&header, c->descriptor, sizeof header);
    CHECK(header.struct_size == c->descriptor_size);
    CHECK(header.tag == ADJ_DESCRIPTOR_TAG(c->op));
    std::memcpy(&header, c->args, sizeof header);
    CHECK(header.struct_size == c->args_size);
    CHECK(header.tag == ADJ_ARGS_TAG(c->op));
  }
  CHECK(operators == adj_op_count());
}

TEST_CASE("operators describe their fields and arguments") {
  for (const initialiser* c = initialisers; c->name; ++c) {
    CAPTURE(c->name);
    std::uint32_t end = sizeof(adj_header);
    for (std::int64_t i = 0; i < adj_op_field_count(c->op); ++i) {
      adj_field field{};
      REQUIRE(adj_op_field(c->op, i, &field) == ADJ_OK);
      CHECK(*field.name);
      CHECK(field.about);
      CHECK(field.kind > 0);
      CHECK(field.offset >= end);
      end = field.offset + 4;
    }
    CHECK(end <= c->descriptor_size);
    end = sizeof(adj_header);
    for (std::int64_t i = 0; i < adj_op_argument_count(c->op); ++i) {
      adj_argument argument{};
      REQUIRE(adj_op_argument(c->op, i, &argument) == ADJ_OK);
      CAPTURE(argument.name);
      CHECK(argument.about);
      CHECK((argument.kind >= ADJ_ARGUMENT_TENSOR && argument.kind <= ADJ_ARGUMENT_HANDLE));
      CHECK((argument.role >= ADJ_ROLE_IN && argument.role <= ADJ_ROLE_INOUT));
      CHECK((argument.presence >= ADJ_PRESENCE_REQUIRED && argument.presence <= ADJ_PRESENCE_DEPENDS));
      CHECK((argument.may_equal == 0 || argument.role != ADJ_ROLE_IN));
      CHECK(argument.offset >= end);
      end = argument.offset + 8;
    }
    CHECK(end <= c->args_size);
  }
  adj_argument dinput{};
  REQUIRE(adj_op_argument(ADJ_OP_SOFTMAX_BACKWARD, 2, &dinput) == ADJ_OK);
  CHECK(dinput.name == std::string("dinput"));
  CHECK(dinput.may_equal == 3);
  CHECK(dinput.offset == offsetof(adj_softmax_backward_args, dinput));
  adj_argument lengths{};
  REQUIRE(adj_op_argument(ADJ_OP_CONCAT, 2, &lengths) == ADJ_OK);
  CHECK((lengths.host == 1 && lengths.role == ADJ_ROLE_OUT && lengths.presence == ADJ_PRESENCE_OPTIONAL));
  adj_field element{};
  REQUIRE(adj_op_field(ADJ_OP_SOFTMAX_BACKWARD, 3, &element) == ADJ_OK);
  CHECK(element.about == std::string("f32, f64, f16, bf16"));
}
