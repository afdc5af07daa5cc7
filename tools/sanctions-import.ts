import { createReadStream } from 'node:fs'
import type { Services } from '#server/context.ts'
import { EXIT_FAILURE, StartupError } from '#server/platform/startup-error.ts'
import { reportEnd } from '#server/process/lifetime.ts'
import { download, read, Unreachable } from '#server/screening/download.ts'
import { type ImportOutcome, ImportUnderWay, importList, retirePeps } from '#server/screening/import.ts'
import { UnreadableList } from '#server/screening/lists/list.ts'
import { nameLists } from '#shared/sanctions.ts'
import { installation, onInstallation } from './installation.ts'

/**
 * npm run sanctions:import -- ofac_sdn SDN.XML: puts a published list in force, of sanctions or of politically exposed persons, from a file or an https address
 * (docs/operate.md). A worker does it every day for lists that have an address in the configuration. The firm chooses which persons count
 * as politically exposed: it can exchange that list for a smaller or an older one, or retire it.
 */
const usage = `npm run sanctions:import -- ${nameLists.join('|')} <file, or address that begins with https://>
npm run sanctions:import -- pep <file or address> --exchange
npm run sanctions:import -- pep --retire`

async function main([name, from, option, ...more]: string[]): Promise<void> {
  const list = nameLists.find(known => known === name)
  const isPep = list === 'pep'
  const exchanges = isPep && option === '--exchange'
  const retires = isPep && from === '--retire'
  const isUsed = list !== undefined && from !== undefined && (retires || !from.startsWith('--'))
  if (!isUsed || (option !== undefined && !exchanges) || more.length > 0 || (retires && exchanges))
    throw new StartupError(usage, EXIT_FAILURE)
  await onInstallation(installation(), async services => {
    if (retires) return retire(services)
    const outcome = await contentOf(from)
      .then(content => importList(services, list, content, { exchanges }))
      .catch(asStartupError(from))
    console.log(words(outcome))
  })
}

async function retire(services: Services): Promise<void> {
  if (services.config.listAddresses.pep !== undefined) {
    throw new StartupError(
      'PEP_LIST_URL is set, so a worker would fetch the list again. Remove it first. Nothing has changed.',
      EXIT_FAILURE,
    )
  }
  const persons = await retirePeps(services).catch(asStartupError('pep'))
  console.log(`The list of politically exposed persons is no longer in use. Entries removed: ${persons}.`)
}

/** @throws Unreachable if the file or the address cannot be read to its end */
async function contentOf(from: string): Promise<AsyncIterable<Uint8Array>> {
  return from.startsWith('https://') ? (await download(from))!.content : read(createReadStream(from))
}

function asStartupError(from: string) {
  return (error: unknown): never => {
    if (!(error instanceof UnreadableList || error instanceof Unreachable || error instanceof ImportUnderWay))
      throw error
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
