import type { CallData } from '#shared/contract/define.ts'
import type { Withdrawal } from '#shared/contract/entities.ts'
import {
  approveWithdrawal,
  declineWithdrawal,
  getWithdrawal,
  payWithdrawal,
} from '#shared/contract/withdrawals.ts'
import { localUsdShort } from '#shared/i18n/amounts.ts'
import { listed } from '#shared/i18n/listed.ts'
import { t } from '#shared/i18n/t.ts'
import { usdFromJson } from '#shared/money.ts'
import { transactionIdError } from '#shared/transactions.ts'
import { ActionDialog, type Entry, Moved } from '#web/admin/actions/action-dialog.tsx'
import type { Action } from '#web/admin/actions/actions.tsx'
import { Attestation } from '#web/admin/actions/attestation.tsx'
import { shownAt } from '#web/admin/actions/latest.ts'
import { ReasonField, reasonError } from '#web/admin/actions/reason-field.tsx'
import { PersonName } from '#web/admin/users/person.tsx'
import { useRead } from '#web/api/read.ts'
import { Usd } from '#web/components/amounts.tsx'
import { GroupedAddress } from '#web/components/grouped-address.tsx'
import { payoutEntries } from '#web/components/payout.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { Button } from '#web/ui/button.tsx'
import { DialogActions } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import { fieldError, mergeErrors, missing, type ValidationError } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'

type Detail = CallData<typeof getWithdrawal>

type Standing = Pick<Detail, 'debt' | 'listed' | 'ownerStop' | 'unpayable'>

/** What `matched` is about. */
export function ownerStopLabel(of: Pick<Detail, 'ownerStop'> | undefined): string {
  return of?.ownerStop === 'uncompared' ? t('Comparison with sanctions lists') : t('Name on a sanctions list')
}

/** If it is approved already. */
function isDeclinable({ debt, listed, ownerStop, unpayable }: Standing): boolean {
  return debt > 0 || listed !== null || ownerStop === 'same' || unpayable !== null
}

/** The actions on a withdrawal (N-03), given the investor's debt and why we cannot pay it. */
export function withdrawalActions(
  withdrawal: Withdrawal,
  standing: Standing = { debt: 0, listed: null, ownerStop: null, unpayable: null },
): Action[] {
  if (withdrawal.status === 'pending') return [approve(withdrawal, standing.debt), decline(withdrawal)]
  if (withdrawal.status !== 'approved') return []
  return isDeclinable(standing) ? [decline(withdrawal), pay(withdrawal)] : [pay(withdrawal)]
}

/** '1 of 2 approvals', if more than one is needed (D7). */
export function approvalsWords({ approvals, approvalsNeeded }: Withdrawal): string | undefined {
  return approvalsNeeded > 1
    ? t('{approvals} of {needed} approvals', { approvals, needed: approvalsNeeded })
    : undefined
}

/** Why a second person must approve it, if one must. */
export function secondApprovalWords({ secondApproval, singleApproval }: Withdrawal): string | undefined {
  const limit = localUsdShort(usdFromJson(singleApproval)!)
  if (secondApproval === 'amount') return t('Above {limit}, two people must approve a withdrawal.', { limit })
  if (secondApproval === 'investor_day') {
    return t('This investor’s withdrawals of 24 hours exceed {limit}, so two people must approve.', { limit })
  }
  if (secondApproval === 'approver_day') {
    return t(
      'The first approver has reached the limit of {limit} in 24 hours for one person, so a second must approve.',
      { limit },
    )
  }
  return undefined
}

function shown({ _id, invoiceId }: Withdrawal, posts: boolean) {
  return shownAt(consolePaths.withdrawal(_id), invoiceId, posts)
}

function facts(withdrawal: Withdrawal): Entry[] {
  return [
    [t('Withdrawal'), withdrawal.invoiceId],
    [t('Investor'), <PersonName key="name" row={withdrawal} />],
    ...payoutEntries(withdrawal),
    [t('Wallet'), withdrawal.wallet],
    [t('Wallet address'), <GroupedAddress key="address" address={withdrawal.walletAddress} />],
  ]
}

