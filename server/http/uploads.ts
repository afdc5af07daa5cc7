import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Services } from '#server/context.ts'
import { type ClamdAddress, scan } from '#server/platform/clamd.ts'
import type { CallDefinition, UploadedFile } from '#shared/contract/define.ts'
import { AppError } from '#shared/errors.ts'
import { type AttachmentType, fileTypesInWords } from '#shared/evidence.ts'
import { type Authentication, permit } from './authenticate.ts'
import { limitCall } from './limits.ts'

/** Retry-After while files cannot be scanned, in seconds. */
const RETRY_SECONDS = 60

/**
 * Bodies of calls that take a file: only the file's own types, up to the call's limit, from people who may make the
 * call. All is checked, and the call is counted, before the first byte is read. ClamAV, if configured, scans each file.
 */
export function takeFiles(
  scope: FastifyInstance,
  services: Services,
  auth: Authentication,
  call: CallDefinition & { upload: object },
): void {
  const { clamd } = services.config
  const { field, types, maximumBytes } = call.upload as NonNullable<CallDefinition['upload']>
  scope.addHook('onRequest', async request => {
    const caller = await permit(auth, call, request)
    await limitCall(call, { services, caller, ip: request.ip })
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
  if (clamd !== null) scope.addHook('preHandler', request => refuseMalware(clamd, request, field))
  scope.setErrorHandler((error, _request, reply) => {
    // Fastify would close the connection, and lose the answer if the sender is still sending. Node reads the rest and
    // drops it, for as long as a request may take.
    reply.removeHeader('connection')
    throw refusalOf((error as { code?: unknown }).code, types, maximumBytes) ?? error
  })
}

function sizeInWords(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes / 1024} kB` : `${bytes / 1024 / 1024} MB`
}

/** Fastify's refusals in words for an upload. */
function refusalOf(
  code: unknown,
  types: readonly AttachmentType[],
  maximumBytes: number,
): AppError | undefined {
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new AppError('payload_too_large', `A file can have at most ${sizeInWords(maximumBytes)}`)
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new AppError('unsupported_media_type', `Send a ${fileTypesInWords(types)} file`)
  }
  return undefined
}

/**
 * @throws AppError invalid_input if malware was found; not_ready if nobody knows, because then nothing may be stored
 */
async function refuseMalware(clamd: ClamdAddress, request: FastifyRequest, field: string): Promise<void> {
  const { content } = (request.body ?? { content: Buffer.alloc(0) }) as UploadedFile
  const malware = await scan(clamd, content).catch((cause: unknown) => {
    const message =
      'Files cannot be checked for malware right now. Nothing was stored. Please try again later.'
    throw new AppError('not_ready', message, { retryAfterSeconds: RETRY_SECONDS, cause })
  })
  if (malware === null) return
  const { userId, role } = request.caller!
  const { call } = request.routeOptions.config
  request.log.warn({ malware, userId, role, call }, 'a file with malware was refused')
  const message = 'This file contains malware, so it was not stored'
  throw new AppError('invalid_input', message, { fields: { [field]: message } })
}
