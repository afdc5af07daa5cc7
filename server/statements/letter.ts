import type { Services, SignedInContext } from '#server/context.ts'
import { investmentRefusals } from '#server/investments/messages.ts'
import { findInvestment, type InvestmentRow } from '#server/investments/queries.ts'
import { type InvestmentMethod, paymentMethods } from '#shared/coins.ts'
import { formatUsd } from '#shared/money.ts'
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
  const frame = await frameOf(ctx, row.user_id, { title: 'Investment confirmation', facts, zone })
  const content = await draw({ ...frame, summary: [], notes, tables: [], accounts: [] })
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
    ['Approved', row.approved_at],
    [row.status === 'inactive' ? 'Due to end' : 'Ends', row.ending_at],
    ['Closed', row.closed_at],
  ]
  return [
    ['Investment', row.invoice_id],
    ['Plan', `${row.plan_name}, version ${version} of its terms`],
    ['Term', row.duration_days === 1 ? '1 day' : `${row.duration_days} days`],
    ['Amount', formatUsd(row.amount_cents)],
    ['Payment method', methodName(row.method)],
    ['Status', statusWords(row)],
    ['Requested', time(row.created_at)],
    ...dated.flatMap(([name, at]): StatementDocument['facts'] => (at === null ? [] : [[name, time(at)]])),
    ['Target return', targetWords(row)],
    ['Earned so far', formatUsd(row.earned_cents)],
    ['Time zone', zone],
  ]
}

const methodName = (method: InvestmentMethod) =>
  method === 'balance' ? 'Available balance' : paymentMethods[method].label

function principalWords({ amount_cents, recovered_cents, reinvested_invoice }: InvestmentRow): string {
  if (reinvested_invoice !== null)
    return `the principal was put on hold for the new investment ${reinvested_invoice}`
  if (recovered_cents === 0n) return 'the principal was returned to the available balance'
  const repaid = `${formatUsd(recovered_cents)} of the principal repaid reversed deposits`
  const rest = amount_cents - recovered_cents
  return rest === 0n ? repaid : `${repaid}, and ${formatUsd(rest)} was returned to the available balance`
}

function statusWords(row: InvestmentRow): string {
  return row.status === 'active' ? 'Active: the amount is invested' : `Closed: ${principalWords(row)}`
}

function targetWords({ percentage_bp, duration_days, amount_cents }: InvestmentRow): string {
  const target = formatUsd(targetReturn({ percentageBp: percentage_bp }, amount_cents))
  return `${percentage_bp / 100}% over ${duration_days === 1 ? '1 day' : `${duration_days} days`}, ${target}. A target, not guaranteed`
}

const notes = [
  riskLine,
  'The target says what the plan aims for, not what will be paid. Earnings come only from returns that we have realised and recorded; they can be lower than the target, or nothing.',
  'This letter describes the investment as of the time above. Your statement shows its entries in the firm’s double-entry ledger.',
]
