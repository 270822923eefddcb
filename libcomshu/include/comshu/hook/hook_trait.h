// What is known of a function that is hooked: its name and its signature, tied together once.
#ifndef COMSHU_HOOK_HOOK_TRAIT_H_
#define COMSHU_HOOK_HOOK_TRAIT_H_

namespace comshu::hook {

// Specialise for a tag of your own:
//
//     struct Close;
//     template <> struct HookTrait<Close> : HookSignature<int(int)> {
//         static constexpr const char* kName = "close";
//     };
template <typename Tag>
struct HookTrait;

template <typename Signature>
struct HookSignature;

template <typename Return, typename... Arguments>
struct HookSignature<Return(Arguments...)> {
    using Result = Return;
    using Function = Return (*)(Arguments...);
};

}  // namespace comshu::hook

#endif  // COMSHU_HOOK_HOOK_TRAIT_H_
