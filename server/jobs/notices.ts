import type { Services } from '#server/context.ts'
import { type Letter, letter } from '#server/platform/mail/letter.ts'
import type { Mail } from '#server/platform/mail/queue.ts'
import { depositById, presentDeposit } from '#server/records/deposits.ts'
import { earningsById, presentEarning } from '#server/records/earnings.ts'
import { currentFirm } from '#server/records/firm.ts'
import { findInvestment } from '#server/records/investments.ts'
import type { Notice } from '#server/records/notices.ts'
import { withdrawalById } from '#server/records/withdrawals.ts'
import { formatUsd, formatUsdJson } from '#shared/money.ts'

/** What a notice says; who it is to is looked up beside it. */
type Said = Pick<Letter, 'subject' | 'paragraphs' | 'action'>
/** The record that a notice is about: whose it is, and how it is told. */
type About = { userId: string } & Said

/** The e-mail that tells of a record as it stands now. */
export async function noticeMail(
  services: Services,
  { notice, id }: { notice: Notice; id: string },
): Promise<Mail> {
  const firm = await currentFirm(services.db, services.config)
  if (notice === 'contact.received') return contactMail(services, id, firm)
  const { userId, ...said } = await about[notice](services, id)
  const { name, email } = await services.db
    .selectFrom('app.users')
    .select(['name', 'email'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  return letter({ ...said, to: email, greeting: `Hello ${name},`, from: firm.productName })
}

const about: Record<
  Exclude<Notice, 'contact.received'>,
  (services: Services, id: string) => Promise<About>
> = {
  'deposit.approved': deposit('was received'),
  'deposit.declined': deposit('was declined'),
  'deposit.unpaid': deposit('was not paid'),
  'investment.approved': investment('is active', ({ ending_at }) => [
    `It ends on ${ending_at?.toISOString().slice(0, 10)}. Its principal is then available again.`,
    'Capital at risk. Returns are targets and are not guaranteed.',
  ]),
  'investment.closed': investment('is closed', () => ['Its principal is available on your balance.']),
  'investment.declined': investment('was declined', ({ decline_reason }) => [
    `The reason: ${decline_reason}`,
    'What was held or had arrived for it is available on your balance.',
  ]),
  'withdrawal.requested': withdrawal('was requested', () => [
    'The amount is held until we have paid it out.',
    'If it was not you who asked for it, change your password at once and write to us.',
  ]),
  'withdrawal.approved': withdrawal('is approved', () => ['It will be paid next.']),
  'withdrawal.declined': withdrawal('was declined', ({ decline_reason }) => [
    `The reason: ${decline_reason}`,
    'The amount is available on your balance.',
  ]),
  'withdrawal.paid': withdrawal('was paid', ({ transaction_id }) => [`Transaction: ${transaction_id}`]),
  'earning.paid': async (services, id) => {
    const [row] = await earningsById(services.db, [id])
    const earning = presentEarning(row!)
    return {
      userId: earning.user,
      subject: `${formatUsdJson(earning.amount)} were added to your balance`,
      paragraphs: [
        `You received an earning of ${formatUsdJson(earning.amount)} on ${earning.investmentLabel}.`,
        `The firm earned it on: ${earning.source}.`,
      ],
      action: link(services, 'Your earnings', '/dashboard/history'),
    }
  },
}

function deposit(happened: string) {
  return async (services: Services, id: string): Promise<About> => {
    const row = await depositById(services.db, id)
    const what = `deposit ${row.invoice_id} of ${formatUsd(row.amount_cents)}`
    return {
      userId: row.user_id,
      subject: `Your deposit ${row.invoice_id} ${happened}`,
      paragraphs: [`Your ${what} ${happened}.`, presentDeposit(row, services.clock.now()).label],
      action: link(services, 'Your deposits', '/dashboard/deposit'),
    }
  }
}

type InvestmentRow = NonNullable<Awaited<ReturnType<typeof findInvestment>>>

function investment(happened: string, more: (row: InvestmentRow) => string[]) {
  return async (services: Services, id: string): Promise<About> => {
    const row = (await findInvestment(services.db, id))!
    const what = `investment ${row.invoice_id} of ${formatUsd(row.amount_cents)} in the ${row.plan_name} plan`
    return {
      userId: row.user_id,
      subject: `Your investment ${row.invoice_id} ${happened}`,
      paragraphs: [`Your ${what} ${happened}.`, ...more(row)],
      action: link(services, 'Your investments', '/dashboard/investments'),
    }
  }
}

type WithdrawalRow = Awaited<ReturnType<typeof withdrawalById>>

function withdrawal(happened: string, more: (row: WithdrawalRow) => string[]) {
  return async (services: Services, id: string): Promise<About> => {
    const row = await withdrawalById(services.db, id)
    const what = `withdrawal ${row.invoice_id} of ${formatUsd(row.amount_cents)} to ${row.address} (${row.wallet})`
    return {
      userId: row.user_id,
      subject: `Your withdrawal ${row.invoice_id} ${happened}`,
      paragraphs: [`Your ${what} ${happened}.`, ...more(row)],
      action: link(services, 'Your withdrawals', '/dashboard/withdrawals'),
    }
  }
}

/** A visitor's message to the firm (P-11); answering it answers the visitor. */
async function contactMail(
  { db }: Services,
  id: string,
  firm: { productName: string; supportEmail: string },
): Promise<Mail> {
  const { name, email, subject, message } = await db
    .selectFrom('app.contact_messages')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const written = letter({
    to: firm.supportEmail,
    subject: `Message from ${name}: ${subject}`,
    greeting: `${name} <${email}> wrote:`,
    paragraphs: message.split(/\n\s*\n/),
    from: firm.productName,
  })
  return { ...written, replyTo: email }
}

function link({ config }: Services, label: string, path: string): NonNullable<Said['action']> {
  return { label, url: `${config.publicUrl}${path}` }
}
