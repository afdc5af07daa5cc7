import type { Selectable } from 'kysely'
import {
  accountEvent,
  accountsById,
  type Db,
  notYou,
  recordTemplates,
  type Template,
} from '#server/notifications/template.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { deviceWords } from '#shared/devices.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { utcMinute } from '#shared/moments.ts'

type Session = Pick<Selectable<Schema['app.sessions']>, 'id' | 'user_id' | 'created_at' | 'ip' | 'user_agent'>
type Passkey = Pick<Selectable<Schema['app.passkeys']>, 'id' | 'user_id' | 'name'>

/** Used alone when the session or passkey is no longer stored. */
export const headlinesAlone = {
  'session.opened': msg('New login to your account'),
  'session.reused': msg('We logged you out on one device'),
  'passkey.added': msg('A passkey was added to your account'),
  'passkey.removed': msg('A passkey was removed from your account'),
  'passkey.refused': msg('One of your passkeys is no longer accepted'),
}

/** Events of an account and what opens it, as its owner reads them. */
export const accountTemplates = {
  session: recordTemplates({
    load: sessionsById,
    events: {
      opened: (row: Session) => ({
        userId: row.user_id,
        headline: translate(headlinesAlone['session.opened']),
        text: t(
          'Someone logged in to your account on a new device: {browser}, address {ip}, {time}.',
          deviceOf(row),
        ),
        details: [t("Wasn't you? Change your password now. This logs out all other devices.")],
      }),
      reused: (row: Session) => ({
        userId: row.user_id,
        headline: translate(headlinesAlone['session.reused']),
        text: t(
          'We logged you out on one device because its login token was used twice: {browser}, address {ip}, {time}.',
          deviceOf(row),
        ),
        details: [t("Someone may have copied it. Change your password if you can't explain it.")],
      }),
    },
  }),
  account: recordTemplates({
    load: accountsById,
    events: {
      frozen: accountEvent(
        msg('Your account is frozen'),
        [
          msg(
            'You can still log in and see everything. You cannot deposit, invest or withdraw for now, and we do not approve or pay your pending requests.',
          ),
          msg(
            'Your money stays where it is. Please send no payment until we tell you that your account is active again.',
          ),
        ],
        msg('Contact us if you have questions.'),
      ),
      proof_erased: accountEvent(
        msg('Your proof secret was erased'),
        [
          msg(
            'No one can tell your lines in our public books from others’ any more, not even us. A proof that you saved before still works.',
          ),
        ],
        msg('Contact us if you did not ask for this.'),
      ),
      data_downloaded: accountEvent(msg('All your data was downloaded'), [
        msg(
          'The archive has everything that we hold about you, but no passwords or codes. Keep it where only you can open it.',
        ),
      ]),
      closed: accountEvent(
        msg('Your account is closed'),
        [
          msg(
            'You were logged out everywhere, and no one can log in any more. This is our last email about this account unless it is opened again.',
          ),
          msg(
            'We keep our books, your records and your messages, because a firm must keep them by law. Please send no more payments to addresses that we showed you.',
          ),
        ],
        msg("Didn't close it? Contact us now: we can open it again."),
      ),
      reopened: accountEvent(
        msg('Your account is open again'),
        [msg('You can log in as before, with your password and your second factor if you had one.')],
        msg("Didn't ask for this? Contact us now."),
      ),
      unfrozen: accountEvent(
        msg('Your account is active again'),
        [msg('You can deposit, invest and withdraw again.')],
        msg('Contact us if anything looks wrong.'),
      ),
    },
  }),
  password: recordTemplates({
    load: accountsById,
    events: {
      changed: accountEvent(msg('Your password was changed'), [msg('This logged out all other devices.')]),
    },
  }),
  email: recordTemplates({
    load: accountsById,
    events: {
      requested: accountEvent(msg('A change of your email address was requested'), [
        msg('Your current address stays active until you confirm the new one.'),
      ]),
      changed: accountEvent(
        msg('Your email address was changed'),
        [msg('This is our last message to your old address.')],
        msg("Wasn't you? Contact us now: the old address can no longer reset your password."),
      ),
    },
  }),
  second_factor: recordTemplates({
    load: accountsById,
    events: {
      on: accountEvent(msg('Two-factor authentication was turned on'), [
        msg(
          'Logging in with your password now needs a code from your authenticator app too. This logged out all other devices.',
        ),
      ]),
      off: accountEvent(msg('Two-factor authentication was turned off'), [
        msg('Your password alone is now enough to log in.'),
      ]),
    },
  }),
  second_factors: recordTemplates({
    load: accountsById,
    events: {
      reset_proposed: accountEvent(
        msg('A reset of your two-factor authentication was proposed'),
        [
          msg(
            'We were told that you have lost access to it. If a second admin approves the reset, your authenticator app, recovery codes and passkeys stop working and your password alone opens your account.',
          ),
        ],
        msg("Didn't ask for this? Contact us now."),
      ),
      reset: accountEvent(
        msg('Your two-factor authentication was reset'),
        [
          msg(
            'Your authenticator app, recovery codes and passkeys no longer work, and you were logged out everywhere. Log in with your password and set them up again.',
          ),
        ],
        msg("Didn't ask for this? Set a new password now and contact us."),
      ),
    },
  }),
  recovery_codes: recordTemplates({
    load: accountsById,
    events: {
      renewed: accountEvent(msg('New recovery codes were created'), [
        msg('Your previous codes no longer work.'),
      ]),
    },
  }),
  recovery_code: recordTemplates({
    load: accountsById,
    events: { used: accountEvent(msg('A recovery code was used'), [msg('It no longer works.')]) },
  }),
  passkey: recordTemplates({
    load: passkeysById,
    events: {
      added: passkey(
        'passkey.added',
        name => t("The passkey ''{name}'' was added to your account.", { name }),
        [
          msg('It opens your account without your password.'),
          msg("Wasn't you? Remove it, change your password now and contact us."),
        ],
      ),
      removed: passkey(
        'passkey.removed',
        name => t("The passkey ''{name}'' was removed from your account.", { name }),
        [notYou],
      ),
      refused: passkey(
        'passkey.refused',
        name => t("The passkey ''{name}'' is no longer accepted.", { name }),
        [
          msg('Its counter went backwards at a login, so someone may have a copy of it.'),
          msg('Log in with your password, remove it, and add a new one.'),
        ],
      ),
    },
  }),
}

function passkey(
  kind: keyof typeof headlinesAlone,
  happened: (name: string) => string,
  details: string[],
): Template<Passkey> {
  return ({ user_id, name }) => ({
    userId: user_id,
    headline: translate(headlinesAlone[kind]),
    text: happened(name),
    details: details.map(text => translate(text)),
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
function deviceOf({ user_agent, ip, created_at }: Session) {
  return {
    browser: deviceWords(user_agent),
    ip: ip ?? t('unknown', {}, 'an IP address'),
    time: utcMinute(created_at),
  }
}
