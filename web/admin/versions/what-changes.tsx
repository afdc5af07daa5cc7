import { t } from '#shared/i18n/t.ts'
import { DescriptionList } from '#web/ui/description-list.tsx'
import type { ValidationError } from '#web/ui/form.tsx'

/** Error of a form without changes. */
export const unchanged: ValidationError = {
  get message() {
    return t('Nothing has been changed')
  },
  fields: {},
}

/** The pending changes of a form. */
export function WhatChanges({ changes }: { changes: [field: string, change: string][] }) {
  return (
    <div role="status" className="border-rule border-t pt-3">
      <h3 className="font-medium text-sm">{t('Changes')}</h3>
      {changes.length === 0 ? (
        <p className="py-2.5 text-ink-soft">{t('None yet.')}</p>
      ) : (
        <DescriptionList entries={changes} />
      )}
    </div>
  )
}
