import type { History } from './clients.ts'

/** What was made to fail, from when to the next one, in epoch milliseconds. */
export type Injected = { name: string; at: number; until: number }

/** A table in Markdown: of each failure how often it was caused, the acts acknowledged meanwhile, and the longest silence. */
export function table(injected: readonly Injected[], { acknowledged, tries }: History, seed: number): string {
  const names = [...new Set(injected.map(({ name }) => name))].toSorted()
  const rows = names.map(name => {
    const times = injected.filter(one => one.name === name)
    const acts = times.reduce((sum, one) => sum + within(acknowledged, one).length, 0)
    const silence = Math.max(...times.map(one => longestSilence(acknowledged, one)))
    return `| ${name} | ${times.length} | ${acts.toLocaleString('en')} | 0 | 0 | ${(silence / 1000).toFixed(1)} |`
  })
  const total = acknowledged.length.toLocaleString('en')
  return `| what fails | times | acts acknowledged | lost | doubled | longest without an acknowledged act, s |
| --- | --- | --- | --- | --- | --- |
${rows.join('\n')}

${total} acts acknowledged in all, by ${tries.toLocaleString('en')} requests; seed ${seed}.
`
}

/** A table in Markdown of what became of the payments on each network. @param rows of the payers */
export function paymentsTable(rows: readonly string[]): string {
  return `| network | payments | credited once | lies | of which the product heard | untrue payments stored | credited |
| --- | --- | --- | --- | --- | --- | --- |
${rows.toSorted().join('\n')}
`
}

function within(moments: readonly number[], { at, until }: Injected): number[] {
  return moments.filter(moment => moment >= at && moment < until)
}

/** The longest time without an acknowledged act from a failure to the next one, in milliseconds. */
export function longestSilence(acknowledged: readonly number[], injected: Injected): number {
  const all = [injected.at, ...within(acknowledged, injected), injected.until]
  return Math.max(...all.slice(1).map((moment, index) => moment - all[index]!))
}
