import type { Kysely, Selectable } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { deviceWords } from '#shared/devices.ts'
import { utcMinute } from '#shared/moments.ts'
import { formatUsd, formatUsdJson } from '#shared/money.ts'
import { riskLine } from '#shared/plans.ts'
import { type DepositRow, depositsById, presentDeposit } from './deposits.ts'
import { type EarningRow, earningsById, presentEarning } from './earnings.ts'
import { type InvestmentRow, investmentsById } from './investments.ts'
import { type WithdrawalRow, withdrawalsById } from './withdrawals.ts'

/** Something that has happened to an account, in words: of the bell and of the letters. */
export type News = {
  /** Whose account. */
  userId: string
  /** In short: a letter's subject. */
  headline: string
  /** What has happened, in a sentence, with the exact amount. */
  text: string
  /** What else there is to know: a reason, a source, what to do. */
  details: string[]
}

type Db = Kysely<Schema>
type Session = Pick<Selectable<Schema['app.sessions']>, 'id' | 'user_id' | 'created_at' | 'ip' | 'user_agent'>
type Passkey = Pick<Selectable<Schema['app.passkeys']>, 'id' | 'user_id' | 'name'>
type Address = Selectable<Schema['app.payout_addresses']>
type Teller<Row> = (row: Row, now: Date) => News

/** A kind of record: how many are read at once, and what can happen to one. */
type Telling<Row, Happening extends string> = {
  load: (db: Db, ids: string[]) => Promise<Row[]>
  tellers: Record<Happening, Teller<Row>>
}
function telling<Row extends { id: string }, Happening extends string>(of: Telling<Row, Happening>) {
  return of
}

/** What is left to say when the session, or the passkey, itself is no longer kept. */
export const headlinesAlone = {
  'session.opened': 'A login on a new device',
  'session.reused': 'A session of your account was ended',
  'passkey.added': 'A passkey was added to your account',
  'passkey.removed': 'A passkey was removed from your account',
  'passkey.refused': 'A passkey of your account is not accepted any more',
}

