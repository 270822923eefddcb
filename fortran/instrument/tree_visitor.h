#pragma once

namespace comshu::fortran {

// What a class needs so that Flang's parser::Walk goes through a whole tree with it: it derives from this,
// says `using TreeVisitor::Pre;` and has a Pre of its own for the nodes that it looks at (false: not below).
class TreeVisitor {
public:
    template <typename T>
    bool Pre(const T&) {
        return true;
    }
    template <typename T>
    void Post(const T&) {}
};

}  // namespace comshu::fortran
