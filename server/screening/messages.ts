import { t } from '#shared/i18n/t.ts'
import { defineRefusals } from '#shared/refusals.ts'
import { entryText, type Listing, type NameStop } from '#shared/sanctions.ts'

/** Why a match of names stays as it is. */
export const screeningRefusals = defineRefusals({
  match_decided: ({ by }: { by: string }) => t('{by} has decided this already.', { by }),
  own_decision: () => t('You decided this yourself. Ask another person to correct it.'),
  match_lapsed: () => t('This entry is no longer on the list, so there is nothing to decide.'),
})

/** Why a withdrawal is not approved or paid: its owner's name. */
export const ownerRefusals = defineRefusals({
  owner_matched: ({ owner, ...listing }: Listing & { owner: string }) =>
    t('{owner} may be {listed}. Someone with the role Admin or Support must decide the match first.', {
      owner,
      listed: entryText(listing),
    }),
  owner_listed: ({ owner, ...listing }: Listing & { owner: string }) =>
    t('{owner} is {listed}, as your team has decided. Decline this withdrawal, or leave it as it is.', {
      owner,
      listed: entryText(listing),
    }),
  owner_uncompared: ({ owner }: { owner: string }) =>
    t(
      '{owner} has not been compared with the sanctions lists yet. That takes a minute, or longer after the first import; try again then. If it lasts, ask the person who runs the servers.',
      { owner },
    ),
})

/** The refusal of a withdrawal whose owner's name stops it. */
export function ownerStopped(name: string | null, stop: NameStop) {
  const owner = name ?? t('The owner')
  if (stop.why === 'uncompared') return { reason: 'owner_uncompared', owner } as const
  const { why, ...listing } = stop
  return { reason: why === 'same' ? 'owner_listed' : 'owner_matched', owner, ...listing } as const
}
