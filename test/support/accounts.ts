import { mailResetLink } from '#server/accounts/password.ts'
import type { Config } from '#server/config.ts'
import { loadFirm } from '#server/demo/firm.ts'
import { keyFor } from '#server/platform/encrypted.ts'
import { signup, verifyEmail } from '#shared/contract/accounts.ts'
import { httpCaller } from './app.ts'
import { until } from './processes.ts'
import { openWorld } from './world.ts'

export type Accounts = Awaited<ReturnType<typeof openAccounts>>

type SentEmail = { to: string; subject: string; text: string; html: string }

/** The world of money.ts with people who sign up themselves and read their emails in the queue. */
export async function openAccounts(changes: Partial<Config> = {}) {
  const world = await openWorld(changes)
  const { services, app, clock, admin, owner } = world
  await services.db.transaction().execute(tx => loadFirm(tx, clock.now()))
  const call = httpCaller(app, services)
  let people = 0
  const newEmail = () => `person.${++people}@probity.test`

  async function register(
    name: string,
    changes: Record<string, unknown> = {},
    ip?: string,
    language?: string,
  ) {
    const body = {
      name,
      email: newEmail(),
      phone: '+61 2 1234 5678',
      country: 'Australia',
      password: 'correct horse',
      ...changes,
    }
    // Every sign-up has its own IP address, so that no limit is met by accident.
    const answer = await call(
      signup,
      null,
      { body },
      {
        ip: ip ?? `10.0.${people >> 8}.${people & 255}`,
        ...(language ? { language } : {}),
      },
    )
    return { answer, email: body.email, password: body.password }
  }

  /** Does what a worker would: the job finds the account and mails the link. */
  async function mailResetLinks() {
    const { rows } = await owner(`
      DELETE FROM graphile_worker._private_jobs j USING graphile_worker._private_tasks t
       WHERE t.id = j.task_id AND t.identifier = 'send_reset_link' RETURNING j.payload`)
    for (const { payload } of rows) await mailResetLink(services, payload)
  }

  async function emailsTo(email: string): Promise<SentEmail[]> {
    await mailResetLinks()
    const { rows } = await owner(`
      SELECT j.payload FROM graphile_worker._private_jobs j
        JOIN graphile_worker._private_tasks t ON t.id = j.task_id
       WHERE t.identifier = 'send_mail' ORDER BY j.id`)
    return rows
      .map(({ payload }: { payload: SentEmail }) => payload)
      .filter(({ to }: SentEmail) => to === email)
  }

  const lastOf = async (email: string, pattern: RegExp) => {
    const found = (await emailsTo(email)).map(({ text }) => pattern.exec(text)?.[1]).filter(Boolean)
    const last = found.at(-1)
    if (last === undefined) throw new Error(`no email to ${email} matches ${pattern}`)
    return last
  }
  const codeOf = (email: string) => lastOf(email, /^(\d{6})$/m)

  /**
   * The answer of a call whose account changes while it runs: the test locks the account's row, changes it once the
   * call waits for it (or has not waited), and commits.
   * @param change a statement with the account's id as $1
   */
  async function meanwhile<T>(userId: string, change: string, started: () => Promise<T>): Promise<T> {
    const holder = await world.database.owner.connect()
    try {
      const { rows } = await holder.query('SELECT pg_backend_pid() AS pid')
      const waiting = `SELECT FROM pg_stat_activity WHERE ${rows[0].pid} = ANY (pg_blocking_pids(pid))`
      await holder.query('BEGIN')
      await holder.query('SELECT FROM app.users WHERE id = $1 FOR NO KEY UPDATE', [userId])
      let isOver = false
      const answer = started().finally(() => {
        isOver = true
      })
      await until(async () => isOver || (await owner(waiting)).rows.length > 0)
      await holder.query(change, [userId])
      await holder.query('COMMIT')
      return await answer
    } finally {
      holder.release()
    }
  }

  const verify = async (email: string) =>
    call(verifyEmail, null, { body: { otp: await codeOf(email), email } })

  return {
    world,
    app,
    services,
    call,
    clock,
    admin,
    owner,
    meanwhile,
    tokenKey: keyFor(services.config, 'access token'),
    newEmail,
    register,
    /** An account with a verified email address. */
    async registerVerified(name: string) {
      const person = await register(name)
      await verify(person.email)
      return person
    },
    emailsTo,
    codeOf,
    resetTokenOf: (email: string) => lastOf(email, /#token=([\w-]+)/),
    verify,
  }
}
