/** Ordered: the first match identifies the browser or system. */
const browsers = { Edg: 'Edge', OPR: 'Opera', Firefox: 'Firefox', Chrome: 'Chrome', Safari: 'Safari' }
const systems = {
  Android: 'Android',
  iPhone: 'iPhone',
  iPad: 'iPad',
  Windows: 'Windows',
  Mac: 'macOS',
  Linux: 'Linux',
}

/** Browser and system of a User-Agent: 'Firefox on Linux'. */
export function deviceWords(userAgent: string | null): string {
  const named = (names: Record<string, string>) =>
    Object.entries(names).find(([mark]) => userAgent?.includes(mark))?.[1]
  const system = named(systems)
  return `${named(browsers) ?? 'an unknown browser'}${system === undefined ? '' : ` on ${system}`}`
}
