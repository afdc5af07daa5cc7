/** By tools/page-dates.ts. */
declare module 'virtual:page-dates' {
  export const pageDates: Record<string, string>
}

/** By vite.config.ts: the files of the browser's build, by their sources; undefined where Vite serves the sources. */
declare module 'virtual:client-files' {
  export const clientFiles: Record<string, { file: string; imports?: string[] }> | undefined
}
