import { type Kysely, sql } from 'kysely'
import type { SignedInContext } from '#server/context.ts'
import { levelOf } from '#server/identity/standing.ts'
import { type PeriodTotals, periodTotals } from '#server/ledger/totals.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { acceptedTerms } from '#server/policies/terms.ts'
import type { getUser } from '#shared/contract/console.ts'
import type { CallData } from '#shared/contract/define.ts'
import { statementAccounts, statementKinds } from '#shared/contract/entities.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { usdToJson } from '#shared/money.ts'
import { activeInvestmentsOf, findUser, presentUser } from './queries.ts'

/**
 * One account for its console page.
 * @throws AppError not_found
 */
export async function userDetail(
  { services: { db }, caller }: SignedInContext,
  id: string,
): Promise<CallData<typeof getUser>> {
  const [row, account, totals, active, secondFactor, passkeys, matches, openCases, identity, [terms = null]] =
    await Promise.all([
      findUser(db, id),
      accountOf(db, id),
      periodTotals(db, id, {}),
      activeInvestmentsOf(db, [id]),
      secondFactorSince(db, id),
      passkeysOf(db, id),
      matchesOf(db, id),
      openCasesOf(db, id, caller.userId),
      identityOf(db, id),
      acceptedTerms(db, id),
    ])
  if (!row || !account) throw noSuchUser()
  const { frozen_at, freeze_reason, frozen_by_name, closed_at, referrer_id } = account
  return {
    ...presentUser(row),
    emailVerifiedAt: row.email_verified_at?.toISOString() ?? null,
    activeInvestments: active.get(id) ?? 0,
    accounts: accountsOf(totals),
    freeze:
      frozen_at === null || closed_at !== null
        ? null
        : { at: frozen_at.toISOString(), by: frozen_by_name ?? 'Unknown', reason: freeze_reason ?? '' },
    closedAt: closed_at?.toISOString() ?? null,
    proofErasedAt: account.erased_at?.toISOString() ?? null,
    secondFactorSince: secondFactor?.toISOString() ?? null,
    passkeys,
    referredBy: referrer_id === null ? null : { _id: referrer_id, name: row.referrer_name ?? referrer_id },
    terms,
    ...matches,
    openCases,
    identity,
  }
}

export function noSuchUser(): AppError {
  return new AppError('not_found', t('User not found'))
}

/** @throws AppError not_found */
export async function requireUser(db: Kysely<Schema>, id: string): Promise<void> {
  const row = await db.selectFrom('app.users').select('id').where('id', '=', id).executeTakeFirst()
  if (!row) throw noSuchUser()
}

function accountOf(db: Kysely<Schema>, id: string) {
  return db
    .selectFrom('app.users as u')
    .leftJoin('app.users as f', 'f.id', 'u.frozen_by')
    .leftJoin('app.proof_secrets as s', 's.user_id', 'u.id')
    .select([
      'u.frozen_at',
      'u.freeze_reason',
      'u.closed_at',
      'u.referrer_id',
      'f.name as frozen_by_name',
      's.erased_at',
    ])
    .where('u.id', '=', id)
    .executeTakeFirst()
}

async function secondFactorSince(db: Kysely<Schema>, id: string): Promise<Date | null> {
  const row = await db
    .selectFrom('app.second_factors')
    .select('confirmed_at')
    .where('user_id', '=', id)
    .executeTakeFirst()
  return row?.confirmed_at ?? null
}

/** Counts the passkeys that open the account, without refused ones. */
async function passkeysOf(db: Kysely<Schema>, id: string): Promise<number> {
  const { passkeys } = await db
    .selectFrom('app.passkeys')
    .select(({ fn }) => fn.countAll<bigint>().as('passkeys'))
    .where('user_id', '=', id)
    .where('refused_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(passkeys)
}

type Matches = { open: number; same: number }

/** Entries in force that may be, or are, this person: on sanctions lists, and on those of politically exposed persons. */
async function matchesOf(db: Kysely<Schema>, id: string): Promise<{ matches: Matches; exposed: Matches }> {
  const { rows } = await sql<Matches & { is_pep: boolean }>`
    SELECT list = 'pep' AS is_pep, count(*) FILTER (WHERE decision IS NULL)::int AS open,
           count(*) FILTER (WHERE decision = 'same')::int AS same
      FROM app.current_matches WHERE user_id = ${id} GROUP BY 1`.execute(db)
  const of = (pep: boolean) => {
    const { open = 0, same = 0 } = rows.find(row => row.is_pep === pep) ?? {}
    return { open, same }
  }
  return { matches: of(false), exposed: of(true) }
}

async function openCasesOf(db: Kysely<Schema>, id: string, readerId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM app.monitoring_cases WHERE user_id = ${id} AND user_id <> ${readerId}
       AND decided_at IS NULL`.execute(db)
  return rows[0]!.count
}

async function identityOf(db: Kysely<Schema>, id: string): Promise<CallData<typeof getUser>['identity']> {
  const [standing, { rows }] = await Promise.all([
    levelOf(db, id),
    sql<{ refused: boolean; waiting: number }>`
      SELECT app.identity_refused(${id}) AS refused, count(*)::int AS waiting
        FROM app.identity_checks WHERE user_id = ${id} AND decided_at IS NULL`.execute(db),
  ])
  return { ...standing, ...rows[0]! }
}

/** Each ledger account's balance with the sums of the postings that make it up. */
function accountsOf({ closingCents, movements }: PeriodTotals): CallData<typeof getUser>['accounts'] {
  return statementAccounts.map(account => ({
    account,
    balance: usdToJson(closingCents[account]),
    kinds: statementKinds.flatMap(kind => {
      const moved = movements.find(of => of.kind === account && of.about === kind)
      if (!moved) return []
      return [{ kind, in: usdToJson(moved.creditedCents), out: usdToJson(moved.debitedCents) }]
    }),
  }))
}
