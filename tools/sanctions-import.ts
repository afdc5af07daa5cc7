import { createReadStream } from 'node:fs'
import { EXIT_FAILURE, StartupError } from '#server/platform/startup-error.ts'
import { reportEnd } from '#server/process/lifetime.ts'
import { download, read, Unreachable } from '#server/screening/download.ts'
import { type ImportOutcome, importList } from '#server/screening/import.ts'
import { UnreadableList } from '#server/screening/lists/list.ts'
import { nameLists } from '#shared/sanctions.ts'
import { installation, onInstallation } from './installation.ts'

/**
 * npm run sanctions:import -- ofac_sdn SDN.XML: puts a published list in force, of sanctions or of politically exposed persons, from a file or an https address
 * (docs/operate.md). A worker does it every day for lists that have an address in the configuration.
 */
const usage = `npm run sanctions:import -- ${nameLists.join('|')} <file, or address that begins with https://>`

async function main([name, from]: string[]): Promise<void> {
  const list = nameLists.find(known => known === name)
  if (list === undefined || from === undefined) throw new StartupError(usage, EXIT_FAILURE)
  await onInstallation(installation(), async services => {
    const outcome = await contentOf(from)
      .then(content => importList(services, list, content))
      .catch(asStartupError(from))
    console.log(words(outcome))
  })
}

/** @throws Unreachable if the file or the address cannot be read to its end */
async function contentOf(from: string): Promise<AsyncIterable<Uint8Array>> {
  return from.startsWith('https://') ? (await download(from))!.content : read(createReadStream(from))
}

function asStartupError(from: string) {
  return (error: unknown): never => {
    if (!(error instanceof UnreadableList || error instanceof Unreachable)) throw error
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
