import { z } from 'zod'
import { audit } from '#server/audit/log.ts'
import type { Services, SignedInContext, Tx } from '#server/context.ts'
import { newId } from '#server/platform/id.ts'
import { defineTask, enqueue } from '#server/platform/queue.ts'
import { publicProofKey } from '#server/proof/keys.ts'
import { bitcoinAccount, scriptOfAddress } from '#server/rails/bitcoin/addresses.ts'
import { bitcoinNetworks } from '#server/rails/bitcoin/networks.ts'
import { type Derived, proofOfFunds } from '#server/rails/bitcoin/proof-of-funds.ts'
import { ChainError, type Reserves, type UnspentOutput } from '#server/rails/chain.ts'
import { chainOf } from '#server/rails/chains.ts'
import { tronHash } from '#server/rails/tron/addresses.ts'
import { type RailName, railLabels } from '#shared/coins.ts'
import { newestEpoch, reserveMessage } from './message.ts'
import { reserveRefusals } from './messages.ts'

type Asked = { rail: RailName; address: string }

export const readReserves = defineTask('read_reserves', z.object({ id: z.uuid() }))

/**
 * Asks a worker to read what addresses hold, and to write the message that their keys sign.
 * @returns the id of the proof
 * @throws AppError wrong_state
 */
export async function prepareReserves(
  tx: Tx,
  ctx: SignedInContext,
  asked: readonly Asked[],
): Promise<string> {
  const now = ctx.services.clock.now()
  for (const one of asked) requireAddress(ctx.services, one)
  if ((await newestEpoch(tx)) === undefined) throw reserveRefusals.error({ reason: 'nothing_sealed' })
  const id = newId(now)
  await tx
    .insertInto('app.reserve_proofs')
    .values({ id, asked_by: ctx.caller.userId, asked_at: now })
    .execute()
  const addresses = new Map(asked.map(one => [one.address.toLowerCase(), { ...one, proof: id }]))
  await tx
    .insertInto('app.reserve_addresses')
    .values([...addresses.values()])
    .execute()
  await enqueue(tx, readReserves, { id }, `reserves ${id}`)
  const details = { addresses: asked.map(({ address }) => address) }
  await audit(tx, ctx, { action: 'reserves.asked', subject: { kind: 'reserves', id }, details })
  return id
}

function requireAddress({ config }: Services, { rail, address }: Asked): void {
  const network = railLabels[rail]
  if (chainOf(config, rail)?.reserves === undefined)
    throw reserveRefusals.error({ reason: 'not_monitored', network }, 'addresses')
  if (!isAddress(config, { rail, address }))
    throw reserveRefusals.error({ reason: 'wrong_address', address, network }, 'addresses')
}

function isAddress({ rails }: Services['config'], { rail, address }: Asked): boolean {
  if (rail === 'bitcoin')
    return scriptOfAddress(address, bitcoinNetworks[rails.bitcoin.network]) !== undefined
  if (rail === 'ethereum') return /^0x[0-9a-fA-F]{40}$/.test(address)
  try {
    return tronHash(address).length === 20
  } catch {
    return false
  }
}

/** Reads the balances of a proof and writes its message, once. A node's failure is kept for staff. */
export async function writeMessage(services: Services, id: string): Promise<void> {
  const { db, config } = services
  const proof = await db
    .selectFrom('app.reserve_proofs')
    .select('message')
    .where('id', '=', id)
    .where('failure', 'is', null)
    .executeTakeFirst()
  if (proof === undefined || proof.message !== null) return
  const asked = await db
    .selectFrom('app.reserve_addresses')
    .select(['rail', 'address'])
    .where('proof', '=', id)
    .orderBy('address')
    .execute()
  const read = await readAll(config, asked as Asked[]).catch((error: unknown) => {
    if (error instanceof ChainError) return error
    throw error
  })
  if (read instanceof ChainError) {
    services.log.warn({ err: read }, 'balances for a proof of reserves could not be read')
    await db.updateTable('app.reserve_proofs').set({ failure: read.message }).where('id', '=', id).execute()
    return
  }
  await db.transaction().execute(tx => keep(tx, services, id, read))
}

async function readAll(
  config: Services['config'],
  asked: readonly Asked[],
): Promise<Map<RailName, Reserves>> {
  const found = new Map<RailName, Reserves>()
  for (const rail of new Set(asked.map(one => one.rail))) {
    const chain = chainOf(config, rail)
    const addresses = asked.filter(one => one.rail === rail).map(({ address }) => address)
    if (chain?.reserves === undefined) throw new ChainError(`no node of ${railLabels[rail]} is configured`)
    found.set(rail, await chain.reserves(addresses))
  }
  return found
}

async function keep(
  tx: Tx,
  { config, pool }: Services,
  id: string,
  found: ReadonlyMap<RailName, Reserves>,
): Promise<void> {
  const key = await publicProofKey(pool, 'log')
  const epoch = (await newestEpoch(tx))!
  const blocks = new Map([...found].map(([rail, { block }]) => [rail, block]))
  const message = reserveMessage({ origin: key!.name, ...epoch }, blocks)
  const rows = [...found.values()].flatMap(({ block, holdings }) =>
    holdings.flatMap(({ token, isContract, ...held }) =>
      // TRX is no asset of the books.
      token === 'TRX' ? [] : [{ ...held, token, is_contract: isContract, height: block.height, proof: id }],
    ),
  )
  const isNew = await tx
    .updateTable('app.reserve_proofs')
    .set(
      rows.length === 0
        ? { failure: 'None of these addresses holds a coin.' }
        : {
            epoch: epoch.epoch,
            message,
            psbt: await psbtOf(tx, config, message, found.get('bitcoin')?.outputs ?? []),
          },
    )
    .where('id', '=', id)
    .where('message', 'is', null)
    .executeTakeFirst()
  if (isNew.numUpdatedRows > 0n && rows.length > 0)
    await tx.insertInto('app.reserve_holdings').values(rows).execute()
}

/** Of segregated witness outputs: others need their whole transactions, which no node gives without an index. */
async function psbtOf(
  tx: Tx,
  { rails }: Services['config'],
  message: string,
  outputs: readonly UnspentOutput[],
): Promise<Buffer | null> {
  const network = bitcoinNetworks[rails.bitcoin.network]
  const isWitness = ({ address }: UnspentOutput) => address.toLowerCase().startsWith(`${network.bech32}1`)
  const [first, ...others] = outputs.filter(isWitness)
  if (first === undefined) return null
  const { xpub } = rails.bitcoin
  const account = xpub === null ? null : bitcoinAccount(xpub, network)
  const places = account === null ? new Map() : await placesOf(tx, account.name, outputs)
  return Buffer.from(proofOfFunds(message, [first, ...others], network, { account, places }))
}

async function placesOf(
  tx: Tx,
  account: string,
  outputs: readonly UnspentOutput[],
): Promise<Derived['places']> {
  const addresses = outputs.map(({ address }) => address)
  const rows = await tx
    .selectFrom('app.payment_addresses')
    .select(['address', 'branch', 'address_index'])
    .where('account', '=', account)
    .where('address', 'in', addresses)
    .execute()
  return new Map(rows.map(({ address, branch, address_index: index }) => [address, { branch, index }]))
}
