import { Download } from 'lucide-react'
import { useState } from 'react'
import { me } from '#shared/contract/accounts.ts'
import { yearCsv, yearPdf } from '#shared/contract/ledger.ts'
import { t } from '#shared/i18n/t.ts'
import { useDownload } from '#web/api/download.ts'
import { useRead } from '#web/api/read.ts'
import { zone } from '#web/components/days.ts'
import { tr } from '#web/tr.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { Select } from '#web/ui/input.tsx'
import { Section } from '#web/ui/section.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'

/** Downloads of one calendar year, from the account's first year to this one. */
export function YearlyStatement() {
  const { data, isError, refetch } = useRead(me, {})
  return (
    <Section title={t('Yearly statement')} className="mb-10">
      <p className="mb-4 max-w-3xl text-ink-soft">
        {t(
          'What you paid in, earned and withdrew in a calendar year, with your balance at its start and end. The PDF also lists earnings by day and source. It is a record of your account, not tax advice.',
        )}
      </p>
      {data && <Downloads firstYear={new Date(data.createdAt).getFullYear()} />}
      {!data && !isError && <Loading label={t('Loading your years')} lines={1} />}
      {!data && isError && (
        <FailedState onRetry={() => void refetch()}>{t('Your years could not be loaded.')}</FailedState>
      )}
    </Section>
  )
}

function Downloads({ firstYear }: { firstYear: number }) {
  const thisYear = new Date().getFullYear()
  const years = Array.from({ length: thisYear - firstYear + 1 }, (_, n) => thisYear - n)
  const [year, setYear] = useState(thisYear)
  const csv = useDownload(yearCsv)
  const pdf = useDownload(yearPdf)
  const query = { year, zone: zone() }
  return (
    <div className="flex flex-wrap items-end gap-3">
      <Field name="year" label={t('Year')}>
        <Select value={year} onChange={event => setYear(Number(event.target.value))}>
          {years.map(of => (
            <option key={of}>{of}</option>
          ))}
        </Select>
      </Field>
      <Button tone="quiet" busy={csv.pending} onClick={() => csv.run({ query })}>
        {tr('{download}Year as CSV', { download: <Download aria-hidden="true" /> })}
      </Button>
      <Button tone="quiet" busy={pdf.pending} onClick={() => pdf.run({ query })}>
        {tr('{download}Year as PDF', { download: <Download aria-hidden="true" /> })}
      </Button>
    </div>
  )
}
