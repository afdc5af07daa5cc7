import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { receiveMessage } from '#server/contact/service.ts'
import type { Services, SignedInContext, Tx } from '#server/context.ts'
import { numberIn } from '#server/deposits/addresses.ts'
import { expireDeposit } from '#server/deposits/expire.ts'
import { approveDeposit, declineDeposit, newDeposit } from '#server/deposits/service.ts'
import { addEarnings } from '#server/earnings/service.ts'
import { decideCheck, openCheck } from '#server/identity/decide.ts'
import { storeFile } from '#server/identity/files.ts'
import { sendIdentity } from '#server/identity/send.ts'
import { investByCoin, investFromBalance } from '#server/investments/request.ts'
import { approveInvestment, closeInvestment, declineInvestment } from '#server/investments/service.ts'
import { executeMoney, type MoneyCommand } from '#server/ledger/batch.ts'
import { storeReadings } from '#server/prices/feeds.ts'
import { sampleFeed } from '#server/prices/sample.ts'
import { railOf } from '#server/rails/rails.ts'
import { storeEvidence } from '#server/returns/evidence.ts'
import { recordReturn } from '#server/returns/service.ts'
import { configured } from '#server/staff/settings-queries.ts'
import { enterAddress } from '#server/withdrawals/address-book.ts'
import { approveWithdrawals } from '#server/withdrawals/approve.ts'
import { declineWithdrawals } from '#server/withdrawals/decline.ts'
import { payWithdrawals } from '#server/withdrawals/mark-paid.ts'
import { requestWithdrawal } from '#server/withdrawals/request.ts'
import { type DepositMethod, paymentMethods, type WithdrawalWallet } from '#shared/coins.ts'
import { utcDay } from '#shared/moments.ts'
import { formatUsd } from '#shared/money.ts'
import { drawDocument } from './evidence.ts'
import { sampleFirm } from './firm.ts'
import type { People, PersonKey } from './people.ts'
import { loadSettings } from './settings.ts'

/** The sample's people acting through the product's own services, one moment after another. */
export type Stage = ReturnType<typeof openStage>

const addresses = {
  // The same on testnet, signet and regtest.
  'Bitcoin (BTC)': 'mzYW7o4b2Jh9vPY4MpUCD86mrU1vf7qKXT',
  'Ethereum (ETH)': '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  'USDT TRC-20': '27c7n2xqxaJpawPUZAmJF18qjjRRtDwgv3c',
  'Litecoin (LTC)': 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn',
} satisfies Partial<Record<WithdrawalWallet, string>>

const identityNote =
  'This document belongs to the demonstration, and shows nobody. In a live firm, it is a picture that an investor took.'
const sampleDocument = {
  nationality: 'Australia',
  address: '12 Sample Street\nSydney NSW 2000',
  document: 'passport',
  number: 'SAMPLE 0001',
  issuer: 'Australia',
  ends: '2099-12-31',
} as const

