import { memo, useDeferredValue } from 'react'
import { statement } from '#shared/contract/ledger.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { useList } from '#web/api/list.ts'
import { LinkButton } from '#web/components/link-button.tsx'
import { ListStates } from '#web/components/list-states.tsx'
import { MovementNote } from '#web/components/movement-note.tsx'
import type { Movement } from '#web/components/movements.ts'
import { Postings } from '#web/components/postings.tsx'
import { Exports } from '#web/components/statement/exports.tsx'
import { isFiltered, queryOf, useStatementFilter } from '#web/components/statement/filter.ts'
import { Filters } from '#web/components/statement/filters.tsx'
import { NothingFound } from '#web/components/statement/nothing-found.tsx'
import { PeriodSummary } from '#web/components/statement/summary.tsx'
import { YearlyStatement } from '#web/components/statement/yearly.tsx'
import { BalanceFigures } from '#web/dashboard/home/balances.tsx'
import { ProofCheck } from '#web/dashboard/proof/proof-check.tsx'
import { RecordLink } from '#web/dashboard/record/link.tsx'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState } from '#web/ui/states.tsx'

export const meta = pageMeta(msg('Statement'))

/** Every posting on the user's accounts (D1.1). */
export default function StatementPage() {
  return (
    <>
      <PageHead
        title={t('Statement')}
        lead={t(
          'Every movement of your money, newest first. Each balance is the sum of its account’s ledger entries, which no one can change, not even us.',
        )}
      />
      <BalanceFigures />
      <ProofCheck />
      <YearlyStatement />
      <Movements />
    </>
  )
}

type Filter = ReturnType<typeof useStatementFilter>

function Movements() {
  const filter = useStatementFilter()
  // The fields answer first; totals and lines follow.
  const applied = useDeferredValue(filter)
  const isValid = applied.daysError === undefined
  return (
    <Section title={t('Movements')} aside={isValid && <ListExports filter={applied} />}>
      <Filters filter={filter} />
      {isValid && <Lines filter={applied} />}
    </Section>
  )
}

const useLines = (filter: Filter) => useList(statement, queryOf(filter))

const ListExports = memo(function ListExports({ filter }: { filter: Filter }) {
  return <Exports filter={filter} total={useLines(filter).total} />
})

const Lines = memo(function Lines({ filter }: { filter: Filter }) {
  const list = useLines(filter)
  const empty = isFiltered(filter) ? (
    <NothingFound of={t('your statement')} onClear={filter.clear} />
  ) : (
    <NothingYet />
  )
  return (
    <>
      <PeriodSummary filter={filter} />
      <ListStates list={list} of={t('your statement')} lines={8} unit={t('postings')} empty={empty}>
        {rows => (
          <Postings long caption={t('Movements of your money, newest first')} lines={rows} what={what} />
        )}
      </ListStates>
    </>
  )
})

function NothingYet() {
  return (
    <EmptyState action={<LinkButton to={paths.dashboard.deposit}>{t('Make deposit')}</LinkButton>}>
      {t('No money has moved in your account yet.')}
    </EmptyState>
  )
}

const what = (movement: Movement) => <What movement={movement} />

/** The event with a link to its record, its number and its note. */
function What({ movement }: { movement: Movement }) {
  const { kind, reference, description, invoiceId } = movement.line
  return (
    <span className="block max-w-80">
      <RecordLink kind={kind} id={reference}>
        {description}
      </RecordLink>{' '}
      {invoiceId && (
        <span className="max-[44rem]:sr-only block whitespace-nowrap text-ink-faint text-sm">
          {invoiceId}
        </span>
      )}
      <MovementNote of={movement} />
    </span>
  )
}
