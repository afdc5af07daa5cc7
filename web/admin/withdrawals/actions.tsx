import type { CallData } from '#shared/contract/define.ts'
import type { Withdrawal } from '#shared/contract/entities.ts'
import {
  approveWithdrawal,
  declineWithdrawal,
  getWithdrawal,
  payWithdrawal,
} from '#shared/contract/withdrawals.ts'
import { canonicalTransactionId, transactionFault } from '#shared/transactions.ts'
import { ActionDialog, type Entry, Moved } from '#web/admin/actions/action-dialog.tsx'
import type { Action } from '#web/admin/actions/actions.tsx'
import { Attestation } from '#web/admin/actions/attestation.tsx'
import { shownAt } from '#web/admin/actions/latest.ts'
import { ReasonField, reasonFault } from '#web/admin/actions/reason-field.tsx'
import { PersonName } from '#web/admin/users/person.tsx'
import { useRead } from '#web/api/read.ts'
import { Usd } from '#web/components/amounts.tsx'
import { GroupedAddress } from '#web/components/grouped-address.tsx'
import { payoutEntries } from '#web/components/payout.tsx'
import { paths } from '#web/paths.ts'
import { Field } from '#web/ui/field.tsx'
import { type Fault, faultAt, mergeFaults, missing } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'

type Detail = CallData<typeof getWithdrawal>

/**
 * What may be done with a withdrawal (N-03).
 * @param known.debt what networks have taken back of its owner's deposits, known.unpayable why no batch can pay it
 */
