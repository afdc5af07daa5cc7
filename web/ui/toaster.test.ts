import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { toast } from './toast.ts'
import { Toaster } from './toaster.tsx'

test('[X-06] at most 20 toasts show at once, the newest ones', () => {
  for (let number = 1; number <= 25; number += 1) toast.error(`Notice ${number}.`)
  const html = renderToStaticMarkup(createElement(Toaster))
  expect(html.match(/data-toast/g)).toHaveLength(20)
  expect(html).toContain('Notice 25.')
  expect(html).not.toContain('Notice 5.')
})
