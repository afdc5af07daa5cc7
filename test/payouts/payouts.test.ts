import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Config } from '#server/config.ts'
import { checkBooks } from '#server/ledger/invariants.ts'
import { addressAt } from '#server/rails/bitcoin/addresses.ts'
import type { FeeEstimate } from '#server/rails/chain.ts'
import { addressKey } from '#shared/addresses.ts'
import type { PayoutWallet } from '#shared/batch-coins.ts'
import {
  bitcoinOutput,
  bitcoinTransaction,
  payeeAddress,
  payingAccount,
  payingBitcoinRails,
} from '#test/support/bitcoin-payouts.ts'
import { payingRails } from '#test/support/payouts.ts'
import { freshAddress } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { compare } from './invariants.ts'
import { slotNetwork } from './network.ts'
import { type Run, settle, sync, take } from './run.ts'
import { type Step, steps } from './steps.ts'
import { bitcoin, ethereum, tron, type Wallet } from './wallets.ts'

/**
 * Payouts on a network that does anything a real one may: for any files, signatures, replacements, reorgs and dying workers, each
 * withdrawal is paid once or staff see the transaction flagged, and in the end all are paid.
 */

/**
 * PAYOUT_RUNS searches longer. A failure names its seed and path; PAYOUT_SEED repeats it and searches for the shortest
 * failing script, with PAYOUT_PATH only that one script runs.
 */
const { PAYOUT_RUNS = '3', PAYOUT_SEED, PAYOUT_PATH } = process.env
const settings = {
  numRuns: Number(PAYOUT_RUNS),
  ...(PAYOUT_SEED === undefined ? {} : { seed: Number(PAYOUT_SEED) }),
  ...(PAYOUT_PATH === undefined ? {} : { path: PAYOUT_PATH, numRuns: 1 }),
  endOnFailure: PAYOUT_SEED === undefined || PAYOUT_PATH !== undefined,
}

type Setting = {
  coins: readonly PayoutWallet[]
  rails: () => Config['rails']
  wallet: Wallet
  fees: FeeEstimate | null
  addressFor: Run['addressFor']
}

let payees = 1_000
const settingsOf: Record<'Bitcoin' | 'Ethereum' | 'TRON', Setting> = {
  Bitcoin: {
    coins: ['Bitcoin (BTC)'],
    rails: payingBitcoinRails,
    wallet: bitcoin,
    fees: { price: 5_000n, tip: null },
    addressFor: () => {
      payees += 1
      return payeeAddress(payees)
    },
  },
  Ethereum: {
    coins: ['USDT ERC-20', 'Ethereum (ETH)'],
    rails: () => payingRails.rails,
    wallet: ethereum,
    fees: { price: 2_000_000_000n, tip: 1_000_000_000n },
    addressFor: freshAddress,
  },
  TRON: {
    coins: ['USDT TRC-20'],
    rails: () => payingRails.rails,
    wallet: tron,
    fees: null,
    addressFor: freshAddress,
  },
}

test.each(['Ethereum', 'TRON', 'Bitcoin'] as const)(
  '[S-04, C-15, K-03] random events on %s pay once, or staff are told',
  async name => {
    const setting = settingsOf[name]
    const property = fc.asyncProperty(steps, async script => {
      const run = await begin(setting)
      await follow(run, script)
      await settle(run)
      await compare(run)
      const { checks } = await checkBooks(run.world.services.pool, run.world.services.log)
      expect(checks.filter(({ faults }) => faults > 0)).toEqual([])
    })
    await fc.assert(property, settings)
  },
  3_600_000,
)

/** Otherwise the first steps find nothing to act on. */
const opening: Step[] = [
  { do: 'create', count: 2 },
  { do: 'download', pick: 0 },
  { do: 'create', count: 1 },
]

async function follow(run: Run, script: readonly Step[]): Promise<void> {
  for (const step of [...opening, ...script]) {
    await take(run, step)
    if (step.do !== 'sync' || step.dies !== null) continue
    await compare(run)
  }
}

/** A database, a network and a wallet with money of their own. */
async function begin({ coins, rails, wallet, fees, addressFor }: Setting): Promise<Run> {
  const world = await openWorld({ rails: rails(), rateLimit: false })
  const investor = await world.person('Ines Investor')
  await world.fund(investor, 10_000_000n)
  // What it flags is its task here.
  world.services.log.level = 'silent'
  const outputs = coins[0] === 'Bitcoin (BTC)' ? await fundBitcoin(world, investor) : new Map()
  const network = slotNetwork({ now: () => world.clock.now(), fees, read: wallet.read, outputs })
  const run: Run = {
    world,
    network,
    wallet,
    coins,
    investor,
    addressFor,
    owed: [],
    batches: [],
    held: [],
    explained: new Set(),
  }
  await sync(run)
  return run
}

/** Outputs of the firm that the network has had from the beginning. */
async function fundBitcoin(world: World, owner: Person) {
  const outputs = new Map()
  for (let index = 0; index < 40; index += 1) {
    const of = { transactionId: bitcoinTransaction(index + 1), units: 300_000n }
    const outpoint = await bitcoinOutput(world, { owner, index, block: 10, ...of })
    const address = addressKey(addressAt(payingAccount, 0, index))
    outputs.set(outpoint, { ...of, position: 1, address, token: 'BTC' })
  }
  return outputs
}
