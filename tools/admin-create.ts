import { createInterface } from 'node:readline/promises'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { EXIT_FAILURE, StartupError } from '#server/platform/startup-error.ts'
import { reportEnd } from '#server/process/lifetime.ts'
import { createAdmin } from '#server/staff/first-admin.ts'
import { acceptInvitation, inviteStaff } from '#shared/contract/staff.ts'
import { AppError } from '#shared/errors.ts'
import { invitationHours } from '#shared/limits.ts'
import { installation, onInstallation } from './installation.ts'

/**
 * npm run admin:create [-- --name "Ada Admin" --email ada@example.com] [--password-stdin]: creates the first admin of
 * an installation, or a second one if only one of several is left. Prints a one-time link to set a password, or reads
 * the password from standard input. Prompts for what is neither given nor in ADMIN_NAME and ADMIN_EMAIL.
 */

const usage = 'npm run admin:create -- --name "Ada Admin" --email ada@example.com [--password-stdin]'

async function main(): Promise<void> {
  const { name, email, 'password-stdin': fromInput } = options()
  const config = installation()
  const first = checked(inviteStaff.body.pick({ name: true, email: true }), {
    name: name ?? process.env.ADMIN_NAME ?? (await ask('Name: ', fromInput)),
    email: email ?? process.env.ADMIN_EMAIL ?? (await ask('Email: ', fromInput)),
  })
  const password = fromInput ? await passwordFromInput() : undefined
  await onInstallation(config, async services => {
    const link = await createAdmin(services, first, password).catch(asStartupError)
    console.log(link === null ? madeWords(first.email) : linkWords(first.email, link))
    if (config.mode === 'live')
      console.log('The first login leads to the setup of two-factor authentication.')
  })
}

function options() {
  try {
    return parseArgs({
      options: {
        name: { type: 'string' },
        email: { type: 'string' },
        'password-stdin': { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    throw new StartupError(`${(error as Error).message}\n\n  ${usage}`, EXIT_FAILURE)
  }
}

async function ask(question: string, isInputTaken: boolean): Promise<string> {
  if (isInputTaken || !process.stdin.isTTY) {
    throw new StartupError(`A name and an email are needed:\n\n  ${usage}`, EXIT_FAILURE)
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await terminal.question(question)
  } finally {
    terminal.close()
  }
}

/** One line from standard input, because everyone on the machine can read a command line. */
async function passwordFromInput(): Promise<string> {
  const password = (await text(process.stdin)).replace(/\r?\n$/, '')
  return checked(acceptInvitation.body.pick({ password: true }), { password }).password
}

type Schema<T> = {
  safeParse(
    value: unknown,
  ): { success: true; data: T } | { success: false; error: { issues: { message: string }[] } }
}

function checked<T>(schema: Schema<T>, value: unknown): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new StartupError(parsed.error.issues.map(({ message }) => message).join('\n'), EXIT_FAILURE)
}

function asStartupError(error: unknown): never {
  throw error instanceof AppError ? new StartupError(error.message, EXIT_FAILURE) : error
}

function madeWords(email: string): string {
  return `${email} is an admin and can log in.`
}

function linkWords(email: string, link: string): string {
  return [
    `By this link ${email} sets the password. It works once, for ${invitationHours / 24} days, unless admins can invite each other by then:`,
    '',
    `  ${link}`,
    '',
    'Run the command again for another one: this link is then worth nothing.',
  ].join('\n')
}

await main().catch(reportEnd)
