import { expect, test } from 'vitest'
import type { Services } from '#server/context.ts'
import { openWorld } from '#test/support/world.ts'
import type { ListedEntry } from './lists/list.ts'
import { comparePeople, type PersonMatch } from './people.ts'

const entry = (of: Partial<ListedEntry>): ListedEntry => ({
  entry: '1',
  kind: 'person',
  names: [],
  weak: [],
  births: [],
  countries: [],
  programmes: [],
  wallets: [],
  ...of,
})

async function matches({ db }: Pick<Services, 'db'>, entries: ListedEntry[]): Promise<PersonMatch[]> {
  const found: PersonMatch[] = []
  for await (const step of comparePeople(db, entries)) found.push(...step.matches)
  return found
}

test('[N-03] an account is compared with each name of an entry, and its best one told', async () => {
  const world = await openWorld()
  const person = await world.person('Yevgeny Schukin')
  await world.person('Mary Miller')
  const listed = entry({
    entry: '7',
    names: ['SHCHUKIN, Evgenii Petrovich', 'ЩУКИН Евгений'],
    weak: ['Zhenya'],
  })
  const found = await matches(world.services, [listed, entry({ entry: '8', names: ['MUELLER, Hans'] })])
  expect(found).toEqual([
    {
      account: { id: person.id, name: 'Yevgeny Schukin', country: expect.any(String), type: 'investor' },
      entry: listed,
      listed: expect.stringMatching(/SHCHUKIN|ЩУКИН/),
      score: expect.closeTo(1, 1),
    },
  ])
})

test('[N-03] weak names and organisations count; ships, aircraft and closed accounts do not', async () => {
  const world = await openWorld()
  const [weak, firm, ship, closed] = await Promise.all(
    ['Karlo Weakling', 'Golden Anchor Holdings', 'Ocean Queen', 'Clara Closed'].map(name =>
      world.person(name),
    ),
  )
  await world.owner(
    `UPDATE app.users SET closed_at = now(), frozen_at = now(), frozen_by = '${world.admin.id}', freeze_reason = 'Closed' WHERE id = '${closed!.id}'`,
  )
  const found = await matches(world.services, [
    entry({ entry: '1', names: ['Nobody Else'], weak: ['Karlo Weakling'] }),
    entry({ entry: '2', kind: 'organisation', names: ['GOLDEN ANCHOR HOLDINGS'] }),
    entry({ entry: '3', kind: 'vessel', names: ['OCEAN QUEEN'] }),
    entry({ entry: '4', names: ['CLOSED, Clara'] }),
  ])
  expect(found.map(({ account, entry: of }) => [account.id, of.entry])).toEqual(
    expect.arrayContaining([
      [weak!.id, '1'],
      [firm!.id, '2'],
    ]),
  )
  expect(found.map(({ account }) => account.id)).not.toContain(ship!.id)
  expect(found).toHaveLength(2)
})

test('[N-03] accounts beyond the first page are compared, each once', async () => {
  const world = await openWorld()
  await world.owner(
    `INSERT INTO app.users (id, name, email, phone, country, password_hash, referral_code)
     SELECT gen_random_uuid(), 'Namesake Number', n || '@example.com', '+61400000000', 'Australia', 'x', 'ref' || n
       FROM generate_series(1, 1200) AS n`,
  )
  const found = await matches(world.services, [entry({ names: ['NUMBER, Namesake'] })])
  expect(new Set(found.map(({ account }) => account.id)).size).toBe(1_200)
  expect(found).toHaveLength(1_200)
})
