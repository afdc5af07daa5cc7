import type { RealisedReturn } from '#shared/contract/entities.ts'
import {
  approveReturn,
  declineReturn,
  proposeVoid,
  rejectVoid,
  voidReturn,
} from '#shared/contract/returns.ts'
import { t } from '#shared/i18n/t.ts'
import { ActionDialog, type Entry, Moved } from '#web/admin/actions/action-dialog.tsx'
import type { Action } from '#web/admin/actions/actions.tsx'
import { shownAt } from '#web/admin/actions/latest.ts'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import { Evidence } from '#web/components/evidence.tsx'
import { Day } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'

/** The decisions of a second person about a return (D1.2). */
export function decisionsOf(one: RealisedReturn): Action[] {
  if (one.status === 'pending') return [approve(one), decline(one)]
  return one.status === 'void_proposed' ? [approveVoid(one), reject(one)] : []
}

/** The decisions and, on the return's own page alone, the rare proposal to void it. */
export function returnActions(one: RealisedReturn): Action[] {
  return one.status === 'recorded' && one.left > 0 ? [propose(one)] : decisionsOf(one)
}

function nameOf({ source }: RealisedReturn): string {
  return t('the return “{source}”', { source })
}

function facts(one: RealisedReturn): Entry[] {
  return [
    [t('Source'), one.source],
    [t('Realised'), <Day key="day" on={one.realisedAt} />],
    [t('Evidence'), <Evidence key="evidence" of={one} />],
    [t('Recorded by'), one.recordedBy],
  ]
}

/** The parts of every dialog about one return. */
function about(one: RealisedReturn, posts: boolean) {
  return { of: nameOf(one), shown: shownAt(consolePaths.recordedReturn(one._id), nameOf(one), posts) }
}

function approve(one: RealisedReturn): Action {
  const { of, shown } = about(one, true)
  return {
    label: t('Approve'),
    call: approveReturn,
    of,
    dialog: close => (
      <ActionDialog
        call={approveReturn}
        title={t('Approve this return?')}
        description={t(
          'Check its evidence first. Earnings can then be paid from it. The person who recorded it cannot approve it.',
        )}
        entries={[
          ...facts(one),
          [t('Added to the recorded returns'), <Moved key="moved" value={one.amount} />],
        ]}
        shown={shown}
        optionalReason="log"
        confirm={t('Approve return')}
        input={() => ({ params: { id: one._id } })}
        onClose={close}
      />
    ),
  }
}

function decline(one: RealisedReturn): Action {
  const { of, shown } = about(one, false)
  return {
    label: t('Decline'),
    call: declineReturn,
    of,
    tone: 'danger',
    dialog: close => (
      <ReasonDialog
        call={declineReturn}
        reader="log"
        tone="danger"
        title={t('Decline this return?')}
        description={t(
          'It stays in the list and never pays anything. The person who recorded it may decline it too.',
        )}
        entries={[...facts(one), [t('Not recorded'), <Moved key="moved" value={one.amount} />]]}
        shown={shown}
        confirm={t('Decline return')}
        input={reason => ({ params: { id: one._id }, body: { reason } })}
        onClose={close}
      />
    ),
  }
}

function paidAndLeft(one: RealisedReturn, left: string): Entry[] {
  return [
    [t('Paid out, which stays'), <Moved key="paid" value={one.paidOut} />],
    [left, <Moved key="left" value={one.left} />],
  ]
}

function propose(one: RealisedReturn): Action {
  const { of, shown } = about(one, false)
  return {
    label: t('Propose void'),
    call: proposeVoid,
    of,
    tone: 'danger',
    dialog: close => (
      <ReasonDialog
        call={proposeVoid}
        reader="log"
        tone="danger"
        title={t('Propose to void this return?')}
        description={t(
          'For a return that is wrong. No earnings are paid from it until a second person decides. Earnings that it has already paid stay paid.',
        )}
        entries={[...facts(one), ...paidAndLeft(one, t('To be voided'))]}
        shown={shown}
        confirm={t('Propose void')}
        input={reason => ({ params: { id: one._id }, body: { reason } })}
        onClose={close}
      />
    ),
  }
}

function proposal(one: RealisedReturn): Entry[] {
  return [
    [t('Void proposed by'), one.voidProposedBy],
    [t('Reason'), one.voidReason],
  ]
}

function approveVoid(one: RealisedReturn): Action {
  const { of, shown } = about(one, true)
  return {
    label: t('Approve void'),
    call: voidReturn,
    of,
    tone: 'danger',
    dialog: close => (
      <ActionDialog
        call={voidReturn}
        title={t('Void this return?')}
        description={t('This cannot be undone. The person who proposed it cannot approve it.')}
        entries={[...facts(one), ...proposal(one), ...paidAndLeft(one, t('Voided', {}, 'an amount'))]}
        shown={shown}
        optionalReason="log"
        tone="danger"
        confirm={t('Void return')}
        input={() => ({ params: { id: one._id } })}
        onClose={close}
      />
    ),
  }
}

function reject(one: RealisedReturn): Action {
  const { of, shown } = about(one, false)
  return {
    label: t('Reject void'),
    call: rejectVoid,
    of,
    dialog: close => (
      <ReasonDialog
        call={rejectVoid}
        reader="log"
        title={t('Reject this void?')}
        description={t(
          'Earnings can be paid from the return again. Only the person who proposed the void, or one who neither recorded nor approved the return, can reject it.',
        )}
        entries={[...facts(one), ...proposal(one), ...paidAndLeft(one, t('Left to pay out'))]}
        shown={shown}
        confirm={t('Reject void')}
        input={reason => ({ params: { id: one._id }, body: { reason } })}
        onClose={close}
      />
    ),
  }
}
