! count: perf before_func_call 5
! Marks of continuation and comment inside literals.
program literals
  implicit none (type, external)
  character(20) :: c
  c = 'a ! b & c'; call show(c, 'don''t ; stop'); call show("x", '!$omp barrier')
  if (c == 'a ! b & c') & ! why: it is so
    & call show('one &
    &two', "it's")
  if (len_trim(c) > 3) call show(c, & ! tail
       '; end if') ! behind
  call show('ä ö ü', '→') ; ; c = ''
contains
  subroutine show(a, b)
    character(*), intent(in) :: a, b
    if (len(a) < 0) return; print *, a, b; return
  end subroutine show
endprogram literals
