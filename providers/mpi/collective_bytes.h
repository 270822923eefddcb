// How many bytes a rank gives and gets in a collective operation, from its arguments alone.
//
// The rule: data of the send side counts as given, data of the receive side as got, each byte of a
// buffer once, whatever algorithm moves it. MPI_IN_PLACE gives the same numbers as buffers of one's
// own would. Arguments that are not significant on this rank are not looked at: they may hold
// anything. A negative count or a datatype without a known size makes a number unknown.
// (docs/provider-mpi.md has the table.)
//
// Everything is a function of counts, of sizes from `size_of(datatype)`, and of the communicator's
// shape, and knows no MPI call.
#ifndef COMSHU_PROVIDERS_MPI_COLLECTIVE_BYTES_H_
#define COMSHU_PROVIDERS_MPI_COLLECTIVE_BYTES_H_

#include <cstdint>

namespace comshu::provider::mpi {

constexpr uint64_t kUnknownBytes = UINT64_MAX;

struct Volume {
    uint64_t in = 0;
    uint64_t out = 0;
};

// What a rank is in a rooted operation.
enum class Part {
    kRoot,     // MPI_ROOT on an intercommunicator.
    kOther,    // Everybody else; on an intercommunicator everybody of the other group.
    kOutside,  // MPI_PROC_NULL on an intercommunicator: takes no part.
};

// The communicator, seen from this rank.
struct Shape {
    uint32_t peers = 0;   // Size; of the remote group on an intercommunicator.
    uint32_t locals = 0;  // Size of the local group.
    int32_t rank = 0;
    bool inter = false;
};

inline uint64_t Bytes(int64_t count, uint64_t size) {
    if (count == 0) return 0;
    if (count < 0 || size == kUnknownBytes) return kUnknownBytes;
    return static_cast<uint64_t>(count) * size;
}

inline uint64_t Times(uint64_t bytes, uint64_t factor) {
    return bytes == kUnknownBytes ? bytes : bytes * factor;
}

template <typename Count>
uint64_t Sum(const Count* counts, uint32_t n, uint64_t size) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < n; ++i) sum += counts[i];
    return Bytes(sum, size);
}

// Each block with a datatype of its own.
template <typename Count, typename Type, typename SizeOf>
uint64_t Sum(const Count* counts, uint32_t n, const Type* types, SizeOf size_of) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; ++i) {
        if (counts[i] == 0) continue;
        const uint64_t bytes = Bytes(counts[i], size_of(types[i]));
        if (bytes == kUnknownBytes) return bytes;
        sum += bytes;
    }
    return sum;
}

template <typename Type, typename SizeOf>
Volume BcastBytes(Part part, int64_t count, Type type, SizeOf size_of) {
    if (part == Part::kOutside) return {};
    const uint64_t bytes = Bytes(count, size_of(type));
    return part == Part::kRoot ? Volume{bytes, 0} : Volume{0, bytes};
}

template <typename Type, typename SizeOf>
Volume GatherBytes(const Shape& shape, Part part, bool in_place, int64_t send_count, Type send_type,
                   int64_t recv_count, Type recv_type, SizeOf size_of) {
    if (part == Part::kOutside) return {};
    if (part == Part::kOther) return {Bytes(send_count, size_of(send_type)), 0};
    const uint64_t block = Bytes(recv_count, size_of(recv_type));
    if (shape.inter) return {0, Times(block, shape.peers)};
    return {in_place ? block : Bytes(send_count, size_of(send_type)), Times(block, shape.peers)};
}

template <typename Count, typename Type, typename SizeOf>
Volume GathervBytes(const Shape& shape, Part part, bool in_place, int64_t send_count,
                    Type send_type, const Count* recv_counts, Type recv_type, SizeOf size_of) {
    if (part == Part::kOutside) return {};
    if (part == Part::kOther) return {Bytes(send_count, size_of(send_type)), 0};
    const uint64_t size = size_of(recv_type);
    const uint64_t all = Sum(recv_counts, shape.peers, size);
    if (shape.inter) return {0, all};
    return {in_place ? Bytes(recv_counts[shape.rank], size) : Bytes(send_count, size_of(send_type)),
            all};
}

