import { memo, useDeferredValue } from 'react'
import type { StatementLine } from '#shared/contract/entities.ts'
import { statement } from '#shared/contract/ledger.ts'
import { ownReceipt } from '#shared/contract/proof.ts'
import { useDownload } from '#web/api/download.ts'
import { useList } from '#web/api/read.ts'
import { LinkButton } from '#web/components/link-button.tsx'
import { ListStates } from '#web/components/list-states.tsx'
import { Postings } from '#web/components/postings.tsx'
import { Exports } from '#web/components/statement/exports.tsx'
import { isFiltered, queryOf, useStatementFilter } from '#web/components/statement/filter.ts'
import { Filters } from '#web/components/statement/filters.tsx'
import { NothingFound } from '#web/components/statement/nothing-found.tsx'
import { PeriodSummary } from '#web/components/statement/summary.tsx'
import { BalanceFigures } from '#web/dashboard/home/balances.tsx'
import { ProofCheck } from '#web/dashboard/proof/proof-check.tsx'
import { RecordLink } from '#web/dashboard/record/link.tsx'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState } from '#web/ui/states.tsx'

export const meta = pageMeta('Statement')

/** Every posting on the user's accounts (D1.1). */
export default function StatementPage() {
  return (
    <>
      <PageHead
        title="Statement"
        lead="Every movement of your money, newest first. Each balance is the sum of its account’s ledger entries, which no one can change, not even us."
      />
      <BalanceFigures />
      <ProofCheck />
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
    <Section title="Movements" aside={isValid && <ListExports filter={applied} />}>
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
    <NothingFound of="your statement" onClear={filter.clear} />
  ) : (
    <NothingYet />
  )
  return (
    <>
      <PeriodSummary filter={filter} />
      <ListStates list={list} of="your statement" lines={8} empty={empty}>
        {rows => <Postings long caption="Movements of your money, newest first" lines={rows} what={what} />}
      </ListStates>
    </>
  )
})

function NothingYet() {
  return (
    <EmptyState action={<LinkButton to={paths.dashboard.deposit}>Make deposit</LinkButton>}>
      No money has moved in your account yet.
    </EmptyState>
  )
}

const what = (line: StatementLine) => <What line={line} />

/** The event with a link to its record, its number, its decline reason or transaction, and its receipt. */
function What({ line: { _id, kind, reference, description, invoiceId, note } }: { line: StatementLine }) {
  return (
    <span className="block max-w-80">
      <RecordLink kind={kind} id={reference}>
        {description}
      </RecordLink>{' '}
      {invoiceId && (
        <span className="whitespace-nowrap text-ink-faint text-sm min-[44rem]:block">{invoiceId}</span>
      )}{' '}
      {note && <span className="wrap-anywhere block text-ink-soft text-sm">{note}</span>}
      <Receipt id={_id} of={`${description}${invoiceId ? `, ${invoiceId}` : ''}`} />
    </span>
  )
}

/** Saves our signed promise that this line will be in the published books. */
function Receipt({ id, of }: { id: string; of: string }) {
  const { run, pending } = useDownload(ownReceipt)
  return (
    <button
      type="button"
      className="min-h-6 cursor-pointer text-accent text-sm underline-offset-2 hover:underline"
      aria-label={`Receipt: ${of}`}
      aria-busy={pending}
      onClick={() => run({ params: { id } })}
    >
      Receipt
    </button>
  )
}
