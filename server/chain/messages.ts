import { t } from '#shared/i18n/t.ts'

/** Words of `not_synced`, the refusal of every domain that relies on what a network shows. */
export function notSynced({ network, effect }: { network: string; effect?: string }): string {
  return effect === undefined
    ? t(
        '{network} is not fully synced. Try again in a minute; if the console shows a sync error, fix that first.',
        { network },
      )
    : t(
        '{network} is not fully synced, so {effect}. Try again in a minute; if the console shows a sync error, fix that first.',
        { network, effect },
      )
}
