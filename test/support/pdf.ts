import { inflateSync } from 'node:zlib'

/** The content of our PDFs. */
export type ReadPdf = {
  title: string
  isTagged: boolean
  /** The texts of each page, in the order in which they were written. */
  pages: string[][]
  /** The parts whose glyphs stand in another order, as they are read. */
  actual: string[]
}

type Objects = Map<number, string>

/** Reads the texts of a PDF with embedded fonts, as far as our own PDFs need. */
export function readPdf(file: Buffer): ReadPdf {
  const objects: Objects = new Map(
    [...file.toString('latin1').matchAll(/(?:^|\n)(\d+) 0 obj\n(.*?)\nendobj/gs)].map(([, id, body]) => [
      Number(id),
      body!,
    ]),
  )
  const all = [...objects.values()]
  const catalog = all.find(body => body.includes('/Type /Catalog')) ?? ''
  const kids = all.find(body => /\/Type \/Pages\b/.test(body))?.match(/\/Kids \[(.*?)\]/)?.[1] ?? ''
  return {
    title: textOf(reference(objects, all.find(body => body.includes('/Producer')) ?? '', 'Title')),
    isTagged: catalog.includes('/StructTreeRoot') && /\/Lang \((en|de|es|ar)\)/.test(catalog),
    actual: all.flatMap(body =>
      [...body.matchAll(/\/ActualText \((.*?)(?<!\\)\)\n/gs)].map(([, literal]) => actualOf(literal!)),
    ),
    pages: [...kids.matchAll(/(\d+) 0 R/g)].map(([, id]) => textsOf(objects, objects.get(Number(id))!)),
  }
}

/** A string of the file, in ASCII. */
function textOf(literal: string): string {
  return literal.slice(1, -1).replace(/\\([()\\])/g, '$1')
}

function reference(objects: Objects, body: string, name: string): string {
  return objects.get(Number(new RegExp(`/${name} (\\d+) 0 R`).exec(body)?.[1])) ?? ''
}

function streamOf(body: string): string {
  const content = /stream\n(.*)\nendstream/s.exec(body)?.[1] ?? ''
  return inflateSync(Buffer.from(content, 'latin1')).toString('latin1')
}

function textsOf(objects: Objects, page: string): string[] {
  const fonts = new Map(
    [...reference(objects, page, 'Resources').matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name, id]) => [
      name,
      lettersOf(streamOf(reference(objects, objects.get(Number(id))!, 'ToUnicode'))),
    ]),
  )
  return [...streamOf(reference(objects, page, 'Contents')).matchAll(/BT\n(.*?)\nET/gs)].map(([, block]) => {
    const letters = fonts.get(/\/(F\d+) /.exec(block!)?.[1])!
    const glyphs = [...block!.matchAll(/<([0-9a-f]+)>/g)].flatMap(([, hex]) => hex!.match(/.{4}/g) ?? [])
    return glyphs.map(glyph => letters[Number.parseInt(glyph, 16)] ?? '').join('')
  })
}

/** What a reader copies instead of glyphs that stand in another order: UTF-16 after a mark. */
function actualOf(literal: string): string {
  const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }
  const bytes = literal.replaceAll(/\\(.)/gs, (_, letter: string) => escapes[letter] ?? letter)
  return Buffer.from(bytes.slice(2), 'latin1').swap16().toString('utf16le')
}

/** A font's letters by its glyphs' numbers. */
function lettersOf(map: string): string[] {
  return [...map.matchAll(/<([0-9a-f]{4})> <[0-9a-f]{4}> \[(.*?)\]/g)].flatMap(([, , list]) =>
    [...list!.matchAll(/<([0-9a-f ]*)>/g)].map(([, hex]) =>
      Buffer.from(hex!.replaceAll(' ', ''), 'hex').swap16().toString('utf16le'),
    ),
  )
}
