import { msg, t, translate } from '#shared/i18n/t.ts'
import { oops } from '#web/api/errors.ts'
import { paths } from '#web/paths.ts'

/** Words by status; any other status is a failed page. */
const words: Record<number, { heading: string; text: string }> = {
  404: {
    heading: msg('Page not found'),
    text: msg('It may have moved, or the link may contain a typo.'),
  },
  405: {
    heading: msg('This page does not accept forms'),
    text: msg('Go back and try again from the previous page.'),
  },
  503: {
    heading: msg('This page is not available right now'),
    text: msg(
      'A part of our system is busy or restarting. Nothing is lost. Please load the page again in a minute.',
    ),
  },
}

export function errorWords(status: number) {
  return words[status] ?? { heading: t('Something went wrong on this page'), text: translate(oops) }
}

/** Replaces a failed or missing page, with a link home. Goes inside a main. */
export function ErrorPage({ status }: { status: number }) {
  const { heading, text } = errorWords(status)
  return (
    <div className="page grid content-center gap-5 py-24 lg:py-36">
      <p aria-hidden="true" className="eyebrow tabular-nums">
        {status}
      </p>
      <h1 className="display text-3xl">{heading}</h1>
      <p className="max-w-xl text-ink-soft text-lg">{text}</p>
      <p>
        <a className="prose-link" href={paths.home}>
          {t('Back to the home page')}
        </a>
      </p>
    </div>
  )
}
