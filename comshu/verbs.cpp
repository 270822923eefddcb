#include "verbs.h"

namespace comshu {

const std::vector<Verb>& Verbs() {
    static const std::vector<Verb> verbs = {
        {"run", "run a program and capture it",
         "comshu run -p mpi -- mpirun -n 2 ./app\n"
         "mpirun -n 2 comshu run -p mpi -o DIR -- ./app",
         DeclareRun, true},
        {"list", "what can be traced, what works here, and why the rest does not", "comshu list",
         DeclareList},
#ifdef COMSHU_HAVE_READ
        {"read", "the report of a capture, one screen", "comshu read comshu-out", DeclareRead},
        {"link", "match messages and collectives, count them, keep the result",
         "comshu link comshu-out --list unmatched", DeclareLink},
        {"diff", "what got slower from one capture to another",
         "comshu diff before after --threshold 10", DeclareDiff},
        {"dump", "the records of a capture, one a line",
         "comshu dump comshu-out --type mpi_point_to_point", DeclareDump},
        {"types", "the record types and their columns", "comshu types mpi_point_to_point",
         DeclareTypes},
        {"sql", "a query over the tables and views of a capture",
         "comshu sql comshu-out \"select name, count(*) from span group by name\"", DeclareSql},
        {"export", "a capture as tables, or as a trace for another program",
         "comshu export comshu-out --parquet tables\n"
         "comshu export comshu-out --perfetto trace.pftrace",
         DeclareExport},
#ifdef COMSHU_HAVE_FORMATS
        {"import", "trace files of other programs as a capture",
         "comshu import trace.picl -o capture", DeclareImport},
#endif
        {"ctl", "stop, start or flush recording in a running program, or ask how it stands",
         "comshu ctl comshu-out status", DeclareCtl},
        {"pack", "finish a capture whose run was killed", "comshu pack comshu-out", DeclarePack},
#endif
        {"fc", "compile Fortran, each OpenMP source instrumented on the way",
         "make FC=\"comshu fc gfortran\"\n"
         "comshu fc -d2 -- gfortran -fopenmp a.f90 -o a",
         DeclareFc, true, "comshu-fc"},
        {"instrument", "one Fortran OpenMP source with calls that are recorded, as text",
         "comshu instrument a.f90 -o a.dbg.f90", DeclareInstrument, false, "comshu-instrument"},
        {"completion", "the completion script of a shell",
         "source <(comshu completion bash)\n"
         "comshu completion zsh > ~/.zfunc/_comshu",
         DeclareCompletion},
    };
    return verbs;
}

}  // namespace comshu
