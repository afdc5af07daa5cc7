import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, expect, test } from 'vitest'
import { localUsd, localUsdShort } from '#shared/i18n/amounts.ts'
import { languageFrom } from '#shared/i18n/language.ts'
import { languageCodes } from '#shared/i18n/languages.ts'
import { AmountsIn } from './amounts.tsx'

afterEach(() => languageFrom(() => undefined))

const marked = (amount: string) => renderToStaticMarkup(<AmountsIn text={amount} />)

test.each(languageCodes)('marks the amounts of a sentence in %s', language => {
  languageFrom(() => language)
  for (const amount of [
    localUsd(123_456_750n),
    localUsd(-500n),
    localUsd(100_000n),
    localUsdShort(10_000n),
  ]) {
    const html = marked(`2 of 3, ${amount}. 0.1 BTC`)
    expect(html).toContain(`2 of 3, <span class="amount"><span>${amount}</span></span>. 0.1 BTC`)
  }
})

test('leaves a full stop after an amount outside of it', () => {
  expect(marked('You owe $5.')).toContain('$5</span></span>.')
})
