import { msg, t } from '#shared/i18n/t.ts'
import { pageMeta } from '#web/meta.ts'
import type { PageHandle } from '#web/page.ts'

export const handle: PageHandle = { hidden: true }
export const meta = pageMeta(msg('No connection'))

/** What the service worker shows in place of a page that cannot be reached, at that page's address. */
export default function OfflinePage() {
  return (
    <div className="page grid content-center gap-5 py-24 lg:py-36">
      <h1 className="display text-3xl">{t('No connection')}</h1>
      <p className="max-w-xl text-ink-soft text-lg">
        {t(
          'You see this page when your device cannot reach us. It shows no balance and no records: saved ones could be out of date.',
        )}
      </p>
      <p>
        {/* biome-ignore lint/a11y/useValidAnchor: leads to the page at whose address this one is shown. */}
        <a className="prose-link" href="">
          {t('Try again')}
        </a>
      </p>
    </div>
  )
}
