#include "progress.h"

#include <gtest/gtest.h>

namespace comshu {
namespace {

std::string Shown(bool on_terminal, size_t width, Progress::Milliseconds after) {
    std::FILE* file = std::tmpfile();
    Terminal terminal;
    terminal.is_terminal = on_terminal;
    terminal.width = width;
    {
        Progress progress(file, terminal, "pack", "packing streams", after);
        progress.At(3, 12);
    }
    std::string text(static_cast<size_t>(std::ftell(file)), '\0');
    std::rewind(file);
    EXPECT_EQ(std::fread(text.data(), 1, text.size(), file), text.size());
    std::fclose(file);
    return text;
}

TEST(Progress, QuickWorkSaysNothing) {
    EXPECT_EQ(Shown(false, 80, Progress::Milliseconds(3'600'000)), "");
    EXPECT_EQ(Shown(true, 80, Progress::Milliseconds(3'600'000)), "");
}

TEST(Progress, OneLineElsewhere) {
    const std::string text = Shown(false, 80, Progress::Milliseconds(0));
    EXPECT_TRUE(text.starts_with("comshu pack: packing streams")) << text;
    EXPECT_TRUE(text.ends_with(" (0 s)\n")) << text;
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(Progress, ALineThatGoesAwayOnATerminal) {
    const std::string text = Shown(true, 80, Progress::Milliseconds(0));
    EXPECT_TRUE(text.starts_with("\r\x1b[Kcomshu pack: packing streams")) << text;
    EXPECT_TRUE(text.ends_with("\r\x1b[K")) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
    EXPECT_EQ(Shown(true, 20, Progress::Milliseconds(0)), "\r\x1b[Kcomshu pack: packin\r\x1b[K");
}

}  // namespace
}  // namespace comshu
