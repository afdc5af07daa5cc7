import type { Pool } from 'pg'

/** Narrower types than the database states, by table and column, with their modules. */
const shared: Record<string, readonly [type: string, from: string]> = {
  'app.deposit_amounts.deviation': ['Deviation', '#shared/contract/entities.ts'],
  'app.deposits.flags': ['DepositFlag[]', '#shared/contract/entities.ts'],
  'app.muted_emails.kind': ['MoneyNotice', '#shared/notifications.ts'],
  'app.notifications.kind': ['NotificationKind', '#shared/notifications.ts'],
  'app.staff_alerts.kind': ['AlertKind', '#shared/alerts.ts'],
  'app.staff_alert_choices.kind': ['AlertKind', '#shared/alerts.ts'],
  'app.payout_batches.wallet': ['BatchWallet', '#shared/batch-coins.ts'],
}

/** Columns of views that are never null: PostgreSQL knows that of tables only. */
const filled = new Set(
  [
    'deposit_id',
    'seen_units',
    'uncredited_units',
    'wrong_asset_transfers',
    'has_dropped',
    'has_own_address',
  ].map(name => `app.deposit_amounts.${name}`),
)

/** The driver's type for each PostgreSQL type; `pool.ts` reads int8 as bigint and dates as text. */
const driverTypes: Record<string, string> = {
  uuid: 'string',
  text: 'string',
  varchar: 'string',
  date: 'string',
  int2: 'number',
  int4: 'number',
  float8: 'number',
  int8: 'bigint',
  numeric: 'string',
  bool: 'boolean',
  timestamptz: 'Date',
  bytea: 'Buffer',
  jsonb: 'Record<string, unknown>',
  _text: 'string[]',
  _uuid: 'string[]',
}

/** Biome gives each part of a longer union a line. */
const LONGEST_LINE = 110

interface Column {
  table: string
  name: string
  type: string
  nullable: boolean
  generated: boolean
  /** Definitions of the checks on this column alone. */
  checks: string[]
}

/** The tables and views of schema app as Kysely's types: the text of `server/platform/database/schema.ts`. */
export async function schemaTypes(database: Pool): Promise<string> {
  const { rows } = await database.query<Column>(`
    SELECT 'app.' || c.relname AS table, a.attname AS name, t.typname AS type, NOT a.attnotnull AS nullable,
           a.atthasdef OR a.attidentity <> '' AS generated,
           ARRAY(SELECT pg_get_constraintdef(k.oid) FROM pg_constraint k
                  WHERE k.conrelid = c.oid AND k.contype = 'c' AND k.conkey = ARRAY[a.attnum]) AS checks
      FROM pg_class c
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      JOIN pg_type t ON t.oid = a.atttypid
     WHERE c.relnamespace = 'app'::regnamespace AND c.relkind IN ('r', 'v') AND c.relname <> 'migrations'
     ORDER BY c.relname, a.attnum`)
  const tables = Map.groupBy(rows, ({ table }) => table)
  const members = [...tables].map(
    ([table, columns]) => `  '${table}': {\n${columns.map(member).join('')}  }\n`,
  )
  return `${imports(rows)}
/**
 * The tables and views as Kysely sees them, made from the database by \`npm run db:types\`: db/migrations/ decides, and says what the columns
 * mean. \`bigint\` columns are PostgreSQL bigints, money in minor units; a \`date\` is a string.
 */
export type Schema = {
${members.join('')}}
`
}

function member(column: Column): string {
  const type = column.nullable && !filled.has(keyOf(column)) ? `${typeOf(column)} | null` : typeOf(column)
  const line = `    ${column.name}: ${column.generated ? `Generated<${type}>` : type}\n`
  if (line.length <= LONGEST_LINE || column.generated) return line
  return `    ${column.name}:${type
    .split(' | ')
    .map(part => `\n      | ${part}`)
    .join('')}\n`
}

function typeOf(column: Column): string {
  const type = shared[keyOf(column)]?.[0] ?? literalsOf(column) ?? driverTypes[column.type]
  if (type === undefined) throw new Error(`no type for ${keyOf(column)}, which is ${column.type}`)
  return type
}

/** The values that a check lists (`column = ANY (ARRAY['a'::text, …])`) as a union. */
function literalsOf({ name, checks }: Column): string | undefined {
  for (const check of checks) {
    const list = check.match(/^CHECK \(\((\w+) = ANY \(ARRAY\[(.+)\]\)\)\)(?: NOT VALID)?$/)
    if (list?.[1] === name) return list[2]!.replaceAll('::text', '').split(', ').join(' | ')
  }
}

function imports(columns: Column[]): string {
  const found = new Map<string, Set<string>>()
  for (const column of columns) {
    const [type, from] = shared[keyOf(column)] ?? []
    if (from === undefined) continue
    found.set(from, (found.get(from) ?? new Set()).add(type!.replace('[]', '')))
  }
  const lines = [...found].map(
    ([from, types]) => `import type { ${[...types].sort().join(', ')} } from '${from}'\n`,
  )
  return ["import type { Generated } from 'kysely'\n", ...lines.sort(byModule)].join('')
}

function byModule(one: string, other: string): number {
  const of = (line: string) => line.slice(line.indexOf("'"))
  return of(one) < of(other) ? -1 : 1
}

function keyOf({ table, name }: Column): string {
  return `${table}.${name}`
}
