import type { PoolClient } from 'pg'
import { evidenceListing } from './evidence.ts'
import { assetsFile, pricesFile, reservesFile } from './reserves/files.ts'

/** A file of an epoch whose SHA-256 its last leaf states, in a line of that name. */
export type EpochDocument = { line: string; name: string; content: Buffer }

/** The open epoch: its number, and its leaves so far, from the first to before the last. */
export type OpenEpoch = { epoch: bigint; from: bigint; to: bigint }

/** What makes an epoch's documents, in the order of their lines in its leaf. */
const makers: {
  line: string
  name: string
  make: (client: PoolClient, open: OpenEpoch) => Promise<Buffer | undefined>
}[] = [
  { line: 'reserves', name: 'reserves.csv', make: reservesFile },
  { line: 'reserves-prices', name: 'reserves-prices.csv', make: pricesFile },
  { line: 'assets', name: 'assets.csv', make: assetsFile },
  { line: 'evidence', name: 'evidence.txt', make: evidenceListing },
]

/** The documents of an epoch that is about to end; those without content are left out. */
export async function documentsOf(client: PoolClient, open: OpenEpoch): Promise<EpochDocument[]> {
  const made: EpochDocument[] = []
  for (const { line, name, make } of makers) {
    const content = await make(client, open)
    if (content !== undefined) made.push({ line, name, content })
  }
  return made
}
