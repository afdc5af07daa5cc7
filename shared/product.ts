/** On the picture that links to the pages show, which is drawn at the build, for whoever runs the product. */
export const linkPictureWords = 'Books you can check'

/** On everything that the demonstration shows of itself (D2). */
export const demonstrationNotice = 'Demonstration: not a real firm. Do not send money.'
