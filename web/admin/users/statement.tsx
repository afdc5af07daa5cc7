import { Link } from 'react-router'
import type { StatementLine } from '#shared/contract/entities.ts'
import { statement } from '#shared/contract/ledger.ts'
import { t } from '#shared/i18n/t.ts'
import { pageSize } from '#web/admin/tables/list-body.tsx'
import { type List, useList } from '#web/api/list.ts'
import { ListStates } from '#web/components/list-states.tsx'
import { MovementNote } from '#web/components/movement-note.tsx'
import type { Movement } from '#web/components/movements.ts'
import { Postings } from '#web/components/postings.tsx'
import { Exports } from '#web/components/statement/exports.tsx'
import { isFiltered, queryOf, useStatementFilter } from '#web/components/statement/filter.ts'
import { Filters } from '#web/components/statement/filters.tsx'
import { NothingFound } from '#web/components/statement/nothing-found.tsx'
import { PeriodSummary } from '#web/components/statement/summary.tsx'
import { recordPage } from '#web/console-paths.ts'
import { Section } from '#web/ui/section.tsx'
import { EmptyState } from '#web/ui/states.tsx'

/** A user's statement with the filters they have too. */
export function UserStatement({ id }: { id: string }) {
  const filter = useStatementFilter()
  const { daysError } = filter
  const query = { ...queryOf(filter), userId: id, limit: pageSize }
  const list = useList(statement, query, { enabled: daysError === undefined })
  return (
    <Section
      title={t('Statement')}
      anchor="statement"
      className="lg:col-span-2"
      aside={daysError === undefined && <Exports filter={filter} total={list.total} userId={id} />}
    >
      <Filters filter={filter} />
      {daysError === undefined && (
        <>
          <PeriodSummary filter={filter} userId={id} />
          <Movements list={list} filter={filter} />
        </>
      )}
    </Section>
  )
}

type MovementsProps = { list: List<StatementLine>; filter: ReturnType<typeof useStatementFilter> }

function Movements({ list, filter }: MovementsProps) {
  const empty = isFiltered(filter) ? (
    <NothingFound of={t('the statement')} onClear={filter.clear} />
  ) : (
    <EmptyState>{t('No money has moved in this account yet.')}</EmptyState>
  )
  return (
    <ListStates list={list} of={t('the statement')} lines={8} unit={t('postings')} empty={empty}>
      {rows => (
        <Postings long caption={t('Movements of this user’s money, newest first')} lines={rows} what={what} />
      )}
    </ListStates>
  )
}

const what = (movement: Movement) => <What movement={movement} />

function What({ movement }: { movement: Movement }) {
  const { kind, reference, description, invoiceId } = movement.line
  return (
    <span className="block max-w-80">
      {kind === 'earning' ? (
        description
      ) : (
        <Link className="prose-link" to={recordPage(kind, reference)}>
          {description}
        </Link>
      )}{' '}
      {invoiceId && (
        <span className="max-[44rem]:sr-only block whitespace-nowrap text-ink-faint text-sm">
          {invoiceId}
        </span>
      )}
      <MovementNote of={movement} />
    </span>
  )
}
