import { type Binding, query } from '#server/context.ts'
import { downloadArchive } from '#shared/contract/archive.ts'
import { archiveOf } from './archive.ts'

export const routes: Binding[] = [query(downloadArchive, ({ query: { zone } }, ctx) => archiveOf(ctx, zone))]
