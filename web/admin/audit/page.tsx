import { type ReactNode, useMemo } from 'react'
import { Link } from 'react-router'
import { auditActions } from '#shared/audit.ts'
import type { CallData } from '#shared/contract/define.ts'
import { auditCsv, listAudit } from '#shared/contract/site.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { actionWords, subjectWords } from '#web/admin/actions/words.ts'
import { type ListColumn, useColumnChoice } from '#web/admin/tables/columns.ts'
import { ListBody, ownPageSize } from '#web/admin/tables/list-body.tsx'
import { type StatusOption, useListFilter } from '#web/admin/tables/list-filter.ts'
import { ColumnPanel, FilterPanel } from '#web/admin/tables/list-panels.tsx'
import { ExportButton, ListTools, PanelButtons, usePanels } from '#web/admin/tables/list-tools.tsx'
import { RecordCell } from '#web/admin/tables/record-cell.tsx'
import { captionOf, sortHeaders } from '#web/admin/tables/sort-header.tsx'
import { byTime, type FilterSet } from '#web/admin/tables/sorts.ts'
import { PersonLink, whoOf } from '#web/admin/users/person.tsx'
import { useList } from '#web/api/list.ts'
import { When } from '#web/components/when.tsx'
import { consolePaths, pageOfAny } from '#web/console-paths.ts'
import { pageMeta } from '#web/meta.ts'
import { PageHead } from '#web/ui/section.tsx'
import { Table } from '#web/ui/table.tsx'
import { logChanges, otherDetails } from './changes.ts'

export const meta = pageMeta(msg('Audit log'))

type AuditEntry = CallData<typeof listAudit>[number]

function actionOptions(): StatusOption[] {
  return auditActions.map(action => [action, actionWords(action)])
}

const filters = (): FilterSet => ({
  fields: [{ kind: 'period', label: t('Done') }],
  sorts: [byTime('at', t('Done'))],
})

const columns: readonly ListColumn<AuditEntry>[] = [
  {
    key: 'when',
    header: msg('When'),
    sort: { key: 'at', descendingFirst: true },
    cell: entry => <When at={entry.at} />,
  },
  { key: 'who', header: msg('Who'), cell: entry => <Who entry={entry} /> },
  { key: 'what', header: msg('What'), cell: entry => <What entry={entry} /> },
  { key: 'about', header: msg('About'), cell: entry => <About entry={entry} /> },
  { key: 'why', header: msg('Why'), cell: entry => <bdi>{entry.reason ?? '—'}</bdi> },
  {
    key: 'from',
    header: msg('From'),
    cell: entry => (
      <RecordCell note={entry.requestId}>
        <bdi>{entry.ip ?? '—'}</bdi>
      </RecordCell>
    ),
  },
]

function Who({ entry }: { entry: AuditEntry }) {
  if (entry.actor === null) return whoOf(entry)
  if (entry.byApiKey) return <RecordCell note={t('API key')}>{whoOf(entry)}</RecordCell>
  return <PersonLink id={entry.actor} name={entry.actorName ?? t('Unknown account')} />
}

function What({ entry }: { entry: AuditEntry }) {
  const changes = logChanges(entry.details)
  const others = otherDetails(entry.details)
  return (
    <div className="grid gap-1">
      <span className="font-medium">{actionWords(entry.action)}</span>
      {changes.length + others.length > 0 && (
        <details className="text-sm">
          <summary className="text-ink-soft">
            {changes.length > 0 ? t('Before and after') : t('Details')}
          </summary>
          <dl className="mt-1 grid max-w-md gap-1 wrap-anywhere text-xs">
            {changes.map(({ field, before, after }) => (
              <Detail key={field} field={field}>
                <del className="text-ink-faint">
                  <span className="sr-only">{t('Before:')} </span>
                  <bdi>{before}</bdi>
                </del>{' '}
                <ins className="no-underline">
                  <span className="sr-only">{t('After:')} </span>
                  <bdi>{after}</bdi>
                </ins>
              </Detail>
            ))}
            {others.map(([field, value]) => (
              <Detail key={field} field={field}>
                <bdi>{value}</bdi>
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
      {/* By its name in the log, which is English. */}
      <dt lang="en" className="text-ink-faint">
        {field}
      </dt>
      <dd>{children}</dd>
    </div>
  )
}

/** Pages of subjects that are no records. */
const pages = new Map<string, string>([
  ['plan', consolePaths.plans],
  ['statistic', consolePaths.statistics],
])

function About({ entry: { subjectKind, subject, subjectName } }: { entry: AuditEntry }) {
  if (subjectKind === 'firm') {
    return (
      <Link className="prose-link" to={consolePaths.firm}>
        {t('Firm profile')}
      </Link>
    )
  }
  if (subjectKind === null || subject === null) return '—'
  const kind = subjectWords(subjectKind)
  const place = pageOfAny(subjectKind, subject) ?? pages.get(subjectKind)
  if (subjectName === null) return kind
  return (
    <RecordCell note={kind}>
      {place ? (
        <Link className="prose-link" to={place}>
          <bdi>{subjectName}</bdi>
        </Link>
      ) : (
        <bdi>{subjectName}</bdi>
      )}
    </RecordCell>
  )
}

/** Polling interval in milliseconds: logins and others send no live events (web/api/live.ts). */
const lookEvery = 30_000

/** The audit log (N-12): who did what, when, from where and why. */
export default function AuditPage() {
  const actions = useMemo(actionOptions, [])
  const filter = useListFilter({ statuses: actions, ...filters() })
  const list = useList(listAudit, { ...filter.query, limit: ownPageSize }, { every: lookEvery })
  const choice = useColumnChoice('entries', columns)
  const panels = usePanels()
  return (
    <>
      <PageHead
        title={t('Audit log')}
        lead={t('Who did what, when, from where and why. No one can change or remove an entry.')}
        aside={
          <ListTools
            of={t('entries', {}, 'of the audit log')}
            filter={filter}
            all={t('All actions')}
            statuses={actions}
          >
            <PanelButtons
              of={t('entries', {}, 'of the audit log')}
              panels={panels}
              filters={filter.fieldsSet}
              columns={choice.isOwn}
            />
            <ExportButton of={t('entries', {}, 'of the audit log')} call={auditCsv} filter={filter} />
          </ListTools>
        }
      />
      {panels.open === 'filters' && (
        <FilterPanel of={t('entries', {}, 'of the audit log')} filter={filter} {...filters()} />
      )}
      {panels.open === 'columns' && (
        <ColumnPanel of={t('entries', {}, 'of the audit log')} columns={columns} choice={choice} />
      )}
      <ListBody
        of={t('entries', {}, 'of the audit log')}
        list={list}
        filter={filter}
        empty={t('No entries yet')}
      >
        {rows => (
          <Table
            caption={captionOf(t('Audit log'), filter.sort, filters().sorts)}
            columns={choice.visible}
            rows={rows}
            keyOf={row => row._id}
            wide
            headOf={sortHeaders({ by: filter.sort, onSort: sort => filter.change({ sort }) }) as never}
          />
        )}
      </ListBody>
    </>
  )
}
