import type { FastifyInstance } from 'fastify'
import type { CallDefinition, UploadedFile } from '#shared/contract/define.ts'
import { AppError } from '#shared/errors.ts'
import { type Authentication, permit } from './authenticate.ts'

/**
 * Bodies of calls that take a file: only the file's own types, up to the call's limit, from people who may make the
 * call. All is checked before the first byte is read.
 */
export function takeFiles(
  scope: FastifyInstance,
  auth: Authentication,
  call: CallDefinition,
  { types, maximumBytes }: NonNullable<CallDefinition['upload']>,
): void {
  scope.addHook('onRequest', async request => {
    await permit(auth, call, request)
  })
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    [...types],
    { parseAs: 'buffer', bodyLimit: maximumBytes },
    (request, content, done) => {
      const type = `${request.headers['content-type']}`.split(';')[0]!.trim().toLowerCase()
      const file: UploadedFile = { type, content: content as Buffer }
      done(null, file)
    },
  )
  scope.setErrorHandler(error => {
    throw refusalOf((error as { code?: unknown }).code, maximumBytes) ?? error
  })
}

/** Fastify's refusals in words for an upload. */
function refusalOf(code: unknown, maximumBytes: number): AppError | undefined {
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new AppError('payload_too_large', `A file can have at most ${maximumBytes / 1024 / 1024} MB`)
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new AppError('unsupported_media_type', 'Send a PDF or a PNG file')
  }
  return undefined
}
