import { useState } from 'react'
import { statement } from '#shared/contract/ledger.ts'
import { useList } from '#web/api/read.ts'
import { LinkButton } from '#web/components/link-button.tsx'
import { accountNames, Postings } from '#web/components/postings.tsx'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { cx } from '#web/ui/cx.ts'
import { Field } from '#web/ui/field.tsx'
import { Select } from '#web/ui/input.tsx'
import { LoadMore } from '#web/ui/load-more.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'
import { BalanceFigures } from './balances.tsx'

export const meta = pageMeta('Statement')

/** Every posting on one's own accounts (D1.1): what the balances are the sums of. */
export default function StatementPage() {
  const [account, setAccount] = useState('')
  return (
    <>
      <PageHead
        title="Statement"
        lead="Every movement of your money, the newest first. Each balance is the sum of the movements of its account, and none of them can be changed afterwards."
      />
      <BalanceFigures />
      <Section title="Movements">
        <Field name="account" label="Account" className="mb-4 max-w-56">
          <Select value={account} onChange={event => setAccount(event.target.value)}>
            <option value="">All accounts</option>
            {Object.entries(accountNames).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </Select>
        </Field>
        <Movements account={account} />
      </Section>
    </>
  )
}

function Movements({ account }: { account: string }) {
  const list = useList(statement, { account })
  const { rows, total, hasMore, more, loadingMore, isError, isPlaceholderData, refetch } = list
  if (isError) return <FailedState onRetry={refetch}>Your statement could not be loaded.</FailedState>
  if (!rows) return <Loading label="Loading your statement" lines={8} />
  if (rows.length === 0) {
    return account === '' ? (
      <EmptyState action={<LinkButton to={paths.dashboard.deposit}>Make deposit</LinkButton>}>
        No money has moved on your accounts yet.
      </EmptyState>
    ) : (
      <EmptyState>No money has moved on this account yet.</EmptyState>
    )
  }
  return (
    <div aria-busy={isPlaceholderData} className={cx(isPlaceholderData && 'opacity-60')}>
      <Postings caption="Movements of your money, the newest first" lines={rows} />
      <LoadMore shown={rows.length} total={total} hasMore={hasMore} loading={loadingMore} onMore={more} />
    </div>
  )
}
