import { Suspense, useState } from 'react'
import type { DepositMethod } from '#shared/coins.ts'
import { listOwnDeposits } from '#shared/contract/deposits.ts'
import type { Deposit } from '#shared/contract/entities.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { useList } from '#web/api/list.ts'
import { Usd } from '#web/components/amounts.tsx'
import { Confirmations } from '#web/components/confirmations.tsx'
import { ListStates } from '#web/components/list-states.tsx'
import { methodLabel } from '#web/components/methods.ts'
import { DepositStanding } from '#web/components/statuses.tsx'
import { AccountNotice } from '#web/dashboard/account-notice.tsx'
import { Cancellable } from '#web/dashboard/cancel/action.tsx'
import { FundDialog } from '#web/dashboard/dialogs.tsx'
import { useSummary } from '#web/dashboard/home/balances.tsx'
import { CustomersOnly } from '#web/dashboard/identity/refused.tsx'
import { RecordLink } from '#web/dashboard/record/link.tsx'
import { RequestedCell } from '#web/dashboard/requested-cell.tsx'
import { useSite } from '#web/frame.ts'
import { inLocalTime } from '#web/local-time.ts'
import { pageMeta } from '#web/meta.ts'
import { tr } from '#web/tr.ts'
import { Button } from '#web/ui/button.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState } from '#web/ui/states.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { CoinLogo } from './coin-logo.tsx'

export const meta = pageMeta(msg('Manage deposits'))

/** Deposits (D-14, D-15). */
export default function DepositPage() {
  const [funding, fund] = useState<DepositMethod>()
  const { depositMethods, depositsOpen } = useSite()
  return (
    <>
      <PageHead
        title={t('Make deposit')}
        lead={t('Choose a currency. You’ll see the exact amount and address before you commit.')}
      />
      <AccountNotice />
      <div className="mb-12">
        <CustomersOnly>
          {depositsOpen ? (
            <ul className="grid gap-4 sm:grid-cols-3">
              {depositMethods.map(method => (
                <MethodCard key={method} method={method} onFund={() => fund(method)} />
              ))}
            </ul>
          ) : (
            <EmptyState>
              {t(
                'We are not accepting new deposits at present. Payments already requested will still be credited.',
              )}
            </EmptyState>
          )}
        </CustomersOnly>
      </div>
      <Section title={t('All deposits')} aside={<Sums />}>
        <AllDeposits />
      </Section>
      <Suspense>{funding && <FundDialog method={funding} onClose={() => fund(undefined)} />}</Suspense>
    </>
  )
}

function MethodCard({ method, onFund }: { method: DepositMethod; onFund: () => void }) {
  const name = methodLabel(method)
  return (
    <li className="flex items-center gap-4 rounded-md border border-rule bg-surface p-5 sm:grid sm:justify-items-start">
      <CoinLogo method={method} />
      <h2 className="display flex-1 text-lg">{name}</h2>
      <Button
        tone="quiet"
        size="sm"
        aria-label={t('Fund now by {method}', { method: name })}
        onClick={onFund}
      >
        {t('Fund now')}
      </Button>
    </li>
  )
}

function Sums() {
  const sums = useSummary()?.deposits
  if (!sums) return null
  return (
    <p className="text-ink-soft text-sm">
      {tr('{paid} paid, {waiting} waiting', {
        paid: <Usd value={sums.total} />,
        waiting: <Usd value={sums.pending} />,
      })}
    </p>
  )
}

/** Label of the link to a deposit: pay, pay the rest, or details. */
function payWords({ stage, missing }: Deposit): string {
  if (stage === 'waiting') return t('Pay now')
  return missing === null ? t('Details') : t('Pay the rest')
}

const columns: readonly Column<Deposit>[] = [
  {
    header: msg('Created'),
    cell: deposit => <RequestedCell at={deposit.createdAt} invoiceId={deposit.invoiceId} />,
  },
  { header: msg('Method'), cell: deposit => methodLabel(deposit.method) },
  {
    header: msg('Status'),
    cell: deposit => (
      <span className="grid max-w-80 justify-items-end gap-1 sm:justify-items-start">
        <DepositStanding deposit={deposit} />
        <span className="text-ink-soft text-sm">{inLocalTime(deposit.label)}</span>
        {deposit.stage === 'confirming' && deposit.confirmations && (
          <Confirmations {...deposit.confirmations} />
        )}
      </span>
    ),
  },
  { header: msg('Amount'), cell: deposit => <Usd value={deposit.amount} />, numeric: true },
  {
    header: msg('Actions'),
    bare: true,
    numeric: true,
    cell: deposit => {
      const words = payWords(deposit)
      return (
        <Cancellable of={{ kind: 'deposit', record: deposit }}>
          <RecordLink
            kind="deposit"
            id={deposit._id}
            label={`${words}: ${deposit.invoiceId}`}
            look={{ tone: 'quiet', size: 'sm' }}
          >
            {words}
          </RecordLink>
        </Cancellable>
      )
    },
  },
]

function AllDeposits() {
  const list = useList(listOwnDeposits)
  return (
    <ListStates
      list={list}
      of={t('your deposits')}
      lines={5}
      empty={<EmptyState>{t('You have not made any deposits yet.')}</EmptyState>}
    >
      {rows => (
        <Table
          caption={t('All your deposits, newest first')}
          columns={columns}
          rows={rows}
          keyOf={row => row._id}
        />
      )}
    </ListStates>
  )
}
