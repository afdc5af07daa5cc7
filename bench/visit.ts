import type { BrowserContext, Locator, Page } from '@playwright/test'

/** The investor with many lines, in a browser of their own. */
export type Visit = { page: Page; context: BrowserContext; origin: string }

/** The path of the bare page, which replaces the server's answer in the browser. */
const barePath = '/bare'

/**
 * A page with only what a change between two static states needs, as the least that a change can cost here: its links
 * change the address, the heading and fifty rows.
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

/** Presses a control as a mouse does. Playwright's own click has the page search for what covers the control, at the page's cost. */
export async function press(control: Locator): Promise<void> {
  await control.scrollIntoViewIfNeeded()
  const { x, y, width, height } = (await control.boundingBox())!
  await control.page().mouse.click(x + width / 2, y + height / 2)
}
