import { useRef, useState } from 'react'
import { addressOf } from '#shared/call-address.ts'
import type { CallDefinition, CallInput, Failure } from '#shared/contract/define.ts'
import { waitingForFiles } from '#shared/download.ts'
import { languageNow } from '#shared/i18n/language.ts'
import { t } from '#shared/i18n/t.ts'
import { toast } from '#web/ui/toast.ts'
import { asSignedIn } from './call.ts'
import { ApiError, wordsOf } from './errors.ts'
import { withReauthentication } from './reauthentication.ts'

type FileCall = CallDefinition & { file: NonNullable<CallDefinition['file']> }
export type Download = { name: string; content: Blob }

/** How long a file waits for other files to be made, in milliseconds. */
const LONGEST_WAIT_MS = 120_000
/** Time before it asks again, without a Retry-After. */
const RETRY_MS = 3_000

/** Milliseconds after which a saved file's object URL is revoked. */
const KEPT_MS = 60_000

export function nameIn(disposition: string | null): string {
  return /filename="([^"/\\]+)"/.exec(disposition ?? '')?.[1] ?? 'download'
}

/** Fetches a file with the token in a header, never in the address. */
async function fetchFile<C extends FileCall>(
  definition: C,
  input: CallInput<C>,
  access: string,
): Promise<Download> {
  let response: Response
  try {
    response = await fetch(addressOf(definition, input), {
      headers: { Authorization: `Token ${access}`, 'Accept-Language': languageNow() },
    })
    if (response.ok) {
      return { name: nameIn(response.headers.get('Content-Disposition')), content: await response.blob() }
    }
  } catch {
    // Also for an interrupted download.
    throw new ApiError(0)
  }
  const failure = (await response.json().catch(() => undefined)) as Failure | undefined
  const retryAfter = Number(response.headers.get('Retry-After'))
  throw new ApiError(response.status, failure, retryAfter > 0 ? retryAfter * 1_000 : undefined)
}

/**
 * Asks again while other files are being made.
 * @param waits called each time that it has to wait
 */
export async function waitingForOthers<T>(ask: () => Promise<T>, waits: () => void): Promise<T> {
  const limit = performance.now() + LONGEST_WAIT_MS
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      const isWaiting = error instanceof ApiError && error.reason === waitingForFiles
      if (!isWaiting || performance.now() > limit) throw error
      waits()
      await new Promise(resolve => setTimeout(resolve, error.retryAfterMs ?? RETRY_MS))
    }
  }
}

/** What to tell about a failed download: a file that waited too long is nobody's fault. */
function failureWords(error: unknown): string {
  if (error instanceof ApiError && error.reason === waitingForFiles && error.detail) return error.detail
  return wordsOf(error)
}

/** Saves a downloaded file. */
export function save({ name, content }: Download): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS)
}

/** What is done with a file, and the words about it. */
type Use = { take: (file: Download) => void | Promise<void>; done: (name: string) => string }

const saving: Use = { take: save, done: name => t('{name} saved', { name }) }

/** Downloads a file and saves it, one at a time, with a progress toast. @param to what else is done with it */
export function useDownload<C extends FileCall>(definition: C, { take, done }: Use = saving) {
  const [pending, setPending] = useState(false)
  const busy = useRef(false)
  async function run(input: CallInput<C>): Promise<void> {
    if (busy.current) return
    busy.current = true
    setPending(true)
    const progress = toast.loading(t('Preparing your file'))
    try {
      const file = await waitingForOthers(
        () => withReauthentication(() => asSignedIn(access => fetchFile(definition, input, access))),
        () => progress.say(t('Waiting for other files…')),
      )
      await take(file)
      progress.success(done(file.name))
    } catch (error) {
      progress.error(failureWords(error))
    } finally {
      busy.current = false
      setPending(false)
    }
  }
  return { run, pending }
}
