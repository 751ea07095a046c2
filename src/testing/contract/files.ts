/** Cases about the files of messages, for a model whose `accepts` has images. */
import type { ChatModel } from '../../actors/chat-model.ts'
import type { FileData, FilePart } from '../../actors/content/content.ts'
import { isAmong } from '../../actors/content/media-type.ts'
import type { Message } from '../../actors/message.ts'
import { RetryableError } from '../../errors.ts'
import { ask, eitherWay, question, type Plan } from './asking.ts'
import { expectEqual, expectThat } from './check.ts'
import type { ContractFile } from './subject.ts'

/** The image of the cases about files: one pixel. */
export const picture: ContractFile = {
  mediaType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
}

const image: FileData = { type: 'file', name: 'moon.png', ...picture }

function takesImages({ accepts = [] }: ChatModel): boolean {
  return isAmong(image.mediaType, accepts)
}

const prompted = (file: FilePart): readonly Message[] => [
  { role: 'user', content: [{ type: 'text', text: 'What is this?' }, file] },
]

const shown: readonly Message[] = [
  ...question.messages,
  { role: 'assistant', content: '', toolCalls: [{ id: 'call_1', name: 'look', args: { topic: 'moon' } }] },
  {
    role: 'tool',
    toolCallId: 'call_1',
    toolName: 'look',
    content: [{ type: 'text', text: '{"picture":"[file \\"moon.png\\", image/png]"}' }, image],
  },
]

const drawn: readonly Message[] = [
  ...question.messages,
  { role: 'assistant', content: [{ type: 'text', text: 'I have drawn it.' }, image] },
  { role: 'user', content: 'What is it?' },
]

function taken(name: string, messages: readonly Message[]): readonly Plan[] {
  return eitherWay({
    name,
    replies: [{ text: 'The moon.' }],
    async check(model, isStreaming, server) {
      if (!takesImages(model)) return
      const { reply } = await ask(model, { ...question, messages }, isStreaming)
      expectEqual(reply.text, 'The moon.', 'the text')
      expectThat(
        server.received?.().includes(image.data) ?? true,
        'the server to receive the bytes of the file',
      )
    },
  })
}

export const filePlans: readonly Plan[] = [
  ...taken('takes an image in a message of the user', prompted(image)),
  ...taken('takes an image in the result of a tool', shown),
  ...taken('takes an image in an answer of another model', drawn),
  {
    name: 'does not take a reference to a file: only the troupe can read it',
    replies: [{ text: 'The moon.' }],
    async check(model) {
      if (!takesImages(model)) return
      const reference: FilePart = { type: 'file', mediaType: 'image/png', ref: 'a1b2' }
      const error = await ask(model, { ...question, messages: prompted(reference) }, false).then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      expectThat(error instanceof Error && !(error instanceof RetryableError), 'the call to reject for good')
    },
  },
]
