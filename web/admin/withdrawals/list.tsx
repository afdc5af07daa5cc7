import type { WithdrawalWallet } from '#shared/coins.ts'
import type { Withdrawal } from '#shared/contract/entities.ts'
import {
  approveWithdrawals,
  declineWithdrawals,
  listWithdrawals,
  payWithdrawals,
  withdrawalsCsv,
} from '#shared/contract/withdrawals.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { transactionIdError } from '#shared/transactions.ts'
import { Actions } from '#web/admin/actions/actions.tsx'
import type { Bulk } from '#web/admin/bulk/bulk.tsx'
import type { ListColumn } from '#web/admin/tables/columns.ts'
import { ListPage, ListSection, type PagedList } from '#web/admin/tables/list-section.tsx'
import { AmountCell, RecordCell } from '#web/admin/tables/record-cell.tsx'
import { byAmount, byTime, byWords, type FilterSet } from '#web/admin/tables/sorts.ts'
import { OwnerLink } from '#web/admin/users/person.tsx'
import { GroupedAddress } from '#web/components/grouped-address.tsx'
import { WithdrawalStatus } from '#web/components/statuses.tsx'
import { When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { useSite } from '#web/frame.ts'
import { pageMeta } from '#web/meta.ts'
import { approvalsWords, withdrawalActions } from './actions.tsx'

export const meta = pageMeta(msg('Withdrawals'))

const statuses = () =>
  [
    ['pending', t('Pending')],
    ['approved', t('Approved')],
    ['paid', t('Paid')],
    ['declined', t('Declined')],
    ['cancelled', t('Cancelled by the investor')],
  ] as const

const filtersOf = (wallets: readonly WithdrawalWallet[]): FilterSet => ({
  fields: [
    { kind: 'period', label: t('Requested') },
    { kind: 'amount', label: t('Amount') },
    {
      kind: 'choice',
      part: 'wallet',
      label: t('Wallet'),
      all: t('All wallets'),
      options: wallets.map(wallet => [wallet, wallet]),
    },
  ],
  sorts: [
    byTime('created', t('Requested')),
    byAmount('amount', t('Amount')),
    byWords('status', t('Status')),
    byWords('wallet', t('Wallet')),
  ],
})

const columns: readonly ListColumn<Withdrawal>[] = [
  {
    key: 'amount',
    header: msg('Amount'),
    sort: { key: 'amount', descendingFirst: true },
    cell: withdrawal => <AmountCell record={withdrawal} to={consolePaths.withdrawal(withdrawal._id)} />,
  },
  { key: 'user', header: msg('User'), cell: withdrawal => <OwnerLink row={withdrawal} /> },
  {
    key: 'status',
    header: msg('Status'),
    sort: { key: 'status' },
    cell: withdrawal => <StatusCell withdrawal={withdrawal} />,
  },
  {
    key: 'wallet',
    header: msg('Wallet'),
    sort: { key: 'wallet' },
    cell: withdrawal => <span className="whitespace-nowrap">{withdrawal.wallet}</span>,
  },
  {
    key: 'walletAddress',
    header: msg('Wallet address'),
    cell: withdrawal => (
      <bdi dir="ltr" className="text-sm">
        {withdrawal.walletAddress}
      </bdi>
    ),
  },
  {
    key: 'requested',
    header: msg('Requested'),
    extra: true,
    sort: { key: 'created', descendingFirst: true },
    cell: withdrawal => <When at={withdrawal.createdAt} />,
  },
  {
    key: 'paid',
    header: msg('Paid'),
    extra: true,
    cell: ({ paidAt }) => (paidAt === null ? '—' : <When at={paidAt} />),
  },
  {
    key: 'transactionId',
    header: msg('Transaction id'),
    extra: true,
    cell: ({ transactionId }) => (
      <bdi dir="ltr" className="text-sm">
        {transactionId ?? '—'}
      </bdi>
    ),
  },
  {
    key: 'declineReason',
    header: msg('Decline reason'),
    extra: true,
    cell: ({ declineReason, cancelled }) =>
      cancelled ? t('Cancelled by the investor') : <bdi>{declineReason ?? '—'}</bdi>,
  },
  {
    key: 'action',
    header: msg('Action'),
    cell: withdrawal => <Actions actions={withdrawalActions(withdrawal)} />,
  },
]

const detail = ({ wallet, walletAddress }: Withdrawal) => (
  <>
    {wallet}: <GroupedAddress address={walletAddress} />
  </>
)

const pending = {
  isOpen: ({ status }: Withdrawal) => status === 'pending',
  allWith: ['pending'] as const,
  detail,
}

const bulk: Bulk<Withdrawal> = {
  nameOf: ({ invoiceId }) => invoiceId,
  actions: [
    {
      verb: 'Approve',
      call: approveWithdrawals,
      moves: ({ approvals, approvalsNeeded }) =>
        approvalsNeeded - approvals > 1
          ? t('On hold until a second person approves')
          : t('To be paid from hold'),
      ...pending,
    },
    {
      verb: 'Decline',
      call: declineWithdrawals,
      needsReason: true,
      note: msg('This releases each hold, which first repays any debt from reversed deposits.'),
      moves: () => t('Back to the available balance'),
      ...pending,
    },
    {
      verb: 'Mark paid',
      call: payWithdrawals,
      // An open batch may still pay it.
      isOpen: ({ status, batch }) => status === 'approved' && !batch?.exclusive,
      allWith: ['approved'],
      own: {
        field: 'transactionId',
        hint: msg(
          'One line for each: its number, then the id of the transaction that paid it. Write “all” in place of a number if one transaction paid the rest. You can paste two columns of a spreadsheet.',
        ),
        errorOf: ({ wallet }, id) => transactionIdError(wallet, id),
      },
      note: msg(
        'Send the coins first. The investors see the transaction ids. Nobody marks as paid what they approved; if the investor has a debt, mark it as paid on its own page.',
      ),
      moves: () => t('Paid from hold'),
      detail,
    },
  ],
}

function StatusCell({ withdrawal }: { withdrawal: Withdrawal }) {
  return (
    <RecordCell note={withdrawal.batch?.number ?? approvalsWords(withdrawal)}>
      <WithdrawalStatus withdrawal={withdrawal} />
    </RecordCell>
  )
}

/** Withdrawals (N-03). */
function useWithdrawals(): PagedList<typeof listWithdrawals> {
  const { withdrawalWallets } = useSite()
  return {
    call: listWithdrawals,
    file: withdrawalsCsv,
    title: t('Withdrawals'),
    name: 'withdrawals',
    columns,
    keyOf: withdrawal => withdrawal._id,
    statuses: statuses(),
    ...filtersOf(withdrawalWallets),
    bulk,
    empty: t('No withdrawals made yet'),
    wide: true,
  }
}

export function WithdrawalsSection() {
  return <ListSection {...useWithdrawals()} path={consolePaths.withdrawals} />
}

export default function WithdrawalsPage() {
  return (
    <ListPage {...useWithdrawals()} purpose={t('What investors asked us to pay out to their wallets.')} />
  )
}
