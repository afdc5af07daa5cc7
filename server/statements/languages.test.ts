import { beforeAll, expect, test } from 'vitest'
import { loadFirm } from '#server/demo/firm.ts'
import { germanTexts } from '#server/demo/firm-texts.de.ts'
import { addressOf } from '#shared/call-address.ts'
import type { CallDefinition } from '#shared/contract/define.ts'
import { statement, statementCsv, statementPdf } from '#shared/contract/ledger.ts'
import { readPdf } from '#test/support/pdf.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

let world: World
let investor: Person
beforeAll(async () => {
  world = await openWorld()
  const { services } = world
  await services.db.transaction().execute(tx => loadFirm(tx, services.clock.now()))
  investor = await world.person('Ines Investor')
  await world.fund(investor, 150_050n)
})

async function get(call: CallDefinition, language: string) {
  const answer = await world.app.inject({
    method: 'GET',
    url: addressOf(call, { query: { zone: 'UTC' } }),
    headers: { authorization: `Bearer ${world.tokenOf(investor)}`, 'accept-language': language },
  })
  expect(answer.statusCode, answer.body.slice(0, 300)).toBe(200)
  return answer
}

const textsOf = async (language: string) =>
  readPdf((await get(statementPdf, language)).rawPayload).pages[0]!.map(text =>
    text.replaceAll('\u00a0', ' '),
  )

test('[B-03] a German statement has German words, amounts and dates', async () => {
  const texts = await textsOf('de')
  expect(texts).toContain('Kontoauszug')
  expect(texts).toContain('Einzahlung eingegangen')
  expect(texts).toContain('1.500,50 $')
  expect(texts).toContain('+1.500,50 $')
  const day = new Intl.DateTimeFormat('de', { dateStyle: 'medium', timeZone: 'UTC' }).format(
    world.clock.now(),
  )
  expect(texts).toContain(`Von der ersten Buchung bis ${day}`)
  expect(texts).toContain('Seite 1 von 1')
  expect(texts.join(' ')).toContain(germanTexts.unregulatedStatement)
})

test('[B-03] an Arabic statement says to screen readers what is read', async () => {
  const { isTagged, actual, pages } = readPdf((await get(statementPdf, 'ar')).rawPayload)
  expect(isTagged).toBe(true)
  expect(actual).toContain('كشف الحساب')
  expect(actual).toContain('استلام إيداع')
  expect(pages[0]!.join('')).toContain(investor.email)
  expect(pages[0]!.join('\n')).not.toContain('?')
})

test('[B-03] the API describes entries in the language of the request, a CSV in English', async () => {
  expect((await get(statement, 'es')).json().data[0].description).toBe('Depósito recibido')
  expect((await get(statementCsv, 'es')).body).toContain('Deposit received')
})
