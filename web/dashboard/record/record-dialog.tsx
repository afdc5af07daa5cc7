import { type ComponentType, type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'react-router'
import type { CallData } from '#shared/contract/define.ts'
import { listOwnDeposits } from '#shared/contract/deposits.ts'
import { listOwnEarnings } from '#shared/contract/earnings.ts'
import type {
  Deposit,
  Earning,
  Investment,
  StatementKind,
  Trail,
  Withdrawal,
} from '#shared/contract/entities.ts'
import { listOwnInvestments } from '#shared/contract/investments.ts'
import { listOwnWithdrawals } from '#shared/contract/withdrawals.ts'
import { t } from '#shared/i18n/t.ts'
import { cachedRow, useRead } from '#web/api/read.ts'
import { methodLabel } from '#web/components/methods.ts'
import type { Movement } from '#web/components/movements.ts'
import { Postings } from '#web/components/postings.tsx'
import { Timeline } from '#web/components/timeline.tsx'
import { Receipts } from '#web/dashboard/proof/receipts.tsx'
import { paths } from '#web/paths.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import { Section } from '#web/ui/section.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'
import { recordCalls } from './calls.ts'
import { DepositBody } from './deposit-body.tsx'
import { EarningBody } from './earning-body.tsx'
import { InvestmentBody } from './investment-body.tsx'
import { WithdrawalBody } from './withdrawal-body.tsx'

type Records = { deposit: Deposit; investment: Investment; withdrawal: Withdrawal; earning: Earning }
type Details = { [Kind in StatementKind]: CallData<(typeof recordCalls)[Kind]> }

/** How to show a kind of record. */
type View<Kind extends StatementKind> = {
  /** Title while loading. */
  name: string
  title: (record: Records[Kind]) => ReactNode
  number: (record: Records[Kind]) => ReactNode
  /** The record from a cached list. */
  known: (id: string) => Records[Kind] | undefined
  Body: ComponentType<{ record: Records[Kind]; detail?: Details[Kind] | undefined }>
}

const views: { [Kind in StatementKind]: View<Kind> } = {
  deposit: {
    name: 'Deposit',
    title: deposit => `Payment by ${methodLabel(deposit.method)}`,
    number: deposit => deposit.invoiceId,
    known: id => cachedRow(listOwnDeposits, id),
    Body: DepositBody,
  },
  investment: {
    name: 'Investment',
    title: investment => `${investment.plan} plan`,
    number: investment => investment.invoiceId,
    known: id => cachedRow(listOwnInvestments, id),
    Body: InvestmentBody,
  },
  withdrawal: {
    name: 'Withdrawal',
    title: withdrawal => `Withdrawal to ${withdrawal.wallet}`,
    number: withdrawal => withdrawal.invoiceId,
    known: id => cachedRow(listOwnWithdrawals, id),
    Body: WithdrawalBody,
  },
  earning: {
    name: 'Earning',
    title: () => 'Earning',
    number: earning => earning.investmentLabel,
    known: id => cachedRow(listOwnEarnings, id),
    Body: EarningBody,
  },
}

type RecordDialogProps<Kind extends StatementKind> = {
  kind: Kind
  id: string
  onClose: () => void
  /** Where the focus goes on close, if not back. */
  focusAfter?: (() => HTMLElement | undefined) | undefined
}

/** A record's state, postings and history. Shows what a list knew at once and loads the rest. */
export default function RecordDialog<Kind extends StatementKind>(props: RecordDialogProps<Kind>) {
  const { kind, id, onClose, focusAfter } = props
  const view: View<Kind> = views[kind]
  const { data, isError, refetch } = useRead(recordCalls[kind], { params: { id } } as never)
  const detail = data as Details[Kind] | undefined
  const record = (detail as Records[Kind] | undefined) ?? view.known(id)
  const { Body } = view
  return (
    <Dialog
      wide
      open
      onClose={onClose}
      title={record ? view.title(record) : view.name}
      description={record ? view.number(record) : undefined}
      {...(focusAfter ? { focusAfter } : {})}
    >
      <FromTop key={id}>
        {record && <Body record={record} detail={detail} />}
        {detail ? (
          <>
            <Belongings trail={detail} what={view.name.toLowerCase()} />
            <Link className="prose-link justify-self-start" to={paths.dashboard.ask(kind, id)}>
              {t('Ask us about this {toLowerCase}', { toLowerCase: view.name.toLowerCase() })}
            </Link>
          </>
        ) : isError ? (
          <FailedState onRetry={refetch}>
            {record
              ? t('The details could not be loaded.')
              : `This ${view.name.toLowerCase()} cannot be shown.`}
          </FailedState>
        ) : (
          <Loading
            label={record ? t('Loading postings and history') : `Loading the ${view.name.toLowerCase()}`}
            lines={6}
          />
        )}
      </FromTop>
    </Dialog>
  )
}

/** Scrolls to the top for another record. */
function FromTop({ children }: { children: ReactNode }) {
  const top = useRef<HTMLDivElement>(null)
  useEffect(() => {
    top.current?.closest('[role=dialog]')?.scrollTo(0, 0)
  }, [])
  return (
    <div ref={top} className="grid grid-cols-1 gap-6">
      {children}
    </div>
  )
}

const withReceipts = (movement: Movement) => (
  <>
    {movement.line.description} <Receipts of={movement} />
  </>
)

/** Postings and history of any record. */
function Belongings({ trail, what }: { trail: Trail; what: string }) {
  return (
    <>
      <Section title={t('Postings')}>
        {trail.entries.length === 0 ? (
          <p className="text-ink-soft">{t('No money has moved for this yet.')}</p>
        ) : (
          <Postings caption={`Postings of this ${what}`} lines={trail.entries} what={withReceipts} />
        )}
      </Section>
      <Section title={t('History')}>
        <Timeline entries={trail.history} />
      </Section>
    </>
  )
}
