import { Link } from 'react-router'
import { listPayouts, newPayout, type PayoutBatch } from '#shared/contract/payouts.ts'
import { useList } from '#web/api/read.ts'
import { Usd } from '#web/components/amounts.tsx'
import { When } from '#web/components/when.tsx'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { PageHead, Section } from '#web/ui/section.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { ListBody, pageSize } from './list-body.tsx'
import { useListFilter } from './list-filter.ts'
import { ListTools } from './list-tools.tsx'
import { MakePayout } from './payouts/make.tsx'
import { CoinText, PayoutStatus } from './payouts/parts.tsx'
import { RecordCell } from './record-cell.tsx'
import { mayCall } from './rights.ts'

export const meta = pageMeta('Payouts')

const statuses = [
  ['open', 'Open'],
  ['seen', 'On the network'],
  ['paid', 'Paid'],
  ['cancelled', 'Cancelled'],
  ['faulty', 'To look at'],
] as const

/** Payout batches: made here, signed by a wallet elsewhere, recognised on the chain. */
export default function PayoutsPage() {
  return (
    <>
      <PageHead
        title="Payouts"
        lead="Approved withdrawals of one coin go into one unsigned file. A hardware or offline wallet signs and sends it; the withdrawals are then marked as paid by themselves."
      />
      <div className="grid grid-cols-1 gap-12">
        {mayCall(newPayout) && (
          <Section title="Make a batch" anchor="make">
            <MakePayout />
          </Section>
        )}
        <Batches />
      </div>
    </>
  )
}

const columns: readonly Column<PayoutBatch>[] = [
  {
    header: 'Batch',
    cell: batch => (
      <RecordCell note={<When at={batch.createdAt} />}>
        <Link className="prose-link" to={paths.admin.payout(batch._id)}>
          {batch.number}
        </Link>
      </RecordCell>
    ),
  },
  { header: 'Coin', cell: ({ wallet }) => wallet },
  { header: 'Status', cell: batch => <PayoutStatus batch={batch} /> },
  { header: 'Withdrawals', cell: ({ count, paid }) => `${paid} of ${count} paid`, numeric: true },
  { header: 'Amount', cell: ({ amount }) => <Usd value={amount} />, numeric: true },
  { header: 'In the coin', cell: batch => <CoinText of={batch} />, numeric: true },
  { header: 'Held by', cell: ({ assignee }) => assignee.name },
]

function Batches() {
  const filter = useListFilter({ statuses }, 'payouts')
  const list = useList(listPayouts, { ...filter.query, limit: pageSize })
  return (
    <Section
      title="Batches"
      anchor="payouts"
      aside={<ListTools of="payouts" filter={filter} statuses={statuses} />}
    >
      <ListBody of="payouts" list={list} filter={filter} empty="No payout batch made yet">
        {rows => (
          <Table
            wide
            caption="Payout batches, the newest first"
            columns={columns}
            rows={rows}
            keyOf={({ _id }) => _id}
          />
        )}
      </ListBody>
    </Section>
  )
}
