/** Each kind of effect by what drawings, spans and ends by force call it: an effect of an adapter is never taken for another. */
import { createTroupe, memoryStore, type ObservedEffect } from 'troupe'
import { defineChartAgent, defineEffect } from 'troupe/kit'
import { toMermaid } from 'troupe/diagram'
import { otel } from 'troupe/otel'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { createMachine, fromPromise, setup, type AnyActorLogic, type AnyStateMachine } from 'xstate'
import { effect } from '../../src/actors/effects/effect.ts'
import type { EffectKind } from '../../src/actors/effects/effect-names.ts'
import { leftWork } from '../../src/runtime/journal/left-work.ts'
import type { JournalEntry } from '../../src/runtime/journal/journal.ts'
import type { LeftWork } from '../../src/machines/contract/events.ts'
import { checkMermaid } from '../diagram/mermaid-grammar.ts'
import { Telemetry } from '../otel/telemetry.ts'

const telemetry = new Telemetry()
beforeEach(() => telemetry.forget())
afterAll(() => telemetry.close())

interface Told {
  /** Below the name of the state that invokes it. */
  readonly drawn: string
  /** `undefined`: it has no span of its own. */
  readonly span: string | undefined
  /** Where a run that is ended by force was at it. */
  readonly left: LeftWork['kind']
}

const lookUp = defineEffect({ name: 'look up: "it"', perform: () => null })

/** No other kind than `tool`, `remote` and `custom` has its start on record. */
const kinds: Readonly<Record<EffectKind, Told>> = {
  model: { drawn: 'model', span: 'chat m', left: 'tool' },
  compaction: { drawn: 'compaction', span: 'chat m', left: 'tool' },
  tool: { drawn: 'tool', span: 'execute_tool p/m', left: 'tool' },
  hook: { drawn: 'hook', span: undefined, left: 'tool' },
  scorer: { drawn: 'scorer', span: undefined, left: 'tool' },
  signal: { drawn: 'signal', span: undefined, left: 'tool' },
  memory: { drawn: 'memory', span: undefined, left: 'tool' },
  agent: { drawn: 'agent', span: undefined, left: 'tool' },
  remote: { drawn: 'remote', span: undefined, left: 'remote' },
  config: { drawn: 'config', span: undefined, left: 'tool' },
  timer: { drawn: 'timer', span: undefined, left: 'tool' },
  custom: { drawn: 'custom look up#58; #34;it#34;', span: 'perform_effect p/m', left: 'custom' },
}

const table = Object.entries(kinds) as [EffectKind, Told][]

test.each(table)('a drawing of %s', (kind, { drawn }) => {
  const logic: AnyActorLogic = kind === 'custom' ? lookUp : effect(kind)
  const machineOf = (src: AnyActorLogic | string): AnyStateMachine => {
    const states = { at: { invoke: { src, onDone: 'done' } }, done: { type: 'final' } } as const
    return createMachine({ initial: 'at', states }).provide({ actors: { it: logic } })
  }
  for (const src of ['it', logic]) {
    const diagram = toMermaid(machineOf(src), { effects: true })
    checkMermaid(diagram)
    expect(diagram).toContain(`state "at<br>${drawn}" as at`)
    expect(toMermaid(machineOf(src))).not.toContain('<br>')
  }
})

