import { useState } from 'react'
import { endUserSession, endUserSessions, listUserSessions } from '#shared/contract/console.ts'
import type { CallData } from '#shared/contract/define.ts'
import { deviceName } from '#shared/devices.ts'
import { ActionDialog } from '#web/admin/actions/action-dialog.tsx'
import { ownRecordWords } from '#web/admin/actions/actions.tsx'
import { isOwn, mayCall, mayHere } from '#web/admin/rights.ts'
import { ListBody, pageSize } from '#web/admin/tables/list-body.tsx'
import { wholeList } from '#web/admin/tables/whole-list.ts'
import { useList } from '#web/api/list.ts'
import { When } from '#web/components/when.tsx'
import { Button } from '#web/ui/button.tsx'
import { Section } from '#web/ui/section.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import type { UserDetail } from './user-detail.ts'

type Session = CallData<typeof listUserSessions>[number]
/** Sessions to end. */
type Ending = Session | 'all'

const anchor = 'sessions'

/** A user's sessions, which permitted staff can end. */
export function Sessions({ user }: { user: UserDetail }) {
  const list = useList(listUserSessions, { user: user._id, limit: pageSize })
  const [ending, setEnding] = useState<Ending>()
  const mayEnd = mayCall(endUserSession) && (user.type === 'investor' || mayHere('manage'))
  return (
    <Section
      title="Sessions"
      anchor={anchor}
      className="outline-none lg:col-span-2"
      aside={
        mayEnd &&
        (list.rows?.length ?? 0) > 0 && (
          <Button tone="quiet" size="sm" {...blockedIf(isOwn(user._id))} onClick={() => setEnding('all')}>
            End all sessions
          </Button>
        )
      }
    >
      <ListBody of="sessions" list={list} filter={wholeList} empty="No open sessions">
        {rows => (
          <Table
            caption="This user’s sessions, newest first"
            columns={mayEnd ? [...columns, endColumn(setEnding, isOwn(user._id))] : columns}
            rows={rows}
            keyOf={({ _id }) => _id}
          />
        )}
      </ListBody>
      {ending && <EndDialog of={ending} user={user} onClose={() => setEnding(undefined)} />}
    </Section>
  )
}

const columns: readonly Column<Session>[] = [
  { header: 'Device', cell: ({ userAgent }) => deviceName(userAgent) },
  { header: 'Logged in', cell: ({ createdAt }) => <When at={createdAt} /> },
  { header: 'Last used', cell: ({ lastUsedAt }) => <When at={lastUsedAt} /> },
  { header: 'Address', cell: ({ ip }) => <span className="tabular-nums">{ip ?? 'Unknown'}</span> },
]

/** Own sessions are ended on the Security page. */
function blockedIf(isOwnAccount: boolean) {
  return isOwnAccount ? { disabled: true, title: ownRecordWords } : {}
}

function endColumn(onEnd: (session: Session) => void, isOwnAccount: boolean): Column<Session> {
  return {
    header: 'Actions',
    bare: true,
    numeric: true,
    cell: session => (
      <Button
        tone="quiet"
        size="sm"
        aria-label={`End session: ${deviceName(session.userAgent)}`}
        {...blockedIf(isOwnAccount)}
        onClick={() => onEnd(session)}
      >
        End session
      </Button>
    ),
  }
}

type EndDialogProps = { of: Ending; user: UserDetail; onClose: () => void }

function EndDialog({ of, user, onClose }: EndDialogProps) {
  const { _id: id, name } = user
  const dialog = {
    entries: [],
    tone: 'danger',
    optionalReason: 'log',
    focusTo: () => document.getElementById(anchor),
    onClose,
  } as const
  return of === 'all' ? (
    <ActionDialog
      {...dialog}
      call={endUserSessions}
      title="End all sessions?"
      description={
        <>
          <bdi>{name}</bdi> is logged out everywhere at once, and can log in again.
        </>
      }
      confirm="End all sessions"
      input={() => ({ params: { id } })}
    />
  ) : (
    <ActionDialog
      {...dialog}
      call={endUserSession}
      title="End this session?"
      description={
        <>
          {deviceName(of.userAgent)}, address {of.ip ?? 'unknown'}, is logged out at once. <bdi>{name}</bdi>{' '}
          can log in again.
        </>
      }
      confirm="End session"
      input={() => ({ params: { id, session: of._id } })}
    />
  )
}
