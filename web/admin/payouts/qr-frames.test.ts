import { URDecoder } from '@ngraveio/bc-ur'
import { joinQRs } from 'bbqr'
import { encode } from 'uqr'
import { describe, expect, test } from 'vitest'
import vectors from '#test/support/psbt-vectors.json' with { type: 'json' }
import { mostQrBytes, type QrFormat, qrFormats } from './qr-frames.ts'

/** What the reference implementation of each format reads. */
const readers: Record<QrFormat, (frames: readonly string[]) => Uint8Array> = {
  bbqr(frames) {
    const { fileType, raw } = joinQRs([...frames])
    if (fileType !== 'P') throw new Error(`a ${fileType}`)
    return raw
  },
  ur(frames) {
    const decoder = new URDecoder()
    for (const frame of frames) decoder.receivePart(frame.toLowerCase())
    if (!decoder.isSuccess()) throw new Error(`${decoder.resultError()}`)
    const { type } = decoder.resultUR()
    if (type !== 'crypto-psbt') throw new Error(`a ${type}`)
    return decoder.resultUR().decodeCBOR()
  },
}

const psbts = Object.values(vectors)
  .flatMap(texts => textsIn(texts))
  .map(text => Uint8Array.from(Buffer.from(text, 'base64')))

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith('cHNidP8') ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

describe.each(['bbqr', 'ur'] as const)('a PSBT as %s', format => {
  const frames = qrFormats[format]
  const read = readers[format]

  test('is read by the reference implementation as the same bytes', () => {
    expect(psbts.length).toBeGreaterThan(10)
    for (const psbt of psbts) expect(Buffer.from(read(frames(psbt)))).toEqual(Buffer.from(psbt))
  })

  test('is read whatever its length, and in any order', () => {
    const lengths = [1, 4, 5, 23, 24, 199, 200, 201, 255, 256, 375, 376, 749, 1_000, 8_191, mostQrBytes]
    for (const length of lengths) {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 7 + length) % 256)
      expect(Buffer.from(read(frames(bytes).toReversed()))).toEqual(Buffer.from(bytes))
    }
  })

  test('has codes that are coarse enough for a phone', () => {
    const parts = frames(new Uint8Array(mostQrBytes))
    for (const part of [parts[0]!, parts.at(-1)!]) {
      expect(part).toMatch(/^[0-9A-Z$%*+./:-]+$/)
      expect(encode(part, { ecc: 'L' }).version).toBeLessThanOrEqual(13)
    }
  })
})

test('parts of a BBQr have one length but for the last, in groups of eight letters', () => {
  for (const length of [376, 1_001, 4_444]) {
    const sizes = qrFormats.bbqr(new Uint8Array(length)).map(part => part.length - 'B$2P0000'.length)
    const [first] = sizes as [number]
    expect(first % 8).toBe(0)
    expect(sizes.slice(0, -1).every(size => size === first)).toBe(true)
    expect(sizes.at(-1)).toBeLessThanOrEqual(first)
  }
})
