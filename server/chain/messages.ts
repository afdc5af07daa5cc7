import { t } from '#shared/i18n/t.ts'

type Unknown = 'block' | { nonceOf: string }

/** Words of `not_synced`, the refusal of every domain that relies on what a network shows, and of what is not known therefore. */
export function notSynced({ network, unknown }: { network: string; unknown?: Unknown }): string {
  if (unknown === undefined)
    return t(
      '{network} is not fully synced. Try again in a minute; if the console shows a sync error, fix that first.',
      { network },
    )
  return unknown === 'block'
    ? t(
        '{network} is not fully synced, so its newest block is unknown. Try again in a minute; if the console shows a sync error, fix that first.',
        { network },
      )
    : t(
        '{network} is not fully synced, so the next nonce of {sender} is unknown. Try again in a minute; if the console shows a sync error, fix that first.',
        { network, sender: unknown.nonceOf },
      )
}