const tellings = {
  deposit: telling({
    load: depositsById,
    tellers: {
      approved: deposit(howItCame, (row, now) => [presentDeposit(row, now).label]),
      underpaid: deposit('came short', (row, now) => [presentDeposit(row, now).label]),
      added: deposit('was credited with more', (row, now) => [presentDeposit(row, now).label]),
      reversed: deposit('was taken back by its network', (row, now) => [presentDeposit(row, now).label]),
      declined: deposit('was declined', ({ decline_reason }) => [`The reason: ${decline_reason}`]),
      unpaid: deposit('was not paid', () => ['A payment that arrives after all is still credited.']),
    },
  }),
  investment: telling({
    load: investmentsById,
    tellers: {
      approved: investment('is active', ({ ending_at }) => [
        `It ends on ${dayOf(ending_at)}. Its principal is then available again.`,
        riskLine,
      ]),
      matured: investment('has matured', ({ ending_at }) => [
        `It ended on ${dayOf(ending_at)}. When it is closed, its principal is available on your balance.`,
      ]),
      closed: investment('is closed', row => [
        ...(row.close_reason === null ? [] : [`The reason: ${row.close_reason}`]),
        whereItIs('Its principal', row),
      ]),
      declined: investment('was declined', row => [
        `The reason: ${row.decline_reason}`,
        whereItIs('What was held or had arrived for it', row),
      ]),
    },
  }),
  withdrawal: telling({
    load: withdrawalsById,
    tellers: {
      requested: withdrawal('was requested', () => [
        'The amount is held until we have paid it out.',
        'If it was not you who asked for it, change your password at once and write to us.',
      ]),
      approved: withdrawal('is approved', () => ['It will be paid next.']),
      paid: withdrawal('was paid', ({ transaction_id }) => [`Transaction: ${transaction_id}`]),
      declined: withdrawal('was declined', row => [
        `The reason: ${row.decline_reason}`,
        whereItIs('The amount', row),
      ]),
    },
  }),
  earning: telling({
    load: earningsById,
    tellers: {
      paid: earning(
        earnedWhere,
        ({ recovered_cents }) => (recovered_cents === 0n ? 'was added to your balance' : 'was paid'),
        row => [
          ...(row.recovered_cents === 0n ? [] : [whereItIs('It', row)]),
          `The firm earned it on: ${presentEarning(row).source}.`,
          ...(row.note === null ? [] : [`A note with it: ${row.note}`]),
        ],
      ),
      declined: earning(
        amount => `An earning of ${amount} was declined`,
        () => 'was declined',
        ({ decline_reason }) => [
          `The reason: ${decline_reason}`,
          'Nothing had been added to your balance for it.',
        ],
      ),
    },
  }),
  session: telling({
    load: sessionsById,
    tellers: {
      opened: (row: Session) => ({
        userId: row.user_id,
        headline: headlinesAlone['session.opened'],
        text: `Somebody logged in to your account on a new device: ${deviceOf(row)}.`,
        details: ['If this was not you, change your password at once: that ends every other session.'],
      }),
      reused: (row: Session) => ({
        userId: row.user_id,
        headline: headlinesAlone['session.reused'],
        text: `A session of your account was ended because a key of it was used twice: ${deviceOf(row)}.`,
        details: ['Somebody may have had a copy of that key. Change your password if you cannot explain it.'],
      }),
    },
  }),
  account: telling({
    load: accountsById,
    tellers: {
      frozen: account(
        'Your account is frozen',
        [
          'You can log in and look at everything. Deposits, investments and withdrawals are not possible for now, and nothing that you have asked for is approved or paid.',
          'Your money stays where it is. Please send no payment until we have told you that your account is open again.',
        ],
        'Write to us if you want to know more.',
      ),
      unfrozen: account(
        'Your account is not frozen any more',
        ['Deposits, investments and withdrawals are possible again.'],
        'Write to us if anything in it is not as you left it.',
      ),
    },
  }),
  password: telling({
    load: accountsById,
    tellers: { changed: account('Your password was changed', ['Other sessions were ended.']) },
  }),
  email: telling({
    load: accountsById,
    tellers: {
      requested: account('A change of your email address was requested', [
        'Until the code is entered that we have sent to the new address, this one counts.',
      ]),
      changed: account(
        'Your email address was changed',
        ['To the old address this is the last message.'],
        'If this was not you, write to us at once: the old address cannot set a new password any more.',
      ),
    },
  }),
  second_factor: telling({
    load: accountsById,
    tellers: {
      on: account('Your second factor was switched on', [
        'From now on a login by password asks for a code of your authenticator app, too. Other sessions were ended.',
      ]),
      off: account('Your second factor was switched off', [
        'From now on your password alone is enough to log in.',
      ]),
    },
  }),
  second_factors: telling({
    load: accountsById,
    tellers: {
      reset_proposed: account(
        'A reset of your second factors was proposed',
        [
          'Our staff was told that you have lost them. If a second admin approves it, your password alone opens your account until you set up new ones.',
        ],
        'If you have not asked for it, write to us at once.',
      ),
      reset: account(
        'Your second factors were reset',
        [
          'The codes of your authenticator app, your recovery codes and your passkeys do not work any more. Every session was ended: log in with your password and set up new ones.',
        ],
        'If you have not asked for it, set a new password at once and write to us.',
      ),
    },
  }),
  role: telling({
    load: accountsById,
    tellers: {
      changed: account(
        'Your role was changed',
        ['Every session was ended: log in again to see what you may do now.'],
        'If you know nothing of it, ask an admin of the firm.',
      ),
    },
  }),
  access: telling({
    load: accountsById,
    tellers: {
      ended: account(
        'Your access to the console has ended',
        ['Every session was ended.'],
        'If you know nothing of it, ask an admin of the firm.',
      ),
    },
  }),
  recovery_codes: telling({
    load: accountsById,
    tellers: {
      renewed: account('New recovery codes were made', ['Those from before do not work any more.']),
    },
  }),
  recovery_code: telling({
    load: accountsById,
    tellers: { used: account('A recovery code was used', ['It does not work any more.']) },
  }),
  passkey: telling({
    load: passkeysById,
    tellers: {
      added: passkey('passkey.added', 'was added to your account', [
        'It opens your account without the password.',
        'If this was not you, remove it, change your password at once and write to us.',
      ]),
      removed: passkey('passkey.removed', 'was removed from your account', [
        'If this was not you, set a new password at once and write to us.',
      ]),
      refused: passkey('passkey.refused', 'is not accepted any more', [
        'Its counter went back when somebody logged in with it, so there may be a copy of it.',
        'Log in with your password, remove it, and add a new one.',
      ]),
    },
  }),
  address: telling({
    load: addressesById,
    tellers: {
      added: (row: Address) => ({
        userId: row.user_id,
        headline: 'A withdrawal address was added',
        text: `The address ${row.address} (${row.wallet}) was added to your address book.`,
        details: [
          row.usable_from === null
            ? 'Withdrawals can go there from now on.'
            : `Withdrawals can go there from ${utcMinute(row.usable_from)}.`,
          'If this was not you, remove it, change your password at once and write to us.',
        ],
      }),
    },
  }),
}

type Tellings = typeof tellings
/** A record and what has happened to it: everything that there are words for. */
export type NewsKind = {
  [Record in keyof Tellings]: `${Record}.${keyof Tellings[Record]['tellers'] & string}`
}[keyof Tellings]

/** What has happened to these records, by their ids; of a session or passkey that is no longer kept there is nothing. */
export async function newsOf(db: Db, kind: NewsKind, ids: string[], now: Date): Promise<Map<string, News>> {
  const [record, happening] = kind.split('.') as [keyof Tellings, string]
  const { load, tellers } = tellings[record] as unknown as Telling<{ id: string }, string>
  const rows = await load(db, ids)
  return new Map(rows.map(row => [row.id, tellers[happening]!(row, now)]))
}

