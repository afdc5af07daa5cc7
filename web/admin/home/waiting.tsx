import { Link } from 'react-router'
import type { CallDefinition } from '#shared/contract/define.ts'
import { listDeposits } from '#shared/contract/deposits.ts'
import { listEarnings } from '#shared/contract/earnings.ts'
import { listInvestments } from '#shared/contract/investments.ts'
import { listWithdrawals } from '#shared/contract/withdrawals.ts'
import { mayHere } from '#web/admin/rights.ts'
import { useList } from '#web/api/read.ts'
import { paths } from '#web/paths.ts'
import { Figure, Figures } from '#web/ui/figure.tsx'
import { Section } from '#web/ui/section.tsx'

/** What waits for the operator: how many, and the way to them. */
export function WaitingSection() {
  return (
    <Section title={mayHere('decide') ? 'Waiting for you' : 'Waiting for a decision'}>
      {/* In one row some names take two lines: all get the room, so that the figures stand in one line. */}
      <Figures className="grid-cols-2 lg:[&_dt]:min-h-10">
        <Waiting label="Deposits to check" call={listDeposits} table="deposits" status="pending" />
        <Waiting
          label="Payments short, over or late"
          call={listDeposits}
          table="deposits"
          status="differing"
        />
        <Waiting label="Investments to approve" call={listInvestments} table="investments" status="pending" />
        <Waiting label="Withdrawals to approve" call={listWithdrawals} table="withdrawals" status="pending" />
        <Waiting label="Withdrawals to pay" call={listWithdrawals} table="withdrawals" status="approved" />
        <Waiting label="Earnings to approve" call={listEarnings} table="earnings" status="pending" />
        <Waiting label="Matured investments" call={listInvestments} table="investments" status="matured" />
      </Figures>
    </Section>
  )
}

type WaitingProps = {
  label: string
  call: CallDefinition & { list: true }
  table: 'deposits' | 'investments' | 'withdrawals' | 'earnings'
  status: string
}

function Waiting({ label, call, table, status }: WaitingProps) {
  const { total, totalIsAtLeast } = useList(call, { status, limit: 1 })
  return (
    <Figure
      label={label}
      value={totalIsAtLeast ? `${total}+` : total}
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
