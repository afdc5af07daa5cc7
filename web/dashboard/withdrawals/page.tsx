import { listOwnWithdrawals } from '#shared/contract/withdrawals.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { useList } from '#web/api/list.ts'
import { usdOrWait } from '#web/components/amounts.tsx'
import { ListStates } from '#web/components/list-states.tsx'
import { AccountNotice } from '#web/dashboard/account-notice.tsx'
import { Cancellable } from '#web/dashboard/cancel/action.tsx'
import { BalanceFigures, useSummary } from '#web/dashboard/home/balances.tsx'
import { pageMeta } from '#web/meta.ts'
import { Figure, Figures } from '#web/ui/figure.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState } from '#web/ui/states.tsx'
import { AddressBook } from './address-book.tsx'
import { WithdrawalForm } from './form.tsx'
import { WithdrawalLink, WithdrawalsTable, withActions } from './table.tsx'

export const meta = pageMeta(msg('Withdraw funds'))

/** Withdrawals (D-08, D-09). */
export default function WithdrawalsPage() {
  return (
    <>
      <PageHead
        title={t('Withdraw funds')}
        lead={t(
          'We never charge a fee or ask for a payment to release a withdrawal. If we decline one, you see the reason here and the money is available again.',
        )}
      />
      <AccountNotice />
      <BalanceFigures />
      <Totals />
      <div className="grid gap-12">
        <Section title={t('New withdrawal')}>
          <div className="max-w-xl">
            <WithdrawalForm />
          </div>
        </Section>
        <AddressBook />
        <Section title={t('All withdrawals')}>
          <AllWithdrawals />
        </Section>
      </div>
    </>
  )
}

function Totals() {
  const sums = useSummary()?.withdrawals
  return (
    <Figures inLines className="mb-8">
      <Figure label={t('Total')} value={usdOrWait(sums?.total)} note={t('Excludes declined requests')} />
      <Figure label={t('Approved')} value={usdOrWait(sums?.approved)} note={t('On its way or paid')} />
      <Figure label={t('Pending')} value={usdOrWait(sums?.pending)} note={t('On hold until we decide')} />
      <Figure label={t('Requests')} value={sums?.times} note={t('All time')} />
    </Figures>
  )
}

const columns = withActions(withdrawal => (
  <Cancellable of={{ kind: 'withdrawal', record: withdrawal }}>
    <WithdrawalLink withdrawal={withdrawal} />
  </Cancellable>
))

function AllWithdrawals() {
  const list = useList(listOwnWithdrawals)
  return (
    <ListStates
      list={list}
      of={t('your withdrawals')}
      empty={<EmptyState>{t('You have not made any withdrawals yet.')}</EmptyState>}
    >
      {rows => (
        <WithdrawalsTable
          caption={t('All your withdrawals, the newest first')}
          rows={rows}
          columns={columns}
        />
      )}
    </ListStates>
  )
}
