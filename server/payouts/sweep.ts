import type { Kysely } from 'kysely'
import { audit } from '#server/audit/log.ts'
import type { Services, SignedInContext, Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import type { Token } from '#server/rails/chain.ts'
import { tokenDecimals } from '#server/rails/chain.ts'
import { railOf } from '#server/rails/rails.ts'
import { type SweepWallet, sweepRails, sweepWallets } from '#shared/batch-coins.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { depositHoldings, previewSweep } from '#shared/contract/sweeps.ts'
import { holdingsMinutes } from '#shared/limits.ts'
import { formatDecimal } from '#shared/money.ts'
import { lockCreation, nextNumber } from './create.ts'
import type { AccountNetwork } from './derivation-paths.ts'
import type { PlanSweep, SweepPlan } from './draft.ts'
import { sweepEthereum } from './ethereum-sweep.ts'
import { insertFile, insertPayments, sha256 } from './files.ts'
import { heldOf, isReadingDue, readingOf } from './holdings.ts'
import { type PayoutRefusal, payoutRefusals } from './messages.ts'
import { coinAmount, presentFee } from './queries.ts'
import { requireNoRestore } from './restored.ts'
import { sweepTron } from './tron-sweep.ts'
import { networkName, sendersOf, tokenContracts } from './wallets.ts'

const networks: Record<AccountNetwork, PlanSweep> = { ethereum: sweepEthereum, usdt: sweepTron }

/** Why the deposits of a coin cannot be swept, or null. */
function unavailability(config: Services['config'], wallet: SweepWallet): PayoutRefusal | null {
  const { rail, asset } = sweepRails[wallet]
  const { ethereum, usdt } = config.rails
  const name = rail === 'ethereum' ? 'ETHEREUM' : 'TRON'
  if (railOf(config, rail)?.receiving.kind !== 'derived')
    return { reason: 'no_deposit_addresses', variable: `${name}_XPUB` }
  if (config.rails[rail].payoutAddress === null)
    return { reason: 'no_sweep_address', variable: `${name}_PAYOUT_ADDRESS` }
  const node = rail === 'ethereum' ? ethereum.rpcUrl : usdt.url
  if (node === null)
    return {
      reason: 'holdings_unreadable',
      variable: rail === 'ethereum' ? 'ETHEREUM_RPC_URL' : 'TRONGRID_URL',
    }
  const isUnknown = rail === 'ethereum' && asset !== 'ETH' && tokenContracts(config)[asset] === undefined
  return isUnknown ? { reason: 'token_contract_unknown', token: asset } : null
}

/** What the addresses of deposits hold of each coin that they can receive, as of the last reading. */
export async function holdingsOf(
  services: Pick<Services, 'db' | 'config' | 'clock'>,
): Promise<CallData<typeof depositHoldings>> {
  const reasons: readonly unknown[] = ['no_deposit_addresses', 'token_contract_unknown']
  const known = sweepWallets.filter(
    wallet => !reasons.includes(unavailability(services.config, wallet)?.reason),
  )
  const now = services.clock.now()
  return Promise.all(
    known.map(async wallet => {
      const { rail, asset } = sweepRails[wallet]
      const unavailable = unavailability(services.config, wallet)
      const reading = await readingOf(services.db, rail)
      const held = (await heldOf(services, rail, asset)).filter(({ isBusy }) => !isBusy)
      return {
        wallet,
        asset,
        network: networkName(services.config, wallet),
        unavailable: unavailable && payoutRefusals.words(unavailable),
        isReading: reading !== undefined && isReadingDue(reading, now),
        failure: reading?.failure ?? null,
        readAt: reading?.read_at?.toISOString() ?? null,
        addresses: held.reduce((sum, { count }) => sum + count, 0),
        amountCrypto: formatDecimal(sumOf(held), tokenDecimals[asset]),
      }
    }),
  )
}

/** @throws AppError as `createSweep` */
export async function sweepPreview(
  { services }: SignedInContext,
  wallet: SweepWallet,
): Promise<CallData<typeof previewSweep>> {
  const now = services.clock.now()
  const { moves, funded, left } = await planSweep(services.db, services, wallet, {
    id: newId(now),
    number: 'preview',
    now,
  })
  const { asset } = sweepRails[wallet]
  const amount = (units: bigint) => formatDecimal(units, tokenDecimals[asset])
  const topUps = moves.filter(({ kind }) => kind === 'top_up')
  return {
    count: moves.length - topUps.length,
    amountCrypto: amount(sweptUnits({ moves })),
    to: funded.sender!,
    fee: presentFee(funded.fee.units, funded.fee.rate, 'ETH'),
    topUps:
      topUps.length === 0
        ? null
        : { count: topUps.length, amount: coinAmount(sumOf(topUps), topUps[0]!.token) },
    left: [...left].map(([why, { count, units }]) => ({ why, count, amountCrypto: amount(units) })),
  }
}

/**
 * Creates a batch that moves the deposits of a coin to the payout address: an unsigned file, and the nonces of its
 * transactions.
 * @returns its id
 * @throws AppError wrong_state (payoutRefusals), rate_unavailable
 */
export async function createSweep(tx: Tx, ctx: SignedInContext, wallet: SweepWallet): Promise<string> {
  await lockCreation(tx)
  const now = ctx.services.clock.now()
  const id = newId(now)
  const number = await nextNumber(tx, now)
  const plan = await planSweep(tx, ctx.services, wallet, { id, number, now })
  await insertSweep(tx, ctx, wallet, plan, { id, number, now })
  const { moves, funded } = plan
  const { asset } = sweepRails[wallet]
  await audit(tx, ctx, {
    action: 'payout.sweep_created',
    subject: { kind: 'payout', id },
    details: {
      number,
      moves: coinAmount(sweptUnits(plan), asset),
      addresses: moves.filter(({ kind }) => kind === 'sweep').length,
      to: funded.sender,
      sha256: sha256(funded.file.content).toString('hex'),
    },
  })
  return id
}

type Batch = { id: string; number: string; now: Date }

async function planSweep(
  db: Kysely<Schema>,
  { config }: Pick<Services, 'config'>,
  wallet: SweepWallet,
  { id, number, now }: Batch,
): Promise<SweepPlan> {
  await requireNoRestore(db, config)
  const refusal = unavailability(config, wallet)
  if (refusal) throw payoutRefusals.error(refusal)
  const { rail, asset } = sweepRails[wallet]
  const reading = await readingOf(db, rail)
  const oldest = now.getTime() - holdingsMinutes * 60_000
  if (reading?.read_at == null || reading.read_at.getTime() < oldest)
    throw payoutRefusals.error({ reason: 'holdings_outdated' })
  const payoutAddress = sendersOf(config, rail)[0]!
  const of = { id, number, createdAt: now, payoutAddress, payoutUnits: reading.payout_units! }
  const plan = await networks[rail]({ db, config }, wallet, of)
  if (plan.moves.length === 0)
    throw payoutRefusals.error({ reason: 'nothing_to_sweep', asset, left: plan.left })
  return plan
}

function sumOf(amounts: readonly { units: bigint }[]): bigint {
  return amounts.reduce((sum, { units }) => sum + units, 0n)
}

function sweptUnits({ moves }: Pick<SweepPlan, 'moves'>): bigint {
  return sumOf(moves.filter(({ kind }) => kind === 'sweep'))
}

async function insertSweep(
  tx: Tx,
  ctx: SignedInContext,
  wallet: SweepWallet,
  plan: SweepPlan,
  { id, number, now }: Batch,
): Promise<void> {
  const { moves, funded } = plan
  const { rail, asset } = sweepRails[wallet]
  await tx
    .insertInto('app.payout_batches')
    .values({
      id,
      number,
      purpose: 'sweep',
      rail,
      wallet,
      asset,
      network: networkName(ctx.services.config, wallet),
      sender: funded.sender,
      units: sweptUnits(plan),
      created_by: ctx.caller.userId,
      created_at: now,
    })
    .execute()
  await insertPayments(tx, id, funded)
  await insertFile(tx, ctx, { id, version: 1, purpose: 'payment' }, funded)
  const items = moves.map(({ kind, to, token, units }, position) => ({
    batch_id: id,
    position,
    payment: position,
    kind,
    address: to,
    token: token as Exclude<Token, 'BTC'>,
    units,
  }))
  await tx.insertInto('app.payout_items').values(items).execute()
}
