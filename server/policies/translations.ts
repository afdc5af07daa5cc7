import { type Kysely, sql } from 'kysely'
import type { z } from 'zod'
import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { stateRefusals } from '#server/queries/messages.ts'
import { lockStaff } from '#server/staff/admins.ts'
import { type ProposalRow, propose } from '#server/staff/proposals.ts'
import type { ParsedInput } from '#shared/contract/define.ts'
import type {
  ChangedTranslations,
  policyTranslationProposal,
  translatePolicy as translateCall,
} from '#shared/contract/policies.ts'
import { AppError } from '#shared/errors.ts'
import { type Language, type TranslatedLanguage, translatedLanguages } from '#shared/i18n/languages.ts'
import { t } from '#shared/i18n/t.ts'
import type { PolicyKind } from '#shared/policies.ts'
import { aboutPolicy, policyRefusals } from './messages.ts'

type Content = z.output<typeof policyTranslationProposal>
type Original = { text: string; changes: string | null }

/** Of a translation `n`: it is the newest of its version and language, and no removal. */
export const isShownTranslation = sql<boolean>`n.text IS NOT NULL AND NOT EXISTS (
  SELECT FROM app.policy_translations later
   WHERE later.policy_id = n.policy_id AND later.language = n.language AND later.id > n.id)`

/** The translations that are shown. */
export function shownTranslations(db: Kysely<Schema>) {
  return db.selectFrom('app.policy_translations as n').where(isShownTranslation)
}

/** The translation of a version that is shown in this language; undefined if there is none, as for the original's. */
export function translationIn(db: Kysely<Schema>, policyId: string, language: Language) {
  return shownTranslations(db)
    .select(['id', 'language', 'changes'])
    .where('policy_id', '=', policyId)
    .where('language', '=', language as TranslatedLanguage)
    .executeTakeFirst()
}

/**
 * Proposes translations of a published version, or to remove some; those that are left out stay as they are.
 * @returns the proposal's id
 * @throws AppError forbidden, not_found; invalid_input; policy_unchanged, already_proposed, needs_second_admin
 */
export async function translatePolicy(
  tx: Tx,
  ctx: SignedInContext,
  { kind, version, translations, reason }: ParsedInput<typeof translateCall>['body'],
): Promise<string> {
  const others = await lockStaff(tx, ctx)
  const original = await publishedVersion(tx, kind, version)
  requireComplete(original, translations)
  const changed = await changedOf(tx, original.id, translations)
  if (changed.length === 0) throw policyRefusals.error({ reason: 'translation_unchanged' })
  const content: Content = { policy: kind, version, translations: Object.fromEntries(changed) }
  const logged = { policy: kind, version, ...languagesOf(content.translations) }
  const about = () => aboutPolicy(kind)
  return propose(tx, ctx, others, { kind: 'policy_translation', content, logged, about, reason })
}

/** For the audit log: the languages that get a text, and those that lose theirs. */
function languagesOf(translations: ChangedTranslations): { languages: string[]; removed?: string[] } {
  const named = Object.entries(translations)
  const of = (isRemoved: boolean) =>
    named.flatMap(([language, { text }]) => ((text === null) === isRemoved ? [language] : []))
  return { languages: of(false), ...(of(true).length > 0 && { removed: of(true) }) }
}

type Edited = ParsedInput<typeof translateCall>['body']['translations']

/**
 * Those that change something.
 * @throws AppError changed_meanwhile if another admin has published one since the caller read it
 */
async function changedOf(tx: Tx, policyId: string, edited: Edited) {
  const shown = await shownTranslations(tx)
    .select(['id', 'language', 'text', 'changes'])
    .where('policy_id', '=', policyId)
    .execute()
  return translatedLanguages.flatMap(language => {
    const given = edited[language]
    if (!given) return []
    const before = shown.find(one => one.language === language)
    const { replaces, ...words } = given
    if ((before?.id ?? null) !== replaces)
      throw stateRefusals.error({ reason: 'changed_meanwhile', what: 'policy' })
    const isSame = (before?.text ?? null) === words.text && (before?.changes ?? null) === words.changes
    return isSame ? [] : [[language, words] as const]
  })
}

async function publishedVersion(tx: Tx, kind: PolicyKind, version: number) {
  const found = await tx
    .selectFrom('app.policies')
    .select(['id', 'text', 'changes'])
    .where('kind', '=', kind)
    .where('version', '=', version)
    .executeTakeFirst()
  if (!found) throw new AppError('not_found', t('Policy not found'))
  return found
}

/**
 * A translation leaves nothing out and adds nothing: it has the summary of the changes if the original has it. What is
 * removed has neither.
 * @throws AppError invalid_input
 */
export function requireComplete(
  { changes }: Pick<Original, 'changes'>,
  translations: ChangedTranslations,
): void {
  const wrong = translatedLanguages.flatMap(language => {
    const given = translations[language]
    if (given === undefined) return []
    if (given.text === null)
      return given.changes === null ? [] : [[`translations.${language}.text`, t('Translate the text, too')]]
    return (given.changes === null) === (changes === null)
      ? []
      : [[`translations.${language}.changes`, summaryWords(changes)]]
  })
  const [first] = wrong
  if (first !== undefined)
    throw new AppError('invalid_input', first[1]!, { fields: Object.fromEntries(wrong) })
}

function summaryWords(changes: string | null): string {
  return changes === null
    ? t('The first version has no summary of changes, so its translation has none')
    : t('Translate the summary of the changes, too')
}

/** Publishes approved translations. */
export async function publishTranslations(
  tx: Tx,
  ctx: SignedInContext,
  proposal: ProposalRow,
): Promise<void> {
  const { policy, version, translations } = proposal.content as Content
  const { id } = await publishedVersion(tx, policy, version)
  await insertTranslations(tx, {
    policyId: id,
    proposalId: proposal.id,
    translations,
    now: ctx.services.clock.now(),
  })
  await audit(tx, ctx, {
    action: 'policy.translated',
    subject: { kind: 'policy', id },
    reason: proposal.reason,
    details: { policy, version, ...languagesOf(translations) },
  })
}

type Approved = { policyId: string; proposalId: string; translations: ChangedTranslations; now: Date }

export async function insertTranslations(
  tx: Tx,
  { policyId, proposalId, translations, now }: Approved,
): Promise<void> {
  const rows = translatedLanguages.flatMap(language => {
    const translation = translations[language]
    return translation ? [{ language, ...translation }] : []
  })
  if (rows.length === 0) return
  await tx
    .insertInto('app.policy_translations')
    .values(
      rows.map(row => ({
        id: newId(now),
        policy_id: policyId,
        proposal_id: proposalId,
        created_at: now,
        ...row,
      })),
    )
    .execute()
}
