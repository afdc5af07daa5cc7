import { expect, type Page } from '@playwright/test'
import { catalogue } from '#shared/i18n/catalogue/index.ts'
import { type Language, languages } from '#shared/i18n/languages.ts'
import { messageIn } from '#shared/i18n/message.ts'
import { expectSound, widths } from './investor.ts'

/** Sentences that are other ones in a language: found in a page, they were not translated. */
function sentencesOf(language: Language): Set<string> {
  const plain = Object.keys(catalogue).filter(text => text.includes(' ') && !/[{<[]/.test(text))
  return new Set(plain.filter(text => messageIn(language, text) !== text))
}

/** What people read in the page, or hear. The firm and people write in other languages, and say so. */
async function textsOf(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const isOurs = (element: Element | null) => element?.closest('script, style, [lang="en"]') === null
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const texts: string[] = []
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
      if (isOurs(node.parentElement)) texts.push(node.textContent!.trim())
    const named = ['aria-label', 'title', 'placeholder', 'alt']
    for (const element of document.body.querySelectorAll(named.map(name => `[${name}]`).join())) {
      if (isOurs(element)) texts.push(...named.map(name => element.getAttribute(name)?.trim() ?? ''))
    }
    return texts
  })
}

/** Opens pages one after the other, each of which is in this language once it has loaded; `each` looks closer. */
export async function expectPagesIn(
  language: Language,
  page: Page,
  paths: readonly string[],
  each = async () => {},
): Promise<void> {
  const english = sentencesOf(language)
  for (const path of paths) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.locator('[aria-busy=true], [class*="animate-pulse"]')).toHaveCount(0)
    await expect(page.locator('html')).toHaveAttribute('lang', language)
    await expect(page.locator('html')).toHaveAttribute('dir', languages[language].direction)
    expect(
      (await textsOf(page)).filter(text => english.has(text)),
      path,
    ).toEqual([])
    await each()
  }
}

/** The page as it stands, in Arabic: nothing of it is in English, and it is sound on a phone and a desktop. It is in English again afterwards. */
export async function expectSoundInArabic(page: Page): Promise<void> {
  const url = page.url()
  await page.context().addCookies([{ name: 'language', value: 'ar', url }])
  await expectPagesIn('ar', page, [url], () => expectSound(page, widths))
  await page.context().clearCookies({ name: 'language' })
  await page.goto(url)
}
