import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '#server/context.ts'
import { limited } from '#server/platform/limited.ts'
import { addressOf } from '#shared/call-address.ts'
import type { CallData, CallDefinition, CallInput, Failure, Success } from '#shared/contract/define.ts'
import { site as siteCall } from '#shared/contract/site.ts'
import { AppError } from '#shared/errors.ts'
import { type Language, sourceLanguage } from '#shared/i18n/languages.ts'
import { t, translate } from '#shared/i18n/t.ts'
import type { CommonDocument, Web, WebHost } from '#shared/web.ts'
import { addressBelow } from './address.ts'
import { compressed, leastEffort } from './compression.ts'
import { type DocumentCache, MOST_DOCUMENTS, type Rendered } from './document-cache.ts'
import { internalErrorMessage } from './errors.ts'
import { type KnownSite, knownSite } from './known-site.ts'
import { filePolicy, pagePolicy, plainPage, scriptedPage } from './security.ts'
import { DOCUMENT_CACHING, encodingOf, sendDocument } from './send-document.ts'
import { standIns } from './stand-ins.ts'

/** The built pages: the folder of their files, and the renderer of documents. */
export type Pages = Pick<Web, 'handle'> & {
  clientFolder: string
  /** Without it nothing is cached (development, where sources change). */
  commonDocument?: Web['commonDocument']
  /** Without it every page decides about a form itself. */
  takesForms?: Web['takesForms']
  /** Without it a refusal is no page. */
  standIn?: Web['standIn']
  /** Without it a refusal's page is in English. */
  languageOf?: Web['languageOf']
}

/** Renders the documents. */
type Site = {
  app: FastifyInstance
  services: Services
  pages: Pages
  documents: DocumentCache
  /** Two queues, so that visitors' forms never hold up the documents that all visitors share. */
  limitShared: ReturnType<typeof limited>
  limitOwn: ReturnType<typeof limited>
  /** The content security policies of pages without and with scripts. */
  plainPolicy: string
  scriptedPolicy: string
  known: KnownSite
}

/** Form posts of pages are as small as API requests. */
const FORM_LIMIT = 64 * 1024
/** Retry-After for a page that cannot be rendered now, in seconds. */
const RETRY_SECONDS = '10'

/** Documents of a queue rendered at once: each takes the thread for milliseconds at a time. */
const RENDERS = 2
/** Visitors' forms that may wait for a rendering of their own. */
const RENDERS_WAITING = 20

/** tools/pictures.ts draws them. */
const linkPicture = /\/assets\/card-[^/]+\.png$/

/** Files of the build, and documents for every other address. */
export async function servePages(
  app: FastifyInstance,
  services: Services,
  documents: DocumentCache,
  pages: Pages,
): Promise<void> {
  await app.register(fastifyStatic, {
    root: pages.clientFolder,
    wildcard: false,
    index: false,
    preCompressed: true,
    // Files with hashed names never change; all others are revalidated.
    setHeaders(response, path) {
      response.header('content-security-policy', filePolicy)
      const hashed = path.includes('/assets/')
      response.header(
        'cache-control',
        hashed ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
      )
      // Other sites embed the pictures of link previews.
      if (linkPicture.test(path)) response.header('cross-origin-resource-policy', 'cross-origin')
    },
  })
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer', bodyLimit: FORM_LIMIT },
    (_request, body, done) => done(null, body),
  )
  const site: Site = {
    app,
    services,
    pages,
    documents,
    // Each is rendered once for everyone, so more wait only while nothing can be cached.
    limitShared: limited(RENDERS, MOST_DOCUMENTS),
    limitOwn: limited(RENDERS, RENDERS_WAITING),
    plainPolicy: pagePolicy(services.config, plainPage),
    scriptedPolicy: pagePolicy(services.config, scriptedPage),
    known: await knownSite(services),
  }
  app.route({
    method: ['GET', 'POST'],
    url: '/*',
    config: { standIn: standIns(site) },
    handler: (request, reply) => answer(site, request, reply),
  })
}

async function answer(site: Site, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { services, pages } = site
  const url = urlOf(services.config, request)
  if (request.method === 'POST') requireForm(pages, url, request, reply)
  else {
    const common = pages.commonDocument?.(url, request.headers.cookie ?? '')
    if (common) return answerCommon(site, common, request, reply)
  }
  const own = webRequest(url, request)
  const { status, headers, body } = await site.limitOwn(() => render(site, request, own))
  if (isSpeculative(request) && headers['set-cookie']) return refuseSpeculation(reply)
  const encoding = encodingOf(request, headers)
  reply.header('cache-control', DOCUMENT_CACHING).header('vary', 'accept-encoding, cookie')
  reply.status(status).headers(headers)
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  // Its size reveals nothing: pages contain no secrets.
  return reply.send(await compressed(encoding, body, leastEffort))
}

