import { Zip, ZipDeflate, ZipPassThrough } from 'fflate'

/** A file of a ZIP, which is read when its turn comes. */
export type ZipFile = {
  /** With folders, separated by slashes. */
  name: string
  /** Already compressed, as pictures and PDFs are. */
  isPacked?: boolean
  parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

const nothing = new Uint8Array(0)

/**
 * A ZIP of files (PKWARE APPNOTE 6.3), part by part: no more than one part of one file is in memory.
 * @param at the time of all its files
 */
export async function* zipped(files: AsyncIterable<ZipFile>, at: Date): AsyncGenerator<Uint8Array> {
  let made: Uint8Array[] = []
  const take = () => {
    const taken = made
    made = []
    return taken
  }
  const zip = new Zip((error, part) => {
    if (error) throw error
    made.push(part)
  })
  for await (const { name, isPacked, parts } of files) {
    const file = isPacked ? new ZipPassThrough(name) : new ZipDeflate(name)
    file.mtime = at
    zip.add(file)
    for await (const part of parts) {
      file.push(part)
      yield* take()
    }
    file.push(nothing, true)
    yield* take()
  }
  zip.end()
  yield* take()
}
