import { useState } from 'react'
import { listStatistics, orderStatistics, type WrittenStatistic } from '#shared/contract/firm.ts'
import type { Statistic } from '#shared/contract/site.ts'
import { evidenceKind } from '#shared/evidence.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { Actions } from '#web/admin/actions/actions.tsx'
import { RecordCell } from '#web/admin/tables/record-cell.tsx'
import { OrderDialog } from '#web/admin/versions/order-dialog.tsx'
import { useRead } from '#web/api/read.ts'
import { FigureLabel, figureValue } from '#web/components/figure.tsx'
import { Day, When } from '#web/components/when.tsx'
import { useSite } from '#web/frame.ts'
import { pageMeta } from '#web/meta.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { focusHome } from '#web/ui/focus-home.ts'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { AddFigure, figureActions } from './dialogs.tsx'

export const meta = pageMeta(msg('Statistics'))

const measuredColumns: readonly Column<Statistic>[] = [
  { header: msg('Figure'), cell: figure => <FigureLabel {...figure} /> },
  { header: msg('Value'), cell: figure => <bdi>{figureValue(figure)}</bdi>, numeric: true },
  { header: msg('Query'), cell: ({ source }) => <bdi>{source}</bdi> },
  { header: msg('As of'), cell: ({ asOf }) => <When at={asOf} /> },
]

const writtenColumns: readonly Column<WrittenStatistic>[] = [
  {
    header: msg('Figure'),
    cell: figure => (
      <RecordCell note={t('Version {version}', { version: figure.version })}>
        <FigureLabel kind={figure.kind} label={figure.label} />
      </RecordCell>
    ),
  },
  { header: msg('Value'), cell: ({ value }) => <bdi>{value}</bdi>, numeric: true },
  {
    get header() {
      return t('Source', {}, 'of a figure')
    },
    cell: ({ source }) => <bdi>{source}</bdi>,
  },
  { header: msg('Evidence'), cell: ({ evidence }) => <Evidence evidence={evidence} /> },
  { header: msg('As of'), cell: ({ asOf }) => <Day on={asOf} /> },
  { header: msg('State'), cell: figure => <State figure={figure} /> },
  { header: msg('Action'), cell: figure => <Actions actions={figureActions(figure)} /> },
]

function Evidence({ evidence }: { evidence: string | null }) {
  if (evidence === null) return '—'
  if (evidenceKind(evidence) !== 'link') return <bdi>{evidence}</bdi>
  return (
    <a className="prose-link" href={evidence} target="_blank" rel="noopener noreferrer">
      <bdi>{evidence}</bdi>
      <span className="sr-only">{t(' (opens in a new tab)')}</span>
    </a>
  )
}

function State({ figure: { shown, kind } }: { figure: WrittenStatistic }) {
  if (!shown) return <Badge tone="plain">{t('Hidden')}</Badge>
  return kind === 'sample' ? (
    <Badge tone="wait">{t('Sample')}</Badge>
  ) : (
    <Badge tone="good">{t('Shown')}</Badge>
  )
}

/** Business figures (N-14, D1.3): measured from the ledger, or custom with source, date and evidence. */
export default function StatisticsPage() {
  const { mode } = useSite()
  const [open, setOpen] = useState<'add' | 'order'>()
  const { data, isError, refetch } = useRead(listStatistics, {})
  const close = () => setOpen(undefined)
  return (
    <>
      <PageHead
        title={t('Statistics')}
        lead={t('Every business figure is shown with its source and date.')}
        aside={
          <>
            <Button tone="quiet" disabled={!data || data.written.length < 2} onClick={() => setOpen('order')}>
              {t('Reorder')}
            </Button>
            <Button onClick={() => setOpen('add')}>{t('Add a figure')}</Button>
          </>
        }
      />
      {!data && !isError && <Loading label={t('Loading the figures')} lines={8} />}
      {!data && isError && (
        <FailedState onRetry={() => void refetch()}>{t('The figures could not be loaded.')}</FailedState>
      )}
      {data && (
        <div className="grid grid-cols-1 gap-12">
          <Section title={t('Custom figures')}>
            <Written figures={data.written} />
          </Section>
          <Section title={t('Measured from the ledger')}>
            <p className="mb-4 text-ink-soft">
              {mode === 'live'
                ? t('The home page shows them first, updated every minute.')
                : t(
                    'A live site shows them. This demonstration shows sample figures instead, marked as such.',
                  )}
            </p>
            <Table
              caption={t('Figures measured from the ledger')}
              columns={measuredColumns}
              rows={data.measured}
              keyOf={figure => figure.label}
            />
          </Section>
        </div>
      )}
      {open === 'add' && <AddFigure onClose={close} />}
      {open === 'order' && data && (
        <OrderDialog
          call={orderStatistics}
          of={t('figures')}
          items={data.written.map(({ _id, label, shown }) => ({
            id: _id,
            name: label,
            note: shown ? undefined : t('(hidden)'),
          }))}
          input={ids => ({ body: { ids } })}
          onClose={close}
        />
      )}
    </>
  )
}

function Written({ figures }: { figures: readonly WrittenStatistic[] }) {
  if (figures.length === 0) return <EmptyState>{t('No custom figures yet')}</EmptyState>
  return (
    <div {...focusHome} className="outline-none">
      <Table
        caption={t('Custom figures')}
        columns={writtenColumns}
        rows={figures}
        keyOf={figure => figure._id}
        wide
      />
    </div>
  )
}
