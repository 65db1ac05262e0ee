// SPDX-License-Identifier: GPL-3.0-or-later
// words N: counts N words in a map.
package main

// #include <stdlib.h>
import "C"
import (
	"fmt"
	"os"
	"strconv"
)

func main() {
	most := 1000
	if len(os.Args) > 1 {
		most, _ = strconv.Atoi(os.Args[1])
	}
	counts := map[string]int{}
	for i := 0; i < most; i++ {
		word := strconv.Itoa(i)
		counts[word[:(len(word)+1)/2]]++
	}
	fmt.Println(len(counts), C.abs(-3))
}
