import { crc32, deflateSync } from 'node:zlib'

type Drawn = {
  width?: number
  /** With a palette: every pixel is its first colour. */
  palette?: Buffer
  height?: number
  /** Chunks before the pixels. */
  extra?: Buffer[]
  /** The pixels' data, if not that of a picture of this size. */
  pixels?: Buffer
  interlace?: number
  /** Bytes behind the end. */
  behind?: Buffer
}

export function pngChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, checksum])
}

/** A PNG of one colour, with alpha or a palette. */
export function png(of: Drawn = {}): Buffer {
  const { width = 120, height = 30, extra = [], interlace = 0, behind = Buffer.alloc(0) } = of
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, of.palette ? 3 : 6, 0, 0, interlace], 8)
  const samples = of.palette ? Buffer.alloc(width) : Buffer.alloc(width * 4, Buffer.from([11, 110, 79, 255]))
  const row = Buffer.concat([Buffer.from([0]), samples])
  const pixels = of.pixels ?? Buffer.concat(Array.from({ length: height }, () => row))
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    ...(of.palette ? [pngChunk('PLTE', of.palette)] : []),
    ...extra,
    pngChunk('IDAT', deflateSync(pixels)),
    pngChunk('IEND', Buffer.alloc(0)),
    behind,
  ])
}
