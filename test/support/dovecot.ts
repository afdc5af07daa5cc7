import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { serverUserFor, spawnAs } from '#server/embedded/server-user.ts'
import { findDovecot } from '#tools/dovecot.ts'
import { freePort } from '#tools/free-port.ts'
import { missingNode, testNodes } from '#tools/nodes.ts'
import { type Watched, watch } from './processes.ts'

/** Why tests that need Dovecot cannot run; undefined if they can. */
export const withoutDovecot = missingNode(testNodes.dovecot)

const PASSWORD = 'p@ss/word'

/** A real mail server with one mailbox. */
export type Dovecot = {
  /** The address of the mailbox, with its login. */
  url: string
  /** Delivers a message to the inbox, as a mail server does: a file in the Maildir. */
  deliver(message: string | Buffer): void
  /** How many messages a folder has, and how many of them are unread. */
  count(folder: 'INBOX' | 'Processed' | 'Unmatched'): { all: number; unread: number }
  stop(): Promise<void>
  /** Comes back, at the same port and with the same messages. */
  start(): Promise<void>
  /** Stops it and removes its files. */
  close(): Promise<void>
}

/** Starts Dovecot with IMAP on this machine alone, as no privileged user. */
export async function startDovecot(): Promise<Dovecot> {
  const user = serverUserFor(null)
  const folder = mkdtempSync(join(tmpdir(), `probity-dovecot-${process.pid}-`))
  const own = (path: string) => {
    chmodSync(path, 0o755)
    if (user !== null) chownSync(path, user.uid, user.gid)
    return path
  }
  own(folder)
  const maildir = join(folder, 'Maildir')
  for (const path of [maildir, ...['cur', 'new', 'tmp'].map(name => join(maildir, name))]) {
    mkdirSync(path)
    own(path)
  }
  const port = await freePort()
  const file = join(folder, 'dovecot.conf')
  writeFileSync(file, settingsOf({ folder, port, user }))
  own(file)
  let server: Watched | undefined
  let delivered = 0
  const start = async () => {
    server = watch(findDovecot()!, ['-F', '-c', file], spawnAs(user))
    await server.said(/starting up/)
  }
  const stop = async () => {
    server?.child.kill('SIGTERM')
    await server?.ended()
    server = undefined
  }
  const close = async () => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  }
  await start().catch(async (error: unknown) => {
    await close()
    throw error
  })
  const filesIn = (box: string, kind: 'new' | 'cur') => {
    const path = join(maildir, box === 'INBOX' ? '' : `.${box}`, kind)
    return readdirSync(path, { withFileTypes: true }).map(({ name }) => name)
  }
  return {
    url: `imap://replies:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`,
    deliver(message) {
      // The server numbers those of one second by their names.
      const path = join(maildir, 'new', `${Date.now()}.${String(++delivered).padStart(6, '0')}.test`)
      writeFileSync(path, message)
      own(path)
    },
    count(box) {
      const seen = filesIn(box, 'cur').filter(name => /:2,[A-Z]*S/.test(name))
      const all = filesIn(box, 'cur').length + filesIn(box, 'new').length
      return { all, unread: all - seen.length }
    },
    stop,
    start,
    close,
  }
}

type Given = { folder: string; port: number; user: ReturnType<typeof serverUserFor> }

/** By Dovecot's documentation, Rootless installation. */
function settingsOf({ folder, port, user }: Given): string {
  const { username, ...ours } = userInfo()
  const { name, uid, gid } = user ?? { name: username, ...ours }
  const group = spawnSync('id', ['-gn', name], { encoding: 'utf8' }).stdout.trim()
  return `
    protocols = imap
    listen = 127.0.0.1
    base_dir = ${folder}/run
    state_dir = ${folder}/state
    log_path = /dev/stderr
    ssl = no
    disable_plaintext_auth = no
    default_internal_user = ${name}
    default_internal_group = ${group}
    default_login_user = ${name}
    first_valid_uid = ${uid}
    first_valid_gid = ${gid}
    mail_location = maildir:${folder}/Maildir
    passdb {
      driver = static
      args = password=${PASSWORD}
    }
    userdb {
      driver = static
      args = uid=${uid} gid=${gid} home=${folder}
    }
    service imap-login {
      chroot =
      inet_listener imap {
        port = ${port}
      }
      inet_listener imaps {
        port = 0
      }
    }
    service anvil {
      chroot =
    }
  `
}
