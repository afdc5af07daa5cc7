/**
 * Reads CSV strictly by RFC 4180.
 * @throws Error if a line does not end with CRLF, or for a misplaced quote
 */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y
  let row: string[] = []
  while (cell.lastIndex < text.length) {
    const place = cell.lastIndex
    const match = cell.exec(text)
    if (!match) throw new Error(`no CSV at ${place}: ${JSON.stringify(text.slice(place, place + 60))}`)
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
    if (match[3] === ',') continue
    rows.push(row)
    row = []
  }
  if (row.length > 0) throw new Error('the last line does not end')
  return rows
}
