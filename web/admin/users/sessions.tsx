import { useState } from 'react'
import { endUserSession, endUserSessions, listUserSessions } from '#shared/contract/console.ts'
import type { CallData } from '#shared/contract/define.ts'
import { deviceName } from '#shared/devices.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { ActionDialog } from '#web/admin/actions/action-dialog.tsx'
import { ownRecordWords } from '#web/admin/actions/actions.tsx'
import { isOwn, mayCall, mayHere } from '#web/admin/rights.ts'
import { ListBody, pageSize } from '#web/admin/tables/list-body.tsx'
import { wholeList } from '#web/admin/tables/whole-list.ts'
import { useList } from '#web/api/list.ts'
import { When } from '#web/components/when.tsx'
import { tr } from '#web/tr.ts'
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
      title={t('Sessions')}
      anchor={anchor}
      className="outline-none lg:col-span-2"
      aside={
        mayEnd &&
        (list.rows?.length ?? 0) > 0 && (
          <Button tone="quiet" size="sm" {...blockedIf(isOwn(user._id))} onClick={() => setEnding('all')}>
            {t('End all sessions')}
          </Button>
        )
      }
    >
      <ListBody of={t('sessions')} list={list} filter={wholeList} empty={t('No open sessions')}>
        {rows => (
          <Table
            caption={t('This user’s sessions, newest first')}
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
  { header: msg('Device'), cell: ({ userAgent }) => deviceName(userAgent) },
  { header: msg('Logged in'), cell: ({ createdAt }) => <When at={createdAt} /> },
  { header: msg('Last used'), cell: ({ lastUsedAt }) => <When at={lastUsedAt} /> },
  { header: msg('Address'), cell: ({ ip }) => <bdi className="tabular-nums">{ip ?? t('Unknown')}</bdi> },
]

/** Own sessions are ended on the Security page. */
function blockedIf(isOwnAccount: boolean) {
  return isOwnAccount ? { disabled: true, title: translate(ownRecordWords) } : {}
}

function endColumn(onEnd: (session: Session) => void, isOwnAccount: boolean): Column<Session> {
  return {
    header: t('Actions'),
    bare: true,
    numeric: true,
    cell: session => (
      <Button
        tone="quiet"
        size="sm"
        aria-label={t('End session: {device}', { device: deviceName(session.userAgent) })}
        {...blockedIf(isOwnAccount)}
        onClick={() => onEnd(session)}
      >
        {t('End session')}
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
      title={t('End all sessions?')}
      description={tr('{name} is logged out everywhere at once, and can log in again.', {
        name: <bdi>{name}</bdi>,
      })}
      confirm={t('End all sessions')}
      input={() => ({ params: { id } })}
    />
  ) : (
    <ActionDialog
      {...dialog}
      call={endUserSession}
      title={t('End this session?')}
      description={
        of.ip === null
          ? tr('{device}, address unknown, is logged out at once. {name} can log in again.', {
              device: deviceName(of.userAgent),
              name: <bdi>{name}</bdi>,
            })
          : tr('{device}, address {address}, is logged out at once. {name} can log in again.', {
              device: deviceName(of.userAgent),
              address: <bdi>{of.ip}</bdi>,
              name: <bdi>{name}</bdi>,
            })
      }
      confirm={t('End session')}
      input={() => ({ params: { id, session: of._id } })}
    />
  )
}
