import { type ClamdAddress, scan } from '#server/platform/clamd.ts'
import { AppError } from '#shared/errors.ts'
import { type AttachmentType, fileTypesInWords } from '#shared/evidence.ts'
import { t } from '#shared/i18n/t.ts'

/** Retry-After while files cannot be scanned, in seconds. */
const RETRY_SECONDS = 60

export function fileTooLarge(maximumBytes: number): AppError {
  const size = maximumBytes < 1024 * 1024 ? `${maximumBytes / 1024} kB` : `${maximumBytes / 1024 / 1024} MB`
  return new AppError('payload_too_large', t('A file can have at most {size}', { size }))
}

export function fileOfOtherType(types: readonly AttachmentType[]): AppError {
  return new AppError('unsupported_media_type', t('Send a {types} file', { types: fileTypesInWords(types) }))
}

/**
 * Scans a file that somebody sends.
 * @param field named by the refusal
 * @param found called with the name of the malware
 * @throws AppError invalid_input if malware was found; not_ready if nobody knows, because then nothing may be stored
 */
export async function refuseMalware(
  clamd: ClamdAddress,
  content: Uint8Array,
  field: string,
  found: (malware: string) => void,
): Promise<void> {
  const malware = await scan(clamd, content).catch((cause: unknown) => {
    const message = t(
      'Files cannot be checked for malware right now. Nothing was stored. Please try again later.',
    )
    throw new AppError('not_ready', message, { retryAfterSeconds: RETRY_SECONDS, cause })
  })
  if (malware === null) return
  found(malware)
  const message = t('This file contains malware, so it was not stored')
  throw new AppError('invalid_input', message, { fields: { [field]: message } })
}
