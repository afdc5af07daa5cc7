import { useSite } from '#web/frame.ts'
import { paths } from '#web/paths.ts'

/** Help for visitors without JavaScript (P-15). Goes inside a noscript, which no script ever fills. */
export function NeedsScript() {
  return import.meta.env.SSR ? <Help /> : null
}

function Help() {
  const { firm } = useSite()
  return (
    <div className="grid gap-3 border-wait border-l-4 bg-wait-soft px-4 py-3 text-sm text-wait">
      <p className="font-semibold">This page needs JavaScript</p>
      <p>
        JavaScript is off in your browser, so you cannot send anything from this page. We keep your login in
        the browser instead of a cookie, which needs JavaScript. Turn it on for this site in your browser’s
        settings, then reload this page.
      </p>
      <p>
        If you cannot turn it on,{' '}
        <a className="underline" href={paths.contact}>
          send us a message
        </a>{' '}
        or email{' '}
        <a className="underline" href={`mailto:${firm.supportEmail}`}>
          {firm.supportEmail}
        </a>
        . You can read everything about the firm and{' '}
        <a className="underline" href={paths.plans}>
          the investment plans
        </a>{' '}
        without JavaScript.
      </p>
    </div>
  )
}
