import { csvLine, textCell } from '#server/platform/csv.ts'
import { reportEnd } from '#server/process/lifetime.ts'
import { readers } from '#server/screening/lists/index.ts'
import { comparePeople, type PersonMatch } from '#server/screening/people.ts'
import { installation, onInstallation } from './installation.ts'
import { contentOf, sourceOf, unreadable } from './sanctions-file.ts'

/**
 * npm run --silent sanctions:screen -- ofac_sdn SDN.XML > matches.csv: compares the names of all accounts with a published sanctions list
 * and prints those that a person should review (docs/operate.md). It changes nothing.
 */
async function main(given: string[]): Promise<void> {
  const source = sourceOf('sanctions:screen', given)
  await onInstallation(installation(), async ({ db }) => {
    const { entries } = await readers[source.list](contentOf(source)).catch(
      unreadable(source, 'Nothing was compared.'),
    )
    process.stdout.write(csvLine(columns))
    const total = { accounts: 0, matches: 0 }
    for await (const { accounts, matches } of comparePeople(db, entries)) {
      total.accounts += accounts
      total.matches += matches.length
      process.stdout.write(matches.map(lineOf).join(''))
    }
    process.stderr.write(
      `Accounts compared with the ${entries.length} entries of the list: ${total.accounts}. Matches to review: ${total.matches}.\n`,
    )
  })
}

const columns = [
  'account',
  'name',
  'country',
  'type',
  'entry',
  'listed name',
  'likeness',
  'kind',
  'births',
  'countries',
  'programmes',
]

function lineOf({ account, entry, listed, score }: PersonMatch): string {
  const texts = [entry.births, entry.countries, entry.programmes].map(of => of.join('; '))
  return csvLine([
    account.id,
    ...[account.name, account.country, account.type, entry.entry, listed].map(textCell),
    score.toFixed(2),
    ...[entry.kind, ...texts].map(textCell),
  ])
}

await main(process.argv.slice(2)).catch(reportEnd)
