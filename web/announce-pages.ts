/**
 * Announces each further page that opens in this document, as browsers announce a document. Its heading takes the focus
 * if the focus was lost with the page before; else screen readers hear its title (WCAG 4.1.3).
 * @returns stops it
 */
export function announcePages(): () => void {
  const region = document.createElement('p')
  region.className = 'sr-only'
  region.role = 'status'
  document.body.append(region)
  const observer = new MutationObserver(() => {
    if (document.activeElement === document.body) focusHeading()
    else region.textContent = document.title
  })
  observer.observe(document.querySelector('title')!, { childList: true })
  return () => {
    observer.disconnect()
    region.remove()
  }
}

function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>('main h1') ?? document.querySelector('main')
  if (heading === null) return
  heading.tabIndex = -1
  heading.classList.add('outline-none')
  // Back has restored the scroll position.
  heading.focus({ preventScroll: true })
}
