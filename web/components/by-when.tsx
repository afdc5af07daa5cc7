import { When } from './when.tsx'

/** Who did it, and when. */
export function ByWhen({ by, at }: { by: string | null; at: string }) {
  return (
    <>
      <bdi>{by}</bdi>, <When at={at} />
    </>
  )
}
