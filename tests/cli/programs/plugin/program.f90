! SPDX-License-Identifier: GPL-3.0-or-later
module work
contains
  recursive integer function fib(n) result(r)
    integer, intent(in) :: n
    if (n < 2) then
      r = n
    else
      r = fib(n - 1) + fib(n - 2)
    end if
  end function
  subroutine fill(a)
    real, intent(out) :: a(:)
    integer :: i
    do i = 1, size(a)
      a(i) = real(i) ** 2
    end do
  end subroutine
end module
program main
  use work
  real :: a(20)
  call fill(a)
  print *, fib(15), sum(a), maxval(a)
  select case (fib(6))
  case (8)
    print *, 'eight'
  case default
    print *, 'other'
  end select
end program
