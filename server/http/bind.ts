import type { Binding } from '#server/context.ts'
import type { CallDefinition, Permission } from '#shared/contract/define.ts'
import { rights } from '#shared/roles.ts'

const permissions: readonly Permission[] = ['public', 'account', ...rights]

/**
 * Checks that every call of the contract is bound once and has a permission.
 * @throws Error that lists every mistake; the server does not start
 */
export function bindAll(calls: readonly CallDefinition[], bindings: readonly Binding[]): readonly Binding[] {
  const errors: string[] = []
  const counts = new Map<CallDefinition, number>(calls.map(call => [call, 0]))
  for (const { call } of bindings) {
    const count = counts.get(call)
    if (count === undefined) errors.push(`${call.id} is bound but is no call of the contract`)
    else counts.set(call, count + 1)
  }
  for (const [call, count] of counts) {
    if (count !== 1) errors.push(`${call.id} is bound ${count} times`)
    if (!permissions.includes(call.permission)) errors.push(`${call.id} states no permission`)
  }
  if (errors.length > 0) throw new Error(`The contract is not kept: ${errors.join('; ')}`)
  return bindings
}
