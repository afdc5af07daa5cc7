/** The product's name, whoever runs it: of the pages, the letters, and the picture that links to the pages show. */
export const productName = 'Probity'

/** What it promises: the title of the home page and of that picture. */
export const promise = 'Private equity with books you can check'

/** On everything that the demonstration shows of itself (D2). */
export const demonstrationNotice = 'Demonstration: not a real firm. Do not send money.'
