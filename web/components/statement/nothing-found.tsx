import { Button } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/states.tsx'

/**
 * Stands for a part of a statement in which nothing has moved, with the way to all of it.
 * @param props.of whose it is: 'your statement'
 */
export function NothingFound({ of, onClear }: { of: string; onClear: () => void }) {
  return (
    <EmptyState
      action={
        <Button tone="quiet" size="sm" onClick={onClear}>
          Show everything
        </Button>
      }
    >
      No entries match these filters in {of}.
    </EmptyState>
  )
}
