import { createHash } from 'node:crypto'
import { frozenRefusal } from '#server/accounts/frozen.ts'
import type { Act, PlainBinding, RequestContext, Tx } from '#server/context.ts'
import { retrying } from '#server/platform/database/retrying.ts'
import { OutcomeUnknown } from '#server/platform/database/trouble.ts'
import type { CallDefinition } from '#shared/contract/define.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { requireCanMoveMoney } from './can-move-money.ts'
import type { Input } from './input.ts'
import { type Ask, answerAll, type KeptAnswer, runAudited } from './run-act.ts'
import { runBulk } from './run-bulk.ts'
import { runInGroup } from './run-in-group.ts'

/** Maximum length of an Idempotency-Key, in characters. */
const KEY_LENGTH = 200
/** Retry-After of an act whose outcome is unknown, in seconds. */
const UNKNOWN_RETRY_SECONDS = 5

/**
 * A money call's key, with the hash of its content.
 * @throws AppError invalid_input if the header is no usable key
 */
export function idempotencyOf(
  call: CallDefinition,
  header: string | string[] | undefined,
  input: Input,
): RequestContext['idempotency'] {
  if (!call.money || header === undefined) return null
  if (typeof header !== 'string' || !/^[\x21-\x7e]+$/.test(header) || header.length > KEY_LENGTH) {
    throw new AppError(
      'invalid_input',
      t('Idempotency-Key must be 1 to {maximum} printable characters without spaces', {
        maximum: KEY_LENGTH,
      }),
    )
  }
  const hash = createHash('sha256')
    .update(JSON.stringify([call.id, input.params ?? null, input.body ?? null]))
    .digest()
  return { key: header, hash }
}

/**
 * Runs a handler by its kind (context.ts).
 * @throws AppError account_frozen, whenever the database refuses to move a frozen account's money; not_ready, if it would
 *   decide and this process must not
 */
export async function run(binding: PlainBinding, input: Input, ctx: RequestContext): Promise<unknown> {
  try {
    return await runAs(binding, input, ctx)
  } catch (error) {
    throw (await frozenRefusal(error, ctx)) ?? unknownOutcome(error, binding, ctx) ?? error
  }
}

/** The refusal of an act that may have taken place; undefined for any other error. A read can simply run again. */
function unknownOutcome(
  error: unknown,
  { kind }: PlainBinding,
  { idempotency }: RequestContext,
): AppError | undefined {
  if (!(error instanceof OutcomeUnknown) || kind === 'query') return undefined
  return new AppError(
    'not_ready',
    idempotency === null
      ? t(
          'We lost the connection to our database while it was saving this, so it may have been done. Check whether it was before you try again.',
        )
      : t(
          'We lost the connection to our database while it was saving this, so it may have been done. Send it again with the same Idempotency-Key: it is never done twice.',
        ),
    { reason: 'outcome_unknown', retryAfterSeconds: UNKNOWN_RETRY_SECONDS, cause: error },
  )
}

async function runAs(binding: PlainBinding, input: Input, ctx: RequestContext): Promise<unknown> {
  if (binding.kind !== 'query') await ctx.services.clock.trust?.check()
  if (binding.kind === 'bulk') return runBulk(binding, input as never, ctx as never)
  if (binding.kind === 'together') return resultOf(await runInGroup(binding, askOf(input, ctx)))
  if (binding.kind !== 'act') {
    // Commands check this in their statement, like the key.
    if (binding.kind === 'query' && binding.call.verified) await requireCanMoveMoney(ctx.services.db, ctx)
    return binding.run(input as never, ctx as never)
  }
  return retrying(async () => {
    await binding.before?.(input as never, ctx as never)
    return resultOf(await ctx.services.db.transaction().execute(tx => answerOnce(binding, input, ctx, tx)))
  })
}

/** @throws AppError the refusal */
function resultOf(answer: KeptAnswer | AppError): unknown {
  if (answer instanceof AppError) throw answer
  if ('result' in answer) return answer.result
  const { code, message, reason, fields } = answer.refused
  throw new AppError(code, message, { reason, fields })
}

function askOf(input: Input, ctx: RequestContext): Ask {
  const { caller, idempotency } = ctx
  return { input, ctx, request: caller && idempotency && { caller: caller.userId, ...idempotency } }
}

async function answerOnce(
  act: Act,
  input: Input,
  ctx: RequestContext,
  tx: Tx,
): Promise<KeptAnswer | AppError> {
  const ask = askOf(input, ctx)
  if (ask.request === null) {
    if (act.call.verified) await requireCanMoveMoney(tx, ctx)
    return { result: await runAudited(act, input, ctx, tx) }
  }
  const [answer] = await answerAll(act, [ask], tx)
  return answer!
}
