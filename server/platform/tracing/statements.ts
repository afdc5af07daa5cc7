import type { Span } from '@opentelemetry/api'
import { isInTrace, startStep } from './tracing.ts'

/** Words that can begin a statement of ours. */
const operations =
  'SELECT INSERT UPDATE DELETE MERGE WITH VALUES BEGIN START COMMIT ROLLBACK SAVEPOINT RELEASE SET RESET SHOW DECLARE FETCH CLOSE LOCK LISTEN UNLISTEN NOTIFY TRUNCATE EXPLAIN'
const operationOf = new RegExp(`^[\\s(]*(${operations.replaceAll(' ', '|')})\\b`, 'i')
/** A table or a function with its schema, quoted or not. */
const named = /\b(app|ledger|graphile_worker)"?\."?(\w+)/

/**
 * The span of a statement: its operation and the first table or function that it names, never its text or its values.
 * @param query as pg takes it @returns undefined outside of acts
 */
export function startStatement(query: unknown): Span | undefined {
  if (!isInTrace()) return undefined
  const text = typeof query === 'string' ? query : (query as { text?: unknown }).text
  const operation = operationOf.exec(String(text))?.[1]?.toUpperCase() ?? '_OTHER'
  const [, schema, name] = named.exec(String(text)) ?? []
  const summary = schema === undefined ? operation : `${operation} ${schema}.${name}`
  return startStep(summary, {
    kind: 'CLIENT',
    attributes: {
      'db.system.name': 'postgresql',
      'db.operation.name': operation,
      'db.query.summary': summary,
    },
  })
}
