#include "harness/device_problem.hpp"

#include <algorithm>
#include <cstring>

namespace harness {

using adj::Role;

namespace {

// The offset of a random state in device memory has `more` words more than the problem says.
void add_words(const Problem& problem, std::size_t argument, std::byte* state, std::uint64_t more) {
  if (problem.op().arguments[argument].kind != adj::ArgumentKind::random || more == 0) return;
  std::uint64_t offset = 0;
  std::memcpy(&offset, state + sizeof offset, sizeof offset);
  offset += more;
  std::memcpy(state + sizeof offset, &offset, sizeof offset);
}

}  // namespace

DeviceProblem::DeviceProblem(const Gpu& gpu, const Problem& problem, std::uint64_t misalign, bool apart) : problem_(&problem) {
  constexpr std::size_t kAlignment = 256;  // as cuMemAlloc's
  const auto& contents = problem.contents();
  places_.resize(contents.size());
  host_.resize(contents.size());
  addresses_.resize(contents.size());
  if (!apart) regions_.emplace_back();
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const adj::ArgumentInfo& info = problem.op().arguments[i];
    if (contents[i].shares >= 0) continue;
    if (info.space == adj::Space::host) {
      host_[i] = contents[i].data;
      for (Data& d : host_[i]) {
        if (info.role == Role::out) std::fill(d.bytes.begin(), d.bytes.end(), std::byte{0xCD});
        addresses_[i].push_back(d.bytes.empty() ? nullptr : d.bytes.data());
      }
      continue;
    }
    for (const Data& d : contents[i].data) {
      if (apart) regions_.emplace_back();
      auto& image = regions_.back().image;
      const std::size_t before = image.size();
      const std::size_t moved = info.kind == adj::ArgumentKind::scalar || info.kind == adj::ArgumentKind::random ? 0 : misalign * adj::size_of(d.dtype);
      const std::size_t offset = (before + (before ? DeviceBuffer::kGuard : 0) + kAlignment - 1) / kAlignment * kAlignment + moved;
      image.resize(offset + d.bytes.size());
      guards_.push_back({regions_.size() - 1, before, offset, i});
      places_[i].push_back({regions_.size() - 1, offset});
    }
  }
  // DeviceBuffer adds the guards at both ends of a region.
  for (Region& region : regions_) region.memory = std::make_unique<DeviceBuffer>(gpu, region.image.size(), apart);
  for (std::size_t i = 0; i < contents.size(); ++i)
    for (std::size_t k = 0; k < places_[i].size(); ++k) {
      const auto [region, offset] = places_[i][k];
      addresses_[i].push_back(contents[i].data[k].bytes.empty() ? nullptr : static_cast<std::byte*>(regions_[region].memory->data()) + offset);
    }
  for (std::size_t i = 0; i < contents.size(); ++i)
    if (contents[i].shares >= 0) addresses_[i] = addresses_[static_cast<std::size_t>(contents[i].shares)];
  args_ = std::make_unique<Arguments>(problem, addresses_);
}

void DeviceProblem::upload(unsigned char poison) {
  poison_ = poison;
  for (const Guard& g : guards_) {
    auto& image = regions_[g.region].image;
    if (g.end > g.begin) std::memset(image.data() + g.begin, DeviceBuffer::kGuardByte, g.end - g.begin);  // an empty image has no address
  }
  for (std::size_t i = 0; i < places_.size(); ++i)
    for (std::size_t k = 0; k < places_[i].size(); ++k) {
      const Data& d = problem_->contents()[i].data[k];
      if (d.bytes.empty()) continue;
      std::byte* to = regions_[places_[i][k].region].image.data() + places_[i][k].offset;
      if (problem_->op().arguments[i].role == Role::out) std::memset(to, poison, d.bytes.size());
      else std::memcpy(to, d.bytes.data(), d.bytes.size());
      add_words(*problem_, i, to, problem_->contents()[i].random.offset);
    }
  for (const Region& region : regions_) region.memory->upload(region.image.data());
}
Outputs DeviceProblem::download() {
  broken_guard_.clear();
  auto broken = [&](const Guard& g) { broken_guard_ = problem_->op().arguments[g.argument].name; };
  for (const Guard& g : guards_) {
    Region& region = regions_[g.region];
    if (g.begin == 0) {  // the first guard of its region
      region.memory->download(region.image.data());
      if (!region.memory->guards_intact()) broken(g);
    }
    const std::byte* image = region.image.data();
    if (!std::all_of(image + g.begin, image + g.end, [](std::byte b) { return b == std::byte{DeviceBuffer::kGuardByte}; })) broken(g);
  }
  Outputs outputs;
  outputs.arguments.resize(places_.size());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (!is_output(*problem_, i)) continue;
    if (problem_->op().arguments[i].space == adj::Space::host) {
      outputs.arguments[i] = host_[i];
      continue;
    }
    const int other = problem_->contents()[i].shares;
    const auto& places = places_[other >= 0 ? static_cast<std::size_t>(other) : i];
    outputs.arguments[i] = problem_->contents()[i].data;
    for (std::size_t k = 0; k < places.size(); ++k) {
      auto& bytes = outputs.arguments[i][k].bytes;
      if (!bytes.empty()) std::memcpy(bytes.data(), regions_[places[k].region].image.data() + places[k].offset, bytes.size());
      if (!bytes.empty()) add_words(*problem_, i, bytes.data(), 0 - problem_->contents()[i].random.offset);
      clear_gaps(*problem_, i, outputs.arguments[i][k], poison_);
    }
  }
  return outputs;
}

}  // namespace harness
