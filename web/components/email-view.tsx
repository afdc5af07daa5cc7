import { useEffect, useRef } from 'react'

type Theme = 'light' | 'dark'

/** The page's policy forbids style elements, even in a parsed document: their rules go into a sheet of the script's. */
const styleElements = /<style>([^<]*)<\/style>/g

/** An email as mail programs show it, apart from the page's styles; in one theme, or in the system's. */
export function EmailView({ html, theme }: { html: string; theme?: Theme }) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: 'open' })
    const sheet = new CSSStyleSheet()
    const rules = [...html.matchAll(styleElements)].map(([, text]) => text!).join('')
    sheet.replaceSync(inTheme(rules, theme))
    root.adoptedStyleSheets = [sheet]
    const email = new DOMParser().parseFromString(html.replaceAll(styleElements, ''), 'text/html')
    const body = document.createElement('div')
    body.className = email.body.className
    body.setAttribute('style', email.body.getAttribute('style') ?? '')
    body.append(...email.body.childNodes)
    root.replaceChildren(body)
  }, [html, theme])
  return <div ref={host} />
}

function inTheme(rules: string, theme: Theme | undefined): string {
  if (theme === undefined) return rules
  return rules.replaceAll('(prefers-color-scheme:dark)', theme === 'dark' ? 'all' : 'not all')
}
