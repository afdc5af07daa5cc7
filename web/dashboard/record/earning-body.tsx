import type { CallData } from '#shared/contract/define.ts'
import type { getEarning } from '#shared/contract/earnings.ts'
import type { Earning, EarningReturn } from '#shared/contract/entities.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { Usd } from '#web/components/amounts.tsx'
import { Evidence } from '#web/components/evidence.tsx'
import { EarningBadge } from '#web/components/statuses.tsx'
import { Day, When } from '#web/components/when.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Section } from '#web/ui/section.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { RecordLink } from './link.tsx'

const columns: readonly Column<EarningReturn>[] = [
  { header: msg('Earned on'), cell: part => <Source part={part} /> },
  { header: msg('Realised'), cell: part => <Day on={part.realisedAt} /> },
  { header: msg('Evidence'), cell: part => <Evidence of={part} /> },
  { header: msg('Amount'), cell: part => <Usd value={part.amount} />, numeric: true },
]

function Source({ part: { source, restVoided } }: { part: EarningReturn }) {
  if (!restVoided) return source
  return (
    <span className="grid gap-0.5">
      {source}
      <span className="text-ink-soft text-sm">{t('The firm has voided the rest of this return since.')}</span>
    </span>
  )
}

type EarningBodyProps = { record: Earning; detail?: CallData<typeof getEarning> | undefined }

/** An earning and the recorded returns that paid it (D1.2). */
export function EarningBody({ record, detail }: EarningBodyProps) {
  const { investment, investmentLabel } = record
  return (
    <>
      <p>
        <EarningBadge status={record.status} />
      </p>
      <DescriptionList
        entries={[
          [t('Amount'), <Usd key="amount" value={record.amount} />],
          [t('Added'), <When key="created" at={record.createdAt} />],
          [
            t('Investment'),
            investment && (
              <RecordLink key="investment" kind="investment" id={investment}>
                {investmentLabel}
              </RecordLink>
            ),
          ],
          [t('Note'), record.note],
          [t('Reason for declining'), record.declineReason],
        ]}
      />
      {detail && record.status !== 'declined' && (
        <Section title={t('Paid from')}>
          {detail.returns.length === 0 ? (
            <p className="text-ink-soft">
              {t(
                'Waiting for a second approval by our team. Once paid, the recorded returns that funded it appear here.',
              )}
            </p>
          ) : (
            <Table
              caption={t('Recorded returns that paid this earning')}
              columns={columns}
              rows={detail.returns}
              keyOf={part => `${part.realisedAt} ${part.source} ${part.evidence}`}
            />
          )}
        </Section>
      )}
    </>
  )
}
