import {
  type Hex,
  hexToBytes,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  type Signature,
  serializeTransaction,
  type TransactionSerializable,
} from 'viem'
import { nonceSlot } from '#server/rails/chain.ts'
import { withChecksum } from '#shared/addresses.ts'
import { t } from '#shared/i18n/t.ts'
import { maximumPayouts } from '#shared/limits.ts'
import { assetDecimals, formatDecimal } from '#shared/money.ts'
import type { TokenContracts } from '#shared/token-contracts.ts'
import { transferAsked } from './erc20.ts'
import { type EthereumAct, ethereumRefusals } from './messages.ts'
import { type EthereumPlan, ether, mostFeeWei, TRANSFER_GAS, tokenAt } from './plans.ts'

export type SignedEthereum = {
  /** The index of its plan. */
  plan: number
  /** Lower case. */
  transactionId: string
  /** For `Chain.broadcast`. */
  raw: Uint8Array
  /** As it was signed: the wallet may have chosen other fees. */
  transaction: EthereumPlan
}

/**
 * Reads signed transactions, each of which must be one of the plans: chain, sender, nonce, recipient, value and data. Gas and fees are the
 * wallet's choice, within limits.
 * @param plans of one or several senders, also several of one nonce, such as a payment and its fee bumps
 * @param contracts by which refusals name tokens
 * @param file text with raw transactions (0x…), a JSON list of them, or our file with a `signed` beside each transaction
 * @throws AppError wrong_state (ethereumRefusals)
 */
export async function readSigned(
  plans: readonly EthereumPlan[],
  file: string,
  contracts: TokenContracts,
): Promise<SignedEthereum[]> {
  const texts = [...new Set(transactionsIn(file))]
  if (texts.length === 0) throw ethereumRefusals.error({ reason: 'no_transaction' }, 'signed')
  if (texts.length > maximumPayouts)
    throw ethereumRefusals.error({ reason: 'too_long', most: maximumPayouts }, 'signed')
  const signed = await Promise.all(texts.map(raw => readOne(plans, raw, contracts)))
  const used = new Set<string>()
  for (const { transaction } of signed) {
    const { from, nonce } = transaction
    const slot = nonceSlot(from, nonce)
    if (used.has(slot)) throw ethereumRefusals.error({ reason: 'nonce_twice', nonce }, 'signed')
    used.add(slot)
  }
  return signed
}

