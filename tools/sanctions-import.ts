import { reportEnd } from '#server/process/lifetime.ts'
import { type ImportOutcome, importList } from '#server/screening/import.ts'
import { installation, onInstallation } from './installation.ts'
import { contentOf, sourceOf, unreadable } from './sanctions-file.ts'

/**
 * npm run sanctions:import -- ofac_sdn SDN.XML: puts a published sanctions list in force, from a file or an https address
 * (docs/operate.md). Run it again for each new file; a list that is in force already changes nothing.
 */
async function main(given: string[]): Promise<void> {
  const source = sourceOf('sanctions:import', given)
  await onInstallation(installation(), async services => {
    const outcome = await importList(services, source.list, contentOf(source)).catch(
      unreadable(source, 'Nothing has changed.'),
    )
    console.log(words(outcome))
  })
}

function words({ publishedOn, entries, wallets, added, removed, unchanged, open }: ImportOutcome): string {
  const inForce = `Published on ${publishedOn}; entries: ${entries}, their wallets: ${wallets}`
  const changes = unchanged ? 'In force already' : `Wallets added: ${added}, removed: ${removed}`
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
