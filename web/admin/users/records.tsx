import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { PayoutAddress } from '#shared/contract/addresses.ts'
import {
  listUserAddresses,
  listUserDeposits,
  listUserEarnings,
  listUserInvestments,
  listUserReferrals,
  listUserWithdrawals,
} from '#shared/contract/console.ts'
import type { CallData, CallDefinition } from '#shared/contract/define.ts'
import type { Deposit, Earning, Investment, Withdrawal } from '#shared/contract/entities.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { Actions } from '#web/admin/actions/actions.tsx'
import { depositActions } from '#web/admin/deposits/actions.tsx'
import { earningActions } from '#web/admin/earnings/actions.tsx'
import { investmentActions } from '#web/admin/investments/actions.tsx'
import { ListBody, pageSize } from '#web/admin/tables/list-body.tsx'
import { RecordCell } from '#web/admin/tables/record-cell.tsx'
import { wholeList } from '#web/admin/tables/whole-list.ts'
import { withdrawalActions } from '#web/admin/withdrawals/actions.tsx'
import { useList } from '#web/api/list.ts'
import { Usd } from '#web/components/amounts.tsx'
import { methodLabel } from '#web/components/methods.ts'
import {
  DepositStanding,
  EarningStatus,
  InvestmentStatus,
  WithdrawalStatus,
} from '#web/components/statuses.tsx'
import { When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { Section } from '#web/ui/section.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { PersonLink } from './person.tsx'

/** An account's records, with links and actions. */

type ListCall = CallDefinition & { list: true }
type RowOf<C extends ListCall> = CallData<C> extends (infer Row)[] ? Row : never

type UserListProps<C extends ListCall> = {
  call: C
  id: string
  title: string
  /** 'deposits', of the section's place in the page. */
  anchor: string
  /** The same in the reader's language. */
  of: string
  columns: readonly Column<RowOf<C>>[]
  empty: string
}

function UserList<C extends ListCall>({ call, id, title, anchor, of, columns, empty }: UserListProps<C>) {
  const list = useList(call, { user: id, limit: pageSize })
  return (
    <Section title={title} anchor={anchor} className="outline-none lg:col-span-2">
      <ListBody of={of} list={list} filter={wholeList} empty={empty}>
        {rows => (
          <Table
            caption={t('{records} of this account, newest first', { records: title })}
            columns={columns}
            rows={rows}
            keyOf={row => (row as { _id: string })._id}
          />
        )}
      </ListBody>
    </Section>
  )
}

function NumberLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link className="prose-link whitespace-nowrap" to={to}>
      {children}
    </Link>
  )
}

const deposits: readonly Column<Deposit>[] = [
  {
    header: msg('Deposit'),
    cell: row => <NumberLink to={consolePaths.deposit(row._id)}>{row.invoiceId}</NumberLink>,
  },
  { header: msg('Requested'), cell: row => <When at={row.createdAt} /> },
  { header: msg('Payment method'), cell: row => methodLabel(row.method) },
  { header: msg('Status'), cell: row => <DepositStanding deposit={row} /> },
  { header: msg('Amount'), cell: row => <Usd value={row.amount} />, numeric: true },
  { header: msg('Action'), cell: row => <Actions actions={depositActions(row)} /> },
]

export function Deposits({ id }: { id: string }) {
  return (
    <UserList
      call={listUserDeposits}
      id={id}
      title={t('Deposits')}
      anchor="deposits"
      of={t('deposits')}
      columns={deposits}
      empty={t('No deposits made yet')}
    />
  )
}

const investments: readonly Column<Investment>[] = [
  {
    header: msg('Investment'),
    cell: row => (
      <RecordCell note={row.plan}>
        <NumberLink to={consolePaths.investment(row._id)}>{row.invoiceId}</NumberLink>
      </RecordCell>
    ),
  },
  { header: msg('Requested'), cell: row => <When at={row.createdAt} /> },
  { header: msg('Ending date'), cell: row => (row.endingDate ? <When at={row.endingDate} date /> : '—') },
  { header: msg('Status'), cell: row => <InvestmentStatus investment={row} /> },
  { header: msg('Amount'), cell: row => <Usd value={row.amount} />, numeric: true },
  { header: msg('Action'), cell: row => <Actions actions={investmentActions(row)} /> },
]

