import { railLabels } from '#shared/coins.ts'
import { explainOutgoing, listOutgoing, type Outgoing } from '#shared/contract/payouts.ts'
import { unexplainedAdvice } from '#shared/unexplained.ts'
import { type Action, Actions } from '#web/admin/actions/actions.tsx'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import { useRead } from '#web/api/read.ts'
import { GroupedAddress } from '#web/components/grouped-address.tsx'
import { When } from '#web/components/when.tsx'
import { Section } from '#web/ui/section.tsx'
import { FailedState } from '#web/ui/states.tsx'
import { type Column, Table } from '#web/ui/table.tsx'

/** Transactions of our addresses that no payout explains; nothing while there are none. */
export function OutgoingSection() {
  const { data, isError, refetch } = useRead(listOutgoing, {})
  if (!data && !isError) return null
  if (data?.length === 0) return null
  return (
    <Section title="Unexplained transactions" anchor="outgoing">
      {data ? (
        <div className="grid gap-4">
          <div className="grid max-w-prose gap-2 text-ink-soft">
            <p>These used our addresses, and no payout explains them. If one of you made it, write why.</p>
            {unexplainedAdvice(data).map(advice => (
              <p key={advice}>{advice}</p>
            ))}
          </div>
          <Table
            wide
            caption="Transactions that no payout explains, the oldest first"
            columns={columns}
            rows={data}
            keyOf={({ rail, transactionId }) => `${rail} ${transactionId}`}
          />
        </div>
      ) : (
        <FailedState onRetry={() => void refetch()}>
          The list of unexplained transactions could not be loaded.
        </FailedState>
      )}
    </Section>
  )
}

const columns: readonly Column<Outgoing>[] = [
  { header: 'Network', cell: ({ rail }) => railLabels[rail] },
  {
    header: 'Transaction',
    cell: ({ transactionId }) => <span className="wrap-anywhere">{transactionId}</span>,
  },
  {
    header: 'From',
    cell: ({ sender }) => (sender === null ? 'Our Bitcoin wallet' : <GroupedAddress address={sender} />),
  },
  { header: 'Seen', cell: ({ seenAt }) => <When at={seenAt} /> },
  { header: 'In a block', cell: ({ mined }) => (mined ? 'Yes' : 'Not yet') },
  { header: 'Action', cell: row => <Actions actions={[explain(row)]} none={null} /> },
]

function explain({ rail, transactionId }: Outgoing): Action {
  return {
    label: 'Explain',
    call: explainOutgoing,
    of: transactionId,
    dialog: close => (
      <ReasonDialog
        reader="log"
        call={explainOutgoing}
        title="Who made this transaction, and why?"
        description="This only records your explanation, under your name. No money moves."
        entries={[
          ['Network', railLabels[rail]],
          [
            'Transaction',
            <span key="id" className="wrap-anywhere">
              {transactionId}
            </span>,
          ],
        ]}
        confirm="Record"
        input={reason => ({ body: { rail, transactionId, reason } })}
        onClose={close}
      />
    ),
  }
}
