import { proposalDays } from '#shared/limits.ts'
import { defineRefusals } from '#shared/refusals.ts'

/** Why staff, proposals and settings stay as they are. */
export const staffRefusals = defineRefusals({
  admin_exists: () => 'An admin already exists. Admins invite others in the console, under Staff.',
  invitation_closed: ({ state }: { state: 'accepted' | 'withdrawn' }) =>
    `This invitation was already ${state}.`,
  needs_second_admin: () => 'This needs two admins, and you are the only one. Add another admin first.',
  only_admin_left: () =>
    'This needs two admins, and you are the only one left. The operator can create a link for another admin: npm run admin:create.',
  already_proposed: () => 'This is already proposed. Decide that proposal first, or withdraw it.',
  proposal_closed: ({ status }: { status: string }) => `This proposal was already ${status}.`,
  proposal_expired: () =>
    `This proposal has expired: nobody decided it within ${proposalDays} days. Propose it again.`,
  access_ended: ({ name }: { name: string }) => `${name}'s access has already ended.`,
  same_role: ({ name }: { name: string }) => `${name} already has this role.`,
  last_admin: () => 'You are the only admin. Add another admin before you leave.',
  settings_unchanged: () => 'These settings are already in force.',
})
