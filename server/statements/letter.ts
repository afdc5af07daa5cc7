import type { Services, SignedInContext } from '#server/context.ts'
import { investmentRefusals } from '#server/investments/messages.ts'
import { findInvestment, type InvestmentRow } from '#server/investments/queries.ts'
import { type InvestmentMethod, paymentMethods } from '#shared/coins.ts'
import { localUsd } from '#shared/i18n/amounts.ts'
import { number } from '#shared/i18n/intl.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { riskLine, targetReturn } from '#shared/plans.ts'
import { frameOf, timeWords } from './pdf.ts'
import type { StatementDocument } from './pdf-document.ts'
import { draw } from './pdf-thread.ts'
import { requireOwn } from './trail.ts'

/**
 * A letter that confirms an investment as it is now: its terms, dates and state, and that its target is no promise.
 * @throws AppError forbidden, not_found; wrong_state for an investment that was not approved
 */
export async function letterOf(
  ctx: SignedInContext,
  { id, zone }: { id: string; zone: string },
): Promise<{ number: string; ownerId: string; content: Buffer }> {
  const { db } = ctx.services
  const row = requireOwn(await findInvestment(db, id), ctx.caller, 'investment')
  if (!isConfirmed(row)) throw investmentRefusals.error({ reason: 'nothing_invested' })
  const facts = factsOf(row, { version: await versionOf(db, row), zone })
  const frame = await frameOf(ctx, row.user_id, { title: t('Investment confirmation'), facts, zone })
  const content = await draw({
    ...frame,
    summary: [],
    notes: notes.map(note => translate(note)),
    tables: [],
    accounts: [],
  })
  return { number: row.invoice_id, ownerId: row.user_id, content }
}

/** Only what was approved is an investment to confirm. */
const isConfirmed = ({ status }: InvestmentRow) => status === 'active' || status === 'inactive'

async function versionOf(db: Services['db'], { plan_version_id }: InvestmentRow): Promise<number> {
  const { version } = await db
    .selectFrom('app.plan_versions')
    .select('version')
    .where('id', '=', plan_version_id)
    .executeTakeFirstOrThrow()
  return version
}

function factsOf(
  row: InvestmentRow,
  { version, zone }: { version: number; zone: string },
): StatementDocument['facts'] {
  const time = timeWords(zone)
  const dated: [string, Date | null][] = [
    [t('Approved', {}, 'when'), row.approved_at],
    [row.status === 'inactive' ? t('Due to end') : t('Ends', {}, 'when'), row.ending_at],
    [t('Closed', {}, 'when'), row.closed_at],
  ]
  return [
    [t('Investment'), row.invoice_id],
    [t('Plan'), t('{plan}, version {version} of its terms', { plan: row.plan_name, version })],
    [t('Term'), t('{days, plural, one {# day} other {# days}}', { days: row.duration_days })],
    [t('Amount'), localUsd(row.amount_cents)],
    [t('Payment method'), methodName(row.method)],
    [t('Status'), statusWords(row)],
    [t('Requested', {}, 'when'), time(row.created_at)],
    ...dated.flatMap(([name, at]): StatementDocument['facts'] => (at === null ? [] : [[name, time(at)]])),
    [t('Target return'), targetWords(row)],
    [t('Earned so far'), localUsd(row.earned_cents)],
    [t('Time zone'), zone],
  ]
}

const methodName = (method: InvestmentMethod) =>
  method === 'balance' ? t('Available balance') : paymentMethods[method].label

function statusWords(row: InvestmentRow): string {
  const { amount_cents, recovered_cents, reinvested_invoice } = row
  if (row.status === 'active') return t('Active: the amount is invested')
  if (reinvested_invoice !== null) {
    return t('Closed: the principal was put on hold for the new investment {invoice}', {
      invoice: reinvested_invoice,
    })
  }
  if (recovered_cents === 0n) return t('Closed: the principal was returned to the available balance')
  const repaid = localUsd(recovered_cents)
  const rest = amount_cents - recovered_cents
  return rest === 0n
    ? t('Closed: {repaid} of the principal repaid reversed deposits', { repaid })
    : t(
        'Closed: {repaid} of the principal repaid reversed deposits, and {rest} was returned to the available balance',
        { repaid, rest: localUsd(rest) },
      )
}

function targetWords({ percentage_bp, duration_days, amount_cents }: InvestmentRow): string {
  const target = localUsd(targetReturn({ percentageBp: percentage_bp }, amount_cents))
  return t('{percent}% over {days, plural, one {# day} other {# days}}, {target}. A target, not guaranteed', {
    percent: number(percentage_bp / 100),
    days: duration_days,
    target,
  })
}

const notes = [
  riskLine,
  msg(
    'The target says what the plan aims for, not what will be paid. Earnings come only from returns that we have realised and recorded; they can be lower than the target, or nothing.',
  ),
  msg(
    'This letter describes the investment as of the time above. Your statement shows its entries in the firm’s double-entry ledger.',
  ),
]
