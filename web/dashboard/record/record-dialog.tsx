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
import { msg, t, translate } from '#shared/i18n/t.ts'
import { cachedRow } from '#web/api/list.ts'
import { useRead } from '#web/api/read.ts'
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
  words: Record<'ask' | 'failed' | 'loading' | 'postings', string>
  title: (record: Records[Kind]) => ReactNode
  number: (record: Records[Kind]) => ReactNode
  /** The record from a cached list. */
  known: (id: string) => Records[Kind] | undefined
  Body: ComponentType<{ record: Records[Kind]; detail?: Details[Kind] | undefined }>
}

const views: { [Kind in StatementKind]: View<Kind> } = {
  deposit: {
    name: msg('Deposit'),
    words: {
      ask: msg('Ask us about this deposit'),
      failed: msg('This deposit cannot be shown.'),
      loading: msg('Loading the deposit'),
      postings: msg('Postings of this deposit'),
    },
    title: deposit => t('Payment by {method}', { method: methodLabel(deposit.method) }),
    number: deposit => deposit.invoiceId,
    known: id => cachedRow(listOwnDeposits, id),
    Body: DepositBody,
  },
  investment: {
    name: msg('Investment'),
    words: {
      ask: msg('Ask us about this investment'),
      failed: msg('This investment cannot be shown.'),
      loading: msg('Loading the investment'),
      postings: msg('Postings of this investment'),
    },
    title: ({ plan }) => t('{plan} plan', { plan }),
    number: investment => investment.invoiceId,
    known: id => cachedRow(listOwnInvestments, id),
    Body: InvestmentBody,
  },
  withdrawal: {
    name: msg('Withdrawal'),
    words: {
      ask: msg('Ask us about this withdrawal'),
      failed: msg('This withdrawal cannot be shown.'),
      loading: msg('Loading the withdrawal'),
      postings: msg('Postings of this withdrawal'),
    },
    title: ({ wallet }) => t('Withdrawal to {wallet}', { wallet }),
    number: withdrawal => withdrawal.invoiceId,
    known: id => cachedRow(listOwnWithdrawals, id),
    Body: WithdrawalBody,
  },
  earning: {
    name: msg('Earning'),
    words: {
      ask: msg('Ask us about this earning'),
      failed: msg('This earning cannot be shown.'),
      loading: msg('Loading the earning'),
      postings: msg('Postings of this earning'),
    },
    title: () => t('Earning'),
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
      title={record ? view.title(record) : translate(view.name)}
      description={record ? view.number(record) : undefined}
      {...(focusAfter ? { focusAfter } : {})}
    >
      <FromTop key={id}>
        {record && <Body record={record} detail={detail} />}
        {detail ? (
          <>
            <Belongings trail={detail} postings={translate(view.words.postings)} />
            <Link className="prose-link justify-self-start" to={paths.dashboard.ask(kind, id)}>
              {translate(view.words.ask)}
            </Link>
          </>
        ) : isError ? (
          <FailedState onRetry={refetch}>
            {record ? t('The details could not be loaded.') : translate(view.words.failed)}
          </FailedState>
        ) : (
          <Loading
            label={record ? t('Loading postings and history') : translate(view.words.loading)}
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
function Belongings({ trail, postings }: { trail: Trail; postings: string }) {
  return (
    <>
      <Section title={t('Postings')}>
        {trail.entries.length === 0 ? (
          <p className="text-ink-soft">{t('No money has moved for this yet.')}</p>
        ) : (
          <Postings caption={postings} lines={trail.entries} what={withReceipts} />
        )}
      </Section>
      <Section title={t('History')}>
        <Timeline entries={trail.history} />
      </Section>
    </>
  )
}
