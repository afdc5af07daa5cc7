/**
 * Push services that we send to, as PUSH_SERVICES has them: a host of the public internet, by https alone; all hosts below one
 * (`.notify.windows.com`); or the origin of one of the operator's own, which may be anywhere.
 */
export type PushServices = readonly string[]

/** Those of Chrome and Android, Firefox, Safari, and Edge. */
export const knownPushServices: PushServices = [
  'fcm.googleapis.com',
  'updates.push.services.mozilla.com',
  'web.push.apple.com',
  '.notify.windows.com',
]

export type PushService = {
  url: URL
  /** Named with its whole origin: its address may be private. */
  isOwn: boolean
}

/** The service of a subscription's address, which a stranger may have made up; null for one that we do not send to. */
export function pushServiceOf(services: PushServices, endpoint: string): PushService | null {
  const url = URL.parse(endpoint)
  if (url === null || url.username !== '' || url.password !== '') return null
  if (services.includes(url.origin)) return { url, isOwn: true }
  if (url.protocol !== 'https:' || url.port !== '') return null
  const isKnown = services.some(
    name => name === url.hostname || (name.startsWith('.') && url.hostname.endsWith(name)),
  )
  return isKnown ? { url, isOwn: false } : null
}

/** True for what PUSH_SERVICES may name. */
export function isPushService(name: string): boolean {
  if (URL.parse(name)?.origin === name) return /^https?:/.test(name)
  return /^\.?([a-z\d-]+\.)+[a-z\d-]+$/.test(name)
}
