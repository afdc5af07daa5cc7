import { useState } from 'react'
import { me } from '#shared/contract/accounts.ts'
import { getSettings } from '#shared/contract/settings.ts'
import { type Invitation, listInvitations, listStaff, type StaffMember } from '#shared/contract/staff.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
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
import { tr } from '#web/tr.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { InviteDialog, invitationActions, memberActions, ResetDialog } from './actions.tsx'
import { TooFew } from './too-few.tsx'

export const meta = pageMeta(msg('Staff'))

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
        title={t('Staff')}
        lead={t('Team members and roles. Granting Finance or Admin needs a second admin’s approval.')}
        aside={
          <Button disabled={!settings} onClick={() => setOpen('invite')}>
            {t('Invite a team member')}
          </Button>
        }
      />
      <div className="grid grid-cols-1 gap-12">
        <TooFew />
        <Members admins={admins} />
        <Invitations />
        <Section
          title={t('Lost two-factor access')}
          aside={
            <Button
              tone="quiet"
              size="sm"
              disabled={tooFew !== undefined}
              title={tooFew}
              onClick={() => setOpen('reset')}
            >
              {t('Reset two-factor access')}
            </Button>
          }
        >
          <p className="max-w-2xl text-ink-soft">
            {t(
              'Help someone who lost their authenticator app and recovery codes, or all passkeys. One admin proposes the reset, another approves it.',
            )}
          </p>
        </Section>
        <ProposalsSection kind="staff" />
      </div>
      {open === 'invite' && <InviteDialog admins={admins} onClose={close} />}
      {open === 'reset' && <ResetDialog onClose={close} />}
    </>
  )
}

const roleOptions = () => roles.map(role => [role, translate(roleNames[role])] as const)

function columnsFor(ownId: string | undefined, admins: number): readonly Column<StaffMember>[] {
  return [
    {
      header: t('Name'),
      cell: member => (
        <RecordCell note={member.email}>
          <span dir="auto" className={nameRoom}>
            {member.name}
          </span>
        </RecordCell>
      ),
    },
    { header: t('Role'), cell: member => <RoleCell member={member} /> },
    {
      header: t('Two-factor'),
      cell: ({ secondFactor }) => (
        <Badge tone={secondFactor ? 'good' : 'wait'}>{secondFactor ? t('On') : t('Off')}</Badge>
      ),
    },
    {
      header: t('Last login'),
      cell: ({ lastLoginAt }) =>
        lastLoginAt === null ? t('Never', {}, 'logged in') : <When at={lastLoginAt} />,
    },
    { header: t('Action'), cell: member => <Actions actions={memberActions(member, ownId, admins)} /> },
  ]
}

function RoleCell({ member: { role, accessEndedAt } }: { member: StaffMember }) {
  if (accessEndedAt === null) return translate(roleNames[role])
  return (
    <RecordCell note={tr('Access ended {when}', { when: <When at={accessEndedAt} /> })}>
      {translate(roleNames[role])}
    </RecordCell>
  )
}

function Members({ admins }: { admins: number }) {
  const { data: own } = useRead(me, {})
  const filter = useListFilter({ statuses: roleOptions() })
  const list = useList(listStaff, { q: filter.q, status: filter.status, limit: pageSize })
  return (
    <Section
      title={t('People')}
      aside={<ListTools of={t('staff')} filter={filter} all={t('All roles')} statuses={roleOptions()} />}
    >
      <ListBody of={t('staff')} list={list} filter={filter} empty={t('No staff yet')}>
        {rows => (
          <Table
            caption={t('Staff, newest first')}
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
    header: msg('Name'),
    cell: invitation => (
      <RecordCell note={invitation.email}>
        <span dir="auto" className={nameRoom}>
          {invitation.name}
        </span>
      </RecordCell>
    ),
  },
  { header: msg('Role'), cell: ({ role }) => translate(roleNames[role]) },
  {
    header: msg('Invited by'),
    cell: ({ invitedBy }) => (invitedBy === null ? t('The operator') : <bdi>{invitedBy}</bdi>),
  },
  { header: msg('Valid until'), cell: ({ expiresAt }) => <When at={expiresAt} /> },
  { header: msg('Action'), cell: invitation => <Actions actions={invitationActions(invitation)} /> },
]

function Invitations() {
  const filter = useListFilter({ statuses: [] }, 'invitations')
  const list = useList(listInvitations, { limit: pageSize })
  return (
    <Section title={t('Invitations')}>
      <ListBody of={t('invitations')} list={list} filter={filter} empty={t('No open invitations')}>
        {rows => (
          <Table
            caption={t('Invitations, newest first')}
            columns={invitationColumns}
            rows={rows}
            keyOf={invitation => invitation._id}
          />
        )}
      </ListBody>
    </Section>
  )
}
