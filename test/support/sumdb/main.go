// Reads a published proof with the Go project's own library for transparency logs (golang.org/x/mod/sumdb):
// opens every checkpoint, proves that each is the beginning of the newest, and hashes every leaf.
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// tileFolder reads tiles as tlog-tiles names them: Go's own names have the height, and "data" for entries.
type tileFolder string

func (tileFolder) Height() int { return 8 }

func (folder tileFolder) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var contents [][]byte
	for _, tile := range tiles {
		content, err := os.ReadFile(filepath.Join(string(folder), nameOf(tile)))
		if err != nil {
			return nil, err
		}
		contents = append(contents, content)
	}
	return contents, nil
}

func (tileFolder) SaveTiles([]tlog.Tile, [][]byte) {}

func nameOf(tile tlog.Tile) string {
	name := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
	return strings.Replace(name, "tile/data/", "tile/entries/", 1)
}

func check(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func refuse(format string, values ...any) {
	check(fmt.Errorf(format, values...))
}

// open verifies a checkpoint's signature. tlog.ParseTree wants another first line, hence the three lines by hand.
func open(file string, verifier note.Verifier) tlog.Tree {
	content, err := os.ReadFile(file)
	check(err)
	opened, err := note.Open(content, note.VerifierList(verifier))
	check(err)
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 4 || lines[0] != verifier.Name() {
		refuse("%s is no checkpoint of %s", file, verifier.Name())
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	check(err)
	root, err := tlog.ParseHash(lines[2])
	check(err)
	return tlog.Tree{N: size, Hash: root}
}

func main() {
	folder := os.Args[1]
	vkey, err := os.ReadFile(filepath.Join(folder, "vkey"))
	check(err)
	verifier, err := note.NewVerifier(strings.TrimSpace(string(vkey)))
	check(err)
	newest := open(filepath.Join(folder, "checkpoint"), verifier)
	tiles := tileFolder(folder)
	hashes := tlog.TileHashReader(newest, tiles)

	epochs, err := filepath.Glob(filepath.Join(folder, "epochs/*/checkpoint"))
	check(err)
	for _, file := range epochs {
		earlier := open(file, verifier)
		proof, err := tlog.ProveTree(newest.N, earlier.N, hashes)
		check(err)
		check(tlog.CheckTree(proof, newest.N, newest.Hash, earlier.N, earlier.Hash))
	}
	for index := int64(0); index < newest.N; {
		width := min(newest.N-index, 256)
		bundles, err := tiles.ReadTiles([]tlog.Tile{{H: 8, L: -1, N: index / 256, W: width}})
		check(err)
		for rest := bundles[0]; len(rest) > 0; index++ {
			length := 2 + int(binary.BigEndian.Uint16(rest))
			leaf := rest[2:length]
			rest = rest[length:]
			stored, err := hashes.ReadHashes([]int64{tlog.StoredHashIndex(0, index)})
			check(err)
			if hash := tlog.RecordHash(leaf); !bytes.Equal(hash[:], stored[0][:]) {
				refuse("leaf %d is not what was sealed", index)
			}
		}
	}
	fmt.Printf("%d leaves, %d epochs\n", newest.N, len(epochs))
}

func min(left int64, right int) int {
	if left < int64(right) {
		return int(left)
	}
	return right
}
