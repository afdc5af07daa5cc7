import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atEnd } from './clean-up.ts'

/** A disk that a test can fill to its last byte; removed after the test file. */
export type SmallDisk = {
  readonly folder: string
  fill(): Promise<void>
  /** Removes the filling. */
  free(): void
}

function mount(folder: string, size: string): boolean {
  const options = ['-t', 'tmpfs', '-o', `size=${size},mode=711`, 'tmpfs', folder]
  return spawnSync('mount', options, { stdio: 'ignore' }).status === 0
}

function unmount(folder: string): void {
  spawnSync('umount', ['--lazy', folder], { stdio: 'ignore' })
  rmSync(folder, { recursive: true, force: true })
}

/** True if this user may mount one. */
export function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'probity-disk-'))
  const may = mount(folder, '64k')
  unmount(folder)
  return may
}

/** @param size as tmpfs takes it, like 64k */
export function smallDisk(size: string): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'probity-disk-'))
  if (!mount(folder, size)) throw new Error('no disk could be mounted')
  atEnd(() => unmount(folder))
  const filler = join(folder, 'filler')
  return {
    folder,
    async fill() {
      const file = await open(filler, 'a')
      for (let chunk = 2 ** 24; chunk >= 1; ) {
        const written = await file.write(Buffer.alloc(chunk)).catch(() => null)
        if (written === null) chunk = Math.floor(chunk / 2)
      }
      await file.close()
    },
    free: () => rmSync(filler),
  }
}
