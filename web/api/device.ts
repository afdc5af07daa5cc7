const key = 'device'

/**
 * Random id by which the server recognises this browser and can warn of logins on other devices. It survives an
 * expired session; logging out removes it (decision 77).
 */
export function deviceId(): string {
  const kept = localStorage.getItem(key)
  if (kept !== null) return kept
  const id = crypto.randomUUID()
  localStorage.setItem(key, id)
  return id
}
