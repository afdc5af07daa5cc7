import { expect, test } from 'vitest'
import { AppError } from '#shared/errors.ts'
import { logoLimits } from '#shared/limits.ts'
import { png, pngChunk } from '#test/support/png.ts'
import { rewritten } from './png.ts'

test('[W-09] a logo is kept as its pixels alone', () => {
  const secret = Buffer.from('Comment\0taken at 1 Example Street')
  const file = png({
    extra: [pngChunk('tEXt', secret), pngChunk('eXIf', secret)],
    behind: Buffer.from('<script>'),
  })
  const { content, width, height } = rewritten(file)
  expect({ width, height }).toEqual({ width: 120, height: 30 })
  expect(content.includes('Example Street')).toBe(false)
  expect(content.includes('<script>')).toBe(false)
  expect(rewritten(content)).toEqual({ content, width, height })
  expect(rewritten(png()).content).toEqual(content)
})

test('[W-09] of the palette and the transparent colours, only what pixels can use is kept', () => {
  const palette = Buffer.from([11, 110, 79, 255, 255, 255])
  const clear = pngChunk('tRNS', Buffer.from([0, 255]))
  const { content } = rewritten(png({ palette, extra: [clear] }))
  expect(content.includes(pngChunk('PLTE', palette))).toBe(true)
  expect(content.includes(clear)).toBe(true)
  const long = pngChunk('tRNS', Buffer.alloc(50_000, 'hidden'))
  expect(rewritten(png({ palette, extra: [long] })).content.includes('hidden')).toBe(false)
  const unused = [pngChunk('PLTE', Buffer.alloc(60_000, 'hidden')), long]
  expect(rewritten(png({ extra: unused })).content.includes('hidden')).toBe(false)
})

const rows = (count: number, filter = 0) =>
  Buffer.concat(
    Array.from({ length: count }, () => Buffer.concat([Buffer.from([filter]), Buffer.alloc(480)])),
  )

test.each([
  ['no PNG', Buffer.from('GIF89a, which is something else'), /damaged/],
  ['half a file', png().subarray(0, 60), /damaged/],
  ['a changed byte', png().fill(7, 50, 51), /damaged/],
  ['a wrong checksum', png().fill(7, 29, 30), /damaged/],
  ['pixels of a larger picture', png({ pixels: rows(31) }), /damaged/],
  ['pixels that expand to a gigabyte', png({ pixels: Buffer.alloc(50_000_000) }), /damaged/],
  ['too few pixels', png({ pixels: rows(29) }), /damaged/],
  ['an unknown filter', png({ pixels: rows(30, 5) }), /damaged/],
  ['a tiny picture', png({ width: 20, height: 10 }), /between 16 and 2000 pixels/],
  ['a huge picture', png({ width: 2001, height: 400 }), /between 16 and 2000 pixels/],
  ['a long one', png({ width: 400, height: 20 }), /at most 8 times as wide/],
  ['a high one', png({ width: 20, height: 100 }), /at most 2 times as high/],
  ['too large a palette', png({ palette: Buffer.alloc(771) }), /damaged/],
  ['half a colour', png({ palette: Buffer.alloc(4) }), /damaged/],
  ['no palette', png({ palette: Buffer.alloc(0) }), /damaged/],
  ['interlacing', png({ interlace: 1 }), /without interlacing/],
])('[W-09] a logo with %s is refused', (_what, file, words) => {
  expect(() => rewritten(file)).toThrow(AppError)
  expect(() => rewritten(file)).toThrow(words)
})

test('[W-09] a logo that is too large once written is refused', () => {
  const noise = crypto.getRandomValues(new Uint8Array(60_000))
  const row = (at: number) =>
    Buffer.concat([Buffer.from([0]), noise.subarray((at % 100) * 600, (at % 100) * 600 + 600)])
  const pixels = Buffer.concat(Array.from({ length: 150 }, (_, at) => row(at)))
  const { content } = rewritten(png({ width: 150, height: 150, pixels }))
  expect(content.length).toBeLessThanOrEqual(logoLimits.bytes)
  const large = Buffer.concat(
    Array.from({ length: 300 }, () =>
      Buffer.concat([Buffer.from([0]), crypto.getRandomValues(Buffer.alloc(1200))]),
    ),
  )
  expect(() => rewritten(png({ width: 300, height: 300, pixels: large }))).toThrow(/at most 100 kB/)
})
