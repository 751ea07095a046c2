/** How a workflow closes its questions: by the durable promise of each, before the entry that ends it. */
import { TerminalError, type RestatePromise, type WorkflowContext } from '@restatedev/restate-sdk'
import { describe, expect, test } from 'vitest'
import { OpenSignals } from '../../src/runtime/state/signals/open-signals.ts'
import type { Appender } from '../../src/runtime/journal/committer.ts'
import type { JournalEntry } from '../../src/runtime/journal/journal.ts'
import type { QuestionEnd, Said } from '../../src/restate/wire/wire.ts'
import { AwaitedSignals } from '../../src/restate/worker/awaited-signals.ts'
import { QuestionClosing } from '../../src/restate/worker/question-closing.ts'
import { Race, type Act } from '../../src/restate/worker/race.ts'
import { WorkflowClock } from '../../src/restate/worker/workflow-clock.ts'
import { WorkflowInbox } from '../../src/restate/worker/workflow-inbox.ts'

/** A race whose promises are settled by hand, by their names. */
class HandRace extends Race {
  readonly #acts = new Map<string, Act<unknown>>()

  override add<Value>(promise: RestatePromise<Value>, act: Act<Value>): () => void {
    const { name } = promise as object as { readonly name: string }
    this.#acts.set(name, act as Act<unknown>)
    return () => void this.#acts.delete(name)
  }

  settle(name: string, value?: QuestionEnd, failure?: TerminalError): void {
    const act = this.#acts.get(name)
    if (act === undefined) throw new Error(`Nothing waits for "${name}", but for ${this.names.join(', ')}.`)
    this.#acts.delete(name)
    act(value, failure)
  }

