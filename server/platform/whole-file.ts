import { createHash } from 'node:crypto'
import { AppError } from '#shared/errors.ts'
import { type AttachmentType, fileKinds, fileTypesInWords } from '#shared/evidence.ts'
import { t } from '#shared/i18n/t.ts'

/** Longest stored file name, in characters. */
const longestName = 120

/** ISO 32000: a header in the first line, an end-of-file marker near the end. */
const pdfHeader = /^%PDF-[12]\.\d/
const pdfTail = 1024
/** PNG, 5.2 and 11.2: signature and IHDR chunk first, IEND chunk last. */
const pngHead = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const pngEnd = Buffer.from('0000000049454e44ae426082', 'hex')
/** ISO/IEC 10918-1, B.1.1.3: start of image first, end of image last; cameras append data of their own. */
const jpegHead = Buffer.from('ffd8ff', 'hex')
const jpegEnd = Buffer.from('ffd9', 'hex')

const isWhole: Record<AttachmentType, (content: Buffer) => boolean> = {
  'application/pdf': content =>
    pdfHeader.test(content.subarray(0, 8).toString('latin1')) &&
    content.subarray(-pdfTail).toString('latin1').includes('%%EOF'),
  'image/png': content =>
    content.subarray(0, pngHead.length).equals(pngHead) && content.subarray(-pngEnd.length).equals(pngEnd),
  'image/jpeg': content =>
    content.subarray(0, jpegHead.length).equals(jpegHead) && content.lastIndexOf(jpegEnd) > jpegHead.length,
}

/**
 * A file that someone sends, as it is stored: of one of these types, with the first and last bytes of its type, under a safe name.
 * @param field named by a refusal, and by a file without a usable name
 * @throws AppError invalid_input
 */
export function wholeFile<Type extends AttachmentType>(
  types: readonly Type[],
  { name, type, content: sent }: { name: string; type: string; content: Uint8Array },
  field: string,
): { name: string; type: Type; content: Buffer; sha256: Buffer } {
  const known = types.find(one => one === type)
  const content = Buffer.from(sent)
  if (known === undefined || !isWhole[known](content)) {
    const message = t('This is not a complete {types} file', { types: fileTypesInWords(types) })
    throw new AppError('invalid_input', message, { fields: { [field]: message } })
  }
  const sha256 = createHash('sha256').update(content).digest()
  return { name: plainName(name, fileKinds[known].ending, field), type: known, content, sha256 }
}

/** The path's last part in safe characters, with the extension of its type. */
function plainName(name: string, ending: string, fallback: string): string {
  const last = name.split(/[/\\]/).at(-1)!
  const stem = last
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/\.[^.]*$/, '')
    .replace(/[^\w ,.-]+/g, '-')
    .replace(/^[\s.-]+|[\s.-]+$/g, '')
  return `${stem.slice(0, longestName - ending.length) || fallback}${ending}`
}
