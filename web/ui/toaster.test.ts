import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { toast } from './toast.ts'
import { Toaster } from './toaster.tsx'

test('[X-06] shows at most the 20 newest toasts', () => {
  for (let number = 1; number <= 25; number += 1) toast.error(`Notice ${number}.`)
  const html = renderToStaticMarkup(createElement(Toaster))
  expect(html.match(/data-toast/g)).toHaveLength(20)
  expect(html).toContain('Notice 25.')
  expect(html).not.toContain('Notice 5.')
})