type Happening = { headline: string; text: string }

function deposit(
  happened: string | ((row: DepositRow) => Happening),
  details: (row: DepositRow, now: Date) => string[],
): Teller<DepositRow> {
  return (row, now) => {
    const { headline, text } = typeof happened === 'string' ? alike(happened) : happened(row)
    return {
      userId: row.user_id,
      headline: `Your deposit ${row.invoice_id} ${headline}`,
      text: `Your deposit ${row.invoice_id} of ${formatUsd(row.amount_cents)} ${text}.`,
      details: details(row, now),
    }
  }
}

/** Where money that is free again went: what of it makes good what was taken back is nobody's to spend. */
function whereItIs(
  what: string,
  { amount_cents, recovered_cents }: { amount_cents: bigint; recovered_cents: bigint },
): string {
  if (recovered_cents === 0n) return `${what} is available on your balance.`
  const left = amount_cents - recovered_cents
  const makesGood = 'makes good what networks took back of your deposits'
  if (left === 0n) return `${what} ${makesGood}: nothing of it is available.`
  return `${formatUsd(recovered_cents)} of it ${makesGood}; the other ${formatUsd(left)} is available on your balance.`
}

function earnedWhere(amount: string, { recovered_cents }: EarningRow): string {
  return recovered_cents === 0n
    ? `${amount} were added to your balance`
    : `An earning of ${amount} was paid, and makes good what networks took back`
}

const alike = (happened: string): Happening => ({ headline: happened, text: happened })

/** A payment that did not come as asked for is never told as if it had. */
function howItCame({ deviation, credited_cents }: DepositRow): Happening {
  if (deviation === null) return alike('was received')
  const came = { underpaid: 'came short', overpaid: 'was more than asked for', late: 'came late' }[deviation]
  return { headline: came, text: `${came}: ${formatUsd(credited_cents!)} was credited` }
}

function investment(happened: string, details: (row: InvestmentRow) => string[]): Teller<InvestmentRow> {
  return row => ({
    userId: row.user_id,
    headline: `Your investment ${row.invoice_id} ${happened}`,
    text: `Your investment ${row.invoice_id} of ${formatUsd(row.amount_cents)} in the ${row.plan_name} plan ${happened}.`,
    details: details(row),
  })
}

function withdrawal(happened: string, details: (row: WithdrawalRow) => string[]): Teller<WithdrawalRow> {
  return row => ({
    userId: row.user_id,
    headline: `Your withdrawal ${row.invoice_id} ${happened}`,
    text: `Your withdrawal ${row.invoice_id} of ${formatUsd(row.amount_cents)} to ${row.address} (${row.wallet}) ${happened}.`,
    details: details(row),
  })
}

function earning(
  headline: (amount: string, row: EarningRow) => string,
  happened: (row: EarningRow) => string,
  details: (row: EarningRow) => string[],
): Teller<EarningRow> {
  return row => {
    const { user, amount, investmentLabel } = presentEarning(row)
    return {
      userId: user,
      headline: headline(formatUsdJson(amount), row),
      text: `An earning of ${formatUsdJson(amount)} on ${investmentLabel} ${happened(row)}.`,
      details: details(row),
    }
  }
}

function account(
  happened: string,
  details: string[],
  advice = 'If this was not you, set a new password at once and write to us.',
): Teller<{ id: string }> {
  return ({ id }) => ({
    userId: id,
    headline: happened,
    text: `${happened}.`,
    details: [...details, advice],
  })
}

function passkey(kind: keyof typeof headlinesAlone, happened: string, details: string[]): Teller<Passkey> {
  return ({ user_id, name }) => ({
    userId: user_id,
    headline: headlinesAlone[kind],
    text: `The passkey '${name}' ${happened}.`,
    details,
  })
}

function accountsById(db: Db, ids: string[]): Promise<{ id: string }[]> {
  return db.selectFrom('app.users').select('id').where('id', 'in', ids).execute()
}

function sessionsById(db: Db, ids: string[]): Promise<Session[]> {
  return db
    .selectFrom('app.sessions')
    .select(['id', 'user_id', 'created_at', 'ip', 'user_agent'])
    .where('id', 'in', ids)
    .execute()
}

function passkeysById(db: Db, ids: string[]): Promise<Passkey[]> {
  return db.selectFrom('app.passkeys').select(['id', 'user_id', 'name']).where('id', 'in', ids).execute()
}

function addressesById(db: Db, ids: string[]): Promise<Address[]> {
  return db.selectFrom('app.payout_addresses').selectAll().where('id', 'in', ids).execute()
}

function dayOf(moment: Date | null): string | undefined {
  return moment?.toISOString().slice(0, 10)
}

/** Browser and system, as far as the browser says, and from where and when. */
function deviceOf({ user_agent, ip, created_at }: Session): string {
  return `${deviceWords(user_agent)}, address ${ip ?? 'unknown'}, ${utcMinute(created_at)}`
}
