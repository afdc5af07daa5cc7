import type { CallDefinition } from '#shared/contract/define.ts'

type LooseInput = { params?: Record<string, unknown>; query?: Record<string, unknown> }

/** A call's URL with its path and query parameters. */
export function addressOf(call: CallDefinition, { params, query }: LooseInput): string {
  const path = call.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params?.[name])))
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return `/api${path}${given.length === 0 ? '' : `?${search}`}`
}
