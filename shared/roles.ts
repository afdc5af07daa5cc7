/** What staff may do, by role. The contract says which right a call needs; the server checks it, the console shows by it. */

export const roles = ['admin', 'finance', 'support', 'auditor'] as const
export type Role = (typeof roles)[number]

export const rights = ['console', 'decide', 'care', 'books', 'log', 'manage'] as const
/**
 * `console`: read what the console shows. `decide`: approve, decline, close, pay; earnings and returns. `care`: contact
 * messages, notes, freezing. `books`: statements and postings of others. `log`: the audit log. `manage`: plans, the firm's
 * profile, statistics, staff, settings.
 */
export type Right = (typeof rights)[number]

const rightsOf: Record<Role, readonly Right[]> = {
  admin: rights,
  finance: ['console', 'decide', 'books'],
  support: ['console', 'care'],
  auditor: ['console', 'books', 'log'],
}

/** Whether a role gives a right; no role, that of investors, gives none. */
export function may(role: Role | null, right: Right): boolean {
  return role !== null && rightsOf[role].includes(right)
}

/** Whether somebody would come to decide or to manage by another role: two admins give it, where there are two. */
export function gainsPower(before: Role | null, after: Role): boolean {
  return (['decide', 'manage'] as const).some(right => may(after, right) && !may(before, right))
}

/** The right that a call of the contract needs; undefined where none is needed. */
export function rightFor({ permission }: { permission: 'public' | 'account' | Right }): Right | undefined {
  return permission === 'public' || permission === 'account' ? undefined : permission
}

export const roleNames: Record<Role, string> = {
  admin: 'Admin',
  finance: 'Finance',
  support: 'Support',
  auditor: 'Auditor',
}
