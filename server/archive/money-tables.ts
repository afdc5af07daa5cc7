import { sql } from 'kysely'
import { statement } from '#server/ledger/statement.ts'
import { presentLines } from '#server/statements/lines.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { coins, flag, moment, rate, text, usd, whole, word } from './columns.ts'
import { type ArchiveTable, ROWS_AT_ONCE, rowsOf } from './table.ts'

const deposits: ArchiveTable = {
  name: 'deposits',
  about: () => t('Deposits that you requested, with the quote that you were shown.'),
  shows: ['app.deposits'],
  columns: {
    number: word(msg('Its number')),
    investment: word(msg('The number of the investment that it pays, if any')),
    requested: usd(msg('What you wanted to pay in')),
    method: word(msg('How: the coin and its network')),
    coin: word(msg('The coin')),
    network: word(msg('The network')),
    address: word(msg('Where to pay')),
    toPay: coins(msg('What to pay'), 'coin'),
    rate: rate(msg('US dollars for one coin, as quoted')),
    rateAt: moment(msg('The time of that rate')),
    rateSource: text(msg('Where that rate came from')),
    status: word(msg('pending, paid, unpaid or declined')),
    requestedAt: moment(msg('When you requested it')),
    expiresAt: moment(msg('Until when the rate was fixed')),
    settledAt: moment(msg('When it was credited')),
    declineReason: text(msg('Why we declined it')),
    cancelledByYou: flag(msg('Whether you cancelled it')),
    owed: usd(msg('What you owe because its payment was reversed after you used it')),
  },
  rows: rowsOf(
    userId => sql`
      SELECT d.invoice_id AS number, i.invoice_id AS investment, d.amount_cents AS requested, d.method, d.asset AS coin, d.network,
             d.address, d.crypto_units AS "toPay", d.rate_e8 AS rate, d.rate_at AS "rateAt", d.rate_source AS "rateSource", d.status,
             d.created_at AS "requestedAt", d.expires_at AS "expiresAt", d.settled_at AS "settledAt",
             d.decline_reason AS "declineReason", d.cancelled_by IS NOT NULL AS "cancelledByYou", d.debt_cents AS owed
        FROM app.deposits d LEFT JOIN app.investments i ON i.id = d.investment_id
       WHERE d.user_id = ${userId} ORDER BY d.id`,
  ),
}

const depositAddresses: ArchiveTable = {
  name: 'deposit-addresses',
  about: () => t('Addresses that were shown to you alone, for your payments.'),
  shows: ['app.payment_addresses'],
  columns: {
    network: word(msg('bitcoin, ethereum or usdt (TRON)')),
    address: word(msg('The address')),
    deposit: word(msg('The number of the deposit that it was for')),
    shownAt: moment(msg('When it was made')),
    usedAt: moment(msg('When the first payment to it was seen')),
  },
  rows: rowsOf(
    userId => sql`
      SELECT a.rail AS network, a.address, d.invoice_id AS deposit, a.created_at AS "shownAt", a.used_at AS "usedAt"
        FROM app.payment_addresses a LEFT JOIN app.deposits d ON d.id = a.deposit_id
       WHERE a.user_id = ${userId} ORDER BY a.created_at, a.address`,
  ),
}

const payments: ArchiveTable = {
  name: 'payments',
  about: () => t('Payments that we saw on the networks at those addresses.'),
  shows: ['app.chain_transfers'],
  columns: {
    deposit: word(msg('The number of the deposit')),
    network: word(msg('bitcoin, ethereum or usdt (TRON)')),
    transaction: word(msg('The transaction; a block if a contract paid')),
    address: word(msg('The address that was paid')),
    coin: word(msg('The coin')),
    amount: coins(msg('What was paid'), 'coin'),
    seenAt: moment(msg('When we first saw it')),
    block: whole(msg('The height of its block')),
    blockAt: moment(msg('The time of its block')),
    droppedAt: moment(msg('When the network dropped it')),
    ignored: word(msg('Why it is never credited: dust, wrong_asset or internal')),
  },
  rows: rowsOf(
    userId => sql`
      SELECT d.invoice_id AS deposit, t.rail AS network, t.transaction_id AS transaction, a.address, t.token AS coin, t.units AS amount,
             t.seen_at AS "seenAt", t.block_height AS block, t.block_time AS "blockAt", t.dropped_at AS "droppedAt",
             t.ignored_reason AS ignored
        FROM app.payment_addresses a
        JOIN app.chain_transfers t ON t.rail = a.rail AND t.address = app.address_key(a.address)
        LEFT JOIN app.deposits d ON d.id = a.deposit_id
       WHERE a.user_id = ${userId} ORDER BY t.id`,
  ),
}

