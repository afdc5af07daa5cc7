// @ts-check
/** The books' accounts and the postings that each event may have: server/ledger/README.md, "Accounts" and "Events". */

/** Digits after the decimal point. */
export const DECIMALS = new Map(Object.entries({ USD: 2, BTC: 8, USDT: 6, USDC: 6, ETH: 9 }))

const COINS = ['BTC', 'USDT', 'USDC', 'ETH']

export const AVAILABLE = 'Liabilities:Investors:Available'
export const HELD = 'Liabilities:Investors:Held'
export const INVESTED = 'Liabilities:Investors:Invested'
export const RECORDED_RETURNS = 'Liabilities:Recorded-Returns'
export const RETURNS_RECEIVED = 'Assets:Returns-Received'
export const CUSTODY = 'Assets:Custody'
export const RECEIVABLE = 'Assets:Receivable'
export const EXCHANGE = 'Equity:Exchange'
export const PAYOUTS = 'Equity:Payouts'
export const ROUNDING = 'Equity:Rounding'

/** Investors' accounts, by their kind in the books. */
export const INVESTOR_ACCOUNTS = new Map([
  ['available', AVAILABLE],
  ['held', HELD],
  ['invested', INVESTED],
])

/** Each account with its commodities. */
export const ACCOUNTS = new Map([
  [AVAILABLE, ['USD']],
  [HELD, ['USD']],
  [INVESTED, ['USD']],
  [RECORDED_RETURNS, ['USD']],
  [RETURNS_RECEIVED, ['USD']],
  [CUSTODY, COINS],
  [RECEIVABLE, ['USD']],
  [EXCHANGE, ['USD', ...COINS]],
  [PAYOUTS, ['USD']],
  [ROUNDING, COINS],
])

/** Sums of these never fall below zero: nobody has less than nothing, and only what was recorded is paid. */
export const NEVER_BELOW_ZERO = [AVAILABLE, HELD, INVESTED, RECORDED_RETURNS]

const PAYMENT = [
  [CUSTODY, EXCHANGE],
  [CUSTODY, ROUNDING],
  [ROUNDING, EXCHANGE],
  [EXCHANGE, AVAILABLE],
]

/** The permitted postings of each event: the account debited, then the account credited. */
export const EVENTS = new Map(
  Object.entries({
    'deposit.settled': [...PAYMENT, [EXCHANGE, RECEIVABLE]],
    'deposit.added': [...PAYMENT, [EXCHANGE, RECEIVABLE]],
    'deposit.reversed': [
      [EXCHANGE, CUSTODY],
      [ROUNDING, CUSTODY],
      [EXCHANGE, ROUNDING],
      [AVAILABLE, EXCHANGE],
      [RECEIVABLE, EXCHANGE],
      [AVAILABLE, RECEIVABLE],
    ],
    'investment.funded': [...PAYMENT, [AVAILABLE, INVESTED]],
    'investment.requested': [[AVAILABLE, HELD]],
    'investment.approved': [[HELD, INVESTED]],
    'investment.declined': [[HELD, AVAILABLE]],
    'investment.closed': [[INVESTED, AVAILABLE]],
    'withdrawal.requested': [[AVAILABLE, HELD]],
    'withdrawal.paid': [[HELD, PAYOUTS]],
    'withdrawal.declined': [[HELD, AVAILABLE]],
    'return.recorded': [[RETURNS_RECEIVED, RECORDED_RETURNS]],
    'return.voided': [[RECORDED_RETURNS, RETURNS_RECEIVED]],
    'earning.paid': [[RECORDED_RETURNS, AVAILABLE]],
  }).map(([event, postings]) => [event, new Set(postings.map(([debit, credit]) => `${debit} → ${credit}`))]),
)

/** @param {string} account */
export function isInvestors(account) {
  return account.startsWith('Liabilities:Investors:')
}
