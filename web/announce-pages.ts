import { pageShown } from './place.ts'

/**
 * Announces each further page that opens in this document, as browsers announce a document: screen readers hear its title
 * (WCAG 4.1.3), and its content takes the focus that was lost with the page before.
 * @returns stops it
 */
export function announcePages(): () => void {
  const region = document.createElement('p')
  region.className = 'sr-only'
  region.role = 'status'
  document.body.append(region)
  // After fields of the page have taken the focus.
  const arrive = () =>
    queueMicrotask(() => {
      region.textContent = document.title
      if (document.activeElement === document.body) focusContent()
    })
  document.addEventListener(pageShown, arrive)
  return () => {
    document.removeEventListener(pageShown, arrive)
    region.remove()
  }
}

/** Not its heading, which may be another element once the page has loaded. */
function focusContent(): void {
  const content = document.querySelector('main')!
  content.tabIndex = -1
  content.classList.add('outline-none')
  // Back has restored the scroll position.
  content.focus({ preventScroll: true })
}
