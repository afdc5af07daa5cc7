import type { IncomingMessage, ServerResponse } from 'node:http'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { tellStaff } from '#server/notifications/alerts/raise.ts'
import { lockKeys } from '#server/platform/database/lock-keys.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import { listSanctionsLists } from '#shared/contract/screening.ts'
import { listDownloadMinutes, listRedirects, maximumListBytes, staleListDays } from '#shared/limits.ts'
import { listening } from '#test/support/listening.ts'
import { naming } from '#test/support/resolver.ts'
import { euXml, importSdn, pepCsv, type SdnEntry, sdnXml, unXml } from '#test/support/sanctions.ts'
import { addresses, withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { fetchLists } from './fetch-lists.ts'
import { importList, retirePeps } from './import.ts'

/** Lists that a worker fetches from their publishers. */
let world: World
let origin: string
let requests: IncomingMessage['headers'][]
let answer: (request: IncomingMessage, response: ServerResponse) => void
beforeEach(async () => {
  requests = []
  origin = await listening((request, response) => {
    requests.push(request.headers)
    answer(request, response)
  })
  world = await openWorld({ rateLimit: false, listAddresses: { ofac_sdn: `${origin}/SDN.XML` } })
})
const { ask } = withdrawalsIn(() => world)

const entries = (count: number): SdnEntry[] =>
  Array.from({ length: count }, (_, n) => ({ uid: n + 1, last: `COMPANY NUMBER ${n + 1}` }))
const serves = (text: string, headers: Record<string, string> = {}) => {
  answer = (_request, response) => response.writeHead(200, headers).end(text)
}
const fetchAll = () => fetchLists(world.services)
const nextDay = () => world.clock.pass({ days: 1 })
const ofac = async () =>
  (await world.call(listSanctionsLists, world.admin)).data.lists.find(({ list }) => list === 'ofac_sdn')!
const alerts = async () => {
  await tellStaff(world.services)
  const { rows } = await world.owner('SELECT id FROM app.staff_alerts WHERE closed_at IS NULL')
  const { data } = await world.call(listNotifications, world.admin, {})
  return data.filter(({ _id, kind }) => kind !== 'screening.late' && rows.some(({ id }) => id === _id))
}

describe('a list with an address', () => {
  test('is fetched, put in force and shown as checked', async () => {
    serves(sdnXml(entries(10)))
    await fetchAll()
    expect(await ofac()).toMatchObject({
      inForce: { publishedOn: '2026-11-20', entries: 10 },
      fetched: true,
      checkedAt: expect.any(String),
      failing: null,
      stale: false,
    })
  })

  test('is fetched once a day', async () => {
    serves(sdnXml(entries(10)))
    await fetchAll()
    await fetchAll()
    expect(requests).toHaveLength(1)
    nextDay()
    await fetchAll()
    expect(requests).toHaveLength(2)
  })

  test('is read in each of the published formats', async () => {
    const files: Record<string, string> = {
      '/SDN.XML': sdnXml(entries(2)),
      '/un.xml': unXml([{ reference: 'QDi.001', names: ['OMAR'] }]),
      '/eu.xml?token=x': euXml([{ logicalId: 1, names: [{ whole: 'Omar' }] }]),
      '/targets.simple.csv': pepCsv([{ id: 'Q1', name: 'Omar Minister' }]),
    }
    answer = (request, response) => response.end(files[request.url!])
    Object.assign(world.services.config.listAddresses, {
      un_sc: `${origin}/un.xml`,
      eu_fsf: `${origin}/eu.xml?token=x`,
      pep: `${origin}/targets.simple.csv`,
    })
    await fetchAll()
    const { data } = await world.call(listSanctionsLists, world.admin)
    expect(data.lists.map(({ inForce }) => inForce?.entries)).toEqual([2, 1, 1, 1])
  })

  test('that is unchanged imports nothing, but is recorded as checked', async () => {
    serves(sdnXml(entries(10)))
    await fetchAll()
    const before = await ofac()
    nextDay()
    await fetchAll()
    const after = await ofac()
    expect(after.inForce).toEqual(before.inForce)
    expect(Date.parse(after.checkedAt!)).toBeGreaterThan(Date.parse(before.checkedAt!))
  })

  test('is asked for only if it has changed, once its version is known', async () => {
    serves(sdnXml(entries(10)), { etag: '"one"', 'last-modified': 'Fri, 20 Nov 2026 10:00:00 GMT' })
    await fetchAll()
    const first = await ofac()
    nextDay()
    answer = (_request, response) => response.writeHead(304).end()
    await fetchAll()
    expect(requests[1]).toMatchObject({
      'if-none-match': '"one"',
      'if-modified-since': 'Fri, 20 Nov 2026 10:00:00 GMT',
    })
    expect((await ofac()).checkedAt).not.toBe(first.checkedAt)
    // A version is that of one address.
    nextDay()
    serves(sdnXml(entries(10)))
    world.services.config.listAddresses = { ofac_sdn: `${origin}/another` }
    await fetchAll()
    expect(requests[2]).not.toHaveProperty('if-none-match')
    expect((await ofac()).failing).toBeNull()
  })

  test('is found where its publisher redirects to, but not on another protocol', async () => {
    answer = (request, response) => {
      if (request.url === '/SDN.XML') response.writeHead(302, { location: '/there' }).end()
      else response.end(sdnXml(entries(3)))
    }
    await fetchAll()
    expect((await ofac()).inForce).toMatchObject({ entries: 3 })
    nextDay()
    answer = (_request, response) => response.writeHead(302, { location: 'ftp://127.0.0.1/' }).end()
    await fetchAll()
    expect((await ofac()).failing).toMatchObject({ why: 'It redirects to another protocol.', refused: false })
    answer = (_request, response) => response.writeHead(302, { location: '/again' }).end()
    await fetchAll()
    expect((await ofac()).failing).toMatchObject({ why: `It redirects more than ${listRedirects} times.` })
  })

  test('is not followed to another host without TLS, whose name is not even asked for', async () => {
    const { port } = new URL(origin)
    const asked = naming('lists.invalid', ['1.1.1.1'], ['127.0.0.1'])
    answer = (request, response) => {
      if (request.url === '/there') response.end(sdnXml(entries(3)))
      else response.writeHead(302, { location: `http://lists.invalid:${port}/there` }).end()
    }
    await fetchAll()
    expect(await ofac()).toMatchObject({
      inForce: null,
      failing: { why: 'It redirects to an address that is not public.', refused: false },
    })
    expect(requests).toHaveLength(1)
    expect(asked()).toBe(0)
  })

  test.each(['gzip', 'br'] as const)('is read if it comes as %s', async coding => {
    const compress = { gzip: gzipSync, br: brotliCompressSync }[coding]
    answer = (_request, response) =>
      response.writeHead(200, { 'content-encoding': coding }).end(compress(sdnXml(entries(4))))
    await fetchAll()
    expect(requests[0]!['accept-encoding']).toContain(coding)
    expect((await ofac()).inForce).toMatchObject({ entries: 4 })
  })
})

describe('a list that cannot be fetched', () => {
  test('is tried again at the next run, and stops no other', async () => {
    answer = (request, response) => {
      if (request.url === '/SDN.XML') response.writeHead(503).end()
      else response.end(unXml([{ reference: 'QDi.001', names: ['OMAR'] }]))
    }
    Object.assign(world.services.config.listAddresses, { un_sc: `${origin}/un.xml` })
    await fetchAll()
    const { data } = await world.call(listSanctionsLists, world.admin)
    expect(data.lists).toMatchObject([
      { failing: { why: 'It answered with status 503.', refused: false }, checkedAt: null },
      { failing: null, inForce: { entries: 1 } },
      { failing: null, inForce: null },
      { failing: null, inForce: null },
    ])
    serves(sdnXml(entries(10)))
    await fetchAll()
    expect(await ofac()).toMatchObject({ failing: null, inForce: { entries: 10 } })
  })

  test('changes nothing if its file ends before its end', async () => {
    answer = (_request, response) => {
      const whole = sdnXml(entries(10))
      response.writeHead(200, { 'content-length': whole.length })
      response.write(whole.slice(0, 500), () => response.destroy())
    }
    await fetchAll()
    expect(await ofac()).toMatchObject({
      inForce: null,
      failing: { why: expect.stringContaining('It cannot be read: '), refused: false },
    })
  })

  test('alerts staff after some days, until it is fetched again', async () => {
    serves(sdnXml(entries(10)))
    await fetchAll()
    answer = (_request, response) => response.writeHead(500).end()
    world.clock.pass({ days: 1 })
    await fetchAll()
    expect(await alerts()).toEqual([])
    world.clock.pass({ days: staleListDays - 1, minutes: 1 })
    expect(await alerts()).toMatchObject([
      {
        kind: 'list.stale',
        text: `A list is too old: the sanctions list of OFAC (the US Office of Foreign Assets Control) was not checked for ${staleListDays} days.`,
      },
    ])
    expect((await ofac()).stale).toBe(true)
    serves(sdnXml(entries(10)))
    await fetchAll()
    expect(await alerts()).toEqual([])
    expect((await ofac()).stale).toBe(false)
  })

  test('ends at a limit of time', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout')
    onTestFinished(() => timeout.mockRestore())
    timeout.mockImplementation(() => AbortSignal.abort(new DOMException('', 'TimeoutError')))
    await fetchAll()
    expect(timeout).toHaveBeenCalledWith(listDownloadMinutes * 60_000)
    const why = `It cannot be read: the download took more than ${listDownloadMinutes} minutes.`
    expect((await ofac()).failing).toMatchObject({ why, refused: false })
  })

  test('keeps no connection open, however much comes with its refusal', async () => {
    let isOpen = true
    answer = (_request, response) => {
      response.writeHead(503).write('Sorry')
      response.on('close', () => {
        isOpen = false
      })
    }
    await fetchAll()
    await expect.poll(() => isOpen).toBe(false)
    expect((await ofac()).failing).toMatchObject({ why: 'It answered with status 503.' })
  })

  test('says nothing about a file that was imported meanwhile', async () => {
    answer = async (_request, response) => {
      world.clock.pass({ minutes: 1 })
      await importSdn(world, entries(3), { compares: false })
      response.writeHead(503).end()
    }
    await fetchAll()
    expect(await ofac()).toMatchObject({ inForce: { entries: 3 }, failing: null })
  })

  test('fails no more, nor alerts, once it has no address', async () => {
    answer = (_request, response) => response.writeHead(503).end()
    await fetchAll()
    world.clock.pass({ days: staleListDays, minutes: 1 })
    expect(await alerts()).toMatchObject([{ kind: 'list.stale' }])
    world.services.config.listAddresses = {}
    await fetchAll()
    expect(await alerts()).toEqual([])
    expect(await ofac()).toMatchObject({ failing: null, stale: false })
  })

  test('with a refused file and no address is told as old, not as refused', async () => {
    serves(sdnXml(entries(10)))
    await fetchAll()
    nextDay()
    serves(sdnXml(entries(7), { day: '11/21/2026' }))
    await fetchAll()
    expect(await alerts()).toMatchObject([{ kind: 'list.refused' }])
    world.services.config.listAddresses = {}
    await fetchAll()
    expect(await alerts()).toEqual([])
    world.clock.pass({ days: staleListDays, minutes: 1 })
    expect(await alerts()).toMatchObject([{ kind: 'list.stale' }])
  })

  test('alerts staff too if nobody imports it manually any more', async () => {
    world.services.config.listAddresses = {}
    await importSdn(world, entries(2), { compares: false })
    expect(await ofac()).toMatchObject({ fetched: false, checkedAt: expect.any(String) })
    expect(await alerts()).toEqual([])
    world.clock.pass({ days: staleListDays, minutes: 1 })
    expect(await alerts()).toMatchObject([{ kind: 'list.stale' }])
  })

  test('leaves no trace if the worker has to stop', async () => {
    const stopping = new AbortController()
    answer = () => stopping.abort()
    await fetchLists(world.services, stopping.signal)
    expect(await ofac()).toMatchObject({ failing: null, checkedAt: null })
  })
})

