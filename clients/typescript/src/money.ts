declare const dollars: unique symbol

/** US dollars as the API answers them: a JSON number that has at most two decimals. Add up cents, not these. */
export type Usd = number & { readonly [dollars]: true }

/**
 * An amount in cents, exactly: 1000.5 is 100050n.
 * @throws RangeError if the number has more than two decimals, or is too large to be exact
 */
export function toCents(amount: Usd): bigint {
  // The shortest text of a double is what the server wrote, as long as doubles tell cents apart.
  const match = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(String(amount))
  if (match === null || Math.abs(amount) >= 2 ** 46) throw new RangeError(`${amount} is not an exact amount`)
  const [, sign, whole = '', decimals = ''] = match
  return BigInt(`${sign}${whole}${decimals.padEnd(2, '0')}`)
}
