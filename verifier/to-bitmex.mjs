#!/usr/bin/env node
// @ts-check
import { readFileSync, writeSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { fromDecimal, hex } from './bytes.mjs'
import { NODE_BYTES, nodeAt, parents } from './liabilities.mjs'
import { nodeHashes } from './node-hashes.mjs'

/** Writes an epoch's tree of liabilities as BitMEX's validator reads it: all its nodes, the root first. */

/** Nodes that are written at once. */
const MOST_NODES = 10_000

const { positionals } = parseArgs({ allowPositionals: true })
const [file, epoch] = positionals
if (file === undefined || epoch === undefined) {
  process.stdout.write('node to-bitmex.mjs <leaves.bin> <epoch> > proof.csv\n')
  process.exitCode = 2
} else {
  const rows = [new Uint8Array(readFileSync(file))]
  for (let row = rows[0]; row !== undefined && row.length > NODE_BYTES; ) {
    row = parents(nodeHashes, row)
    rows.unshift(row)
  }
  writeSync(1, `block_height:${fromDecimal(epoch)}\n`)
  for (const row of rows)
    for (let from = 0; from < row.length; from += MOST_NODES * NODE_BYTES)
      writeAll(linesOf(row.subarray(from, from + MOST_NODES * NODE_BYTES)))
}

/** @param {Uint8Array} nodes */
function linesOf(nodes) {
  let lines = ''
  for (let at = 0; at < nodes.length / NODE_BYTES; at += 1) {
    const { digest, value } = nodeAt(nodes, at)
    lines += `${hex(digest)},${value}\n`
  }
  return lines
}

/**
 * A pipe may take less than it is given.
 * @param {string} text
 */
function writeAll(text) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at)
}
