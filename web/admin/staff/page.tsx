import { useState } from 'react'
import { me } from '#shared/contract/accounts.ts'
import { getSettings } from '#shared/contract/settings.ts'
import { type Invitation, listInvitations, listStaff, type StaffMember } from '#shared/contract/staff.ts'
import { roleNames, roles } from '#shared/roles.ts'
import { Actions } from '#web/admin/actions/actions.tsx'
import { ProposalsSection, useTooFewAdmins } from '#web/admin/proposals/list.tsx'
import { ListBody, pageSize } from '#web/admin/tables/list-body.tsx'
import { useListFilter } from '#web/admin/tables/list-filter.ts'
import { ListTools } from '#web/admin/tables/list-tools.tsx'
import { RecordCell } from '#web/admin/tables/record-cell.tsx'
import { nameRoom } from '#web/admin/users/person.tsx'
import { useList } from '#web/api/list.ts'
import { useRead } from '#web/api/read.ts'
import { When } from '#web/components/when.tsx'
import { pageMeta } from '#web/meta.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { InviteDialog, invitationActions, memberActions, ResetDialog } from './actions.tsx'
import { TooFew } from './too-few.tsx'

export const meta = pageMeta('Staff')

/** Staff and their roles. */
export default function StaffPage() {
  const { data: settings } = useRead(getSettings, {})
  const [open, setOpen] = useState<'invite' | 'reset'>()
  const admins = settings?.admins ?? 0
  const tooFew = useTooFewAdmins()
  const close = () => setOpen(undefined)
  return (
    <>
      <PageHead
        title="Staff"
        lead="Team members and roles. Granting Finance or Admin needs a second admin’s approval."
        aside={
          <Button disabled={!settings} onClick={() => setOpen('invite')}>
            Invite a team member
          </Button>
        }
      />
      <div className="grid grid-cols-1 gap-12">
        <TooFew />
        <Members admins={admins} />
        <Invitations />
        <Section
          title="Lost two-factor access"
          aside={
            <Button
              tone="quiet"
              size="sm"
              disabled={tooFew !== undefined}
              title={tooFew}
              onClick={() => setOpen('reset')}
            >
              Reset two-factor access
            </Button>
          }
        >
          <p className="max-w-2xl text-ink-soft">
            Help someone who lost their authenticator app and recovery codes, or all passkeys. One admin
            proposes the reset, another approves it.
          </p>
        </Section>
        <ProposalsSection kind="staff" />
      </div>
      {open === 'invite' && <InviteDialog admins={admins} onClose={close} />}
      {open === 'reset' && <ResetDialog onClose={close} />}
    </>
  )
}

const roleOptions = roles.map(role => [role, roleNames[role]] as const)

function columnsFor(ownId: string | undefined, admins: number): readonly Column<StaffMember>[] {
  return [
    {
      header: 'Name',
      cell: member => (
        <RecordCell note={member.email}>
          <span dir="auto" className={nameRoom}>
            {member.name}
          </span>
        </RecordCell>
      ),
    },
    { header: 'Role', cell: member => <RoleCell member={member} /> },
    {
      header: 'Two-factor',
      cell: ({ secondFactor }) => (
        <Badge tone={secondFactor ? 'good' : 'wait'}>{secondFactor ? 'On' : 'Off'}</Badge>
      ),
    },
    {
      header: 'Last login',
      cell: ({ lastLoginAt }) => (lastLoginAt === null ? 'Never' : <When at={lastLoginAt} />),
    },
    { header: 'Action', cell: member => <Actions actions={memberActions(member, ownId, admins)} /> },
  ]
}

function RoleCell({ member: { role, accessEndedAt } }: { member: StaffMember }) {
  if (accessEndedAt === null) return roleNames[role]
  return (
    <RecordCell
      note={
        <>
          Access ended <When at={accessEndedAt} />
        </>
      }
    >
      {roleNames[role]}
    </RecordCell>
  )
}

function Members({ admins }: { admins: number }) {
  const { data: own } = useRead(me, {})
  const filter = useListFilter({ statuses: roleOptions })
  const list = useList(listStaff, { q: filter.q, status: filter.status, limit: pageSize })
  return (
    <Section
      title="People"
      aside={<ListTools of="staff" filter={filter} all="All roles" statuses={roleOptions} />}
    >
      <ListBody of="staff" list={list} filter={filter} empty="No staff yet">
        {rows => (
          <Table
            caption="Staff, newest first"
            columns={columnsFor(own?._id, admins)}
            rows={rows}
            keyOf={member => member._id}
          />
        )}
      </ListBody>
    </Section>
  )
}

const invitationColumns: readonly Column<Invitation>[] = [
  {
    header: 'Name',
    cell: invitation => (
      <RecordCell note={invitation.email}>
        <span dir="auto" className={nameRoom}>
          {invitation.name}
        </span>
      </RecordCell>
    ),
  },
  { header: 'Role', cell: ({ role }) => roleNames[role] },
  { header: 'Invited by', cell: ({ invitedBy }) => invitedBy ?? 'The operator' },
  { header: 'Valid until', cell: ({ expiresAt }) => <When at={expiresAt} /> },
  { header: 'Action', cell: invitation => <Actions actions={invitationActions(invitation)} /> },
]

function Invitations() {
  const filter = useListFilter({ statuses: [] }, 'invitations')
  const list = useList(listInvitations, { limit: pageSize })
  return (
    <Section title="Invitations">
      <ListBody of="invitations" list={list} filter={filter} empty="No open invitations">
        {rows => (
          <Table
            caption="Invitations, newest first"
            columns={invitationColumns}
            rows={rows}
            keyOf={invitation => invitation._id}
          />
        )}
      </ListBody>
    </Section>
  )
}
