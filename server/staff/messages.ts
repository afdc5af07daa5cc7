import { t } from '#shared/i18n/t.ts'
import { proposalDays } from '#shared/limits.ts'
import { defineRefusals } from '#shared/refusals.ts'

/** Why staff, proposals and settings stay as they are. */
export const staffRefusals = defineRefusals({
  admin_exists: () => t('An admin already exists. Admins invite others in the console, under Staff.'),
  invitation_closed: ({ state }: { state: 'accepted' | 'withdrawn' }) =>
    t('This invitation was already {state, select, accepted {accepted} other {withdrawn}}.', { state }),
  needs_second_admin: () => t('This needs two admins, and you are the only one. Add another admin first.'),
  only_admin_left: () =>
    t(
      'This needs two admins, and you are the only one left. The operator can create a link for another admin: npm run admin:create.',
    ),
  already_proposed: () => t('This is already proposed. Decide that proposal first, or withdraw it.'),
  proposal_closed: ({ status }: { status: string }) =>
    t(
      'This proposal was already {status, select, approved {approved} rejected {rejected} other {withdrawn}}.',
      { status },
    ),
  proposal_expired: () =>
    t('This proposal has expired: nobody decided it within {days} days. Propose it again.', {
      days: proposalDays,
    }),
  access_ended: ({ name }: { name: string }) => t("{name}'s access has already ended.", { name }),
  same_role: ({ name }: { name: string }) => t('{name} already has this role.', { name }),
  last_admin: () => t('You are the only admin. Add another admin before you leave.'),
  settings_unchanged: () => t('These settings are already in force.'),
})
