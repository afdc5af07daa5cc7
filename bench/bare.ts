import fastify from 'fastify'
import { openPool } from '#server/platform/database/pool.ts'

/**
 * The least that a read can cost on this stack: bare Fastify, the same pool, and one prepared select of a user by
 * primary key. Run as `node bench/bare.ts`, with PORT, DATABASE_URL and DATABASE_CONNECTIONS.
 */
const { PORT, DATABASE_URL = '', DATABASE_CONNECTIONS } = process.env
const pool = openPool({
  url: DATABASE_URL,
  as: 'app',
  name: 'probity bare',
  max: Number(DATABASE_CONNECTIONS),
})
const app = fastify()
app.get('/user/:id', async request => {
  const { id } = request.params as { id: string }
  const { rows } = await pool.query({
    name: 'user',
    text: 'SELECT * FROM app.users WHERE id = $1',
    values: [id],
  })
  return rows[0]
})
await app.listen({ host: '127.0.0.1', port: Number(PORT) })

const stop = async () => {
  await app.close()
  await pool.end()
}
process.once('SIGTERM', stop)
// The measuring process has ended; its channel must not keep this one alive.
process.once('disconnect', stop)
process.channel?.unref()
