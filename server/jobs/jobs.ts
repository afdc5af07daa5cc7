import { mailResetLink, sendResetLink } from '#server/accounts/password.ts'
import { resealAll } from '#server/accounts/reseal.ts'
import { readCoverage } from '#server/chain/coverage.ts'
import { sendFromDemoWallet } from '#server/demo/service.ts'
import { expireDeposits } from '#server/deposits/expire.ts'
import { tellOfStops } from '#server/deposits/stopped-accounts.ts'
import { addNextParts } from '#server/earnings/run-ahead.ts'
import { addEarningPart } from '#server/earnings/runs.ts'
import { notifyEndings, notifyReached } from '#server/goals/service.ts'
import { eraseDueProofs } from '#server/identity/erase.ts'
import { remindOfProofs } from '#server/identity/remind.ts'
import { prepare, prepareSession, readDecisions } from '#server/identity/sessions.ts'
import { deliverAll, wakeWebhooks } from '#server/integrations/webhook-deliver.ts'
import { deliverWebhooks } from '#server/integrations/webhook-job.ts'
import { notifyMatured } from '#server/investments/mature.ts'
import { foldDays } from '#server/ledger/daily.ts'
import { checkNewBooks, takeSnapshots } from '#server/ledger/invariants.ts'
import { foldStatements } from '#server/ledger/totals.ts'
import { watchMovements } from '#server/monitoring/watch.ts'
import { tellStaff } from '#server/notifications/alerts/raise.ts'
import { type AboutRecord, sendNotice, sendSecurityNotice } from '#server/notifications/notices.ts'
import { deliverPush, queuePushOnce, sendPush } from '#server/notifications/push/send.ts'
import { sendersOf } from '#server/payouts/wallets.ts'
import { sendMail } from '#server/platform/mail/queue.ts'
import { tellOfTerms } from '#server/policies/tell.ts'
import { feedsOf, storeReadings } from '#server/prices/feeds.ts'
import { copyToBucket, publishToBucket } from '#server/proof/bucket.ts'
import { publishBooks } from '#server/proof/epochs.ts'
import { outsideChecks } from '#server/proof/outside-checks.ts'
import { readReserves, writeMessage } from '#server/proof/reserves/prepare.ts'
import { stampCheckpoints, stampNewest } from '#server/proof/stamps.ts'
import { askWitnesses, submitNewest } from '#server/proof/witnesses.ts'
import { fetchLists } from '#server/screening/fetch-lists.ts'
import { screenPeople } from '#server/screening/screen.ts'
import { queueAfterEpoch } from './after-epoch.ts'
import { cleanUp } from './clean-up.ts'
import { cronJob, type Job, type JobContext, job, scheduled } from './job.ts'
import { deliver } from './mail.ts'

async function deliverNotice(about: AboutRecord, ctx: JobContext): Promise<void> {
  const mail = await ctx.noticeMail(about)
  if (mail === null) return
  // First, so that a mail server that is down holds up no device.
  if (mail.push !== null) await queuePushOnce(ctx.services, mail.push, ctx.job.createdAt)
  await deliver(mail, ctx)
}

