import { beforeAll, describe, expect, test } from 'vitest'
import * as call from '#shared/contract/returns.ts'
import { utcDay } from '#shared/moments.ts'
import { openWorld, type World } from '#test/support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

const record = (body: object) =>
  world.call(call.newReturn, world.admin, {
    body: {
      amount: 1_000,
      source: 'Sale of a warehouse',
      realisedAt: '2026-03-01',
      evidence: 'https://registry.example/deed/1',
      ...body,
    },
  })
const today = () => world.clock.now().toISOString().slice(0, 10)

describe('recording a realised return', () => {
  test('[N-11] stores its source and evidence, and the summary counts it', async () => {
    const { data, message } = await record({})
    expect(message).toBe('Return recorded')
    expect(data).toMatchObject({
      amount: 1_000,
      paidOut: 0,
      source: 'Sale of a warehouse',
      realisedAt: '2026-03-01',
      evidenceKind: 'link',
      recordedBy: 'Ada Admin',
    })
    const investor = await world.person('Ines Investor')
    const summary = await world.call(call.returnSummary, investor)
    expect(summary.data).toMatchObject({ recorded: 1_000, paidOut: 0, left: 1_000 })
    expect(Date.parse(summary.data.asOf)).toBeGreaterThan(0)
  })

  test.each([
    ['https://example.com/a?b=c', 'link'],
    ['http://registry.example.org/1', 'link'],
    [`${'f'.repeat(63)}1`, 'transaction'],
    [`0x${'ab'.repeat(31)}12`, 'transaction'],
    ['BANK-2026-000871', 'transaction'],
  ])('[N-11] %s is evidence', async (evidence, kind) => {
    expect((await record({ evidence })).data.evidenceKind).toBe(kind)
  })

  test.each([
    'trust me',
    'javascript:alert(1)',
    'ftp://example.com/1',
    'https://',
    'data:text/html,1',
    'warehouse',
    '12345',
  ])("[N-11] '%s' is no evidence", async evidence => {
    const before = await world.state()
    expect(await record({ evidence })).toMatchObject({
      status: 400,
      message: 'Evidence must be a link (https://…) or the id of a transaction',
    })
    expect(await world.state()).toBe(before)
  })

  test('[N-11] the date may be today, but no later', async () => {
    expect((await record({ realisedAt: today() })).status).toBe(200)
    const tomorrow = new Date(world.clock.now().getTime() + 86_400_000).toISOString().slice(0, 10)
    const before = await world.state()
    expect(await record({ realisedAt: tomorrow })).toMatchObject({
      status: 400,
      message: `The date cannot be in the future. Today is ${utcDay(world.clock.now())} (UTC)`,
    })
    expect(await world.state()).toBe(before)
  })

  test('[N-11, N-09] staff see which return pays next, the oldest with money left', async () => {
    await record({ source: 'Oldest rent', realisedAt: '2020-01-31' })
    const summary = await world.call(call.returnSummary, world.admin)
    expect(summary.data.next).toEqual({ source: 'Oldest rent', realisedAt: '2020-01-31' })
    const other = await world.call(call.returnSummary, await world.person('Nia Investor'))
    expect(other.data.next).toBeNull()
  })

  test('[N-11] searches the list by source', async () => {
    await record({ source: 'Royalties of a patent' })
    const { data } = await world.call(call.listReturns, world.admin, { query: { q: 'PATENT' } })
    expect(data.map(item => item.source)).toEqual(['Royalties of a patent'])
  })
})
