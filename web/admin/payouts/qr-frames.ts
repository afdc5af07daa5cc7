import { base32nopad } from '@scure/base'

/** How a PSBT is cut into QR codes, which a device reads one after the other. All texts are alphanumeric, as QR codes hold most of. */
export const qrFormats = { ur: urFrames, bbqr: bbqrFrames }
export type QrFormat = keyof typeof qrFormats

/** A larger PSBT takes a camera more than half a minute. */
export const mostQrBytes = 25_000

/** Bytes in a code, so that it is coarse enough for a phone's screen: version 13 at most. */
const BBQR_BYTES = 375
const UR_BYTES = 200

/** BBQr (github.com/coinkite/BBQr), not compressed: each part but the last is as long as the first, and of whole bytes. */
function bbqrFrames(psbt: Uint8Array): string[] {
  const even = psbt.length / Math.ceil(psbt.length / BBQR_BYTES)
  // Five bytes are eight letters.
  const size = Math.ceil(even / 5) * 5
  const count = Math.ceil(psbt.length / size)
  const digits = (value: number) => value.toString(36).toUpperCase().padStart(2, '0')
  return Array.from({ length: count }, (_, at) => {
    const part = psbt.slice(at * size, (at + 1) * size)
    return `B$2P${digits(count)}${digits(at)}${base32nopad.encode(part)}`
  })
}

/**
 * UR (BCR-2020-005 of Blockchain Commons) of type crypto-psbt (BCR-2020-006): the parts without the mixed ones that may follow them, since
 * they are shown again and again.
 */
function urFrames(psbt: Uint8Array): string[] {
  const message = Uint8Array.of(...cborHead(0x40, psbt.length), ...psbt)
  const count = Math.ceil(message.length / UR_BYTES)
  const prefix = 'UR:CRYPTO-PSBT'
  if (count === 1) return [`${prefix}/${byteWords(message)}`]
  const size = Math.ceil(message.length / count)
  const checksum = crc32(message)
  return Array.from({ length: count }, (_, at) => {
    const data = new Uint8Array(size)
    data.set(message.slice(at * size, (at + 1) * size))
    const numbers = [at + 1, count, message.length, checksum].flatMap(value => cborHead(0x00, value))
    const part = Uint8Array.of(0x85, ...numbers, ...cborHead(0x40, size), ...data)
    return `${prefix}/${at + 1}-${count}/${byteWords(part)}`
  })
}

/** A number (kind 0x00), or the length of bytes (0x40), in the shortest form (RFC 8949, 3.1). */
function cborHead(kind: number, value: number): number[] {
  if (value < 24) return [kind | value]
  const [name, size] = value < 0x100 ? [24, 1] : value < 0x1_0000 ? [25, 2] : [26, 4]
  const bytes = Array.from({ length: size }, (_, at) => (value >>> (8 * (size - 1 - at))) & 0xff)
  return [kind | name, ...bytes]
}

/** The first and last letter of each of the 256 words of BCR-2020-012. */
const letters =
  'aeadaoaxaaahamatayasbkbdbnbtbabsbebybgbwbbbzcmchcscfcycwcecackctcxclcpcndkdadsdidedtdrdndwdpdmdldyeheyeoeeecenemetesftfrfnfsfmfhfzfpfwfxfyfefgflfdgagegrgsgtglgwgdgygmgughgohfhghdhkhthphhhlhyhehnhsidiaieihiyioisinimjejzjnjtjljojsjpjkjykpkoktkskkknkgkekikblblalylflslrlplnltloldlelulklgmnmymhmemomumwmdmtmsmknlnyndnsntnnnenboyoeotoxonolospdptpkpypspmplpepfpaprqdqzrerprlrorhrdrkrfryrnrsrtsesasrssskswstspsosgsbsfsntotktitttdtetytltbtstptatnuyuoutueurvtvyvovlvevwvavdvswlwdwmwpwewywswtwnwzwfwkykynylyaytzszoztzczezm'

/** Bytes with their checksum, two letters for each. */
function byteWords(bytes: Uint8Array): string {
  const checksum = crc32(bytes)
  const all = [...bytes, ...[24, 16, 8, 0].map(shift => (checksum >>> shift) & 0xff)]
  return all
    .map(byte => letters.slice(2 * byte, 2 * byte + 2))
    .join('')
    .toUpperCase()
}

/** CRC-32 as in ISO/IEC 3309. */
function crc32(bytes: Uint8Array): number {
  let crc = ~0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb8_8320 : 0)
  }
  return ~crc >>> 0
}
