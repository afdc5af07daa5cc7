import type { World } from './world.ts'

/** An admin uploads a file as a logo. */
export async function uploadLogo(world: World, content: Buffer, type: string) {
  return world.app.inject({
    method: 'POST',
    url: '/api/brand/logo',
    headers: { 'content-type': type, authorization: `Bearer ${await world.tokenOf(world.admin)}` },
    payload: content,
  })
}
