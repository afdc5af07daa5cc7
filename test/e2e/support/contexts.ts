import { type Browser, type BrowserContext, type Page, test } from '@playwright/test'

/** What a context is opened with, and keeps. */
export interface Opening {
  viewport: { width: number; height: number }
  /** As its owner asked for: it loads no page before that is opened, a quarter of what the console's home costs here. */
  savesData: boolean
}

interface Opened {
  context: BrowserContext
  /** The journey that has it, or had it last. */
  of: string
  /** The file and `describe` around, whose settings it has. */
  within: string
  /** How it was opened; null if no other journey may have it. */
  as: string | null
  origins: Set<string>
}

/** Of this worker. */
const opened = new Set<Opened>()
const permissions = ['clipboard-read', 'clipboard-write']

/**
 * A new page in a context that nobody else has, without cookies, storage or anything else of its former journeys. What it
 * fetched for them is in its cache, compiled: that is a tenth of a journey. Reduced motion: the start overlay does not stand
 * before the page.
 */
export async function openPage(browser: Browser, opening: Opening): Promise<Page> {
  const { testId, retry, titlePath } = test.info()
  const of = `${testId} ${retry}`
  const within = titlePath.slice(0, -1).join(' › ')
  const as = JSON.stringify([opening.viewport, opening.savesData])
  await leaveThoseBefore(of, within)
  const known = [...opened].find(one => one.of !== of && one.as === as)
  if (known === undefined) return await newContext(browser, opening, { of, within, as })
  known.of = of
  return await renewed(known)
}

/** For a file about what pages load: none of its journeys has the cache of an earlier one. */
export function withoutEarlierCaches(): void {
  test.beforeEach(async () => {
    for (const { context } of opened) await context.close()
  })
}

/** Closes the pages of other journeys, which would go on reading, and the contexts that nobody can have again. */
async function leaveThoseBefore(of: string, within: string): Promise<void> {
  for (const one of opened) {
    if (one.of === of) continue
    if (one.within === within && one.as !== null) {
      for (const page of one.context.pages()) await page.close()
    } else {
      await one.context.close()
    }
  }
}

async function newContext(
  browser: Browser,
  { viewport, savesData }: Opening,
  where: Pick<Opened, 'of' | 'within' | 'as'>,
): Promise<Page> {
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce', permissions })
  if (savesData) await context.addInitScript(saveData)
  const one: Opened = { context, ...where, origins: new Set() }
  opened.add(one)
  context.on('page', page => page.on('framenavigated', frame => noteOrigin(one, frame.url())))
  context.on('close', () => opened.delete(one))
  keepNoLonger(one)
  return await context.newPage()
}

/** A page of an error, or an empty one, has none. */
function noteOrigin({ origins }: Opened, url: string): void {
  if (url.startsWith('http')) origins.add(new URL(url).origin)
}

/** Once it has a script for all its pages, or a clock that a journey sets: nothing removes either. */
function keepNoLonger(one: Opened): void {
  const { context } = one
  const ending = <F extends (...given: never[]) => unknown>(act: F) =>
    ((...given) => {
      one.as = null
      return act(...given)
    }) as F
  const { clock } = context
  context.addInitScript = ending(context.addInitScript.bind(context))
  clock.install = ending(clock.install.bind(clock))
  clock.setFixedTime = ending(clock.setFixedTime.bind(clock))
}

async function renewed({ context, origins }: Opened): Promise<Page> {
  await context.unrouteAll()
  await context.setOffline(false)
  await context.setExtraHTTPHeaders({})
  await context.clearCookies()
  await context.clearPermissions()
  await context.grantPermissions(permissions)
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  for (const origin of origins) {
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
  }
  await session.detach()
  return page
}

/** Runs in each page. */
function saveData() {
  const { connection } = navigator as unknown as { connection: object }
  Object.defineProperty(Object.getPrototypeOf(connection), 'saveData', { get: () => true })
}
