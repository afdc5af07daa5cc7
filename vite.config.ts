import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { reactRouter } from '@react-router/dev/vite'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig, type Plugin } from 'vite'
import { makeFonts } from './tools/fonts.ts'

const contractFolder = fileURLToPath(new URL('./shared/contract', import.meta.url)) + sep

/**
 * To the pages a call of the contract is its method, path and message, and TypeScript's types. Its schemas stay on
 * the server, and zod with them: 25 kB of script that nobody has to load to log in.
 */
function contractWithoutSchemas(): Plugin {
  return {
    name: 'contract-without-schemas',
    enforce: 'pre',
    async load(id) {
      const file = id.split('?')[0] ?? id
      if (!file.startsWith(contractFolder)) return undefined
      const contract: Record<string, unknown> = await import(/* @vite-ignore */ `${file}?at=${Date.now()}`)
      const calls = Object.entries(contract).filter(([, value]) => isCall(value))
      return calls
        .map(([name, call]) => `export const ${name} = ${JSON.stringify(plainParts(call))}`)
        .join('\n')
    },
  }
}

function isCall(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'permission' in value && 'path' in value
}

function plainParts(call: unknown) {
  const {
    params: _p,
    query: _q,
    body: _b,
    data: _d,
    refusals: _r,
    summary: _s,
    ...plain
  } = call as Record<string, unknown>
  return plain
}

// What every hydrated page needs comes in two files: split up it would be thirty, which compress worse.
const frameworkModules = /node_modules\/(react|react-dom|react-router|scheduler|cookie-es|@remix-run)\//
/** Our own modules and small libraries that six pages share; those that read bring the query library with them. */
function appModules(id: string): boolean {
  if (id.includes('node_modules/')) return /\/(zustand|react-hot-toast|lucide-react)\//.test(id)
  return !/\/web\/(api\/(read|overview)|guard|ui\/dialog)\./.test(id)
}

const fonts = await makeFonts()

export default defineConfig(({ command }) => ({
  resolve: { alias: { '#fonts': fonts } },
  plugins: [contractWithoutSchemas(), tailwindcss(), reactRouter()],
  // All libraries are prepared at the start of `npm run dev`, not one reload after the other as pages are visited.
  optimizeDeps: { entries: ['web/**/*.{ts,tsx}', '!**/*.test.ts'] },
  // No data: URLs: the content security policy allows fonts and pictures from this origin only.
  build: { assetsInlineLimit: 0, modulePreload: { polyfill: false }, target: 'es2022' },
  // The server bundle carries its libraries, so that React's production build runs whatever NODE_ENV says.
  ssr: { noExternal: command === 'build' ? true : undefined },
  environments: {
    client: {
      build: {
        rolldownOptions: {
          output: {
            entryFileNames: 'assets/[name]-[hash].js',
            codeSplitting: {
              groups: [
                { name: 'framework', test: frameworkModules, priority: 2 },
                { name: 'app', test: appModules, minShareCount: 6, priority: 1 },
              ],
            },
          },
        },
      },
    },
    ssr: { build: { rolldownOptions: { input: './web/handler.ts' } } },
  },
}))
