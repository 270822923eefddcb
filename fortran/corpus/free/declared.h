  integer :: total
