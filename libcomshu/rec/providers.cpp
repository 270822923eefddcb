#include "providers.h"

#include <cstdio>
#include <cstring>

#include "comshu/rec/thread_state.h"

namespace comshu::rec {
namespace {

// A provider built against an older engine has a shorter table.
template <typename Member>
bool Has(const comshu_provider& provider, Member comshu_provider::*member) {
    const auto offset = reinterpret_cast<const char*>(&(provider.*member)) -
                        reinterpret_cast<const char*>(&provider);
    return static_cast<size_t>(offset) + sizeof(Member) <= provider.size &&
           provider.*member != nullptr;
}

}  // namespace

Providers& Providers::OfProcess() {
    static Providers providers;
    return providers;
}

int Providers::Declare(const comshu_provider* provider) {
    const Locked locked(&lock_);
    if (provider->version != COMSHU_ENGINE_VERSION || provider->first_type > provider->last_type) {
        refused_ = provider;
        owner_ = nullptr;
        return 2;
    }
    const size_t count = count_.load(std::memory_order_relaxed);
    for (size_t i = 0; i < count; ++i) {
        if (entries_[i] == provider) return 0;
        if (provider->first_type <= entries_[i]->last_type &&
            entries_[i]->first_type <= provider->last_type) {
            refused_ = provider;
            owner_ = entries_[i];
            return 1;
        }
    }
    if (count == kMost) return 1;
    entries_[count] = provider;
    count_.store(count + 1, std::memory_order_release);
    return 0;
}

void Providers::NoteRefused(Definitions* definitions) {
    const comshu_provider* refused;
    const comshu_provider* owner;
    {
        const Locked locked(&lock_);
        refused = refused_;
        owner = owner_;
        refused_ = nullptr;
    }
    if (refused == nullptr) return;
    char text[200];
    if (owner != nullptr) {
        snprintf(
            text, sizeof text,
            "Provider %s records nothing: provider %s has its record types %u to %u. Use one of "
            "them at a time.",
            refused->name, owner->name, refused->first_type, refused->last_type);
    } else {
        snprintf(
            text, sizeof text,
            "Provider %s records nothing: it was built for version %u of the recorder, this is "
            "version %u. Use parts of one installation.",
            refused->name, refused->version, COMSHU_ENGINE_VERSION);
    }
    definitions->Note("provider_refused", text);
}

std::string Providers::NameOf(const comshu_provider& provider) {
    return provider.name != nullptr ? provider.name : "";
}

void Providers::Define(const comshu_provider& provider, Definitions* definitions) {
    const std::string name = NameOf(provider);
    definitions->Define(schema::Provider(ReadTicks(), definitions->InternText(name.c_str()),
                                         provider.first_type, provider.last_type));
}

void Providers::ReportLoss(uint32_t thread, uint64_t begin, uint64_t end) const {
    ForEach([&](const comshu_provider& provider) {
        if (Has(provider, &comshu_provider::report_loss)) provider.report_loss(thread, begin, end);
    });
}

void Providers::Overwriting(uint32_t thread, const void* records, size_t bytes) const {
    ForEach([&](const comshu_provider& provider) {
        if (Has(provider, &comshu_provider::overwriting))
            provider.overwriting(thread, records, bytes);
    });
}

void Providers::Forked() const {
    ForEach([](const comshu_provider& provider) {
        if (Has(provider, &comshu_provider::forked)) provider.forked();
    });
}

void Providers::Ending() const {
    ForEach([](const comshu_provider& provider) {
        if (Has(provider, &comshu_provider::ending)) provider.ending();
    });
}

void Providers::Forget() {
    count_.store(0, std::memory_order_relaxed);
    finished_.store(false, std::memory_order_relaxed);
    refused_ = nullptr;
}

}  // namespace comshu::rec
