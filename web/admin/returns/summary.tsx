import type { ReactNode } from 'react'
import { returnSummary } from '#shared/contract/returns.ts'
import { t } from '#shared/i18n/t.ts'
import { useRead } from '#web/api/read.ts'
import { Usd, usdOrWait } from '#web/components/amounts.tsx'
import { tr } from '#web/tr.ts'
import { Figure, Figures } from '#web/ui/figure.tsx'
import { Section } from '#web/ui/section.tsx'
import { FailedState } from '#web/ui/states.tsx'

/** Recorded returns: the only source of earnings (D1.2, N-11). */
export function ReturnsSummary({ title, aside }: { title: string; aside?: ReactNode }) {
  const { data, isError, refetch } = useRead(returnSummary, {})
  return (
    <Section title={title} aside={aside}>
      {isError && !data ? (
        <FailedState onRetry={() => void refetch()}>
          {t('The recorded returns could not be loaded.')}
        </FailedState>
      ) : (
        <Figures inLines>
          <Figure
            label={t('Recorded', {}, 'in total')}
            value={usdOrWait(data?.recorded)}
            note={t('Realised by the firm, with evidence')}
          />
          <Figure
            label={t('Paid out')}
            value={usdOrWait(data?.paidOut)}
            note={t('As earnings, to investors')}
          />
          <Figure
            label={t('Left to pay out')}
            value={usdOrWait(data?.left)}
            note={
              data?.voidProposed
                ? tr('Another {amount} may be voided and pays nothing until then', {
                    amount: <Usd value={data.voidProposed} />,
                  })
                : t('Recorded − paid out')
            }
          />
        </Figures>
      )}
    </Section>
  )
}
