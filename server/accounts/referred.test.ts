import { beforeAll, expect, test } from 'vitest'
import { listReferred } from '#shared/contract/accounts.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

let world: World
let owner: Person
beforeAll(async () => {
  world = await openWorld()
  owner = await world.person('Olive Owner')
})

async function joins(name: string, isVerified = true): Promise<void> {
  const { id } = await world.person(name)
  const verified = isVerified ? 'email_verified_at' : 'NULL'
  await world.owner(
    `UPDATE app.users SET referrer_id = '${owner.id}', email_verified_at = ${verified} WHERE id = '${id}'`,
  )
}

const joined = async (who = owner) => (await world.call(listReferred, who)).data.map(({ name }) => name)

test('[D-06] shows who joined with a code, newest first, without their full names', async () => {
  expect(await joined()).toEqual([])
  await joins('Iris Investor')
  await joins('  Zoë  van der Berg ')
  await joins('Madonna')
  expect(await joined()).toEqual(['Madonna', 'Zoë B.', 'Iris I.'])
})

test('[D-06] leaves out addresses that nobody has verified, and the codes of others', async () => {
  const before = await joined()
  await joins('Una Unverified', false)
  expect(await joined()).toEqual(before)
  expect(await joined(await world.person('Someone Else'))).toEqual([])
})
