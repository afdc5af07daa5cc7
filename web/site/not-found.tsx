import { data } from 'react-router'
import { FaultPage } from '#web/components/fault-page.tsx'
import { pageMeta } from '#web/meta.ts'
import type { RouteHandle } from '#web/root.tsx'

export const handle: RouteHandle = { hidden: true }
export const meta = pageMeta('Page not found')

/** Every path that no page answers: the page below, with status 404. */
export function loader() {
  return data(null, { status: 404 })
}

export function action() {
  return data(null, { status: 404 })
}

export default function NotFoundPage() {
  return <FaultPage status={404} />
}
