// Checks one .tlog-proof (c2sp.org/tlog-proof) with the Go project's own library for transparency logs:
// main.go <verifier key> <proof> <leaf>
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func check(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func main() {
	verifier, err := note.NewVerifier(os.Args[1])
	check(err)
	content, err := os.ReadFile(os.Args[2])
	check(err)
	leaf, err := os.ReadFile(os.Args[3])
	check(err)
	head, checkpoint, found := strings.Cut(string(content), "\n\n")
	lines := strings.Split(head, "\n")
	if !found || len(lines) < 2 || lines[0] != "c2sp.org/tlog-proof@v1" {
		check(fmt.Errorf("this is no tlog-proof"))
	}
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[1], "index "), 10, 64)
	check(err)
	var proof tlog.RecordProof
	for _, line := range lines[2:] {
		hash, err := tlog.ParseHash(line)
		check(err)
		proof = append(proof, hash)
	}
	opened, err := note.Open([]byte(checkpoint), note.VerifierList(verifier))
	check(err)
	signed := strings.Split(opened.Text, "\n")
	size, err := strconv.ParseInt(signed[1], 10, 64)
	check(err)
	root, err := tlog.ParseHash(signed[2])
	check(err)
	check(tlog.CheckRecord(proof, size, root, index, tlog.RecordHash(leaf)))
	fmt.Printf("leaf %d of %d\n", index, size)
}
