import { Link } from 'react-router'
import { listPayouts, newPayout, type PayoutBatch } from '#shared/contract/payouts.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { mayCall } from '#web/admin/rights.ts'
import { ListBody, pageSize } from '#web/admin/tables/list-body.tsx'
import { useListFilter } from '#web/admin/tables/list-filter.ts'
import { ListTools } from '#web/admin/tables/list-tools.tsx'
import { RecordCell } from '#web/admin/tables/record-cell.tsx'
import { useList } from '#web/api/list.ts'
import { Usd } from '#web/components/amounts.tsx'
import { When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { pageMeta } from '#web/meta.ts'
import { PageHead, Section } from '#web/ui/section.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { CreatePayout } from './create.tsx'
import { OutgoingSection } from './outgoing.tsx'
import { CoinText, PayoutStatus } from './parts.tsx'
import { SweepSection } from './sweeps.tsx'

export const meta = pageMeta(msg('Payouts'))

const statuses = () =>
  [
    ['drafted', t('To sign')],
    ['signed', t('Signed')],
    ['broadcast', t('On the network')],
    ['final', t('Paid')],
    ['void', t('Not paid')],
    ['faulty', t('To review')],
  ] as const

/** Payout batches: created here, signed by a wallet elsewhere, recognised on the chain. */
export default function PayoutsPage() {
  return (
    <>
      <PageHead
        title={t('Payouts')}
        lead={t(
          'Group approved withdrawals into one unsigned file. Sign it with your wallet and add the signed file; we broadcast it and mark them as paid.',
        )}
      />
      <div className="grid grid-cols-1 gap-12">
        {mayCall(newPayout) && (
          <Section title={t('Create a batch')} anchor="make">
            <CreatePayout />
          </Section>
        )}
        <OutgoingSection />
        {mayCall(newPayout) && <SweepSection />}
        <Batches />
      </div>
    </>
  )
}

const columns: readonly Column<PayoutBatch>[] = [
  {
    header: msg('Batch'),
    cell: batch => (
      <RecordCell note={<When at={batch.createdAt} />}>
        <Link className="prose-link" to={consolePaths.payout(batch._id)}>
          {batch.number}
        </Link>
      </RecordCell>
    ),
  },
  { header: msg('Coin'), cell: ({ wallet }) => wallet },
  { header: msg('Status'), cell: batch => <PayoutStatus batch={batch} /> },
  { header: msg('Pays'), cell: paysWords },
  {
    header: msg('Amount'),
    cell: ({ amount }) => (amount === null ? '—' : <Usd value={amount} />),
    numeric: true,
  },
  { header: msg('Amount in coin'), cell: batch => <CoinText of={batch} />, numeric: true },
  { header: msg('Created by'), cell: ({ createdBy }) => createdBy.name },
]

function paysWords({ purpose, count, paid }: PayoutBatch): string {
  return purpose === 'payout'
    ? t('Withdrawals: {paid, number} of {count, number} paid', { paid, count })
    : t('Deposits: {moved, number} of {count, number} addresses moved', { moved: paid, count })
}

function Batches() {
  const filter = useListFilter({ statuses: statuses() }, 'payouts')
  const list = useList(listPayouts, { ...filter.query, limit: pageSize })
  return (
    <Section
      title={t('Batches')}
      anchor="payouts"
      aside={<ListTools of={t('payouts')} filter={filter} statuses={statuses()} />}
    >
      <ListBody of={t('payouts')} list={list} filter={filter} empty={t('No payout batches yet')}>
        {rows => (
          <Table
            wide
            caption={t('Payout batches, the newest first')}
            columns={columns}
            rows={rows}
            keyOf={({ _id }) => _id}
          />
        )}
      </ListBody>
    </Section>
  )
}
