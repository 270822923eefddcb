#include "source_resolver.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace comshu {
namespace {
namespace fs = std::filesystem;

// Return address of a call in the function and line that its caller notes.
[[gnu::noinline]] uint64_t ReturnAddress() {
    return reinterpret_cast<uint64_t>(__builtin_return_address(0));
}

uint64_t Bias() {
    Dl_info info;
    dladdr(reinterpret_cast<void*>(&ReturnAddress), &info);
    return reinterpret_cast<uint64_t>(info.dli_fbase);
}

struct Place {
    uint64_t address;  // In the numbering of this program's file; inside the call.
    unsigned line;
};

[[gnu::noinline]] Place PlaceOfACall() {
    unsigned line_before = __LINE__;
    uint64_t address = ReturnAddress();
    return {address - Bias() - 1, line_before + 1};
}

std::string Self() {
    return fs::read_symlink("/proc/self/exe").string();
}

// A copy of this program, changed by a command of binutils, that is removed at the end of a test.
class Copy {
public:
    explicit Copy(const std::string& command) : path_(Self() + ".copy") {
        fs::copy_file(Self(), path_, fs::copy_options::overwrite_existing);
        works_ = std::system((command + " " + path_).c_str()) == 0;
    }
    ~Copy() { fs::remove(path_); }
    const std::string& path() const { return path_; }
    bool works() const { return works_; }

private:
    std::string path_;
    bool works_;
};

TEST(SourceResolver, FindsFileLineAndFunction) {
    Place place = PlaceOfACall();
    SourceResolver resolver;
    SourceLine found = resolver.Resolve(Self(), "", place.address);
    EXPECT_EQ(found.file, __FILE__);
    EXPECT_EQ(found.line, place.line);
    EXPECT_EQ(found.function, "PlaceOfACall");
    EXPECT_EQ(&resolver.Resolve(Self(), "", place.address),
              &resolver.Resolve(Self(), "", place.address));
}

// As clang leaves it.
TEST(SourceResolver, WithoutAnIndexOfAddressesFindsTheSame) {
    Copy copy("objcopy --remove-section=.debug_aranges");
    ASSERT_TRUE(copy.works());
    Place place = PlaceOfACall();
    SourceLine found = SourceResolver().Resolve(copy.path(), "", place.address);
    EXPECT_EQ(found.file, __FILE__);
    EXPECT_EQ(found.line, place.line);
    EXPECT_EQ(found.function, "PlaceOfACall");
}

TEST(SourceResolver, WithoutDebugInformationGivesSymbolAndOffset) {
    Copy copy("strip --strip-debug");
    ASSERT_TRUE(copy.works());
    SourceLine found = SourceResolver().Resolve(copy.path(), "", PlaceOfACall().address);
    EXPECT_EQ(found.file, "");
    EXPECT_EQ(found.line, 0u);
    EXPECT_NE(found.function.find("PlaceOfACall()+0x"), std::string::npos) << found.function;
}

TEST(SourceResolver, OfAnotherFileGivesNothing) {
    uint64_t address = PlaceOfACall().address;
    SourceResolver resolver;
    EXPECT_EQ(resolver.Resolve("/not/there", "", address), SourceLine());
    EXPECT_EQ(resolver.Resolve(Self(), "00ff", address), SourceLine());
    EXPECT_NE(resolver.Resolve(Self(), "", address), SourceLine());
    EXPECT_EQ(resolver.Resolve(Self(), "", uint64_t{1} << 46), SourceLine());
}

TEST(SourceResolver, OfATextFileGivesNothing) {
    std::string path = Self() + ".txt";
    std::ofstream(path) << "no program";
    EXPECT_EQ(SourceResolver().Resolve(path, "", 16), SourceLine());
    fs::remove(path);
}

}  // namespace
}  // namespace comshu
