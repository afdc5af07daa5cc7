import { randomUUID } from 'node:crypto'
import { maxHeaderSize } from 'node:http'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import type { Binding, Caller, FileAnswer, RequestContext, Services } from '#server/context.ts'
import { callerOfKey } from '#server/integrations/key-caller.ts'
import { isAwaited, whenAnswering } from '#server/platform/database/awaited.ts'
import { pauseForMigrations } from '#server/platform/database/pause.ts'
import { inLanguage, preferredLanguage } from '#server/platform/language.ts'
import { type Notifications, notificationsOf } from '#server/platform/notifications.ts'
import { watchRevocations } from '#server/platform/revocations.ts'
import { accessTokens } from '#server/platform/tokens.ts'
import { watchSettings } from '#server/staff/settings-queries.ts'
import type { CallDefinition, FileType } from '#shared/contract/define.ts'
import { allCalls } from '#shared/contract/index.ts'
import { live } from '#shared/contract/live.ts'
import { health } from '#shared/contract/site.ts'
import { AppError } from '#shared/errors.ts'
import { type Language, sourceLanguage } from '#shared/i18n/languages.ts'
import { listed } from '#shared/i18n/listed.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { type Authentication, permit } from './authenticate.ts'
import { bindAll } from './bind.ts'
import { bindings } from './bindings.ts'
import { serveBrandFiles } from './brand-files.ts'
import { type DocumentCache, documentCache } from './document-cache.ts'
import { failureOf, refusalOf } from './errors.ts'
import { parseInput, reasonIn } from './input.ts'
import { forgive, limitCall } from './limits.ts'
import { serveLive } from './live.ts'
import type { LiveOptions } from './live-streams.ts'
import { measureRequests } from './measure.ts'
import { openApi } from './openapi.ts'
import { type Pages, servePages } from './pages.ts'
import { serveProofFiles } from './proof-files.ts'
import { idempotencyOf, run } from './run.ts'
import { downloadPolicy, securityHeaders } from './security.ts'
import { sendDocument } from './send-document.ts'
import { traceRequests } from './trace.ts'
import { takeTurns } from './turns.ts'
import { refuseUnreadable } from './unreadable.ts'
import { takeFiles } from './uploads.ts'

/** Maximum request body, in bytes. */
const BODY_LIMIT = 64 * 1024
/** Time limit for receiving a request with its body; Fastify has none. */
const REQUEST_LIMIT_MS = 30_000

/** Retry-After of requests to a process that waits for its database. */
const START_RETRY_SECONDS = 5

/** Characters of a request id that someone else has chosen, in the log. */
const LONGEST_GIVEN_ID = 64

export type AppOptions = {
  /** The pages; without them only /api answers. */
  pages?: Pages
  /** Other limits for live streams, for tests. */
  liveLimits?: Omit<LiveOptions, 'isHearing'>
}

/**
 * The HTTP side: every call of the contract under /api, the pages for everything else.
 * @throws Error if a call has no handler, or a handler no call
 */
export async function createApp(
  services: Services,
  { pages, liveLimits }: AppOptions = {},
): Promise<FastifyInstance> {
  const headers = { ...securityHeaders(services.config), 'cache-control': 'no-store' }
  const app = fastify({
    loggerInstance: services.log as FastifyBaseLogger,
    logController: new fastify.LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_LIMIT_MS,
    trustProxy: services.config.trustedProxies.length > 0 ? services.config.trustedProxies : false,
    // Never a visitor's: the audit log refers to it.
    genReqId: () => randomUUID(),
    // As long as Node's own limit, so that the call's schema refuses a long parameter, not the router.
    routerOptions: { maxParamLength: maxHeaderSize, ignoreTrailingSlash: true },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    clientErrorHandler: refuseUnreadable(headers),
    frameworkErrors: (_error, request, reply) => refuseAddress(headers, request, reply),
  })
  const notifications = notificationsOf(services.pool, services.log)
  app.addHook('onClose', () => notifications.close())
  const auth = {
    tokens: accessTokens(services.config, services.clock),
    revocations: watchRevocations(notifications, services.pool),
    keyCaller: (text: string, ip: string) => callerOfKey(services, text, ip),
  }
  watchSettings(notifications, services.pool)
  pauseForMigrations(notifications, services.pool)
  app.decorateRequest('caller', null)
  app.decorateRequest('refusedAs', undefined)
  const documents = sharedDocuments(services, notifications)
  traceRequests(app)
  answerInLanguage(app)
  beginAnswers(app, headers)
  parseJson(app)
  answerErrors(app)
  logRequests(app)
  measureRequests(app)
  refuseAtStart(app, services)
  takeTurns(app)
  await app.register(
    async api => {
      for (const binding of bindAll(allCalls, bindings)) {
        const { upload } = binding.call
        if (upload === undefined) route(api, services, auth, notifications, binding)
        else {
          await api.register(async files => {
            takeFiles(files, services, auth, { ...binding.call, upload })
            route(files, services, auth, notifications, binding)
          })
        }
      }
      openApi(api, services, documents)
    },
    { prefix: '/api' },
  )
  serveLive(app, services, auth, notifications, liveLimits)
  serveProofFiles(app, services)
  serveBrandFiles(app, services)
  refuseUnknown(app)
  if (pages) await servePages(app, services, documents, pages)
  const opened = whenAnswering(services.pool).then(() => notifications.open())
  if (!isAwaited(services.pool)) await opened
  return app
}

