import type { Fetching, WorkerScope } from './service-worker-scope.ts'

/**
 * The service worker: shows the offline page when a page cannot be reached, and notifications. It stores that page with its
 * style and fonts, and nothing else: a stored balance could be out of date, or somebody else's.
 */
const scope = globalThis as unknown as WorkerScope
const { page, files, version, icon } = scope.offline

scope.addEventListener('install', event => {
  // No page depends on a version of this script, so the new one need not wait for pages to be closed.
  event.waitUntil(Promise.all([storeOfflinePage(), scope.skipWaiting()]))
})

scope.addEventListener('activate', event => {
  event.waitUntil(Promise.all([removeOthers(), preloadPages(), scope.clients.claim()]))
})

scope.addEventListener('fetch', event => {
  const { method, mode, url } = event.request
  const { pathname } = new URL(url)
  if (method !== 'GET' || pathname.startsWith('/api/')) return
  if (mode === 'navigate') event.respondWith(pageOrOffline(event))
  else if (files.includes(pathname)) event.respondWith(storedFile(event))
})

async function storeOfflinePage(): Promise<void> {
  const cache = await scope.caches.open(version)
  await cache.addAll([page, ...files].map(address => new Request(address, { cache: 'reload' })))
}

async function removeOthers(): Promise<void> {
  const names = await scope.caches.keys()
  await Promise.all(names.filter(name => name !== version).map(name => scope.caches.delete(name)))
}

/** Pages are requested without waiting for this worker to start. */
async function preloadPages(): Promise<void> {
  await scope.registration.navigationPreload?.enable()
}

async function pageOrOffline({ request, preloadResponse }: Fetching): Promise<Response> {
  try {
    return (await preloadResponse) ?? (await fetch(request))
  } catch (error) {
    const stored = await scope.caches.match(page)
    if (stored === undefined) throw error
    return stored
  }
}

async function storedFile({ request }: Fetching): Promise<Response> {
  return (await scope.caches.match(request)) ?? fetch(request)
}

/** As the server sends it (server/notifications/push). A release may add to it, and this worker may be older or newer. */
type Message = { title: string; body: string; path: string; tag: string }

scope.addEventListener('push', event => {
  if (event.data !== null) event.waitUntil(show(event.data.json() as Message))
})

scope.addEventListener('notificationclick', event => {
  event.notification.close()
  event.waitUntil(openPage(event.notification.data.path))
})

async function show({ title, body, path, tag }: Message): Promise<void> {
  await scope.registration.showNotification(title, { body, tag, icon, data: { path } })
}

/** The page that already shows it, or a new one. */
async function openPage(path: string): Promise<void> {
  const { href } = new URL(path, scope.location.origin)
  const open = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const page = open.find(({ url }) => url === href)
  await (page === undefined ? scope.clients.openWindow(href) : page.focus())
}
