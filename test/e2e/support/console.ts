import { type APIRequestContext, expect, type Locator, type Page } from '@playwright/test'
import { parseUsd } from '#shared/money.ts'
import { figure } from './investor.ts'
import { callApi, openAccount, type Person, sample, stranger, tokenOf } from './people.ts'

export type Invoice = { _id: string; invoiceId: string; amount: number }

export const payoutAddress = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'

/** An investor with money to work with, and calls on their behalf. */
export async function investorWith(request: APIRequestContext, usd: number, name?: string) {
  const person: Person = stranger(name)
  const token = await openAccount(request, person)
  const admin = await tokenOf(request, sample('administrator'))
  const ask = (path: string, body: unknown) => callApi<Invoice>(request, 'POST', path, { token, body })
  const decide = (path: string, body?: unknown) => callApi(request, 'POST', path, { token: admin, body })
  const read = <T>(path: string) => callApi<T>(request, 'GET', path, { token })
  if (usd > 0) {
    const deposit = await ask('/deposit/new', { method: 'usdt', amount: usd })
    await decide(`/deposit/approve/${deposit._id}`)
  }
  const look = <T>(path: string) => callApi<T>(request, 'GET', path, { token: admin })
  return { person, ask, decide, read, look }
}

/** The same with 600 of 1,000 USD in an active investment. */
export async function investorInPlan(request: APIRequestContext) {
  const investor = await investorWith(request, 1000)
  const asked = { method: 'balance', plan: 'Beginner', amount: 600 }
  const investment = await investor.ask('/investment/new', asked)
  await investor.decide(`/investment/approve/${investment._id}`)
  return { ...investor, investment }
}

/** A day before those of all returns that are recorded, so that a return of that day is the next to be paid out. */
export async function dayBeforeReturns(request: APIRequestContext): Promise<string> {
  const token = await tokenOf(request, sample('administrator'))
  const path = '/return/get-all?sort=realised&limit=1'
  const [oldest] = await callApi<{ realisedAt: string }[]>(request, 'GET', path, { token })
  const before = oldest === undefined ? new Date() : new Date(oldest.realisedAt)
  before.setUTCDate(before.getUTCDate() - 1)
  return before.toISOString().slice(0, 10)
}

/** The section of a page with this heading. */
export function region(page: Page | Locator, name: string): Locator {
  return page.getByRole('region', { name, exact: true })
}

/** Waits for what loads after the page (web/page-extras.ts): from then on a press stays with its button. */
export async function expectExtras(page: Page): Promise<void> {
  await expect(page.locator('body > [role=status]')).toBeAttached()
}

/** Opens an act of a row, found by its invoice number or by other words, in one of the five tables. */
export async function openAct(page: Page, table: string, act: string, of: string, search = of) {
  const section = region(page, table)
  await section.getByRole('searchbox').fill(search)
  // Until only what was searched for is left, rows may move under the pointer.
  const others = section.getByRole('row').filter({ has: page.getByRole('cell'), hasNotText: search })
  await expect(others).toHaveCount(0)
  await expectExtras(page)
  await section.getByRole('button', { name: `${act} ${of}` }).click()
  return page.getByRole('dialog')
}

export function rowOf(page: Page, table: string, words: string) {
  return page
    .getByRole('table', { name: new RegExp(`^${table}\\b`) })
    .getByRole('row')
    .filter({ hasText: words })
}

/** Listens for list calls from now on. @returns waits until the page has made those of these paths */
export function listCalls(page: Page): (...paths: string[]) => Promise<void> {
  const seen = new Set<string>()
  page.on('request', request => {
    const { pathname } = new URL(request.url())
    if (request.method() === 'GET' && pathname.startsWith('/api/')) seen.add(pathname.slice(4))
  })
  return (...paths) => expect.poll(() => [...seen]).toEqual(expect.arrayContaining(paths))
}

/** An amount on show under a name, in cents. */
export async function centsOf(page: Page, name: string): Promise<bigint> {
  await expect(figure(page, name)).toContainText('$')
  return parseUsd((await figure(page, name).textContent()) ?? '')!
}