export function withdrawalActions(
  withdrawal: Withdrawal,
  { debt, unpayable }: Pick<Detail, 'debt' | 'unpayable'> = { debt: 0, unpayable: null },
): Action[] {
  if (withdrawal.status === 'pending') return [approve(withdrawal, debt), decline(withdrawal)]
  if (withdrawal.status !== 'approved') return []
  const isDeclinable = debt > 0 || unpayable !== null
  return isDeclinable ? [decline(withdrawal), pay(withdrawal)] : [pay(withdrawal)]
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

function approve(withdrawal: Withdrawal, debt: number): Action {
  const { approvals, approvalsNeeded } = withdrawal
  const more = approvalsNeeded - approvals - 1
  return {
    label: 'Approve',
    call: approveWithdrawal,
    of: withdrawal.invoiceId,
    about: withdrawal.user,
    ...(debt > 0 ? { blocked: 'Its network has taken back what the investor was credited with' } : {}),
    dialog: close => (
      <ActionDialog
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
        optionalReason="investor"
        confirm="Approve withdrawal"
        input={() => ({ params: { id: withdrawal._id } })}
        onClose={close}
      />
    ),
  }
}

function decline(withdrawal: Withdrawal): Action {
  const { batch } = withdrawal
  return {
    label: 'Decline',
    call: declineWithdrawal,
    of: withdrawal.invoiceId,
    tone: 'danger',
    ...(batch?.exclusive ? { blocked: `${batch.number} pays it: cancel that batch first` } : {}),
    dialog: close => <DeclineWithdrawal withdrawal={withdrawal} onClose={close} />,
  }
}

type OneProps = { withdrawal: Withdrawal; onClose: () => void }

const declineFields = ['reason', 'notPaid'] as const
const notPaidMissing = 'Say that nobody has paid it; if somebody has, mark it as paid instead'

/**
 * What networks have taken back of its owner's deposits is made good by the hold first: lists do not know of it, so it is asked. Of an
 * approved one, which somebody may have paid by hand, it has to be said that nobody has: also where that came while the dialog was open.
 */
function DeclineWithdrawal({ withdrawal, onClose }: OneProps) {
  const { _id, amount } = withdrawal
  const { data, waiting } = useDetail(_id)
  const owes = data !== undefined && data.debt > 0
  const unpayable = data?.unpayable ?? null
  const mayBePaid = data?.status === 'approved' && (owes || unpayable !== null)
  return (
    <ActionDialog
      tone="danger"
      call={declineWithdrawal}
      title="Decline this withdrawal?"
      description={`${mayBePaid ? 'If somebody has paid it by hand, mark it as paid instead. ' : ''}${
        owes
          ? 'The hold is released. It makes good first what networks have taken back; the investor has the rest available again.'
          : 'The hold is released: the investor has the money available again.'
      }`}
      entries={[
        ...facts(withdrawal),
        ['No batch can pay it', unpayable],
        ['Taken back by networks', owes ? <Usd key="short" value={data.debt} /> : null],
        [owes ? 'Out of hold' : 'Back to the available balance', <Moved key="moved" value={amount} />],
      ]}
      waiting={waiting}
      fields={declineFields}
      check={values =>
        mergeFaults(
          reasonFault(values, 'investor'),
          mayBePaid && values.notPaid !== 'yes' ? faultAt('notPaid', notPaidMissing) : undefined,
        )
      }
      shown={shown(withdrawal, true)}
      confirm="Decline withdrawal"
      input={({ reason, notPaid }) => ({
        params: { id: _id },
        body: { reason: reason.trim(), ...(notPaid === 'yes' ? { notPaid: true } : {}) },
      })}
      onClose={onClose}
    >
      <ReasonField reader="investor" autoFocus />
      {mayBePaid && (
        <Attestation name="notPaid">Nobody has sent its coins by hand, and nobody will.</Attestation>
      )}
    </ActionDialog>
  )
}

/** Its record's page, and what stands in a dialog until that is there. */
function useDetail(id: string) {
  const { data, isError, refetch } = useRead(getWithdrawal, { params: { id } })
  if (data !== undefined) return { data, waiting: undefined }
  const waiting = isError ? (
    <FailedState onRetry={() => void refetch()}>The withdrawal could not be loaded.</FailedState>
  ) : (
    <Loading label="Loading the withdrawal" />
  )
  return { data, waiting }
}

const payFields = ['transactionId', 'sent', 'notBroadcast'] as const
const transactionMissing = 'The id of the transaction that paid it is required'

const sentMissing = 'Say that the coins have left already; if they have not, decline the withdrawal instead'

const notSentMissing =
  'Enter the transaction that was seen; or say that the file was not sent and will not be'

const shownMissing = 'A file was sent that pays this withdrawal: enter its transaction'

/** Whether a file is out that is not shown to have been sent, and this transaction is not what was seen of it. */
function isElsewhere(filesOut: Detail['filesOut'], typed: string): boolean {
  const id = canonicalTransactionId(typed.trim())
  return filesOut.some(({ transactionId, shown }) => !shown && transactionId !== id)
}

/** What the network shows of a file is what has paid: no other transaction is entered. */
function shownFault(filesOut: Detail['filesOut'], typed: string): Fault | undefined {
  const id = canonicalTransactionId(typed.trim())
  const sent = filesOut.filter(({ shown }) => shown)
  if (sent.length === 0 || sent.some(({ transactionId }) => transactionId === id)) return undefined
  return faultAt('transactionId', shownMissing)
}

/** What is wrong with the id before it is sent; the server looks again, and whether it has paid another. */
function idFault({ wallet }: Withdrawal, values: { transactionId: string }): Fault | undefined {
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

function pay(withdrawal: Withdrawal): Action {
  return {
    label: 'Mark paid',
    call: payWithdrawal,
    of: withdrawal.invoiceId,
    about: withdrawal.user,
    blocked: blockedBy(withdrawal),
    dialog: close => <PayWithdrawal withdrawal={withdrawal} onClose={close} />,
  }
}

/** Of an owner whom networks have taken back from it asks whether the coins have left; where a file is out, whether that was sent. */
function PayWithdrawal({ withdrawal, onClose }: OneProps) {
  const { _id, amount } = withdrawal
  const { data, waiting } = useDetail(_id)
  const owes = data !== undefined && data.debt > 0
  const filesOut = data?.filesOut ?? []
  return (
    <ActionDialog
      call={payWithdrawal}
      title="Mark this withdrawal as paid?"
      description={
        owes
          ? 'Only where the coins have left already: do not send them now. The investor sees the transaction id.'
          : 'Send the coins first. The investor sees the transaction id.'
      }
      entries={[
        ...facts(withdrawal),
        ['Taken back by networks', owes ? <Usd key="short" value={data.debt} /> : null],
        ['Out of hold, paid', <Moved key="moved" value={amount} />],
      ]}
      waiting={waiting}
      fields={payFields}
      check={values =>
        mergeFaults(
          idFault(withdrawal, values) ?? shownFault(filesOut, values.transactionId),
          owes && values.sent !== 'yes' ? faultAt('sent', sentMissing) : undefined,
          isElsewhere(filesOut, values.transactionId) && values.notBroadcast !== 'yes'
            ? faultAt('notBroadcast', notSentMissing)
            : undefined,
        )
      }
      shown={shown(withdrawal, true)}
      optionalReason="investor"
      confirm="Mark as paid"
      input={({ transactionId, sent, notBroadcast }) => ({
        params: { id: _id },
        body: {
          transactionId: transactionId.trim(),
          ...(sent === 'yes' ? { sent: true } : {}),
          ...(notBroadcast === 'yes' ? { notBroadcast: true } : {}),
        },
      })}
      onClose={onClose}
    >
      <Field
        name="transactionId"
        label="Transaction id"
        hint="One transaction may pay withdrawals to several addresses, but only one to this address."
      >
        <Input maxLength={120} autoComplete="off" spellCheck={false} autoFocus />
      </Field>
      {owes && <Attestation name="sent">The coins have left already.</Attestation>}
      {filesOut.length > 0 && <FilesOut of={filesOut} />}
    </ActionDialog>
  )
}

/** What can still pay the same withdrawal, or has; and of what is not shown to have been sent the word that it will not. */
function FilesOut({ of }: { of: Detail['filesOut'] }) {
  const unsent = of.filter(({ shown }) => !shown)
  return (
    <div className="grid gap-3">
      {of.map(({ batch, words, transactionId }) => (
        <p key={batch} className="text-bad text-sm">
          {words}{' '}
          {transactionId === null
            ? 'If it was sent, this withdrawal is paid twice.'
            : 'Enter that transaction; another one pays the withdrawal twice.'}
        </p>
      ))}
      {unsent.length > 0 && <Attestation name="notBroadcast">{unsentWords(of, unsent)}</Attestation>}
    </div>
  )
}

function unsentWords(of: Detail['filesOut'], unsent: Detail['filesOut']): string {
  const will = 'not sent and will not be.'
  if (of.length === 1) return `That file was ${will}`
  const numbers = unsent.map(({ number }) => number).join(' and ')
  return unsent.length === 1 ? `The file of ${numbers} was ${will}` : `The files of ${numbers} were ${will}`
}
