import type { Funded } from './draft.ts'

/** A file that people can read too. */
export function jsonFile(name: string, content: object): Funded['file'] {
  return {
    name: `${name}.json`,
    type: 'application/json',
    content: Buffer.from(`${JSON.stringify(content, null, 2)}\n`),
  }
}
