import { readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type EnvironmentOptions, type Plugin } from 'vite'
import { type Language, languageCodes, translatedLanguages } from './shared/i18n/languages.ts'
import { messageIn } from './shared/i18n/message.ts'
import { makeFonts } from './tools/fonts.ts'
import { environmentOf, languageOf, textsOfLanguage } from './tools/i18n/vite-plugin.ts'
import { pageDates } from './tools/page-dates.ts'
import { pageSources } from './tools/page-sources.ts'
import { makePictures } from './tools/pictures.ts'

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const contractFolder = path('./shared/contract') + sep

/** Imports from the contract, by names and file. */
const contractImports = /import \{([^}]+)\} from '(#shared\/contract\/[\w-]+\.ts)'/g

/**
 * To the pages a call of the contract is its method, path and message, and TypeScript's types. Its schemas stay on
 * the server, and zod with them: 25 kB of script that nobody has to load to log in. Each call is a module of its own, so that
 * a page loads no other.
 */
function contractWithoutSchemas(): Plugin {
  return {
    name: 'contract-without-schemas',
    enforce: 'pre',
    transform(code, id) {
      if (id.includes('node_modules')) return undefined
      return code.replace(contractImports, (_, names: string, file: string) => callImports(names, file))
    },
    async load(id) {
      const [file = id, name] = id.split('?call=')
      if (!file.startsWith(contractFolder)) return undefined
      const contract: Record<string, unknown> = await import(/* @vite-ignore */ `${file}?at=${Date.now()}`)
      if (name === undefined || !isCall(contract[name])) throw new Error(`pages import only calls from ${id}`)
      const call = { ...(contract[name] as { message?: string }) }
      if (typeof call.message === 'string')
        call.message = messageIn(languageOf(this.environment.name), call.message)
      return `export const ${name} = ${JSON.stringify(plainParts(call))}`
    },
  }
}

function callImports(names: string, file: string): string {
  return names
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '' && !name.startsWith('type '))
    .map(name => `import { ${name} } from '${file}?call=${name.split(' ')[0]}'`)
    .join(';')
}

function isCall(value: unknown): value is { message?: string } {
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
    verified: _v,
    knowsCaller: _k,
    maximumBody: _m,
    message,
    permission,
    ...plain
  } = call as Record<string, unknown>
  return {
    ...plain,
    // Most calls are of one's own account: that goes without saying.
    ...(permission !== 'account' && { permission }),
    // A read's message is never shown as a toast.
    ...(plain.method !== 'GET' && { message }),
  }
}

// What many pages share comes in few files: split up it would be thirty, which compress worse.
// So does what loads a module when it is needed, which the login page brings, too.
const frameworkModules = /node_modules\/(react|react-dom|react-router|scheduler)\/|vite\/preload-helper/

/** What every page has loaded before it loads another one: no page need list them for preloading. */
const alwaysLoaded = /assets\/(framework|account|rolldown-runtime)-/

/** Is loaded after the first page or with few pages of the account, however many others share it. */
const aside =
  /node_modules\/|\/ui\/dialog\.|\/dashboard\/charts\/|\/components\/period\/|\/shared\/(countries|policies)\./

type GetModule = (id: string) => { importedIds: string[] } | null
const sources = (...names: string[]) => names.map(name => path(`./web/${name}.tsx`))
const signingIn = sources('app', 'account/layout', 'account/login')
const firstPage = sources('app', 'dashboard/layout', 'dashboard/home/page')

/**
 * The file of a module of the first visit: to sign in, for the first page of the dashboard, or for both. Signing in
 * reads nothing, so it does without the query library.
 */
function fileOfFirstVisit(id: string, getModule: GetModule): string | null {
  if (aside.test(id)) return null
  const signsIn = signingIn.some(page => reaches(page, id, getModule))
  const opens = firstPage.some(page => reaches(page, id, getModule))
  if (signsIn) return opens ? 'account' : 'signing-in'
  return opens ? 'app' : null
}

/** By imports of our own modules; libraries follow the modules that need them. */
function reaches(from: string, id: string, getModule: GetModule, seen = new Set<string>()): boolean {
  if (from.includes('node_modules/') || seen.has(from)) return false
  if (from === id) return true
  seen.add(from)
  return getModule(from)?.importedIds.some(next => reaches(next, id, getModule, seen)) ?? false
}

