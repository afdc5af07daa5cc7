import { reopenUser } from '#shared/contract/closing.ts'
import { t } from '#shared/i18n/t.ts'
import type { Action } from '#web/admin/actions/actions.tsx'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import { When } from '#web/components/when.tsx'
import { tr } from '#web/tr.ts'
import type { UserDetail } from './user-detail.ts'

export function reopen(user: UserDetail): Action {
  return {
    label: t('Reopen'),
    call: reopenUser,
    of: user.name,
    about: user._id,
    dialog: close => (
      <ReasonDialog
        call={reopenUser}
        reader="staff"
        title={t('Reopen this account?')}
        description={t(
          'Its owner closed it. They can log in again with the same password and second factor, and are notified by email. Payments that arrived since are credited.',
        )}
        entries={[
          [t('Name'), user.name],
          [t('Email'), user.email],
          [t('Closed', {}, 'when'), user.closedAt && <When key="closed" at={user.closedAt} />],
        ]}
        confirm={t('Reopen account')}
        input={reason => ({ params: { id: user._id }, body: { reason } })}
        onClose={close}
      />
    ),
  }
}

/** When its owner closed it, and what that means. */
export function Closed({ at }: { at: string }) {
  return (
    <div className="mb-8 grid gap-1 border-edge border-s-4 bg-sunken px-4 py-3 text-sm">
      <p className="font-medium">{tr('Closed by its owner, {when}', { when: <When at={at} /> })}</p>
      <p className="text-ink-soft">
        {t(
          'They cannot log in and get no emails. Nothing can be requested or credited. Payments that arrive are in the history below, and every admin is emailed about them.',
        )}
      </p>
    </div>
  )
}
