import type { FastifyInstance } from 'fastify'
import type { Services } from '#server/context.ts'
import type { Notifications } from '#server/platform/notifications.ts'
import { live } from '#shared/contract/live.ts'
import { type Authentication, expiryOf, permit } from './authenticate.ts'
import { parseInput } from './input.ts'
import { type LiveOptions, LiveStreams } from './live-streams.ts'

/**
 * The stream of changes for open pages (0032_live_updates.sql notifies). Every process gets every change, so a page may
 * be connected to any of them.
 * @param app outside of /api too: its streams end before it is closed
 */
export function serveLive(
  app: FastifyInstance,
  { clock }: Services,
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
  // Before the server waits for open requests: a stream would never end.
  app.addHook('preClose', async () => streams.close())
  app.route({
    method: live.method,
    url: `/api${live.path}`,
    config: { call: live.id },
    // A HEAD request would open a stream.
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const caller = await permit(auth, live, request)
      parseInput(live, request)
      const expiry = expiryOf(auth, request.headers.authorization)
      const content = streams.open(caller!, expiry.getTime() - clock.now().getTime())
      return (
        reply
          .type('text/event-stream; charset=utf-8')
          // Proxies must neither cache nor change nor buffer it (the last header is nginx's).
          .header('cache-control', 'no-store, no-transform')
          .header('x-accel-buffering', 'no')
          .send(content)
      )
    },
  })
}
