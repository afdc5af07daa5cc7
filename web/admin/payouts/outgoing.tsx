import { paymentMethods } from '#shared/coins.ts'
import { explainOutgoing, listOutgoing, type Outgoing } from '#shared/contract/payouts.ts'
import { type Action, Actions } from '#web/admin/actions/actions.tsx'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import { useRead } from '#web/api/read.ts'
import { GroupedAddress } from '#web/components/grouped-address.tsx'
import { When } from '#web/components/when.tsx'
import { Section } from '#web/ui/section.tsx'
import { FailedState } from '#web/ui/states.tsx'
import { type Column, Table } from '#web/ui/table.tsx'

/** Transactions that one of our keys signed and no payout explains; nothing while there are none. */
export function OutgoingSection() {
  const { data, isError, refetch } = useRead(listOutgoing, {})
  if (!data && !isError) return null
  if (data?.length === 0) return null
  return (
    <Section title="Unexplained transactions" anchor="outgoing">
      {data ? (
        <div className="grid gap-4">
          <p className="max-w-prose text-ink-soft">
            One of our keys signed these, and no payout explains them. If one of you made it, write why. If
            nobody did, the key is in other hands: move what is left to a new wallet now, and stop payouts.
          </p>
          <Table
            wide
            caption="Transactions that no payout explains, the oldest first"
            columns={columns}
            rows={data}
            keyOf={({ method, transactionId }) => `${method} ${transactionId}`}
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
  { header: 'Network', cell: ({ method }) => paymentMethods[method].label },
  {
    header: 'Transaction',
    cell: ({ transactionId }) => <span className="wrap-anywhere">{transactionId}</span>,
  },
  {
    header: 'Signed by',
    cell: ({ sender }) => (sender === null ? 'Our Bitcoin key' : <GroupedAddress address={sender} />),
  },
  { header: 'Seen', cell: ({ seenAt }) => <When at={seenAt} /> },
  { header: 'In a block', cell: ({ mined }) => (mined ? 'Yes' : 'Not yet') },
  { header: 'Action', cell: row => <Actions actions={[explain(row)]} none={null} /> },
]

function explain({ method, transactionId }: Outgoing): Action {
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
          ['Network', paymentMethods[method].label],
          [
            'Transaction',
            <span key="id" className="wrap-anywhere">
              {transactionId}
            </span>,
          ],
        ]}
        confirm="Record"
        input={reason => ({ body: { method, transactionId, reason } })}
        onClose={close}
      />
    ),
  }
}
