const key = 'device'

/**
 * The random text by which the server recognises this browser at the next login, so that it can warn of another device. It
 * outlasts an expired session; a logout removes it, and the server goes by other signs then (decision 77).
 */
export function deviceId(): string {
  const kept = localStorage.getItem(key)
  if (kept !== null) return kept
  const id = crypto.randomUUID()
  localStorage.setItem(key, id)
  return id
}
