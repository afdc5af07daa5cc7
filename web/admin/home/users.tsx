import { listUsers } from '#shared/contract/accounts.ts'
import type { CallData } from '#shared/contract/define.ts'
import { addEarning } from '#shared/contract/earnings.ts'
import { Actions } from '#web/admin/acts/actions.tsx'
import { AddEarnings } from '#web/admin/acts/add-earnings.tsx'
import { ListSection } from '#web/admin/list-section.tsx'
import { PersonLink } from '#web/admin/person.tsx'
import { Usd } from '#web/components/amounts.tsx'
import type { Column } from '#web/ui/table.tsx'

type ListedUser = CallData<typeof listUsers>[number]

const types = [
  ['investor', 'Investors'],
  ['admin', 'Admins'],
] as const

const columns: readonly Column<ListedUser>[] = [
  { header: 'Name', cell: user => <PersonLink id={user._id} name={user.name} /> },
  { header: 'Email', cell: user => <Email address={user.email} /> },
  { header: 'Country', cell: user => <span className="block min-[44rem]:min-w-18">{user.country}</span> },
  { header: 'Referrer', cell: user => user.referrer ?? '—' },
  { header: 'Referral code', cell: user => <span className="whitespace-nowrap">{user.referralCode}</span> },
  { header: 'Balance', cell: user => <Usd value={user.balance} />, numeric: true },
  { header: 'Phone', cell: user => <span className="whitespace-nowrap">{user.phone}</span> },
  { header: 'Action', cell: user => <UserActions user={user} /> },
]

/** Breaks before the @ where it does not fit into one line. */
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

/** Earnings can be added only for a user with an active investment (N-09). */
function UserActions({ user }: { user: ListedUser }) {
  return (
    <Actions
      actions={[
        {
          label: 'Add earnings',
          call: addEarning,
          of: `for ${user.name}`,
          blocked: user.activeInvestments === 0 ? 'No active investment' : undefined,
          dialog: close => <AddEarnings user={user} onClose={close} />,
        },
      ]}
    />
  )
}

/** Users (N-02). */
export function UsersSection() {
  return (
    <ListSection
      call={listUsers}
      title="Users"
      name="users"
      columns={columns}
      keyOf={user => user._id}
      statuses={types}
      all="All users"
      empty="No user yet"
      wide
    />
  )
}
