import { Client } from 'pg'
import { inject } from 'vitest'
import type { TestDatabase } from './database.ts'

/** Changes that only a superuser can make, with all triggers and foreign keys off. */
export async function tamper({ ownerUrl }: TestDatabase, ...statements: string[]): Promise<void> {
  const url = new URL(inject('postgres').superuserUrl)
  url.pathname = new URL(ownerUrl).pathname
  const client = new Client({ connectionString: url.href })
  await client.connect()
  try {
    await client.query("SET session_replication_role = 'replica'")
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
