import { type APIRequestContext, type Browser, expect, type Page } from '@playwright/test'
import { sampleLogins } from '#server/demo/logins.ts'
import type { Language } from '#shared/i18n/languages.ts'
import { openPage } from './contexts.ts'

/** Who takes part in a journey. */
export type Person = { name: string; email: string; password: string }

/** Somebody whom no other journey knows. */
export function stranger(name = 'Stella Stranger'): Person {
  const mark = crypto.randomUUID().slice(0, 8)
  return { name: `${name} ${mark}`, email: `${mark}@example.com`, password: 'correct-horse-9' }
}

/** One of the demonstration's accounts (D2). */
export function sample(who: (typeof sampleLogins)[number]['who']): Person {
  const { email, password } = sampleLogins.find(login => login.who === who)!
  return { name: who, email, password }
}

/** A day of the past (UTC), as 2026-11-01: whatever day it is today, a return of that day can be recorded. */
export function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}

/** The same as pages write it. */
export function dayInWords(day: string, dateStyle: 'medium' | 'long' = 'medium'): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle, timeZone: 'UTC' }).format(new Date(day))
}

/** Calls the API as somebody, where a journey needs what is not its subject; fails unless the call succeeds. */
export async function callApi<T = Record<string, unknown>>(
  request: APIRequestContext,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  { token, body, language }: { token?: string; body?: unknown; language?: Language } = {},
): Promise<T> {
  const answer = await request.fetch(`/api${path}`, {
    method,
    headers: {
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...(language ? { 'Accept-Language': language } : {}),
      ...(method === 'POST' ? { 'Idempotency-Key': crypto.randomUUID() } : {}),
    },
    ...(body === undefined ? {} : { data: body }),
  })
  const { message, data } = await answer.json()
  expect(answer.ok(), `${method} ${path}: ${message}`).toBe(true)
  return data as T
}

/** Access token of an account. */
export async function tokenOf(request: APIRequestContext, { email, password }: Person): Promise<string> {
  const data = await callApi<{ token: { accessToken: string } }>(request, 'POST', '/auth/login', {
    body: { email, password },
  })
  return data.token.accessToken
}

/**
 * Opens and verifies an account by the API.
 * @param referrer the code of the person who referred them
 */
export async function openAccount(
  request: APIRequestContext,
  person: Person,
  referrer?: string,
): Promise<string> {
  const { name, email, password } = person
  await callApi(request, 'POST', '/auth/signup', {
    body: { name, email, password, phone: '+61 400 123 456', country: 'Australia', referrer },
  })
  await callApi(request, 'POST', '/auth/email-verification', {
    body: { email, otp: await mailed(request, email, /\b\d{6}\b/) },
  })
  return tokenOf(request, person)
}

/** What the newest mail to an address has of a pattern. */
export async function mailed(request: APIRequestContext, to: string, pattern: RegExp): Promise<string> {
  let found: string | undefined
  const path = `/demo/mailbox?to=${encodeURIComponent(to)}`
  await expect(async () => {
    const mails = await callApi<{ text: string }[]>(request, 'GET', path)
    found = mails.map(({ text }) => pattern.exec(text)?.[0]).find(Boolean)
    expect(found).toBeDefined()
  }).toPass()
  return found ?? ''
}

export const phone = { width: 390, height: 844 }
export const desktop = { width: 1440, height: 900 }

/**
 * A browser of somebody's own, not signed in.
 * @param options.savesData false: it loads pages before they are opened
 */
export async function browserOf(
  browser: Browser,
  viewport = desktop,
  { savesData = true } = {},
): Promise<Page> {
  return await openPage(browser, { viewport, savesData })
}

/** Signs a browser in without the login page. It opens no page yet. */
export async function signIn(
  request: APIRequestContext,
  page: Page,
  { email, password }: Person,
): Promise<void> {
  const { token } = await callApi<{ token: { accessToken: string; refreshToken: string } }>(
    request,
    'POST',
    '/auth/login',
    { body: { email, password } },
  )
  // What is stored is of an origin: any small answer of it will do.
  await page.goto('/robots.txt')
  await page.evaluate(({ accessToken, refreshToken }) => {
    localStorage.setItem('refresh', refreshToken)
    localStorage.setItem('access', accessToken)
  }, token)
}

/** Logs in through the page, and waits for where that leads. */
export async function logIn(page: Page, { email, password }: Person): Promise<void> {
  await page.goto('/login')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.waitForURL(/\/(admin|dashboard)\/home$/)
}

/** What a browser keeps of this site, by its keys. */
export function storedKeys(page: Page): Promise<string[]> {
  return page.evaluate(() => Object.keys(localStorage).sort())
}

/** Which window, whose console, where it opens, and whether its browser saves data. */
interface Console {
  viewport?: { width: number; height: number }
  who?: Exclude<(typeof sampleLogins)[number]['who'], 'investor'>
  path?: string
  savesData?: boolean
}

/** A browser in which somebody of the demonstration's staff has opened the console. */
export async function consoleOf(browser: Browser, which: Console = {}): Promise<Page> {
  return openConsole(await browserOf(browser, which.viewport, which), which)
}

/** The same where nothing tells it of what others do: what it shows is what it has read itself. */
export async function deafConsoleOf(browser: Browser, which: Console = {}): Promise<Page> {
  const page = await browserOf(browser, which.viewport, which)
  await page.route('**/api/live', route => route.abort())
  return openConsole(page, which)
}

async function openConsole(
  page: Page,
  { who = 'administrator', path = '/admin/home' }: Console,
): Promise<Page> {
  await signIn(page.request, page, sample(who))
  await page.goto(path)
  return page
}

/**
 * The toast with exactly these words, or with words like these. Looked for in the page itself: it goes after two seconds, which a busy machine may
 * let pass between two looks from outside; by its clock, for a page may draw no frame while it has much to do.
 */
export async function expectToast(
  page: Page,
  words: string | RegExp,
  type: 'success' | 'error' | 'blank' = 'success',
) {
  const isTold = ({ type, words }: { type: string; words: string | RegExp }) =>
    [...document.querySelectorAll(`[data-toast="${type}"] p`)].some(({ textContent }) =>
      typeof words === 'string' ? textContent === words : words.test(textContent ?? ''),
    )
  const told = page.waitForFunction(isTold, { type, words }, { polling: 100, timeout: 10_000 })
  await expect(told, `the ${type} toast '${words}'`).resolves.toBeTruthy()
}

/** What a press has copied, which comes a moment after it. */
export async function expectCopied(page: Page, words: string): Promise<void> {
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(words)
}
