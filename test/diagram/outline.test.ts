import { createMachine, type AnyStateMachine } from 'xstate'
import { describe, expect, test } from 'vitest'
import { toMermaid } from '../../src/diagram/index.ts'
import { checkMermaid } from './mermaid-grammar.ts'

/** The lines of an outline, without its head. */
function linesOf(machine: AnyStateMachine, overview: boolean): string[] {
  const diagram = toMermaid(machine, { depth: 1, overview })
  checkMermaid(diagram)
  return diagram
    .split('\n')
    .slice(1, -1)
    .map((line) => line.trim())
}

const outline = (machine: AnyStateMachine) => linesOf(machine, false)
const overview = (machine: AnyStateMachine) => linesOf(machine, true)

describe('an outline', () => {
  test('merges the transitions between two states', () => {
    const machine = createMachine({
      initial: 'a',
      states: {
        a: { on: { one: 'b', two: 'b', three: 'c', four: 'c', five: 'c', six: 'c' } },
        b: { on: { back: 'a' } },
        c: {},
      },
    })
    expect(outline(machine)).toEqual([
      '[*] --> a',
      'a --> b : one<br>two',
      'a --> c : three<br>four<br>… and 2 more',
      'b --> a : back',
    ])
  })

  test('names an event with several guards once, where there is no room for the guards', () => {
    const machine = createMachine({
      initial: 'a',
      states: {
        a: {
          on: { go: [{ guard: 'isX', target: 'b' }, { target: 'b' }] },
        },
        b: {
          on: { go: [{ guard: 'isX', target: 'a' }, { target: 'a' }], run: { guard: 'isY', target: 'a' } },
        },
      },
    })
    expect(outline(machine)).toEqual([
      '[*] --> a',
      'a --> b : go [isX]<br>go [else]',
      'b --> a : go<br>run [isY]',
    ])
  })

  test('says that one of several transitions needs no event', () => {
    const machine = createMachine({
      initial: 'a',
      states: {
        a: {
          initial: 'a1',
          states: { a1: { on: { skip: '#b', next: 'a2' } }, a2: { always: '#b' } },
        },
        b: { id: 'b', always: 'c' },
        c: {},
      },
    })
    expect(outline(machine)).toEqual(['[*] --> a', 'a --> b : skip<br>always', 'b --> c'])
  })

  test('leaves out what happens inside a state, and transitions without a target', () => {
    const machine = createMachine({
      initial: 'a',
      states: {
        a: {
          initial: 'a1',
          on: { tick: { actions: 'count' }, noise: {}, again: { target: 'a', reenter: true } },
          states: { a1: { on: { next: 'a2', leave: '#b' } }, a2: { on: { back: 'a1' } } },
        },
        b: { id: 'b' },
      },
    })
    expect(outline(machine)).toEqual(['[*] --> a', 'a --> a : again', 'a --> b : leave'])
  })

  test('leaves out what a state does as the whole machine does it', () => {
    const machine = createMachine({
      initial: 'a',
      on: { cancel: '.cancelled' },
      states: {
        a: { on: { next: 'b', cancel: { target: 'cancelled', actions: 'tidy' } } },
        b: { on: { cancel: 'a' } },
        cancelled: {},
      },
    })
    expect(outline(machine)).toEqual([
      '[*] --> a',
      'a --> b : next',
      'b --> a : cancel',
      'state "any state" as any',
      'any --> cancelled : cancel',
    ])
  })
})

