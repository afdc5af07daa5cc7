import { useState } from 'react'
import type { Investment } from '#shared/contract/entities.ts'
import { reinvestInvestment } from '#shared/contract/investments.ts'
import { t } from '#shared/i18n/t.ts'
import { reinvestmentWords } from '#shared/reinvestment.ts'
import { useMutation } from '#web/api/mutation.ts'
import { Usd } from '#web/components/amounts.tsx'
import { RiskLine } from '#web/components/target.tsx'
import { RecordLink } from '#web/dashboard/record/link.tsx'
import { tr } from '#web/tr.ts'
import { Button } from '#web/ui/button.tsx'
import { ConfirmDialog } from '#web/ui/dialog.tsx'
import { Section } from '#web/ui/section.tsx'

/** What happens to an investment's principal at its end, and the investor's choice of it. Nothing before it is active. */
export function Reinvestment({ investment }: { investment: Investment }) {
  const { status, reinvestment, reinvestedAs } = investment
  if (status !== 'active' && reinvestment === null) return null
  return (
    <Section title={t('At the end')}>
      <p className="mb-3 text-ink-soft">
        {reinvestmentWords(investment)}
        {reinvestedAs && (
          <>
            {' '}
            <RecordLink
              kind="investment"
              id={reinvestedAs._id}
              label={t('Details of {number}', { number: reinvestedAs.invoiceId })}
            >
              {t('View it')}
            </RecordLink>
          </>
        )}
      </p>
      {status === 'active' && <Choice investment={investment} />}
    </Section>
  )
}

function Choice({ investment }: { investment: Investment }) {
  const [asking, ask] = useState(false)
  const { run, pending, error } = useMutation(reinvestInvestment, { onSuccess: () => ask(false) })
  const set = (reinvest: boolean) => void run({ params: { id: investment._id }, body: { reinvest } })
  const isOn = investment.reinvestment !== null
  return (
    <>
      <Button
        tone="quiet"
        size="sm"
        busy={pending && !asking}
        onClick={() => (isOn ? set(false) : ask(true))}
      >
        {isOn ? t('Stop reinvesting') : t('Reinvest at the end')}
      </Button>
      <ConfirmDialog
        open={asking}
        onClose={() => ask(false)}
        title={t('Reinvest at the end?')}
        confirm={t('Reinvest at the end')}
        dismiss={t('Not now')}
        pending={pending}
        refusal={error?.message}
        onConfirm={() => set(true)}
      >
        <Terms investment={investment} />
      </ConfirmDialog>
    </>
  )
}

function Terms({ investment: { amount, plan, percentage, duration } }: { investment: Investment }) {
  return (
    <div className="grid gap-3">
      <p>
        {tr(
          'When we close this investment after its ending date, we put {amount} on hold for a new investment in the {plan} plan: target {percentage, number}% over {duration}. Our team approves it like any other, and you can cancel it until then.',
          { amount: <Usd value={amount} />, plan, percentage, duration },
        )}
      </p>
      <p>
        {t(
          'We do not reinvest your earnings. If the plan’s terms have changed by then, your principal returns to your balance. You can stop this until the day we close the investment.',
        )}
      </p>
      <RiskLine />
    </div>
  )
}
