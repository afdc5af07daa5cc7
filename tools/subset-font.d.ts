declare module 'subset-font' {
  /** Keeps the text's characters, or all; an axis is pinned by a number or cut to a range. */
  export default function subset(
    font: Uint8Array,
    text: string | undefined,
    options: {
      targetFormat: 'woff2' | 'truetype'
      keepAllGlyphs?: boolean
      /** What the font may do with letters beside each other (OpenType tags); all by default. */
      keepFeatures?: string[]
      variationAxes?: Record<string, number | { min: number; max: number }>
    },
  ): Promise<Uint8Array>
}
