import type { Investment } from '#shared/contract/entities.ts'
import {
  approveInvestment,
  closeInvestment,
  declineInvestment,
  getInvestment,
} from '#shared/contract/investments.ts'
import { PersonName } from '#web/admin/person.tsx'
import { useRead } from '#web/api/read.ts'
import { Usd } from '#web/components/amounts.tsx'
import { methodLabel } from '#web/components/methods.ts'
import { When } from '#web/components/when.tsx'
import { paths } from '#web/paths.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'
import { ActDialog, type Entry, Moved } from './act-dialog.tsx'
import type { Action } from './actions.tsx'
import { ArrivalFields, arrivalFault, arrivalFields, toldBy, tooLittle } from './arrival.tsx'
import { DeclineDialog, ReasonField, reasonFault, reasonFields } from './decline-dialog.tsx'

/** What may be done with an investment (N-04). */
export function investmentActions(investment: Investment): Action[] {
  if (investment.status === 'pending') return [approve(investment), decline(investment)]
  return investment.status === 'active' ? [close(investment)] : []
}

function shown({ _id, invoiceId }: Investment) {
  return { of: invoiceId, to: `${paths.admin.investment(_id)}#postings` }
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
    dialog: done => <ApproveInvestment investment={investment} onClose={done} />,
  }
}

type ApproveProps = { investment: Investment; onClose: () => void }

/** Of one that a coin pays it asks what arrived, unless that has been approved by itself. */
function ApproveInvestment({ investment, onClose }: ApproveProps) {
  const fromBalance = investment.method === 'balance'
  const { data, isError, refetch } = useRead(
    getInvestment,
    { params: { id: investment._id } },
    { enabled: !fromBalance, held: true },
  )
  const deposit = data?.deposit?.status === 'pending' ? data.deposit : undefined
  // Approved before it is known what it asks, it would be taken as paid to the cent.
  if (!fromBalance && !data) {
    return (
      <Dialog open onClose={onClose} title="Approve this investment?">
        {isError ? (
          <FailedState onRetry={refetch}>Its payment could not be loaded.</FailedState>
        ) : (
          <Loading label="Loading its payment" />
        )}
      </Dialog>
    )
  }
  return (
    <ActDialog
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
      shown={shown(investment)}
      confirm="Approve investment"
      fields={deposit ? arrivalFields : []}
      check={deposit && (values => arrivalFault(deposit, values))}
      input={values => ({
        params: { id: investment._id },
        ...(deposit ? { body: toldBy(deposit, values) } : {}),
      })}
      onClose={onClose}
    >
      {deposit && (
        <ArrivalFields
          deposit={deposit}
          notCovered={`${tooLittle(deposit)} Approve its deposit ${deposit.invoiceId} instead: the money goes to the balance, and the investment is declined.`}
        />
      )}
    </ActDialog>
  )
}

function decline(investment: Investment): Action {
  return {
    label: 'Decline',
    call: declineInvestment,
    of: investment.invoiceId,
    tone: 'danger',
    dialog: done => (
      <DeclineDialog
        call={declineInvestment}
        title="Decline this investment?"
        description="Money that is on hold or has arrived for it goes to the investor's available balance."
        entries={[
          ...facts(investment),
          ['Paid by', methodLabel(investment.method)],
          ['Amount', <Moved key="moved" value={investment.amount} />],
        ]}
        shown={shown(investment)}
        confirm="Decline investment"
        input={reason => ({ params: { id: investment._id }, body: { reason } })}
        onClose={done}
      />
    ),
  }
}

/** Before its ending date an investment is closed with a reason, which the investor sees. */
function close(investment: Investment): Action {
  const { endingDate, matured } = investment
  return {
    label: 'Close',
    call: closeInvestment,
    of: investment.invoiceId,
    dialog: done => (
      <ActDialog
        call={closeInvestment}
        title="Close this investment?"
        description={
          matured
            ? 'Its time is up. The principal goes back to the available balance.'
            : 'It has not come to its ending date. Closing it now ends it early: it accrues nothing more.'
        }
        entries={[
          ...facts(investment),
          ['Ending date', endingDate && <When key="end" at={endingDate} date />],
          ['Earned so far', <Usd key="earned" value={investment.earned} />],
          ['Accrued by the target, not paid', <Usd key="accrued" value={investment.accrued} />],
          ['Back to the available balance', <Moved key="moved" value={investment.amount} />],
        ]}
        shown={shown(investment)}
        confirm="Close investment"
        fields={matured ? [] : reasonFields}
        check={matured ? undefined : reasonFault}
        input={values => ({
          params: { id: investment._id },
          body: matured ? {} : { reason: values.reason.trim() },
        })}
        onClose={done}
      >
        {!matured && <ReasonField />}
      </ActDialog>
    ),
  }
}
