import { type ReactNode, useState } from 'react'
import type { CallData } from '#shared/contract/define.ts'
import type { Deposit, Investment } from '#shared/contract/entities.ts'
import {
  approveInvestment,
  closeInvestment,
  declineInvestment,
  getInvestment,
} from '#shared/contract/investments.ts'
import { ActionDialog, type Entry, Moved } from '#web/admin/actions/action-dialog.tsx'
import type { Action } from '#web/admin/actions/actions.tsx'
import { shownAt } from '#web/admin/actions/latest.ts'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import {
  ArrivalFields,
  arrivalFault,
  arrivalFields,
  toldBy,
  tooLittle,
  useArrival,
} from '#web/admin/deposits/manual-receipt.tsx'
import { PersonName } from '#web/admin/users/person.tsx'
import { useRead } from '#web/api/read.ts'
import { Usd } from '#web/components/amounts.tsx'
import { methodLabel } from '#web/components/methods.ts'
import { When } from '#web/components/when.tsx'
import { paths } from '#web/paths.ts'
import { FailedState, Loading } from '#web/ui/states.tsx'

/** What may be done with an investment (N-04). */
export function investmentActions(investment: Investment): Action[] {
  if (investment.status === 'pending') return [approve(investment), decline(investment)]
  return investment.status === 'active' ? [close(investment)] : []
}

function shown({ _id, invoiceId }: Investment, posts: boolean) {
  return shownAt(paths.admin.investment(_id), invoiceId, posts)
}

function facts(investment: Investment): Entry[] {
  return [
    ['Investment', investment.invoiceId],
    ['Investor', <PersonName key="name" row={investment} />],
    ['Plan', `${investment.plan}, ${investment.duration}`],
  ]
}

function approve(investment: Investment): Action {
  return {
    label: 'Approve',
    call: approveInvestment,
    of: investment.invoiceId,
    about: investment.user,
    dialog: done => <ApproveInvestment investment={investment} onClose={done} />,
  }
}

type OneProps = { investment: Investment; onClose: () => void }

/** Of one that a coin pays it asks what arrived, unless that has been approved by itself. */
function ApproveInvestment({ investment, onClose }: OneProps) {
  const fromBalance = investment.method === 'balance'
  const payment = usePayment(investment)
  const deposit = payment.read?.status === 'pending' ? payment.read : undefined
  const arrival = useArrival(deposit)
  return (
    <ActionDialog
      call={approveInvestment}
      title="Approve this investment?"
      description={
        fromBalance
          ? 'The money that is on hold is locked in the plan, and its duration begins now.'
          : 'Approve it once the payment has arrived. It is settled and locked in the plan, and its duration begins now.'
      }
      entries={[
        ...facts(investment),
        ['Paid by', methodLabel(investment.method)],
        [
          fromBalance ? 'From hold into the plan' : 'Payment settled into the plan',
          <Moved key="moved" value={investment.amount} />,
        ],
      ]}
      shown={shown(investment, true)}
      optionalReason="investor"
      confirm="Approve investment"
      // Approved before it is known what it asks, it would be taken as paid to the cent.
      waiting={payment.waiting}
      ready={arrival.weighing.state !== 'asked'}
      fields={deposit ? arrivalFields : []}
      check={deposit && (values => arrivalFault(deposit, values, arrival))}
      input={values => ({
        params: { id: investment._id },
        ...(deposit ? { body: toldBy(deposit, values) } : {}),
      })}
      onClose={onClose}
    >
      {deposit && (
        <ArrivalFields
          deposit={deposit}
          arrival={arrival}
          notCovered={`${tooLittle(deposit)} Approve its deposit ${deposit.invoiceId} instead: the money goes to the balance, and the investment is declined.`}
        />
      )}
    </ActionDialog>
  )
}

/** The deposit that pays an investment, as it was first read: what others change meanwhile takes no field away. */
function usePayment({ _id, method }: Investment): { read?: Deposit | null; waiting?: ReactNode } {
  const { data, isError, isFetching, refetch } = useRead(
    getInvestment,
    { params: { id: _id } },
    { enabled: method !== 'balance' },
  )
  const [first, keep] = useState<CallData<typeof getInvestment>>()
  // What is remembered of an earlier visit is not what there is now.
  if (data && !isFetching && !isError && !first) keep(data)
  if (method === 'balance') return {}
  if (first) return { read: first.deposit }
  return {
    waiting: isError ? (
      <FailedState onRetry={() => void refetch()}>Its payment could not be loaded.</FailedState>
    ) : (
      <Loading label="Loading its payment" />
    ),
  }
}

function decline(investment: Investment): Action {
  return {
    label: 'Decline',
    call: declineInvestment,
    of: investment.invoiceId,
    tone: 'danger',
    dialog: done => (
      <ReasonDialog
        reader="investor"
        tone="danger"
        call={declineInvestment}
        title="Decline this investment?"
        description="Money that is on hold or has arrived for it is the investor's to use again; what networks have taken back of the deposits is made good by it first."
        entries={[
          ...facts(investment),
          ['Paid by', methodLabel(investment.method)],
          ['Amount', <Moved key="moved" value={investment.amount} />],
        ]}
        // What a coin pays may not have arrived: then nothing is posted.
        shown={shown(investment, investment.method === 'balance')}
        confirm="Decline investment"
        input={reason => ({ params: { id: investment._id }, body: { reason } })}
        onClose={done}
      />
    ),
  }
}

/** Before its ending date an investment is closed with a reason, which the investor sees. */
function close(investment: Investment): Action {
  return {
    label: 'Close',
    call: closeInvestment,
    of: investment.invoiceId,
    about: investment.user,
    dialog: done => <CloseInvestment investment={investment} onClose={done} />,
  }
}

function CloseInvestment({ investment, onClose }: OneProps) {
  const { endingDate, matured } = investment
  const dialog = {
    call: closeInvestment,
    title: 'Close this investment?',
    entries: [
      ...facts(investment),
      ['Ending date', endingDate && <When key="end" at={endingDate} date />],
      ['Earned so far', <Usd key="earned" value={investment.earned} />],
      ['Accrued, not yet paid', <Usd key="accrued" value={investment.accrued} />],
      ['Principal that is free again', <Moved key="moved" value={investment.amount} />],
    ] as Entry[],
    shown: shown(investment, true),
    confirm: 'Close investment',
    onClose,
  }
  const params = { id: investment._id }
  if (matured) {
    return (
      <ActionDialog
        {...dialog}
        description="Its time is up. The principal goes back to the available balance; what networks have taken back of the investor's deposits is made good by it first."
        optionalReason="investor"
        input={() => ({ params })}
      />
    )
  }
  return (
    <ReasonDialog
      {...dialog}
      reader="investor"
      description="It has not come to its ending date. Closing it now ends it early: it accrues nothing more. What networks have taken back of the investor's deposits is made good by the principal first."
      input={reason => ({ params, body: { reason } })}
    />
  )
}
