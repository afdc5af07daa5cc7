import { msg } from '#shared/i18n/t.ts'
import { ErrorPage } from '#web/components/error-page.tsx'
import { pageMeta } from '#web/meta.ts'
import type { PageHandle } from '#web/page.ts'
import type { Loaded } from './page-data.ts'

export const handle: PageHandle = { hidden: true }
export const meta = pageMeta(msg('Page not found'))

/** Answers every unknown path with status 404. */
export async function load(): Promise<Loaded> {
  return { status: 404 }
}

export const act = load

export default function NotFoundPage() {
  return <ErrorPage status={404} />
}
