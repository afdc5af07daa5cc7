import { expect, test } from 'vitest'
import { Grouped } from './grouped.ts'

/** Groups that end when the test says so. */
function groupsOf({ most = 10, atOnce = 1, mostWaiting = 10 } = {}) {
  const begun: { items: readonly string[]; end: () => void; fail: (error: Error) => void }[] = []
  const alone: string[] = []
  const wait = Promise.withResolvers<void>()
  const grouped = new Grouped<string, string>({
    most,
    atOnce,
    mostWaiting,
    aloneAtOnce: 1,
    namesOf: item => item.split(' '),
    orderOf: item => item,
    run: items => {
      const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>()
      begun.push({ items, end: () => resolve(items.map(item => `did ${item}`)), fail: reject })
      return promise
    },
    runAlone: async item => {
      alone.push(item)
      if (item.startsWith('slow')) await wait.promise
      if (item.startsWith('bad')) throw new Error(`cannot do ${item}`)
      return `did ${item} alone`
    },
    mayDifferAlone: error => (error as Error | undefined)?.message === 'one of them',
  })
  const group = async (index: number) => {
    await expect.poll(() => begun.length).toBeGreaterThan(index)
    return begun[index]!
  }
  return { grouped, begun, alone, group, wait }
}

test('what arrives while a group is under way becomes the next one', async () => {
  const { grouped, begun, group } = groupsOf()
  const first = grouped.add('a')
  const { items, end } = await group(0)
  expect(items).toEqual(['a'])
  const later = ['b', 'c', 'd'].map(item => grouped.add(item))
  expect(begun).toHaveLength(1)
  end()
  expect(await first).toBe('did a')
  const next = await group(1)
  expect(next.items).toEqual(['b', 'c', 'd'])
  next.end()
  expect(await Promise.all(later)).toEqual(['did b', 'did c', 'did d'])
})

test('no two items of a group have a name in common, and none overtakes', async () => {
  const { grouped, group } = groupsOf()
  const all = ['a 1', 'a 2', 'b 2', 'c 3'].map(item => grouped.add(item))
  for (const [index, expected] of [['a 1', 'c 3'], ['a 2'], ['b 2']].entries()) {
    const { items, end } = await group(index)
    expect(items).toEqual(expected)
    end()
  }
  await Promise.all(all)
})

test('free places share those who wait, and no group is larger than allowed', async () => {
  const { grouped, group } = groupsOf({ most: 2, atOnce: 2 })
  const all = ['a', 'b', 'c', 'd', 'e'].map(item => grouped.add(item))
  const groups = [await group(0), await group(1)]
  expect(groups.map(({ items }) => items)).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ])
  for (const { end } of groups) end()
  ;(await group(2)).end()
  await Promise.all(all)
})

test('each of a group that failed because of one is done alone, beside the next group', async () => {
  const { grouped, alone, group } = groupsOf()
  const all = ['a', 'bad', 'c'].map(item => grouped.add(item))
  ;(await group(0)).fail(new Error('one of them'))
  const results = await Promise.allSettled(all)
  expect(alone).toEqual(['a', 'bad', 'c'])
  expect(results).toMatchObject([
    { value: 'did a alone' },
    { reason: { message: 'cannot do bad' } },
    { value: 'did c alone' },
  ])
  const next = grouped.add('d')
  ;(await group(1)).end()
  expect(await next).toBe('did d')
})

test('what has a name in common with an item that is done alone waits for it', async () => {
  const { grouped, begun, group, wait } = groupsOf()
  const slow = grouped.add('slow 1')
  ;(await group(0)).fail(new Error('one of them'))
  const [again, other] = [grouped.add('again 1'), grouped.add('other')]
  const next = await group(1)
  expect(next.items).toEqual(['other'])
  next.end()
  await other
  expect(begun).toHaveLength(2)
  wait.resolve()
  expect(await slow).toBe('did slow 1 alone')
  const last = await group(2)
  expect(last.items).toEqual(['again 1'])
  last.end()
  await again
})

test('a group that fails in any way keeps no place', async () => {
  const { grouped, group } = groupsOf()
  const all = ['a', 'b'].map(item => grouped.add(item))
  ;(await group(0)).fail(undefined as never)
  expect(await Promise.allSettled(all)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }])
  const next = grouped.add('c')
  ;(await group(1)).end()
  expect(await next).toBe('did c')
})

test('a failure of all is told to each, and the next group is done', async () => {
  const { grouped, alone, group } = groupsOf()
  const all = ['a', 'b'].map(item => grouped.add(item))
  ;(await group(0)).fail(new Error('all of them'))
  for (const { reason } of (await Promise.allSettled(all)) as PromiseRejectedResult[]) {
    expect(reason).toMatchObject({ message: 'all of them' })
  }
  expect(alone).toEqual([])
  const next = grouped.add('c')
  ;(await group(1)).end()
  expect(await next).toBe('did c')
})

test('more than can wait are told to come back', async () => {
  const { grouped, group } = groupsOf({ mostWaiting: 2 })
  const all = ['a', 'b'].map(item => grouped.add(item))
  await expect(grouped.add('c')).rejects.toMatchObject({ code: 'not_ready' })
  ;(await group(0)).end()
  await Promise.all(all)
})
