import { crc32, deflateSync, inflateSync } from 'node:zlib'
import { AppError } from '#shared/errors.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { logoLimits } from '#shared/limits.ts'

/** A picture of pixels alone, with its size in pixels. */
export type Picture = { content: Buffer; width: number; height: number }

const signature = Buffer.from('89504e470d0a1a0a', 'hex')
/** Samples of a pixel by colour type (PNG, 11.2.1), and the bits that a sample may have. */
const colourTypes: Partial<Record<number, { samples: number; bits: readonly number[] }>> = {
  0: { samples: 1, bits: [1, 2, 4, 8, 16] },
  2: { samples: 3, bits: [8, 16] },
  3: { samples: 1, bits: [1, 2, 4, 8] },
  4: { samples: 2, bits: [8, 16] },
  6: { samples: 4, bits: [8, 16] },
}
/** Row filters are 0 to 4 (PNG, 9.2). */
const lastFilter = 4

const damaged = msg('This PNG is damaged. Save it again and choose it once more.')

/**
 * A PNG written anew from its pixels: whatever else the file carried is gone, such as comments, places, an animation or data
 * behind its end.
 * @throws AppError invalid_input
 */
export function rewritten(file: Buffer): Picture {
  const chunks = chunksOf(file)
  const [header] = chunks
  if (header?.type !== 'IHDR' || header.data.length !== 13) throw refused(translate(damaged))
  const { width, height, rowBytes } = sizesOf(header.data)
  const one = (type: string) => chunks.find(chunk => chunk.type === type)
  const colours = coloursOf(header.data[9]!, one('PLTE'), one('tRNS'))
  const pixels = inflated(
    Buffer.concat(chunks.flatMap(({ type, data }) => (type === 'IDAT' ? [data] : []))),
    (rowBytes + 1) * height,
  )
  for (let row = 0; row < height; row++) {
    if (pixels[row * (rowBytes + 1)]! > lastFilter) throw refused(translate(damaged))
  }
  const content = Buffer.concat([
    signature,
    ...[header, ...colours].map(({ type, data }) => chunk(type, data)),
    chunk('IDAT', deflateSync(pixels, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
  if (content.length > logoLimits.bytes) throw tooLarge()
  return { content, width, height }
}

/** The palette and the transparent colours, as long as the colour type needs them (PNG, 11.2.2 and 11.3.2.1). */
function coloursOf(colourType: number, palette: Chunk | undefined, clear: Chunk | undefined): Chunk[] {
  if (colourType !== indexed) return clear && clear.data.length === clearBytes[colourType] ? [clear] : []
  const bytes = palette?.data.length ?? 0
  if (bytes === 0 || bytes > 768 || bytes % 3 !== 0) throw refused(translate(damaged))
  const fits = clear !== undefined && clear.data.length > 0 && clear.data.length <= bytes / 3
  return [palette!, ...(fits ? [clear] : [])]
}

/** The colour type of pictures with a palette, and the bytes of one transparent colour in those without alpha. */
const indexed = 3
const clearBytes: Partial<Record<number, number>> = { 0: 2, 2: 6 }

function tooLarge(): AppError {
  return refused(t('A logo can have at most {size} kB', { size: logoLimits.bytes / 1024 }))
}

type Chunk = { type: string; data: Buffer }

/** The chunks up to the end, each with the checksum that it claims (PNG, 5.3). */
function chunksOf(file: Buffer): Chunk[] {
  if (!file.subarray(0, signature.length).equals(signature)) throw refused(translate(damaged))
  const found: Chunk[] = []
  let at = signature.length
  while (at + 12 <= file.length) {
    const length = file.readUInt32BE(at)
    const end = at + 8 + length
    if (end + 4 > file.length) break
    const type = file.toString('latin1', at + 4, at + 8)
    if (crc32(file.subarray(at + 4, end)) !== file.readUInt32BE(end)) throw refused(translate(damaged))
    if (type === 'IEND') return found
    found.push({ type, data: file.subarray(at + 8, end) })
    at = end + 4
  }
  throw refused(translate(damaged))
}

/** @throws AppError invalid_input for a picture that cannot be a logo */
function sizesOf(header: Buffer): { width: number; height: number; rowBytes: number } {
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const [bits, colourType, compression, filter, interlace] = header.subarray(8)
  const { least, most, widest, narrowest } = logoLimits
  if (Math.min(width, height) < least || Math.max(width, height) > most) {
    throw refused(t('A logo has between {least} and {most} pixels in width and height', { least, most }))
  }
  if (width / height > widest || width / height < narrowest) {
    throw refused(
      t('A logo is at most {wide} times as wide as high, and at most {high} times as high as wide', {
        wide: widest,
        high: 1 / narrowest,
      }),
    )
  }
  const known = colourTypes[colourType!]
  if (!known?.bits.includes(bits!) || compression !== 0 || filter !== 0) throw refused(translate(damaged))
  if (interlace !== 0) throw refused(t('Save this PNG without interlacing'))
  return { width, height, rowBytes: Math.ceil((width * known.samples * bits!) / 8) }
}

/** Exactly so many bytes: a small file cannot become a large one here. */
function inflated(data: Buffer, bytes: number): Buffer {
  try {
    const pixels = inflateSync(data, { maxOutputLength: bytes })
    if (pixels.length === bytes) return pixels
  } catch {
    // Damaged, or longer than its header says.
  }
  throw refused(translate(damaged))
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const written = Buffer.alloc(named.length + 8)
  written.writeUInt32BE(data.length, 0)
  named.copy(written, 4)
  written.writeUInt32BE(crc32(named), named.length + 4)
  return written
}

function refused(message: string): AppError {
  return new AppError('invalid_input', message, { fields: { logo: message } })
}