function approve(withdrawal: Withdrawal, debt: number): Action {
  const { approvals, approvalsNeeded } = withdrawal
  const more = approvalsNeeded - approvals - 1
  return {
    label: t('Approve'),
    call: approveWithdrawal,
    of: withdrawal.invoiceId,
    about: withdrawal.user,
    ...(debt > 0 ? { blocked: t('Investor has an open debt') } : {}),
    dialog: close => (
      <ActionDialog
        call={approveWithdrawal}
        title={t('Approve this withdrawal?')}
        description={
          more > 0
            ? [
                secondApprovalWords(withdrawal),
                t('After you, another person with the role Admin or Finance must approve it.'),
              ].join(' ')
            : t(
                'This authorises the payment. The money stays on hold until the withdrawal is marked as paid.',
              )
        }
        entries={[
          ...facts(withdrawal),
          [t('Approvals so far'), approvalsWords(withdrawal)],
          [t('To be paid from hold'), <Moved key="moved" value={withdrawal.amount} />],
        ]}
        shown={shown(withdrawal, false)}
        optionalReason="investor"
        confirm={t('Approve withdrawal')}
        input={() => ({ params: { id: withdrawal._id } })}
        onClose={close}
      />
    ),
  }
}

function decline(withdrawal: Withdrawal): Action {
  const { batch } = withdrawal
  return {
    label: t('Decline'),
    call: declineWithdrawal,
    of: withdrawal.invoiceId,
    tone: 'danger',
    ...(batch?.exclusive
      ? { blocked: t('{batch} pays it: cancel that batch first', { batch: batch.number }) }
      : {}),
    dialog: close => <DeclineWithdrawal withdrawal={withdrawal} onClose={close} />,
  }
}

type OneProps = { withdrawal: Withdrawal; onClose: () => void }

const declineFields = ['reason', 'notPaid'] as const

/**
 * Reads the record first, because lists do not know the investor's debt. Declining an approved withdrawal needs an attestation that
 * nobody has paid it manually, also if it was approved while this dialog was open.
 */
function DeclineWithdrawal({ withdrawal, onClose }: OneProps) {
  const { _id, amount } = withdrawal
  const { data, waiting } = useDetail(_id)
  const hasDebt = data !== undefined && data.debt > 0
  const listed = data?.listed ?? null
  const unpayable = data?.unpayable ?? null
  const mayBePaid = data?.status === 'approved' && isDeclinable(data)
  return (
    <ActionDialog
      tone="danger"
      call={declineWithdrawal}
      title={t('Decline this withdrawal?')}
      description={[
        ...(mayBePaid ? [t('If somebody has paid it manually, mark it as paid instead.')] : []),
        hasDebt
          ? t(
              'The released hold first repays the debt from reversed deposits. The rest becomes available to the investor again.',
            )
          : t('This releases the hold: the money becomes available to the investor again.'),
      ].join(' ')}
      entries={[
        ...facts(withdrawal),
        [ownerStopLabel(data), data?.matched],
        [t('Sanctions list'), listed],
        [t('No batch can pay it'), unpayable],
        [t('Debt from reversed deposits'), hasDebt ? <Usd key="short" value={data.debt} /> : null],
        [
          hasDebt ? t('Released from hold') : t('Back to the available balance'),
          <Moved key="moved" value={amount} />,
        ],
      ]}
      waiting={waiting}
      fields={declineFields}
      check={values =>
        mergeErrors(
          reasonError(values, 'investor'),
          mayBePaid && values.notPaid !== 'yes' ? fieldError('notPaid', notPaidMissing()) : undefined,
        )
      }
      shown={shown(withdrawal, true)}
      confirm={t('Decline withdrawal')}
      input={({ reason, notPaid }) => ({
        params: { id: _id },
        body: { reason: reason.trim(), ...(notPaid === 'yes' ? { notPaid: true } : {}) },
      })}
      onClose={onClose}
    >
      <ReasonField reader="investor" autoFocus />
      {mayBePaid && (
        <Attestation name="notPaid">
          {t('I confirm that nobody has paid it manually and nobody will.')}
        </Attestation>
      )}
    </ActionDialog>
  )
}

function notPaidMissing(): string {
  return t('Confirm that nobody has paid it; if somebody has, mark it as paid instead')
}

/** The names of the people who approved it. */
export function approversWords({ approvers }: Pick<Detail, 'approvers'>): string | null {
  return approvers.length === 0 ? null : listed(approvers.map(({ name }) => name))
}

