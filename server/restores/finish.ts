import { type Kysely, sql } from 'kysely'
import { asSystem, audit } from '#server/audit/log.ts'
import { lastIndex, stopNumbering } from '#server/chain/numbering.ts'
import type { Services, Tx } from '#server/context.ts'
import { lastMark } from '#server/deposits/address-marks.ts'
import { resumeNumbering } from '#server/deposits/resume-numbering.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { publishedMark } from '#server/proof/mark.ts'
import type { Rail } from '#server/rails/rail.ts'
import { railOf } from '#server/rails/rails.ts'
import { railNames } from '#shared/coins.ts'
import { beat, lastNumber, SKIPPED, skipNumbers } from './beat.ts'

/** Addresses of each key left out after a restore, beyond the last one that this machine knows. */
const SKIPPED_ADDRESSES = 100
/**
 * Added to the beats of all machines: more than any mark is ahead, at one beat in five seconds 19 months of lost time. So the
 * marks of the other machines are not taken for another restore, and ours show one to a time before this.
 */
const BEATS_AHEAD = 10_000_000

/** Lines for the operator. */
export type Finished = { done: string[]; review: string[] }

/**
 * Makes a restored database safe to serve: numbers and addresses go on beyond those that were given, and nobody comes in with
 * what was issued before. What only people can know, it tells. Payouts stay paused.
 * @param options.anyway also if this machine's mark shows no restore
 * @returns undefined if there is none to finish
 */
export async function finishRestore(
  services: Services,
  { anyway = false } = {},
): Promise<Finished | undefined> {
  const { db, config } = services
  const until = await knownUntil(db)
  await beat(services)
  const open = await db.selectFrom('app.restores').select('id').where('finished_at', 'is', null).execute()
  if (open.length === 0 && !anyway) return undefined
  const addresses = await skipAddresses(services)
  const done = await db.transaction().execute(tx => finishIn(tx, services))
  // From now on this machine's mark shows a restore to a time before this.
  await beat(services)
  return {
    done: [...done, ...addresses.done],
    review: [...addresses.review, ...(await toReview(db, config.dataDir, until))],
  }
}

async function finishIn(tx: Tx, services: Services): Promise<string[]> {
  const now = services.clock.now()
  const number = await lastNumber(tx)
  await skipNumbers(tx, number + SKIPPED)
  await sql`UPDATE app.machines SET beat = beat + ${BEATS_AHEAD}::integer`.execute(tx)
  const ended = {
    sessions: await countOf(tx, sql`UPDATE app.sessions SET revoked_at = ${now} WHERE revoked_at IS NULL`),
    devices: await countOf(tx, sql`DELETE FROM app.push_devices`),
    codes: await countOf(tx, sql`DELETE FROM app.email_codes`),
    links: await countOf(tx, sql`DELETE FROM app.password_resets`),
    challenges: await countOf(tx, sql`DELETE FROM app.passkey_challenges`),
    setups: await countOf(tx, sql`DELETE FROM app.second_factors WHERE confirmed_at IS NULL`),
    invitations: await countOf(
      tx,
      sql`UPDATE app.staff_invitations SET withdrawn_at = ${now} WHERE accepted_at IS NULL AND withdrawn_at IS NULL`,
    ),
  }
  await finishAll(tx, { now, number })
  await audit(tx, asSystem(services), { action: 'restore.finished', details: { number, ...ended } })
  return [
    `Document numbers go on after ${number + SKIPPED}.`,
    `${ended.sessions} sessions are ended; access tokens of before are refused.`,
    `${ended.codes} emailed codes, ${ended.links} links for new passwords, ${ended.challenges} passkey challenges and ${ended.setups} unconfirmed second factors are void.`,
    `${ended.invitations} open invitations of staff are withdrawn: invite them again.`,
  ]
}

/** Also a restore that no mark shows, and only the operator knows of. */
async function finishAll(tx: Tx, { now, number }: { now: Date; number: number }): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('app.restores')
    .set({ finished_at: now })
    .where('finished_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows > 0n) return
  const id = newId(now)
  const unknown = { machine: id, number: BigInt(number), number_lost: BigInt(number) }
  await tx
    .insertInto('app.restores')
    .values({ id, found_at: now, finished_at: now, ...unknown })
    .execute()
}

async function countOf(tx: Tx, change: ReturnType<typeof sql>): Promise<number> {
  const { numAffectedRows } = await change.execute(tx)
  return Number(numAffectedRows ?? 0)
}