  get names(): readonly string[] {
    return [...this.#acts.keys()].toSorted((a, b) => a.localeCompare(b))
  }
}

const appender = {} as Appender
const question = (call: string) => `solo/${call}/signal:approval#1`
const timer = (call: string): JournalEntry => ({
  type: 'timer.fired',
  at: 0,
  key: `solo/${call}/timer:approval#1`,
  digest: '',
  dueAt: 0,
})
const cancel: JournalEntry = {
  type: 'signal.received',
  at: 0,
  signal: { type: 'cancel', reason: 'Enough.' },
}
const outcome: JournalEntry = {
  type: 'effect.settled',
  at: 0,
  key: 'solo/call:1.9/tool#1',
  kind: 'tool',
  digest: '',
  startedAt: 0,
  settlement: { value: 1 },
}
const end: JournalEntry = {
  type: 'run.settled',
  at: 0,
  outcome: 'bailed',
  text: '',
  usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
}

/** A workflow with these open questions. */
function workflow(...calls: readonly string[]) {
  const signals = new OpenSignals()
  const asked = (call: string) => ({
    id: `solo/${call}`,
    type: 'approval' as const,
    agent: 'solo',
    toolName: 'remove',
    args: {},
  })
  for (const call of calls) signals.open(question(call), asked(call), 0, 1)
  const race = new HandRace()
  const context = {
    set: () => undefined,
    promise: (name: string) => ({
      get: () => ({ name: `get ${name}` }),
      resolve: (value: QuestionEnd) => ({ name: `resolve ${name} ${JSON.stringify(value)}` }),
    }),
  } as object as WorkflowContext
  const clock = new WorkflowClock(context, race, 1_000)
  const journal: JournalEntry[] = []
  const turns = { append: (_: Appender, entry: JournalEntry) => void journal.push(entry) }
  const closing = new QuestionClosing({ context, race, clock, turns, conversationId: 'talk' })
  const awaited = new AwaitedSignals({
    context,
    signals: () => signals,
    closing,
    inbox: new WorkflowInbox({
      context,
      race,
      clock,
      tell: (signal) => awaited.append(appender, { type: 'signal.received', at: clock.now(), signal }),
    }),
  })
  awaited.update(appender)
  const get = (call: string) => `get answer ${question(call)}`
  const resolve = (call: string) => `resolve answer ${question(call)} {"closed":true}`
  return {
    append: (entry: JournalEntry) => awaited.append(appender, entry),
    /** The turn has ended the call without an answer. */
    ends(call: string) {
      signals.expired(question(call), asked(call))
      awaited.update(appender)
    },
    update: () => awaited.update(appender),
    answers: (call: string, said = answer(call)) => race.settle(get(call), said),
    closes: (call: string) => race.settle(resolve(call)),
    refuses: (call: string) =>
      race.settle(resolve(call), undefined, new TerminalError('It is resolved.', { errorCode: 409 })),
    get waits() {
      return race.names
    },
    get journal() {
      return journal.map((entry) => (entry.type === 'signal.received' ? entry.signal.type : entry.type))
    },
    entries: journal,
    get,
    resolve,
  }
}

function answer(call: string): Said {
  const signal = {
    type: 'answer',
    key: question(call),
    id: `solo/${call}`,
    answer: { approved: true },
  } as const
  return { at: 2_000, signal }
}

describe('a deadline', () => {
  test('waits until its own question is closed', () => {
    const it = workflow('call:1.1', 'call:1.2')
    it.append(timer('call:1.1'))
    it.append(outcome)
    expect([it.journal, it.waits]).toEqual([['effect.settled'], [it.get('call:1.2'), it.resolve('call:1.1')]])
    it.closes('call:1.1')
    expect(it.journal).toEqual(['effect.settled', 'timer.fired'])
  })

  test('comes after the answer that its question has', () => {
    const it = workflow('call:1.1')
    it.append(timer('call:1.1'))
    it.refuses('call:1.1')
    expect(it.journal).toEqual([])
    it.answers('call:1.1')
    expect(it.entries).toMatchObject([
      { type: 'signal.received', at: 2_000, conversationId: 'talk', signal: { type: 'answer' } },
      { type: 'timer.fired', at: 2_000 },
    ])
  })

  test('of an answered question is appended at once', () => {
    const it = workflow('call:1.1')
    it.answers('call:1.1')
    it.update()
    it.append(timer('call:1.1'))
    expect([it.journal, it.waits]).toEqual([['answer', 'timer.fired'], []])
  })
})

describe('a cancel', () => {
  test('waits for every question, also for one that is being closed', () => {
    const it = workflow('call:1.1', 'call:1.2')
    it.append(timer('call:1.1'))
    it.append(cancel)
    expect(it.waits).toEqual([it.resolve('call:1.1'), it.resolve('call:1.2')])
    it.closes('call:1.2')
    it.refuses('call:1.1')
    it.answers('call:1.1')
    expect(it.journal).toEqual(['answer', 'timer.fired', 'cancel'])
  })

  test('of one delegation closes none', () => {
    const it = workflow('call:1.1')
    it.append({ ...cancel, signal: { type: 'cancel', reason: 'no', delegationId: 'solo/delegation:1.2' } })
    expect([it.journal, it.waits]).toEqual([['cancel'], [it.get('call:1.1')]])
  })
})

describe('a question that an outcome has ended', () => {
  test('is closed, and an answer that was accepted before is on record', () => {
    const it = workflow('call:1.1')
    it.append(outcome)
    it.ends('call:1.1')
    expect(it.waits).toEqual([it.resolve('call:1.1')])
    it.refuses('call:1.1')
    it.answers('call:1.1')
    expect(it.journal).toEqual(['effect.settled', 'answer'])
  })

  test('is closed before the end of the run is on record', () => {
    const it = workflow('call:1.1', 'call:1.2')
    it.append(outcome)
    it.ends('call:1.1')
    it.append(end)
    it.closes('call:1.2')
    it.refuses('call:1.1')
    it.answers('call:1.1')
    expect(it.journal).toEqual(['effect.settled', 'answer', 'run.settled'])
    expect(it.waits).toEqual([])
  })
})
