/** Where several names stand in one, the telling one comes first in these lists. */
const browsers = { Edg: 'Edge', OPR: 'Opera', Firefox: 'Firefox', Chrome: 'Chrome', Safari: 'Safari' }
const systems = {
  Android: 'Android',
  iPhone: 'iPhone',
  iPad: 'iPad',
  Windows: 'Windows',
  Mac: 'macOS',
  Linux: 'Linux',
}

/** Browser and system, as far as a User-Agent says: 'Firefox on Linux'; 'an unknown browser' where it names no browser. */
export function deviceWords(userAgent: string | null): string {
  const named = (names: Record<string, string>) =>
    Object.entries(names).find(([mark]) => userAgent?.includes(mark))?.[1]
  const system = named(systems)
  return `${named(browsers) ?? 'an unknown browser'}${system === undefined ? '' : ` on ${system}`}`
}
