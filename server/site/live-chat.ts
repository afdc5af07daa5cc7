/** A provider's chat: the provider's own page, shown in a frame. */
export type LiveChat = {
  /** The provider's name, for people. */
  provider: string
  /** The page's URL; its origin is the only one that the content security policy allows in frames. */
  frame: string
}

type Provider = {
  name: string
  /** The form of this provider's ids, and the same in words. */
  id: RegExp
  idInWords: string
  /** The URL of the provider's direct chat page. */
  frame: (id: string) => string
}

/**
 * The providers that can be configured (D10). Their script would run in our pages and could read login tokens, so we frame
 * their chat page instead (docs/decisions/0013).
 */
const providers = {
  // help.crisp.chat, 'How can I generate the direct external link of my Chatbox?'
  crisp: {
    name: 'Crisp',
    id: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i,
    idInWords: "Crisp's Website ID, like e93e073a-1f69-4cbc-8934-f9e1611e65bb",
    frame: id => `https://go.crisp.chat/chat/embed/?website_id=${id}`,
  },
  // docs.tawk.help, 'Using the Direct Chat Link'
  tawk: {
    name: 'tawk.to',
    id: /^[\da-f]{24}\/[\da-z]+$/i,
    idInWords: "property and widget of tawk.to's Direct Chat Link, like 5a1b2c3d4e5f60718293a4b5/1fuoet6bd",
    frame: id => `https://tawk.to/chat/${id}`,
  },
} satisfies Record<string, Provider>

export type LiveChatProvider = keyof typeof providers
export const liveChatProviders = Object.keys(providers) as [LiveChatProvider, ...LiveChatProvider[]]

export function liveChatOf(provider: LiveChatProvider, id: string): LiveChat {
  const { name, frame } = providers[provider]
  return { provider: name, frame: frame(id) }
}

/** Why an id is not one of this provider's, or undefined if it can be. */
export function liveChatIdError(provider: LiveChatProvider, id: string): string | undefined {
  const { id: form, idInWords } = providers[provider]
  return form.test(id) ? undefined : `must be ${idInWords}`
}
