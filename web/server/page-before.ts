import { paths } from '#web/paths.ts'

/** The path of the page that a form was on; never another host. */
export function pageBefore(request: Request): string {
  const before = URL.parse(request.headers.get('Referer') ?? '')
  if (before === null || !/^\/(?!\/)/.test(before.pathname)) return paths.home
  return before.pathname + before.search
}
