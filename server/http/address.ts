/**
 * The address of a request's path and query below PUBLIC_URL; null if they form none. A request to a proxy has a whole address; of it,
 * too, only path and query count.
 */
export function addressBelow(publicUrl: string, url: string): URL | null {
  const whole = url.startsWith('/') ? null : URL.parse(url)
  const path = whole === null ? url : whole.pathname + whole.search
  // Concatenate instead of resolving: a path with two leading slashes would name another host.
  return path.startsWith('/') ? URL.parse(publicUrl + path) : null
}