export function Investments({ id }: { id: string }) {
  return (
    <UserList
      call={listUserInvestments}
      id={id}
      title={t('Investments')}
      anchor="investments"
      of={t('investments')}
      columns={investments}
      empty={t('No investments made yet')}
    />
  )
}

const withdrawals: readonly Column<Withdrawal>[] = [
  {
    header: msg('Withdrawal'),
    cell: row => <NumberLink to={consolePaths.withdrawal(row._id)}>{row.invoiceId}</NumberLink>,
  },
  { header: msg('Requested'), cell: row => <When at={row.createdAt} /> },
  { header: msg('Wallet'), cell: row => <RecordCell note={row.walletAddress}>{row.wallet}</RecordCell> },
  { header: msg('Status'), cell: row => <WithdrawalStatus withdrawal={row} /> },
  { header: msg('Amount'), cell: row => <Usd value={row.amount} />, numeric: true },
  { header: msg('Action'), cell: row => <Actions actions={withdrawalActions(row)} /> },
]

export function Withdrawals({ id }: { id: string }) {
  return (
    <UserList
      call={listUserWithdrawals}
      id={id}
      title={t('Withdrawals')}
      anchor="withdrawals"
      of={t('withdrawals')}
      columns={withdrawals}
      empty={t('No withdrawals made yet')}
    />
  )
}

const earnings: readonly Column<Earning>[] = [
  { header: msg('Added'), cell: row => <When at={row.createdAt} /> },
  {
    header: msg('Investment'),
    cell: ({ investment, investmentLabel, source }) => (
      <RecordCell note={source}>
        {investment ? (
          <Link className="prose-link" to={consolePaths.investment(investment)}>
            {investmentLabel ?? investment}
          </Link>
        ) : (
          '—'
        )}
      </RecordCell>
    ),
  },
  { header: msg('Status'), cell: row => <EarningStatus earning={row} /> },
  { header: msg('Amount'), cell: row => <Usd value={row.amount} />, numeric: true },
  { header: msg('Action'), cell: row => <Actions actions={earningActions(row)} /> },
]

export function Earnings({ id }: { id: string }) {
  return (
    <UserList
      call={listUserEarnings}
      id={id}
      title={t('Earnings')}
      anchor="earnings"
      of={t('earnings')}
      columns={earnings}
      empty={t('No earnings made yet')}
    />
  )
}

const addresses: readonly Column<PayoutAddress>[] = [
  { header: msg('Wallet'), cell: row => <RecordCell note={row.label}>{row.wallet}</RecordCell> },
  { header: msg('Address'), cell: row => <bdi className="wrap-anywhere text-sm">{row.address}</bdi> },
  { header: msg('Added'), cell: row => <When at={row.createdAt} /> },
  { header: msg('Usable from'), cell: row => (row.usableFrom ? <When at={row.usableFrom} /> : t('Now')) },
  {
    header: msg('First used'),
    cell: row => (row.firstUsedAt ? <When at={row.firstUsedAt} /> : t('Never', {}, 'used')),
  },
]

export function Addresses({ id }: { id: string }) {
  return (
    <UserList
      call={listUserAddresses}
      id={id}
      title={t('Address book')}
      anchor="addresses"
      of={t('addresses')}
      columns={addresses}
      empty={t('No saved addresses yet')}
    />
  )
}

const referrals: readonly Column<CallData<typeof listUserReferrals>[number]>[] = [
  { header: msg('Name'), cell: row => <PersonLink id={row._id} name={row.name} /> },
  { header: msg('Email'), cell: row => row.email },
  { header: msg('Account opened'), cell: row => <When at={row.createdAt} /> },
]

export function Referrals({ id }: { id: string }) {
  return (
    <UserList
      call={listUserReferrals}
      id={id}
      title={t('Referrals')}
      anchor="referrals"
      of={t('referrals')}
      columns={referrals}
      empty={t('No one has registered with this referral code yet')}
    />
  )
}
