# SPDX-License-Identifier: GPL-3.0-or-later
# Hashes of arrays of strings, sorted, joined, split again; records that come and go.
my ($x, %words, @rows) = (12345);
for my $i (1 .. 250000) {
	$x = ($x * 1103515245 + 12345) % 2147483648;
	my $key = "word" . $x % 20000;
	push @{$words{$key}}, "v$x";
	if (@{$words{$key}} > 20) { delete $words{$key} }
}
for my $key (sort keys %words) { push @rows, { name => $key, list => [ @{$words{$key}} ], text => join(",", @{$words{$key}}) } }
my $sum = 0;
for my $round (1 .. 3) { for my $row (@rows) { my @parts = split /,/, $row->{text}; $sum += @parts; $row->{text} = join ",", reverse @parts } }
@rows = sort { length($a->{text}) <=> length($b->{text}) or $a->{name} cmp $b->{name} } @rows;
print "$sum $rows[0]{name}\n";
