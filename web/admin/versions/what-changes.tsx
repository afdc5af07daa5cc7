import { DescriptionList } from '#web/ui/description-list.tsx'
import type { Fault } from '#web/ui/form.tsx'

/** A form that would make a version which says the same. */
export const unchanged: Fault = { message: 'Nothing has been changed', fields: {} }

/** What a form would change, said while it is filled in. */
export function WhatChanges({ changes }: { changes: [field: string, change: string][] }) {
  return (
    <div role="status" className="border-rule border-t pt-3">
      <h3 className="font-medium text-sm">Changes</h3>
      {changes.length === 0 ? (
        <p className="py-2.5 text-ink-soft">None yet.</p>
      ) : (
        <DescriptionList entries={changes} />
      )}
    </div>
  )
}
