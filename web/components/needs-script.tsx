import { t } from '#shared/i18n/t.ts'
import { useSite } from '#web/frame.ts'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'

/** Help for visitors without JavaScript (P-15). Goes inside a noscript, which no script ever fills. */
export function NeedsScript() {
  return import.meta.env.SSR ? <Help /> : null
}

function Help() {
  const { firm } = useSite()
  return (
    <div className="grid gap-3 border-wait border-s-4 bg-wait-soft px-4 py-3 text-sm text-wait">
      <p className="font-semibold">{t('This page needs JavaScript')}</p>
      <p>
        {t(
          'JavaScript is off in your browser, so you cannot send anything from this page. We keep your login in the browser instead of a cookie, which needs JavaScript. Turn it on for this site in your browser’s settings, then reload this page.',
        )}
      </p>
      <p>
        {tr(
          'If you cannot turn it on, <contact>send us a message</contact> or email {email}. You can read everything about the firm and <plans>the investment plans</plans> without JavaScript.',
          {
            contact: words => (
              <a className="underline" href={paths.contact}>
                {words}
              </a>
            ),
            email: (
              <a className="underline" dir="ltr" href={`mailto:${firm.supportEmail}`}>
                {firm.supportEmail}
              </a>
            ),
            plans: words => (
              <a className="underline" href={paths.plans}>
                {words}
              </a>
            ),
          },
        )}
      </p>
    </div>
  )
}
