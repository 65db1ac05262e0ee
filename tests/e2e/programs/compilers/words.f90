! SPDX-License-Identifier: GPL-3.0-or-later
! words N: sums the digits of N numbers.
module words
contains
	integer function digits(n) result(sum)
		integer, intent(in) :: n
		character(len=12) :: text
		integer :: i
		write (text, '(i0)') n
		sum = 0
		do i = 1, len_trim(text)
			sum = sum + iachar(text(i:i)) - iachar('0')
		end do
	end function
end module
program main
	use words
	character(len=12) :: argument
	integer :: most = 1000, i, total = 0
	if (command_argument_count() > 0) then
		call get_command_argument(1, argument)
		read (argument, *) most
	end if
	do i = 0, most - 1
		total = total + digits(i)
	end do
	print '(i0)', total
end program
