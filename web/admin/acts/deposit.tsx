import { approveDeposit, declineDeposit } from '#shared/contract/deposits.ts'
import type { Deposit } from '#shared/contract/entities.ts'
import { PersonName } from '#web/admin/person.tsx'
import { Usd } from '#web/components/amounts.tsx'
import { Coin } from '#web/components/crypto.tsx'
import { methodLabel } from '#web/components/methods.ts'
import { ActDialog, type Entry } from './act-dialog.tsx'
import type { Action } from './actions.tsx'
import { DeclineDialog } from './decline-dialog.tsx'

/** What the payment of a deposit should have brought, and where. */
function paymentOf(deposit: Deposit): Entry[] {
  const { invoiceId, method, payment } = deposit
  return [
    ['Deposit', invoiceId],
    ['Investor', <PersonName key="name" row={deposit} />],
    ['Payment method', methodLabel(method)],
    ['Amount asked for', <Coin key="coin" method={method} payment={payment} />],
    ['Payment address', payment.address],
  ]
}

/** What may be done with a plain deposit (N-06). One that pays an investment is approved with it (D6). */
export function depositActions(deposit: Deposit): Action[] {
  if (deposit.status !== 'pending' || deposit.investment !== null) return []
  return [
    {
      label: 'Approve',
      of: deposit.invoiceId,
      dialog: close => (
        <ActDialog
          call={approveDeposit}
          title="Approve this deposit?"
          description="Approve it once the payment has arrived at the address. The investor can use the money at once."
          entries={[
            ...paymentOf(deposit),
            ['Goes to the available balance', <Usd key="usd" value={deposit.amount} />],
          ]}
          confirm="Approve deposit"
          input={() => ({ params: { id: deposit._id } })}
          onClose={close}
        />
      ),
    },
    {
      label: 'Decline',
      of: deposit.invoiceId,
      tone: 'danger',
      dialog: close => (
        <DeclineDialog
          call={declineDeposit}
          title="Decline this deposit?"
          description="No money moves. Decline it only if nothing has arrived at the address."
          entries={[...paymentOf(deposit), ['Amount', <Usd key="usd" value={deposit.amount} />]]}
          confirm="Decline deposit"
          input={reason => ({ params: { id: deposit._id }, body: { reason } })}
          onClose={close}
        />
      ),
    },
  ]
}
