import { spawn } from 'node:child_process'

/**
 * node keeper.ts <program> <arguments>: runs a program and ends it when standard input closes, so that it cannot outlive the
 * parent process, even a killed one.
 */
const [, , program = '', ...programArguments] = process.argv
const child = spawn(program, programArguments, { stdio: ['ignore', 'inherit', 'inherit'] })
child.on('error', error => {
  console.error(error.message)
  process.exit(1)
})
child.on('exit', code => process.exit(code ?? 1))
process.stdin.on('end', () => child.kill('SIGTERM')).resume()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill('SIGTERM'))
