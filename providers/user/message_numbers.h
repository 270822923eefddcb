// Which message of its kind a message is.
#ifndef COMSHU_PROVIDERS_USER_MESSAGE_NUMBERS_H_
#define COMSHU_PROVIDERS_USER_MESSAGE_NUMBERS_H_

#include <cstddef>
#include <cstdint>

#include <pthread.h>

namespace comshu::provider::user {

struct MessageKey {
    uint64_t transport;
    int32_t peer;
    int32_t tag;
    uint32_t received;
    bool operator==(const MessageKey&) const = default;
};

// Problem: the k-th message sent with a tag is the k-th received, also when some of them were not
// recorded. Idea: count every one and record the number. Cost: a lock and a look-up. Without memory all
// further kinds are number 0. Shared by all threads.
class MessageNumbers {
public:
    // 0 for the first message of this kind.
    uint64_t Next(const MessageKey& key);
    // In a forked child: a thread of the parent may have held the lock.
    void ResetLock();

private:
    struct Entry {
        MessageKey key;
        uint64_t next;
        bool used;
    };
    Entry* Find(const MessageKey& key);
    bool Grow();

    pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
    Entry* entries_ = nullptr;
    size_t size_ = 0;  // A power of two.
    size_t used_ = 0;
};

}  // namespace comshu::provider::user

#endif  // COMSHU_PROVIDERS_USER_MESSAGE_NUMBERS_H_
