import { type ReactNode, useState } from 'react'
import type { CallData } from '#shared/contract/define.ts'
import type { Deposit, Investment } from '#shared/contract/entities.ts'
import {
  approveInvestment,
  closeInvestment,
  declineInvestment,
  getInvestment,
} from '#shared/contract/investments.ts'
import { t } from '#shared/i18n/t.ts'
import { ActionDialog, type Entry, Moved } from '#web/admin/actions/action-dialog.tsx'
import type { Action } from '#web/admin/actions/actions.tsx'
import { shownAt } from '#web/admin/actions/latest.ts'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import {
  notCoveredText,
  ReceiptFields,
  receiptBody,
  receiptError,
  receiptFields,
  useReceipt,
} from '#web/admin/deposits/manual-receipt.tsx'
import { PersonName } from '#web/admin/users/person.tsx'
import { useRead } from '#web/api/read.ts'
import { Usd } from '#web/components/amounts.tsx'
import { methodLabel } from '#web/components/methods.ts'
import { When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { FailedState, Loading } from '#web/ui/states.tsx'

/** The actions on an investment (N-04). */
export function investmentActions(investment: Investment): Action[] {
  if (investment.status === 'pending') return [approve(investment), decline(investment)]
  return investment.status === 'active' ? [close(investment)] : []
}

function shown({ _id, invoiceId }: Investment, posts: boolean) {
  return shownAt(consolePaths.investment(_id), invoiceId, posts)
}

function facts(investment: Investment): Entry[] {
  return [
    [t('Investment'), investment.invoiceId],
    [t('Investor'), <PersonName key="name" row={investment} />],
    [t('Plan'), t('{plan}, {duration}', { plan: investment.plan, duration: investment.duration })],
  ]
}

function approve(investment: Investment): Action {
  return {
    label: t('Approve'),
    call: approveInvestment,
    of: investment.invoiceId,
    about: investment.user,
    dialog: done => <ApproveInvestment investment={investment} onClose={done} />,
  }
}

type OneProps = { investment: Investment; onClose: () => void }

/** For a crypto payment not approved yet, also asks what arrived. */
function ApproveInvestment({ investment, onClose }: OneProps) {
  const fromBalance = investment.method === 'balance'
  const payment = usePayment(investment)
  const deposit = payment.read?.status === 'pending' ? payment.read : undefined
  const receipt = useReceipt(deposit)
  return (
    <ActionDialog
      call={approveInvestment}
      title={t('Approve this investment?')}
      description={
        fromBalance
          ? t('The held money is locked in the plan, and its term starts now.')
          : t(
              'Approve it once the payment has arrived. The payment is settled and locked in the plan, and its term starts now.',
            )
      }
      entries={[
        ...facts(investment),
        [t('Paid by'), methodLabel(investment.method)],
        [
          fromBalance ? t('From hold into the plan') : t('Payment settled into the plan'),
          <Moved key="moved" value={investment.amount} />,
        ],
      ]}
      shown={shown(investment, true)}
      optionalReason="investor"
      confirm={t('Approve investment')}
      // Without the deposit's fields, an approval would count as paid to the cent.
      waiting={payment.waiting}
      ready={receipt.preview.state !== 'asked'}
      fields={deposit ? receiptFields : []}
      check={deposit && (values => receiptError(deposit, values, receipt))}
      input={values => ({
        params: { id: investment._id },
        ...(deposit ? { body: receiptBody(deposit, values) } : {}),
      })}
      onClose={onClose}
    >
      {deposit && (
        <ReceiptFields
          deposit={deposit}
          receipt={receipt}
          notCovered={`${notCoveredText(deposit)} ${t(
            'Approve its deposit {number} instead: the money goes to the balance, and the investment is declined.',
            { number: deposit.invoiceId },
          )}`}
        />
      )}
    </ActionDialog>
  )
}

/** The investment's deposit as first read, so that concurrent changes remove no fields. */
function usePayment({ _id, method }: Investment): { read?: Deposit | null; waiting?: ReactNode } {
  const { data, isError, isFetching, refetch } = useRead(
    getInvestment,
    { params: { id: _id } },
    { enabled: method !== 'balance' },
  )
  const [first, keep] = useState<CallData<typeof getInvestment>>()
  // Ignore a cached response of an earlier visit.
  if (data && !isFetching && !isError && !first) keep(data)
  if (method === 'balance') return {}
  if (first) return { read: first.deposit }
  return {
    waiting: isError ? (
      <FailedState onRetry={() => void refetch()}>{t('Its payment could not be loaded.')}</FailedState>
    ) : (
      <Loading label={t('Loading its payment')} />
    ),
  }
}

function decline(investment: Investment): Action {
  return {
    label: t('Decline'),
    call: declineInvestment,
    of: investment.invoiceId,
    tone: 'danger',
    dialog: done => (
      <ReasonDialog
        reader="investor"
        tone="danger"
        call={declineInvestment}
        title={t('Decline this investment?')}
        description={t(
          'Its held or received money becomes available to the investor, after repaying any debt from reversed deposits.',
        )}
        entries={[
          ...facts(investment),
          [t('Paid by'), methodLabel(investment.method)],
          [t('Amount'), <Moved key="moved" value={investment.amount} />],
        ]}
        // A crypto payment may not have arrived; then nothing is posted.
        shown={shown(investment, investment.method === 'balance')}
        confirm={t('Decline investment')}
        input={reason => ({ params: { id: investment._id }, body: { reason } })}
        onClose={done}
      />
    ),
  }
}

/** Closing before the ending date needs a reason, shown to the investor. */
function close(investment: Investment): Action {
  return {
    label: t('Close'),
    call: closeInvestment,
    of: investment.invoiceId,
    about: investment.user,
    dialog: done => <CloseInvestment investment={investment} onClose={done} />,
  }
}

function CloseInvestment({ investment, onClose }: OneProps) {
  const { endingDate, matured, reinvestment } = investment
  const dialog = {
    call: closeInvestment,
    title: t('Close this investment?'),
    entries: [
      ...facts(investment),
      [t('Ending date'), endingDate && <When key="end" at={endingDate} date />],
      [t('Earned so far'), <Usd key="earned" value={investment.earned} />],
      [t('Accrued, not yet paid'), <Usd key="accrued" value={investment.accrued} />],
      [t('Principal returned'), <Moved key="moved" value={investment.amount} />],
      [
        t('Reinvestment'),
        reinvestment &&
          (matured
            ? t('Requested: the principal is held for a new investment')
            : t('Requested: not done if closed early')),
      ],
    ] as Entry[],
    shown: shown(investment, true),
    confirm: t('Close investment'),
    onClose,
  }
  const params = { id: investment._id }
  if (matured) {
    return (
      <ActionDialog
        {...dialog}
        description={t(
          'It has reached its ending date. The principal returns to the available balance, after repaying any debt from reversed deposits.',
        )}
        optionalReason="investor"
        input={() => ({ params })}
      />
    )
  }
  return (
    <ReasonDialog
      {...dialog}
      reader="investor"
      description={t(
        'It has not reached its ending date. Closing it now ends it early and stops its accrual. The principal repays any debt from reversed deposits first.',
      )}
      input={reason => ({ params, body: { reason } })}
    />
  )
}
