import { approveEarning, declineEarning } from '#shared/contract/earnings.ts'
import type { Earning } from '#shared/contract/entities.ts'
import { getInvestment } from '#shared/contract/investments.ts'
import { t } from '#shared/i18n/t.ts'
import { usdFromJson } from '#shared/money.ts'
import { ActionDialog, type Entry, Moved } from '#web/admin/actions/action-dialog.tsx'
import type { Action } from '#web/admin/actions/actions.tsx'
import type { Shown } from '#web/admin/actions/latest.ts'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import { PersonName } from '#web/admin/users/person.tsx'
import { useRead } from '#web/api/read.ts'
import { consolePaths } from '#web/console-paths.ts'
import { EarningWarnings } from './warnings.tsx'

/** The actions on an earning pending a second approval (D7). */
export function earningActions(earning: Earning): Action[] {
  return earning.status === 'pending' ? [approve(earning), decline(earning)] : []
}

function shown(earning: Earning, posts: boolean) {
  return earningShown(earning.user, nameOf(earning), posts)
}

/** Links to the earning on the user's page, or in their statement once paid. */
export function earningShown(userId: string, of: string, posts: boolean): Shown {
  return { of, to: `${consolePaths.user(userId)}#${posts ? 'statement' : 'earnings'}`, posts }
}

function facts(earning: Earning): Entry[] {
  return [
    [t('Investor'), <PersonName key="name" row={earning} />],
    [t('Investment'), earning.investmentLabel],
    [t('Note'), earning.note],
  ]
}

function nameOf({ userName, user }: Earning): string {
  return t('the earning of {name}', { name: userName ?? user })
}

function ApprovalWarnings({ investment, beyondCents }: { investment: string; beyondCents: bigint }) {
  const { data } = useRead(getInvestment, { params: { id: investment } })
  return data && <EarningWarnings beyondCents={beyondCents} began={[data.approvedAt]} />
}

function approve(earning: Earning): Action {
  return {
    label: t('Approve'),
    call: approveEarning,
    of: nameOf(earning),
    about: earning.user,
    dialog: close => (
      <ActionDialog
        call={approveEarning}
        title={t('Approve this earning?')}
        description={t(
          'It is paid from recorded returns and repays any debt from reversed deposits first. The person who added it cannot approve it.',
        )}
        entries={[
          ...facts(earning),
          [t('Source'), earning.source],
          [t('From recorded returns to the investor'), <Moved key="moved" value={earning.amount} />],
        ]}
        shown={shown(earning, true)}
        optionalReason="investor"
        confirm={t('Approve earning')}
        input={() => ({ params: { id: earning._id } })}
        onClose={close}
      >
        {earning.investment && (
          <ApprovalWarnings
            investment={earning.investment}
            beyondCents={usdFromJson(earning.beyondAccrued)!}
          />
        )}
      </ActionDialog>
    ),
  }
}

function decline(earning: Earning): Action {
  return {
    label: t('Decline'),
    call: declineEarning,
    of: nameOf(earning),
    tone: 'danger',
    dialog: close => (
      <ReasonDialog
        reader="investor"
        tone="danger"
        call={declineEarning}
        title={t('Decline this earning?')}
        description={t(
          'No money moves, and the accrual can be added again. The admin who added it may decline it too.',
        )}
        entries={[...facts(earning), [t('Not paid'), <Moved key="moved" value={earning.amount} />]]}
        shown={shown(earning, false)}
        confirm={t('Decline earning')}
        input={reason => ({ params: { id: earning._id }, body: { reason } })}
        onClose={close}
      />
    ),
  }
}
