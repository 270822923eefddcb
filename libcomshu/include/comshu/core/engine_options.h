// The options of the recorder itself: they hold for all providers.
#ifndef COMSHU_CORE_ENGINE_OPTIONS_H_
#define COMSHU_CORE_ENGINE_OPTIONS_H_

#include "comshu/core/option.h"

namespace comshu::core {

constexpr OptionInfo kStartOption = {
    "start",
    "COMSHU_START",
    OptionType::kChoice,
    "on|paused",
    "on",
    "paused: record nothing until the program (MPI_Pcontrol(1)) or comshu ctl says so"};
constexpr OptionInfo kOnFullOption = {
    "on-full",
    "COMSHU_ON_FULL",
    OptionType::kChoice,
    "wait|drop|newest",
    "wait",
    "a full ring: wait (within limits, then lose), lose what is new, or overwrite the oldest"};
constexpr OptionInfo kRingOption = {
    "ring", "COMSHU_RING_KIB", OptionType::kNumber, "KIB", "1024", "memory per recording thread",
    64,     1024 * 1024};
constexpr OptionInfo kStacksOption = {"stacks",
                                      "COMSHU_STACKS",
                                      OptionType::kNumber,
                                      "N",
                                      "0",
                                      "record the innermost N calls that led to each call; 0: none",
                                      0,
                                      64};

constexpr OptionInfo kWindowOption = {
    "window",
    "COMSHU_WINDOW",
    OptionType::kKeep,
    "KEEP",
    "",
    "flight recorder: keep what was recorded last, by time (30s) or memory per thread (64M)"};
constexpr OptionInfo kMaxSizeOption = {
    "max-size",
    "COMSHU_MAX_SIZE",
    OptionType::kSize,
    "SIZE",
    "",
    "record nothing more in a process whose stream has this size"};
constexpr OptionInfo kRanksOption = {
    "ranks", "COMSHU_RANKS", OptionType::kList, "LIST", "", "record these ranks alone, as 0,4-7"};

constexpr OptionInfo kEngineOptions[] = {kStartOption,  kRanksOption,   kOnFullOption, kRingOption,
                                         kWindowOption, kMaxSizeOption, kStacksOption};

}  // namespace comshu::core

#endif  // COMSHU_CORE_ENGINE_OPTIONS_H_
