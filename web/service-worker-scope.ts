/** What the service worker uses of its global scope; TypeScript's own types of it exclude those of pages. */
export type WorkerScope = {
  /** From /sw.js (site/service-worker.ts). */
  readonly offline: { page: string; files: readonly string[]; version: string; icon: string }
  readonly caches: CacheStorage
  readonly registration: ServiceWorkerRegistration
  readonly location: Location
  readonly clients: {
    claim(): Promise<void>
    matchAll(which: { type: 'window'; includeUncontrolled: boolean }): Promise<readonly OpenPage[]>
    openWindow(address: string): Promise<unknown>
  }
  skipWaiting(): Promise<void>
  addEventListener<Name extends keyof WorkerEvents>(
    name: Name,
    handle: (event: WorkerEvents[Name]) => void,
  ): void
}

type Waiting = { waitUntil(work: Promise<unknown>): void }
export type Fetching = {
  readonly request: Request
  /** Undefined without navigation preload. */
  readonly preloadResponse: Promise<Response | undefined>
  respondWith(answer: Promise<Response>): void
}

type OpenPage = { readonly url: string; focus(): Promise<unknown> }
type Pushed = Waiting & { readonly data: { json(): unknown } | null }
type Clicked = Waiting & { readonly notification: Notification }

type WorkerEvents = {
  install: Waiting
  activate: Waiting
  fetch: Fetching
  push: Pushed
  notificationclick: Clicked
}
