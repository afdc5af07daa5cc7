import { beforeEach, expect, test } from 'vitest'
import { noticeWriter } from '#server/notifications/deliver.ts'
import * as call from '#shared/contract/policies.ts'
import { approveProposal, listProposals } from '#shared/contract/proposals.ts'
import { listAudit } from '#shared/contract/site.ts'
import { termsNoticeDays } from '#shared/limits.ts'
import { type Accounts, openAccounts } from '#test/support/accounts.ts'
import { publishPolicy } from '#test/support/policies.ts'
import type { Person, World } from '#test/support/world.ts'

let accounts: Accounts
let world: World
beforeEach(async () => {
  accounts = await openAccounts({ rateLimit: false })
  world = accounts.world
})

const german = { text: '## Bedingungen\n\nWir zahlen aus.', changes: null }
const spanish = { text: '## Condiciones\n\nPagamos.', changes: null }
const translate = (translations: call.PolicyTranslations, version = 1) =>
  world.call(call.translatePolicy, world.admin, {
    body: { kind: 'terms', version, translations, reason: 'For our German investors' },
  })
const approve = (id: string, by: Person = world.secondAdmin) =>
  world.call(approveProposal, by, { params: { id } })
const publishTranslations = async (translations: call.PolicyTranslations, version = 1) => {
  const { data } = await translate(translations, version)
  expect(await approve(data.proposal)).toMatchObject({ status: 200 })
}
const read = async (language: 'en' | 'de' | 'es' | 'ar') =>
  (await world.call(call.getPolicy, null, { params: { kind: 'terms' }, query: { language } })).data
/** The second version, whose day comes after the notice. */
const changed = () => ({
  version: 1,
  text: 'We pay out at once.',
  changes: 'Faster payouts.',
  from: new Date(world.clock.now().getTime() + (termsNoticeDays + 1) * 86_400_000).toISOString().slice(0, 10),
})
const germanChange = { text: 'Wir zahlen sofort aus.', changes: 'Schnellere Auszahlungen.' }

test('[P-17] a policy is published with translations, each read in its language', async () => {
  await publishPolicy(world, { translations: { de: german, es: spanish } })
  expect(await read('de')).toMatchObject([{ version: 1, language: 'de', ...german }])
  expect(await read('es')).toMatchObject([{ language: 'es', ...spanish }])
  expect(await read('ar')).toMatchObject([{ language: 'en', text: 'We pay out.' }])
  expect(await read('en')).toMatchObject([{ language: 'en', text: 'We pay out.' }])
  const asked = await world.app.inject({
    url: '/api/policy/get/terms',
    headers: { 'accept-language': 'de' },
  })
  expect(asked.json().data).toMatchObject([{ language: 'de' }])
  const [listed] = (await world.call(call.listPolicies, world.admin, { query: {} })).data
  expect(listed).toMatchObject({ language: 'en', text: 'We pay out.', translations: ['de', 'es'] })
})

test('[P-17] two admins add a translation later, and a better one replaces it', async () => {
  await publishPolicy(world)
  const { data } = await translate({ de: german })
  expect(await approve(data.proposal, world.admin)).toMatchObject({ status: 409, code: 'same_approver' })
  expect(await read('de')).toMatchObject([{ language: 'en' }])
  expect(await approve(data.proposal)).toMatchObject({ status: 200 })
  const better = { text: 'Wir zahlen Ihr Geld aus.', changes: null }
  await publishTranslations({ de: better, es: spanish })
  expect(await read('de')).toMatchObject([better])
  expect(await read('es')).toMatchObject([spanish])
  const log = await world.call(listAudit, world.admin, { query: { limit: 1 } })
  expect(log.data).toMatchObject([
    {
      action: 'policy.translated',
      reason: 'For our German investors',
      details: { policy: 'terms', version: 1, languages: ['de', 'es'] },
    },
  ])
})

