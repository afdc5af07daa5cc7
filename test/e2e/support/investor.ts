import { type APIRequestContext, type Browser, expect, type Locator, type Page } from '@playwright/test'
import { expectAccessible, type Widths } from './accessible.ts'
import {
  browserOf,
  callApi,
  daysAgo,
  desktop,
  openAccount,
  type Person,
  phone,
  sample,
  signIn,
  stranger,
  tokenOf,
} from './people.ts'

/** The two layouts. A journey is made in one of them, for its steps are the same; its pages are checked in both. */
export const widths = [
  ['phone', phone],
  ['desktop', desktop],
] as const satisfies Widths

/** An investor of one journey: their identity, and an access token for what is not the journey's subject. */
export type Investor = { person: Person; token: string }

/** A verified account without anything. */
export async function newInvestor(request: APIRequestContext): Promise<Investor> {
  const person = stranger('Iris Investor')
  return { person, token: await openAccount(request, person) }
}

/** An account whose email address is not verified. */
export async function unverifiedInvestor(request: APIRequestContext): Promise<Investor> {
  const person = stranger('Uma Unverified')
  const { name, email, password } = person
  await callApi(request, 'POST', '/auth/signup', {
    body: { name, email, password, phone: '+61 400 123 456', country: 'Australia' },
  })
  return { person, token: await tokenOf(request, person) }
}

type Made = { _id: string; invoiceId: string }

/** Calls the API as the demonstration's administrator. */
export async function asAdmin<T = Made>(
  request: APIRequestContext,
  path: string,
  body?: unknown,
  who: 'administrator' | 'second administrator' = 'administrator',
): Promise<T> {
  return callApi<T>(request, 'POST', path, { token: await tokenOf(request, sample(who)), body })
}

/** Puts USD on an investor's balance: a deposit that an admin approves. */
export async function fund(request: APIRequestContext, { token }: Investor, amount: number): Promise<Made> {
  const deposit = await callApi<Made>(request, 'POST', '/deposit/new', {
    token,
    body: { method: 'usdt', amount },
  })
  return asAdmin(request, `/deposit/approve/${deposit._id}`)
}

/** An investment from the balance that waits for its approval. */
export async function invest(
  request: APIRequestContext,
  { token }: Investor,
  plan: string,
  amount: number,
): Promise<Made> {
  return callApi<Made>(request, 'POST', '/investment/new', {
    token,
    body: { method: 'balance', plan, amount },
  })
}

/** An earning on an investor's approved investment, paid from a return recorded for it. */
export async function earn(request: APIRequestContext, { token }: Investor, amount: number): Promise<void> {
  await asAdmin(request, '/return/new', {
    amount: 500,
    source: 'Sale of the Geelong warehouse',
    realisedAt: daysAgo(21),
    evidence: 'https://example.com/sale.pdf',
  })
  const { _id } = await callApi<{ _id: string }>(request, 'GET', '/auth/me', { token })
  await payEarning(request, _id, { amount })
}

/** An earning that one admin adds and, as nothing has accrued yet, a second one approves. */
export async function payEarning(
  request: APIRequestContext,
  userId: string,
  body: { amount: number; note?: string },
): Promise<void> {
  const [earning] = await asAdmin<{ _id: string }[]>(request, `/earning/add/${userId}`, body)
  await asAdmin(request, `/earning/approve/${earning!._id}`, undefined, 'second administrator')
}

/** An investor with $2,000 paid in, an approved investment, $42.10 earned and $99.25 on hold. */
export async function busyInvestor(request: APIRequestContext, invested: number): Promise<Investor> {
  const iris = await newInvestor(request)
  await fund(request, iris, 2000)
  const { _id } = await invest(request, iris, 'Enthusiast', invested)
  await asAdmin(request, `/investment/approve/${_id}`)
  await earn(request, iris, 42.1)
  await callApi(request, 'POST', '/withdrawal/new', {
    token: iris.token,
    body: {
      amount: 99.25,
      wallet: 'Bitcoin (BTC)',
      walletAddress: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
    },
  })
  return iris
}

/** A browser in which the investor is signed in and looks at a page of the dashboard. */
export async function dashboardOf(
  browser: Browser,
  request: APIRequestContext,
  { person }: Investor,
  {
    viewport = desktop,
    path = '/dashboard/home',
    savesData,
  }: { viewport?: { width: number; height: number }; path?: string; savesData?: boolean } = {},
): Promise<Page> {
  const page = await browserOf(browser, viewport, { savesData })
  await signIn(request, page, person)
  await page.goto(path)
  return page
}

/**
 * Nothing scrolls sideways, and axe has nothing to say about the page as it stands.
 * @param widths sizes at which it is checked, if not as it is; the last one stays
 */
export async function expectSound(page: Page, widths: Widths = []): Promise<void> {
  await expectFits(page, widths)
  await expectAccessible(page, page.url(), widths)
}

/** Nothing scrolls sideways, as the page is or at these sizes; the last one stays. */
export async function expectFits(page: Page, widths: Widths = []): Promise<void> {
  if (widths.length === 0) await expectNoSidewaysScroll(page)
  for (const [, viewport] of widths) {
    await page.setViewportSize(viewport)
    await expectNoSidewaysScroll(page)
  }
}

async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const beyond = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  // A chart measures itself anew a moment after its window has another width.
  await expect.poll(beyond, { message: `${page.url()} scrolls sideways` }).toBeLessThanOrEqual(0)
}

/** The figure with this name, as the page shows it. */
export function figure(page: Page, name: string) {
  return page
    .locator('dl > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd')
    .first()
}

/** What stands in an element that is there once. */
export async function textOf(element: Locator): Promise<string> {
  return (await element.textContent()) ?? ''
}
