import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { RailName } from '#shared/coins.ts'
import { MOST_EPOCHS_LATER } from '#verifier/reserves.mjs'

/** Networks in their order in the message, by their names there and in the file. */
export const reserveNetworks = [
  { rail: 'bitcoin', inMessage: 'btc', inFile: 'BTC' },
  { rail: 'ethereum', inMessage: 'eth', inFile: 'ETH' },
  { rail: 'usdt', inMessage: 'tron', inFile: 'TRX' },
] as const satisfies readonly { rail: RailName; inMessage: string; inFile: string }[]

type Epoch = { epoch: bigint; size: bigint; root: Buffer }
type Named = Epoch & { origin: string }

/** True if the open epoch comes too late after the one that a message names to seal its signatures. */
export function isTooOld(epoch: bigint, newest: bigint): boolean {
  return newest + 1n > epoch + BigInt(MOST_EPOCHS_LATER)
}

/** The newest epoch that has ended. */
export async function newestEpoch(db: Kysely<Schema>): Promise<Epoch | undefined> {
  const { rows } = await sql<Epoch>`
    SELECT number AS epoch, size, root FROM ledger.epochs ORDER BY number DESC LIMIT 1`.execute(db)
  return rows[0]
}

/** An epoch that has ended. */
export async function endedEpoch(db: Kysely<Schema>, number: bigint): Promise<Epoch> {
  const { rows } = await sql<Epoch>`
    SELECT number AS epoch, size, root FROM ledger.epochs WHERE number = ${number}`.execute(db)
  return rows[0]!
}

/** What the keys of addresses sign: one line, because wallets break others. */
export function reserveMessage(
  { origin, epoch, size, root }: Named,
  blocks: ReadonlyMap<RailName, { height: number; hash: string }>,
): string {
  const names = reserveNetworks.flatMap(({ rail, inMessage }) => {
    const block = blocks.get(rail)
    return block === undefined ? [] : [`${inMessage}=${block.height}:${block.hash}`]
  })
  const head = `Probity reserves v1 origin=${origin} epoch=${epoch} size=${size} root=${root.toString('base64')}`
  return [head, ...names].join(' ')
}