/** @param tx the whole sample's transaction, as the database owner: only the owner can post in the past */
export function openStage(services: Services, tx: Tx, people: People) {
  let at = services.clock.now()
  // The sample's past does not depend on the operator's settings.
  const config = {
    ...services.config,
    priceSources: [],
    largeWithdrawalCents: 1_000_000n,
    largeReturnCents: 1_000_000n,
    addressWaitHours: 0,
    earningsSecondApproval: false,
  }
  const settings = configured(config)
  const then: Services = { ...services, config, db: tx, clock: { now: () => at } }
  const as = (key: PersonKey): SignedInContext => ({
    services: then,
    caller: {
      userId: people[key].id,
      role: people[key].role,
      sessionId: people[key].id,
    },
    requestId: 'demonstration',
    // TEST-NET-1 (RFC 5737).
    ip: '192.0.2.1',
    userAgent: null,
    idempotency: null,
    reason: null,
    log: services.log,
  })
  const admin = as('admin')
  const execute = async (command: MoneyCommand) => (await executeMoney(tx, [command]))[0]!
  /** Stores the prices of this moment, which quotes need. */
  const readPrices = () => storeReadings(then, [sampleFeed])
  const number = async (who: PersonKey, method: DepositMethod) => {
    const { rail } = paymentMethods[method]
    const receiving = railOf(config, rail)?.receiving
    if (receiving?.kind !== 'derived') return
    // A new database has shown nothing.
    await numberIn(tx, then, { rail, receiving, userId: people[who].id, shown: undefined })
  }
  return {
    readPrices,

    /** Sets the time for the services and the ledger. */
    async goTo(moment: Date) {
      at = moment
      await sql`SELECT set_config('ledger.at', ${moment.toISOString()}, true)`.execute(tx)
    },

    async deposit(who: PersonKey, dollars: number, method: DepositMethod) {
      await readPrices()
      await number(who, method)
      return newDeposit(tx, as(who), { method, amountCents: cents(dollars) })
    },
    approveDeposit: (id: string) => approveDeposit(tx, admin, id),
    expireDeposit: (id: string) => expireDeposit(tx, then, id),
    declineDeposit: (id: string, reason: string) => declineDeposit(tx, admin, id, reason),

    invest: (who: PersonKey, plan: string, dollars: number) =>
      investFromBalance(as(who), { plan, amountCents: cents(dollars) }, execute).then(({ _id }) => _id),
    async investByCoin(who: PersonKey, plan: string, dollars: number, method: 'bitcoin' | 'usdt') {
      await readPrices()
      await number(who, method)
      return investByCoin(tx, as(who), { plan, amountCents: cents(dollars), method })
    },
    approveInvestment: (id: string) => approveInvestment(tx, admin, id),
    closeInvestment: (id: string) => closeInvestment(tx, admin, id),
    declineInvestment: (id: string, reason: string) => declineInvestment(tx, admin, id, reason),

    /** Withdraws to an address of the person's book, which the first withdrawal adds. */
    async withdraw(who: PersonKey, dollars: number, wallet: keyof typeof addresses) {
      const to = { wallet, address: addresses[wallet] }
      await enterAddress(tx, as(who), to, settings.addressWaitHours)
      const body = { ...to, amountCents: cents(dollars) }
      const { _id } = await requestWithdrawal(as(who), body, execute, settings)
      return _id
    },
    approveWithdrawal: async (id: string, by: 'admin' | 'admin2' = 'admin') =>
      throwRefusals((await approveWithdrawals(tx, then, [{ id, by: as(by) }])).refused),
    declineWithdrawal: async (id: string, reason: string) =>
      throwRefusals((await declineWithdrawals(tx, then, [{ id, by: admin, reason }])).refused),
    payWithdrawal: async (id: string) => {
      const transactionId = createHash('sha256').update(id).digest('hex')
      const payment = { id, by: as('admin2'), transactionId }
      throwRefusals((await payWithdrawals(tx, then, [payment])).refused)
    },

    /** @param document title of the document that is its evidence */
    async recordReturn(dollars: number, source: string, realisedAt: string, document: string) {
      const amountCents = cents(dollars)
      const facts = [
        ['For', source],
        ['Amount', formatUsd(amountCents)],
        ['Received on', utcDay(new Date(realisedAt))],
        ['Received by', sampleFirm.legalName],
      ] as const
      const content = await drawDocument({ title: document, facts })
      const file = { type: 'application/pdf', content }
      const name = `${document}, ${source[0]!.toLowerCase()}${source.slice(1)}`
      const { _id: evidenceFile } = await storeEvidence(tx, admin, name, file)
      return recordReturn(tx, admin, { amountCents, source, realisedAt, evidenceFile })
    },
    /** Pays what the user's investments have accrued, or an amount. */
    async addEarnings(who: PersonKey, dollars?: number, note?: string) {
      const amountCents = dollars === undefined ? undefined : cents(dollars)
      const addition = { userId: people[who].id, by: admin, amountCents, note }
      throwRefusals((await addEarnings(tx, then, [addition])).refused)
    },

    limitUnproved: () =>
      loadSettings(tx, as('admin2'), { config: services.config, proposer: people.admin.id }),

    /** Sends a proof of identity with sample documents. */
    async proveIdentity(who: PersonKey, birth: string) {
      const { name } = people[who]
      const facts = [
        ['Name', name],
        ['Born on', utcDay(new Date(birth))],
      ] as const
      for (const [kind, title] of [
        ['front', 'Passport'],
        ['selfie', 'Selfie'],
      ] as const) {
        const content = await drawDocument({ title, facts, note: identityNote })
        await storeFile(tx, as(who), kind, { type: 'application/pdf', content })
      }
      return sendIdentity(tx, as(who), { name, birth, ...sampleDocument })
    },
    async verifyIdentity(id: string) {
      await openCheck(tx, admin, id)
      await decideCheck(tx, admin, id, { decision: 'verified' })
    },

    write: (name: string, email: string, subject: string, message: string) =>
      receiveMessage(tx, { ...admin, caller: null }, { name, email, subject, message }),
  }
}

function cents(dollars: number): bigint {
  return BigInt(dollars) * 100n
}

function throwRefusals(refused: ReadonlyMap<string, Error>): void {
  for (const refusal of refused.values()) throw refusal
}
