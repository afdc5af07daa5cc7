import { expect, type Page, test } from '@playwright/test'
import { expectSound, widths } from './support/investor.ts'
import { callApi, logIn, phone, sample, tokenOf } from './support/people.ts'

/** The public pages, as visitors meet them: most without JavaScript. */

const pages = [
  { path: '/', link: 'Home', title: 'Private equity with books you can check · Probity' },
  { path: '/about', link: 'About us', title: 'About us · Probity' },
  { path: '/investment-plans', link: 'Investment plans', title: 'Investment plans · Probity' },
  { path: '/services', link: 'Services', title: 'Services · Probity' },
  { path: '/contact', link: 'Contact', title: 'Contact · Probity' },
] as const

const accountPages = [
  { path: '/login', heading: 'Log in', title: 'Log in · Probity' },
  { path: '/register', heading: 'Register', title: 'Register · Probity' },
  { path: '/verify/ada@example.com', heading: 'VERIFY EMAIL', title: 'Verify email · Probity' },
  { path: '/forgot-password', heading: 'Forgotten password', title: 'Forgotten password · Probity' },
  { path: '/reset-password#token=a', heading: 'New password', title: 'New password · Probity' },
  { path: '/invitation#token=a', heading: 'Your invitation', title: 'Invitation · Probity' },
  { path: '/mailbox', heading: 'Mailbox', title: 'Mailbox · Probity' },
] as const

