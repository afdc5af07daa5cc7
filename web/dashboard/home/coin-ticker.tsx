import { Fragment, type ReactNode } from 'react'
import { type TickerSymbol, tickerCoins } from '#shared/coins.ts'
import type { CallData } from '#shared/contract/define.ts'
import { prices } from '#shared/contract/site.ts'
import { localRate } from '#shared/i18n/amounts.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { useRead } from '#web/api/read.ts'
import { priceStateWords, sourceName } from '#web/components/prices.ts'
import { When } from '#web/components/when.tsx'
import { ScrollRegion } from '#web/dashboard/scroll-region.tsx'
import { tr } from '#web/tr.ts'

type Price = CallData<typeof prices>[number]

/** Polling interval in milliseconds, about as often as the server queries its sources. */
const everyMs = 60_000

const symbols = Object.keys(tickerCoins) as TickerSymbol[]

/** The seven coins in USD (D-02, D10) from our own feed; sample prices are marked. */
export function CoinTicker() {
  const { data } = useRead(prices, {}, { every: everyMs })
  return (
    <section aria-label={t('Coin prices')} className="mb-8">
      <ScrollRegion label={t('Coin prices')}>
        <ul className="flex min-w-max border-rule border-y">
          {symbols.map(symbol => (
            <li
              key={symbol}
              className="grid min-w-28 flex-1 gap-0.5 border-rule border-e px-4 py-2.5 first:ps-0 last:border-e-0 last:pe-0"
            >
              <span className="flex items-baseline gap-1.5 text-sm">
                {tickerCoins[symbol]} <span className="text-ink-faint text-xs">{symbol}</span>
              </span>
              <PriceOf price={data?.find(price => price.symbol === symbol)} waiting={data === undefined} />
            </li>
          ))}
        </ul>
      </ScrollRegion>
      <p className="mt-1.5 min-h-[1.4em] text-ink-faint text-xs">{data && <Origin all={data} />}</p>
    </section>
  )
}

function PriceOf({ price, waiting }: { price: Price | undefined; waiting: boolean }) {
  if (!price) return <span className="text-ink-faint">{waiting ? '…' : '—'}</span>
  // If sources disagree, no source quotes the median.
  const isKnown = price.state !== 'disputed'
  return (
    <span className="font-medium tabular-nums">
      {isKnown ? localRate(price.usd) : <span className="font-normal text-ink-faint">—</span>}
      {price.state !== 'good' && (
        <span className="ms-1.5 font-normal text-wait text-xs">
          {translate(priceStateWords[price.state])}
        </span>
      )}
    </span>
  )
}

/** Texts for the states that make no quote, in order of precedence. */
const explained = [
  ['stale', msg('Stale prices are older than five minutes.')],
  ['disputed', msg('For disputed prices, sources disagree.')],
  ['alone', msg('A single source has no other to confirm it.')],
] as const

/** One line under the ticker: the prices' source and age, and whether they come from a market. */
function Origin({ all }: { all: Price[] }) {
  const shown = all.filter(price => price.symbol in tickerCoins)
  if (shown.length === 0) return t('No prices are available right now.')
  const oldest = shown.reduce((first, price) => (price.at < first.at ? price : first))
  const notes = explained.filter(([state]) => shown.some(price => price.state === state))
  return (
    <>
      {originOf(shown, <When at={oldest.at} />)}
      {notes.map(([state, words]) => (
        <Fragment key={state}> {translate(words)}</Fragment>
      ))}
      {notes.length > 0 && ` ${t('We make no quotes at these prices.')}`}
    </>
  )
}

/** The number of sources, their names and the age; not every source trades every coin. */
function originOf(shown: Price[], time: ReactNode): ReactNode {
  if (shown.some(price => price.sample))
    return tr('Sample prices, not from a market, as of {time}.', { time })
  const names = [...new Set(shown.flatMap(({ source }) => source.split(', ')))].sort()
  const list = names.map(sourceName).join(', ')
  const counts = shown.map(({ sources }) => sources)
  const [least, most] = [Math.min(...counts), Math.max(...counts)]
  if (most === 1) return tr('US dollar prices from {list}, as of {time}.', { list, time })
  if (least === most)
    return tr('US dollar prices, medians of {count} sources ({list}), as of {time}.', {
      count: most,
      list,
      time,
    })
  return tr('US dollar prices, medians of {least} to {most} sources ({list}), as of {time}.', {
    least,
    most,
    list,
    time,
  })
}
