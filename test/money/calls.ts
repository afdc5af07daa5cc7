import * as cancelling from '#shared/contract/cancelling.ts'
import * as deposits from '#shared/contract/deposits.ts'
import * as earnings from '#shared/contract/earnings.ts'
import * as investments from '#shared/contract/investments.ts'
import * as returns from '#shared/contract/returns.ts'
import * as withdrawals from '#shared/contract/withdrawals.ts'
import { formatDecimal } from '#shared/money.ts'
import type { Ask, Of } from './model/state.ts'

const wallet = { wallet: 'USDT TRC-20', address: 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7' }

/** The contract call of a request, and its input. */
export function callOf(ask: Ask) {
  const byId = 'id' in ask ? { params: { id: ask.id } } : {}
  const amount = 'amount' in ask && ask.amount ? { amount: ask.amount.json } : {}
  const received = 'received' in ask && ask.received ? formatDecimal(ask.received, 2) : undefined
  const arrivedAt = 'arrivedAt' in ask ? ask.arrivedAt : undefined
  const told = {
    ...(received === undefined ? {} : { received }),
    ...(arrivedAt === undefined ? {} : { arrivedAt }),
  }
  const arrived = Object.keys(told).length === 0 ? {} : { body: told }
  switch (ask.do) {
    case 'deposit.new':
      return [deposits.newDeposit, { body: { method: ask.method, ...amount } }] as const
    case 'deposit.approve':
      return [deposits.approveDeposit, { ...byId, ...arrived }] as const
    case 'deposit.decline':
      return [deposits.declineDeposit, { ...byId, body: { reason: ask.reason } }] as const
    case 'deposit.cancel':
      return [cancelling.cancelDeposit, byId] as const
    case 'investment.new':
      return [investments.newInvestment, { body: { method: ask.method, plan: ask.plan, ...amount } }] as const
    case 'investment.approve':
      return [investments.approveInvestment, { ...byId, ...arrived }] as const
    case 'investment.decline':
      return [investments.declineInvestment, { ...byId, body: { reason: ask.reason } }] as const
    case 'investment.cancel':
      return [cancelling.cancelInvestment, byId] as const
    case 'investment.reinvest':
      return [investments.reinvestInvestment, { ...byId, body: { reinvest: true } }] as const
    case 'investment.close':
      return [investments.closeInvestment, { ...byId, body: { reason: 'Closed early' } }] as const
    case 'withdrawal.new':
      return [withdrawals.newWithdrawal, { body: { ...wallet, ...amount } }] as const
    case 'withdrawal.approve':
      return [withdrawals.approveWithdrawal, byId] as const
    case 'withdrawal.decline':
      return [withdrawals.declineWithdrawal, { ...byId, body: { reason: ask.reason } }] as const
    case 'withdrawal.cancel':
      return [cancelling.cancelWithdrawal, byId] as const
    case 'withdrawal.paid':
      return [withdrawals.payWithdrawal, { ...byId, body: { transactionId: ask.transactionId } }] as const
    case 'return.new': {
      const { source, realisedAt } = ask
      return [
        returns.newReturn,
        { body: { source, realisedAt, evidence: 'BANK-2026-1', ...amount } },
      ] as const
    }
    case 'return.approve':
      return [returns.approveReturn, byId] as const
    case 'return.decline':
      return [returns.declineReturn, { ...byId, body: { reason: ask.reason } }] as const
    case 'return.proposeVoid':
      return [returns.proposeVoid, { ...byId, body: { reason: ask.reason } }] as const
    case 'return.void':
      return [returns.voidReturn, byId] as const
    case 'return.rejectVoid':
      return [returns.rejectVoid, { ...byId, body: { reason: ask.reason } }] as const
    case 'earning.add': {
      const investmentId = ask.investment === null ? {} : { investmentId: ask.investment }
      return [
        earnings.addEarning,
        { params: { userId: ask.user }, body: { ...amount, ...investmentId } },
      ] as const
    }
    case 'earning.approve':
      return [earnings.approveEarning, byId] as const
    case 'earning.decline':
      return [earnings.declineEarning, { ...byId, body: { reason: ask.reason } }] as const
  }
}

const bulkCalls = {
  'deposit.approve': [deposits.approveDeposits, deposits.getDeposit],
  'deposit.decline': [deposits.declineDeposits, deposits.getDeposit],
  'investment.approve': [investments.approveInvestments, investments.getInvestment],
  'investment.decline': [investments.declineInvestments, investments.getInvestment],
  'investment.close': [investments.closeInvestments, investments.getInvestment],
  'withdrawal.approve': [withdrawals.approveWithdrawals, withdrawals.getWithdrawal],
  'withdrawal.decline': [withdrawals.declineWithdrawals, withdrawals.getWithdrawal],
  'withdrawal.paid': [withdrawals.payWithdrawals, withdrawals.getWithdrawal],
  'earning.approve': [earnings.approveEarnings, earnings.getEarning],
  'earning.decline': [earnings.declineEarnings, earnings.getEarning],
} as const
type BulkKind = keyof typeof bulkCalls
/** A request that a bulk call can make. */
export type BulkAsk = Of<BulkKind>

export function isBulk(of: Ask['do']): of is BulkKind {
  return of in bulkCalls
}

/** The bulk call that makes these requests, its input, and the call that shows one of their records. */
export function bulkCallOf(asks: readonly BulkAsk[]) {
  const [first] = asks
  const records = asks.map(ask =>
    'transactionId' in ask ? { id: ask.id, transactionId: ask.transactionId } : { id: ask.id },
  )
  const reason = 'reason' in first! ? first.reason : 'Closed early'
  const [call, one] = bulkCalls[first!.do]
  return [call, { body: { records, reason } }, one] as const
}
