declare module 'subset-font' {
  /** Keeps the text's characters, or all; a number pins an axis, a range limits it. */
  export default function subset(
    font: Uint8Array,
    text: string | undefined,
    options: {
      targetFormat: 'woff2' | 'truetype'
      keepAllGlyphs?: boolean
      /** The font's OpenType features; all by default. */
      keepFeatures?: string[]
      variationAxes?: Record<string, number | { min: number; max: number }>
    },
  ): Promise<Uint8Array>
}
