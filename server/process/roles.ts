/** What a process is started as. Apart from its parts, which take seconds to load. */
export const roles = ['web', 'worker', 'all', 'migrate'] as const
export type Role = (typeof roles)[number]
export type ServingRole = Exclude<Role, 'migrate'>
