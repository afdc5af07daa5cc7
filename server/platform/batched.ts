/**
 * Combines concurrent questions: all keys of one turn of the event loop go into one query, so that under load many
 * requests share its cost.
 * @param most keys per question
 * @param ask returns what it knows of the keys
 * @param waitMs milliseconds to wait for more keys, for questions that come one by one
 */
export function batched<Key, Answer>(
  most: number,
  ask: (keys: Key[]) => Promise<Map<Key, Answer>>,
  waitMs = 0,
): (key: Key) => Promise<Answer | undefined> {
  let waiting = new Map<Key, PromiseWithResolvers<Answer | undefined>>()

  async function send(): Promise<void> {
    const asked = waiting
    waiting = new Map()
    try {
      const answers = await ask([...asked.keys()])
      for (const [key, { resolve }] of asked) resolve(answers.get(key))
    } catch (error) {
      for (const { reject } of asked.values()) reject(error)
    }
  }

  return key => {
    const same = waiting.get(key)
    if (same !== undefined) return same.promise
    const question = Promise.withResolvers<Answer | undefined>()
    waiting.set(key, question)
    const batch = waiting
    if (batch.size === most) void send()
    else if (batch.size === 1) {
      const sendUnlessSent = () => batch === waiting && send()
      if (waitMs > 0) setTimeout(sendUnlessSent, waitMs)
      else setImmediate(sendUnlessSent)
    }
    return question.promise
  }
}
