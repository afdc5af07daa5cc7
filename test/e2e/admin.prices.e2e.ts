import { expect, type Page, test } from '@playwright/test'
import type { CallData } from '#shared/contract/define.ts'
import type { prices as listPrices } from '#shared/contract/site.ts'
import { openPriceSources, type PriceSources } from '#test/support/price-sources.ts'
import { region } from './support/console.ts'
import { expectSound, widths } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import { browserOf, callApi, consoleOf, logIn, openAccount, phone, stranger } from './support/people.ts'

/** What investors and staff see of the price feed, with real sources behind it, on a server of the journey's own. */

const settings: NodeJS.ProcessEnv = {}
let sources: PriceSources
test.beforeAll(async () => {
  sources = await openPriceSources(() => new Date())
  sources.say('gemini', { ...sources.usual, BTC: '9712.34' })
  sources.behave('bitstamp', { status: 429, retryAfter: '3600' })
  sources.say('coinbase', { BTC: '97123.4567', DASH: '41.2' })
  sources.say('kraken', { ...sources.usual, DASH: '30', XRP: '3' })
  settings.PRICE_SOURCES = 'kraken,coindesk,gemini,bitstamp,coinbase'
  settings.PRICE_SOURCE_URLS = Object.entries(sources.urls)
    .map(pair => pair.join('='))
    .join(',')
})
test.afterAll(() => sources.close())
ownProduct('prices', { settings })

const rowOf = (page: Page, table: string, name: string) =>
  page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: name })

/** What a busy machine has not answered in time is asked for again in the next minute. */
const expected = ['BTC 3', 'ETH 2', 'EOS 2', 'XRP disputed', 'LTC 2', 'DOGE 2', 'DASH 2', 'USDT 1']
test.beforeEach(async ({ request }) => {
  test.setTimeout(300_000)
  const found = async () => {
    const prices = await callApi<CallData<typeof listPrices>>(request, 'GET', '/price/get-all')
    return prices.map(({ symbol, state, sources: n }) => `${symbol} ${state === 'good' ? n : state}`)
  }
  await expect.poll(found, { timeout: 150_000 }).toEqual(expected)
})

test('[C-30, N-01] the console shows how each price source answers', async ({ browser }) => {
  const page = await consoleOf(browser, { path: '/admin/prices' })
  const kraken = rowOf(page, 'Price sources', 'Kraken')
  await expect(kraken).toContainText('OK')
  await expect(kraken).toContainText(/\d+ (s|min) old/)
  const bitstamp = rowOf(page, 'Price sources', 'Bitstamp')
  await expect(bitstamp).toContainText('Paused')
  await expect(bitstamp).toContainText(/\d failures? in a row, until/)
  await expect(bitstamp).toContainText('Answered 429: retry in 3600 s')

  const bitcoin = rowOf(page, 'Coin prices', 'Bitcoin')
  await expect(bitcoin).toContainText('$97,123.4567')
  await expect(bitcoin).toContainText('Good')
  await expect(bitcoin.getByRole('listitem').filter({ hasText: 'Gemini' })).toContainText('rejected')
  await expect(bitcoin.getByRole('listitem').filter({ hasText: 'CoinDesk BPI' })).not.toContainText(
    'rejected',
  )
  const dash = rowOf(page, 'Coin prices', 'Dash')
  await expect(dash).toContainText('Good')
  await expect(dash.getByRole('listitem').filter({ hasText: 'Kraken' })).toContainText('rejected')
  const ripple = rowOf(page, 'Coin prices', 'Ripple')
  await expect(ripple).toContainText('Disputed')
  await expect(ripple.getByRole('listitem').filter({ hasText: 'Kraken' })).toContainText('disputed')
  await expect(region(page, 'Coins')).toContainText('needs 2 sources')
  await expectSound(page, widths)
})

test('[C-30, D-02] the ticker names its sources, and shows no price where they disagree', async ({
  browser,
  request,
}) => {
  const person = stranger('Petra Prices')
  await openAccount(request, person)
  const page = await browserOf(browser, phone)
  await logIn(page, person)
  const ticker = page.getByRole('region', { name: 'Coin prices' }).first()
  const item = (coin: string) => ticker.getByRole('listitem').filter({ hasText: coin })
  await expect(item('Bitcoin')).toContainText('$97,123.4567')
  await expect(item('EOS')).toContainText('$0.7911')
  await expect(ticker).toContainText(
    'US dollar prices, medians of 2 to 3 sources (Coinbase Exchange, CoinDesk BPI, Gemini, Kraken), as of',
  )
  await expect(ticker).not.toContainText('Sample')
  await expect(item('Ripple')).toContainText('—')
  await expect(item('Ripple')).toContainText('disputed')
  await expect(item('Ripple')).not.toContainText('$')
  await expect(ticker).toContainText(
    'For disputed prices, sources disagree. We make no quotes at these prices.',
  )
  await expectSound(page)
})
