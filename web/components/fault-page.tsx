import { oops } from '#web/api/errors.ts'
import { paths } from '#web/paths.ts'

/** In place of a page that failed or is not there; always with a way home. Stands inside a main. */
export function FaultPage({ status }: { status: number }) {
  const missing = status === 404
  return (
    <div className="page grid content-center gap-5 py-24 lg:py-36">
      <p aria-hidden="true" className="eyebrow tabular-nums">
        {status}
      </p>
      <h1 className="display text-3xl">
        {missing ? 'There is no page at this address' : 'This page failed'}
      </h1>
      <p className="max-w-xl text-ink-soft text-lg">
        {missing ? 'It may have moved, or the address has a slip in it.' : oops}
      </p>
      <p>
        <a className="prose-link" href={paths.home}>
          Back to the home page
        </a>
      </p>
    </div>
  )
}
