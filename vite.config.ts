import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { reactRouter } from '@react-router/dev/vite'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig, type Plugin } from 'vite'
import { makeFonts } from './tools/fonts.ts'
import { pageDates } from './tools/page-dates.ts'
import { makePictures } from './tools/pictures.ts'

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const contractFolder = path('./shared/contract') + sep

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

// What many pages share comes in few files: split up it would be thirty, which compress worse.
// So does what loads a module when it is needed, which the login page brings, too.
const frameworkModules =
  /node_modules\/(react|react-dom|react-router|scheduler|cookie-es|@remix-run)\/|vite\/preload-helper/

type GetModule = (id: string) => { importedIds: string[] } | null
const frame = ['root', 'shell', 'account/layout'].map(name => path(`./web/${name}.tsx`))
const signingIn = ['login', 'register'].map(name => path(`./web/account/${name}.tsx`))

/**
 * Whether a module is needed before anybody has signed in: by the document around the pages of the account area,
 * or by both of those that a visitor begins with. None of them reads, so none brings the query library with it.
 */
function neededToSignIn(id: string, getModule: GetModule): boolean {
  return (
    frame.some(page => reaches(page, id, getModule)) ||
    signingIn.every(page => id !== page && reaches(page, id, getModule))
  )
}

/** By imports of our own modules; libraries follow the modules that need them. */
function reaches(from: string, id: string, getModule: GetModule, seen = new Set<string>()): boolean {
  if (from.includes('node_modules/') || seen.has(from)) return false
  if (from === id) return true
  seen.add(from)
  return getModule(from)?.importedIds.some(next => reaches(next, id, getModule, seen)) ?? false
}

/** Tells the sitemap when each page changed. */
function pageDatesModule(): Plugin {
  const name = 'virtual:page-dates'
  return {
    name: 'page-dates',
    resolveId: id => (id === name ? `\0${name}` : undefined),
    load: id =>
      id === `\0${name}`
        ? `export const pageDates = ${JSON.stringify(pageDates(import.meta.dirname))}`
        : undefined,
  }
}

const fonts = await makeFonts()
const pictures = await makePictures()

export default defineConfig(({ command }) => ({
  resolve: { alias: { '#fonts': fonts, '#pictures': pictures } },
  // What browsers ask for at an address of their own choice; everything else has its hash in its name.
  publicDir: join(pictures, 'public'),
  plugins: [contractWithoutSchemas(), pageDatesModule(), tailwindcss(), reactRouter()],
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
                {
                  debugName: 'account',
                  name: (id, context) =>
                    neededToSignIn(id, module => context.getModuleInfo(module)) ? 'account' : null,
                  priority: 1,
                },
                { name: 'app', test: id => !/node_modules\/|\/ui\/dialog\./.test(id), minShareCount: 6 },
              ],
            },
          },
        },
      },
    },
    ssr: { build: { rolldownOptions: { input: './web/handler.ts' } } },
  },
}))
