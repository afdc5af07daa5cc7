import type { Mail } from './queue.ts'

/** What a letter says: paragraphs of plain text, and at most one thing to type or to follow. */
export type Letter = {
  to: string
  subject: string
  /** 'Hello Ada,' */
  greeting: string
  paragraphs: string[]
  /** Set apart in large type: the six-digit code. */
  code?: string
  action?: { label: string; url: string }
  /** The firm, at the end. */
  from: string
}

/** A letter as text and as plain HTML that mail readers show alike; everything in it is escaped. */
export function letter({ to, subject, greeting, paragraphs, code, action, from }: Letter): Mail {
  const before = paragraphs.slice(0, 1)
  const after = paragraphs.slice(1)
  const text = [
    greeting,
    ...before,
    ...(code ? [code] : []),
    ...(action ? [`${action.label}: ${action.url}`] : []),
    ...after,
    from,
  ].join('\n\n')
  const paragraph = (content: string) => `<p style="margin:0 0 16px">${escapeHtml(content)}</p>`
  const html = [
    '<!doctype html><html lang="en"><body style="margin:0;padding:24px;font:16px/1.5 Georgia,serif;color:#1c1f23">',
    '<div style="max-width:34em;margin:0 auto">',
    paragraph(greeting),
    ...before.map(paragraph),
    code
      ? `<p style="margin:0 0 16px;font:600 28px/1.2 monospace;letter-spacing:.2em">${escapeHtml(code)}</p>`
      : '',
    action
      ? `<p style="margin:0 0 16px"><a href="${escapeHtml(action.url)}" style="color:#1c4d3e">${escapeHtml(action.label)}</a></p>`
      : '',
    ...after.map(paragraph),
    `<p style="margin:24px 0 0;color:#5b6168">${escapeHtml(from)}</p>`,
    '</div></body></html>',
  ].join('')
  return { to, subject, text, html }
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
