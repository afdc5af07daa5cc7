import { msg } from './i18n/t.ts'

/** Rights by role. The contract names each call's right; the server checks it, the console hides what is missing. */

export const roles = ['admin', 'finance', 'support', 'compliance', 'auditor'] as const
export type Role = (typeof roles)[number]

export const rights = ['console', 'decide', 'care', 'identity', 'books', 'log', 'manage'] as const
/**
 * `console`: read the console. `decide`: approve, decline, close, pay; earnings and returns. `care`: messages, notes,
 * freezes. `identity`: documents of investors, and decisions about them. `books`: others' statements and postings. `log`: the audit log. `manage`: plans, firm, statistics, staff,
 * settings.
 */
export type Right = (typeof rights)[number]

const rightsOf: Record<Role, readonly Right[]> = {
  admin: rights,
  finance: ['console', 'decide', 'books'],
  support: ['console', 'care'],
  compliance: ['console', 'care', 'identity', 'books', 'log'],
  auditor: ['console', 'books', 'log'],
}

/** True if a role gives a right; investors have no role. */
export function may(role: Role | null, right: Right): boolean {
  return role !== null && rightsOf[role].includes(right)
}

/** True if the new role adds the right to decide or manage, which needs two admins if there are two. */
export function gainsPower(before: Role | null, after: Role): boolean {
  return (['decide', 'manage'] as const).some(right => may(after, right) && !may(before, right))
}

/** Rights that an API key can have, for calls that read: an auditor's, whose role changes nothing. */
export const apiKeyRights = ['console', 'books', 'log'] as const satisfies readonly Right[]
export type ApiKeyRight = (typeof apiKeyRights)[number]

/** True if a key with these rights may make the call. Calls of investors, and about the caller, are for people. */
export function keyMayCall(
  {
    method,
    permission,
    personal,
  }: { method: string; permission: 'public' | 'account' | Right; personal?: true },
  given: readonly Right[] = apiKeyRights,
): boolean {
  const right = rightFor({ permission })
  return method === 'GET' && !personal && right !== undefined && given.includes(right)
}

/** The right a call needs, if any. */
export function rightFor({ permission }: { permission: 'public' | 'account' | Right }): Right | undefined {
  return permission === 'public' || permission === 'account' ? undefined : permission
}

/** For `translate`. */
export const roleNames: Record<Role, string> = {
  admin: msg('Admin'),
  finance: msg('Finance'),
  support: msg('Support'),
  compliance: msg('Compliance'),
  auditor: msg('Auditor'),
}
