import { create } from 'zustand'
import { createJSONStorage, persist } from 'zustand/middleware'
import type { echo } from '#shared/contract/accounts.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { Earning, Investment, Withdrawal } from '#shared/contract/entities.ts'
import { storedAccess } from './tokens.ts'

type TotalAndList<T> = { total: number; list: T[] }

/** The client-side state of the specification (K-05), and nothing more (D9). USD amounts. */
export type RootState = {
  name: string
  email: string
  balance: number
  referralCode: string
  referrer: string | null
  investments: TotalAndList<Investment>
  withdrawals: TotalAndList<Withdrawal>
  earnings: TotalAndList<Earning>
}

const empty: RootState = {
  name: '',
  email: '',
  balance: 0,
  referralCode: '',
  referrer: null,
  investments: { total: 0, list: [] },
  withdrawals: { total: 0, list: [] },
  earnings: { total: 0, list: [] },
}

/** Milliseconds that the app waits for the stored state before it shows without (K-05). */
const waitAtMost = 5000

/** What is shown at once, before the server has answered. Kept in local storage under `root`. */
export const useRootState = create<RootState>()(
  persist(() => empty, {
    name: 'root',
    storage: createJSONStorage(() => localStorage),
    // The server renders without it; the guard reads it in the browser.
    skipHydration: true,
  }),
)

export const isRootRestored = () => useRootState.persist.hasHydrated()

/** Reads the stored state; goes on after 5000 ms at the latest, with what there is. */
export async function restoreRoot() {
  if (isRootRestored()) return
  const late = new Promise(resolve => setTimeout(resolve, waitAtMost))
  await Promise.race([useRootState.persist.rehydrate(), late])
}

/** Keeps what login and echo answer; what comes when nobody is signed in any more is not kept. */
export function rememberRoot({ user, investments, withdrawals, earnings }: CallData<typeof echo>) {
  if (storedAccess() === null) return
  // What is stored is older: from now on nothing has to wait for it.
  void restoreRoot()
  const { name, email, balance, referralCode, referrer } = user
  useRootState.setState({ name, email, balance, referralCode, referrer, investments, withdrawals, earnings })
}

/** Forgets it, in storage too. */
export function forgetRoot() {
  useRootState.setState(empty)
  useRootState.persist.clearStorage()
}
