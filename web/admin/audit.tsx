import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { auditActions } from '#shared/audit.ts'
import type { CallData } from '#shared/contract/define.ts'
import { auditCsv, listAudit } from '#shared/contract/site.ts'
import { useDownload } from '#web/api/download.ts'
import { useList } from '#web/api/read.ts'
import { DayInput, Part } from '#web/components/day-input.tsx'
import { isDay, zone } from '#web/components/days.ts'
import { When } from '#web/components/when.tsx'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { useSearch, withChanges } from '#web/search.ts'
import { Button } from '#web/ui/button.tsx'
import { cx } from '#web/ui/cx.ts'
import { PageHead } from '#web/ui/section.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { actionWords } from './action-words.ts'
import { ListBody } from './list-body.tsx'
import { type ListFilter, useListFilter } from './list-filter.ts'
import { ListTools } from './list-tools.tsx'
import { logChanges, otherDetails } from './log-changes.ts'
import { nameRoom } from './person.tsx'
import { RecordCell } from './record-cell.tsx'

export const meta = pageMeta('Audit log')

type AuditEntry = CallData<typeof listAudit>[number]

/** Rows of the log that are asked for at a time. */
const logPageSize = 25

const actions = auditActions.map(action => [action, actionWords(action)] as const)

const columns: readonly Column<AuditEntry>[] = [
  { header: 'When', cell: entry => <When at={entry.at} /> },
  { header: 'Who', cell: entry => <Who entry={entry} /> },
  { header: 'What', cell: entry => <What entry={entry} /> },
  { header: 'About', cell: entry => <About entry={entry} /> },
  { header: 'Why', cell: entry => entry.reason ?? '—' },
  {
    header: 'From',
    cell: entry => <RecordCell note={entry.requestId}>{entry.ip ?? '—'}</RecordCell>,
  },
]

function Who({ entry: { actor, actorName, ip } }: { entry: AuditEntry }) {
  if (actor === null) return ip === null ? 'Automatic' : 'A visitor'
  return <PersonLink id={actor} name={actorName} />
}

function PersonLink({ id, name }: { id: string; name: string | null }) {
  return (
    <Link className={cx('prose-link', nameRoom)} to={paths.admin.user(id)}>
      {name ?? 'An account'}
    </Link>
  )
}

function What({ entry }: { entry: AuditEntry }) {
  const changes = logChanges(entry.details)
  const others = otherDetails(entry.details)
  return (
    <div className="grid gap-1">
      <span className="font-medium">{actionWords(entry.action)}</span>
      {changes.length + others.length > 0 && (
        <details className="text-sm">
          <summary className="text-ink-soft">{changes.length > 0 ? 'Before and after' : 'Details'}</summary>
          <dl className="mt-1 grid max-w-md gap-1 wrap-anywhere text-xs">
            {changes.map(({ field, before, after }) => (
              <Detail key={field} field={field}>
                <del className="text-ink-faint">
                  <span className="sr-only">Before: </span>
                  {before}
                </del>{' '}
                <ins className="no-underline">
                  <span className="sr-only">After: </span>
                  {after}
                </ins>
              </Detail>
            ))}
            {others.map(([field, value]) => (
              <Detail key={field} field={field}>
                {value}
              </Detail>
            ))}
          </dl>
        </details>
      )}
    </div>
  )
}

function Detail({ field, children }: { field: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-ink-faint">{field}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** Where a subject of this kind is looked at. */
const placeOf: Partial<Record<string, (id: string) => string>> = {
  deposit: paths.admin.deposit,
  withdrawal: paths.admin.withdrawal,
  investment: paths.admin.investment,
  earning: id => paths.admin.found('earnings', id),
  user: paths.admin.user,
  return: paths.admin.recordedReturn,
  plan: () => paths.admin.plans,
  statistic: () => paths.admin.statistics,
  message: id => paths.admin.foundMessage(id),
}

function About({ entry: { subjectKind, subject, subjectName } }: { entry: AuditEntry }) {
  if (subjectKind === 'firm') {
    return (
      <Link className="prose-link" to={paths.admin.firm}>
        The firm's profile
      </Link>
    )
  }
  if (subjectKind === null || subject === null) return '—'
  const kind = actionWords(subjectKind)
  const place = placeOf[subjectKind]?.(subject)
  if (subjectName === null) return kind
  return (
    <RecordCell note={kind}>
      {place ? (
        <Link className="prose-link" to={place}>
          {subjectName}
        </Link>
      ) : (
        subjectName
      )}
    </RecordCell>
  )
}

/** Milliseconds between reads of the log: of logins, say, no page is told (web/api/live.ts). */
const lookEvery = 30_000

/** The audit log (N-12): who did what, when, from where and why. */
export default function AuditPage() {
  const filter = useListFilter({ statuses: actions })
  const [days, setDays] = usePeriod()
  const asked = { q: filter.q, status: filter.status, ...days, zone: zone() }
  const list = useList(listAudit, { ...asked, limit: logPageSize }, { every: lookEvery })
  return (
    <>
      <PageHead
        title="Audit log"
        lead="Who did what, when, from where and why, the newest first. Nobody can change or remove an entry."
        aside={<ListTools of="entries" filter={filter} all="All actions" statuses={actions} />}
      />
      <div className="mb-6 flex flex-wrap items-end justify-between gap-4">
        <div className="flex flex-wrap gap-4">
          <Part label="From">
            <DayInput day={days.from} onDay={from => setDays({ from: from ?? '' })} />
          </Part>
          <Part label="To">
            <DayInput day={days.to} onDay={to => setDays({ to: to ?? '' })} />
          </Part>
        </div>
        <Export asked={asked} />
      </div>
      <ListBody
        of="entries"
        list={list}
        filter={narrowed(filter, days, setDays)}
        empty="Nothing has been done yet"
      >
        {rows => (
          <Table
            caption="Audit log, the newest first"
            columns={columns}
            rows={rows}
            keyOf={row => row._id}
            wide
          />
        )}
      </ListBody>
    </>
  )
}

type Days = { from?: string; to?: string }

/** The period that is asked for, in the page's address. */
function usePeriod(): [Days, (days: Days) => void] {
  const [params, replace] = useSearch()
  const day = (name: string) => {
    const text = params.get(name) ?? ''
    return isDay(text) ? text : undefined
  }
  return [
    { from: day('from'), to: day('to') },
    days => replace(current => withChanges(current, days as Record<string, string>)),
  ]
}

/** The filter with the period, which is cleared with it. */
function narrowed(filter: ListFilter, { from, to }: Days, setDays: (days: Days) => void): ListFilter {
  return {
    ...filter,
    isSet: filter.isSet || from !== undefined || to !== undefined,
    clear() {
      filter.clear()
      setDays({ from: '', to: '' })
    },
  }
}

/** What is on show, all of it, as a file. That it leaves is in the log, too. */
function Export({ asked }: { asked: Record<string, string | undefined> }) {
  const { run, pending } = useDownload(auditCsv)
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value))
  return (
    <Button tone="quiet" busy={pending} onClick={() => void run({ query: given })}>
      Export as CSV
    </Button>
  )
}
