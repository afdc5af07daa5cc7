import { createReadStream } from 'node:fs'
import { EXIT_FAILURE, StartupError } from '#server/platform/startup-error.ts'
import { send } from '#server/platform/tracing/outgoing.ts'
import { reportEnd } from '#server/process/lifetime.ts'
import { type ImportOutcome, importList } from '#server/screening/import.ts'
import { UnreadableList } from '#server/screening/sdn.ts'
import { sanctionsLists } from '#shared/sanctions.ts'
import { installation, onInstallation } from './installation.ts'

/**
 * npm run sanctions:import -- ofac_sdn SDN.XML: puts a published sanctions list in force, from a file or an https address
 * (docs/operate.md). Run it again for each new file; a list that is in force already changes nothing.
 */
const usage = `npm run sanctions:import -- ${sanctionsLists.join('|')} <file, or address that begins with https://>`
const MINUTE_MS = 60_000
/** A download that takes longer has failed. */
const DOWNLOAD_MS = 10 * MINUTE_MS

async function main([name, from]: string[]): Promise<void> {
  const list = sanctionsLists.find(known => known === name)
  if (list === undefined || from === undefined) throw new StartupError(usage, EXIT_FAILURE)
  await onInstallation(installation(), async services => {
    const outcome = await contentOf(from)
      .then(content => importList(services, list, content))
      .catch(asStartupError(from))
    console.log(words(outcome))
  })
}

function nothingChanged(from: string, why: string): StartupError {
  return new StartupError(`${from}: ${why} Nothing has changed.`, EXIT_FAILURE)
}

async function contentOf(from: string): Promise<AsyncIterable<Uint8Array>> {
  if (!from.startsWith('https://')) return createReadStream(from)
  const response = await send(from, { method: 'GET', signal: AbortSignal.timeout(DOWNLOAD_MS) })
  if (response.ok && response.body) return response.body
  throw nothingChanged(from, `It answered with status ${response.status}.`)
}

function asStartupError(from: string) {
  return (error: unknown): never => {
    if (error instanceof StartupError) throw error
    const { message, code, cause } = error as NodeJS.ErrnoException
    if (error instanceof UnreadableList) throw nothingChanged(from, message)
    // The file, or the network of a download; errors of the database have codes, too, and are not about the list.
    if (code?.startsWith('E') || error instanceof TypeError || (error as Error).name === 'TimeoutError') {
      throw nothingChanged(from, `It cannot be read: ${(cause as Error | undefined)?.message ?? message}.`)
    }
    throw error
  }
}

function words({ publishedOn, entries, wallets, added, removed, unchanged, open }: ImportOutcome): string {
  const inForce = `Published on ${publishedOn}; entries: ${entries}, their wallets: ${wallets}`
  const changes = unchanged ? 'In force already' : `Wallets added: ${added}, removed: ${removed}`
  const waiting =
    open.length === 0
      ? []
      : [`Open withdrawals to listed wallets, which must be declined: ${open.join(', ')}.`]
  return [`${inForce}. ${changes}.`, ...waiting].join('\n')
}

await main(process.argv.slice(2)).catch(reportEnd)
