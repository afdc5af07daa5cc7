import type { CallDefinition } from '#shared/contract/define.ts'
import { may, type Right, rightFor } from '#shared/roles.ts'
import { idLoggedIn, roleLoggedIn } from '#web/api/tokens.ts'

/** True if the user's token gives this right; hides what they may not do. The server checks it again. */
export function mayHere(right: Right): boolean {
  return may(roleLoggedIn(), right)
}

/** True if the user may make the call. */
export function mayCall(call: CallDefinition): boolean {
  const right = rightFor(call)
  return right === undefined || mayHere(right)
}

/** True if this is the user's own account. */
export function isOwn(userId: string): boolean {
  return userId === idLoggedIn()
}
