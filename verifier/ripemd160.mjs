// @ts-check
/** RIPEMD-160 (Dobbertin, Bosselaers, Preneel 1996), which OpenSSL no longer has everywhere. Pure. */

const START = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]
/** The left and the right line: added constants, the order of the words, and rotations, one hexadecimal digit each. */
const LINES = [
  {
    isRight: false,
    constants: [0, 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xa953fd4e],
    words: '0123456789abcdef74d1a6f3c0952eb83ae49f812706db5c19ba08c4d37fe56240597c2ae138b6fd',
    turns: 'befc5879bdef6798768db97f7cf9b7dcbd67e9dfe8d65c75bcefef989e56865c9f5b68dc5cdeb856',
  },
  {
    isRight: true,
    constants: [0x50a28be6, 0x5c4dd124, 0x6d703ef3, 0x7a6d76e9, 0],
    words: '5e7092b4d6f81a3c6b370d5aef8c4912f5137e69b8c2a04d86413bf05c2d97aecfa4158762de039b',
    turns: '899bdff5778beec69df7c89b77c76fdb97fb866ecd5edd75f58bee6e69c9c5f885c9c5e68d65fdbb',
  },
]

/**
 * @param {number} round from 0
 * @param {number} x
 * @param {number} y
 * @param {number} z
 */
function mix(round, x, y, z) {
  if (round === 0) return x ^ y ^ z
  if (round === 1) return (x & y) | (~x & z)
  if (round === 2) return (x | ~y) ^ z
  if (round === 3) return (x & z) | (y & ~z)
  return x ^ (y | ~z)
}

/**
 * @param {number} word
 * @param {number} bits
 */
function rotate(word, bits) {
  return (word << bits) | (word >>> (32 - bits))
}

/**
 * @param {typeof LINES[number]} line
 * @param {readonly number[]} state
 * @param {DataView} block
 */
function run({ isRight, constants, words, turns }, state, block) {
  let [a = 0, b = 0, c = 0, d = 0, e = 0] = state
  for (let step = 0; step < 80; step += 1) {
    const round = Math.floor(step / 16)
    const word = block.getUint32(4 * Number.parseInt(words.charAt(step), 16), true)
    const sum = a + mix(isRight ? 4 - round : round, b, c, d) + word + (constants[round] ?? 0)
    const turned = (rotate(sum | 0, Number.parseInt(turns.charAt(step), 16)) + e) | 0
    ;[a, e, d, c, b] = [e, d, rotate(c, 10), b, turned]
  }
  return [a, b, c, d, e]
}

/** @param {Uint8Array} bytes */
export function ripemd160(bytes) {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  new DataView(padded.buffer).setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n, true)
  let state = START
  for (let at = 0; at < padded.length; at += 64) {
    const block = new DataView(padded.buffer, at, 64)
    const [left = [], right = []] = LINES.map(line => run(line, state, block))
    state = [0, 1, 2, 3, 4].map(
      place =>
        ((state[(place + 1) % 5] ?? 0) + (left[(place + 2) % 5] ?? 0) + (right[(place + 3) % 5] ?? 0)) | 0,
    )
  }
  const digest = new DataView(new ArrayBuffer(20))
  for (const [at, word] of state.entries()) digest.setInt32(4 * at, word, true)
  return new Uint8Array(digest.buffer)
}
