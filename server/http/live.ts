import type { FastifyInstance } from 'fastify'
import type { Notifications } from '#server/platform/notifications.ts'
import { live } from '#shared/contract/live.ts'
import { type Authentication, expiryOf, permit } from './authenticate.ts'
import { parseInput } from './input.ts'
import { type LiveOptions, LiveStreams } from './live-streams.ts'

/**
 * The stream of changes for open pages (0032_live_updates.sql tells them). Every process hears of every change, so
 * it does not matter which of them a page is connected to.
 * @param app outside of /api too: its streams end before it is closed
 */
export function serveLive(
  app: FastifyInstance,
  auth: Authentication,
  notifications: Notifications,
  limits: Omit<LiveOptions, 'isHearing'> = {},
): void {
  const streams = new LiveStreams({ ...limits, isHearing: notifications.isOpen })
  notifications.subscribe({
    channel: 'changed',
    heard: payload => streams.tell(payload),
    begin: () => streams.tellAll(),
  })
  auth.revocations.onRevoked(sessionId => streams.endSession(sessionId))
  // Before the server waits for what is under way: streams would never be done.
  app.addHook('preClose', async () => streams.close())
  app.route({
    method: live.method,
    url: `/api${live.path}`,
    // Asking for its headers alone would open a stream.
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const { authorization } = request.headers
      const caller = await permit(auth, live, authorization)
      parseInput(live, request)
      const content = streams.open(caller!, expiryOf(auth, authorization))
      return (
        reply
          .type('text/event-stream; charset=utf-8')
          // Proxies neither cache nor change nor buffer it (the last is nginx's).
          .header('cache-control', 'no-store, no-transform')
          .header('x-accel-buffering', 'no')
          .send(content)
      )
    },
  })
}
