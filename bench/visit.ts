import type { BrowserContext, Page } from '@playwright/test'

/** The investor with many lines, in a browser of their own. */
export type Visit = { page: Page; context: BrowserContext; origin: string }

/** Where the bare page is, which the browser gets instead of an answer of the server. */
const barePath = '/bare'

/**
 * A page with no more in it than it takes to change from one static state to another, as the least that a change can cost in
 * this browser on this machine: its links change the address, the heading and fifty rows.
 */
export async function openBarePage({ context, page }: Visit): Promise<void> {
  await context.route(`**${barePath}`, route =>
    route.fulfill({
      contentType: 'text/html',
      body: `<!doctype html><title>Bare</title>
        <nav><a href="/bare/a">A</a> <a href="/bare/b">B</a></nav><h1>Bare</h1><table></table>
        <script>
          for (const link of document.querySelectorAll('a')) link.addEventListener('click', event => {
            event.preventDefault()
            history.pushState(null, '', link.href)
            document.querySelector('h1').textContent = link.textContent
            document.querySelector('table').innerHTML =
              Array.from({ length: 50 }, (_, row) => '<tr><td>' + link.textContent + '<td>' + row).join('')
          })
        </script>`,
    }),
  )
  await page.goto(barePath)
}
