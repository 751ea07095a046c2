/** Behaviour 71: An actor as the page shows it: of a long conversation the latest messages, each a message. */
import { expect, test } from 'vitest'
import type { Message } from '../../../src/actors/message.ts'
import { viewDetail } from '../../../src/inspector/files/details.ts'

const lead = { id: 'lead', path: 'lead', status: 'active', children: [] } as const
const said = (content: string): Message => ({ role: 'user', content })

test('a long conversation is shown by its latest messages, and the number of those before', () => {
  const messages = Array.from({ length: 1_500 }, (_, index) => said(`message ${index}`))
  const view = viewDetail({ ...lead, machine: 'react', context: { messages }, messages })
  expect(view.messages?.length).toBe(200)
  expect(view.messages?.at(-1)).toEqual(said('message 1499'))
  expect(view.earlier).toBe(1_300)
  expect(view.isCut).toBeUndefined()
  expect(view.context).toEqual({})
})

test('a large message is cut, and takes no place of the messages after it', () => {
  const args = { numbers: Array.from({ length: 900 }, () => Array.from({ length: 90 }, () => ({ a: [1] }))) }
  const call = { id: 'c', name: 'count', args }
  const messages: readonly Message[] = [
    { role: 'assistant', content: '', toolCalls: [call] },
    ...Array.from({ length: 20 }, (_, index) => said(`after ${index}`)),
  ]
  const view = viewDetail({ ...lead, context: {}, messages })
  expect(view.messages?.slice(1)).toEqual(messages.slice(1))
  expect(view.messages?.[0]).toMatchObject({ role: 'assistant', toolCalls: [{ id: 'c', name: 'count' }] })
  expect(view.isCut).toBe(true)
  expect(view.earlier).toBeUndefined()
})
