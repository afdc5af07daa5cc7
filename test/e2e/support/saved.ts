import { readFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import { parseCsv } from '#test/support/csv.ts'

/** What a press of a button saves: the name and the bytes of the file. */
export async function savedBy(page: Page, button: Locator): Promise<{ name: string; content: Buffer }> {
  const download = page.waitForEvent('download')
  await button.click()
  const file = await download
  return { name: file.suggestedFilename(), content: await readFile(await file.path()) }
}

/** The rows of a CSV file with a byte order mark, its header first. */
export function rowsOf(content: Buffer): string[][] {
  return parseCsv(content.toString('utf8').replace(/^\ufeff/, ''))
}
