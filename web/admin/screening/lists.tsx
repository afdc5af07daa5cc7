import type { CallData } from '#shared/contract/define.ts'
import { listSanctionsLists } from '#shared/contract/screening.ts'
import { number } from '#shared/i18n/intl.ts'
import { t } from '#shared/i18n/t.ts'
import { staleListDays } from '#shared/limits.ts'
import { useRead } from '#web/api/read.ts'
import { Day, When } from '#web/components/when.tsx'
import { tr } from '#web/tr.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Section } from '#web/ui/section.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { publisherWords } from './words.ts'

type Lists = CallData<typeof listSanctionsLists>
type Row = Lists['lists'][number]

function columnsOf(): readonly Column<Row>[] {
  return [
    { header: t('List'), cell: ({ list }) => publisherWords(list) },
    {
      header: t('Published', {}, 'when'),
      cell: ({ inForce }) => (inForce ? <Day on={inForce.publishedOn} /> : t('Never imported')),
    },
    {
      header: t('Entries'),
      numeric: true,
      cell: ({ inForce }) => (inForce ? number(inForce.entries) : '—'),
    },
    {
      header: t('Wallets'),
      numeric: true,
      cell: ({ inForce }) => (inForce ? number(inForce.wallets) : '—'),
    },
    { header: t('Last changed'), cell: ({ inForce }) => (inForce ? <When at={inForce.importedAt} /> : '—') },
    { header: t('Last checked'), cell: row => <LastCheck of={row} /> },
  ]
}

function LastCheck({ of: { checkedAt, failing, fetched, stale, inForce } }: { of: Row }) {
  return (
    <div className="grid justify-items-start gap-1">
      {checkedAt === null ? '—' : <When at={checkedAt} />}
      <span className="text-ink-soft text-sm">
        {fetched ? t('Fetched every day') : t('Imported manually')}
      </span>
      {failing !== null && (
        <>
          <Badge tone="bad">{failing.refused ? t('New file refused') : t('Cannot be fetched')}</Badge>
          <span className="max-w-prose text-bad text-sm">
            {tr('{why} Since {when}.', {
              why: <bdi>{failing.why}</bdi>,
              when: <When at={failing.since} />,
            })}
            {inForce && ` ${t('The file before it stays in force.')}`}
          </span>
        </>
      )}
      {stale && <Badge tone="bad">{t('Not checked for {days} days', { days: staleListDays })}</Badge>}
    </div>
  )
}

/** Which file of each list is in force, when it was last checked, and whether all names were compared with them. */
export function SanctionsLists() {
  const { data, isError, refetch } = useRead(listSanctionsLists, {})
  return (
    <Section title={t('Lists in force')}>
      {data !== undefined && (
        <>
          <Table
            caption={t('The file of each list that is in force')}
            columns={columnsOf()}
            rows={data.lists}
            keyOf={({ list }) => list}
          />
          <p className="mt-4 text-ink-soft">{comparedWords(data)}</p>
        </>
      )}
      {data === undefined && isError && (
        <FailedState onRetry={() => void refetch()}>{t('The lists could not be loaded.')}</FailedState>
      )}
      {data === undefined && !isError && <Loading label={t('Loading the lists')} lines={4} />}
    </Section>
  )
}

function comparedWords({ lists, toCompare: { count, isAtLeast } }: Lists): string {
  if (lists.every(({ inForce }) => inForce === null)) {
    return t(
      'No list was ever imported, so no name was compared. The person who runs the servers imports them.',
    )
  }
  if (count === 0) return t('All names were compared with these files.')
  return isAtLeast
    ? t(
        'More than {count, plural, one {# name} other {# names}} still to compare with these files. This continues automatically.',
        { count },
      )
    : t(
        '{count, plural, one {# name} other {# names}} still to compare with these files. This continues automatically.',
        { count },
      )
}
