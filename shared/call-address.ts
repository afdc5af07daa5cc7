import type { CallDefinition } from '#shared/contract/define.ts'

type LooseInput = { params?: Record<string, unknown>; query?: Record<string, unknown> }

/** The address of a call: its parameters put into its path, its query behind it. */
export function addressOf(call: CallDefinition, { params, query }: LooseInput): string {
  const path = call.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params?.[name])))
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return `/api${path}${given.length === 0 ? '' : `?${search}`}`
}
