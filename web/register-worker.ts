/** Registers the service worker; without one, pages work as before. Browsers have none in some private windows. */
export function registerWorker() {
  navigator.serviceWorker?.register('/sw.js', { updateViaCache: 'none' }).catch(() => {})
}
