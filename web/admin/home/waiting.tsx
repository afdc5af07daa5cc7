import { Link } from 'react-router'
import type { CallDefinition } from '#shared/contract/define.ts'
import { listDeposits } from '#shared/contract/deposits.ts'
import { listInvestments } from '#shared/contract/investments.ts'
import { listWithdrawals } from '#shared/contract/withdrawals.ts'
import { lookEvery } from '#web/admin/list-body.tsx'
import { useList } from '#web/api/read.ts'
import { paths } from '#web/paths.ts'
import { Figure, Figures } from '#web/ui/figure.tsx'
import { Section } from '#web/ui/section.tsx'

/** What waits for the operator: how many, and the way to them. */
export function WaitingSection() {
  return (
    <Section title="Waiting for you">
      <Figures className="grid-cols-2">
        <Waiting label="Deposits to check" call={listDeposits} table="deposits" status="pending" />
        <Waiting label="Investments to approve" call={listInvestments} table="investments" status="pending" />
        <Waiting label="Withdrawals to approve" call={listWithdrawals} table="withdrawals" status="pending" />
        <Waiting label="Withdrawals to pay" call={listWithdrawals} table="withdrawals" status="approved" />
        <Waiting label="Matured investments" call={listInvestments} table="investments" status="matured" />
      </Figures>
    </Section>
  )
}

type WaitingProps = {
  label: string
  call: CallDefinition & { list: true }
  table: 'deposits' | 'investments' | 'withdrawals'
  status: string
}

function Waiting({ label, call, table, status }: WaitingProps) {
  const { total } = useList(call, { status, limit: 1 }, { every: lookEvery })
  return (
    <Figure
      label={label}
      value={total}
      note={
        total ? (
          <Link
            className="prose-link"
            to={paths.admin.waiting(table, status)}
            aria-label={`Show them: ${label.toLowerCase()}`}
          >
            Show them
          </Link>
        ) : (
          'None waits'
        )
      }
    />
  )
}
