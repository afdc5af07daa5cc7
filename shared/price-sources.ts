import { msg, translate } from '#shared/i18n/t.ts'

/** The name of the demonstration's prices, wherever they are stored. */
export const sampleSource = 'Sample series, not a market price'
/** That of the firm's own rate of a stablecoin. */
export const fixedSource = 'Fixed by the firm'

const ours: Record<string, string> = {
  [sampleSource]: msg('Sample series, not a market price'),
  [fixedSource]: msg('Fixed by the firm'),
}

/** The source of a rate: ours in words, every other by its name. */
export function sourceWords(source: string): string {
  const words = ours[source]
  return words === undefined ? source : translate(words)
}
