/** What a conversation with the firm can be about: one of its owner's own records. */
export const aboutKinds = ['deposit', 'investment', 'withdrawal', 'earning'] as const
export type AboutKind = (typeof aboutKinds)[number]

/** `open`: waits for us. `answered`: waits for the person who wrote. Writing again reopens it. */
export const conversationStatuses = ['open', 'answered', 'closed'] as const
export type ConversationStatus = (typeof conversationStatuses)[number]
