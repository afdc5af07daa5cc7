import { accountEvent, accountsById, recordTemplates } from '#server/notifications/template.ts'
import { msg } from '#shared/i18n/t.ts'

const askAdmin = msg('Not expecting this? Ask an admin.')

/** Events of a member of staff, as they read them. */
export const staffTemplates = {
  role: recordTemplates({
    load: accountsById,
    events: {
      changed: accountEvent(
        msg('Your role was changed'),
        [msg('You were logged out everywhere. Log in again to see what you can do now.')],
        askAdmin,
      ),
    },
  }),
  access: recordTemplates({
    load: accountsById,
    events: {
      ended: accountEvent(
        msg('Your access to the console has ended'),
        [msg('You were logged out everywhere.')],
        askAdmin,
      ),
    },
  }),
}
