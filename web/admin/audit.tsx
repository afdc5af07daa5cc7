import { Link } from 'react-router'
import { auditActions } from '#shared/audit.ts'
import type { CallData } from '#shared/contract/define.ts'
import { listAudit } from '#shared/contract/site.ts'
import { useList } from '#web/api/read.ts'
import { When } from '#web/components/when.tsx'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { cx } from '#web/ui/cx.ts'
import { PageHead } from '#web/ui/section.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { actionWords } from './action-words.ts'
import { ListBody } from './list-body.tsx'
import { useListFilter } from './list-filter.ts'
import { ListTools } from './list-tools.tsx'
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
  const details = Object.entries(entry.details)
  return (
    <div className="grid gap-1">
      <span className="font-medium">{actionWords(entry.action)}</span>
      {details.length > 0 && (
        <details className="text-sm">
          <summary className="text-ink-soft">Details</summary>
          <pre className="mt-1 max-w-md whitespace-pre-wrap wrap-anywhere text-ink-soft text-xs">
            {JSON.stringify(entry.details, null, 2)}
          </pre>
        </details>
      )}
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
}

function About({ entry: { subjectKind, subject, subjectName } }: { entry: AuditEntry }) {
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
  const filter = useListFilter(actions)
  const list = useList(
    listAudit,
    { q: filter.q, status: filter.status, limit: logPageSize },
    { every: lookEvery },
  )
  return (
    <>
      <PageHead
        title="Audit log"
        lead="Who did what, when, from where and why, the newest first. Nobody can change or remove an entry."
        aside={<ListTools of="entries" filter={filter} all="All actions" statuses={actions} />}
      />
      <ListBody of="entries" list={list} filter={filter} empty="Nothing has been done yet">
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
