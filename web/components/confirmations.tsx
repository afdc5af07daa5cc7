import { t } from '#shared/i18n/t.ts'

type Confirming = { have: number; needed: number }

/** '1 of 3 confirmations'. */
export function confirmationWords({ have, needed }: Confirming): string {
  return t('{have} of {needed} confirmations', { have: Math.min(have, needed), needed })
}

/** Confirmations in words and as a progress bar. */
export function Confirmations(of: Confirming) {
  return (
    <span className="grid max-w-60 gap-1 max-[44rem]:ms-auto text-ink-soft text-sm tabular-nums">
      <span aria-hidden="true">{confirmationWords(of)}</span>
      <ConfirmationBar {...of} />
    </span>
  )
}

/** The bar alone; its name is the words. */
export function ConfirmationBar(of: Confirming) {
  return (
    <progress
      className="h-1 w-full appearance-none overflow-hidden rounded-full bg-sunken [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent"
      aria-label={confirmationWords(of)}
      value={Math.min(of.have, of.needed)}
      max={of.needed}
    />
  )
}
