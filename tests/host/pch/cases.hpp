// Headers of a source of the host test.
#include <doctest/doctest.h>

#include "base/pch/standard.hpp"
#include "host/support.hpp"