describe('an overview', () => {
  test('leaves out loops', () => {
    const machine = createMachine({
      initial: 'a',
      on: { tick: { actions: 'count' } },
      states: { a: { on: { retry: 'a', next: 'b' } }, b: {} },
    })
    expect(overview(machine)).toEqual(['[*] --> a', 'a --> b : next'])
  })

  test('leaves out failures of children where a state is reached and left without them', () => {
    const machine = createMachine({
      initial: 'calling',
      states: {
        calling: { invoke: { src: 'model', onDone: 'speaking', onError: 'ending' } },
        speaking: { invoke: { src: 'voice', onDone: 'ending', onError: 'ending' } },
        ending: {},
      },
    })
    expect(overview(machine)).toEqual([
      '[*] --> calling',
      'calling --> speaking : model done',
      'speaking --> ending : voice done',
    ])
  })

  test('keeps a failure that is the only way to a state, or out of one', () => {
    const machine = createMachine({
      initial: 'calling',
      states: {
        calling: { invoke: { src: 'model', onDone: 'watching', onError: 'mending' } },
        mending: { on: { mended: 'ending' } },
        watching: { invoke: { src: 'watch', onError: 'ending' } },
        ending: {},
      },
    })
    expect(overview(machine)).toEqual([
      '[*] --> calling',
      'calling --> watching : model done',
      'calling --> mending : model failed',
      'mending --> ending : mended',
      'watching --> ending : watch failed',
    ])
  })

  test('draws all ways to a state that any state leads to once', () => {
    const machine = createMachine({
      initial: 'a',
      on: { cancel: '.cancelling', reset: '.a' },
      states: {
        a: { on: { next: 'b', 'give.up': 'cancelling' } },
        b: { on: { next: 'c', again: 'a' } },
        c: { on: { stop: 'cancelling' } },
        cancelling: { on: { cancelled: 'd' } },
        d: {},
      },
    })
    expect(overview(machine)).toEqual([
      '[*] --> a',
      'a --> b : next',
      'b --> c : next',
      'b --> a : again', // where the machine starts is no side path
      'c --> cancelling : stop', // its only arrow
      'cancelling --> d : cancelled',
      'state "any state" as any',
      'any --> cancelling : cancel<br>give.up',
      'any --> a : reset',
    ])
  })

  test('draws what three or more states do for an event from outside once', () => {
    const working = (next: string) => ({
      on: { cancel: { guard: 'isOn', target: 'cancelled' }, pause: 'paused' },
      invoke: { src: 'work', onDone: next },
    })
    const machine = createMachine({
      initial: 'a',
      states: {
        a: working('ending'),
        b: working('ending'),
        c: working('ending'),
        paused: { on: { a: 'a', b: 'b', c: 'c', cancel: 'ending' } },
        ending: {},
        cancelled: {},
      },
    })
    expect(overview(machine)).toEqual([
      '[*] --> a',
      'a --> ending : work done',
      'b --> ending : work done',
      'c --> ending : work done',
      'paused --> a : a',
      'paused --> b : b',
      'paused --> c : c',
      'paused --> ending : cancel',
      'state "several states" as several',
      'several --> cancelled : cancel',
      'several --> paused : pause',
    ])
  })

  test('draws final states that the same states lead to as one', () => {
    const machine = createMachine({
      initial: 'a',
      states: {
        a: { on: { next: 'settling', reject: 'rejected' } },
        settling: {
          always: [
            { guard: { type: 'endsAs', params: { outcome: 'done' } }, target: 'done' },
            { guard: { type: 'endsAs', params: { outcome: 'stopped' } }, target: 'stopped' },
            { target: 'rejected' },
          ],
        },
        stopped: { type: 'final' },
        done: { type: 'final' },
        rejected: { type: 'final' },
      },
    })
    expect(overview(machine)).toEqual([
      '[*] --> a',
      'a --> settling : next',
      'a --> rejected : reject',
      'settling --> stopped : [endsAs done]<br>[endsAs stopped]',
      'settling --> rejected : [else]',
      'state "stopped<br>done" as stopped',
      'stopped --> [*]',
      'rejected --> [*]',
    ])
  })

  test('names guards without their events, and events without "else"', () => {
    const machine = createMachine({
      initial: 'a',
      states: {
        a: {
          on: {
            answer: [{ guard: 'isYes', target: 'b' }, { target: 'c' }],
            ask: [{ guard: 'isX', target: 'd' }, { target: 'd' }],
          },
        },
        b: {},
        c: { always: [{ guard: 'isY', target: 'b' }, { target: 'd' }] },
        d: {},
      },
    })
    expect(overview(machine)).toEqual([
      '[*] --> a',
      'a --> b : [isYes]',
      'a --> c : answer',
      'a --> d : ask',
      'c --> b : [isY]',
      'c --> d : [else]',
    ])
  })

  test('has no labels where six arrows lead to one state', () => {
    const step = (next: string) => ({ on: { [`to ${next}`]: next, [`end before ${next}`]: 'ending' } })
    const few = { a: step('b'), b: step('c'), c: step('d'), d: step('e'), e: step('f') }
    const machineOf = (states: object) =>
      createMachine({ initial: 'a', states: { ...states, ending: { on: { again: 'a' } } } })

    expect(overview(machineOf({ ...few, f: {} }))).toContain('a --> ending : end before b')
    expect(overview(machineOf({ ...few, f: step('a') }))).toEqual(
      expect.arrayContaining(['a --> ending', 'f --> ending', 'a --> b : to b', 'ending --> a : again']),
    )
  })

  test('shows inner states where no depth is given', () => {
    const machine = createMachine({
      initial: 'a',
      states: {
        a: { initial: 'x', states: { x: { on: { go: 'y', run: 'y', skip: 'x' } }, y: { on: { go: '#b' } } } },
        b: { id: 'b' },
      },
    })
    expect(toMermaid(machine, { overview: true })).toBe(`stateDiagram-v2
  [*] --> a
  state a {
    [*] --> x
    x --> y : go<br>run
  }
  y --> b : go
  b
`)
  })
})
