#pragma once

#include <zlib.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "preprocess/tetrahedralize/tetrahedral_mesh.h"

// Writes VTK's XML grids as other programs do, to be read back.
namespace abut::test {

enum class VtuFormat { kAscii, kBinary, kAppendedBase64, kAppendedRaw };

struct VtuOptions {
  VtuFormat format = VtuFormat::kAscii;
  bool compressed = false, big_endian = false, wide_header = false, single = false;
};

inline std::string base64(const std::string& bytes) {
  const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) {
      return i + k < bytes.size() ? static_cast<unsigned>(static_cast<unsigned char>(bytes[i + k])) : 0u;
    };
    const unsigned bits = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (unsigned k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : digits[bits >> (18 - 6 * k) & 63u];
  }
  return text;
}

class VtuWriter {
 public:
  explicit VtuWriter(const VtuOptions& options) : options_(options) {}

  std::string operator()(const preprocess::TetrahedralMesh& mesh, const std::vector<double>& pressures) {
    std::vector<double> points;
    for (const auto& v : mesh.vertices) points.insert(points.end(), v.data(), v.data() + 3);
    std::vector<std::int64_t> corners, offsets, types;
    for (const auto& t : mesh.tetrahedra) {
      corners.insert(corners.end(), t.begin(), t.end());
      offsets.push_back(static_cast<std::int64_t>(corners.size()));
      types.push_back(10);
    }
    out_ << "<?xml version=\"1.0\"?>\n<!-- a <comment> -->\n<VTKFile type=\"UnstructuredGrid\" "
            "version=\"1.0\" "
         << "byte_order=\"" << (options_.big_endian ? "BigEndian" : "LittleEndian") << "\" header_type=\""
         << (options_.wide_header ? "UInt64" : "UInt32") << '"'
         << (options_.compressed ? " compressor=\"vtkZLibDataCompressor\"" : "") << ">\n<UnstructuredGrid>\n"
         << "<Piece NumberOfPoints=\"" << mesh.vertices.size() << "\" NumberOfCells='"
         << mesh.tetrahedra.size() << "'>\n<PointData Scalars=\"pressure\">\n";
    const std::vector<double> other(pressures.size(), 7);
    options_.single ? array<float>("temperature", 1, other) : array<double>("temperature", 1, other);
    options_.single ? array<float>("pressure", 1, pressures) : array<double>("pressure", 1, pressures);
    out_ << "</PointData>\n<CellData>\n</CellData>\n<Points>\n";
    options_.single ? array<float>("Points", 3, points) : array<double>("Points", 3, points);
    out_ << "</Points>\n<Cells>\n";
    array<std::int64_t>("connectivity", 1, corners);
    array<std::int32_t>("offsets", 1, offsets);
    array<std::uint8_t>("types", 1, types);
    out_ << "</Cells>\n</Piece>\n</UnstructuredGrid>\n";
    if (appended())
      out_ << "<AppendedData encoding=\"" << (options_.format == VtuFormat::kAppendedRaw ? "raw" : "base64")
           << "\">\n  _" << data_ << "\n</AppendedData>\n";
    out_ << "</VTKFile>\n";
    return out_.str();
  }

 private:
  bool appended() const {
    return options_.format == VtuFormat::kAppendedRaw || options_.format == VtuFormat::kAppendedBase64;
  }

  template <class Stored>
  std::string bytes(Stored value) const {
    std::string result(reinterpret_cast<const char*>(&value), sizeof(Stored));
    return options_.big_endian ? std::string(result.rbegin(), result.rend()) : result;
  }
  std::string header(std::uint64_t n) const {
    return options_.wide_header ? bytes(n) : bytes(static_cast<std::uint32_t>(n));
  }

  // Header and data as they stand in the file.
  std::string coded(const std::string& data) const {
    const bool raw = options_.format == VtuFormat::kAppendedRaw;
    if (!options_.compressed) return raw ? header(data.size()) + data : base64(header(data.size()) + data);
    const std::size_t block = 96, blocks = (data.size() + block - 1) / block;
    std::string head = header(blocks) + header(block) + header(data.size() % block), body;
    for (std::size_t i = 0; i < blocks; ++i) {
      const std::string part = data.substr(i * block, block);
      std::string packed(::compressBound(part.size()), '\0');
      uLongf size = packed.size();
      ::compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(part.data()),
                 part.size());
      head += header(size);
      body += packed.substr(0, size);
    }
    return raw ? head + body : base64(head) + base64(body);
  }

  template <class Stored, class Number>
  void array(const std::string& name, int components, const std::vector<Number>& numbers) {
    const char* type = std::is_same_v<Stored, double>         ? "Float64"
                       : std::is_same_v<Stored, float>        ? "Float32"
                       : std::is_same_v<Stored, std::int64_t> ? "Int64"
                       : std::is_same_v<Stored, std::int32_t> ? "Int32"
                                                              : "UInt8";
    out_ << "<DataArray type=\"" << type << "\" Name=\"" << name << "\" NumberOfComponents=\"" << components
         << "\" format=\""
         << (appended()                             ? "appended"
             : options_.format == VtuFormat::kAscii ? "ascii"
                                                    : "binary")
         << '"';
    if (options_.format == VtuFormat::kAscii) {
      out_ << ">\n";
      out_.precision(17);
      for (const Number x : numbers) out_ << x << ' ';
      out_ << "\n</DataArray>\n";
      return;
    }
    std::string data;
    for (const Number x : numbers) data += bytes(static_cast<Stored>(x));
    if (appended()) {
      out_ << " offset=\"" << data_.size() << "\"/>\n";
      data_ += coded(data);
    } else {
      out_ << ">\n  " << coded(data) << "\n</DataArray>\n";
    }
  }

  VtuOptions options_;
  std::ostringstream out_;
  std::string data_;
};

}  // namespace abut::test
