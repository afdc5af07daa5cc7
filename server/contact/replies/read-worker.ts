import { answerQuestions } from '#server/platform/thread.ts'
import { type Message, readReply } from './read-reply.ts'

answerQuestions((message: Message) => readReply(message).catch(() => null), { yields: true })
