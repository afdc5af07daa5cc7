/** Words of `not_synced`, the refusal of every domain that relies on what a network shows. */
export function notSynced({ network, effect }: { network: string; effect?: string }): string {
  const so = effect === undefined ? '' : `, so ${effect}`
  return `${network} is not fully synced${so}. Try again in a minute; if the console shows a sync error, fix that first.`
}
