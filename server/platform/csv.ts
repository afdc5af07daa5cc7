/** CSV (RFC 4180) that spreadsheets read correctly. */

/** In many locales, spreadsheets recognise UTF-8 only by a byte order mark; everything else skips it. */
export const byteOrderMark = '\ufeff'

/** The start of a possible formula: OWASP's list, also after spaces and in full-width form. */
const formula = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/

/**
 * A text as a cell. A leading apostrophe turns a possible formula into text (OWASP, CSV injection). Numbers and dates
 * need no cell: add them to the line directly.
 */
export function textCell(text: string): string {
  const guarded = formula.test(text)
  if (!guarded && !/[",;\t\r\n]|^\s|\s$/.test(text)) return text
  return `"${guarded ? "'" : ''}${text.replaceAll('"', '""')}"`
}

/** One line of finished cells. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`
}