template <typename Type, typename SizeOf>
Volume ScatterBytes(const Shape& shape, Part part, bool in_place, int64_t send_count,
                    Type send_type, int64_t recv_count, Type recv_type, SizeOf size_of) {
    if (part == Part::kOutside) return {};
    if (part == Part::kOther) return {0, Bytes(recv_count, size_of(recv_type))};
    const uint64_t block = Bytes(send_count, size_of(send_type));
    if (shape.inter) return {Times(block, shape.peers), 0};
    return {Times(block, shape.peers), in_place ? block : Bytes(recv_count, size_of(recv_type))};
}

template <typename Count, typename Type, typename SizeOf>
Volume ScattervBytes(const Shape& shape, Part part, bool in_place, const Count* send_counts,
                     Type send_type, int64_t recv_count, Type recv_type, SizeOf size_of) {
    if (part == Part::kOutside) return {};
    if (part == Part::kOther) return {0, Bytes(recv_count, size_of(recv_type))};
    const uint64_t size = size_of(send_type);
    const uint64_t all = Sum(send_counts, shape.peers, size);
    if (shape.inter) return {all, 0};
    return {all, in_place ? Bytes(send_counts[shape.rank], size)
                          : Bytes(recv_count, size_of(recv_type))};
}

template <typename Type, typename SizeOf>
Volume AllgatherBytes(const Shape& shape, bool in_place, int64_t send_count, Type send_type,
                      int64_t recv_count, Type recv_type, SizeOf size_of) {
    const uint64_t block = Bytes(recv_count, size_of(recv_type));
    return {in_place ? block : Bytes(send_count, size_of(send_type)), Times(block, shape.peers)};
}

template <typename Count, typename Type, typename SizeOf>
Volume AllgathervBytes(const Shape& shape, bool in_place, int64_t send_count, Type send_type,
                       const Count* recv_counts, Type recv_type, SizeOf size_of) {
    const uint64_t size = size_of(recv_type);
    return {in_place ? Bytes(recv_counts[shape.rank], size) : Bytes(send_count, size_of(send_type)),
            Sum(recv_counts, shape.peers, size)};
}

template <typename Type, typename SizeOf>
Volume AlltoallBytes(const Shape& shape, bool in_place, int64_t send_count, Type send_type,
                     int64_t recv_count, Type recv_type, SizeOf size_of) {
    const uint64_t out = Times(Bytes(recv_count, size_of(recv_type)), shape.peers);
    return {in_place ? out : Times(Bytes(send_count, size_of(send_type)), shape.peers), out};
}

template <typename Count, typename Type, typename SizeOf>
Volume AlltoallvBytes(const Shape& shape, bool in_place, const Count* send_counts, Type send_type,
                      const Count* recv_counts, Type recv_type, SizeOf size_of) {
    const uint64_t out = Sum(recv_counts, shape.peers, size_of(recv_type));
    return {in_place ? out : Sum(send_counts, shape.peers, size_of(send_type)), out};
}

template <typename Count, typename Type, typename SizeOf>
Volume AlltoallwBytes(const Shape& shape, bool in_place, const Count* send_counts,
                      const Type* send_types, const Count* recv_counts, const Type* recv_types,
                      SizeOf size_of) {
    const uint64_t out = Sum(recv_counts, shape.peers, recv_types, size_of);
    return {in_place ? out : Sum(send_counts, shape.peers, send_types, size_of), out};
}

template <typename Type, typename SizeOf>
Volume ReduceBytes(const Shape& shape, Part part, int64_t count, Type type, SizeOf size_of) {
    if (part == Part::kOutside) return {};
    const uint64_t bytes = Bytes(count, size_of(type));
    if (part == Part::kOther) return {bytes, 0};
    return {shape.inter ? 0 : bytes, bytes};
}

