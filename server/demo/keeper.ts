import { spawn } from 'node:child_process'

/**
 * node keeper.ts <program> <arguments>: runs a program until it ends by itself, or until the process that holds the other end
 * of this one's standard input is gone, killed or not: then the program is ended as well. A Ctrl-C is that process' own matter.
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
