import { type APIRequestContext, expect, type Page, test } from '@playwright/test'
import type { Plan } from '#shared/contract/entities.ts'
import type { ProofOverview } from '#shared/contract/proof.ts'
import type { FirmInLanguage, Statistic } from '#shared/contract/site.ts'
import { riskLine } from '#shared/plans.ts'
import { callApi } from './support/people.ts'

/**
 * No figure about the business without its origin (D1.3, D1.4). Every number on a public page stands in an element
 * that says where it comes from (`data-figure`, or `data-statistic` with its provenance beside it), and what it says is
 * compared with that origin.
 */

test.use({ javaScriptEnabled: false, contextOptions: { reducedMotion: 'reduce' } })

type Origin = 'firm' | 'plan' | 'proof' | 'example' | 'statistic'
/** What the firm says of itself, and what two admins have decided. */
type FirmAndSettings = { firm: FirmInLanguage; paymentWindowMinutes: number }
type Found = { origin: Origin | null; text: string; context: string }

/** Every text with a number in it, and what claims above stand for one. */
async function figuresOf(page: Page): Promise<Found[]> {
  return page.evaluate(() => {
    const found: Found[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement
      // Names of coins and standards are no figures; numerals of a list are not read out.
      const text = (node.textContent ?? '').replaceAll(/TRC-20|TRC20|RFC 6962|C2SP|Node 20/g, '')
      const claims =
        /\d|%|\b(dozens?|hundreds?|thousands|millions?|billions?|per ?cent|majority|leading|largest)\b/i
      if (!element || !claims.test(text) || element.closest('[aria-hidden=true], script, style, #check pre'))
        continue
      const marked = element.closest<HTMLElement>('[data-figure], [data-statistic]')
      const origin = marked?.dataset.statistic ? 'statistic' : (marked?.dataset.figure ?? null)
      found.push({ origin: origin as Origin | null, text, context: (marked ?? element).textContent ?? '' })
    }
    return found
  })
}

const numbersIn = (text: string) =>
  (text.match(/\d[\d,]*(?:\.\d+)?/g) ?? []).map(number => number.replaceAll(',', ''))

/** What the plans of the catalogue say, and what their targets come to on their minimum. */
async function planNumbers(request: APIRequestContext): Promise<Set<string>> {
  const plans = await callApi<Plan[]>(request, 'GET', '/plan/get-all')
  return new Set(
    plans.flatMap(({ percentage, minimum, maximum, duration, note }) => [
      String(percentage),
      String(minimum),
      minimum.toFixed(2),
      String(maximum),
      ((minimum * percentage) / 100).toFixed(2),
      ...numbersIn(`${duration} ${note ?? ''}`),
    ]),
  )
}

/** What the public proof says of itself. */
async function publishedNumbers(request: APIRequestContext): Promise<Set<string>> {
  const overview = await callApi<ProofOverview>(request, 'GET', '/proof/overview')
  const amounts = overview.listed.map(({ owed }) => owed.toFixed(2))
  // Days of the month stand without a leading zero.
  return new Set(
    numbersIn(`${JSON.stringify(overview)} ${amounts.join(' ')}`).flatMap(n => [n, n.replace(/^0/, '')]),
  )
}

for (const path of [
  '/',
  '/about',
  '/investment-plans',
  '/services',
  '/contact',
  '/contact?sent=1',
  '/proof',
  '/faq',
  '/no/such/page',
]) {
  test(`[P-04, P-09, P-12] every figure on ${path} has its origin`, async ({ page, request }) => {
    await page.goto(path)
    const { firm, paymentWindowMinutes } = await callApi<FirmAndSettings>(request, 'GET', '/site')
    const published = await publishedNumbers(request)
    const profile = new Set(numbersIn(JSON.stringify([firm, paymentWindowMinutes])))
    const catalogue = await planNumbers(request)
    for (const { origin, text, context } of await figuresOf(page)) {
      switch (origin) {
        case 'firm':
          for (const number of numbersIn(text))
            expect(profile, `'${text}' of the firm's profile`).toContain(number)
          break
        case 'plan':
          for (const number of numbersIn(text))
            expect(catalogue, `'${text}' of the catalogue`).toContain(number)
          break
        case 'proof':
          for (const number of numbersIn(text))
            expect(published, `'${text}' of the public proof`).toContain(number)
          break
        case 'example':
          expect(context).toContain('An example with invented amounts')
          break
        case 'statistic':
          expect(context, 'its mark, or its source and date').toMatch(
            /Sample figure\. |, as of \d+ \w+ \d{4}/,
          )
          break
        default:
          expect.soft(null, `'${text}' on ${path} says nothing about where it comes from`).toBe('an origin')
      }
    }
    const withPercentage = page.locator('[data-figure]').filter({ hasText: '%' })
    for (const part of await withPercentage.all()) await expect(part).toContainText(riskLine)
  })
}

test('[P-04, N-14] each figure of the home page is a managed one with its source and date', async ({
  page,
  request,
}) => {
  await page.goto('/')
  const { statistics } = await callApi<{ statistics: Statistic[] }>(request, 'GET', '/site')
  const shown = page.locator('[data-statistic]')
  await expect(shown).toHaveCount(statistics.length)
  for (const [place, { label, value, kind, source, asOf }] of statistics.entries()) {
    const figure = shown.nth(place)
    await expect(figure).toContainText(label)
    await expect(figure).toContainText(value)
    await expect(figure).toContainText(kind === 'ledger' ? 'From our ledger' : source)
    await expect(figure).toContainText(
      kind === 'sample' ? 'Sample figure.' : `${new Date(asOf).getUTCFullYear()}`,
    )
  }
})
