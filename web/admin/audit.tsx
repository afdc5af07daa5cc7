import { Link } from 'react-router'
import { auditActions } from '#shared/audit.ts'
import type { CallData } from '#shared/contract/define.ts'
import { listAudit } from '#shared/contract/site.ts'
import { useList } from '#web/api/read.ts'
import { When } from '#web/components/when.tsx'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { PageHead } from '#web/ui/section.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { actionWords } from './action-words.ts'
import { ListBody } from './list-body.tsx'
import { useListFilter } from './list-filter.ts'
import { ListTools } from './list-tools.tsx'
import { RecordCell } from './record-cell.tsx'

export const meta = pageMeta('Audit log')

type AuditEntry = CallData<typeof listAudit>[number]

/** Rows of the log that are asked for at a time. */
const logPageSize = 25

const actions = auditActions.map(action => [action, actionWords(action)] as const)

const columns: readonly Column<AuditEntry>[] = [
  { header: 'When', cell: entry => <When at={entry.at} /> },
  {
    header: 'Who',
    cell: entry => entry.actorName ?? entry.actor ?? (entry.ip === null ? 'Automatic' : 'A visitor'),
  },
  { header: 'What', cell: entry => <What entry={entry} /> },
  { header: 'About', cell: entry => <About entry={entry} /> },
  { header: 'Why', cell: entry => entry.reason ?? '—' },
  {
    header: 'From',
    cell: entry => <RecordCell note={entry.requestId}>{entry.ip ?? '—'}</RecordCell>,
  },
]

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

function About({ entry }: { entry: AuditEntry }) {
  const { subjectKind, subject } = entry
  if (subjectKind === null || subject === null) return '—'
  if (subjectKind !== 'investment') return <RecordCell note={subject}>{actionWords(subjectKind)}</RecordCell>
  return (
    <RecordCell note={subject}>
      <Link className="prose-link" to={paths.admin.investment(subject)}>
        Investment
      </Link>
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