describe('while another list is imported', () => {
  /** Holds what a statement locks until it is called. */
  const holding = async (statement: string) => {
    const client = await world.ownerPool.connect()
    await client.query('BEGIN')
    await client.query(statement)
    return async () => {
      await client.query('COMMIT')
      client.release()
    }
  }

  test('none is, neither manually nor by a worker, which tries again', async () => {
    const release = await holding(`SELECT pg_advisory_xact_lock(${lockKeys.sanctions})`)
    await expect(importSdn(world, entries(3))).rejects.toThrow('Another list is being imported')
    await expect(retirePeps(world.services)).rejects.toThrow('Another list is being imported')
    serves(sdnXml(entries(10)))
    await fetchAll()
    expect(await ofac()).toMatchObject({ inForce: null, failing: null, checkedAt: null })
    await release()
    await fetchAll()
    expect(await ofac()).toMatchObject({ inForce: { entries: 10 }, failing: null })
  })

  test('a fetch that fails waits for nothing, and the import stays the last word', async () => {
    const release = await holding('LOCK TABLE app.list_entries IN EXCLUSIVE MODE')
    const importing = importSdn(world, entries(3), { compares: false })
    const waits = async () =>
      (
        await world.owner(
          "SELECT FROM pg_locks WHERE NOT granted AND relation = 'app.list_entries'::regclass",
        )
      ).rows.length
    await expect.poll(waits).toBe(1)
    answer = (_request, response) => response.writeHead(503).end()
    await fetchAll()
    expect((await ofac()).failing).toMatchObject({ why: 'It answered with status 503.' })
    await release()
    await importing
    expect(await ofac()).toMatchObject({ inForce: { entries: 3 }, failing: null })
  })
})

