import type { CallDefinition } from '#shared/contract/define.ts'
import { may, type Right, rightFor } from '#shared/roles.ts'
import { idLoggedIn, roleLoggedIn } from '#web/api/tokens.ts'

/** Whether who is logged in here has a right, as his token says: what he has no right to is not shown. The server checks it. */
export function mayHere(right: Right): boolean {
  return may(roleLoggedIn(), right)
}

/** Whether who is logged in here may make a call. */
export function mayCall(call: CallDefinition): boolean {
  const right = rightFor(call)
  return right === undefined || mayHere(right)
}

/** Whether an account, by its id, is the one that is logged in here. */
export function isOwn(userId: string): boolean {
  return userId === idLoggedIn()
}
