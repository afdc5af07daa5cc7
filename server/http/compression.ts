import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Encoding } from './negotiation.ts'

const brotli = promisify(brotliCompress)
const deflate = promisify(gzip)

type Effort = { gzip: number; brotli: number }
/** For cached documents: once for each change, in another thread, some 30 ms for the largest page. */
export const mostEffort: Effort = { gzip: constants.Z_BEST_COMPRESSION, brotli: constants.BROTLI_MAX_QUALITY }
/** For files of a megabyte and more, where the most effort takes seconds. */
export const largeEffort: Effort = { gzip: 6, brotli: 8 }
/** For documents sent once: a third of a millisecond for a page of the account area. */
export const leastEffort: Effort = { gzip: 4, brotli: 4 }

export async function compressed(encoding: Encoding, body: Buffer, effort: Effort): Promise<Buffer> {
  if (encoding === 'identity') return body
  if (encoding === 'gzip') return deflate(body, { level: effort.gzip })
  return brotli(body, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: effort.brotli,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    },
  })
}
