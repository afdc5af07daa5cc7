import * as build from 'virtual:react-router/server-build'
import { createRequestHandler, RouterContextProvider } from 'react-router'
import type { WebHandler } from '#shared/web.ts'
import { hostContext } from './host.ts'

const handleRequest = createRequestHandler(build, import.meta.env.DEV ? 'development' : 'production')

/** With commonDocument the entry of the server bundle; see shared/web.ts. */
export const handle: WebHandler = (request, host) => {
  const context = new RouterContextProvider()
  context.set(hostContext, host)
  return handleRequest(request, context)
}

export { commonDocument } from './common-documents.ts'
