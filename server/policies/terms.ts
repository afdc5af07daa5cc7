import type { Kysely } from 'kysely'
import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { ownTerms as ownTermsCall, ShownTerms } from '#shared/contract/policies.ts'
import { AppError } from '#shared/errors.ts'
import { languageNow } from '#shared/i18n/language.ts'
import { type Language, sourceLanguage } from '#shared/i18n/languages.ts'
import { t } from '#shared/i18n/t.ts'
import { leastAge } from '#shared/limits.ts'
import { dayOf } from '#shared/moments.ts'
import { policyRefusals } from './messages.ts'
import { newestPolicy } from './queries.ts'
import { shownTranslations, translationIn } from './translations.ts'

/** The version of the terms in force; undefined before the first. */
export async function termsInForce(db: Kysely<Schema>, now: Date): Promise<number | undefined> {
  const row = await db
    .selectFrom('app.policies')
    .select('version')
    .where('kind', '=', 'terms')
    .where('in_force_from', '<=', dayOf(now))
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.version
}

/**
 * Money comes in only under the terms in force. It always goes out.
 * @throws AppError terms_not_accepted
 */
export async function requireTerms(db: Kysely<Schema>, userId: string, now: Date): Promise<void> {
  const inForce = await db
    .selectFrom('app.policies as p')
    .select('p.version')
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('app.term_acceptances as a')
          .where('a.user_id', '=', userId)
          .whereRef('a.version', '>=', 'p.version'),
      ).as('accepted'),
    )
    .where('p.kind', '=', 'terms')
    .where('p.in_force_from', '<=', dayOf(now))
    .orderBy('p.version', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (inForce && !inForce.accepted)
    throw policyRefusals.error({ reason: 'terms_not_accepted', version: inForce.version })
}

type Acceptance = { userId: string; shown: ShownTerms; now: Date }

/**
 * Notes that a person accepts this version in the words that they were shown; once, however often they do.
 * @returns the language; undefined if these words are no longer shown
 */
export async function recordAcceptance(
  tx: Tx,
  { userId, shown: { version, translation = null }, now }: Acceptance,
): Promise<Language | undefined> {
  const { id } = await tx
    .selectFrom('app.policies')
    .select('id')
    .where('kind', '=', 'terms')
    .where('version', '=', version)
    .executeTakeFirstOrThrow()
  const shown = await shownTranslations(tx).select(['id', 'language']).where('policy_id', '=', id).execute()
  const language = translation === null ? sourceLanguage : shown.find(one => one.id === translation)?.language
  if (language === undefined) return undefined
  await tx
    .insertInto('app.term_acceptances')
    .values({ user_id: userId, version, translation_id: translation, accepted_at: now })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  return language
}

/**
 * The caller accepts the newest version.
 * @throws AppError not_found without terms or for a version that does not exist; terms_superseded, also by a better translation
 */
export async function acceptTerms(tx: Tx, ctx: SignedInContext, shown: ShownTerms): Promise<void> {
  const { version, translation = null } = shown
  const newest = await newestPolicy(tx, 'terms')
  if (!newest || version > newest.version) throw new AppError('not_found', t('Terms not found'))
  if (version < newest.version) throw policyRefusals.error({ reason: 'terms_superseded' })
  const { userId } = ctx.caller
  const language = await recordAcceptance(tx, { userId, shown, now: ctx.services.clock.now() })
  if (language === undefined) throw policyRefusals.error({ reason: 'terms_superseded' })
  const subject = { kind: 'user', id: userId }
  await audit(tx, ctx, { action: 'terms.accepted', subject, details: { version, language, translation } })
}

/** The versions that a person has accepted, in the language that they were shown, the newest first. */
export async function acceptedTerms(
  db: Kysely<Schema>,
  userId: string,
): Promise<CallData<typeof ownTermsCall>['accepted']> {
  const rows = await db
    .selectFrom('app.term_acceptances as a')
    .leftJoin('app.policy_translations as n', 'n.id', 'a.translation_id')
    .select(['a.version', 'a.accepted_at', 'n.language'])
    .where('a.user_id', '=', userId)
    .orderBy('a.version', 'desc')
    .execute()
  return rows.map(({ version, language, accepted_at: at }) => {
    return { version, language: language ?? sourceLanguage, at: at.toISOString() }
  })
}

/** What the caller has accepted, and what they should accept. */
export async function ownTerms({
  services: { db, clock },
  caller: { userId },
}: Pick<SignedInContext, 'services' | 'caller'>): Promise<CallData<typeof ownTermsCall>> {
  const [newest, inForce, accepted, { stated_age }] = await Promise.all([
    newestPolicy(db, 'terms'),
    termsInForce(db, clock.now()),
    acceptedTerms(db, userId),
    db.selectFrom('app.users').select('stated_age').where('id', '=', userId).executeTakeFirstOrThrow(),
  ])
  const latest = accepted[0]?.version ?? 0
  const needed = inForce !== undefined && latest < inForce
  return {
    accepted,
    due: newest && latest < newest.version ? await dueTerms(db, newest, needed) : null,
    statedAge: stated_age === null ? null : leastAge,
  }
}

type Newest = NonNullable<Awaited<ReturnType<typeof newestPolicy>>>

async function dueTerms(
  db: Kysely<Schema>,
  { id, version, in_force_from: from, changes }: Newest,
  needed: boolean,
) {
  const translation = await translationIn(db, id, languageNow())
  const words = translation ?? { changes, language: sourceLanguage }
  const { changes: shown, language } = words
  return { version, from, changes: shown, language, translation: translation?.id ?? null, needed }
}
