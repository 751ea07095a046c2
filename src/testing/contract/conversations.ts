/** Cases about a conversation: a model takes back everything that an agent may have in one. */
import type { ModelRequest } from '../../actors/chat-model.ts'
import { messageOf, signed } from '../../actors/messages/provider-data.ts'
import type { Message } from '../../actors/message.ts'
import { ask, eitherWay, look, question, type Plan } from './asking.ts'
import { expectEqual } from './check.ts'
import type { ContractReply } from './subject.ts'

const call = { id: 'call_1', name: 'look', args: { topic: 'tides' } }
const answer: ContractReply = { text: 'The moon.' }

function taken(name: string, request: Partial<ModelRequest>): readonly Plan[] {
  return eitherWay({
    name,
    replies: [answer],
    async check(model, isStreaming) {
      const { reply } = await ask(model, { ...question, ...request }, isStreaming)
      expectEqual(reply.text, answer.text, 'the text')
    },
  })
}

function calling(name: string, request: Partial<ModelRequest>): readonly Plan[] {
  return eitherWay({
    name,
    replies: [{ toolCalls: [call] }],
    async check(model, isStreaming) {
      const { reply } = await ask(model, { ...question, ...request }, isStreaming)
      expectEqual(
        reply.toolCalls.map((made) => made.name),
        [call.name],
        'the calls',
      )
    },
  })
}

/** Messages of an agent that another model, or a processor, has made. */
const foreign: readonly Message[] = [
  ...question.messages,
  { role: 'assistant', content: '', toolCalls: [{ id: 'a b/c', name: 'no such tool!', args: {} }] },
  { role: 'tool', toolCallId: 'a b/c', toolName: 'no such tool!', content: '', isError: true },
  { role: 'assistant', content: '', toolCalls: [{ id: 'm', name: 'look', args: null, malformed: '{"to' }] },
  { role: 'tool', toolCallId: 'm', toolName: 'look', content: '{"error":"No JSON."}', isError: true },
  { role: 'assistant', content: '' },
  { role: 'user', content: 'Go on.', internal: 'notice' },
  { role: 'user', content: 'And be short.', internal: 'feedback' },
]

export const conversationPlans: readonly Plan[] = [
  ...eitherWay({
    name: 'takes its own calls back with their results, step by step',
    replies: [
      { toolCalls: [call, { ...call, id: 'call_2' }] },
      { text: 'One more.', toolCalls: [{ ...call, id: 'call_3' }] },
      answer,
    ],
    async check(model, isStreaming) {
      let messages = question.messages
      for (;;) {
        const { reply } = await ask(model, { ...question, messages }, isStreaming)
        if (reply.toolCalls.length === 0) return expectEqual(reply.text, answer.text, 'the last text')
        const results = reply.toolCalls.map(({ id, name }): Message => {
          return { role: 'tool', toolCallId: id, toolName: name, content: '{"found":true}' }
        })
        messages = [...messages, messageOf(signed(reply, model), reply.toolCalls), ...results]
      }
    },
  }),
  ...taken('takes calls of unknown tools, malformed ones, failed ones and messages without text', {
    messages: foreign,
  }),
  ...taken('answers in a final turn, without tools, after calls', {
    messages: foreign,
    tools: [],
    toolChoice: 'none',
  }),
  ...calling('calls a tool where it must', { toolChoice: 'required' }),
  ...calling('calls the tool that it must call', { toolChoice: { tool: look.name } }),
  ...calling('calls a strict tool', { tools: [{ ...look, strict: true }] }),
  ...taken('answers where a shape is asked for', {
    tools: [],
    responseFormat: {
      name: 'answer',
      schema: { type: 'object', properties: {}, additionalProperties: true },
    },
  }),
  ...taken('answers where a shape is asked for beside tools', {
    tools: [look],
    responseFormat: {
      name: 'answer',
      schema: { type: 'object', properties: {}, additionalProperties: true },
    },
  }),
  {
    name: 'keeps calls that are made at the same time apart',
    replies: [{ text: 'Same.' }, { text: 'Same.' }, { text: 'Same.' }],
    async check(model) {
      const asked = await Promise.all(
        [true, false, true].map((isStreaming) => ask(model, question, isStreaming)),
      )
      for (const { reply, deltas } of asked) {
        expectEqual(reply.text, 'Same.', 'the text')
        if (deltas.length > 0) expectEqual(deltas.map(({ text }) => text).join(''), 'Same.', 'the deltas')
      }
    },
  },
]