/** The links of P-01. @param current the name of the one that is open */
async function expectNavigation(page: Page, current?: string) {
  const navigation = page.getByRole('navigation', { name: 'Main' })
  for (const { link: name, path: href } of [...pages, { link: 'Login', path: '/login' }]) {
    const link = navigation.getByRole('link', { name, exact: true })
    await expect(link).toBeVisible()
    await expect(link).toHaveAttribute('href', href)
    if (name === current) await expect(link).toHaveAttribute('aria-current', 'page')
  }
}

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false, contextOptions: { reducedMotion: 'reduce' } })

  for (const { path, link, title } of pages) {
    test(`[R-01, P-01, P-14, P-15] ${path} is a whole page without a byte of script`, async ({ page }) => {
      const scripts: string[] = []
      page.on('request', request => request.resourceType() === 'script' && scripts.push(request.url()))
      const response = await page.goto(path)
      expect(response?.status()).toBe(200)
      await expect(page).toHaveTitle(title)
      await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
      await expectNavigation(page, link)
      await expect(page.getByText('Demonstration: not a real firm. Do not send money.')).toBeVisible()
      expect(response?.headers()['x-robots-tag']).toBe('noindex')
      expect(await response?.text()).not.toContain('<script')
      expect(scripts).toEqual([])
    })
  }

  for (const { path, heading, title } of accountPages) {
    test(`[R-01, P-01, P-15] ${path} has the navigation and says how to go on`, async ({ page }) => {
      const response = await page.goto(path)
      expect(response?.status()).toBe(200)
      await expect(page).toHaveTitle(title)
      await expect(page.getByRole('heading', { level: 1 })).toHaveText([heading])
      await expectNavigation(page, path === '/login' ? 'Login' : undefined)
      await expectWayOn(page)
    })
  }

  for (const [path, heading] of [
    ['/dashboard/withdrawals', 'Your account'],
    ['/admin/home', 'Admin console'],
  ] as const) {
    test(`[P-15] ${path} says what it is and how to go on`, async ({ page }) => {
      await page.goto(path)
      await expect(page.locator('h1')).toHaveText([heading])
      await expect(page.getByRole('status')).toBeHidden()
      const links = page.locator('noscript nav[aria-label="Main"] a')
      await expect(links).toHaveText([...pages.map(({ link }) => link), 'Login'])
      await expectWayOn(page)
    })
  }

  /** By selectors: roles and words are not looked for within a noscript. */
  async function expectWayOn(page: Page) {
    const words = page.locator('main noscript')
    await expect(words.locator('p', { hasText: 'Turn it on for this site' })).toBeVisible()
    await expect(words.locator('a[href^="mailto:"]')).toBeVisible()
    await words.locator('a[href="/contact"]').click()
    await expect(page.getByRole('button', { name: 'Send message' })).toBeVisible()
  }

  test('[R-08] an unknown path is a 404 with a way home', async ({ page }) => {
    const response = await page.goto('/no/such/page')
    expect(response?.status()).toBe(404)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Page not found')
    await page.getByRole('link', { name: 'Back to the home page' }).click()
    await expect(page).toHaveURL('/')
  })

  test('[P-12] the quick links repeat the navigation; the years stand where they belong', async ({
    page,
  }) => {
    await page.goto('/about')
    const quickLinks = page.getByRole('navigation', { name: 'Quick links' })
    for (const { link, path } of pages) {
      await expect(quickLinks.getByRole('link', { name: link, exact: true })).toHaveAttribute('href', path)
    }
    await expect(page.getByRole('contentinfo')).toContainText('© 2004')
    await expect(page.getByRole('main')).toContainText('1996')
  })

  for (const path of ['/', '/login']) {
    test(`[P-02] the phone’s menu of ${path} fills the screen and obeys the keyboard`, async ({ page }) => {
      await page.setViewportSize(phone)
      await page.goto(path)
      const menu = page.getByRole('navigation', { name: 'Menu' })
      const button = page.getByRole('button', { name: 'Menu' })
      await expect(menu).toBeHidden()
      await button.press('Enter')
      await expect(menu).toBeVisible()
      expect((await menu.boundingBox())?.width).toBe(phone.width)
      await page.keyboard.press('Escape')
      await expect(menu).toBeHidden()
      await expect(button).toBeFocused()
      await button.click()
      await menu.getByRole('link', { name: 'Services' }).press('Enter')
      await expect(page).toHaveURL('/services')
    })
  }

  test('[P-03] Home has its hero, teaser, sectors, process, figures and contact form', async ({ page }) => {
    await page.goto('/')
    await expect(page.getByRole('link', { name: 'Get started' })).toHaveAttribute('href', '/register')
    await expect(page.getByRole('link', { name: 'More about us' })).toHaveAttribute('href', '/about')
    for (const sector of ['Information Technology', 'Real Estate', 'Retirement Plans']) {
      await expect(page.getByRole('heading', { name: sector })).toBeVisible()
    }
    for (const step of ['Create an account', 'Pick an investment plan', 'Start earning']) {
      await expect(page.getByRole('listitem').filter({ hasText: step })).toBeVisible()
    }
    await expect(page.getByRole('button', { name: 'Send message' })).toBeVisible()
  })

  test('[P-04] the sample’s figures are marked as such', async ({ page }) => {
    await page.goto('/')
    for (const [value, label] of [
      ['20k', 'Active investments'],
      ['10+', 'Countries'],
      ['8k', 'Businesses consulted'],
      ['15k', 'Satisfied clients'],
    ] as const) {
      const figure = page.locator('[data-statistic="sample"]').filter({ hasText: label })
      await expect(figure).toContainText(value)
      await expect(figure).toContainText('Sample')
    }
  })

  test('[P-05, P-06] About us says who, with what values, how and in which steps', async ({ page }) => {
    await page.goto('/about')
    await expect(page.getByRole('navigation', { name: 'Breadcrumb' })).toHaveText('Home>About us')
    for (const words of [
      'A culture of integrity',
      'An operator-first philosophy',
      'Segment-focused investors',
      'A lower middle-market focus',
      'Expert Guidance',
      'Diverse Investment Opportunities',
      'Transparent Performance Tracking',
      'Create an account',
      'Pick an investment plan',
      'Start earning',
    ]) {
      await expect(page.getByText(words, { exact: true })).toBeVisible()
    }
  })

  test('[P-07] Services shows the focus areas under a breadcrumb', async ({ page }) => {
    await page.goto('/services')
    await expect(page.getByRole('navigation', { name: 'Breadcrumb' })).toHaveText('Home>Services')
    await expect(page.getByRole('heading', { level: 2 })).toContainText([
      'Information Technology',
      'Real Estate',
      'Retirement Plans',
    ])
  })

  test('[P-08, P-09, K-01] each of the seven plans has its card, its risk line and its way in', async ({
    page,
  }) => {
    await page.goto('/investment-plans')
    for (const [name, percentage, minimum, maximum, duration] of [
      ['Beginner', '3%', '$500', '$1,999', '30 days'],
      ['Basic', '9%', '$100', '$999', '30 days'],
      ['Enthusiast', '10.5%', '$1,000', '$4,999', '30 days'],
      ['Business', '13%', '$5,000', '$9,999', '30 days'],
      ['Promo', '15%', '$10,000', '$49,999', '30 days'],
      ['Elite', '20%', '$20,000', '$9,999,999', '5 days'],
      ['Deluxe', '25%', '$50,000', 'Unlimited', '5 months'],
    ] as const) {
      const card = page
        .getByRole('listitem')
        .filter({ has: page.getByRole('heading', { name, exact: true }) })
      await expect(card).toContainText(`Target over ${duration}${percentage}`)
      for (const line of [`Minimum: ${minimum}`, `Maximum: ${maximum}`, `Duration: ${duration}`]) {
        await expect(card.getByText(line, { exact: true })).toBeVisible()
      }
      await expect(card).toContainText('Capital at risk. Returns are targets and are not guaranteed.')
      await expect(card.getByRole('link', { name: 'Get started' })).toHaveAttribute('href', '/register')
    }
  })

  test('[P-10, P-11] a message keeps its text on an error, and reaches the firm', async ({
    page,
    request,
  }) => {
    const subject = `Question ${crypto.randomUUID()}`
    await page.goto('/contact')
    await expect(page.getByRole('main')).toContainText('Australia')
    await expect(page.getByRole('main').getByRole('link', { name: 'support@probity.test' })).toBeVisible()
    for (const name of ['Name', 'Email', 'Subject', 'Message']) {
      await expect(page.getByLabel(name, { exact: true })).toHaveAttribute('required')
    }
    await writeMessage(page, { subject: '   ', message: 'First line\nSecond line' })
    await expect(page.getByRole('alert')).toHaveText('Subject is required')
    await expect(page.getByLabel('Subject')).toHaveAccessibleDescription('Subject is required')
    await expect(page.getByLabel('Subject')).toBeFocused()
    await expect(page.getByLabel('Message')).toHaveValue('First line\nSecond line')
    await page.getByLabel('Subject').fill(subject)
    await page.getByRole('button', { name: 'Send message' }).click()
    await expect(page.getByRole('status')).toContainText('Thank you. Your message has reached us')
    const token = await tokenOf(request, sample('administrator'))
    const path = `/contact/get-all?q=${encodeURIComponent(subject)}`
    const messages = await callApi<{ subject: string; message: string }[]>(request, 'GET', path, { token })
    expect(messages).toMatchObject([{ subject, message: 'First line\r\nSecond line' }])
  })

  test('[P-03, P-11] the form on the home page sends its message too', async ({ page }) => {
    await page.goto('/')
    await writeMessage(page, { subject: 'From the home page', message: 'Hello' })
    await expect(page).toHaveURL('/contact?sent=1')
  })
})

