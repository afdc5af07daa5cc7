import { beforeEach, expect, test } from 'vitest'
import { noticeWriter } from '#server/notifications/deliver.ts'
import { getUser } from '#shared/contract/console.ts'
import * as call from '#shared/contract/policies.ts'
import { approveProposal, listProposals } from '#shared/contract/proposals.ts'
import { listAudit, site } from '#shared/contract/site.ts'
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
const better = { text: 'Wir zahlen Ihr Geld aus.', changes: null }
const spanish = { text: '## Condiciones\n\nPagamos.', changes: null }
/** Proposes translations, each instead of the one that is shown, unless told otherwise. */
const translate = async (
  given: call.ChangedTranslations,
  { version = 1, replaces }: { version?: number; replaces?: string | null } = {},
) => {
  const edited = Object.entries(given).map(async ([language, words]) => [
    language,
    { ...words, replaces: replaces === undefined ? await idIn(language as 'de', version) : replaces },
  ])
  const translations = Object.fromEntries(await Promise.all(edited))
  return world.call(call.translatePolicy, world.admin, {
    body: { kind: 'terms', version, translations, reason: 'For our German investors' },
  })
}
/** The id of the translation that is shown. */
const idIn = async (language: 'de' | 'es' | 'ar', version = 1): Promise<string | null> => {
  const query = { language, version }
  const { data } = await world.call(call.getPolicy, null, { params: { kind: 'terms' }, query })
  return data[0]!.translation
}
const approve = (id: string, by: Person = world.secondAdmin) =>
  world.call(approveProposal, by, { params: { id } })
const publishTranslations = async (translations: call.ChangedTranslations) => {
  const { data } = await translate(translations)
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
  expect((await accounts.emailsTo(world.secondAdmin.email)).at(-1)!.text).toMatch(/^Policy: Terms$/m)
  expect(await approve(data.proposal)).toMatchObject({ status: 200 })
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
  expect(await translate({ de: german }, { version: 2, replaces: null })).toMatchObject({ status: 404 })
  const summary = 'translations.de.changes'
  expect((await translate({ de: germanChange })).fields?.[summary]).toMatch(/no summary of changes/)
  await publishPolicy(world, changed())
  expect((await translate({ de: german }, { version: 2 })).fields?.[summary]).toMatch(
    /summary of the changes, too/,
  )
  expect((await translate({ de: { text: ' ', changes: null } })).fields?.['translations.de.text']).toMatch(
    /required/,
  )
})

test('[P-17] two admins remove a wrong translation, and the original is read again', async () => {
  await publishPolicy(world, { translations: { de: german, es: spanish } })
  const former = await idIn('de')
  const { data } = await translate({ de: { text: null, changes: null } })
  expect(await read('de')).toMatchObject([german])
  expect(await approve(data.proposal)).toMatchObject({ status: 200 })
  expect(await read('de')).toMatchObject([{ language: 'en', translation: null, text: 'We pay out.' }])
  expect(await read('es')).toMatchObject([{ language: 'es', ...spanish }])
  const { data: listed } = await world.call(call.listPolicies, world.admin)
  expect(listed).toMatchObject([{ translations: ['es'] }])
  const ada = await world.person('Ada Asked')
  const accept = await world.call(call.acceptTerms, ada, { body: { version: 1, translation: former } })
  expect(accept).toMatchObject({ status: 409, reason: 'terms_superseded' })
  const { data: log } = await world.call(listAudit, world.admin, { query: { limit: 1 } })
  expect(log[0]).toMatchObject({ details: { policy: 'terms', version: 1, languages: [], removed: ['de'] } })
  await publishTranslations({ de: better })
  expect(await read('de')).toMatchObject([better])
})

test('[P-17] nothing is removed where nothing is shown, or half', async () => {
  await publishPolicy(world, { translations: { de: german } })
  const removal = { text: null, changes: null }
  expect(await translate({ es: removal })).toMatchObject({ status: 409, reason: 'translation_unchanged' })
  const half = await translate({ de: { ...removal, changes: 'Schneller.' } })
  expect(half.fields).toEqual({ 'translations.de.text': 'Translate the text, too' })
  expect(await read('de')).toMatchObject([german])
})

