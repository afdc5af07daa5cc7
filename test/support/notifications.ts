import pino from 'pino'
import { onTestFinished } from 'vitest'
import { type Notifications, notificationsOf } from '#server/platform/notifications.ts'
import type { TestDatabase } from './database.ts'
import { until } from './processes.ts'

/** A connection for notifications that tests can cut and restore; closed after the test. */
export function cuttableLine({ app, owner }: TestDatabase): Notifications & {
  cut: () => Promise<void>
  mend: () => Promise<void>
} {
  const options = { ...app.options }
  const line = notificationsOf({ options }, pino({ level: 'silent' }))
  onTestFinished(() => line.close())
  return {
    ...line,
    async cut() {
      options.connectionString = 'postgres://nobody@127.0.0.1:1/nowhere'
      await owner.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = 'probity notifications' AND datname = current_database()`,
      )
      await until(() => !line.isOpen())
    },
    async mend() {
      options.connectionString = app.options.connectionString
      await until(line.isOpen)
    },
  }
}
