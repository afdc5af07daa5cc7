import { type TickerSymbol, tickerCoins } from '#shared/coins.ts'
import type { CallData } from '#shared/contract/define.ts'
import { prices } from '#shared/contract/site.ts'
import { t } from '#shared/i18n/t.ts'
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
              className="grid min-w-28 flex-1 gap-0.5 border-rule border-r px-4 py-2.5 first:pl-0 last:border-r-0 last:pr-0"
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
      {isKnown ? `$${price.usd}` : <span className="font-normal text-ink-faint">—</span>}
      {price.state !== 'good' && (
        <span className="ml-1.5 font-normal text-wait text-xs">{priceStateWords[price.state]}</span>
      )}
    </span>
  )
}

/** Texts for the states that make no quote, in order of precedence. */
const explained = [
  ['stale', 'Stale prices are older than five minutes'],
  ['disputed', 'For disputed prices, sources disagree'],
  ['alone', 'A single source has no other to confirm it'],
] as const

/** One line under the ticker: the prices' source and age, and whether they come from a market. */
function Origin({ all }: { all: Price[] }) {
  const shown = all.filter(price => price.symbol in tickerCoins)
  if (shown.length === 0) return 'No prices are available right now.'
  const oldest = shown.reduce((first, price) => (price.at < first.at ? price : first))
  const notes = explained.filter(([state]) => shown.some(price => price.state === state))
  return (
    <>
      {tr('{value}, as of {when}.{value2}', {
        value: shown.some(price => price.sample) ? 'Sample prices, not from a market' : madeOf(shown),
        when: <When at={oldest.at} />,
        value2:
          notes.length > 0 &&
          ` ${notes.map(([, words]) => words).join('. ')}. We make no quotes at these prices.`,
      })}
    </>
  )
}

/** The number of sources and their names; not every source trades every coin. */
function madeOf(shown: Price[]): string {
  const names = [...new Set(shown.flatMap(({ source }) => source.split(', ')))].sort()
  const all = names.map(sourceName).join(', ')
  const counts = shown.map(({ sources }) => sources)
  const [least, most] = [Math.min(...counts), Math.max(...counts)]
  if (most === 1) return `US dollar prices from ${all}`
  return `US dollar prices, medians of ${least === most ? most : `${least} to ${most}`} sources (${all})`
}
