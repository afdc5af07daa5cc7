import { redirect } from 'react-router'
import { paths } from '#web/paths.ts'

/** /admin itself is no page. */
export function loader() {
  return redirect(paths.admin.home)
}
