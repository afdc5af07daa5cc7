import type { MetaFunction } from 'react-router'
import type { Frame } from './frame.ts'

/** The page's title, with the product's name behind it, and what search engines say about it. */
export function pageMeta(title: string, description?: string): MetaFunction {
  return ({ matches }) => {
    const frame = matches.find(match => match?.id === 'root')?.loaderData as Frame | undefined
    const name = frame?.site.firm.productName ?? 'Probity'
    return [
      { title: title === '' ? name : `${title} · ${name}` },
      ...(description === undefined ? [] : [{ name: 'description', content: description }]),
    ]
  }
}
