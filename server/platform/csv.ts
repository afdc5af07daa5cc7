/** CSV by RFC 4180, made so that spreadsheets read it as it is meant. */

/**
 * Spreadsheets outside of English-speaking systems take a file for UTF-8 only where it begins with a byte order mark;
 * everybody else skips it.
 */
export const byteOrderMark = '\ufeff'

/** What a spreadsheet may take for a formula: OWASP's list, after spaces too, and its full-width forms. */
const formula = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/

/**
 * A text as a cell. What could be a formula begins with an apostrophe, which makes it a text (OWASP, CSV injection).
 * Numbers and dates are no texts: put them into the line as they are.
 */
export function textCell(text: string): string {
  const guarded = formula.test(text)
  if (!guarded && !/[",;\t\r\n]|^\s|\s$/.test(text)) return text
  return `"${guarded ? "'" : ''}${text.replaceAll('"', '""')}"`
}

/** One line of cells that are ready to stand there. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`
}
