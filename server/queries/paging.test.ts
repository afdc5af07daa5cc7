import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { newId } from '#server/platform/id.ts'
import type { Page } from '#shared/contract/define.ts'
import { listDeposits } from '#shared/contract/deposits.ts'
import { listAudit } from '#shared/contract/site.ts'
import { countedRows } from '#shared/limits.ts'
import { rowsRead } from '#test/support/rows-read.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { countOf, listed } from './paging.ts'

const ROWS = 20_000
let world: World

beforeAll(async () => {
  world = await openWorld()
  await world.owner(`
    INSERT INTO app.audit_log (action, reason)
    SELECT CASE WHEN n % 100 = 0 THEN 'login.failed' ELSE 'login' END, CASE WHEN n % 40 = 0 THEN 'needle' END
      FROM generate_series(1, ${ROWS}) n;
    ANALYZE app.audit_log`)
})

async function pageOf(query: Record<string, unknown>): Promise<Page> {
  const { status, page } = await world.call(listAudit, world.admin, { query: { limit: 50, ...query } })
  expect(status).toBe(200)
  return page!
}

/** Every page of the log with this filter, as its number of rows. */
async function pagesOf(filter: Record<string, unknown>) {
  const pages: (Page & { rows: number })[] = []
  let cursor: string | undefined
  do {
    const query = { limit: 200, ...filter, ...(cursor ? { cursor } : {}) }
    const { data, page } = await world.call(listAudit, world.admin, { query })
    pages.push({ ...page!, rows: data.length })
    cursor = page!.nextCursor ?? undefined
  } while (cursor)
  return pages
}

test('[D8] a total is exact as far as rows are counted, and says so where there are more', async () => {
  expect(await pageOf({ status: 'login.failed' })).toMatchObject({ total: ROWS / 100 })
  expect(await pageOf({ status: 'login.failed' })).not.toHaveProperty('totalIsAtLeast')
  expect(await pageOf({})).toMatchObject({ total: countedRows, totalIsAtLeast: true })
  expect(await pageOf({ status: 'plan.updated' })).toEqual({ total: 0, nextCursor: null })
})

test('[D8] pages that follow keep the total of the first, and the last one knows it', async () => {
  await world.owner(
    `INSERT INTO app.audit_log (action) SELECT 'logout' FROM generate_series(1, ${countedRows + 150})`,
  )
  const pages = await pagesOf({ status: 'logout' })
  expect(pages.map(({ rows, total, totalIsAtLeast = false }) => [rows, total, totalIsAtLeast])).toEqual([
    ...Array.from({ length: 4 }, () => [200, countedRows, true]),
    [200, countedRows + 1, true],
    [150, countedRows + 150, false],
  ])
})

test('[D8, N-12] search results are counted while that is fast', async () => {
  const found = await pagesOf({ q: 'needle' })
  expect(found.map(({ rows, total }) => [rows, total])).toEqual([
    [200, 500],
    [200, 500],
    [100, 500],
  ])
})

test('[D8] a count that takes too long becomes a minimum', async () => {
  const { db } = world.services
  const slow = db.selectFrom('app.audit_log').where(sql<boolean>`pg_sleep(1) IS NOT NULL`)
  expect(await countOf(db, slow, 100)).toBe(0)
  const ids = Array.from({ length: 120 }, (_, index) => ({ id: newId(new Date(index)) })).toReversed()
  const reader = {
    rows: async (limit: number, below: string | undefined) =>
      ids.filter(({ id }) => below === undefined || id < below).slice(0, limit),
    count: (mostMs?: number) => countOf(db, slow, mostMs === undefined ? undefined : 100),
    idOf: ({ id }: { id: string }) => id,
  }
  const totals: unknown[] = []
  let cursor: string | undefined
  do {
    const { page } = await listed({ limit: 50, q: 'anything', ...(cursor ? { cursor } : {}) }, reader)
    totals.push([page.total, page.totalIsAtLeast ?? false])
    cursor = page.nextCursor ?? undefined
  } while (cursor)
  expect(totals).toEqual([
    [51, true],
    [101, true],
    [120, false],
  ])
})

test('[D8] many pages of a long list together read less than the list once', async () => {
  const { nextCursor } = await pageOf({})
  const before = await rowsRead(world.database, ['audit_log'])
  for (const query of [{}, { status: 'login' }, { status: 'login.failed' }, { cursor: nextCursor }])
    for (let times = 0; times < 3; times += 1) await pageOf(query)
  expect((await rowsRead(world.database, ['audit_log'])) - before).toBeLessThan(ROWS)
})

test.each([
  'x',
  Buffer.from('[]').toString('base64url'),
  Buffer.from('["1; DROP TABLE app.users", 50, 0]').toString('base64url'),
  Buffer.from('["1", -50, 0]').toString('base64url'),
  Buffer.from('["01912d68-783e-7a0f-9e6c-1b1b1b1b1b1b", 50, 0]').toString('base64url'),
])('[D8] an invalid cursor is refused: %s', async cursor => {
  const answer = await world.call(listAudit, world.admin, { query: { cursor } })
  expect(answer).toMatchObject({ status: 400, fields: { cursor: 'Cursor is not valid' } })
})

test("[D8] one list's cursor is not another's", async () => {
  const { nextCursor } = await pageOf({})
  const answer = await world.call(listDeposits, world.admin, { query: { cursor: nextCursor! } })
  expect(answer).toMatchObject({ status: 400, fields: { cursor: 'Cursor is not valid' } })
})
