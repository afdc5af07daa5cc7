import { useSyncExternalStore } from 'react'
import type { echo } from '#shared/contract/accounts.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { Earning, Investment, Withdrawal } from '#shared/contract/entities.ts'
import { signal } from './signal.ts'
import { storedAccess } from './tokens.ts'

type TotalAndList<T> = { total: number; list: T[] }

/** The state that the specification lets the browser keep (K-05, D9). USD amounts. */
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

const storageKey = 'root'
/** Longest wait for the stored state, in milliseconds (K-05). */
const restoreTimeoutMs = 5000

let state = empty
let restored = false
const changed = signal()

function setState(next: RootState) {
  state = next
  changed.emit()
}

/** The state to show until the server answers, kept in local storage under `root`. */
export const rootStore = {
  getState: () => state,
  async restore() {
    try {
      const stored = JSON.parse(localStorage.getItem(storageKey) ?? '{}')
      setState({ ...empty, ...stored.state })
    } catch {
      // An unreadable state is replaced by the server's next answer.
    }
    restored = true
  },
}

const whole = (root: RootState) => root

/** The server renders with the empty state; the guard restores the stored one in the browser. */
export function useRootState(): RootState
export function useRootState<T>(select: (root: RootState) => T): T
export function useRootState(select: (root: RootState) => unknown = whole) {
  return useSyncExternalStore(
    changed.on,
    () => select(state),
    () => select(empty),
  )
}

export const isRootRestored = () => restored

/** Reads the stored state, once; gives up waiting after 5000 ms. */
export async function restoreRoot() {
  if (restored) return
  const timeout = new Promise(resolve => setTimeout(resolve, restoreTimeoutMs))
  await Promise.race([rootStore.restore(), timeout])
}

/** Keeps the answer of login and echo; an answer that arrives after a logout is not kept. */
export function rememberRoot({ user, investments, withdrawals, earnings }: CallData<typeof echo>) {
  if (storedAccess() === null) return
  const { name, email, balance, referralCode, referrer } = user
  setState({ name, email, balance, referralCode, referrer, investments, withdrawals, earnings })
  restored = true
  localStorage.setItem(storageKey, JSON.stringify({ state, version: 0 }))
}

/** Clears the state, in local storage too. */
export function forgetRoot() {
  setState(empty)
  localStorage.removeItem(storageKey)
}
