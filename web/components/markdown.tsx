import { micromark } from 'micromark'
import { type Language, sourceLanguage } from '#shared/i18n/languages.ts'
import { marksOf } from './written-in.ts'

/**
 * One of the firm's own texts, written in Markdown (CommonMark). Markup of HTML is shown as text, and only links to
 * websites and mail addresses are links.
 */
export function Markdown({ text, language = sourceLanguage }: { text: string; language?: Language }) {
  return (
    <div
      data-figure="firm"
      dir="auto"
      {...marksOf(language)}
      className="written"
      // biome-ignore lint/security/noDangerouslySetInnerHtml: micromark escapes HTML and drops other links
      dangerouslySetInnerHTML={{ __html: htmlOf(text) }}
    />
  )
}

/** HTML without scripts. The page has a heading of level 1 already, so the text's begin at level 2 and skip none. */
export function htmlOf(markdown: string): string {
  const html = micromark(markdown)
  const used = [...new Set([...html.matchAll(/<h([1-6])>/g)].map(([, level]) => level!))].sort()
  return html.replaceAll(/(<\/?h)([1-6])>/g, (_, tag: string, level: string) => {
    return `${tag}${Math.min(used.indexOf(level) + 2, 6)}>`
  })
}
