import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineList } from '#server/queries/list.ts'
import type { CallData } from '#shared/contract/define.ts'
import { type PolicyVersion, policyStatuses, type WrittenPolicy } from '#shared/contract/policies.ts'
import type { site } from '#shared/contract/site.ts'
import { AppError } from '#shared/errors.ts'
import { type Language, sourceLanguage, type TranslatedLanguage } from '#shared/i18n/languages.ts'
import { t } from '#shared/i18n/t.ts'
import { shownPolicyVersions } from '#shared/limits.ts'
import { dayOf } from '#shared/moments.ts'
import { type PolicyKind, policyKinds } from '#shared/policies.ts'
import { isShownTranslation, shownTranslations } from './translations.ts'

const columns = ['p.version', 'p.text', 'p.changes', 'p.in_force_from', 'p.created_at'] as const

/** What the day makes of a version: a later one has not come into force yet, an earlier one has been replaced. */
function statusAt(now: Date) {
  const today = dayOf(now)
  return sql<PolicyVersion['status']>`CASE
    WHEN p.in_force_from > ${today} THEN 'upcoming'
    WHEN EXISTS (SELECT FROM app.policies n
                  WHERE n.kind = p.kind AND n.version > p.version AND n.in_force_from <= ${today}) THEN 'past'
    ELSE 'current' END`
}

/** In force, to come, or one of the last before. */
function isShown(now: Date) {
  return sql<boolean>`p.version >= (SELECT coalesce(max(c.version), 0) FROM app.policies c
    WHERE c.kind = p.kind AND c.in_force_from <= ${dayOf(now)}) - ${shownPolicyVersions}::integer`
}

type Row = {
  version: number
  language: Language
  translation: string | null
  text: string
  changes: string | null
  in_force_from: string
  created_at: Date
  status: PolicyVersion['status']
}

function present({ in_force_from: from, created_at, ...row }: Row): PolicyVersion {
  const { version, language, translation, changes, text, status } = row
  const publishedAt = created_at.toISOString()
  return { version, language, translation, from, changes, text, status, publishedAt }
}

type Wanted = { kind: PolicyKind; language: Language; now: Date; version?: number | undefined }

/**
 * A policy's versions as its page shows them, or one of any age; in English where they are not translated.
 * @throws AppError not_found
 */
export async function policyVersions(
  db: Kysely<Schema>,
  { kind, language, now, version }: Wanted,
): Promise<PolicyVersion[]> {
  const rows = await db
    .selectFrom('app.policies as p')
    .leftJoin(
      shownTranslations(db)
        .select(['id', 'policy_id', 'language', 'text', 'changes', 'created_at'])
        .where('language', '=', language as TranslatedLanguage)
        .as('n'),
      'n.policy_id',
      'p.id',
    )
    .select(['p.version', 'p.in_force_from', statusAt(now).as('status')])
    .select('n.id as translation')
    .select(({ fn, ref }) => [
      fn.coalesce('n.text', 'p.text').as('text'),
      fn.coalesce('n.created_at', 'p.created_at').as('created_at'),
      sql<
        string | null
      >`CASE WHEN ${ref('n.language')} IS NULL THEN ${ref('p.changes')} ELSE ${ref('n.changes')} END`.as(
        'changes',
      ),
      sql<Language>`coalesce(${ref('n.language')}, ${sourceLanguage})`.as('language'),
    ])
    .where('p.kind', '=', kind)
    .where(version === undefined ? isShown(now) : sql<boolean>`p.version = ${version}`)
    .orderBy('p.version', 'desc')
    .execute()
  if (rows.length === 0) throw new AppError('not_found', t('Policy not found'))
  return rows.map(present)
}

/** The newest version of a policy, in force or not. */
export function newestPolicy(db: Kysely<Schema>, kind: PolicyKind) {
  return db
    .selectFrom('app.policies')
    .select(['id', 'version', 'text', 'changes', 'in_force_from'])
    .where('kind', '=', kind)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Which policies are in force, in the order of their kinds, and when each changes next. */
export async function policiesInForce(
  db: Kysely<Schema>,
  now: Date,
): Promise<CallData<typeof site>['policies']> {
  const today = dayOf(now)
  const [rows, translations] = await Promise.all([
    db
      .selectFrom('app.policies')
      .select(['id', 'kind', 'version', 'in_force_from'])
      .orderBy('version')
      .execute(),
    shownTranslations(db).select(['id', 'policy_id', 'language']).execute(),
  ])
  const translationsOf = (policy: string) =>
    Object.fromEntries(
      translations.filter(({ policy_id }) => policy_id === policy).map(({ language, id }) => [language, id]),
    )
  return policyKinds.flatMap(kind => {
    const versions = rows.filter(row => row.kind === kind)
    const current = versions.findLast(({ in_force_from }) => in_force_from <= today)
    const next = versions.find(({ in_force_from }) => in_force_from > today)
    if (!current) return []
    const { id, version, in_force_from: from } = current
    const nextFrom = next?.in_force_from ?? null
    return [{ kind, version, from, nextFrom, translations: translationsOf(id) }]
  })
}

const inStatus = (status: PolicyVersion['status']) => (now: Date) =>
  sql<SqlBool>`${statusAt(now)} = ${status}` as Expression<SqlBool>

/** All versions, for staff. */
export const policyList = (kind?: PolicyKind) =>
  defineList({
    from: (db: Kysely<Schema>) =>
      db
        .selectFrom('app.policies as p')
        .innerJoin('app.proposals as o', 'o.id', 'p.proposal_id')
        .innerJoin('app.users as by', 'by.id', 'o.proposed_by')
        .innerJoin('app.users as second', 'second.id', 'o.decided_by')
        .$if(kind !== undefined, query => query.where('p.kind', '=', kind!)),
    columns: (query, now) =>
      query
        .select([...columns, 'p.id', 'p.kind', 'o.reason', statusAt(now).as('status')])
        .select(['by.name as proposer', 'second.name as approver'])
        .select(
          sql<TranslatedLanguage[]>`ARRAY(SELECT n.language FROM app.policy_translations n
            WHERE n.policy_id = p.id AND ${isShownTranslation} ORDER BY n.language)`.as('translations'),
        )
        .select(({ selectFrom, fn }) =>
          selectFrom('app.term_acceptances as a')
            .whereRef('a.kind', '=', 'p.kind')
            .whereRef('a.version', '=', 'p.version')
            .select(fn.countAll<bigint>().as('count'))
            .$asScalar()
            .$notNull()
            .as('acceptances'),
        ),
    present: (rows): WrittenPolicy[] =>
      rows.map(row => ({
        ...present({ ...row, language: sourceLanguage, translation: null }),
        _id: row.id,
        kind: row.kind,
        reason: row.reason,
        proposedBy: row.proposer,
        approvedBy: row.approver,
        acceptances: row.kind === 'terms' ? Number(row.acceptances) : null,
        translations: row.translations,
      })),
    id: 'p.id',
    status: {
      known: policyStatuses,
      special: { upcoming: inStatus('upcoming'), current: inStatus('current'), past: inStatus('past') },
    },
    search: { texts: ['p.text', 'p.changes', 'o.reason'], ids: ['p.id'] },
  })