/** Words for the caller are in the language that the request prefers (RFC 9110, 12.5.4), else in English. */
function answerInLanguage(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => inLanguage(languageOf(request), done))
  // A body arrives in no context of the request.
  app.addHook('preValidation', (request, _reply, done) => inLanguage(languageOf(request), done))
}

function languageOf({ headers }: Pick<FastifyRequest, 'headers'>): Language {
  return preferredLanguage(headers['accept-language']) ?? sourceLanguage
}

/** Files of the build, which need no database. */
const builtFiles = '/assets/'

/** While the process waits for its database, nothing may come from there: it may be another one, or not migrated. */
function refuseAtStart(app: FastifyInstance, { pool }: Services): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { call } = request.routeOptions.config
    if (!isAwaited(pool) || call === health.id || request.url.startsWith(builtFiles)) return done()
    const words = t('We are starting, and wait for our database. Please try again in a moment.')
    done(new AppError('not_ready', words, { retryAfterSeconds: START_RETRY_SECONDS }))
  })
}

/** Documents of this process, rendered again after any change of what pages show. */
function sharedDocuments({ clock }: Services, notifications: Notifications): DocumentCache {
  const documents = documentCache(() => clock.now().getTime(), notifications.isOpen)
  const { expire } = documents
  notifications.subscribe({ channel: 'pages_changed', heard: expire, begin: expire })
  return documents
}

/** An address that cannot be decoded reaches no route or hook. */
function refuseAddress(headers: Record<string, string>, request: FastifyRequest, reply: FastifyReply): void {
  const words = inLanguage(languageOf(request), () => t('This address is not valid'))
  const refusal = new AppError('invalid_input', words)
  reply.headers(headers).header('x-request-id', request.id)
  reply.status(refusal.status).send(failureOf(refusal))
}

/**
 * Calls whose change notification this process awaits before it answers: afterwards an ended session is refused here,
 * and public pages show the new firm profile.
 */
const announced = /^\/(auth|console|firm|plan|proposal|staff|statistic)\//

/** One call: permission, limits, input, then the handler. */
function route(
  api: FastifyInstance,
  services: Services,
  auth: Authentication,
  notifications: Notifications,
  binding: Binding,
): void {
  const { call } = binding
  const isAnnounced = call.method !== 'GET' && announced.test(call.path)
  api.route({
    method: call.method,
    url: call.path,
    config: { call: call.id },
    ...(call.maximumBody === undefined ? {} : { bodyLimit: call.maximumBody }),
    // A HEAD request would create a whole file for nothing.
    exposeHeadRoute: call.file === undefined,
    handler: async (request, reply) => {
      const caller = await permit(auth, call, request)
      const input = parseInput(call, request)
      const ctx: RequestContext = {
        services,
        caller,
        requestId: request.id,
        ip: request.ip,
        userAgent: request.headers['user-agent']?.slice(0, 300) ?? null,
        idempotency: idempotencyOf(call, request.headers['idempotency-key'], input),
        reason: reasonIn(input),
        log: request.log,
      }
      // A call with a file was counted before the file (uploads.ts).
      if (call.upload === undefined) await limitCall(call, ctx)
      const chosen = binding.kind === 'either' ? binding.choose(input as never) : binding
      const result = await run(chosen, input, ctx).finally(() => {
        if (isAnnounced) return notifications.caughtUp()
      })
      await forgive(call, ctx)
      return succeed(reply, call, result)
    },
  })
}

function succeed(reply: FastifyReply, call: CallDefinition, result: unknown): FastifyReply {
  if (call.file !== undefined) return sendFile(reply, [call.file].flat()[0]!, result as FileAnswer)
  const message = call.messageFor?.(result as never) ?? translate(call.message)
  const answer = { status: 'success', message }
  reply.type('application/json; charset=utf-8')
  return reply.send(
    JSON.stringify(call.list ? { ...answer, ...(result as object) } : { ...answer, data: result }),
  )
}

