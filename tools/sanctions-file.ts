import { createReadStream } from 'node:fs'
import { EXIT_FAILURE, StartupError } from '#server/platform/startup-error.ts'
import { send } from '#server/platform/tracing/outgoing.ts'
import { UnreadableList } from '#server/screening/lists/list.ts'
import { type SanctionsList, sanctionsLists } from '#shared/sanctions.ts'

const MINUTE_MS = 60_000
/** A download that takes longer has failed. */
const DOWNLOAD_MS = 10 * MINUTE_MS

/** @property from a file, or an address that begins with https:// */
export type SanctionsSource = { list: SanctionsList; from: string }

/**
 * The list and its file that a command names.
 * @throws StartupError with the command's usage
 */
export function sourceOf(command: string, [name, from]: string[]): SanctionsSource {
  const list = sanctionsLists.find(known => known === name)
  if (list !== undefined && from !== undefined) return { list, from }
  const usage = `npm run ${command} -- ${sanctionsLists.join('|')} <file, or address that begins with https://>`
  throw new StartupError(usage, EXIT_FAILURE)
}

/** @throws UnreadableList if the file or the address cannot be read to its end */
export async function* contentOf({ from }: SanctionsSource): AsyncGenerator<Uint8Array> {
  try {
    yield* from.startsWith('https://') ? await download(from) : createReadStream(from)
  } catch (error) {
    if (error instanceof UnreadableList) throw error
    const { message, cause } = error as Error
    throw new UnreadableList(`It cannot be read: ${(cause as Error | undefined)?.message ?? message}.`)
  }
}

async function download(address: string): Promise<AsyncIterable<Uint8Array>> {
  const response = await send(address, { method: 'GET', signal: AbortSignal.timeout(DOWNLOAD_MS) })
  if (response.ok && response.body) return response.body
  throw new UnreadableList(`It answered with status ${response.status}.`)
}

/** Ends a command whose file cannot be read. */
export function unreadable({ from }: SanctionsSource, consequence: string) {
  return (error: unknown): never => {
    if (!(error instanceof UnreadableList)) throw error
    throw new StartupError(`${from}: ${error.message} ${consequence}`, EXIT_FAILURE)
  }
}