const credits: ArchiveTable = {
  name: 'credits',
  about: () => t('What was credited to you for payments, each at its rate.'),
  shows: ['app.deposit_credits'],
  columns: {
    deposit: word(msg('The number of the deposit')),
    transaction: text(msg('The transaction that paid')),
    coin: word(msg('The coin')),
    amount: coins(msg('What arrived'), 'coin'),
    credited: usd(msg('What was credited')),
    rate: rate(msg('US dollars for one coin')),
    rateAt: moment(msg('The time of that rate')),
    rateSource: text(msg('Where that rate came from')),
    lateAt: moment(msg('When it arrived, if that was too late for the rate of the quote')),
    creditedAt: moment(msg('When it was credited')),
    reversed: flag(msg('Whether it was reversed, because its network replaced the payment')),
    posting: word(msg('The transaction in our books, as in postings')),
  },
  rows: rowsOf(
    userId => sql`
      SELECT d.invoice_id AS deposit, coalesce(c.transaction_id, t.transaction_id) AS transaction, d.asset AS coin, c.units AS amount,
             c.cents AS credited, c.rate_e8 AS rate, c.rate_at AS "rateAt", c.rate_source AS "rateSource", c.late_at AS "lateAt",
             c.credited_at AS "creditedAt", c.reversed_by IS NOT NULL AS reversed, c.posting
        FROM app.deposits d
        JOIN app.deposit_credits c ON c.deposit_id = d.id
        LEFT JOIN app.chain_transfers t ON t.id = c.transfer_id
       WHERE d.user_id = ${userId} ORDER BY c.id`,
  ),
}

const plans: ArchiveTable = {
  name: 'plans',
  about: () => t('The terms of the plans that you chose, as they were for your investments.'),
  shows: ['app.plan_versions'],
  columns: {
    plan: text(msg('The name of the plan')),
    version: whole(msg('The version of its terms')),
    targetPercent: word(msg('The target return over the whole term, in percent: not guaranteed')),
    minimum: usd(msg('The least to invest')),
    maximum: usd(msg('The most to invest')),
    days: whole(msg('The term in days')),
    note: text(msg('What the catalogue says about it')),
    validFrom: moment(msg('Since when these terms were offered')),
  },
  rows: rowsOf(
    userId => sql`
      SELECT name AS plan, version, trim_scale(percentage_bp / 100.0)::text AS "targetPercent", minimum_cents AS minimum,
             maximum_cents AS maximum, duration_days AS days, note, created_at AS "validFrom"
        FROM app.plan_versions
       WHERE id IN (SELECT plan_version_id FROM app.investments WHERE user_id = ${userId}) ORDER BY created_at, id`,
  ),
}

const investments: ArchiveTable = {
  name: 'investments',
  about: () => t('Your investments.'),
  shows: ['app.investments'],
  columns: {
    number: word(msg('Its number')),
    plan: text(msg('The name of the plan')),
    planVersion: whole(msg('The version of its terms')),
    amount: usd(msg('What you invested')),
    method: word(msg('How you paid')),
    status: word(msg('pending, active, inactive (closed) or declined')),
    requestedAt: moment(msg('When you requested it')),
    approvedAt: moment(msg('When it was approved')),
    endsAt: moment(msg('When it ends')),
    closedAt: moment(msg('When it was closed')),
    closeReason: text(msg('Why it was closed before its end')),
    declinedAt: moment(msg('When it was declined or cancelled')),
    declineReason: text(msg('Why we declined it')),
    cancelledByYou: flag(msg('Whether you cancelled it')),
    repaidDebt: usd(msg('The part of the freed money that repaid reversed deposits')),
    reinvestment: word(msg('What became of your wish to reinvest')),
    reinvestedAs: word(msg('The number of the investment that the principal went into')),
  },
  rows: rowsOf(
    userId => sql`
      SELECT i.invoice_id AS number, p.name AS plan, p.version AS "planVersion", i.amount_cents AS amount, i.method, i.status,
             i.created_at AS "requestedAt", i.approved_at AS "approvedAt", i.ending_at AS "endsAt", i.closed_at AS "closedAt",
             i.close_reason AS "closeReason", i.declined_at AS "declinedAt", i.decline_reason AS "declineReason",
             i.cancelled_by IS NOT NULL AS "cancelledByYou", i.recovered_cents AS "repaidDebt", i.reinvestment,
             n.invoice_id AS "reinvestedAs"
        FROM app.investments i
        JOIN app.plan_versions p ON p.id = i.plan_version_id
        LEFT JOIN app.investments n ON n.id = i.reinvested_as
       WHERE i.user_id = ${userId} ORDER BY i.id`,
  ),
}

