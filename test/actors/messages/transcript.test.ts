import { expect, test } from 'vitest'
import type { Message } from '../../../src/actors/message.ts'
import { transcriptOf } from '../../../src/actors/messages/transcript.ts'

const conversation: readonly Message[] = [
  { role: 'system', content: 'Lead.' },
  { role: 'user', content: 'Write.' },
  { role: 'user', content: 'Shorter.', internal: 'feedback' },
  { role: 'user', content: 'A source is missing.', internal: 'scoring' },
  { role: 'user', content: 'A task has ended.', internal: 'notice' },
  { role: 'user', content: 'Two pages.', internal: 'summary' },
  {
    role: 'assistant',
    content: 'I look.',
    toolCalls: [
      { id: 'a', name: 'look', args: { q: 'sea' } },
      { id: 'b', name: 'look', args: null, malformed: '{q' },
    ],
  },
  { role: 'tool', toolCallId: 'a', toolName: 'look', content: 'Salt.' },
  { role: 'tool', toolCallId: 'b', toolName: 'look', content: 'No.', isError: true },
]

test('a conversation as text', () => {
  expect(transcriptOf(conversation, 1_000)).toBe(
    [
      'System: Lead.',
      'User: Write.',
      'Feedback: Shorter.',
      'Feedback: A source is missing.',
      'Notice: A task has ended.',
      'Summary of earlier messages: Two pages.',
      'Assistant: I look.\nCalls look: {"q":"sea"}\nCalls look: {q',
      'Result of look: Salt.',
      'Result of look (error): No.',
    ].join('\n\n'),
  )
})

test('only the longest messages are cut, in their middle', () => {
  const long = `begin ${'x'.repeat(1_000)} end`
  const text = transcriptOf(
    [
      { role: 'user', content: 'Write.' },
      { role: 'assistant', content: long },
      { role: 'assistant', content: long.toUpperCase() },
    ],
    200,
  )
  const [first, second, third] = text.split('\n\n')
  expect(first).toBe('User: Write.')
  expect(second).toMatch(/^Assistant: begin x+ \[\d+ characters left out\] x+ end$/)
  expect(third).toMatch(/^Assistant: BEGIN X+ \[\d+ characters left out\] X+ END$/)
  expect(text.length).toBeLessThan(300)
  const left = /\[(\d+) characters/.exec(second ?? '')?.[1]
  const kept = (second ?? '').replace(/ \[\d+ characters left out\] /, '').length
  expect(kept + Number(left)).toBe(`Assistant: ${long}`.length)
})
