import type { DepositMethod } from '#shared/coins.ts'
import {
  approveDeposits,
  creditDeposits,
  declineDeposits,
  depositsCsv,
  listDeposits,
} from '#shared/contract/deposits.ts'
import type { Deposit } from '#shared/contract/entities.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { Actions } from '#web/admin/actions/actions.tsx'
import type { Bulk } from '#web/admin/bulk/bulk.tsx'
import type { ListColumn } from '#web/admin/tables/columns.ts'
import { ListPage, ListSection, type PagedList } from '#web/admin/tables/list-section.tsx'
import { AmountCell, RecordCell } from '#web/admin/tables/record-cell.tsx'
import { byAmount, byTime, byWords, type FilterSet } from '#web/admin/tables/sorts.ts'
import { OwnerLink } from '#web/admin/users/person.tsx'
import { Usd } from '#web/components/amounts.tsx'
import { Coin } from '#web/components/crypto.tsx'
import { GroupedAddress } from '#web/components/grouped-address.tsx'
import { methodLabel } from '#web/components/methods.ts'
import { DepositStanding } from '#web/components/statuses.tsx'
import { When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { useSite } from '#web/frame.ts'
import { inLocalTime } from '#web/local-time.ts'
import { pageMeta } from '#web/meta.ts'
import { tr } from '#web/tr.ts'
import { coinsOf, creditMoves, depositActions, isCreditable } from './actions.tsx'
import { DepositFlagBadge, deviationWords } from './flags.tsx'

export const meta = pageMeta(msg('Deposits'))

const statuses = () =>
  [
    ['pending', t('Pending')],
    ['paid', t('Paid')],
    ['unpaid', t('Unpaid')],
    ['declined', t('Declined')],
    ['cancelled', t('Cancelled by the investor')],
    ['differing', t('To review')],
  ] as const

const filtersOf = (methods: readonly DepositMethod[]): FilterSet => ({
  fields: [
    { kind: 'period', label: t('Requested') },
    { kind: 'amount', label: t('Amount') },
    {
      kind: 'choice',
      part: 'method',
      label: t('Payment method'),
      all: t('All methods'),
      options: methods.map(method => [method, methodLabel(method)]),
    },
  ],
  sorts: [
    byTime('created', t('Requested')),
    byAmount('amount', t('Amount')),
    byWords('status', t('Status')),
    byWords('method', t('Payment method')),
  ],
})

const columns: readonly ListColumn<Deposit>[] = [
  {
    key: 'amount',
    header: msg('Amount'),
    sort: { key: 'amount', descendingFirst: true },
    cell: deposit => <AmountCell record={deposit} to={consolePaths.deposit(deposit._id)} />,
  },
  {
    key: 'paymentMethod',
    header: msg('Payment method'),
    sort: { key: 'method' },
    cell: deposit => methodLabel(deposit.method),
  },
  {
    key: 'status',
    header: msg('Status'),
    sort: { key: 'status' },
    cell: deposit => <StatusCell deposit={deposit} />,
  },
  { key: 'user', header: msg('User'), cell: deposit => <OwnerLink row={deposit} /> },
  {
    key: 'requested',
    header: msg('Requested'),
    extra: true,
    sort: { key: 'created', descendingFirst: true },
    cell: deposit => <When at={deposit.createdAt} />,
  },
  {
    key: 'amountRequested',
    header: msg('Amount requested'),
    extra: true,
    cell: ({ method, payment }) => <Coin method={method} payment={payment} />,
  },
  {
    key: 'paymentAddress',
    header: msg('Payment address'),
    extra: true,
    cell: deposit => <GroupedAddress address={deposit.payment.address} />,
  },
  { key: 'state', header: msg('State'), extra: true, cell: deposit => inLocalTime(deposit.label) },
  {
    key: 'settled',
    header: msg('Settled'),
    extra: true,
    cell: ({ settledAt }) => (settledAt === null ? '—' : <When at={settledAt} />),
  },
  { key: 'action', header: msg('Action'), cell: deposit => <Actions actions={depositActions(deposit)} /> },
]

/** The status with the credit of a deviating payment, its confirmations and its flags. */
function StatusCell({ deposit }: { deposit: Deposit }) {
  const { deviation, credited, confirmations, flags, needsReview } = deposit
  return (
    <RecordCell
      note={
        deviation !== null && credited !== null
          ? tr('{deviation}: {amount} credited', {
              deviation: translate(deviationWords[deviation]),
              amount: <Usd value={credited} />,
            })
          : deposit.stage === 'confirming' &&
            confirmations &&
            t('{have} of {needed} confirmations', confirmations)
      }
    >
      <span className="flex flex-wrap justify-end gap-2 min-[44rem]:justify-start">
        <DepositStanding deposit={deposit} />
        {needsReview && flags.map(flag => <DepositFlagBadge key={flag} flag={flag} />)}
      </span>
    </RecordCell>
  )
}

const pending = { isOpen: ({ status }: Deposit) => status === 'pending', allWith: ['pending'] as const }

const bulk: Bulk<Deposit> = {
  nameOf: ({ invoiceId }) => invoiceId,
  actions: [
    {
      verb: 'Approve',
      call: approveDeposits,
      note: msg('Approve only deposits whose payment arrived exactly as requested.'),
      moves: ({ investment }) =>
        investment === null ? t('To the available balance') : t('Kept for the investment'),
      ...pending,
    },
    {
      verb: 'Decline',
      call: declineDeposits,
      needsReason: true,
      note: msg(
        'Decline only those whose payment has not arrived. A payment that the network has shown is still credited, after a review if it is large.',
      ),
      moves: () => t('Not credited'),
      ...pending,
    },
    {
      verb: 'Credit',
      call: creditDeposits,
      isOpen: isCreditable,
      allWith: ['pending', 'differing'],
      which: 'creditable',
      recordOf: ({ seen }) => ({ seen }),
      note: msg(
        'What the network shows is credited at the locked rate, or at the rate of its arrival if late. A node can be faulty: compare large payments with an independent explorer first. We stop waiting for the rest of an underpaid one, and an investment that it does not cover is declined.',
      ),
      moves: creditMoves,
      total: msg('Total requested'),
      detail: deposit => (
        <span className="flex flex-wrap items-center gap-2">
          <span>{tr('{coins} received', { coins: <bdi>{coinsOf(deposit, deposit.seen)}</bdi> })}</span>
          {deposit.flags.map(flag => (
            <DepositFlagBadge key={flag} flag={flag} />
          ))}
        </span>
      ),
    },
  ],
}

/** Deposits (N-06). */
function useDeposits(): PagedList<typeof listDeposits> {
  const { depositMethods } = useSite()
  return {
    call: listDeposits,
    file: depositsCsv,
    title: t('Deposits'),
    name: 'deposits',
    columns,
    keyOf: deposit => deposit._id,
    statuses: statuses(),
    ...filtersOf(depositMethods),
    bulk,
    empty: t('No deposits made yet'),
  }
}

export function DepositsSection() {
  return <ListSection {...useDeposits()} path={consolePaths.deposits} />
}

export default function DepositsPage() {
  return <ListPage {...useDeposits()} purpose={t('Payments from investors, requested and received.')} />
}
