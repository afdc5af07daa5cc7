import type { FastifyInstance } from 'fastify'
import type { Services } from '#server/context.ts'
import { fileOfOtherType, fileTooLarge, refuseMalware } from '#server/platform/uploaded-file.ts'
import type { CallDefinition, UploadedFile } from '#shared/contract/define.ts'
import type { AppError } from '#shared/errors.ts'
import type { AttachmentType } from '#shared/evidence.ts'
import { type Authentication, permit } from './authenticate.ts'
import { limitCall } from './limits.ts'

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
  if (clamd !== null) {
    scope.addHook('preHandler', async request => {
      const { content } = (request.body ?? { content: Buffer.alloc(0) }) as UploadedFile
      await refuseMalware(clamd, content, field, malware => {
        const { userId, role } = request.caller!
        const { call } = request.routeOptions.config
        request.log.warn({ malware, userId, role, call }, 'a file with malware was refused')
      })
    })
  }
  scope.setErrorHandler((error, _request, reply) => {
    // Fastify would close the connection, and lose the answer if the sender is still sending. Node reads the rest and
    // drops it, for as long as a request may take.
    reply.removeHeader('connection')
    throw refusalOf((error as { code?: unknown }).code, types, maximumBytes) ?? error
  })
}

/** Fastify's refusals in words for an upload. */
function refusalOf(
  code: unknown,
  types: readonly AttachmentType[],
  maximumBytes: number,
): AppError | undefined {
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return fileTooLarge(maximumBytes)
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return fileOfOtherType(types)
  }
  return undefined
}
