import { closeSync, openSync, readFileSync, readSync } from 'node:fs'

/** Bytes read at once. */
const PIECE = 16 * 2 ** 20

/** True if a process's writable memory contains the text, as one byte a character. Linux, as root. */
export function memoryContains(pid: number, text: string): boolean {
  const wanted = Buffer.from(text)
  const memory = openSync(`/proc/${pid}/mem`, 'r')
  try {
    const lines = readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')
    const ranges = lines.flatMap(line => {
      const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? []
      return from === undefined || to === undefined ? [] : [[BigInt(`0x${from}`), BigInt(`0x${to}`)] as const]
    })
    return ranges.some(([from, to]) => rangeContains(memory, from, to, wanted))
  } finally {
    closeSync(memory)
  }
}

function rangeContains(memory: number, from: bigint, to: bigint, wanted: Buffer): boolean {
  const piece = Buffer.alloc(PIECE)
  // Pieces overlap, so that none cuts the text.
  for (let at = from; at < to; at += BigInt(PIECE - wanted.length)) {
    const length = Number(to - at < BigInt(PIECE) ? to - at : BigInt(PIECE))
    try {
      const read = readSync(memory, piece, 0, length, at)
      if (piece.subarray(0, read).includes(wanted)) return true
    } catch {
      // Reserved by the process and never used.
      return false
    }
  }
  return false
}
