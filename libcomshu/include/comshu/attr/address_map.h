// Which entity an address belongs to.
#ifndef COMSHU_ATTR_ADDRESS_MAP_H_
#define COMSHU_ATTR_ADDRESS_MAP_H_

#include <cstddef>
#include <cstdint>
#include <map>

#include <pthread.h>

namespace comshu::attr {

// Problem: hardware and drivers speak of addresses; people of the buffers behind them. Idea: what is
// open at an address is known from the records that opened and closed it: intervals that do not
// overlap, in order. An interval that is opened over others ends them: whoever freed them was not
// seen. Threads: any number may look up at a time; one changes. Cost: logarithmic.
class AddressMap {
public:
    struct Entity {
        uint64_t id = 0;  // 0: none.
        uint64_t begin = 0;
        uint64_t end = 0;
    };

    AddressMap() = default;
    ~AddressMap();
    AddressMap(const AddressMap&) = delete;
    AddressMap& operator=(const AddressMap&) = delete;

    // [begin, begin + bytes) is `id` from now on. Nothing happens if it is empty or wraps.
    void Open(uint64_t id, uint64_t begin, uint64_t bytes);

    // What begins at `begin` is no more; returns what it was.
    Entity Close(uint64_t begin);

    Entity Find(uint64_t address) const;
    size_t size() const;

private:
    mutable pthread_rwlock_t lock_ = PTHREAD_RWLOCK_INITIALIZER;
    std::map<uint64_t, Entity> by_begin_;
};

}  // namespace comshu::attr

#endif  // COMSHU_ATTR_ADDRESS_MAP_H_
