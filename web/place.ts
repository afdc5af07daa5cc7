import { useLocation } from 'react-router'

/** What names the record that a page shows, or a new one. */
const naming = ['id', 'message', 'new', 'record']

/** Changes with the page and with the record that it shows. */
export function usePlace(): string {
  const { pathname, search } = useLocation()
  const of = new URLSearchParams(search)
  return [pathname, ...naming.map(name => (of.has(name) ? `${name}=${of.get(name)}` : ''))].join(' ')
}

/** Event of the document: another page, or another record on it, is shown. */
export const pageShown = 'page-shown'