/** The keys of lucide's icons are random, which does not compress: a number for each part of an icon does. */
function shortIconKeys(): Plugin {
  return {
    name: 'short-icon-keys',
    transform(code, id) {
      if (!id.includes('/lucide-react/dist/esm/icons/')) return undefined
      let count = 0
      return code.replace(/\bkey: "\w+"/g, () => `key: "${count++}"`)
    },
  }
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

const manifestOf = (language: Language) => `manifest-${language}.json`

/** Tells the server which files of the browser's builds, made before it, a page needs in each language. */
function clientFilesModule(command: 'build' | 'serve'): Plugin {
  const name = 'virtual:client-files'
  const files = () =>
    languageCodes.map(
      code => `${code}: ${readFileSync(path(`./build/client/.vite/${manifestOf(code)}`), 'utf8')}`,
    )
  return {
    name: 'client-files',
    resolveId: id => (id === name ? `\0${name}` : undefined),
    load: id =>
      id === `\0${name}`
        ? `export const clientFiles = ${command === 'build' ? `{ ${files().join(', ')} }` : 'undefined'}
           export const sources = ${JSON.stringify(pageSources(import.meta.dirname))}`
        : undefined,
  }
}

const fonts = await makeFonts()
const pictures = await makePictures()

/** Names a page's file by its folder: every domain has a page.tsx, a list.tsx, a detail.tsx. */
function chunkName(name: string, module: string | null | undefined): string {
  const folder = module?.match(/\/web\/(?:dashboard|admin)\/([\w-]+)\/[\w-]+\.tsx?$/)?.[1]
  if (folder === undefined) return name
  return name === 'page' ? folder : `${folder}-${name}`
}

/** The scripts with the words of one language. All share their folder: what has no words is the same file. */
function buildFor(language: Language): EnvironmentOptions {
  return {
    build: {
      outDir: 'build/client',
      // English is built first.
      emptyOutDir: language === 'en',
      manifest: `.vite/${manifestOf(language)}`,
      rolldownOptions: {
        input: ['./web/entry.client.tsx', './web/start.ts', './web/service-worker.ts'],
        output: {
          entryFileNames: 'assets/[name]-[hash].js',
          chunkFileNames: ({ name, facadeModuleId }) => `assets/${chunkName(name, facadeModuleId)}-[hash].js`,
          codeSplitting: {
            groups: [
              { name: 'framework', test: frameworkModules, priority: 2 },
              {
                debugName: 'first visit',
                name: (id, context) => fileOfFirstVisit(id, module => context.getModuleInfo(module)),
                priority: 1,
              },
              // Small, and many pages share some of them.
              { name: 'calls', test: /\?call=/ },
              { name: 'pages', test: id => !aside.test(id), minShareCount: 6 },
              // A file of its own would cost each its name in the lists that the first scripts carry.
              { name: 'small', test: /\/web\/(dashboard|admin)\//, minShareCount: 2, maxModuleSize: 1200 },
            ],
          },
        },
      },
    },
  }
}

export default defineConfig(({ command }) => ({
  resolve: { alias: { '#fonts': fonts, '#pictures': pictures } },
  // What browsers ask for at an address of their own choice; everything else has its hash in its name.
  publicDir: join(pictures, 'public'),
  plugins: [
    contractWithoutSchemas(),
    textsOfLanguage(),
    shortIconKeys(),
    pageDatesModule(),
    clientFilesModule(command),
    tailwindcss(),
    react(),
  ],
  // All libraries are prepared at the start of `npm run dev`, not one reload after the other as pages are visited.
  optimizeDeps: { entries: ['web/**/*.{ts,tsx}', '!**/*.test.ts', '!web/server/**', '!web/site/**'] },
  // No data: URLs: the content security policy allows fonts and pictures from this origin only.
  build: {
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_file, needed) => needed.filter(file => !alwaysLoaded.test(file)),
    },
    target: 'es2022',
  },
  // The server bundle carries its libraries, so that React's production build runs whatever NODE_ENV says.
  ssr: { noExternal: command === 'build' ? true : undefined },
  // The browser's build comes first: the server's tells documents which of its files they need.
  builder: {
    async buildApp(builder) {
      for (const language of languageCodes)
        await builder.build(builder.environments[environmentOf(language)]!)
      await builder.build(builder.environments.ssr!)
    },
  },
  environments: {
    client: buildFor('en'),
    ...Object.fromEntries(
      translatedLanguages.map(language => [
        environmentOf(language),
        { consumer: 'client' as const, ...buildFor(language) },
      ]),
    ),
    // The letters, the style and the pictures are named by documents only, so this build puts them beside the scripts.
    ssr: {
      build: {
        ssr: true,
        outDir: 'build/server',
        emptyOutDir: true,
        emitAssets: true,
        copyPublicDir: false,
        rolldownOptions: { input: { index: './web/server/index.tsx' } },
      },
    },
  },
}))