describe('a fetched file with far fewer entries', () => {
  test('alerts staff at once, and is fetched again the next day', async () => {
    serves(sdnXml(entries(10)))
    await fetchAll()
    nextDay()
    serves(sdnXml(entries(7), { day: '11/21/2026' }))
    await fetchAll()
    await fetchAll()
    expect(requests).toHaveLength(2)
    const why = 'The file has 7 entries, less than 80% of the 10 in force. Check that it is whole.'
    expect(await ofac()).toMatchObject({
      inForce: { publishedOn: '2026-11-20', entries: 10 },
      failing: { why, refused: true },
    })
    expect(await alerts()).toMatchObject([
      {
        kind: 'list.refused',
        text: `A newer file of the sanctions list of OFAC (the US Office of Foreign Assets Control) was refused: ${why}`,
      },
    ])
    nextDay()
    serves(sdnXml(entries(8), { day: '11/22/2026' }))
    await fetchAll()
    expect(await ofac()).toMatchObject({ inForce: { entries: 8 }, failing: null })
  })

  test('stays told with its reason while later fetches fail', async () => {
    serves(sdnXml(entries(10)))
    await fetchAll()
    nextDay()
    serves(sdnXml(entries(7), { day: '11/21/2026' }))
    await fetchAll()
    const [refused] = await alerts()
    const { failing } = await ofac()
    nextDay()
    answer = (_request, response) => response.writeHead(503).end()
    await fetchAll()
    expect((await ofac()).failing).toEqual(failing)
    expect(await alerts()).toEqual([refused])
    nextDay()
    serves(sdnXml(entries(6), { day: '11/22/2026' }))
    await fetchAll()
    expect((await ofac()).failing?.why).toContain('6 entries')
  })

  test('can be imported by a person who has checked it', async () => {
    serves(sdnXml(entries(10)))
    await fetchAll()
    nextDay()
    serves(sdnXml(entries(7), { day: '11/21/2026' }))
    await fetchAll()
    await importSdn(world, entries(7), { day: '11/21/2026', compares: false })
    expect(await ofac()).toMatchObject({ inForce: { entries: 7 }, failing: null })
    await fetchAll()
    expect(requests).toHaveLength(2)
  })
})

