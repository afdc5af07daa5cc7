import { redirect } from 'react-router'
import { paths } from '#web/paths.ts'

/** /dashboard itself is no page. */
export function loader() {
  return redirect(paths.dashboard.home)
}
