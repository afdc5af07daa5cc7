import { describe, expect, test } from 'vitest'
import { spellingsOf } from '#shared/address-spellings.ts'

/** Of the CashAddr specification, of Litecoin's documentation and of XLS-5d. */
const cash = 'qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a'
const legacy = '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu'
const scripts = ['3MSvaVbVFFLML86rt5eqgA9SvW23upaXdY', 'MTf4tP1TCNBn8dNkyxeBVoPrFCcVzxJvvh']
const account = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh'

describe('one wallet', () => {
  test.each([cash, `bitcoincash:${cash}`, `bitcoincash:${cash}`.toUpperCase(), legacy])(
    'of Bitcoin Cash written as %s has all its spellings',
    address => {
      const all = spellingsOf(address)
      expect(all).toEqual(expect.arrayContaining([cash, `bitcoincash:${cash}`, legacy]))
      const tokenAware = all.filter(one => one.startsWith('z'))
      expect(tokenAware).toHaveLength(1)
      expect(spellingsOf(tokenAware[0]!)).toEqual(expect.arrayContaining([cash, legacy]))
    },
  )

  test.each(scripts)('of Litecoin written as %s has both spellings', address => {
    expect(spellingsOf(address)).toEqual(expect.arrayContaining(scripts))
  })

  test('of Ripple is found by its X-address', () => {
    const [, classic] = spellingsOf('XVLhHMPHU98es4dbozjVtdWzVrDjtV18pX8yuPT7y4xaEHi')
    expect(classic).toBe('rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf')
    expect(spellingsOf(account)).toEqual([account])
  })

  test.each(['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4'])(
    'of one spelling, %s, is known in any case',
    address => expect(spellingsOf(address)).toEqual([address.toLowerCase()]),
  )

  test.each(['', '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggv', 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7', 'who?'])(
    'that is "%s" has no other spelling',
    text => expect(spellingsOf(text)).toEqual([text]),
  )
})
