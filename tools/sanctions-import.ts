import { createReadStream } from 'node:fs'
import { EXIT_FAILURE, StartupError } from '#server/platform/startup-error.ts'
import { send } from '#server/platform/tracing/outgoing.ts'
import { reportEnd } from '#server/process/lifetime.ts'
import { type ImportOutcome, importList } from '#server/screening/import.ts'
import { UnreadableList } from '#server/screening/lists/list.ts'
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
    const outcome = await importList(services, list, contentOf(from)).catch(asStartupError(from))
    console.log(words(outcome))
  })
}

/** @throws UnreadableList if the file or the address cannot be read to its end */
async function* contentOf(from: string): AsyncGenerator<Uint8Array> {
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

function asStartupError(from: string) {
  return (error: unknown): never => {
    if (!(error instanceof UnreadableList)) throw error
    throw new StartupError(`${from}: ${error.message} Nothing has changed.`, EXIT_FAILURE)
  }
}

function words(outcome: ImportOutcome): string {
  const { publishedOn, entries, wallets, added, removed, entryChanges, unchanged, open } = outcome
  const inForce = `Published on ${publishedOn}; entries: ${entries}, their wallets: ${wallets}`
  const changes = unchanged
    ? 'In force already'
    : `Entries added: ${entryChanges.added}, removed: ${entryChanges.removed}, changed: ${entryChanges.changed}. Wallets added: ${added}, removed: ${removed}`
  const named = open.map(({ invoice, batch }) =>
    batch === null ? invoice : `${invoice} (in batch ${batch})`,
  )
  const waiting =
    named.length === 0
      ? []
      : [
          `Open withdrawals to listed wallets: ${named.join(', ')}. Cancel the batches that pay them, and decline them; the investors get the amounts back.`,
        ]
  return [`${inForce}. ${changes}.`, ...waiting].join('\n')
}

await main(process.argv.slice(2)).catch(reportEnd)
