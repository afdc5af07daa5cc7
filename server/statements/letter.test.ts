import { beforeAll, expect, test } from 'vitest'
import { loadFirm, sampleFirm } from '#server/demo/firm.ts'
import { addressOf } from '#shared/call-address.ts'
import type { Investment } from '#shared/contract/entities.ts'
import {
  approveInvestment,
  closeInvestment,
  declineInvestment,
  investmentLetter,
  newInvestment,
  reinvestInvestment,
} from '#shared/contract/investments.ts'
import { listAudit } from '#shared/contract/site.ts'
import { riskLine } from '#shared/plans.ts'
import { readPdf } from '#test/support/pdf.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

let world: World
let investor: Person
beforeAll(async () => {
  world = await openWorld()
  await world.services.db.transaction().execute(tx => loadFirm(tx, world.services.clock.now()))
  investor = await world.person('Lea Letter')
  await world.fund(investor, 500_000n)
})

async function invested(): Promise<Investment> {
  const body = { method: 'balance', plan: 'Basic', amount: 500 } as const
  return (await world.call(newInvestment, investor, { body })).data
}

function download(id: string, who: Person) {
  return world.app.inject({
    method: 'GET',
    url: addressOf(investmentLetter, { params: { id }, query: { zone: 'UTC' } }),
    headers: { authorization: `Bearer ${world.tokenOf(who)}` },
  })
}

/** The letter's facts by name, and its words. */
async function letterOf(id: string) {
  const { pages, title } = readPdf((await download(id, investor)).rawPayload)
  const texts = pages.flat()
  return { title, words: texts.join(' '), fact: (name: string) => texts[texts.indexOf(name) + 1], texts }
}

test('[D-03] a letter confirms the terms, and that the target is not guaranteed', async () => {
  const { _id, invoiceId } = await invested()
  await world.call(approveInvestment, world.admin, { params: { id: _id } })
  const { title, words, fact } = await letterOf(_id)
  expect(title).toBe(`Investment confirmation, ${sampleFirm.legalName}`)
  expect(fact('Investment')).toBe(invoiceId)
  expect(fact('Plan')).toBe('Basic, version 1 of its terms')
  expect(fact('Amount')).toBe('$500.00')
  expect(fact('Payment method')).toBe('Available balance')
  expect(fact('Status')).toBe('Active: the amount is invested')
  for (const name of ['Requested', 'Approved', 'Ends']) expect(fact(name)).toMatch(/^\d{1,2} \w+ \d{4}, /)
  expect(fact('Target return')).toMatch(/^[\d.]+% over \d+ days, \$[\d.]+\. A target, not guaranteed$/)
  expect(words).toContain(riskLine)
})

test('[D-03] what was not approved has no letter', async () => {
  const { _id: id } = await invested()
  const asked = await download(id, investor)
  expect([asked.statusCode, asked.json().reason]).toEqual([409, 'nothing_invested'])
  await world.call(declineInvestment, world.admin, { params: { id }, body: { reason: 'The plan is full' } })
  expect((await download(id, world.admin)).statusCode).toBe(409)
})

test('[D-03] a letter says what became of the principal', async () => {
  const { _id: closed } = await invested()
  await world.call(approveInvestment, world.admin, { params: { id: closed } })
  await world.call(closeInvestment, world.admin, { params: { id: closed }, body: { reason: 'Asked for' } })
  const letter = await letterOf(closed)
  expect(letter.fact('Status')).toMatch(/^Closed: the principal was returned/)
  expect(letter.texts).toEqual(expect.arrayContaining(['Due to end', 'Closed']))

  const { _id: reinvested } = await invested()
  await world.call(approveInvestment, world.admin, { params: { id: reinvested } })
  await world.call(reinvestInvestment, investor, { params: { id: reinvested }, body: { reinvest: true } })
  world.clock.pass({ days: 30 })
  const { data } = await world.call(closeInvestment, world.admin, { params: { id: reinvested } })
  expect((await letterOf(reinvested)).words).toContain(
    `Closed: the principal was put on hold for the new investment ${data.reinvestedAs!.invoiceId}`,
  )
})

test('[D8, N-12] a letter is for its investor and for staff, and its download is audited', async () => {
  const { _id, invoiceId } = await invested()
  await world.call(approveInvestment, world.admin, { params: { id: _id } })
  expect((await download(_id, await world.person('Other'))).statusCode).toBe(403)
  expect((await download(_id, world.admin)).headers['content-disposition']).toContain(
    `confirmation-${invoiceId}.pdf`,
  )
  const query = { status: 'statement.exported', limit: 1 } as const
  const { data } = await world.call(listAudit, world.admin, { query })
  expect(data[0]).toMatchObject({ subject: investor.id, details: { format: 'pdf', investment: invoiceId } })
})
