/** The service worker of this browser; a new one is ready once it has been installed. */
export function serviceWorker(): Promise<ServiceWorkerRegistration> {
  return navigator.serviceWorker.register('/sw.js', { updateViaCache: 'none' })
}

/** Registers it; without one, pages work as before. Browsers have none in some private windows. */
export function registerWorker() {
  if ('serviceWorker' in navigator) serviceWorker().catch(() => {})
}
