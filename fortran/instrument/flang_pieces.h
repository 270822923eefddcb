#pragma once

#include <list>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "flang/Common/indirection.h"
#include "flang/Parser/parse-tree.h"

namespace comshu::fortran {

// Takes a program to pieces in the order of its text: specification parts, and of bodies each statement or
// construct, where bodies of loops, of IF and of OpenMP's blocks are taken to pieces too. `visit(piece)` is called
// for each; those of bodies are destroyed behind it, so that what hangs on them is held for one at a time.
template <typename Visitor>
class Pieces {
public:
    explicit Pieces(Visitor visit) : visit_(std::move(visit)) {}

    void Take(Fortran::parser::Program& program) { Part(program.v); }

private:
    template <typename T, typename... Of>
    static constexpr bool kIsOne = (std::is_same_v<T, Of> || ...);

    template <typename T>
    void Part(T& tree) {
        namespace parser = Fortran::parser;
        if constexpr (kIsOne<T, parser::ProgramUnit, parser::InternalSubprogram,
                             parser::ModuleSubprogram, parser::ExecutionPartConstruct,
                             parser::ExecutableConstruct, parser::OpenMPConstruct>) {
            std::visit([this](auto& one) { Part(one); }, tree.u);
        } else if constexpr (kIsOne<T, parser::MainProgram, parser::FunctionSubprogram,
                                    parser::SubroutineSubprogram, parser::SeparateModuleSubprogram,
                                    parser::InternalSubprogramPart, parser::Module,
                                    parser::Submodule, parser::ModuleSubprogramPart,
                                    parser::IfConstruct, parser::IfConstruct::ElseIfBlock,
                                    parser::IfConstruct::ElseBlock, parser::OpenMPBlockConstruct,
                                    parser::OpenMPLoopConstruct>) {
            All(tree);
        } else if constexpr (std::is_same_v<T, parser::DoConstruct>) {
            if (tree.IsDoConcurrent()) {
                visit_(std::as_const(tree));
            } else {
                All(tree);
            }
        } else if constexpr (std::is_same_v<T, parser::ExecutionPart>) {
            Part(tree.v);
        } else {
            visit_(std::as_const(tree));
        }
    }
    template <typename T>
    void Part(Fortran::common::Indirection<T>& tree) {
        Part(tree.value());
    }
    template <typename T>
    void Part(std::optional<T>& tree) {
        if (tree) {
            Part(*tree);
        }
    }
    template <typename T>
    void Part(std::list<T>& trees) {
        for (T& tree : trees) {
            Part(tree);
        }
    }
    void Part(Fortran::parser::Block& block) {
        for (; !block.empty(); block.pop_front()) {
            Part(block.front());
        }
    }
    template <typename T>
    void All(T& tree) {
        std::apply([this](auto&... part) { (Part(part), ...); }, tree.t);
    }

    Visitor visit_;
};

}  // namespace comshu::fortran
