import { accountEvent, accountsById, recordTemplates } from '#server/notifications/template.ts'

const askAdmin = 'Not expecting this? Ask an admin.'

/** Events of a member of staff, as they read them. */
export const staffTemplates = {
  role: recordTemplates({
    load: accountsById,
    events: {
      changed: accountEvent(
        'Your role was changed',
        ['You were logged out everywhere. Log in again to see what you can do now.'],
        askAdmin,
      ),
    },
  }),
  access: recordTemplates({
    load: accountsById,
    events: {
      ended: accountEvent(
        'Your access to the console has ended',
        ['You were logged out everywhere.'],
        askAdmin,
      ),
    },
  }),
}