/** Every job that a worker can do. */
export const jobs: readonly Job[] = [
  job(sendMail, deliver, 'urgent'),

  job(sendSecurityNotice, deliverNotice, 'urgent'),

  job(sendResetLink, (payload, { services }) => mailResetLink(services, payload), 'urgent'),

  job(sendNotice, deliverNotice, 'notices'),

  job(deliverWebhooks, ({ id }, { services, signal }) => deliverAll(services, id, signal), 'webhooks'),

  job(sendPush, (payload, { services, signal }) => deliverPush(services, payload, signal), 'pushes'),

  job(addEarningPart, ({ run }, { services }) => addNextParts(services, run)),

  job(prepareSession, ({ id }, { services }) => prepare(services, id)),

  job(readReserves, ({ id }, { services }) => writeMessage(services, id)),

  job(sendFromDemoWallet, async (payload, { services }) => {
    // Imported only with a local chain, which alone needs its dependencies.
    const { payFromDemoWallet } = await import('#server/demo/wallet.ts')
    await payFromDemoWallet(services, payload)
  }),

  // A reading is good for five minutes, so a missed minute does not matter.
  cronJob('store_prices', '* * * * *', async ({ services }) => {
    await storeReadings(services, feedsOf(services.config))
  }),

  cronJob('expire_deposits', '* * * * *', async ({ services }) => {
    const expired = await expireDeposits(services)
    if (expired > 0) services.log.info({ expired }, 'deposits expired unpaid')
  }),

  cronJob('tell_of_stops', '* * * * *', async ({ services }) => {
    await tellOfStops(services)
  }),

  cronJob('tell_staff', '* * * * *', async ({ services }) => {
    await tellStaff(services)
  }),

  cronJob('screen_people', '* * * * *', async ({ services, signal }) => {
    const done = await screenPeople(services, { signal })
    if (done.found > 0) services.log.info(done, 'names that may be on a sanctions list')
  }),

  // Each list once a day; one that could not be fetched, each hour.
  cronJob('fetch_lists', '41 * * * *', ({ services, signal }) => fetchLists(services, signal)),

  cronJob('read_identity_decisions', '* * * * *', async ({ services }) => {
    await readDecisions(services)
  }),

  cronJob('remind_of_proofs', '20 * * * *', async ({ services }) => {
    await remindOfProofs(services)
  }),

  cronJob('erase_due_proofs', '35 * * * *', async ({ services }) => {
    const erased = await eraseDueProofs(services)
    if (erased > 0) services.log.info({ erased }, 'documents of identity deleted')
  }),

  cronJob('watch_movements', '* * * * *', async ({ services, signal }) => {
    const opened = await watchMovements(services, { signal })
    if (opened > 0) services.log.info({ opened }, 'movements to look into')
  }),

  cronJob('notify_matured', '* * * * *', async ({ services }) => {
    await notifyMatured(services)
  }),

  cronJob('tell_of_terms', '* * * * *', async ({ services }) => {
    await tellOfTerms(services)
  }),

  cronJob('notify_endings', '*/10 * * * *', async ({ services }) => {
    await notifyEndings(services)
  }),

  cronJob('notify_reached', '*/5 * * * *', async ({ services }) => {
    await notifyReached(services)
  }),

  cronJob('wake_webhooks', '* * * * *', ({ services }) => wakeWebhooks(services)),

  cronJob('read_coverage', '*/10 * * * *', ({ services }) => readCoverage(services, sendersOf)),

  cronJob('check_books', '7 * * * *', async ({ services: { pool, log, config, clock } }) => {
    await checkNewBooks(pool, log, outsideChecks(config), { secrets: config, now: clock.now() })
  }),

  cronJob('seal_books', '* * * * *', async ({ services }) => {
    const ended = await publishBooks(services)
    if (ended !== null && ended > 0) await queueAfterEpoch(services.db)
  }),

  // Also queued when an epoch ends: the schedule makes up for a process that was killed before that.
  scheduled(stampCheckpoints, '9 * * * *', ({ services }) => stampNewest(services)),
  scheduled(copyToBucket, '19 * * * *', async ({ services }) => {
    const files = await publishToBucket(services)
    if (files > 0) services.log.info({ files }, 'copied to the bucket')
  }),

  scheduled(askWitnesses, '19 * * * *', ({ services }) => submitNewest(services)),

  cronJob('take_snapshots', '*/5 * * * *', async ({ services: { pool } }) => {
    await takeSnapshots(pool)
  }),

  cronJob('fold_statements', '*/5 * * * *', async ({ services: { pool } }) => {
    await foldStatements(pool)
  }),

  // Has work only after a rotation, so it runs when a worker starts.
  cronJob('reseal_secrets', '27 3 * * *', async ({ services }) => {
    if (services.config.formerSecrets.length === 0) return
    const resealed = await resealAll(services)
    services.log.info({ resealed }, 'resealed under TOKEN_SECRET')
  }),

  cronJob('fold_days', '* * * * *', async ({ services: { pool } }) => {
    await foldDays(pool)
  }),

  cronJob('clean_up', '17 3 * * *', ({ services }) => cleanUp(services)),
]
