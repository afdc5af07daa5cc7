import { createElement, Fragment, type ReactNode } from 'react'
import { partsOf } from '#shared/i18n/message.ts'

type Nodes = Record<string, ReactNode | ((inner: ReactNode) => ReactNode)>

/**
 * A text with elements inside, in the current language: tr('See <a>the plans</a>.', { a: words => <a href="…">{words}</a> }).
 * As with `t`, browsers get the words of their language and no code of this.
 */
export function tr(text: string, values: Nodes, context?: string): ReactNode {
  return fragment(partsOf(text, values, context, fragment))
}

function fragment(parts: unknown[]): ReactNode {
  return createElement(Fragment, null, ...(parts as ReactNode[]))
}
