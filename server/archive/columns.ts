import { type Token, tokenDecimals } from '#server/rails/chain.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { formatDecimal, rateDecimals } from '#shared/money.ts'

export type Row = Readonly<Record<string, unknown>>
type Value = string | number | boolean | null | readonly string[] | object

/** A cell of the JSON and of the CSV, whose name both have. */
export type Cell = {
  name: string
  /** In the current language. */
  about: string
  value: (row: Row) => Value
  /** Written by us for machines: no spreadsheet takes it for a formula. */
  isPlain: boolean
}

/** The cells that a column of a table's rows becomes, by the column's name. What it is about is a text named by `msg`. */
export type Column = (name: string) => Cell[]

/** A column must be among those read: a misspelt one would be left out in silence. */
function read(row: Row, name: string): unknown {
  const value = row[name]
  if (value === undefined) throw new Error(`an archive's rows have no column ${name}`)
  return value
}

function column(about: string, isPlain: boolean, present: (value: never) => Value): Column {
  return name => [
    {
      name,
      about: translate(about),
      isPlain,
      value: row => {
        const value = read(row, name)
        return value === null ? null : present(value as never)
      },
    },
  ]
}

export const text = (about: string) => column(about, false, (value: string) => value)
/** A day, a number as text or one of our own words. */
export const word = (about: string) => column(about, true, (value: string) => value)
export const moment = (about: string) => column(about, true, (value: Date) => value.toISOString())
export const whole = (about: string) => column(about, true, (value: bigint | number) => Number(value))
export const flag = (about: string) => column(about, true, (value: boolean) => value)
export const list = (about: string) => column(about, false, (value: string[]) => value)
export const object = (about: string) => column(about, false, (value: object) => value)
/** US dollars for one coin, stored in 10^-8. */
export const rate = (about: string) =>
  column(about, true, (value: bigint) => formatDecimal(value, rateDecimals))

/** US dollars: cents as an integer, which a JSON number could not hold exactly, and the same as a decimal. */
export const usd =
  (about: string): Column =>
  name => {
    const of = { about: translate(about) }
    const [cents] = column(about, true, (amount: bigint) => `${amount}`)(name)
    const [dollars] = column(about, true, (amount: bigint) => formatDecimal(amount, 2))(name)
    return [
      { ...cents!, name: `${name}Cents`, about: t('{about}, in US cents', of) },
      { ...dollars!, about: t('{about}, in US dollars', of) },
    ]
  }

/** An amount in a coin, which another column names: its smallest units as an integer, and the same as a decimal. */
export const coins =
  (about: string, coin: string): Column =>
  name => {
    const amount = (present: (units: bigint, token: Token) => string) => (row: Row) => {
      const units = read(row, name)
      return units === null ? null : present(units as bigint, read(row, coin) as Token)
    }
    return [
      {
        name: `${name}Units`,
        about: t("{about}, in the coin's smallest units that we count", { about: translate(about) }),
        isPlain: true,
        value: amount(String),
      },
      {
        name,
        about: t('{about}, in coins', { about: translate(about) }),
        isPlain: true,
        value: amount((units, token) => formatDecimal(units, tokenDecimals[token])),
      },
    ]
  }
