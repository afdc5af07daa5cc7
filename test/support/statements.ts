import type { Pool, PoolClient } from 'pg'

/** The texts of the statements that a pool is given meanwhile, without their values. */
export async function statementsIn(pool: Pool, act: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = []
  const heard = new Map<PoolClient, PoolClient['query']>()
  const listenTo = (client: PoolClient) => {
    if (heard.has(client)) return
    heard.set(client, client.query)
    const query = client.query as (...given: unknown[]) => unknown
    client.query = ((...given: [string | { text: string }]) => {
      const [first] = given
      statements.push(typeof first === 'string' ? first : first.text)
      return query.apply(client, given)
    }) as typeof client.query
  }
  pool.on('acquire', listenTo)
  try {
    await act()
  } finally {
    pool.off('acquire', listenTo)
    for (const [client, query] of heard) client.query = query
  }
  return statements
}
