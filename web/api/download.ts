import { useRef, useState } from 'react'
import { addressOf } from '#shared/call-address.ts'
import type { CallDefinition, CallInput, Failure } from '#shared/contract/define.ts'
import { toast } from '#web/ui/toast.ts'
import { asSignedIn } from './call.ts'
import { ApiError, wordsOf } from './errors.ts'

type FileCall = CallDefinition & { file: NonNullable<CallDefinition['file']> }
export type Download = { name: string; content: Blob }

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
    response = await fetch(addressOf(definition, input), { headers: { Authorization: `Token ${access}` } })
    if (response.ok) {
      return { name: nameIn(response.headers.get('Content-Disposition')), content: await response.blob() }
    }
  } catch {
    // Also for an interrupted download.
    throw new ApiError(0)
  }
  throw new ApiError(response.status, (await response.json().catch(() => undefined)) as Failure | undefined)
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

const saving: Use = { take: save, done: name => `${name} saved` }

/** Downloads a file and saves it, one at a time, with a progress toast. @param to what else is done with it */
export function useDownload<C extends FileCall>(definition: C, { take, done }: Use = saving) {
  const [pending, setPending] = useState(false)
  const busy = useRef(false)
  async function run(input: CallInput<C>): Promise<void> {
    if (busy.current) return
    busy.current = true
    setPending(true)
    const progress = toast.loading('Preparing your file')
    try {
      const file = await asSignedIn(access => fetchFile(definition, input, access))
      await take(file)
      progress.success(done(file.name))
    } catch (error) {
      progress.error(wordsOf(error))
    } finally {
      busy.current = false
      setPending(false)
    }
  }
  return { run, pending }
}