template <typename Type, typename SizeOf>
Volume AllreduceBytes(int64_t count, Type type, SizeOf size_of) {
    const uint64_t bytes = Bytes(count, size_of(type));
    return {bytes, bytes};
}

template <typename Type, typename SizeOf>
Volume ExscanBytes(const Shape& shape, int64_t count, Type type, SizeOf size_of) {
    const uint64_t bytes = Bytes(count, size_of(type));
    return {bytes, shape.rank == 0 ? 0 : bytes};
}

template <typename Count, typename Type, typename SizeOf>
Volume ReduceScatterBytes(const Shape& shape, const Count* recv_counts, Type type, SizeOf size_of) {
    const uint64_t size = size_of(type);
    return {Sum(recv_counts, shape.locals, size), Bytes(recv_counts[shape.rank], size)};
}

template <typename Type, typename SizeOf>
Volume ReduceScatterBlockBytes(const Shape& shape, int64_t recv_count, Type type, SizeOf size_of) {
    const uint64_t block = Bytes(recv_count, size_of(type));
    return {Times(block, shape.locals), block};
}

// Neighbours in the virtual topology; negative: not known.
struct Neighbors {
    int32_t in = -1;   // Sources.
    int32_t out = -1;  // Destinations.
};

template <typename Type, typename SizeOf>
Volume NeighborAllgatherBytes(Neighbors neighbors, int64_t send_count, Type send_type,
                              int64_t recv_count, Type recv_type, SizeOf size_of) {
    const uint64_t in = Bytes(send_count, size_of(send_type));
    if (neighbors.in < 0) return {in, kUnknownBytes};
    return {in, Times(Bytes(recv_count, size_of(recv_type)), neighbors.in)};
}

template <typename Count, typename Type, typename SizeOf>
Volume NeighborAllgathervBytes(Neighbors neighbors, int64_t send_count, Type send_type,
                               const Count* recv_counts, Type recv_type, SizeOf size_of) {
    const uint64_t in = Bytes(send_count, size_of(send_type));
    if (neighbors.in < 0) return {in, kUnknownBytes};
    return {in, Sum(recv_counts, neighbors.in, size_of(recv_type))};
}

template <typename Type, typename SizeOf>
Volume NeighborAlltoallBytes(Neighbors neighbors, int64_t send_count, Type send_type,
                             int64_t recv_count, Type recv_type, SizeOf size_of) {
    if (neighbors.in < 0) return {kUnknownBytes, kUnknownBytes};
    return {Times(Bytes(send_count, size_of(send_type)), neighbors.out),
            Times(Bytes(recv_count, size_of(recv_type)), neighbors.in)};
}

template <typename Count, typename Type, typename SizeOf>
Volume NeighborAlltoallvBytes(Neighbors neighbors, const Count* send_counts, Type send_type,
                              const Count* recv_counts, Type recv_type, SizeOf size_of) {
    if (neighbors.in < 0) return {kUnknownBytes, kUnknownBytes};
    return {Sum(send_counts, neighbors.out, size_of(send_type)),
            Sum(recv_counts, neighbors.in, size_of(recv_type))};
}

template <typename Count, typename Type, typename SizeOf>
Volume NeighborAlltoallwBytes(Neighbors neighbors, const Count* send_counts, const Type* send_types,
                              const Count* recv_counts, const Type* recv_types, SizeOf size_of) {
    if (neighbors.in < 0) return {kUnknownBytes, kUnknownBytes};
    return {Sum(send_counts, neighbors.out, send_types, size_of),
            Sum(recv_counts, neighbors.in, recv_types, size_of)};
}

}  // namespace comshu::provider::mpi

#endif  // COMSHU_PROVIDERS_MPI_COLLECTIVE_BYTES_H_
