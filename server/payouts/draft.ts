import type { Kysely } from 'kysely'
import type { Config } from '#server/config.ts'
import type { Services } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { Holding } from '#server/rails/chain.ts'
import type { PayoutWallet, SweepWallet } from '#shared/batch-coins.ts'
import type { PayoutBatch } from '#shared/contract/payouts.ts'
import type { BatchRow } from './batch.ts'
import type { ReasonLeftOut } from './sweep-rules.ts'

/** What a file is for: to pay, to pay with a higher fee, or to make sure that nothing is paid. */
export type Purpose = 'payment' | 'higher_fee' | 'cancellation'

/** A withdrawal of a batch. */
export type Payout = { reference: string; to: string; units: bigint }

/**
 * A transaction of a sweep: it moves a deposit to the payout address, or brings the fee of that to the address of the deposit.
 * `units` are minor units of the token.
 */
export type Move = {
  kind: 'sweep' | 'top_up'
  from: string
  to: string
  token: Holding['token']
  units: bigint
}

/** An unsigned transaction for a payment, with the slots that it uses. */
export type Draft = {
  /** Position of the payment in its batch. */
  payment: number
  /** The address whose key signs it; null on Bitcoin. */
  sender: string | null
  slots: readonly { slot: string; units: bigint | null }[]
  /** What a signed transaction is compared with. */
  plan: Uint8Array
  /** Bitcoin and TRON: its id, which signing does not change. A Safe: the hash that its owners sign. Else null. */
  plannedId: string | null
  /** TRON: after this, no block takes it. */
  expiresAt: Date | null
}

/** A batch's unsigned file, and the money it spends. */
export type Funded = {
  file: { name: string; type: 'application/octet-stream' | 'application/json'; content: Buffer }
  /** The payout address; null on Bitcoin, where outpoints pay. */
  sender: string | null
  /** The sender is a Safe. */
  bySafe?: true
  drafts: readonly Draft[]
  /**
   * `units` is the whole fee, at most: satoshi, or gwei; null on TRON, where the sender's energy decides, and from a Safe. `rate`: satoshi per virtual byte,
   * null elsewhere.
   */
  fee: { rate: number | null; units: bigint | null }
  change: { address: string; units: bigint; index: number } | null
}

export type NewBatch = {
  id: string
  number: string
  createdAt: Date
  payouts: readonly Payout[]
  /** Bitcoin: satoshi per virtual byte. */
  feeRate: number | undefined
}

/** A further file of a batch, for its payments whose slots no block has used. */
export type NextFile = {
  batch: BatchRow
  version: number
  feeRate: number | undefined
  now: Date
}

/** A draft as stored, with the purpose of its file and the status of its payment. */
export type DraftRow = {
  batch_id: string
  payment: number
  version: number
  /** The address whose key signs it; null on Bitcoin. */
  sender: string | null
  plan: Buffer
  collected: Buffer | null
  signed: Buffer | null
  transaction_id: string | null
  purpose: Purpose
  status: PayoutBatch['status']
}

/** A draft's transaction with all its signatures, or, of a PSBT, with some. */
export type Signed = { draft: DraftRow } & (
  | { kind: 'complete'; transactionId: string; raw: Uint8Array }
  | { kind: 'partial'; psbt: Uint8Array; have: number; needed: number }
)

/** What a network's payouts need; each throws AppError with the words of `payoutRefusals`. */
export type Drafts = {
  /** The first file of a batch, which pays. */
  fund(db: Kysely<Schema>, config: Config, wallet: PayoutWallet, batch: NewBatch): Promise<Funded>
  /** A file that pays the same from the same slots with a higher fee. */
  higherFee(db: Kysely<Schema>, config: Config, next: NextFile): Promise<Funded>
  /** A file that uses the same slots and pays nobody. */
  cancellation(db: Kysely<Schema>, config: Config, next: NextFile): Promise<Funded>
  /** The drafts that a text from a wallet signs. */
  readSigned(config: Config, batch: BatchRow, drafts: readonly DraftRow[], text: string): Promise<Signed[]>
}

/** What a sweep of a coin would do. */
export type SweepPlan = {
  /** In the order of its payments. */
  moves: readonly Move[]
  funded: Funded
  left: ReadonlyMap<ReasonLeftOut, { count: number; units: bigint }>
}

/** @property payoutUnits what the payout address has for top-ups: gwei, or 10^-6 TRX */
export type NewSweep = {
  id: string
  number: string
  createdAt: Date
  payoutAddress: string
  payoutUnits: bigint
}

/**
 * Plans the transfers of a coin from the addresses of deposits to the payout address; no move at all if none is worth its fee.
 * @throws AppError with the words of `payoutRefusals`, rate_unavailable
 */
export type PlanSweep = (
  services: Pick<Services, 'db' | 'config'>,
  wallet: SweepWallet,
  of: NewSweep,
) => Promise<SweepPlan>
