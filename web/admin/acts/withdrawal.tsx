import type { Withdrawal } from '#shared/contract/entities.ts'
import { approveWithdrawal, declineWithdrawal, payWithdrawal } from '#shared/contract/withdrawals.ts'
import { formatUsdJson } from '#shared/money.ts'
import { transactionFault } from '#shared/transactions.ts'
import { PersonName } from '#web/admin/person.tsx'
import { GroupedAddress } from '#web/components/grouped-address.tsx'
import { payoutEntries } from '#web/components/payout.tsx'
import { paths } from '#web/paths.ts'
import { Field } from '#web/ui/field.tsx'
import { type Fault, missing } from '#web/ui/form.tsx'
import { Checkbox, Input } from '#web/ui/input.tsx'
import { ActDialog, type Entry, Moved } from './act-dialog.tsx'
import type { Action } from './actions.tsx'
import { shownAt } from './last-act.ts'
import { ReasonDialog } from './reason.tsx'

/**
 * What may be done with a withdrawal (N-03).
 * @param shortfall what networks have taken back of its owner's deposits, where that is known
 */
export function withdrawalActions(withdrawal: Withdrawal, shortfall = 0): Action[] {
  if (withdrawal.status === 'pending') return [approve(withdrawal), decline(withdrawal)]
  if (withdrawal.status !== 'approved') return []
  return shortfall > 0 ? [decline(withdrawal), pay(withdrawal, shortfall)] : [pay(withdrawal)]
}

/** '1 of 2 approvals', where more than one is needed (D7). */
export function approvalsWords({ approvals, approvalsNeeded }: Withdrawal): string | undefined {
  return approvalsNeeded > 1 ? `${approvals} of ${approvalsNeeded} approvals` : undefined
}

function shown({ _id, invoiceId }: Withdrawal, posts: boolean) {
  return shownAt(paths.admin.withdrawal(_id), invoiceId, posts)
}

function facts(withdrawal: Withdrawal): Entry[] {
  return [
    ['Withdrawal', withdrawal.invoiceId],
    ['Investor', <PersonName key="name" row={withdrawal} />],
    ...payoutEntries(withdrawal),
    ['Wallet', withdrawal.wallet],
    ['Wallet address', <GroupedAddress key="address" address={withdrawal.walletAddress} />],
  ]
}

function approve(withdrawal: Withdrawal): Action {
  const { approvals, approvalsNeeded } = withdrawal
  const more = approvalsNeeded - approvals - 1
  return {
    label: 'Approve',
    call: approveWithdrawal,
    of: withdrawal.invoiceId,
    about: withdrawal.user,
    dialog: close => (
      <ActDialog
        call={approveWithdrawal}
        title="Approve this withdrawal?"
        description={
          more > 0
            ? 'A withdrawal of this size needs the approval of two people: after you, somebody else who may decide has to approve it.'
            : 'This authorises the payment. The money stays on hold until the withdrawal is marked as paid.'
        }
        entries={[
          ...facts(withdrawal),
          ['Approvals so far', approvalsWords(withdrawal)],
          ['To be paid out of hold', <Moved key="moved" value={withdrawal.amount} />],
        ]}
        shown={shown(withdrawal, false)}
        confirm="Approve withdrawal"
        input={() => ({ params: { id: withdrawal._id } })}
        onClose={close}
      />
    ),
  }
}

function decline(withdrawal: Withdrawal): Action {
  return {
    label: 'Decline',
    call: declineWithdrawal,
    of: withdrawal.invoiceId,
    tone: 'danger',
    dialog: close => (
      <ReasonDialog
        reader="investor"
        tone="danger"
        call={declineWithdrawal}
        title="Decline this withdrawal?"
        description="The hold is released: the investor has the money available again."
        entries={[
          ...facts(withdrawal),
          ['Back to the available balance', <Moved key="moved" value={withdrawal.amount} />],
        ]}
        shown={shown(withdrawal, true)}
        confirm="Decline withdrawal"
        input={reason => ({ params: { id: withdrawal._id }, body: { reason } })}
        onClose={close}
      />
    ),
  }
}

const payFields = ['transactionId', 'sent'] as const
const transactionMissing = 'The id of the transaction that paid it is required'

/** What is wrong with the id before it is sent; the server looks again, and whether it has paid another. */
function payFault({ wallet }: Withdrawal, values: { transactionId: string }): Fault | undefined {
  const empty = missing(values, ['transactionId'], transactionMissing, transactionMissing)
  if (empty) return empty
  const fault = transactionFault(wallet, values.transactionId.trim())
  return fault === undefined ? undefined : { message: fault, fields: { transactionId: fault } }
}

/** While an open batch pays it, nobody pays it by hand; the server says when it may be all the same. */
function blockedBy({ batch }: Withdrawal): string | undefined {
  if (!batch?.exclusive) return undefined
  return `${batch.number} pays it: it is marked as paid by itself`
}

function pay(withdrawal: Withdrawal, shortfall = 0): Action {
  return {
    label: 'Mark paid',
    call: payWithdrawal,
    of: withdrawal.invoiceId,
    about: withdrawal.user,
    blocked: blockedBy(withdrawal),
    dialog: close => (
      <ActDialog
        call={payWithdrawal}
        title="Mark this withdrawal as paid?"
        description="Send the coins first. The investor sees the transaction id."
        entries={[
          ...facts(withdrawal),
          ['Out of hold, paid', <Moved key="moved" value={withdrawal.amount} />],
        ]}
        fields={payFields}
        check={values => payFault(withdrawal, values)}
        shown={shown(withdrawal, true)}
        confirm="Mark as paid"
        input={({ transactionId, sent }) => ({
          params: { id: withdrawal._id },
          body: { transactionId: transactionId.trim(), ...(sent === 'yes' ? { sent: true } : {}) },
        })}
        onClose={close}
      >
        <Field
          name="transactionId"
          label="Transaction id"
          hint="One transaction may pay withdrawals to several addresses, but only one to this address."
        >
          <Input maxLength={120} autoComplete="off" spellCheck={false} autoFocus />
        </Field>
        {shortfall > 0 && (
          <Checkbox name="sent" value="yes">
            The coins have left already, although the network has taken back {formatUsdJson(shortfall)} of
            what the investor was credited with. If they have not, decline the withdrawal instead.
          </Checkbox>
        )}
      </ActDialog>
    ),
  }
}
