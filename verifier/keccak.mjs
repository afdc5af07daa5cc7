// @ts-check
/** Keccak-256 as Ethereum and TRON use it, and RIPEMD-160: Node has neither everywhere. Pure. */

const LANE = (1n << 64n) - 1n
const RATE_BYTES = 136

/** @type {bigint[]} */
const ROUNDS = []
/** Place and rotation of each step of rho and pi. @type {[number, bigint][]} */
const MOVES = []
{
  let lfsr = 1n
  for (let round = 0; round < 24; round += 1) {
    let constant = 0n
    for (let bit = 0; bit < 7; bit += 1) {
      if (lfsr & 1n) constant |= 1n << ((1n << BigInt(bit)) - 1n)
      lfsr = (lfsr << 1n) ^ (lfsr & 0x80n ? 0x171n : 0n)
    }
    ROUNDS.push(constant)
  }
  let [x, y] = [1, 0]
  for (let step = 0; step < 24; step += 1) {
    ;[x, y] = [y, (2 * x + 3 * y) % 5]
    MOVES.push([x + 5 * y, BigInt((((step + 1) * (step + 2)) / 2) % 64)])
  }
}

/**
 * @param {bigint} lane
 * @param {bigint} bits
 */
function rotate(lane, bits) {
  return ((lane << bits) | (lane >> (64n - bits))) & LANE
}

/** @param {bigint[]} state 25 lanes */
function permute(state) {
  const lane = (/** @type {number} */ at) => state[at] ?? 0n
  for (const constant of ROUNDS) {
    const parity = [0, 1, 2, 3, 4].map(
      x => lane(x) ^ lane(x + 5) ^ lane(x + 10) ^ lane(x + 15) ^ lane(x + 20),
    )
    for (let at = 0; at < 25; at += 1)
      state[at] = lane(at) ^ (parity[(at + 4) % 5] ?? 0n) ^ rotate(parity[(at + 1) % 5] ?? 0n, 1n)
    let moving = lane(1)
    for (const [place, bits] of MOVES) {
      const kept = lane(place)
      state[place] = rotate(moving, bits)
      moving = kept
    }
    for (let row = 0; row < 25; row += 5) {
      const old = state.slice(row, row + 5)
      for (let x = 0; x < 5; x += 1)
        state[row + x] = (old[x] ?? 0n) ^ (~(old[(x + 1) % 5] ?? 0n) & LANE & (old[(x + 2) % 5] ?? 0n))
    }
    state[0] = lane(0) ^ constant
  }
}

/** @param {Uint8Array} bytes */
export function keccak256(bytes) {
  const padded = new Uint8Array((Math.floor(bytes.length / RATE_BYTES) + 1) * RATE_BYTES)
  padded.set(bytes)
  padded[bytes.length] = 1
  padded[padded.length - 1] = (padded.at(-1) ?? 0) | 0x80
  const words = new DataView(padded.buffer)
  const state = Array.from({ length: 25 }, () => 0n)
  for (let block = 0; block < padded.length; block += RATE_BYTES) {
    for (let at = 0; at < RATE_BYTES / 8; at += 1)
      state[at] = (state[at] ?? 0n) ^ words.getBigUint64(block + 8 * at, true)
    permute(state)
  }
  const digest = new DataView(new ArrayBuffer(32))
  for (let at = 0; at < 4; at += 1) digest.setBigUint64(8 * at, state[at] ?? 0n, true)
  return new Uint8Array(digest.buffer)
}