const earnings: ArchiveTable = {
  name: 'earnings',
  about: () => t('Earnings added to your investments.'),
  shows: ['app.earnings'],
  columns: {
    id: word(msg('The earning')),
    investment: word(msg('The number of the investment')),
    amount: usd(msg('The amount')),
    note: text(msg('Our note about it')),
    status: word(msg('pending, paid or declined')),
    addedAt: moment(msg('When it was added')),
    paidAt: moment(msg('When it was paid')),
    declineReason: text(msg('Why it was declined')),
    repaidDebt: usd(msg('The part that repaid reversed deposits')),
  },
  rows: rowsOf(
    userId => sql`
      SELECT e.id, i.invoice_id AS investment, e.amount_cents AS amount, e.note, e.status, e.created_at AS "addedAt",
             e.paid_at AS "paidAt", e.decline_reason AS "declineReason", e.recovered_cents AS "repaidDebt"
        FROM app.earnings e JOIN app.investments i ON i.id = e.investment_id
       WHERE e.user_id = ${userId} ORDER BY e.id`,
  ),
}

const sources: ArchiveTable = {
  name: 'earning-sources',
  about: () => t('The recorded returns that paid your earnings.'),
  shows: ['app.earning_sources'],
  columns: {
    earning: word(msg('The earning, as in earnings')),
    source: text(msg('What the return came from')),
    realisedOn: word(msg('The day on which the firm realised it')),
    evidence: text(
      msg('Its evidence: a link, a transaction or the name of a file, which the page of the earning opens'),
    ),
    amount: usd(msg('What it paid of the earning')),
  },
  rows: rowsOf(
    userId => sql`
      SELECT s.earning_id AS earning, r.source, r.realised_on AS "realisedOn", r.evidence, s.amount_cents AS amount
        FROM app.earnings e
        JOIN app.earning_sources s ON s.earning_id = e.id
        JOIN app.returns r ON r.id = s.return_id
       WHERE e.user_id = ${userId} ORDER BY s.earning_id, r.realised_on, r.id`,
  ),
}

const withdrawals: ArchiveTable = {
  name: 'withdrawals',
  about: () => t('Your withdrawals.'),
  shows: ['app.withdrawals'],
  columns: {
    number: word(msg('Its number')),
    amount: usd(msg('The amount')),
    wallet: text(msg('The coin and its network')),
    address: text(msg('Where it goes')),
    status: word(msg('pending, approved, paid or declined')),
    requestedAt: moment(msg('When you requested it')),
    approvedAt: moment(msg('When it was approved')),
    paidAt: moment(msg('When it was paid')),
    transaction: text(msg('The transaction that paid it')),
    coin: word(msg('The coin')),
    paid: coins(msg('What is paid'), 'coin'),
    rate: rate(msg('US dollars for one coin')),
    rateAt: moment(msg('The time of that rate')),
    rateSource: text(msg('Where that rate came from')),
    declineReason: text(msg('Why we declined it')),
    cancelledByYou: flag(msg('Whether you cancelled it')),
    repaidDebt: usd(msg('The part of the freed money that repaid reversed deposits')),
  },
  rows: rowsOf(
    userId => sql`
      SELECT invoice_id AS number, amount_cents AS amount, wallet, address, status, created_at AS "requestedAt",
             approved_at AS "approvedAt", paid_at AS "paidAt", transaction_id AS transaction, payout_asset AS coin, payout_units AS paid,
             payout_rate_e8 AS rate, payout_rate_at AS "rateAt", payout_rate_source AS "rateSource", decline_reason AS "declineReason",
             cancelled_by IS NOT NULL AS "cancelledByYou", recovered_cents AS "repaidDebt"
        FROM app.withdrawals WHERE user_id = ${userId} ORDER BY id`,
  ),
}

const postings: ArchiveTable = {
  name: 'postings',
  about: () =>
    t(
      'Every posting of your accounts in our double-entry ledger, newest first, each with the balance after it.',
    ),
  shows: ['ledger.entries', 'ledger.transactions'],
  columns: {
    id: word(msg('Its number: postings are numbered in their order')),
    at: moment(msg('When it was posted')),
    event: word(msg('What happened')),
    description: text(msg('The same in words')),
    account: word(msg('available, held (on hold) or invested (in plans)')),
    amount: usd(msg('What it added to the account, or took from it')),
    balance: usd(msg('The balance of that account after it')),
    kind: word(msg('The kind of its record')),
    number: word(msg('The number of its record')),
    transaction: word(msg('The transaction: its postings belong together')),
    note: text(msg('A reason, or the transaction on a network')),
  },
  rows: async function* ({ tx, userId }) {
    let cursor: string | undefined
    do {
      const page = await statement(tx, userId, { cursor, limit: ROWS_AT_ONCE })
      const words = await presentLines(tx, page.lines)
      yield page.lines.map((line, n) => ({
        ...line,
        id: `${line.id}`,
        description: words[n]!.description,
        account: line.kind,
        kind: line.reference_kind,
        number: words[n]!.invoiceId,
        transaction: line.transaction_id,
        note: line.memo,
      }))
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
  },
}

export const moneyTables: readonly ArchiveTable[] = [
  plans,
  deposits,
  depositAddresses,
  payments,
  credits,
  investments,
  earnings,
  sources,
  withdrawals,
  postings,
]
