import type { CallData } from '#shared/contract/define.ts'
import type { previewPlanEarnings } from '#shared/contract/earnings.ts'
import { planPreviewMinutes } from '#shared/limits.ts'

export type Preview = CallData<typeof previewPlanEarnings>
/** Identifies the preview on screen: its time and the digest of its investments and amounts. */
export type Viewed = Pick<Preview, 'asOf' | 'digest'>

/** Milliseconds for which a preview's time is kept, so that enough of its validity remains to confirm it. */
const keptMs = (planPreviewMinutes * 60_000) / 2

/** Keeps the earlier time of an unchanged preview, so that the list of its investments keeps its place. */
export function steadyPreview(viewed: Viewed | undefined, read: Preview): Preview {
  if (viewed?.digest !== read.digest) return read
  return Date.parse(read.asOf) - Date.parse(viewed.asOf) < keptMs ? { ...read, asOf: viewed.asOf } : read
}
