const key = 'device'

/**
 * The random text by which the server knows this browser again at the next login, so that it tells of one on another
 * device. It says nothing about anybody and stays when somebody logs out.
 */
export function deviceId(): string {
  const kept = localStorage.getItem(key)
  if (kept !== null) return kept
  const id = crypto.randomUUID()
  localStorage.setItem(key, id)
  return id
}
