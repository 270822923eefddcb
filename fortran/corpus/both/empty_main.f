! count: perf init 1
! count: perf finalize 1
      end