async function writeMessage(page: Page, { subject, message }: { subject: string; message: string }) {
  await page.getByLabel('Name', { exact: true }).fill('Vera Visitor')
  await page.getByLabel('Email').fill('vera@example.com')
  await page.getByLabel('Subject').fill(subject)
  await page.getByLabel('Message').fill(message)
  await page.getByRole('button', { name: 'Send message' }).click()
}

test.describe('start overlay', () => {
  const overlay = (page: Page) => page.getByRole('dialog', { name: 'Probity is starting' })
  /** Stops the overlay's clock at so many milliseconds: a slow machine has as long as it needs. */
  const holdOverlay = (page: Page, at = 0) =>
    page.locator('.start-overlay').evaluate((dialog, moment) => {
      for (const animation of dialog.getAnimations()) {
        // Another one follows the page's scrolling.
        if (!(animation.timeline instanceof DocumentTimeline)) continue
        animation.pause()
        animation.currentTime = moment
      }
    }, at)

  test('[O-01] it pulses over a page that can be read, and is gone after 4 seconds', async ({ page }) => {
    await page.goto('/')
    const pulse = await page
      .locator('.start-overlay-mark')
      .evaluate(mark => getComputedStyle(mark).animationName)
    expect(pulse).toBe('start-overlay-pulse')
    await expect(overlay(page)).toBeHidden()
    await holdOverlay(page, 3900)
    await expect(overlay(page)).toBeVisible()
    await expect(overlay(page)).toHaveCSS('background-color', /\/ 0\.25\)$/)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await holdOverlay(page, 4000)
    await expect(overlay(page)).toBeHidden()
  })

  test('[O-01] it never fades: its words can be read until it is gone', async ({ page }) => {
    await page.goto('/login')
    for (const moment of [0, 3650, 3800, 3950]) {
      await page.evaluate(at => {
        for (const animation of document.getAnimations()) {
          if (!(animation.timeline instanceof DocumentTimeline)) continue
          animation.pause()
          animation.currentTime = at
        }
      }, moment)
      await expect(overlay(page)).toBeVisible()
      await expect(overlay(page)).toHaveCSS('opacity', '1')
    }
  })

  for (const key of ['Enter', 'Escape', 'Space', 'x', 'Tab']) {
    test(`[O-02] ${key} sends it away at once, and it does not come again`, async ({ page }) => {
      await page.goto('/')
      await holdOverlay(page)
      // The browser focuses its field a moment after showing it.
      await expect(overlay(page).getByRole('searchbox')).toBeFocused()
      await page.keyboard.press(key)
      await expect(overlay(page)).toBeHidden()
      await page.goto('/about')
      await expect(page.locator('.start-overlay')).toHaveCount(0)
    })
  }

  test('[O-02] a click sends it away at once', async ({ page }) => {
    await page.goto('/')
    await holdOverlay(page)
    await expect(overlay(page)).toBeVisible()
    await page.mouse.click(100, 300)
    await expect(overlay(page)).toBeHidden()
  })

  test('[O-02] the wheel sends it away at once and scrolls the page', async ({ page }) => {
    await page.goto('/')
    await holdOverlay(page)
    await expect(overlay(page)).toBeVisible()
    await page.mouse.move(100, 300)
    await page.mouse.wheel(0, 200)
    await expect(overlay(page)).toBeHidden()
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(0)
  })

  test('[O-02] it is not printed', async ({ page }) => {
    await page.goto('/')
    await holdOverlay(page)
    await expect(overlay(page)).toBeVisible()
    await page.emulateMedia({ media: 'print' })
    await expect(overlay(page)).toBeHidden()
  })

  test('[O-02] who prefers reduced motion never sees it', async ({ page }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.goto('/')
    await holdOverlay(page)
    await expect(overlay(page)).toBeHidden()
  })
})

