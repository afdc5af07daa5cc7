import { Download } from 'lucide-react'
import { useState } from 'react'
import { getJournal, type JournalFormat, journalFile } from '#shared/contract/journal.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { useDownload } from '#web/api/download.ts'
import { useRead } from '#web/api/read.ts'
import { DayInput, Part } from '#web/components/day-input.tsx'
import { pageMeta } from '#web/meta.ts'
import { tr } from '#web/tr.ts'
import { Button } from '#web/ui/button.tsx'
import { RadioTile, Select } from '#web/ui/input.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'

export const meta = pageMeta(msg('Journal'))

/** The whole journal as a file for accountants (decision 162). */
export default function JournalPage() {
  const { data, isError, refetch } = useRead(getJournal, {})
  return (
    <>
      <PageHead
        title={t('Journal')}
        lead={t('Every transaction of the ledger as a file for an accounting program or a spreadsheet.')}
      />
      {!data && !isError && <Loading label={t('Loading the days of the journal')} lines={6} />}
      {!data && isError && (
        <FailedState onRetry={() => void refetch()}>
          {t('The days of the journal could not be loaded.')}
        </FailedState>
      )}
      {data?.firstDay === null && <EmptyState>{t('No transaction has been posted yet.')}</EmptyState>}
      {data && data.firstDay !== null && (
        <div className="grid grid-cols-1 gap-12">
          <Choice firstDay={data.firstDay} today={data.today} />
          <Contents />
        </div>
      )}
    </>
  )
}

const formats: readonly [JournalFormat, name: string, words: string][] = [
  ['hledger', 'hledger', msg('Checks the closing balances of every account')],
  ['beancount', 'Beancount', msg('Checks the closing balances of every account')],
  ['csv', 'CSV', msg('For spreadsheets and other programs')],
]

/** Values of the period besides the years. */
const [ALL, OTHER] = ['all', 'other']

function Choice({ firstDay, today }: { firstDay: string; today: string }) {
  const [period, setPeriod] = useState(today.slice(0, 4))
  const [own, setOwn] = useState<{ from?: string; to?: string }>({ from: firstDay, to: today })
  const [format, setFormat] = useState<JournalFormat>('hledger')
  const { run, pending } = useDownload(journalFile)
  const query = { ...daysOf(period, own), format }
  const isReversed = query.from !== undefined && query.to !== undefined && query.to < query.from
  return (
    <Section title={t('Download')}>
      <div className="grid max-w-3xl gap-6">
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-3">
          <Part label={t('Period')}>
            <Select value={period} onChange={event => setPeriod(event.target.value)}>
              {yearsBetween(firstDay, today).map(year => (
                <option key={year} value={year}>
                  {today.startsWith(year) ? t('{year} (so far)', { year }) : year}
                </option>
              ))}
              <option value={ALL}>{t('All days')}</option>
              <option value={OTHER}>{t('Other days')}</option>
            </Select>
          </Part>
          {period === OTHER && (
            <>
              <Part label={t('From (UTC)')}>
                <DayInput day={own.from} onDay={from => setOwn({ ...own, from })} />
              </Part>
              <Part label={t('To (UTC)')}>
                <DayInput
                  day={own.to}
                  onDay={to => setOwn({ ...own, to })}
                  aria-invalid={isReversed || undefined}
                  aria-describedby={isReversed ? 'days-error' : undefined}
                />
              </Part>
            </>
          )}
        </div>
        {isReversed && (
          <p id="days-error" role="alert" className="text-bad text-sm">
            {t('The last day cannot be before the first')}
          </p>
        )}
        <fieldset className="grid grid-cols-1 gap-3 sm:grid-cols-3">
          <legend className="mb-1.5 font-medium text-sm">{t('Format')}</legend>
          {formats.map(([value, name, words]) => (
            <RadioTile
              key={value}
              name="format"
              value={value}
              checked={format === value}
              onChange={() => setFormat(value)}
            >
              <span className="block font-medium">{name}</span>
              <span className="block text-ink-soft text-sm">{translate(words)}</span>
            </RadioTile>
          ))}
        </fieldset>
        <div>
          <Button busy={pending} disabled={isReversed} onClick={() => run({ query })}>
            <Download aria-hidden="true" />
            {t('Download journal')}
          </Button>
        </div>
      </div>
    </Section>
  )
}

function daysOf(period: string, own: { from?: string; to?: string }): { from?: string; to?: string } {
  if (period === ALL) return {}
  return period === OTHER ? own : { from: `${period}-01-01`, to: `${period}-12-31` }
}

/** The newest first. */
function yearsBetween(firstDay: string, today: string): string[] {
  const [first, last] = [firstDay, today].map(day => Number(day.slice(0, 4))) as [number, number]
  return Array.from({ length: last - first + 1 }, (_, n) => String(last - n))
}

function Contents() {
  return (
    <Section title={t('What the file contains')}>
      <ul className="grid max-w-3xl list-disc gap-2 ps-5 text-ink-soft">
        <li>
          {t('The balance of every account at the beginning, if the ledger is older than the first day.')}
        </li>
        <li>{t('Every transaction of these UTC days with its number, its accounts and exact amounts.')}</li>
        <li>
          {tr(
            'The closing balances as the ledger has them. {hledger} and {beancount} add up all postings and refuse the file if one balance differs.',
            { hledger: <code dir="ltr">hledger check</code>, beancount: <code dir="ltr">bean-check</code> },
          )}
        </li>
        <li>
          {t(
            'No names, contact details or wallet addresses: each investor has a number. Sources of returns appear as your team entered them, and paid withdrawals with their network transaction.',
          )}
        </li>
        <li>
          {t(
            'Payouts in USD only: the ledger does not book the coins that left for a withdrawal. It has no fees either, and no income or costs of the firm beyond recorded returns.',
          )}
        </li>
      </ul>
    </Section>
  )
}
