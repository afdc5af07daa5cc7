/** What the service worker uses of its global scope; TypeScript's own types of it exclude those of pages. */
export type WorkerScope = {
  /** From /sw.js (site/service-worker.ts). */
  readonly offline: { page: string; files: readonly string[]; version: string }
  readonly caches: CacheStorage
  readonly registration: ServiceWorkerRegistration
  readonly clients: { claim(): Promise<void> }
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

type WorkerEvents = { install: Waiting; activate: Waiting; fetch: Fetching }
