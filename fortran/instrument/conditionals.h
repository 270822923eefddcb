#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "instrument/session.h"

namespace comshu::fortran {

// Problem: data of every iteration are too much for a large program; which ones are wanted is for the
// runtime to say, while it runs.
// Idea: a thread's flag, in a COMMON block of the whole program, is zero where data are told. The first
// statement of an iteration asks the runtime (DBG_SIfIter, DBG_OMPIfIter) and sets it. What follows is
// either put under conditions (kGuards) or stands twice, with the calls and without (kCopies). The
// loop keeps what held around it in a variable of a BLOCK, one per execution of the loop, and gives
// it back: an iteration inside of one that is not told asks nothing. Without IMPLICIT NONE gfortran would
// make names of the BLOCK alone of those that occur there first: such units keep it in a variable of
// their own, and ask nothing where that could be overwritten (recursion, tasks). A team starts with the flag of
// the thread that makes it (COPYIN); a task always tells.
// Assumption: local variables of a BLOCK are not static. Construct events stay unconditional.
class Conditionals {
public:
    using Lines = std::vector<std::string>;

    explicit Conditionals(Session& session);

    bool At(int item) const;
    // What stands around the loop (of a directive: around that), empty where nothing is asked. Inner
    // ones may use it too: a jump that leaves them all gives back what held around the outermost.
    Lines Open(int loop);
    Lines Close(int loop);
    Lines Restore(int loop);
    // First in the body of `body`, the loop itself or the innermost of those that it ties together.
    // `stem` is `omp_` or empty, `number` sets element 4 of the integers to what names the iteration;
    // where `condition` does not hold (empty: always) it is the one before that goes on.
    Lines Iteration(int loop, int body, int handle, const std::string& stem, const Lines& number,
                    const std::string& condition = "");
    // Inside of a task: its beginning and its end.
    Lines OpenTask(int task);
    Lines CloseTask(int task);
    // The clause of a PARALLEL directive, and what stands around one that may be cancelled: who leaves a
    // loop that way does not come to its end.
    std::string CopyIn(int item);
    Lines OpenRegion(int item) { return cancelled_.count(item) ? Open(item) : Lines{}; }
    Lines CloseRegion(int item) { return cancelled_.count(item) ? Close(item) : Lines{}; }

    // `lines`, under a condition where they need one.
    Lines Guarded(int item, Lines lines);
    // Doubles the body of a procedure, if it can be and is to be. `last`: statement that ends it. The
    // first of the two begins with what Finish puts in front of it.
    void BeginUnit(int unit, int first, int last);
    // `start`: calls that tell data at the start of the unit, which `first` begins.
    Lines UnitStart(int unit, int first, const Lines& start);

private:
    bool NeedsGuard(int item) const;
    std::string Told(int item);  // condition
    std::string Saved(int loop);
    // gfortran does not find a function's result in clauses inside of a BLOCK either.
    bool UsesBlock(int item) const {
        return s_.options.standard >= 2008 && UnitOf(item).implicit_none &&
               !UnitOf(item).result_in_clause;
    }
    const Unit& UnitOf(int item) const { return s_.structure.units[s_.Nest(item).unit]; }
    // Whether the items between can stand in the text twice.
    bool CanCopy(int first, int last, int around) const;
    // The text of [begin, end) once more, behind ELSE.
    Lines Copy(int item, std::size_t begin, std::size_t end);

    Session& s_;
    // Loops and tasks that set the flag: whether what is directly inside is told without a condition.
    std::map<int, bool> decided_;
    std::set<int> copied_units_;
    // Regions and tasks that may be. In such tasks nothing is asked.
    std::set<int> cancelled_;
};

}  // namespace comshu::fortran
