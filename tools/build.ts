import { reportEnd } from '#server/process/lifetime.ts'
import { createProgress } from './console.ts'
import { buildProduct } from './product-build.ts'

/** npm run build: builds the pages and the server, for machines that run `node build/product/main.js` themselves. */
const progress = createProgress()
await progress
  .step('Building the product', 'Product built', () => buildProduct(progress.say, { force: true }))
  .catch(reportEnd)
