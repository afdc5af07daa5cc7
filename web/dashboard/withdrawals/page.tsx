import { listOwnWithdrawals } from '#shared/contract/withdrawals.ts'
import { useList } from '#web/api/read.ts'
import { usdOrWait } from '#web/components/amounts.tsx'
import { ListStates } from '#web/components/list-states.tsx'
import { AccountNotice } from '#web/dashboard/account-notice.tsx'
import { BalanceFigures, useSummary } from '#web/dashboard/home/balances.tsx'
import { pageMeta } from '#web/meta.ts'
import { Figure, Figures } from '#web/ui/figure.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState } from '#web/ui/states.tsx'
import { AddressBook } from './address-book.tsx'
import { WithdrawalForm } from './form.tsx'
import { WithdrawalsTable } from './table.tsx'

export const meta = pageMeta('Withdraw funds')

/** Withdrawals (D-08, D-09). */
export default function WithdrawalsPage() {
  return (
    <>
      <PageHead
        title="Withdraw funds"
        lead="A withdrawal never depends on a new payment or fee. If it is declined, the reason is shown here and the money is available again."
      />
      <AccountNotice />
      <BalanceFigures />
      <Totals />
      <div className="grid gap-12">
        <Section title="New withdrawal">
          <div className="max-w-xl">
            <WithdrawalForm />
          </div>
        </Section>
        <AddressBook />
        <Section title="All withdrawals">
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
      <Figure label="Total" value={usdOrWait(sums?.total)} note="Declined ones excepted" />
      <Figure label="Approved" value={usdOrWait(sums?.approved)} note="On the way or paid" />
      <Figure label="Pending" value={usdOrWait(sums?.pending)} note="Held until it is decided" />
      <Figure label="Times" value={sums?.times} note="Requests so far" />
    </Figures>
  )
}

function AllWithdrawals() {
  const list = useList(listOwnWithdrawals)
  return (
    <ListStates
      list={list}
      of="your withdrawals"
      empty={<EmptyState>You have not made any withdrawals yet.</EmptyState>}
    >
      {rows => <WithdrawalsTable caption="All your withdrawals, the newest first" rows={rows} />}
    </ListStates>
  )
}
