declare module 'subset-font' {
  /** Keeps the text's characters; an axis is pinned by a number or cut to a range. */
  export default function subset(
    font: Uint8Array,
    text: string,
    options: {
      targetFormat: 'woff2' | 'truetype'
      variationAxes?: Record<string, number | { min: number; max: number }>
    },
  ): Promise<Uint8Array>
}
