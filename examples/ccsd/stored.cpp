// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "stored.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace ccsd {

using namespace tessera;

Scratch::Scratch(const Group& group, const std::filesystem::path& directory) : deletes_(group.rank() == 0) {
  std::string name, problem;
  if (deletes_) {
    name = (directory / "ccsd-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      problem = "no directory can be made in " + directory.string() + ": " + std::strerror(errno);
  }
  problem = group.agree(problem);
  if (!problem.empty()) throw io::IoError(problem);
  name.resize(static_cast<std::size_t>(group.broadcast(static_cast<index_t>(name.size()), 0)));
  group.broadcast(std::span<char>(name), 0);
  directory_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  if (deletes_ && !directory_.empty()) std::filesystem::remove_all(directory_, ignored);
}

namespace {
constexpr index_t buffer_bytes = index_t{1} << 20;  // what a transfer of a whole part needs beside it
}  // namespace

Stored::Stored(const Group& group, const Scratch& scratch, const std::string& name, const Extents<4>& extents,
               std::size_t dimension)
    : group_(group), name_(name), extents_(extents), dimension_(dimension) {
  if (scratch) {
    file_.emplace(group, scratch.directory() / (name + ".h5"), "tensor", extents,
                  io::DiskOptions{.buffer = buffer_bytes});
    if (!file_->is_asynchronous())
      throw io::IoError("--disk " + scratch.directory().parent_path().string() +
                        ": single ranks cannot access files there, as on NFS with several nodes");
  } else {
    memory_.emplace(group, along(dimension, extents, group.size()), ArrayOptions<4>{.name = name});
  }
}

linalg::TensorOperand<double> Stored::operator()(std::string_view letters) const {
  if (memory_) return std::as_const(*memory_)(letters);
  const linalg::TensorSource<double, 4> source(
      extents_,
      [this](const Patch<4>& patch, const View<double, 4>& into) { return file_->read_async(patch, into); },
      name_);
  return source(letters);
}

Tensor Stored::part(const Patch<4>& patch) const {
  return {group_, along(dimension_, patch.extents(), group_.size()), {.name = "a part of " + name_}};
}

void Stored::set(const Patch<4>& patch, const std::function<void(const Slice<double, 4>&)>& set) {
  if (memory_) return set(memory_->slice(patch));
  Tensor elements = part(patch);
  set(elements.slice());
  file_->write(patch, elements);
  file_->sync();
}

void Stored::use(const Patch<4>& patch, const std::function<void(const Slice<const double, 4>&)>& use) const {
  if (memory_) return use(std::as_const(*memory_).slice(patch));
  Tensor elements = part(patch);
  file_->read(patch, elements);
  use(std::as_const(elements).slice());
}

void Stored::Send::wait() {
  request.wait();
  written.wait();
}

Stored::Send Stored::put_async(const Patch<4>& patch, const View<const double, 4>& from) {
  if (memory_) return {memory_->put_async(patch, from), {}};
  return {{}, file_->write_async(patch, from)};
}

void Stored::sync() { memory_ ? memory_->sync() : file_->sync(); }

void Stored::Fetch::wait() {
  request.wait();
  read.wait();
}

Stored::Fetch Stored::get_async(const Patch<4>& patch) const {
  if (memory_) {
    auto transfer = memory_->get_async(patch);
    return {std::move(transfer.data), std::move(transfer.request), {}};
  }
  Fetch fetch{LocalArray<double, 4>(patch.extents()), {}, {}};
  fetch.read = file_->read_async(patch, View<double, 4>(fetch.data.data(), patch.extents()));
  return fetch;
}

}  // namespace ccsd