function sendFile(
  reply: FastifyReply,
  file: FileType,
  { name, content, type = file }: FileAnswer,
): FastifyReply {
  const charset =
    type === 'text/csv' ? '; charset=utf-8; header=present' : type === 'text/plain' ? '; charset=utf-8' : ''
  reply.type(`${type}${charset}`)
  reply.header('content-security-policy', downloadPolicy)
  return reply.header('content-disposition', `attachment; filename="${name}"`).send(content)
}

/** JSON bodies only, or none for a call without a payload. */
function parseJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined)
    try {
      done(null, JSON.parse(body as string))
    } catch {
      const words = inLanguage(languageOf(request), () => t('The request is not valid JSON'))
      done(new AppError('invalid_json', words))
    }
  })
}

function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) =>
    inLanguage(languageOf(request), () => answerError(error as Error, request, reply)),
  )
}

async function answerError(
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // The caller left before the body had arrived: nobody reads this answer.
  const isCut = request.raw.errored !== null && request.raw.errored === error
  const refusal = isCut ? new AppError('invalid_input', t('This request is not complete')) : refusalOf(error)
  request.refusedAs = refusal.code
  // Log everything but our own refusals as a defect, with its cause.
  if (refusal.code === 'internal') {
    request.log.error({ err: refusal.cause, route: request.routeOptions.url }, 'unexpected error')
  } else if (refusal.cause !== undefined) {
    request.log.warn({ err: refusal.cause, route: request.routeOptions.url }, refusal.code)
  } else if (refusal.status === 403) logForbidden(request, refusal)
  if (refusal.retryAfterSeconds !== undefined)
    reply.header('retry-after', Math.ceil(refusal.retryAfterSeconds))
  const page = await standInFor(request, refusal)
  if (page !== undefined) return sendDocument(page, request, reply)
  return reply.status(refusal.status).send(failureOf(refusal))
}

/** The page that stands in for a refused page; undefined if the route answers with anything else. */
async function standInFor(request: FastifyRequest, { code, status }: AppError) {
  if (code !== 'not_ready' && code !== 'method_not_allowed') return undefined
  try {
    return await request.routeOptions.config.standIn?.(status, request)
  } catch (error) {
    request.log.error({ err: error }, 'unexpected error on a page')
    return undefined
  }
}

/** Who was refused what. Being asked to reauthenticate is part of a normal day. */
function logForbidden({ log, caller, routeOptions }: FastifyRequest, { code, userId }: AppError): void {
  const level = code === 'proof_required' ? 'info' : 'warn'
  const role = caller?.mustSetUp?.role ?? caller?.role ?? 'investor'
  const who =
    caller === null ? { userId } : caller.keyRights ? inLog(caller) : { userId: caller.userId, role }
  log[level]({ ...who, call: routeOptions.config.call, code }, 'forbidden')
}

/** Headers of every answer; a cacheable answer sets its own. */
function beginAnswers(app: FastifyInstance, headers: Record<string, string>): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers).header('x-request-id', request.id)
    done()
  })
}

function logRequests(app: FastifyInstance): void {
  // The route's pattern, never the address, which may contain an email address.
  app.addHook('onResponse', (request: FastifyRequest, reply, done) => {
    const { method, routeOptions } = request
    const given = request.headers['x-request-id']
    const { caller, refusedAs } = request
    request.log.info(
      {
        method,
        route: routeOptions.url,
        status: reply.statusCode,
        ...(refusedAs === undefined ? {} : { code: refusedAs }),
        ...(caller === null ? {} : inLog(caller)),
        milliseconds: Math.round(reply.elapsedTime),
        ...(given === undefined ? {} : { givenRequestId: loggable(given) }),
      },
      'request',
    )
    done()
  })
}

function inLog({ userId, sessionId, keyRights }: Caller) {
  return keyRights === undefined ? { userId, sessionId } : { apiKey: userId }
}

/** A proxy's or visitor's id of the request, to find its lines: ours is another, and this one proves nothing. */
function loggable(given: string | string[]): string {
  return String(given)
    .slice(0, LONGEST_GIVEN_ID)
    .replace(/[^\w.:-]/g, '_')
}

/** Unknown paths under /api, wrong methods, and anything else without a route. */
function refuseUnknown(app: FastifyInstance): void {
  app.setNotFoundHandler(() => {
    throw new AppError('not_found', t('There is nothing at this address'))
  })
  const patterns = [...allCalls, live].map(({ method, path }) => ({
    method,
    pattern: new RegExp(`^/api${path.replace(/:\w+/g, '[^/]+')}/?$`),
  }))
  app.all('/api/*', (request, reply) => {
    const path = request.url.split('?')[0] ?? ''
    const methods = patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
    if (methods.length === 0) throw new AppError('not_found', t('There is no such call; see /api/docs'))
    reply.header('allow', methods.join(', '))
    throw new AppError(
      'method_not_allowed',
      t('This call is made by {methods}', { methods: listed(methods, 'or') }),
    )
  })
}