test('[P-15] pages with scripts have no inline one, and keep to their security policy', async ({ page }) => {
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      console.error(`violation: ${violatedDirective} ${blockedURI}`)
    })
  })
  const violations: string[] = []
  page.on('console', message => message.text().startsWith('violation') && violations.push(message.text()))
  const open = async (path: string) => {
    const response = await page.goto(path)
    expect(response?.headers()['content-security-policy']).toContain("script-src 'self'; style-src 'self';")
    const elements = [...(await response!.text()).matchAll(/<script\b([^>]*)>/g)].map(
      ([, attributes]) => attributes!,
    )
    expect(elements).not.toEqual([])
    for (const attributes of elements)
      expect(attributes).toMatch(/ src="\/assets|type="application\/(ld\+)?json"/)
  }
  for (const { path } of accountPages) await open(path)
  await logIn(page, sample('investor'))
  await open('/dashboard/deposit')
  await page.getByRole('button', { name: 'Fund now' }).first().click()
  await expect(page.getByRole('dialog')).toBeVisible()
  expect(violations).toEqual([])
})

test('the home page does not move once it can be scrolled', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.goto('/')
  const link = page.getByRole('contentinfo').getByRole('link', { name: 'Check our books yourself' })
  await link.scrollIntoViewIfNeeded()
  const place = await link.boundingBox()
  await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)))
  expect(await link.boundingBox()).toEqual(place)
})

test('a picture of the whole home page has every section', async ({ page }) => {
  await page.goto('/')
  const blank = () =>
    page.locator('main section').evaluateAll(sections => {
      const isDrawn = (part: Element) =>
        part.firstElementChild?.checkVisibility({ contentVisibilityAuto: true })
      return sections.filter(part => !isDrawn(part)).length
    })
  await expect.poll(blank).toBe(0)
})

test('a page behind a dialog does not scroll', async ({ page }) => {
  await logIn(page, sample('investor'))
  await page.goto('/dashboard/deposit')
  const scrolled = () => page.evaluate(() => scrollY)
  const fund = page.getByRole('button', { name: 'Fund now' }).first()
  await expect(fund).toBeVisible()
  await page.evaluate(() => scrollTo(0, 200))
  await fund.evaluate((button: HTMLElement) => button.click())
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.mouse.wheel(0, 300)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toBeHidden()
  await page.mouse.wheel(0, -50)
  await expect.poll(scrolled).toBe(150)
})

for (const path of ['/api/docs', '/api/docs/']) {
  test(`[P-14] ${path} shows every call, under the demonstration banner`, async ({ page }) => {
    const response = await page.goto(path)
    expect(response?.headers()['x-robots-tag']).toBe('noindex')
    await expect(page).toHaveTitle('API documentation · Probity')
    await expect(page.getByText('Demonstration: not a real firm. Do not send money.')).toBeVisible()
    await page.getByRole('link', { name: 'auth', exact: true }).click()
    await expect(page.locator('[data-path="/auth/login"]')).toBeVisible()
    await expect(page.getByRole('contentinfo')).toContainText('Capital at risk.')
  })
}

test.describe('accessibility', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } })
  const longest = `${'a'.repeat(64)}@${'b'.repeat(60)}.example.com`
  const others = ['/no/such/page', '/contact?sent=1', `/verify/${longest}`]
  for (const path of [...[...pages, ...accountPages].map(page => page.path), ...others]) {
    test(`${path} breaks no rule and fits the screen, on a phone and on a desktop`, async ({ page }) => {
      await page.goto(path)
      await expectSound(page, widths)
    })
  }
})
