import type { CallData } from '#shared/contract/define.ts'
import type { Investment } from '#shared/contract/entities.ts'
import type { getInvestment } from '#shared/contract/investments.ts'
import { t } from '#shared/i18n/t.ts'
import { InvestmentBadges, InvestmentEarnings, InvestmentTerms } from '#web/components/investment-parts.tsx'
import { DepositStanding } from '#web/components/statuses.tsx'
import { Cancellable } from '#web/dashboard/cancel/action.tsx'
import { PaymentPanel } from '#web/dashboard/deposits/payment-panel.tsx'
import { WaitsFor } from '#web/dashboard/identity/notice.tsx'
import { Reinvestment } from '#web/dashboard/investments/reinvestment.tsx'
import { Section } from '#web/ui/section.tsx'
import { LetterButton } from './letter-button.tsx'
import { RecordLink } from './link.tsx'

type InvestmentBodyProps = { record: Investment; detail?: CallData<typeof getInvestment> | undefined }

/** An investment's terms, payment and earnings (D-03, D-07). */
export function InvestmentBody({ record, detail }: InvestmentBodyProps) {
  return (
    <>
      <InvestmentBadges investment={record} />
      <WaitsFor kind={detail?.waitsFor} />
      <Cancellable of={{ kind: 'investment', record }} />
      <div className="grid gap-3">
        <InvestmentTerms investment={record} />
        {(record.status === 'active' || record.status === 'inactive') && <LetterButton id={record._id} />}
      </div>
      <Reinvestment investment={record} />
      {detail?.deposit && (
        <Section title={t('Payment')}>
          <div className="mb-4">
            <DepositStanding deposit={detail.deposit} />
          </div>
          <PaymentPanel deposit={detail.deposit} />
        </Section>
      )}
      {detail && (
        <Section title={t('Earnings')}>
          <InvestmentEarnings
            earnings={detail.earnings}
            source={earning => (
              <RecordLink kind="earning" id={earning._id}>
                {earning.source}
              </RecordLink>
            )}
          />
        </Section>
      )}
    </>
  )
}
