/** By tools/page-dates.ts. */
declare module 'virtual:page-dates' {
  export const pageDates: Record<string, string>
}

declare module 'virtual:react-router/server-build' {
  import type { ServerBuild } from 'react-router'

  const build: ServerBuild
  export = build
}
