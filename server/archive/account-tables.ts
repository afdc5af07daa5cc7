import { sql } from 'kysely'
import { shortName } from '#server/accounts/referred.ts'
import { inWords } from '#server/notifications/queries.ts'
import type { AuditAction } from '#shared/audit.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { endedSessionDays } from '#shared/limits.ts'
import { flag, list, moment, object, text, usd, whole, word } from './columns.ts'
import { type ArchiveTable, rowsOf } from './table.ts'

const balanceOf = (kind: 'available' | 'held' | 'invested') => sql`coalesce((
  SELECT balance FROM ledger.accounts WHERE (owner, kind, asset) = (u.id, ${sql.lit(kind)}, 'USD')), 0)`

const account: ArchiveTable = {
  name: 'account',
  about: () => t('Your account: one row with your profile, your balances, and your settings.'),
  shows: [
    'app.users',
    'app.second_factors',
    'app.recovery_codes',
    'app.muted_emails',
    'app.ending_alerts',
    'ledger.accounts',
  ],
  columns: {
    id: word(msg('The number of your account in our database')),
    name: text(msg('Your name')),
    email: text(msg('Your email address')),
    emailVerifiedAt: moment(msg('When you verified it')),
    pendingEmail: text(msg('An email address that you want instead, until you enter its code')),
    phone: text(msg('Your phone number')),
    country: text(msg('Your country')),
    language: word(msg('The language of your emails')),
    registeredAt: moment(msg('When you opened the account')),
    statedAge: whole(msg('The age in years, at least, that you stated then')),
    referralCode: word(msg('Your referral code')),
    referredBy: text(msg('The name of the person whose code you used')),
    frozenAt: moment(msg('Since when your account is frozen')),
    available: usd(msg('Your available balance')),
    held: usd(msg('What is on hold for your requests')),
    invested: usd(msg('What is in plans')),
    authenticatorSince: moment(msg('Since when your authenticator app is needed')),
    unusedRecoveryCodes: whole(msg('How many of your recovery codes are unused')),
    mutedEmails: list(msg('Emails that you have turned off')),
    endingAlertDays: whole(msg('How many days before an investment ends we tell you')),
  },
  rows: rowsOf(
    userId => sql`
      SELECT u.id, u.name, u.email, u.email_verified_at AS "emailVerifiedAt", u.pending_email AS "pendingEmail", u.phone, u.country, u.language,
             u.created_at AS "registeredAt", u.stated_age AS "statedAge", u.referral_code AS "referralCode", u.frozen_at AS "frozenAt",
             (SELECT r.name FROM app.users r WHERE r.id = u.referrer_id) AS "referredBy",
             ${balanceOf('available')} AS available, ${balanceOf('held')} AS held, ${balanceOf('invested')} AS invested,
             (SELECT confirmed_at FROM app.second_factors WHERE user_id = u.id) AS "authenticatorSince",
             (SELECT count(*) FROM app.recovery_codes WHERE user_id = u.id AND used_at IS NULL) AS "unusedRecoveryCodes",
             ARRAY(SELECT kind FROM app.muted_emails WHERE user_id = u.id ORDER BY kind) AS "mutedEmails",
             (SELECT days FROM app.ending_alerts WHERE user_id = u.id) AS "endingAlertDays"
        FROM app.users u WHERE u.id = ${userId}`,
  ),
}

const acceptedTerms: ArchiveTable = {
  name: 'accepted-terms',
  about: () => t('The versions of our terms that you have accepted, with their text.'),
  shows: ['app.term_acceptances'],
  columns: {
    version: whole(msg('The version')),
    acceptedAt: moment(msg('When you accepted it')),
    language: word(msg('The language in which you accepted it')),
    text: text(msg('Its text in that language, in Markdown')),
  },
  rows: rowsOf(
    userId => sql`
      SELECT a.version, a.accepted_at AS "acceptedAt", coalesce(n.language, 'en') AS language, coalesce(n.text, p.text) AS text
        FROM app.term_acceptances a JOIN app.policies p USING (kind, version)
             LEFT JOIN app.policy_translations n ON n.id = a.translation_id
       WHERE a.user_id = ${userId} ORDER BY a.version`,
  ),
}

const goals: ArchiveTable = {
  name: 'goals',
  about: () => t('What you save for, and goals that you removed.'),
  shows: ['app.goals'],
  columns: {
    name: text(msg('Your name for it')),
    amount: usd(msg('How much')),
    day: word(msg('By when, if you said so')),
    createdAt: moment(msg('When you set it')),
    reachedAt: moment(msg('When your total funds first reached it')),
    removedAt: moment(msg('When you removed it')),
  },
  rows: rowsOf(
    userId => sql`
      SELECT name, amount_cents AS amount, day, created_at AS "createdAt", reached_at AS "reachedAt", removed_at AS "removedAt"
        FROM app.goals WHERE user_id = ${userId} ORDER BY id`,
  ),
}

