// The part of CPython's stable ABI that known calls are made with, declared by us and looked up in the process. Objects are owned where a function says "new".
// Every function is called with the interpreter's lock held.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>

namespace adjoint::torch_abi {

struct Object;  // PyObject
struct State;   // PyThreadState
using Size = std::ptrdiff_t;

// PyMethodDef, of a function that takes its arguments as an array; with names, those of keywords as a tuple, whose values follow.
using Simple = Object* (*)(Object* self, Object* const* arguments, Size count);
using Named = Object* (*)(Object* self, Object* const* arguments, Size count, Object* names);
struct Method {
  constexpr Method(const char* called, Simple simple) : name(called), function{.simple = simple}, flags(0x80) {}    // METH_FASTCALL
  constexpr Method(const char* called, Named named) : name(called), function{.named = named}, flags(0x80 | 0x02) {}  // and METH_KEYWORDS

  const char* name;
  union {
    Simple simple;
    Named named;
  } function;
  int flags;
  const char* about = nullptr;
};

// member, symbol, result, parameters
#define ADJ_PYTHON_FUNCTIONS(X)                                                                       \
  X(retain, Py_IncRef, void, (Object*))                                                               \
  X(release, Py_DecRef, void, (Object*))                                                              \
  X(type_of, PyObject_Type, Object*, (Object*))                                                       \
  X(get, PyObject_GetAttr, Object*, (Object*, Object*))                                               \
  X(call, PyObject_Vectorcall, Object*, (Object*, Object* const*, std::size_t, Object*))              \
  X(call_method, PyObject_VectorcallMethod, Object*, (Object*, Object* const*, std::size_t, Object*)) \
  X(name, PyUnicode_InternFromString, Object*, (const char*))                                         \
  X(text, PyUnicode_AsUTF8AndSize, const char*, (Object*, Size*))                                     \
  X(integer, PyLong_AsLongLongAndOverflow, long long, (Object*, int*))                                \
  X(make_integer, PyLong_FromLongLong, Object*, (long long))                                          \
  X(address, PyLong_AsVoidPtr, void*, (Object*))                                                      \
  X(number, PyFloat_AsDouble, double, (Object*))                                                      \
  X(tuple, PyTuple_New, Object*, (Size))                                                              \
  X(tuple_size, PyTuple_Size, Size, (Object*))                                                        \
  X(tuple_at, PyTuple_GetItem, Object*, (Object*, Size))                                              \
  X(tuple_put, PyTuple_SetItem, int, (Object*, Size, Object*))                                        \
  X(next, PyDict_Next, int, (Object*, Size*, Object**, Object**))                                     \
  X(find, PyDict_GetItem, Object*, (Object*, Object*))                                                \
  X(capsule, PyCapsule_New, Object*, (void*, const char*, void (*)(Object*)))                         \
  X(inside, PyCapsule_GetPointer, void*, (Object*, const char*))                                      \
  X(function, PyCFunction_NewEx, Object*, (const Method*, Object*, Object*))                          \
  X(clear_error, PyErr_Clear, void, ())                                                               \
  X(no_memory, PyErr_NoMemory, Object*, ())                                                           \
  X(unlock, PyEval_SaveThread, State*, ())                                                            \
  X(lock, PyEval_RestoreThread, void, (State*))

// member, symbol
#define ADJ_PYTHON_OBJECTS(X)  \
  X(none, _Py_NoneStruct)      \
  X(yes, _Py_TrueStruct)       \
  X(no, _Py_FalseStruct)       \
  X(bool_type, PyBool_Type)    \
  X(integer_type, PyLong_Type) \
  X(number_type, PyFloat_Type) \
  X(text_type, PyUnicode_Type) \
  X(tuple_type, PyTuple_Type)  \
  X(dict_type, PyDict_Type)

struct Python {
#define ADJ_MEMBER(member, symbol, result, parameters) result(*member) parameters = nullptr;
  ADJ_PYTHON_FUNCTIONS(ADJ_MEMBER)
#undef ADJ_MEMBER
#define ADJ_MEMBER(member, symbol) Object* member = nullptr;
  ADJ_PYTHON_OBJECTS(ADJ_MEMBER)
#undef ADJ_MEMBER

  // Fills the table. Returns the name of what this process has not, or null.
  const char* find_all() {
#define ADJ_FIND(member, symbol, result, parameters) \
  if (!(member = reinterpret_cast<result(*) parameters>(::dlsym(RTLD_DEFAULT, #symbol)))) return #symbol;
    ADJ_PYTHON_FUNCTIONS(ADJ_FIND)
#undef ADJ_FIND
#define ADJ_FIND(member, symbol) \
  if (!(member = static_cast<Object*>(::dlsym(RTLD_DEFAULT, #symbol)))) return #symbol;
    ADJ_PYTHON_OBJECTS(ADJ_FIND)
#undef ADJ_FIND
    return nullptr;
  }
};

inline Python python;

// An object that this owns. Released with the interpreter's lock held.
class Owned {
 public:
  explicit Owned(Object* object = nullptr) : object_(object) {}
  Owned(Owned&& other) noexcept : object_(other.give()) {}
  Owned& operator=(Owned&& other) noexcept {
    Object* const old = object_;
    object_ = other.give();
    if (old) python.release(old);
    return *this;
  }
  ~Owned() {
    if (object_) python.release(object_);
  }
  static Owned of(Object* object) {
    python.retain(object);
    return Owned(object);
  }

  Object* get() const { return object_; }
  Object* give() {
    Object* const given = object_;
    object_ = nullptr;
    return given;
  }
  explicit operator bool() const { return object_; }

 private:
  Object* object_;
};

}  // namespace adjoint::torch_abi
