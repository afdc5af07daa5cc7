import { Download } from 'lucide-react'
import { statementCsv, statementPdf } from '#shared/contract/ledger.ts'
import { number } from '#shared/i18n/intl.ts'
import { t } from '#shared/i18n/t.ts'
import { maximumPdfLines } from '#shared/limits.ts'
import { useDownload } from '#web/api/download.ts'
import { tr } from '#web/tr.ts'
import { Button } from '#web/ui/button.tsx'
import { queryOf, type StatementFilter } from './filter.ts'

type ExportsProps = {
  filter: StatementFilter
  total: number | undefined
  /** Another user's statement, for staff. */
  userId?: string
}

/** Exports the filtered statement as CSV or PDF. */
export function Exports({ filter, total, userId }: ExportsProps) {
  const csv = useDownload(statementCsv)
  const pdf = useDownload(statementPdf)
  const query = { ...queryOf(filter), userId }
  const isTooLong = total !== undefined && total > maximumPdfLines
  return (
    <div className="grid justify-items-start gap-1.5">
      <div className="flex flex-wrap gap-3">
        <Button tone="quiet" size="sm" busy={csv.pending} onClick={() => csv.run({ query })}>
          {tr('{download}Download CSV', { download: <Download aria-hidden="true" /> })}
        </Button>
        <Button
          tone="quiet"
          size="sm"
          busy={pdf.pending}
          disabled={isTooLong}
          aria-describedby={isTooLong ? 'pdf-limit' : undefined}
          onClick={() => pdf.run({ query })}
        >
          {tr('{download}Download PDF', { download: <Download aria-hidden="true" /> })}
        </Button>
      </div>
      {isTooLong && (
        <p id="pdf-limit" className="text-ink-soft text-sm">
          {t('A PDF can have at most {count} entries. Choose a shorter period, or download the CSV.', {
            count: number(maximumPdfLines),
          })}
        </p>
      )}
    </div>
  )
}