test('a fetched list alerts staff to open withdrawals to its wallets', async () => {
  const investor = await world.person('Ines Investor')
  await world.fund(investor, 100_000n)
  const wallet = 'Ethereum (ETH)'
  const { data } = await ask(investor, 100, { wallet, walletAddress: addresses[wallet] })
  serves(sdnXml([{ uid: 1, last: 'LISTED', wallets: [['ETH', addresses[wallet]]] }]))
  await fetchAll()
  expect(await alerts()).toContainEqual(
    expect.objectContaining({
      kind: 'withdrawal.listed',
      subject: data._id,
      text: `Withdrawal ${data.invoiceId} of $100.00 by Ines Investor goes to a wallet that is on a sanctions list now.`,
    }),
  )
})

test('a file beyond the limit is refused before it is read', async () => {
  async function* content() {
    yield { length: maximumListBytes + 1 } as Uint8Array
  }
  const imported = importList(world.services, 'ofac_sdn', content())
  await expect(imported).rejects.toThrow('The file has more than')
})

test('the database keeps how reading a list went, and believes no moment to come', async () => {
  serves(sdnXml(entries(2)))
  await fetchAll()
  await expect(world.owner('DELETE FROM app.list_fetches')).rejects.toThrow()
  for (const table of ['list_fetches', 'sanctioned_wallets']) {
    await expect(world.owner(`TRUNCATE app.${table}`)).rejects.toMatchObject({ code: 'PB900' })
  }
  await expect(world.owner('TRUNCATE app.list_imports CASCADE')).rejects.toMatchObject({ code: 'PB900' })
  await expect(
    world.database.app.query("INSERT INTO app.list_fetches (id, list) VALUES (gen_random_uuid(), 'other')"),
  ).rejects.toMatchObject({ code: '23514' })
  await world.owner("INSERT INTO app.installation (mode) VALUES ('live')")
  const ahead = world.database.app.query("UPDATE app.list_fetches SET checked_at = now() + interval '1 day'")
  await expect(ahead).rejects.toMatchObject({ code: 'PB915' })
})
