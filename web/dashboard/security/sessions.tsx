import { useState } from 'react'
import { endOtherSessions, endSession, listSessions } from '#shared/contract/accounts.ts'
import type { CallData } from '#shared/contract/define.ts'
import { deviceName } from '#shared/devices.ts'
import { t } from '#shared/i18n/t.ts'
import { type List, useList } from '#web/api/list.ts'
import { ConfirmCall } from '#web/components/confirm-call.tsx'
import { ListStates } from '#web/components/list-states.tsx'
import { When } from '#web/components/when.tsx'
import { tr } from '#web/tr.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { Section } from '#web/ui/section.tsx'
import { type Column, Table } from '#web/ui/table.tsx'

type Session = CallData<typeof listSessions>[number]
/** Sessions to end. */
type Ending = Session | 'others'

const anchor = 'sessions'

/** The user's sessions: end one or all others. */
export function Sessions() {
  const list = useList(listSessions)
  const [ending, setEnding] = useState<Ending>()
  const hasOthers = list.rows?.some(({ current }) => !current)
  return (
    <Section
      title={t('Sessions')}
      anchor={anchor}
      className="outline-none"
      aside={
        hasOthers && (
          <Button tone="quiet" size="sm" onClick={() => setEnding('others')}>
            {t('End all other sessions')}
          </Button>
        )
      }
    >
      <SessionList list={list} onEnd={setEnding} />
      {ending && <EndDialog of={ending} onClose={() => setEnding(undefined)} />}
    </Section>
  )
}

function SessionList({ list, onEnd }: { list: List<Session>; onEnd: (session: Session) => void }) {
  return (
    <ListStates list={list} of={t('your sessions')} empty={null}>
      {rows => (
        <Table
          caption={t('Your sessions, newest first')}
          columns={columnsOf(onEnd)}
          rows={rows}
          keyOf={({ _id }) => _id}
        />
      )}
    </ListStates>
  )
}

function columnsOf(onEnd: (session: Session) => void): readonly Column<Session>[] {
  return [
    {
      header: t('Device'),
      cell: session => (
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {deviceName(session.userAgent)}
          {session.current && <Badge tone="good">{t('This session')}</Badge>}
        </span>
      ),
    },
    { header: t('Logged in'), cell: ({ createdAt }) => <When at={createdAt} /> },
    { header: t('Last used'), cell: ({ lastUsedAt }) => <When at={lastUsedAt} /> },
    { header: t('Address'), cell: ({ ip }) => <bdi className="tabular-nums">{ip ?? t('Unknown')}</bdi> },
    {
      header: t('Actions'),
      bare: true,
      numeric: true,
      cell: session =>
        session.current ? null : (
          <Button
            tone="quiet"
            size="sm"
            aria-label={t('End session: {device}', { device: deviceName(session.userAgent) })}
            onClick={() => onEnd(session)}
          >
            {t('End session')}
          </Button>
        ),
    },
  ]
}

function EndDialog({ of, onClose }: { of: Ending; onClose: () => void }) {
  const shared = { tone: 'danger', onClose, focusTo: () => document.getElementById(anchor) } as const
  const device = of === 'others' ? '' : deviceName(of.userAgent)
  return of === 'others' ? (
    <ConfirmCall
      {...shared}
      call={endOtherSessions}
      input={{}}
      title={t('End all other sessions?')}
      confirm={t('End other sessions')}
    >
      {t('Every other device is logged out at once and must log in again.')}
    </ConfirmCall>
  ) : (
    <ConfirmCall
      {...shared}
      call={endSession}
      input={{ params: { id: of._id } }}
      title={t('End this session?')}
      confirm={t('End session')}
    >
      {of.ip === null
        ? t('{device}, address unknown, is logged out at once. Not yours? Change your password too.', {
            device,
          })
        : tr('{device}, address {address}, is logged out at once. Not yours? Change your password too.', {
            device,
            address: <bdi>{of.ip}</bdi>,
          })}
    </ConfirmCall>
  )
}
