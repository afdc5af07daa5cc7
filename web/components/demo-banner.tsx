import { t, translate } from '#shared/i18n/t.ts'
import { demonstrationNotice } from '#shared/product.ts'

/** On every page of a demonstration, above the start overlay too (P-14, D2). */
export function DemoBanner() {
  return (
    <aside aria-label={t('Demonstration')} className="demo-banner bg-wait-soft text-wait text-xs">
      {translate(demonstrationNotice)}
    </aside>
  )
}
