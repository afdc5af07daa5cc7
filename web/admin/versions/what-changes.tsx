import { DescriptionList } from '#web/ui/description-list.tsx'

/** What a form would change, said while it is filled in. */
export function WhatChanges({ changes }: { changes: [field: string, change: string][] }) {
  return (
    <div role="status" className="border-rule border-t pt-3">
      <h3 className="font-medium text-sm">What changes</h3>
      {changes.length === 0 ? (
        <p className="py-2.5 text-ink-soft">Nothing yet.</p>
      ) : (
        <DescriptionList entries={changes} />
      )}
    </div>
  )
}
