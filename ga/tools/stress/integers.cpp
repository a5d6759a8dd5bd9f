// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "typed_compute.hpp"

namespace tessera::stress {

std::unique_ptr<AnyArray> make_integers(const Group& group, const std::string& name, const Line& line) {
  if (line.word("type") == "int32") return make_typed<std::int32_t>(group, name, line);
  return make_typed<std::int64_t>(group, name, line);
}

Values compute_integers(const std::string& type, std::size_t rank, const Line& line,
                        const std::vector<Operand>& operands) {
  if (type == "int32") return compute_typed<std::int32_t>(rank, line, operands);
  return compute_typed<std::int64_t>(rank, line, operands);
}

}  // namespace tessera::stress