/** @throws AppError method_not_allowed before anything is rendered; unsupported_media_type */
function requireForm({ takesForms }: Pages, url: URL, request: FastifyRequest, reply: FastifyReply): void {
  if (takesForms?.(url) === false) {
    reply.header('allow', 'GET, HEAD')
    throw new AppError('method_not_allowed', t('This page does not accept forms'))
  }
  // Any other content type has left a parsed body or none.
  if (!Buffer.isBuffer(request.body)) {
    throw new AppError('unsupported_media_type', t('Send the form as application/x-www-form-urlencoded'))
  }
}

/** A shared document: cached bytes, or 304 if the browser has them. */
async function answerCommon(
  site: Site,
  { address, cookie }: CommonDocument,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { services, documents } = site
  const { publicUrl } = services.config
  const key = cookie === undefined ? address : `${address} ${cookie}`
  const make = () => {
    const plain = new Request(publicUrl + address, { headers: cookie ? { cookie } : {} })
    return site.limitShared(() => render(site, request, plain))
  }
  const document = documents.find(key) ?? (await documents.make(key, make))
  if (isSpeculative(request) && document.headers['set-cookie']) return refuseSpeculation(reply)
  reply.header('vary', cookie === undefined ? 'accept-encoding' : 'accept-encoding, cookie')
  return sendDocument(document, request, reply)
}

/** True for a prefetch of a page that may never be viewed (`Sec-Purpose`, Fetch standard). */
function isSpeculative({ headers }: FastifyRequest): boolean {
  return String(headers['sec-purpose'] ?? '').includes('prefetch')
}

/**
 * The first page of a session sets the cookie that the overlay was shown. A prerendered page must not set it: the browser
 * requests the page again when its user opens it.
 */
function refuseSpeculation(reply: FastifyReply): FastifyReply {
  return reply.status(503).send()
}

/** @param visitor on whose behalf the page calls the API */
async function render(site: Site, visitor: FastifyRequest, request: Request): Promise<Rendered> {
  let policy = site.plainPolicy
  let until = Number.POSITIVE_INFINITY
  const host: WebHost = {
    call: async (call, input, language = sourceLanguage) => {
      const answer = await callInProcess(site.app, visitor, call, input, language)
      if (call.id === siteCall.id) site.known.learn(answer as CallData<typeof siteCall>)
      return answer
    },
    knownSite: site.known.in,
    bringScripts: () => {
      policy = site.scriptedPolicy
    },
    validUntil: moment => {
      until = Math.min(until, moment.getTime())
    },
    publicUrl: site.services.config.publicUrl,
    logError: error => visitor.log.error({ err: error }, 'unexpected error on a page'),
  }
  const response = await site.pages.handle(request, host)
  const headers: Rendered['headers'] = {
    ...Object.fromEntries(response.headers),
    'content-security-policy': policy,
  }
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) headers['set-cookie'] = cookies
  if (response.status === 503) headers['retry-after'] = RETRY_SECONDS
  return { status: response.status, headers, body: Buffer.from(await response.arrayBuffer()), until }
}

function webRequest(url: URL, request: FastifyRequest): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    for (const item of [value ?? []].flat()) headers.append(name, item)
  }
  const body = request.method === 'POST' ? new Uint8Array(request.body as Buffer) : undefined
  // Answer HEAD with the headers of GET.
  const method = request.method === 'POST' ? 'POST' : 'GET'
  return new Request(url, { method, headers, ...(body ? { body } : {}) })
}

/**
 * The page's address below PUBLIC_URL: who sends the request chooses its Host.
 * @throws AppError invalid_input if path or Host form no address
 */
function urlOf({ publicUrl }: Services['config'], { url, host }: FastifyRequest): URL {
  const parsed = isHost(host) ? addressBelow(publicUrl, url) : null
  if (parsed === null) throw new AppError('invalid_input', t('This address is not valid'))
  return parsed
}

/** A name or number with an optional port and nothing else; HTTP/1.0 may send none. */
function isHost(host: string): boolean {
  const parsed = URL.parse(`http://${host || 'none'}/`)
  return parsed?.href === `http://${parsed?.host}/`
}

/** The API, called in process with this request's IP address but without its session. */
async function callInProcess<C extends CallDefinition>(
  app: FastifyInstance,
  request: FastifyRequest,
  call: C,
  input: CallInput<C>,
  language: Language,
): Promise<CallData<C>> {
  const { body, ...rest } = input as {
    params?: Record<string, unknown>
    query?: Record<string, unknown>
    body?: object
  }
  const answer = await app.inject({
    method: call.method,
    url: addressOf(call, rest),
    remoteAddress: request.ip,
    headers: {
      'x-request-id': request.id,
      'content-type': 'application/json',
      'accept-language': language,
    },
    ...(body ? { payload: JSON.stringify(body) } : {}),
  })
  const content = answer.json<Success<CallData<C>> | Failure>()
  if (content.status === 'success') return content.data
  if (answer.statusCode >= 500 && content.code !== 'not_ready')
    throw new AppError(content.code, translate(internalErrorMessage))
  throw new AppError(content.code, content.message, content.fields ? { fields: content.fields } : {})
}