/** Leaves out the addresses that may have been shown in the lost time. A key without a mark here stays stopped. */
async function skipAddresses(services: Services): Promise<Finished> {
  const lines: Finished = { done: [], review: [] }
  for (const name of railNames) {
    const rail = railOf(services.config, name)
    const highest = rail === undefined ? undefined : await stopAddresses(services, rail)
    if (rail === undefined || highest === undefined) continue
    try {
      if (!highest.isMarked) throw new RangeError('this machine has no mark of those that were shown')
      const to = highest.index + SKIPPED_ADDRESSES
      await resumeNumbering(services, rail, to)
      lines.done.push(
        `New addresses on ${name} go on after index ${to}; payments to those left out are watched.`,
      )
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      const advice = `Find out the last one, then run: npm run addresses:resume -- ${name} <index>`
      lines.review.push(`No new addresses are given on ${name}: ${error.message}. ${advice}`)
    }
  }
  return lines
}

/**
 * Stops a key that has given addresses.
 * @returns the highest index that was shown as far as is known; undefined if none was, or the address is fixed
 */
async function stopAddresses(
  { db, config, clock }: Services,
  { name, receiving }: Rail,
): Promise<{ index: number; isMarked: boolean } | undefined> {
  if (receiving.kind === 'fixed') return undefined
  const { account } = receiving
  const marked = await lastMark(config.dataDir, account)
  return await db.transaction().execute(async tx => {
    const known = Math.max(await lastIndex(tx, account), marked ?? -1)
    if (known < 0) return undefined
    await stopNumbering(tx, { account, rail: name, now: clock.now(), because: 'mark', knownIndex: known })
    // An earlier stop may know a higher one.
    const { known_index } = await tx
      .selectFrom('app.receiving_accounts')
      .select('known_index')
      .where('account', '=', account)
      .executeTakeFirstOrThrow()
    return { index: known_index ?? known, isMarked: marked !== undefined }
  })
}

/** The latest line of the audit log: every act and every posting leaves one. */
async function knownUntil(db: Kysely<Schema>): Promise<Date | null> {
  const { at } = await db
    .selectFrom('app.audit_log')
    .select(({ fn }) => fn.max('at').as('at'))
    .executeTakeFirstOrThrow()
  return at as Date | null
}

async function toReview(db: Kysely<Schema>, dataDir: string, until: Date | null): Promise<string[]> {
  const { rows } = await sql<{
    approved: number
    batches: number
    frozen: number
    proposals: number
    leaves: number
  }>`
    SELECT (SELECT count(*)::int FROM app.withdrawals WHERE status = 'approved') AS approved,
           (SELECT count(*)::int FROM app.payout_batches WHERE ended_at IS NULL) AS batches,
           (SELECT count(*)::int FROM app.users WHERE frozen_at IS NOT NULL) AS frozen,
           (SELECT count(*)::int FROM app.proposals WHERE status = 'pending') AS proposals,
           coalesce((SELECT size FROM ledger.epochs ORDER BY number DESC LIMIT 1), 0)::int AS leaves`.execute(
    db,
  )
  const { approved, batches, frozen, proposals, leaves } = rows[0]!
  const since = until?.toISOString() ?? 'the beginning'
  const published = Number((await publishedMark(dataDir))?.checkpoint.split('\n')[1] ?? 0)
  const logged = `journalctl -u 'probity-web@*' --since '${since.slice(0, 19).replace('T', ' ')} UTC' -o cat | grep '"msg":"request"' | grep -v '"method":"GET"'`
  return [
    `The database knows what happened until ${since}, and nothing after that. What people did since, the log still names: ${logged}`,
    `Payouts: ${approved} withdrawals are shown as approved and ${batches} batches as open. Some may be paid already, and payments of withdrawals that are forgotten left the wallet. Compare the wallet and the console's unexplained transactions with the books, then run: npm run payouts:resume`,
    ...(published > leaves
      ? [
          `Public log: this machine has published ${published} leaves, and the database has ${leaves}. No epoch is signed: docs/operate.md says what to do, under "Public proof".`,
        ]
      : []),
    `Accounts: ${frozen} are frozen or closed. Freeze again those that were frozen since; those that were closed since are open again. Passwords, second factors and recovery codes are those of then: tell everyone who changed them to change them again (requests to /api/auth/), reset the factors of those who lost one.`,
    `Staff: roles, invitations, ended access, the firm's profile, plans and settings are those of then, and ${proposals} proposals are open. Decide again what was decided since.`,
    'Investors: deposits that a network shows are credited again once it is synced. Approve again those that staff approved manually, and earnings and returns that were recorded since.',
  ]
}
