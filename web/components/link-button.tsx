import type { ComponentProps } from 'react'
import { Link } from 'react-router'
import { type ButtonLook, buttonClass } from '#web/ui/button.tsx'
import { cx } from '#web/ui/cx.ts'

/** An in-app link that looks like a button. */
export function LinkButton({ tone, size, className, ...rest }: ComponentProps<typeof Link> & ButtonLook) {
  return <Link className={cx(buttonClass({ tone, size }), className)} {...rest} />
}

/** A link that loads a new document: to, from and between public pages, which carry no script. */
export function AnchorButton({ tone, size, className, ...rest }: ComponentProps<'a'> & ButtonLook) {
  return <a className={cx(buttonClass({ tone, size }), className)} {...rest} />
}
