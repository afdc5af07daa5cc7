import { listPostings, type PostedEvent } from '#shared/contract/console.ts'
import { localUsd } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
import { parseUsd, withCommas } from '#shared/money.ts'
import { useRead } from '#web/api/read.ts'
import { Amount } from '#web/components/amounts.tsx'
import { When } from '#web/components/when.tsx'
import { tr } from '#web/tr.ts'
import { Section } from '#web/ui/section.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { postingsAnchor } from './anchor.ts'
import { mayCall } from './rights.ts'

type Leg = PostedEvent['legs'][number] & { key: string; event: PostedEvent; isFirst: boolean }

const columns = (): readonly Column<Leg>[] => [
  { header: t('Event'), cell: leg => <EventCell leg={leg} /> },
  { header: t('From', {}, 'an account'), cell: leg => leg.from },
  { header: t('To', {}, 'an account'), cell: leg => leg.to },
  { header: t('Amount'), cell: leg => <Amount>{amountOf(leg)}</Amount>, numeric: true },
]

/** A record's postings with both accounts, for those who may see the books. */
export function Posted({ id, className }: { id: string; className?: string }) {
  if (!mayCall(listPostings)) return null
  return (
    <Section title={t('Postings')} anchor={postingsAnchor} className={className}>
      <PostedEvents id={id} />
    </Section>
  )
}

function PostedEvents({ id }: { id: string }) {
  const { data, isError, refetch } = useRead(listPostings, { params: { id } })
  if (isError && !data) {
    return <FailedState onRetry={() => void refetch()}>{t('The postings could not be loaded.')}</FailedState>
  }
  if (!data) return <Loading label={t('Loading the postings')} />
  if (data.length === 0) return <p className="text-ink-soft">{t('No money has moved for it yet.')}</p>
  return (
    <Table
      caption={t('Postings, oldest first: each with its debit and credit account')}
      columns={columns()}
      rows={data.flatMap(legsOf)}
      keyOf={leg => leg.key}
    />
  )
}

function legsOf(event: PostedEvent): Leg[] {
  return event.legs.map((leg, n) => ({ ...leg, event, isFirst: n === 0, key: `${event._id} ${n}` }))
}

/** Only an event's first posting shows its description. */
function EventCell({ leg: { event, isFirst } }: { leg: Leg }) {
  if (!isFirst) return <span className="text-ink-faint text-sm">{event.description}</span>
  return (
    <span className="grid gap-0.5">
      <span className="font-medium">{event.description}</span>
      <span className="text-ink-faint text-xs">
        {event.actorName === null
          ? tr('{when} automatically', { when: <When at={event.at} /> })
          : tr('{when} by {name}', { when: <When at={event.at} />, name: <bdi>{event.actorName}</bdi> })}
      </span>
      {event.note && <span className="wrap-anywhere text-ink-soft text-sm">{event.note}</span>}
    </span>
  )
}

function amountOf({ asset, amount }: Leg): string {
  return asset === 'USD' ? localUsd(parseUsd(amount)!) : `${withCommas(amount)} ${asset}`
}