/** The record, or a placeholder for a dialog until it is loaded. */
function useDetail(id: string) {
  const { data, isError, refetch } = useRead(getWithdrawal, { params: { id } })
  if (data !== undefined) return { data, waiting: undefined }
  const waiting = isError ? (
    <FailedState onRetry={() => void refetch()}>{t('The withdrawal could not be loaded.')}</FailedState>
  ) : (
    <Loading label={t('Loading the withdrawal')} />
  )
  return { data, waiting }
}

const payFields = ['transactionId', 'sent'] as const
/** Checks the id; the server checks it again, and that it paid no other withdrawal. */
function idError({ wallet }: Withdrawal, values: { transactionId: string }): ValidationError | undefined {
  const words = t('Enter the id of the transaction that paid it')
  const empty = missing(values, ['transactionId'], words, words)
  if (empty) return empty
  const error = transactionIdError(wallet, values.transactionId.trim())
  return error === undefined ? undefined : { message: error, fields: { transactionId: error } }
}

/** A batch that may pay it blocks manual payment. */
function blockedBy({ batch }: Withdrawal): string | undefined {
  if (!batch?.exclusive) return undefined
  return t('{batch} pays it and marks it as paid automatically', { batch: batch.number })
}

function pay(withdrawal: Withdrawal): Action {
  return {
    label: t('Mark paid'),
    call: payWithdrawal,
    of: withdrawal.invoiceId,
    about: withdrawal.user,
    blocked: blockedBy(withdrawal),
    dialog: close => <PayWithdrawal withdrawal={withdrawal} onClose={close} />,
  }
}

/** Asks for an attestation that the coins were sent, if nobody may send them now. Has no form for the approver. */
function PayWithdrawal({ withdrawal, onClose }: OneProps) {
  const { _id, amount } = withdrawal
  const { data, waiting } = useDetail(_id)
  const hasDebt = data !== undefined && data.debt > 0
  const listed = data?.listed ?? null
  // Only what was sent before may be recorded.
  const isOwnerStopped = data !== undefined && data.ownerStop !== null
  const mustNotSend = hasDebt || listed !== null || isOwnerStopped
  return (
    <ActionDialog
      call={payWithdrawal}
      title={t('Mark this withdrawal as paid?')}
      description={
        data?.approvedByCaller
          ? t('You approved this withdrawal, so a second person must mark it as paid.')
          : mustNotSend
            ? t(
                'Only if the coins have already been sent: do not send them now. The investor sees the transaction id.',
              )
            : t('Send the coins first. The investor sees the transaction id.')
      }
      entries={[
        ...facts(withdrawal),
        [t('Approved by'), data && approversWords(data)],
        [ownerStopLabel(data), data?.matched],
        [t('Sanctions list'), listed],
        [t('Debt from reversed deposits'), hasDebt ? <Usd key="short" value={data.debt} /> : null],
        [t('Paid from hold'), <Moved key="moved" value={amount} />],
      ]}
      waiting={data?.approvedByCaller ? <CloseOnly onClose={onClose} /> : waiting}
      fields={payFields}
      check={values =>
        mergeErrors(
          idError(withdrawal, values),
          mustNotSend && values.sent !== 'yes' ? fieldError('sent', sentMissing()) : undefined,
        )
      }
      shown={shown(withdrawal, true)}
      optionalReason="investor"
      confirm={t('Mark as paid')}
      input={({ transactionId, sent }) => ({
        params: { id: _id },
        body: {
          transactionId: transactionId.trim(),
          ...(sent === 'yes' ? { sent: true } : {}),
        },
      })}
      onClose={onClose}
    >
      <Field
        name="transactionId"
        label={t('Transaction id')}
        hint={t('One transaction may pay several withdrawals, but only one to this address.')}
      >
        <Input dir="ltr" maxLength={120} autoComplete="off" spellCheck={false} autoFocus />
      </Field>
      {mustNotSend && (
        <Attestation name="sent">{t('I confirm that the coins have already been sent.')}</Attestation>
      )}
    </ActionDialog>
  )
}

function sentMissing(): string {
  return t('Confirm that the coins have already been sent; otherwise decline the withdrawal')
}

function CloseOnly({ onClose }: { onClose: () => void }) {
  return (
    <DialogActions>
      <Button onClick={onClose}>{t('Close')}</Button>
    </DialogActions>
  )
}
