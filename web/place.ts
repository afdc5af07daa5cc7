import { useLocation } from 'react-router'

/** Changes with the page and with the record (`?id=`) that it shows. */
export function usePlace(): string {
  const { pathname, search } = useLocation()
  return `${pathname} ${new URLSearchParams(search).get('id')}`
}

/** Event of the document: another page, or another record on it, is shown. */
export const pageShown = 'page-shown'
