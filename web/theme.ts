/** What the visitor has chosen; their system's theme without a choice. */
export type Theme = 'system' | 'light' | 'dark'

/** Where the choice is posted; not in paths.ts, which every page of the app loads. */
export const themePath = '/theme'
