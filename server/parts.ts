import type { Part } from './serve.ts'
import { webPart } from './web.ts'

/** What a process does: answer requests, do jobs, both (after migrating), or migrate and end. */
export const partsOf = {
  web: [webPart()],
  worker: [],
  all: [webPart()],
  migrate: [],
} satisfies Record<string, readonly Part[]>
export type Role = keyof typeof partsOf
