import { listUsers, usersCsv } from '#shared/contract/accounts.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { userStatuses } from '#shared/contract/entities.ts'
import { localCountries, localCountry } from '#shared/countries.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { Actions } from '#web/admin/actions/actions.tsx'
import { addEarningsAction } from '#web/admin/earnings/add-earnings.tsx'
import type { ListColumn } from '#web/admin/tables/columns.ts'
import { ListPage, ListSection, type PagedList } from '#web/admin/tables/list-section.tsx'
import { byAmount, byTime, byWords, type FilterSet } from '#web/admin/tables/sorts.ts'
import { Usd } from '#web/components/amounts.tsx'
import { When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { pageMeta } from '#web/meta.ts'
import { PersonLink } from './person.tsx'

export const meta = pageMeta(msg('Users'))

type ListedUser = CallData<typeof listUsers>[number]

const statuses = () =>
  [
    ['investor', t('Investors')],
    ['admin', t('Admins')],
    ['unverified', t('Email not verified')],
    ['frozen', t('Frozen')],
    ['closed', t('Closed')],
  ] as const satisfies readonly (readonly [(typeof userStatuses)[number], string])[]

const filters = (): FilterSet => ({
  fields: [
    { kind: 'period', label: t('Registered') },
    {
      kind: 'choice',
      part: 'country',
      label: t('Country'),
      all: t('All countries'),
      options: localCountries().map(({ name, words }) => [name, words]),
    },
  ],
  sorts: [
    byTime('created', t('Registered')),
    byWords('name', t('Name')),
    byWords('email', t('Email')),
    byWords('country', t('Country')),
    byAmount('balance', t('Balance')),
  ],
})

const columns: readonly ListColumn<ListedUser>[] = [
  {
    key: 'name',
    header: msg('Name'),
    sort: { key: 'name' },
    cell: user => <PersonLink id={user._id} name={user.name} />,
  },
  {
    key: 'email',
    header: msg('Email'),
    sort: { key: 'email' },
    cell: user => <Email address={user.email} />,
  },
  {
    key: 'country',
    header: msg('Country'),
    sort: { key: 'country' },
    cell: user => (
      <span className="block wrap-break-word min-[44rem]:min-w-18">{localCountry(user.country)}</span>
    ),
  },
  { key: 'referrer', header: msg('Referrer'), cell: user => <bdi>{user.referrer ?? '—'}</bdi> },
  {
    key: 'referralCode',
    header: msg('Referral code'),
    cell: user => <span className="whitespace-nowrap">{user.referralCode}</span>,
  },
  {
    key: 'balance',
    header: msg('Balance'),
    numeric: true,
    sort: { key: 'balance', descendingFirst: true },
    cell: user => <Usd value={user.balance} />,
  },
  { key: 'phone', header: msg('Phone'), cell: user => <bdi className="whitespace-nowrap">{user.phone}</bdi> },
  {
    key: 'onHold',
    header: msg('On hold'),
    extra: true,
    numeric: true,
    cell: user => <Usd value={user.held} />,
  },
  {
    key: 'inPlans',
    header: msg('In plans'),
    extra: true,
    numeric: true,
    cell: user => <Usd value={user.invested} />,
  },
  {
    key: 'registered',
    header: msg('Registered'),
    extra: true,
    sort: { key: 'created', descendingFirst: true },
    cell: user => <When at={user.createdAt} />,
  },
  {
    key: 'emailVerified',
    header: msg('Email verified'),
    extra: true,
    cell: user => (user.emailVerified ? t('Yes') : t('No')),
  },
  { key: 'action', header: msg('Action'), cell: user => <Actions actions={[addEarningsAction(user)]} /> },
]

/** Allows a line break before the @. */
function Email({ address }: { address: string }) {
  const at = address.lastIndexOf('@')
  return (
    <span className="block min-[44rem]:min-w-36">
      {address.slice(0, at)}
      <wbr />
      {address.slice(at)}
    </span>
  )
}

/** Users (N-02). */
const users = (): PagedList<typeof listUsers> => ({
  call: listUsers,
  file: usersCsv,
  title: t('Users'),
  name: 'users',
  columns,
  keyOf: user => user._id,
  statuses: statuses(),
  ...filters(),
  all: t('All users'),
  empty: t('No user yet'),
  wide: true,
})

export function UsersSection() {
  return <ListSection {...users()} path={consolePaths.users} />
}

export default function UsersPage() {
  return <ListPage {...users()} purpose={t('Everyone with an account, investors and staff.')} />
}
