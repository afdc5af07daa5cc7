import type { FastifyInstance } from 'fastify'
import type { Services } from '#server/context.ts'
import { readerOf } from '#server/platform/database/replica.ts'
import { headersOf, type ProofFile, proofFile } from '#server/proof/files.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'

/** The files of the public proof (docs/proof-format.md), for every site and program that checks them. */
export function serveProofFiles(app: FastifyInstance, services: Services): void {
  const fixed = [
    'vkey',
    'receipts-vkey',
    'keys',
    'checkpoint',
    'policy',
    'stamps',
    'verifier.tgz',
    'tile/*',
    'epochs/*',
  ]
  for (const url of fixed.map(name => `/proof/${name}`)) {
    app.get(url, async (request, reply) => {
      const path = request.url.split('?')[0]!.slice('/proof/'.length)
      const { pool } = await readerOf(services)
      const file = await proofFile(pool, path)
      if (file === undefined) throw new AppError('not_found', t('The public proof has no such file'))
      reply.header('access-control-allow-origin', '*').header('accept-ranges', 'bytes')
      reply.headers(headersOf(file))
      const range = rangeOf(request.headers.range, file)
      if (range === undefined) return await file.read(0, file.bytes)
      reply.status(206).header('content-range', `bytes ${range.from}-${range.to - 1}/${file.bytes}`)
      return await file.read(range.from, range.to)
    })
  }
}

/** One range of bytes (RFC 9110, 14.1.2); anything else is answered with the whole file. */
function rangeOf(header: string | undefined, { bytes }: ProofFile): { from: number; to: number } | undefined {
  const [, first, last] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(header ?? '') ?? []
  if (first === undefined || last === undefined) return undefined
  const from = Number(first)
  const to = Math.min(Number(last) + 1, bytes)
  return from < to ? { from, to } : undefined
}
