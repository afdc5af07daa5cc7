import { reportEnd } from '#server/lifetime.ts'
import { createProgress } from './console.ts'
import { buildWeb } from './web-build.ts'

/** npm run build: the pages, for servers that run `node server/main.ts` themselves. */
await createProgress().step('Building the pages', 'Pages built', buildWeb).catch(reportEnd)
