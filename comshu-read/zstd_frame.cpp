#include "comshu/read/zstd_frame.h"

#include <zstd.h>

namespace comshu::read {
namespace {

// A column of a block is at most 128 KiB, a schema some 100 KiB.
constexpr size_t kLargestFrame = size_t{16} << 20;

struct Contexts {
    ZSTD_CCtx* pack = nullptr;
    ZSTD_DCtx* unpack = nullptr;
    ~Contexts() {
        ZSTD_freeCCtx(pack);
        ZSTD_freeDCtx(unpack);
    }
};

// Contexts are several 100 KiB: made once per thread.
Contexts& OfThread() {
    thread_local Contexts contexts;
    return contexts;
}

}  // namespace

bool UnpackFrame(const uint8_t* in, size_t bytes, std::vector<uint8_t>* out) {
    const unsigned long long content = ZSTD_getFrameContentSize(in, bytes);
    if (content == ZSTD_CONTENTSIZE_ERROR || content == ZSTD_CONTENTSIZE_UNKNOWN ||
        content > kLargestFrame) {
        return false;
    }
    Contexts& contexts = OfThread();
    if (contexts.unpack == nullptr) contexts.unpack = ZSTD_createDCtx();
    if (contexts.unpack == nullptr) return false;
    out->resize(content);
    const size_t got = ZSTD_decompressDCtx(contexts.unpack, out->data(), out->size(), in, bytes);
    return !ZSTD_isError(got) && got == content;
}

bool PackFrame(const uint8_t* in, size_t bytes, int level, std::vector<uint8_t>* out) {
    Contexts& contexts = OfThread();
    if (contexts.pack == nullptr) contexts.pack = ZSTD_createCCtx();
    if (contexts.pack == nullptr) return false;
    out->resize(ZSTD_compressBound(bytes));
    const size_t got = ZSTD_compressCCtx(contexts.pack, out->data(), out->size(), in, bytes, level);
    if (ZSTD_isError(got)) return false;
    out->resize(got);
    return true;
}

}  // namespace comshu::read
