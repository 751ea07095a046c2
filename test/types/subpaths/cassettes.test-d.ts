/** What of cassettes must, and must not, compile. */
import type { ChatModel } from 'troupe'
import { recordModel, replayModel, scriptedModel } from 'troupe/testing'
import { expectType } from '../expect-type.ts'

const model = recordModel(scriptedModel([]), {
  cassette: undefined,
  unrecorded: 'record',
  secrets: ['12345678'],
})

export const anyModel: ChatModel = model
expectType<string>()(model.cassette())
replayModel('text', { match: ({ messages }) => messages.length })
// @ts-expect-error not one of the ways
recordModel(scriptedModel([]), { unrecorded: 'ask' })
// @ts-expect-error a cassette alone has no model to ask
replayModel('text', { unrecorded: 'record' })
// @ts-expect-error a model, not its name
recordModel('gpt-5-mini')