test('a drawing names an effect of an adapter that has no other name, and each kind once', () => {
  const inline = createMachine({
    initial: 'at',
    states: {
      at: {
        invoke: [
          { src: lookUp, onDone: 'done', onError: 'failed' },
          { id: 'own', src: lookUp },
          { src: fromPromise(() => Promise.resolve(1)) },
          { src: 'nowhere' },
        ],
      },
      done: { type: 'final' },
      failed: { type: 'final' },
    },
  })
  const diagram = toMermaid(inline, { effects: true })
  expect(diagram.match(/state "at.*/)?.[0]).toBe('state "at<br>custom look up#58; #34;it#34;" as at')
  expect(diagram).toContain('at --> done : look up #34;it#34; done')
  expect(diagram).toContain('at --> failed : look up #34;it#34; failed')
})

test.each(table.filter(([kind]) => kind !== 'signal' && kind !== 'timer'))(
  'the span of %s',
  async (kind, told) => {
    const observed: ObservedEffect = {
      kind: kind as ObservedEffect['kind'],
      name: 'p/m',
      runId: 'r',
      agent: 'a',
      path: 'a',
      key: 'a/x#1',
      attempt: 2,
      conversationId: 'c',
      input: {},
    }
    const { around } = otel()
    await around?.(observed, () => Promise.resolve(null))
    const failure = new Error('closed')
    const perform = (): Promise<never> => Promise.reject(failure)
    await expect(around?.(observed, perform)).rejects.toBe(failure)
    const [whole, failed, ...more] = telemetry.spans
    expect(more).toEqual([])
    expect(whole?.name).toBe(told.span)
    expect(failed?.name).toBe(told.span)
    if (told.span === undefined) return
    expect(whole?.attributes).toMatchObject({
      'troupe.run.id': 'r',
      'troupe.path': 'a',
      'troupe.attempt': 2,
      'gen_ai.agent.name': 'a',
      'gen_ai.conversation.id': 'c',
    })
    expect(failed?.attributes['error.type']).toBeDefined()
    expect(whole?.attributes['error.type']).toBeUndefined()
    const own = { 'troupe.effect.kind': 'custom', 'troupe.effect.name': 'p/m' }
    if (kind === 'custom') expect(whole?.attributes).toMatchObject(own)
    else expect(whole?.attributes).not.toHaveProperty(['troupe.effect.kind'])
    expect('gen_ai.operation.name' in (whole?.attributes ?? {})).toBe(kind !== 'custom')
  },
)

test.each(table)('%s that was under way at an end by force', (kind, { left }) => {
  const started = { type: 'effect.started', at: 1, key: 'a/call:1/it#1', kind } as JournalEntry
  const settled = { type: 'effect.settled', at: 2, key: 'a/call:1/it#1', kind, settlement: { value: null } }
  expect(leftWork([started])).toEqual([{ kind: left, path: 'a/call:1', key: 'a/call:1/it#1' }])
  expect(leftWork([started, settled as unknown as JournalEntry])).toEqual([])
})

test('in a run: its span is below that of its agent and above what it does, and its forced end names it', async () => {
  const begun = Promise.withResolvers<void>()
  const order = defineEffect({
    name: 'order',
    once: true,
    perform: () => {
      begun.resolve()
      return new Promise<string>(() => undefined)
    },
  })
  const quote = defineEffect({ name: 'quote', perform: () => 42 })
  const chart = setup({ actors: { order, quote } }).createMachine({
    initial: 'quoting',
    states: {
      quoting: { invoke: { src: 'quote', input: null, onDone: 'ordering' } },
      ordering: { invoke: { id: 'order', src: 'order', input: null, onDone: 'done' } },
      done: { type: 'final' },
    },
  })
  const agent = defineChartAgent({ id: 'broker', description: 'Buys.', chart: () => chart })
  const store = memoryStore()
  const first = createTroupe({ agents: [agent], store, around: otel() })
  const run = await first.start(agent, 'Buy', { runId: 'r' })
  void run.result.catch(() => undefined)
  await begun.promise
  await first.close()
  await expect.poll(() => telemetry.open).toEqual([])
  const { spans } = telemetry
  const parentOf = (name: string) => {
    const parent = spans.find((span) => span.name === name)?.parentSpanContext?.spanId
    return spans.find((span) => span.spanContext().spanId === parent)?.name
  }
  expect(parentOf('perform_effect quote')).toBe('invoke_agent broker')
  expect(parentOf('perform_effect order')).toBe('invoke_agent broker')
  expect(spans.filter(({ name }) => name.startsWith('execute_tool'))).toEqual([])
  const second = createTroupe({ agents: [agent], store })
  await second.cancel('r', 'Enough.', { force: true })
  const left = [{ kind: 'custom', path: 'broker/chart:1', key: 'broker/chart:1/order#1' }]
  expect((await second.journal('r')).at(-1)).toMatchObject({ outcome: 'cancelled', forced: true, left })
  await second.close()
})
