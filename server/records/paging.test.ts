import { beforeAll, expect, test } from 'vitest'
import type { Page } from '#shared/contract/define.ts'
import { listDeposits } from '#shared/contract/deposits.ts'
import { listAudit } from '#shared/contract/site.ts'
import { countedRows } from '#shared/limits.ts'
import { openWorld, type World } from '#test/support/world.ts'

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

/** Every page of the log with this filter, with its number of rows. */
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

test('[D8, N-12] what a search finds in all is known when it has shown all', async () => {
  const pages = await pagesOf({ q: 'needle' })
  expect(pages.map(({ rows, total, totalIsAtLeast = false }) => [rows, total, totalIsAtLeast])).toEqual([
    [200, 201, true],
    [200, 401, true],
    [100, 500, false],
  ])
})

test('[D8] many pages of a long list together read less than the list once', async () => {
  const { nextCursor } = await pageOf({})
  const before = await rowsRead()
  for (const query of [{}, { status: 'login' }, { status: 'login.failed' }, { cursor: nextCursor }])
    for (let times = 0; times < 3; times += 1) await pageOf(query)
  expect((await rowsRead()) - before).toBeLessThan(ROWS)
})

async function rowsRead(): Promise<number> {
  await Promise.all(
    Array.from({ length: 20 }, () => world.database.app.query('SELECT pg_stat_force_next_flush()')),
  )
  const { rows } = await world.owner(
    `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS read FROM pg_stat_user_tables WHERE relname = 'audit_log'`,
  )
  return rows[0].read
}

test.each([
  'x',
  Buffer.from('[]').toString('base64url'),
  Buffer.from('["1; DROP TABLE app.users", 50, 0]').toString('base64url'),
  Buffer.from('["1", -50, 0]').toString('base64url'),
  Buffer.from('["01912d68-783e-7a0f-9e6c-1b1b1b1b1b1b", 50, 0]').toString('base64url'),
])('[D8] a cursor that is none of the list is refused: %s', async cursor => {
  const answer = await world.call(listAudit, world.admin, { query: { cursor } })
  expect(answer).toMatchObject({ status: 400, fields: { cursor: 'Cursor is not valid' } })
})

test("[D8] one list's cursor is not another's", async () => {
  const { nextCursor } = await pageOf({})
  const answer = await world.call(listDeposits, world.admin, { query: { cursor: nextCursor! } })
  expect(answer).toMatchObject({ status: 400, fields: { cursor: 'Cursor is not valid' } })
})
