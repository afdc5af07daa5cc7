import { endSpan, errorTypeOf, startStep } from './tracing.ts'

/**
 * Sends a request as `fetch` does, with a span until its answer begins. Of the address the span has the host alone: paths and
 * queries contain keys of providers and addresses of investors. The trace's id stays here.
 */
export async function send(address: string | URL, init: RequestInit & { method: string }): Promise<Response> {
  const span = startStep(init.method, {
    kind: 'CLIENT',
    attributes: { 'http.request.method': init.method, ...serverOf(new URL(address)) },
  })
  if (span === undefined) return fetch(address, init)
  try {
    const response = await fetch(address, init)
    span.setAttribute('http.response.status_code', response.status)
    endSpan(span, response.status >= 400 ? String(response.status) : undefined)
    return response
  } catch (error) {
    endSpan(span, errorTypeOf((error as Error).cause ?? error))
    throw error
  }
}

const defaultPorts: Record<string, number> = { 'http:': 80, 'https:': 443, 'smtp:': 587, 'smtps:': 465 }

/** The attributes of the server at a URL. */
export function serverOf({ hostname, port, protocol }: URL) {
  return { 'server.address': hostname, 'server.port': port === '' ? defaultPorts[protocol]! : Number(port) }
}
