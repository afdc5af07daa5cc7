import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#test/support/database.ts'
import { migrate, pendingMigrations } from './migrate.ts'

const FOLDER = join(import.meta.dirname, '../../../db/migrations')
let database: TestDatabase
let folder: string

beforeAll(async () => {
  database = await testDatabase()
  folder = mkdtempSync(join(tmpdir(), 'probity-migrations-'))
  cpSync(FOLDER, folder, { recursive: true })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('migrations', () => {
  test('a migrated database has nothing pending, for the application role too', async () => {
    expect(await pendingMigrations(database.app)).toEqual([])
    expect(await migrate(database)).toEqual([])
  })

  test('a file that fails names its line, and leaves nothing behind', async () => {
    const file = join(folder, '9000_broken.sql')
    writeFileSync(file, 'CREATE TABLE app.half_done (id int);\nSELECT nonsense;\n')
    await expect(migrate({ ...database, migrationsFolder: folder })).rejects.toThrow(
      'Migration 9000_broken.sql failed at line 2: column "nonsense" does not exist',
    )
    rmSync(file)
    const { rows } = await database.owner.query("SELECT to_regclass('app.half_done') AS table_name")
    expect(rows[0].table_name).toBeNull()
  })

  test('several processes at once apply a new file exactly once', async () => {
    writeFileSync(join(folder, '9001_new.sql'), 'CREATE TABLE app.made_once (id int);')
    expect(await pendingMigrations(database.app, folder)).toEqual(['9001_new.sql'])
    const applied = await Promise.all([1, 2, 3].map(() => migrate({ ...database, migrationsFolder: folder })))
    expect(applied.flat()).toEqual(['9001_new.sql'])
  })

  test('a file changed after it was applied is refused', async () => {
    writeFileSync(join(folder, '9001_new.sql'), 'CREATE TABLE app.made_once (id bigint);')
    await expect(migrate({ ...database, migrationsFolder: folder })).rejects.toThrow(
      'Migration 9001_new.sql was changed after it was applied',
    )
  })

  test('an applied file that this release does not know is refused', async () => {
    rmSync(join(folder, '9001_new.sql'))
    await expect(pendingMigrations(database.app, folder)).rejects.toThrow(
      '9001_new.sql, which this release does not know',
    )
  })

  test('a new file numbered before an applied one is refused', async () => {
    writeFileSync(join(folder, '9001_new.sql'), 'CREATE TABLE app.made_once (id int);')
    writeFileSync(join(folder, '9000_late.sql'), 'SELECT 1;')
    await expect(migrate({ ...database, migrationsFolder: folder })).rejects.toThrow(
      'Migration 9000_late.sql comes before 9001_new.sql',
    )
  })
})
