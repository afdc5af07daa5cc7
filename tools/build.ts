import { reportEnd } from '#server/process/lifetime.ts'
import { createProgress } from './console.ts'
import { buildWeb } from './web-build.ts'

/** npm run build: builds the pages, for servers that run `node server/main.ts` themselves. */
const progress = createProgress()
await progress
  .step('Building the pages', 'Pages built', () => buildWeb(progress.say, { force: true }))
  .catch(reportEnd)
