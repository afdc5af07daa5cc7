import { mustSetUp } from '#web/api/tokens.ts'

/** Why an admin of a live firm comes here first, and to no other page of the console (F-08). */
export function SetUpFirst() {
  if (!mustSetUp()) return null
  return (
    <p className="max-w-2xl border-wait border-l-4 bg-wait-soft px-4 py-3 text-sm text-wait">
      Admins log in with a second factor. Set one up here, or add a passkey, to open the console. Where you
      have a passkey already, log out and log in with it.
    </p>
  )
}
