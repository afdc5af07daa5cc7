/** Confirmations in words and as a progress bar. */
export function Confirmations({ have, needed }: { have: number; needed: number }) {
  const words = `${Math.min(have, needed)} of ${needed} confirmations`
  return (
    <span className="grid max-w-60 gap-1 text-ink-soft text-sm tabular-nums">
      <span aria-hidden="true">{words}</span>
      <progress
        className="h-1 w-full appearance-none overflow-hidden rounded-full bg-sunken [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent"
        aria-label={words}
        value={Math.min(have, needed)}
        max={needed}
      />
    </span>
  )
}
