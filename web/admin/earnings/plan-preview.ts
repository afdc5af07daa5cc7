import type { CallData } from '#shared/contract/define.ts'
import type { previewPlanEarnings } from '#shared/contract/earnings.ts'
import { planPreviewMinutes } from '#shared/limits.ts'

export type Preview = CallData<typeof previewPlanEarnings>
/** Which preview is looked at: its moment, and what stands for every investment and amount in it. */
export type Looked = Pick<Preview, 'asOf' | 'digest'>

/** Milliseconds for which a moment is kept: who confirms then still has as long as he has looked. */
const keptMs = (planPreviewMinutes * 60_000) / 2

/**
 * A preview that was read again, of the moment at which the same was seen first: the list of its investments, which is
 * asked for by that moment, keeps its place.
 */
export function steadyPreview(looked: Looked | undefined, read: Preview): Preview {
  if (looked?.digest !== read.digest) return read
  return Date.parse(read.asOf) - Date.parse(looked.asOf) < keptMs ? { ...read, asOf: looked.asOf } : read
}
