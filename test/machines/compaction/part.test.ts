/** The messages that a summary replaces, and those that stay. */
import { describe, expect, test } from 'vitest'
import { AppendLog } from '../../../src/actors/values/append-log.ts'
import type { Message } from '../../../src/actors/message.ts'
import { isShorter, partOf, replaced, summaryMessage } from '../../../src/machines/compaction/part.ts'

const long = 'x'.repeat(400) // 100 estimated tokens

const system: Message = { role: 'system', content: 'Lead.' }
const task: Message = { role: 'user', content: 'Write.' }
const says = (content: string): Message => ({ role: 'assistant', content })
const calls = (...ids: string[]): Message => ({
  role: 'assistant',
  content: '',
  toolCalls: ids.map((id) => ({ id, name: 'look', args: {}, providerData: { signature: id } })),
  provider: 'gemini',
  providerData: { thought: 'sealed' },
})
const found = (id: string, content = long): Message => ({
  role: 'tool',
  toolCallId: id,
  toolName: 'look',
  content,
})
const internal = (purpose: 'feedback' | 'notice' | 'scoring' | 'summary', content: string): Message => ({
  role: 'user',
  content,
  internal: purpose,
})

function positions(messages: readonly Message[], limits: { target: number; part?: number }) {
  return partOf(AppendLog.of(messages), { part: 10_000, ...limits })?.positions
}

const step = (id: string): Message[] => [calls(id), found(id)]

describe('the part that goes', () => {
  test('is older than the last messages, which have half of the room', () => {
    const conversation = [system, task, ...step('a'), ...step('b'), ...step('c'), ...step('d')]
    expect(positions(conversation, { target: 300 })).toEqual([2, 3, 4, 5, 6, 7])
    expect(positions(conversation, { target: 440 })).toEqual([2, 3, 4, 5])
  })

  test('holds the last messages too where they leave no room for a summary', () => {
    const conversation = [system, task, ...step('a'), ...step('b')]
    expect(positions(conversation, { target: 150 })).toEqual([2, 3])
    expect(positions(conversation, { target: 130 })).toEqual([2, 3, 4, 5])
  })

  test('never parts a call and its results', () => {
    const conversation = [system, task, calls('a', 'b'), found('a'), found('b'), says('So.')]
    for (const target of [0, 50, 110, 160, 210, 300]) {
      const gone = positions(conversation, { target }) ?? []
      expect([[2, 3, 4], [2, 3, 4, 5], []]).toContainEqual([...gone])
    }
  })

  test('holds the oldest messages alone where all are too many for one summary', () => {
    const conversation = [system, task, ...step('a'), ...step('b'), ...step('c')]
    expect(positions(conversation, { target: 0, part: 120 })).toEqual([2, 3])
    expect(positions(conversation, { target: 0, part: 220 })).toEqual([2, 3, 4, 5])
  })

  test('holds at least one message that is no summary', () => {
    const conversation = [system, task, internal('summary', long), ...step('a')]
    expect(positions(conversation, { target: 0, part: 1 })).toEqual([2, 3, 4])
    expect(positions([system, task, internal('summary', long)], { target: 0 })).toBeUndefined()
  })

  test('holds the history before the task', () => {
    const conversation = [
      system,
      { role: 'user', content: 'Hello.', internal: 'notice' } as const,
      says(long),
      task,
    ]
    expect(positions(conversation, { target: 0 })).toEqual([1, 2])
  })

  test('leaves system prompt and task', () => {
    expect(positions([system, task], { target: 0 })).toBeUndefined()
    expect(positions([task, says('Hm.')], { target: 0 })).toEqual([1])
  })

  test('has no data of a provider', () => {
    const part = partOf(AppendLog.of([system, task, ...step('a')]), { target: 0, part: 1_000 })
    expect(part?.messages.toArray()).toEqual([
      { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'look', args: {} }] },
      found('a'),
    ])
  })
})

describe('feedback', () => {
  const asked = internal('feedback', 'Shorter.')
  const scored = internal('scoring', 'A source is missing.')

  test('stays until the next answer', () => {
    const conversation = [system, task, ...step('a'), asked, scored, ...step('b')]
    expect(positions(conversation, { target: 100 })).toEqual([2, 3, 6, 7])
    expect(positions([...conversation, says('Done.')], { target: 100 })).toEqual([2, 3, 4, 5, 6, 7])
  })

  test('stays up to a share, the newest of it', () => {
    const conversation = [system, task, internal('feedback', long), ...step('a'), asked, ...step('b')]
    expect(positions(conversation, { target: 100 })).toEqual([2, 3, 4, 6, 7])
  })

  test('a notice stays where it is the last message', () => {
    const notice = internal('notice', 'This is your last turn.')
    expect(positions([system, task, ...step('a'), notice], { target: 100 })).toEqual([2, 3])
    expect(positions([system, task, notice, ...step('a')], { target: 50 })).toEqual([2, 3, 4])
  })
})

describe('the summary', () => {
  test('stands where the last of the messages has stood', () => {
    const history = says('Earlier.')
    const conversation = AppendLog.of([system, history, task, ...step('a'), ...step('b')])
    const before = partOf(conversation, { target: 300, part: 1 })
    if (before === undefined) throw new Error('There is a part.')
    expect(replaced(conversation, before, 'So far.').toArray()).toEqual([
      system,
      summaryMessage('So far.'),
      task,
      ...step('a'),
      ...step('b'),
    ])
    const all = partOf(conversation, { target: 0, part: 1_000 })
    if (all === undefined) throw new Error('There is a part.')
    expect(replaced(conversation, all, 'So far.').toArray()).toEqual([
      system,
      task,
      summaryMessage('So far.'),
    ])
  })

  test.each([
    ['The sea.', true],
    ['', false],
    [' \n', false],
    [long, false],
  ])('counts where it is shorter than the messages: %j', (text, counts) => {
    const part = partOf(AppendLog.of([system, task, says(long)]), { target: 0, part: 1_000 })
    if (part === undefined) throw new Error('There is a part.')
    expect(isShorter(part, text)).toBe(counts)
  })
})
