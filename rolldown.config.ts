import { basename, dirname, join, relative } from 'node:path'
import { defineConfig, type Plugin } from 'rolldown'

const ROOT = import.meta.dirname
const OUT = join(ROOT, 'build/product')

/** Packages of hundreds of small modules: to find and open these one by one is half of a start. */
const bundled = /^(@noble|@scure|kysely|libphonenumber-js|prom-client|uuid|viem|zod)(\/|$)/
/** Modules of other threads and processes, which are started by their address. */
const started = /new URL\('\.\/([\w-]+)\.ts', import\.meta\.url\)/g

/** Modules find their own files, and those that they start, also when they stand in another folder. */
const places: Plugin = {
  name: 'places',
  transform: {
    filter: { id: /\.ts$/, code: /import\.meta\./ },
    handler(code, id) {
      const folder = dirname(id)
      return code
        .replaceAll('import.meta.dirname', `(import.meta.dirname + '/${relative(OUT, folder)}')`)
        .replace(started, (_, name: string) => {
          const fileName = `${basename(folder)}-${name}.js`
          this.emitFile({ type: 'chunk', id: join(folder, `${name}.ts`), fileName })
          return `new URL('./${fileName}', import.meta.url)`
        })
    },
  },
}

/** The server as few files, which load in half of the time of its modules. `node build/product/main.js` and `npm start` run it. */
export default defineConfig({
  cwd: ROOT,
  platform: 'node',
  input: { main: 'server/main.ts', start: 'tools/start-product.ts' },
  external: (id, importer) => /^[\w@]/.test(id) && !bundled.test(id) && !importer?.includes('node_modules'),
  plugins: [places],
  output: { dir: OUT, format: 'esm', sourcemap: true, chunkFileNames: '[name]-[hash].js', cleanDir: true },
})
