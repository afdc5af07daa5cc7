import type { ReactNode } from 'react'
import type { CallData } from '#shared/contract/define.ts'
import type { getDeposit } from '#shared/contract/deposits.ts'
import type { Deposit } from '#shared/contract/entities.ts'
import { t } from '#shared/i18n/t.ts'
import { DepositStanding } from '#web/components/statuses.tsx'
import { Transfers } from '#web/components/transfers.tsx'
import { Cancellable } from '#web/dashboard/cancel/action.tsx'
import { PaymentPanel } from '#web/dashboard/deposits/payment-panel.tsx'
import { tr } from '#web/tr.ts'
import { Section } from '#web/ui/section.tsx'
import { RecordLink } from './link.tsx'

type DepositBodyProps = { record: Deposit; detail?: CallData<typeof getDeposit> | undefined }

const linkTo = (investment: string) => (words: ReactNode) => (
  <RecordLink kind="investment" id={investment}>
    {words}
  </RecordLink>
)

/** A deposit's state and, while unpaid, how to pay it. */
export function DepositBody({ record, detail }: DepositBodyProps) {
  return (
    <>
      <div>
        <DepositStanding deposit={record} />
      </div>
      <PaymentPanel deposit={record} />
      <Cancellable of={{ kind: 'deposit', record }} />
      {record.investment && (
        <p className="text-ink-soft">
          {detail?.investmentInvoiceId
            ? tr('Pays for {investment}.', {
                investment: linkTo(record.investment)(detail.investmentInvoiceId),
              })
            : tr('Pays for <link>an investment</link>.', { link: linkTo(record.investment) })}
        </p>
      )}
      {detail && detail.transfers.length > 0 && (
        <Section title={t('Seen on the network')}>
          <Transfers of={detail.invoiceId} transfers={detail.transfers} more={detail.moreTransfers} />
        </Section>
      )}
    </>
  )
}