test('[P-17] a proposal has only the translations that change something', async () => {
  await publishPolicy(world, { translations: { de: german } })
  await translate({ de: german, es: spanish })
  const { data } = await world.call(listProposals, world.admin, { query: { status: 'pending' } })
  expect(data.map(({ content }) => content)).toEqual([
    { kind: 'policy_translation', policy: 'terms', version: 1, translations: { es: spanish } },
  ])
})

test('[P-17] translations of nothing, of nothing new or of half a text are refused', async () => {
  await publishPolicy(world, { translations: { de: german } })
  expect(await translate({ de: german })).toMatchObject({ status: 409, reason: 'translation_unchanged' })
  expect(await translate({})).toMatchObject({ status: 409, reason: 'translation_unchanged' })
  expect(await translate({ de: german }, 2)).toMatchObject({ status: 404 })
  const summary = 'translations.de.changes'
  expect((await translate({ de: germanChange })).fields?.[summary]).toMatch(/no summary of changes/)
  await publishPolicy(world, changed())
  expect((await translate({ de: german }, 2)).fields?.[summary]).toMatch(/summary of the changes, too/)
  expect((await translate({ de: { text: ' ', changes: null } })).fields?.['translations.de.text']).toMatch(
    /required/,
  )
})

test('[P-17] an acceptance keeps the words that were shown', async () => {
  await publishPolicy(world, { translations: { de: german } })
  const [ada, bob] = [await world.person('Ada Asked'), await world.person('Bob Early')]
  await world.call(call.acceptTerms, ada, { body: { version: 1 } }, { language: 'de' })
  await world.call(call.acceptTerms, bob, { body: { version: 1 } }, { language: 'ar' })
  await publishTranslations({ de: { text: 'Wir zahlen Ihr Geld aus.', changes: null } })
  const accepted = async (by: Person) => (await world.call(call.ownTerms, by)).data.accepted
  expect(await accepted(ada)).toMatchObject([{ version: 1, language: 'de' }])
  expect(await accepted(bob)).toMatchObject([{ version: 1, language: 'en' }])
  const { rows } = await world.owner(
    `SELECT n.text FROM app.term_acceptances a JOIN app.policy_translations n ON n.id = a.translation_id`,
  )
  expect(rows).toEqual([{ text: german.text }])
})

test('[P-17] a changed policy is told to each investor in their language', async () => {
  await publishPolicy(world)
  const [ada, bob] = [await world.person('Ada Asked'), await world.person('Bob Early')]
  await world.owner(`UPDATE app.users SET language = 'de' WHERE id = '${ada.id}'`)
  await publishPolicy(world, { ...changed(), translations: { de: germanChange } })
  const own = async (by: Person, language: 'de' | 'en') =>
    (await world.call(call.ownTerms, by, {}, { language })).data.due
  expect(await own(ada, 'de')).toMatchObject({ language: 'de', changes: germanChange.changes })
  expect(await own(bob, 'en')).toMatchObject({ language: 'en', changes: 'Faster payouts.' })
  const mailTo = async ({ id }: Person) =>
    (await noticeWriter(world.services)({ notice: 'terms.changed', id }))?.text
  expect(await mailTo(ada)).toContain(germanChange.changes)
  expect(await mailTo(bob)).toContain('Faster payouts.')
})

test("[P-17] the application's own login translates nothing that two admins did not approve", async () => {
  await publishPolicy(world, { translations: { de: german } })
  const { rows } = await world.owner('SELECT id, proposal_id FROM app.policies')
  const insert = (language: string, text: string) =>
    world.database.app.query(
      `INSERT INTO app.policy_translations (id, policy_id, language, text, changes, proposal_id, created_at)
       VALUES (gen_random_uuid(), $1, $2, $3, NULL, $4, now())`,
      [rows[0]!.id, language, text, rows[0]!.proposal_id],
    )
  await expect(insert('de', 'Wir zahlen nie aus.')).rejects.toThrow(/approved/)
  await expect(insert('es', german.text)).rejects.toThrow(/approved/)
  await expect(
    world.database.app.query(`UPDATE app.policy_translations SET text = 'Wir zahlen nie aus.'`),
  ).rejects.toThrow()
})