const devices: ArchiveTable = {
  name: 'notification-devices',
  about: () => t('Your devices that show notifications. Their addresses at push services stay sealed.'),
  shows: ['app.push_devices'],
  columns: {
    addedAt: moment(msg('When you turned notifications on')),
    userAgent: text(msg('What the browser said it is')),
  },
  rows: rowsOf(
    userId => sql`
      SELECT created_at AS "addedAt", user_agent AS "userAgent"
        FROM app.push_devices WHERE user_id = ${userId} ORDER BY id`,
  ),
}

const sessions: ArchiveTable = {
  name: 'sessions',
  about: () =>
    t('Your logins: open ones, and those that ended in the last {days, number} days.', {
      days: endedSessionDays,
    }),
  shows: ['app.sessions'],
  columns: {
    id: word(msg('The session')),
    openedAt: moment(msg('When you logged in')),
    lastUsedAt: moment(msg('When you last used it')),
    expiresAt: moment(msg('When it ends if it is not used')),
    endedAt: moment(msg('When it was ended')),
    ip: text(msg('The IP address')),
    device: text(msg('The browser, as it describes itself')),
    secondFactor: flag(msg('Whether an authenticator code or a passkey was used')),
  },
  rows: rowsOf(
    userId => sql`
      SELECT id, created_at AS "openedAt", last_used_at AS "lastUsedAt", expires_at AS "expiresAt", revoked_at AS "endedAt", ip,
             user_agent AS device, second_factor AS "secondFactor"
        FROM app.sessions WHERE user_id = ${userId} ORDER BY id`,
  ),
}

const passkeys: ArchiveTable = {
  name: 'passkeys',
  about: () => t('Your passkeys, by the names that you gave them.'),
  shows: ['app.passkeys'],
  columns: {
    name: text(msg('Its name')),
    addedAt: moment(msg('When you added it')),
    lastUsedAt: moment(msg('When you last used it')),
    refusedAt: moment(msg('Since when it is no longer accepted')),
  },
  rows: rowsOf(
    userId => sql`
      SELECT name, created_at AS "addedAt", last_used_at AS "lastUsedAt", refused_at AS "refusedAt"
        FROM app.passkeys WHERE user_id = ${userId} ORDER BY id`,
  ),
}

const withdrawalAddresses: ArchiveTable = {
  name: 'withdrawal-addresses',
  about: () => t('Your address book: where withdrawals may go, and addresses that you removed.'),
  shows: ['app.payout_addresses'],
  columns: {
    wallet: text(msg('The coin and its network')),
    address: text(msg('The address')),
    label: text(msg('Your name for it')),
    addedAt: moment(msg('When you added it')),
    usableFrom: moment(msg('When the first withdrawal could go there, if it had to wait')),
    firstUsedAt: moment(msg('When you first used it')),
    removedAt: moment(msg('When you removed it')),
  },
  rows: rowsOf(
    userId => sql`
      SELECT wallet, address, label, created_at AS "addedAt", usable_from AS "usableFrom", first_used_at AS "firstUsedAt",
             removed_at AS "removedAt"
        FROM app.payout_addresses WHERE user_id = ${userId} ORDER BY id`,
  ),
}

const notifications: ArchiveTable = {
  name: 'notifications',
  about: () => t('The notifications in your bell, which also say what we emailed you about.'),
  shows: ['app.notifications'],
  columns: {
    kind: word(msg('What kind of event')),
    text: text(msg('What happened')),
    details: list(msg('More about it')),
    createdAt: moment(msg('When it happened')),
    read: flag(msg('Whether you have read it')),
  },
  rows: async function* (source) {
    for await (const rows of storedNotifications(source)) {
      const told = await inWords(source.tx, rows as never, source.now)
      yield told.map(({ createdAt, ...notification }) => ({
        ...notification,
        createdAt: new Date(createdAt),
      }))
    }
  },
}

const storedNotifications = rowsOf(
  userId => sql`SELECT * FROM app.notifications WHERE user_id = ${userId} ORDER BY id`,
)

const announcements: ArchiveTable = {
  name: 'announcements',
  about: () => t('Announcements to all investors that you marked as read.'),
  shows: ['app.announcement_reads'],
  columns: {
    title: text(msg('Its title')),
    text: text(msg('Its text')),
    shownFrom: word(msg('The first day on which it was shown')),
    readAt: moment(msg('When you marked it as read')),
  },
  rows: rowsOf(
    userId => sql`
      SELECT a.title, a.text, a.shown_from AS "shownFrom", r.read_at AS "readAt"
        FROM app.announcement_reads r JOIN app.announcements a ON a.id = r.announcement_id
       WHERE r.user_id = ${userId} ORDER BY r.read_at, a.id`,
  ),
}