test('[P-17] a translation that another admin has replaced meanwhile is not overwritten', async () => {
  await publishPolicy(world, { translations: { de: german } })
  const replaces = await idIn('de')
  world.clock.pass({ days: 3 })
  await publishTranslations({ de: better })
  const day = world.clock.now().toISOString().slice(0, 10)
  expect((await read('de'))[0]!.publishedAt).toMatch(day)
  expect((await read('en'))[0]!.publishedAt).not.toMatch(day)
  const stale = await translate({ de: german }, { replaces })
  expect(stale).toMatchObject({ status: 409, reason: 'changed_meanwhile' })
  expect(await read('de')).toMatchObject([better])
})

test('[P-17] an acceptance keeps the words that were shown, and takes no others', async () => {
  await publishPolicy(world, { translations: { de: german } })
  const [ada, bob] = [await world.person('Ada Asked'), await world.person('Bob Early')]
  const accept = async (by: Person, translation: string | null) =>
    world.call(call.acceptTerms, by, { body: { version: 1, translation } })
  const { data } = await world.call(call.ownTerms, ada, {}, { language: 'de' })
  const shown = data.due!.translation!
  expect(shown).toBe(await idIn('de'))
  await publishTranslations({ de: better })
  expect(await accept(ada, shown)).toMatchObject({ status: 409, reason: 'terms_superseded' })
  expect(await accept(ada, await idIn('de'))).toMatchObject({ status: 200 })
  expect(await accept(bob, null)).toMatchObject({ status: 200 })
  await publishTranslations({ de: german })
  const accepted = async (by: Person) => (await world.call(call.ownTerms, by)).data.accepted
  expect(await accepted(ada)).toMatchObject([{ version: 1, language: 'de' }])
  expect(await accepted(bob)).toMatchObject([{ version: 1, language: 'en' }])
  const shownToStaff = (await world.call(getUser, world.admin, { params: { id: ada.id } })).data
  expect(shownToStaff.terms).toMatchObject({ version: 1, language: 'de' })
  const { rows } = await world.owner(
    `SELECT n.text FROM app.term_acceptances a JOIN app.policy_translations n ON n.id = a.translation_id`,
  )
  expect(rows).toEqual([{ text: better.text }])
})

test('[A-03, P-17] registering accepts the translation that the form links to', async () => {
  await publishPolicy(world, { translations: { de: german } })
  const former = await idIn('de')
  await publishTranslations({ de: better })
  const { policies } = (await world.call(site, null)).data
  expect(policies).toMatchObject([{ translations: { de: await idIn('de') } }])
  const register = async (translation: string | null) =>
    (await accounts.register('Nia New', { terms: { version: 1, translation } })).answer
  expect(await register(former)).toMatchObject({ status: 409, reason: 'terms_changed_since' })
  const { data } = await register(policies[0]!.translations.de!)
  const own = await world.call(call.ownTerms, null, {}, { token: data.token.accessToken })
  expect(own.data.accepted).toMatchObject([{ version: 1, language: 'de' }])
})

test("[P-17] the database lets nobody accept terms in another policy's words", async () => {
  await publishPolicy(world)
  await publishPolicy(world, { kind: 'privacy', translations: { de: german } })
  const ada = await world.person('Ada Asked')
  const accepted = world.database.app.query(
    `INSERT INTO app.term_acceptances (user_id, version, translation_id, accepted_at)
     SELECT $1, 1, id, now() FROM app.policy_translations`,
    [ada.id],
  )
  await expect(accepted).rejects.toThrow(/words of their own/)
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
  const insert = (language: string, text: string | null) =>
    world.database.app.query(
      `INSERT INTO app.policy_translations (id, policy_id, language, text, changes, proposal_id, created_at)
       VALUES (gen_random_uuid(), $1, $2, $3, NULL, $4, now())`,
      [rows[0]!.id, language, text, rows[0]!.proposal_id],
    )
  await expect(insert('de', 'Wir zahlen nie aus.')).rejects.toThrow(/approved/)
  await expect(insert('es', german.text)).rejects.toThrow(/approved/)
  for (const language of ['de', 'es']) await expect(insert(language, null)).rejects.toThrow(/approved/)
  await expect(
    world.database.app.query(`UPDATE app.policy_translations SET text = 'Wir zahlen nie aus.'`),
  ).rejects.toThrow()
})
