import { t } from '#shared/i18n/t.ts'
import { Button } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/states.tsx'

/**
 * Empty result of a filter, with a button to clear it.
 * @param props.of whose statement: 'your statement'
 */
export function NothingFound({ of, onClear }: { of: string; onClear: () => void }) {
  return (
    <EmptyState
      action={
        <Button tone="quiet" size="sm" onClick={onClear}>
          {t('Show everything')}
        </Button>
      }
    >
      {t('No entries match these filters in {of}.', { of })}
    </EmptyState>
  )
}
