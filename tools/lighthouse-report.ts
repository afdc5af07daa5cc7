/** Lighthouse's results for one page, and its weight at a first visit, in bytes on the wire. */
export type PageReport = {
  path: string
  /** A public page, which must have no scripts. */
  isPublic: boolean
  /** From 0 to 100, by category; categories without a score are left out. */
  scores: Partial<Record<Category, number>>
  bytes: number
  scriptBytes: number
  /** Cumulative layout shift. */
  cls: number
  /** Largest contentful paint, milliseconds. */
  lcp: number
  /** Deductions by category: the audits' names and texts. */
  lost: Partial<Record<Category, string[]>>
}

export const categories = ['performance', 'accessibility', 'best-practices', 'seo'] as const
export type Category = (typeof categories)[number]

export const fullScore = 100
export const publicPageBytes = 120_000

/** Defects of a page, in words. */
export function defectsOf({ isPublic, scores, lost, bytes, scriptBytes, cls }: PageReport): string[] {
  const low = categories.filter(category => (scores[category] ?? fullScore) < fullScore)
  return [
    ...low.map(category => `${category} ${scores[category]} (${(lost[category] ?? []).join(', ')})`),
    ...(isPublic && bytes > publicPageBytes ? [`${kilobytes(bytes)} kB in all`] : []),
    ...(isPublic && scriptBytes > 0 ? [`${scriptBytes} bytes of script`] : []),
    ...(cls > 0 ? [`a layout shift of ${cls}`] : []),
  ]
}

const headings = ['page', 'perf', 'access', 'best', 'SEO', 'kB', 'script kB', 'CLS', 'LCP s']

/** All pages in one table, then their defects. */
export function reportText(reports: PageReport[]): string {
  const rows = [headings, ...reports.map(rowOf)]
  const widths = headings.map((_, column) => Math.max(...rows.map(row => row[column]!.length)))
  const lines = rows.map(row =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
      .join('  '),
  )
  const defects = reports.flatMap(report => defectsOf(report).map(defect => `${report.path}: ${defect}`))
  return [...lines, '', ...(defects.length > 0 ? defects : ['Every page is as it must be'])].join('\n')
}

function rowOf({ path, scores, bytes, scriptBytes, cls, lcp }: PageReport): string[] {
  return [
    path,
    ...categories.map(category => String(scores[category] ?? '–')),
    kilobytes(bytes),
    kilobytes(scriptBytes),
    String(Math.round(cls * 1000) / 1000),
    (lcp / 1000).toFixed(1),
  ]
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1)
}
