import { serviceWorker } from '#web/register-worker.ts'

/** A browser's push subscription, as the server takes it. */
export type Subscription = { endpoint: string; keys: { p256dh: string; auth: string } }

/** Whether this browser can show notifications, and its user has decided. */
export function pushState(): 'none' | NotificationPermission {
  const isThere = 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis
  return isThere ? Notification.permission : 'none'
}

/**
 * Asks the user, then the browser's push service.
 * @param key ours; a subscription of an earlier one is replaced
 * @returns undefined if the user did not allow it
 * @throws DOMException if the push service cannot be reached
 */
export async function subscribe(key: string): Promise<Subscription | undefined> {
  if ((await Notification.requestPermission()) !== 'granted') return undefined
  await serviceWorker()
  const { pushManager } = await navigator.serviceWorker.ready
  await (await pushManager.getSubscription())?.unsubscribe()
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
  const { endpoint, keys } = subscription.toJSON() as Subscription
  return { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } }
}

export async function unsubscribe(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration()
  await (await registration?.pushManager.getSubscription())?.unsubscribe()
}
