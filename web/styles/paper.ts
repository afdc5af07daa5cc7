/** The page's ground (`--paper` of tokens.css), for what browsers draw around it. */
export const paper = { light: '#fbfaf7', dark: '#0f1115' } as const