const referrals: ArchiveTable = {
  name: 'referrals',
  about: () => t('Who joined with your referral code, as your referrals page shows them.'),
  shows: ['app.users'],
  columns: { name: text(msg('First name and initial')), joinedAt: moment(msg('When they joined')) },
  rows: async function* (source) {
    for await (const rows of joined(source)) {
      yield rows.map(({ name, joinedAt }) => ({ name: shortName(name as string), joinedAt }))
    }
  },
}

const joined = rowsOf(
  userId => sql`
    SELECT name, created_at AS "joinedAt" FROM app.users
     WHERE referrer_id = ${userId} AND email_verified_at IS NOT NULL ORDER BY id`,
)

/** What an investor does themselves. */
const ownActions = [
  'identity.sent',
  'identity.session_started',
  'identity.session_cancelled',
  'identity.cancelled',
  'account.opened',
  'account.closed',
  'account.data_downloaded',
  'address.added',
  'address.removed',
  'address.renamed',
  'deposit.cancelled',
  'deposit.credited',
  'deposit.requested',
  'email.change_dropped',
  'email.change_requested',
  'email.changed',
  'email.verified',
  'investment.cancelled',
  'investment.reinvestment_requested',
  'investment.reinvestment_stopped',
  'investment.requested',
  'login',
  'logout',
  'passkey.added',
  'device.added',
  'device.removed',
  'passkey.removed',
  'password.changed',
  'password.reset',
  'profile.updated',
  'proof.failed',
  'proof.given',
  'recovery_code.used',
  'recovery_codes.renewed',
  'second_factor.failed',
  'second_factor.off',
  'second_factor.on',
  'session.ended',
  'session.others_ended',
  'statement.exported',
  'withdrawal.cancelled',
  'withdrawal.requested',
] as const satisfies readonly AuditAction[]

/** What happens to an account without its owner, and its owner may know: we tell them, but not why or who. */
const toldActions = [
  'account.frozen',
  'account.paid_after_closing',
  'account.proof_erased',
  'account.reopened',
  'account.unfrozen',
  'login.failed',
  'passkey.refused',
  'password.reset_requested',
  'second_factors.reset',
  'second_factors.reset_proposed',
  'session.all_ended',
] as const satisfies readonly AuditAction[]

const activity: ArchiveTable = {
  name: 'activity',
  about: () =>
    t(
      'What our audit log has of your account: what you did, the history of your records as their pages show it, and what happened to your account. Not which of our staff acted.',
    ),
  shows: ['app.audit_log'],
  columns: {
    at: moment(msg('When')),
    by: word(msg('you, our team, or automatic: no person of ours, or a person that we do not know')),
    action: word(msg('What was done')),
    about: word(msg('What kind of record it was about')),
    record: word(msg('The number or id of that record')),
    reason: text(msg('The reason that was given, if you may see it')),
    ip: text(msg('Your IP address, if it was you')),
    details: object(msg('More about what you did')),
  },
  rows: rowsOf(
    userId => sql`
      WITH records AS (
        SELECT id, invoice_id FROM app.deposits WHERE user_id = ${userId}
        UNION ALL SELECT id, invoice_id FROM app.investments WHERE user_id = ${userId}
        UNION ALL SELECT id, invoice_id FROM app.withdrawals WHERE user_id = ${userId}
        UNION ALL SELECT id, id::text FROM app.earnings WHERE user_id = ${userId}
      ), shown AS (
        SELECT id FROM app.audit_log
         WHERE actor_id = ${userId} AND action = ANY (${[...ownActions]}::text[])
           AND (subject_kind IS DISTINCT FROM 'user' OR subject_id = ${userId})
        UNION SELECT a.id FROM records r JOIN app.audit_log a ON a.subject_id = r.id
        UNION SELECT id FROM app.audit_log WHERE subject_id = ${userId} AND action = ANY (${[...toldActions]}::text[])
      )
      SELECT a.at, a.action, a.subject_kind AS about, coalesce(r.invoice_id, a.subject_id::text) AS record,
             CASE WHEN a.actor_id = ${userId} THEN 'you' WHEN a.actor_id IS NULL THEN 'automatic' ELSE 'our team' END AS by,
             CASE WHEN r.id IS NOT NULL OR a.actor_id = ${userId} THEN a.reason END AS reason,
             CASE WHEN a.actor_id = ${userId} THEN a.ip END AS ip,
             CASE WHEN a.actor_id = ${userId} THEN a.details END AS details
        FROM shown s JOIN app.audit_log a ON a.id = s.id LEFT JOIN records r ON r.id = a.subject_id
       ORDER BY a.id`,
  ),
}

export const accountTables: readonly ArchiveTable[] = [
  account,
  acceptedTerms,
  goals,
  devices,
  sessions,
  passkeys,
  withdrawalAddresses,
  notifications,
  announcements,
  referrals,
  activity,
]
