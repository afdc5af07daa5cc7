import type { Selectable } from 'kysely'
import {
  accountEvent,
  accountsById,
  type Db,
  recordTemplates,
  type Template,
} from '#server/notifications/template.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { deviceWords } from '#shared/devices.ts'
import { utcMinute } from '#shared/moments.ts'

type Session = Pick<Selectable<Schema['app.sessions']>, 'id' | 'user_id' | 'created_at' | 'ip' | 'user_agent'>
type Passkey = Pick<Selectable<Schema['app.passkeys']>, 'id' | 'user_id' | 'name'>

/** Used alone when the session or passkey is no longer stored. */
export const headlinesAlone = {
  'session.opened': 'New login to your account',
  'session.reused': 'We logged you out on one device',
  'passkey.added': 'A passkey was added to your account',
  'passkey.removed': 'A passkey was removed from your account',
  'passkey.refused': 'One of your passkeys is no longer accepted',
}

/** Events of an account and what opens it, as its owner reads them. */
export const accountTemplates = {
  session: recordTemplates({
    load: sessionsById,
    events: {
      opened: (row: Session) => ({
        userId: row.user_id,
        headline: headlinesAlone['session.opened'],
        text: `Someone logged in to your account on a new device: ${deviceOf(row)}.`,
        details: ["Wasn't you? Change your password now. This logs out all other devices."],
      }),
      reused: (row: Session) => ({
        userId: row.user_id,
        headline: headlinesAlone['session.reused'],
        text: `We logged you out on one device because its login token was used twice: ${deviceOf(row)}.`,
        details: ["Someone may have copied it. Change your password if you can't explain it."],
      }),
    },
  }),
  account: recordTemplates({
    load: accountsById,
    events: {
      frozen: accountEvent(
        'Your account is frozen',
        [
          'You can still log in and see everything. You cannot deposit, invest or withdraw for now, and we do not approve or pay your pending requests.',
          'Your money stays where it is. Please send no payment until we tell you that your account is active again.',
        ],
        'Contact us if you have questions.',
      ),
      proof_erased: accountEvent(
        'Your proof secret was erased',
        [
          'No one can tell your lines in our public books from others’ any more, not even us. A proof that you saved before still works.',
        ],
        'Contact us if you did not ask for this.',
      ),
      data_downloaded: accountEvent('All your data was downloaded', [
        'The archive has everything that we hold about you, but no passwords or codes. Keep it where only you can open it.',
      ]),
      closed: accountEvent(
        'Your account is closed',
        [
          'You were logged out everywhere, and no one can log in any more. This is our last email about this account unless it is opened again.',
          'We keep our books, your records and your messages, because a firm must keep them by law. Please send no more payments to addresses that we showed you.',
        ],
        "Didn't close it? Contact us now: we can open it again.",
      ),
      reopened: accountEvent(
        'Your account is open again',
        ['You can log in as before, with your password and your second factor if you had one.'],
        "Didn't ask for this? Contact us now.",
      ),
      unfrozen: accountEvent(
        'Your account is active again',
        ['You can deposit, invest and withdraw again.'],
        'Contact us if anything looks wrong.',
      ),
    },
  }),
  password: recordTemplates({
    load: accountsById,
    events: { changed: accountEvent('Your password was changed', ['This logged out all other devices.']) },
  }),
  email: recordTemplates({
    load: accountsById,
    events: {
      requested: accountEvent('A change of your email address was requested', [
        'Your current address stays active until you confirm the new one.',
      ]),
      changed: accountEvent(
        'Your email address was changed',
        ['This is our last message to your old address.'],
        "Wasn't you? Contact us now: the old address can no longer reset your password.",
      ),
    },
  }),
  second_factor: recordTemplates({
    load: accountsById,
    events: {
      on: accountEvent('Two-factor authentication was turned on', [
        'Logging in with your password now needs a code from your authenticator app too. This logged out all other devices.',
      ]),
      off: accountEvent('Two-factor authentication was turned off', [
        'Your password alone is now enough to log in.',
      ]),
    },
  }),
  second_factors: recordTemplates({
    load: accountsById,
    events: {
      reset_proposed: accountEvent(
        'A reset of your two-factor authentication was proposed',
        [
          'We were told that you have lost access to it. If a second admin approves the reset, your authenticator app, recovery codes and passkeys stop working and your password alone opens your account.',
        ],
        "Didn't ask for this? Contact us now.",
      ),
      reset: accountEvent(
        'Your two-factor authentication was reset',
        [
          'Your authenticator app, recovery codes and passkeys no longer work, and you were logged out everywhere. Log in with your password and set them up again.',
        ],
        "Didn't ask for this? Set a new password now and contact us.",
      ),
    },
  }),
  recovery_codes: recordTemplates({
    load: accountsById,
    events: {
      renewed: accountEvent('New recovery codes were created', ['Your previous codes no longer work.']),
    },
  }),
  recovery_code: recordTemplates({
    load: accountsById,
    events: { used: accountEvent('A recovery code was used', ['It no longer works.']) },
  }),
  passkey: recordTemplates({
    load: passkeysById,
    events: {
      added: passkey('passkey.added', 'was added to your account', [
        'It opens your account without your password.',
        "Wasn't you? Remove it, change your password now and contact us.",
      ]),
      removed: passkey('passkey.removed', 'was removed from your account', [
        "Wasn't you? Set a new password now and contact us.",
      ]),
      refused: passkey('passkey.refused', 'is no longer accepted', [
        'Its counter went backwards at a login, so someone may have a copy of it.',
        'Log in with your password, remove it, and add a new one.',
      ]),
    },
  }),
}

function passkey(kind: keyof typeof headlinesAlone, happened: string, details: string[]): Template<Passkey> {
  return ({ user_id, name }) => ({
    userId: user_id,
    headline: headlinesAlone[kind],
    text: `The passkey '${name}' ${happened}.`,
    details,
  })
}

function sessionsById(db: Db, ids: string[]): Promise<Session[]> {
  return db
    .selectFrom('app.sessions')
    .select(['id', 'user_id', 'created_at', 'ip', 'user_agent'])
    .where('id', 'in', ids)
    .execute()
}

function passkeysById(db: Db, ids: string[]): Promise<Passkey[]> {
  return db.selectFrom('app.passkeys').select(['id', 'user_id', 'name']).where('id', 'in', ids).execute()
}

/** Browser and system as the browser reports them, the IP address and the time. */
function deviceOf({ user_agent, ip, created_at }: Session): string {
  return `${deviceWords(user_agent)}, address ${ip ?? 'unknown'}, ${utcMinute(created_at)}`
}
