/** The conversation of an agent after its decisions: shorter where one was made shorter, and never less than what was added. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { textOf, type Message } from 'troupe'
import { AppendLog } from '../../../src/actors/values/append-log.ts'
import { noUsage } from '../../../src/actors/usage.ts'
import type { DecisionOutput } from '../../../src/machines/contract/reports.ts'
import { summaryMessage } from '../../../src/machines/compaction/part.ts'
import { initialContext, type LoopContext } from '../../../src/machines/loop/changes/context.ts'
import { windowAfter } from '../../../src/machines/loop/changes/window.ts'
import { longInput, loopInput } from '../suites/loop-outcomes.ts'

const said = (content: string): Message => ({ role: 'assistant', content })

function contextOf(messages: AppendLog<Message>): LoopContext {
  return { ...(initialContext(longInput()) as LoopContext), messages }
}

function decided(before: AppendLog<Message>, after: AppendLog<Message>, scale = 2): DecisionOutput {
  const window = { before, after, usage: noUsage, scale }
  return { kind: 'decision', decision: 'made', usage: noUsage, replies: 1, window }
}

function take(context: LoopContext, decision: DecisionOutput): LoopContext {
  return { ...context, ...windowAfter(context, decision) }
}

/** All but the last message become a summary. */
function shortened(messages: AppendLog<Message>, text: string): AppendLog<Message> {
  return AppendLog.of([summaryMessage(text), ...messages.toArray().slice(-1)])
}

const texts = (messages: AppendLog<Message>) => messages.toArray().map(({ content }) => textOf(content))

describe('the conversation after a decision', () => {
  test('stays the same list where the decision has written no summary', () => {
    const messages = AppendLog.of([said('a'), said('b')])
    const after = take(contextOf(messages), decided(messages, messages))
    expect(after.messages).toBe(messages)
    expect(after.measured.scale).toBe(2)
  })

  test('is untouched, and so is the scale, without the option', () => {
    const context = initialContext(loopInput()) as LoopContext
    const report: DecisionOutput = { kind: 'decision', decision: 'made', usage: noUsage, replies: 1 }
    expect(windowAfter(context, report)).toEqual({})
  })

  test('of two decisions that have made the same messages shorter, the first counts', () => {
    const messages = AppendLog.of([said('a'), said('b'), said('c')])
    const first = take(contextOf(messages), decided(messages, shortened(messages, 'first'), 2))
    const second = take(first, decided(messages, shortened(messages, 'second'), 3))
    expect(second.messages).toBe(first.messages)
    expect(second.measured.scale).toBe(3)
  })
})

type Act =
  | { readonly type: 'says'; readonly text: string }
  | { readonly type: 'asks' }
  | { readonly type: 'reports'; readonly which: number; readonly shortens: boolean }

const acts: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('says' as const), text: fc.string({ minLength: 1 }) }),
    fc.record({ type: fc.constant('asks' as const) }),
    fc.record({ type: fc.constant('reports' as const), which: fc.nat(3), shortens: fc.boolean() }),
  ),
  { maxLength: 30 },
)

test('under any order of decisions, side by side, each message is told, once, or is in one summary', () => {
  fc.assert(
    fc.property(acts, (order) => {
      let context = contextOf(AppendLog.of([said('#0#')]))
      let count = 1
      const asked: AppendLog<Message>[] = []
      for (const act of order) {
        if (act.type === 'says') {
          context = { ...context, messages: context.messages.append(said(`#${count++}#`)) }
        } else if (act.type === 'asks') {
          asked.push(context.messages)
        } else {
          const [before] = asked.splice(act.which % Math.max(1, asked.length), 1)
          if (before === undefined) continue
          const gone = texts(before).slice(0, -1).join('')
          context = take(context, decided(before, act.shortens ? shortened(before, gone) : before))
        }
      }
      const told = Array.from(
        texts(context.messages)
          .join('')
          .matchAll(/#(\d+)#/g),
        ([, id]) => Number(id),
      )
      expect(told).toEqual(Array.from({ length: count }, (_, id) => id))
    }),
  )
})