/** Raw transactions in a file; in JSON under the names that wallets and nodes use. */
function transactionsIn(file: string): string[] {
  try {
    return transactionsOf(JSON.parse(file))
  } catch {
    return file.split(/[\s,;"']+/).filter(word => word !== '')
  }
}

const signedNames = ['signed', 'raw', 'rawTransaction', 'signedTransaction']

function transactionsOf(json: unknown): string[] {
  if (typeof json === 'string') return [json.trim()]
  if (Array.isArray(json)) return json.flatMap(transactionsOf)
  if (typeof json !== 'object' || json === null) return []
  const fields = new Map(Object.entries(json))
  const own = signedNames.flatMap(name => transactionsOf(fields.get(name)))
  return own.length > 0 ? own : ['transactions', 'result'].flatMap(name => transactionsOf(fields.get(name)))
}

async function readOne(
  plans: readonly EthereumPlan[],
  text: string,
  contracts: TokenContracts,
): Promise<SignedEthereum> {
  const raw = text.toLowerCase().replace(/^(?!0x)/, '0x') as Hex
  const { isSigned, kind, ...transaction } = await parsed(raw, text)
  const { nonce } = transaction
  if (!isSigned) throw ethereumRefusals.error({ reason: 'not_signed', nonce }, 'signed')
  if (kind !== 'eip1559' && kind !== 'legacy')
    throw ethereumRefusals.error({ reason: 'other_kind', nonce, kind }, 'signed')
  const plan = planOf(plans, transaction, contracts)
  requireAffordable(transaction)
  return { plan, transactionId: keccak256(raw), raw: hexToBytes(raw), transaction }
}

type Parsed = EthereumPlan & { kind: string; isSigned: boolean }

async function parsed(raw: Hex, text: string): Promise<Parsed> {
  const unreadable = () => {
    const shown = text.length > 24 ? `${text.slice(0, 20)}…` : text
    return ethereumRefusals.error({ reason: 'unreadable', text: shown }, 'signed')
  }
  if (!/^0x([0-9a-f]{2})+$/.test(raw)) throw unreadable()
  try {
    const read = parseTransaction(raw)
    const isSigned = read.r !== undefined
    const signature = isSigned ? (read as Signature) : undefined
    // A node reads one form of each transaction; another one would be refused.
    if (serializeTransaction(read as TransactionSerializable, signature) !== raw || read.to == null)
      throw unreadable()
    const from = isSigned
      ? await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` })
      : ''
    const price =
      read.type === 'legacy' || read.type === 'eip2930' ? (read.gasPrice ?? 0n) : (read.maxFeePerGas ?? 0n)
    const tip = 'maxPriorityFeePerGas' in read ? (read.maxPriorityFeePerGas ?? 0n) : price
    return {
      isSigned,
      kind: read.type!,
      chainId: read.chainId ?? 0,
      from,
      nonce: read.nonce ?? 0,
      to: withChecksum(read.to),
      value: read.value ?? 0n,
      data: read.data ?? '0x',
      gas: read.gas ?? 0n,
      maxFeePerGas: price,
      maxPriorityFeePerGas: tip,
    }
  } catch {
    throw unreadable()
  }
}

/** The plan that it is, at best with the same fees; else the refusal says what differs. */
function planOf(plans: readonly EthereumPlan[], signed: EthereumPlan, contracts: TokenContracts): number {
  const { nonce, chainId, from } = signed
  const ofSender = plans.filter(plan => plan.from === from)
  const refusal = (plan: EthereumPlan) => {
    const chain =
      chainId === 0 ? t('any chain (EIP-155 is missing)') : t('chain {number}', { number: chainId })
    if (plan.chainId !== chainId)
      return ethereumRefusals.error({ reason: 'other_chain', nonce, chain, expected: plan.chainId }, 'signed')
    if (plan.from !== from)
      return ethereumRefusals.error(
        { reason: 'other_sender', nonce, sender: from, expected: sendersOf(plans) },
        'signed',
      )
    const expected = [...new Set(ofSender.map(each => each.nonce))].join(', ')
    if (plan.nonce !== nonce)
      return ethereumRefusals.error({ reason: 'other_nonce', nonce, expected }, 'signed')
    const says = { does: actOf(signed, contracts), expected: actOf(plan, contracts) }
    return ethereumRefusals.error({ reason: 'other_payment', nonce, ...says }, 'signed')
  }
  const same = plans.flatMap((plan, index) => (pays(plan, signed) ? [{ plan, index }] : []))
  const exact = same.find(
    ({ plan }) =>
      plan.maxFeePerGas === signed.maxFeePerGas && plan.maxPriorityFeePerGas === signed.maxPriorityFeePerGas,
  )
  const found = exact ?? same[0]
  if (found) return found.index
  const candidates = ofSender.length > 0 ? ofSender : plans
  throw refusal(candidates.find(plan => plan.nonce === nonce) ?? candidates[0]!)
}

function pays(plan: EthereumPlan, signed: EthereumPlan): boolean {
  const fields = ['chainId', 'from', 'nonce', 'to', 'value', 'data'] as const
  return fields.every(field => plan[field] === signed[field])
}

function sendersOf(plans: readonly EthereumPlan[]): string {
  const senders = [...new Set(plans.map(({ from }) => from))]
  return senders.length === 1
    ? senders[0]!
    : t('the {count} addresses that its file names', { count: senders.length })
}

/** @param contracts of the tokens that the batch can pay */
function actOf({ from, to, value, data }: EthereumPlan, contracts: TokenContracts): EthereumAct {
  const moved = transferAsked(from, data)
  if (data === '0x') return { kind: 'pays', amount: `${ether(value)} ETH`, address: to }
  if (moved === undefined) return { kind: 'calls', amount: `${ether(value)} ETH`, address: to }
  const units = formatDecimal(moved.units, assetDecimals.USDT)
  const token = tokenAt(to, contracts)
  const amount =
    token === undefined ? t('{units} of the token {contract}', { units, contract: to }) : `${units} ${token}`
  return { kind: 'pays', amount, address: withChecksum(moved.to) }
}

function requireAffordable({ nonce, gas, maxFeePerGas }: EthereumPlan): void {
  if (gas < TRANSFER_GAS)
    throw ethereumRefusals.error(
      { reason: 'gas_too_low', nonce, gas: `${gas}`, least: `${TRANSFER_GAS}` },
      'signed',
    )
  const fee = gas * maxFeePerGas
  if (fee > mostFeeWei)
    throw ethereumRefusals.error(
      {
        reason: 'signed_fee_above_limit',
        nonce,
        fee: ether(fee),
        limit: ether(mostFeeWei),
      },
      'signed',
    )
}
