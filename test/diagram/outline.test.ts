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

  test('leaves out guards that do not change where an event leads', () => {
    const machine = createMachine({
      initial: 'a',
      states: {
        a: { on: { go: [{ guard: 'isX', target: 'b' }, { target: 'b' }] } },
        b: {
          on: {
            go: [{ guard: 'isX', target: 'c' }, { guard: 'isY', target: 'a' }, { target: 'a' }],
            run: [{ guard: 'isX', target: 'a' }, { guard: 'isY', target: 'c' }, { target: 'a' }],
          },
        },
        c: { on: { go: [{ guard: 'isX' }, { guard: 'isY', target: 'a' }, { target: 'a' }] } },
      },
    })
    expect(outline(machine)).toEqual([
      '[*] --> a',
      'a --> b : go',
      'b --> c : go [isX]<br>run [isY]',
      'b --> a : go [else]<br>run [isX]<br>run [else]',
      'c --> a : go [else]', // not where the guard isX holds
    ])
  })

  test('keeps guards where the actions are shown and differ', () => {
    const machine = createMachine({
      initial: 'a',
      states: { a: { on: { go: [{ guard: 'isX', target: 'b', actions: 'tell' }, { target: 'b' }] } }, b: {} },
    })
    expect(toMermaid(machine, { depth: 1, actions: true })).toContain(
      'a --> b : go [isX] / tell<br>go [else]\n',
    )
  })

  test('counts a transition without event and guard beside others', () => {
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
    expect(outline(machine)).toEqual(['[*] --> a', 'a --> b : skip<br>… and 1 more', 'b --> c'])
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
      on: { cancel: '.cancelled', stop: { guard: 'isX', target: '.cancelled' } },
      states: {
        a: { on: { next: 'b', cancel: { guard: 'isX', target: 'cancelled', actions: 'tidy' } } },
        b: {
          on: {
            stop: [
              { guard: 'isX', target: 'cancelled' },
              { guard: 'isY', target: 'cancelled' },
            ],
          },
        },
        cancelled: {},
      },
    })
    expect(outline(machine)).toEqual([
      '[*] --> a',
      'a --> b : next',
      'b --> cancelled : stop [isY]', // any state needs another guard
      'state "any other state,<br>unless it handles<br>the event differently" as any',
      'any --> cancelled : cancel<br>stop [isX]',
    ])
  })

  describe('names "any state"', () => {
    const titleOf = (states: object, on: object = { cancel: '.ending' }) => {
      const machine = createMachine({ initial: 'a', on, states: { a: {}, ending: {}, ...states } })
      return outline(machine).find((line) => line.startsWith('state "any'))
    }
    const other = 'state "any other state" as any'
    const unless = 'state "any other state,<br>unless it handles<br>the event differently" as any'

    test('"any other state" where it leads to a state inside', () => {
      expect(titleOf({})).toBe(other)
    })

    test('"any state" where it leads outside', () => {
      const machine = createMachine({
        initial: 'a',
        states: { a: { initial: 'x', on: { end: 'b' }, states: { x: { on: { go: 'y' } }, y: {} } }, b: {} },
      })
      expect(toMermaid(machine, { inside: 'a', depth: 1 })).toContain('state "any state" as any_a\n')
    })

    test('with an exception where a state inside handles the event differently', () => {
      expect(titleOf({ b: { on: { cancel: {} } } })).toBe(unless)
      expect(titleOf({ b: { on: { cancel: 'a' } } })).toBe(unless)
      expect(titleOf({ b: { on: { '*': 'a' } } })).toBe(unless)
      expect(titleOf({ b: { initial: 'c', states: { c: { on: { cancel: 'd' } }, d: {} } } })).toBe(unless)
      expect(titleOf({ b: { on: { cancel: [{ guard: 'isX', target: 'ending' }, {}] } } })).toBe(unless)
      expect(titleOf({ b: { on: { 'time.*': 'a' } } }, { 'time.up': '.ending' })).toBe(unless)
    })

    test('without an exception where a state inside handles the event alike, or another event', () => {
      expect(titleOf({ b: { on: { cancel: 'ending' } } })).toBe(other)
      expect(titleOf({ b: { on: { cancel: { guard: 'isX', target: 'ending' } } } })).toBe(other)
      expect(titleOf({ b: { on: { go: 'a' } } })).toBe(other)
      expect(titleOf({ b: { on: { 'timer.*': 'a' } } }, { 'time.up': '.ending' })).toBe(other)
    })

    test('"any state" in a drawing of all transitions', () => {
      const machine = createMachine({
        initial: 'a',
        on: { cancel: '.b' },
        states: { a: {}, b: { on: { cancel: {} } } },
      })
      expect(toMermaid(machine)).toContain('  b --> b : cancel (ignored)\n  state "any state" as any\n')
    })
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

  test('draws a way with a guard of its own beside that of any state', () => {
    const machine = createMachine({
      initial: 'a',
      on: { report: { guard: 'bailsLater', target: '.bailing' } },
      states: {
        a: { on: { next: 'b' }, always: { guard: 'bails', target: 'bailing' } },
        b: { on: { report: { guard: 'bailsLater', target: 'bailing' }, next: 'a' } },
        bailing: {},
      },
    })
    expect(overview(machine)).toEqual([
      '[*] --> a',
      'a --> b : next',
      'a --> bailing : [bails]',
      'b --> a : next',
      'state "any other state" as any',
      'any --> bailing : [bailsLater]',
    ])
  })

  test('leaves out ways between two states that any state leads to', () => {
    const machine = createMachine({
      initial: 'a',
      on: { cancel: '.cancelling', expire: '.expiring', reset: '.a' },
      states: {
        a: { on: { stop: 'cancelling', next: 'ending' } },
        expiring: { on: { expired: 'ending' }, always: { guard: 'isOff', target: 'cancelling' } },
        cancelling: { on: { late: 'expiring' } },
        ending: {},
      },
    })
    expect(overview(machine)).toEqual([
      '[*] --> a',
      'a --> cancelling : stop', // the machine starts here
      'a --> ending : next',
      'expiring --> ending : expired',
      'cancelling --> expiring : late', // the only way out
      'state "any other state" as any',
      'any --> cancelling : cancel',
      'any --> expiring : expire',
      'any --> a : reset',
    ])
  })

  test('draws what several states do for an event from each of them', () => {
    const working = (next: string) => ({ on: { cancel: 'cancelled', go: next } })
    const machine = createMachine({
      initial: 'a',
      states: { a: working('b'), b: working('c'), c: working('d'), d: {}, cancelled: {} },
    })
    expect(overview(machine)).toEqual(
      expect.arrayContaining([
        'a --> cancelled : cancel',
        'b --> cancelled : cancel',
        'c --> cancelled : cancel',
      ]),
    )
  })

  describe('draws final states as one box', () => {
    const finals = {
      done: { type: 'final' },
      stopped: { type: 'final' },
      failed: { type: 'final' },
    } as const
    const endsAs = (outcome: string) => ({
      guard: { type: 'endsAs', params: { outcome } },
      target: outcome,
    })

    test('without a label that repeats their names', () => {
      const machine = createMachine({
        initial: 'settling',
        states: {
          settling: {
            always: [endsAs('done'), { guard: 'isStopped', target: 'stopped' }, { target: 'failed' }],
          },
          ...finals,
        },
      })
      expect(overview(machine)).toEqual([
        '[*] --> settling',
        'settling --> done:::final',
        'state "done<br>stopped<br>failed" as done',
        'classDef final stroke-width:3px',
      ])
    })

    test('only where the same states lead to them', () => {
      const machine = createMachine({
        initial: 'a',
        states: {
          a: { on: { next: 'settling', fail: 'failed' } },
          settling: { always: [endsAs('done'), endsAs('stopped'), { target: 'failed' }] },
          ...finals,
        },
      })
      expect(overview(machine)).toEqual([
        '[*] --> a',
        'a --> settling : next',
        'a --> failed:::final : fail',
        'settling --> done:::final',
        'settling --> failed:::final : [else]',
        'state "done<br>stopped" as done',
        'classDef final stroke-width:3px',
      ])
    })

    test('only where the labels are equal or repeat their names', () => {
      const machine = createMachine({
        initial: 'a',
        states: {
          a: {
            initial: 'x',
            on: { timeout: 'failed' },
            states: {
              x: { on: { halt: '#done', go: 'y' } },
              y: { on: { halt: '#stopped' }, always: { guard: 'hasFailed', target: '#failed' } },
            },
          },
          done: { id: 'done', type: 'final' },
          stopped: { id: 'stopped', type: 'final' },
          failed: { id: 'failed', type: 'final' },
        },
      })
      expect(overview(machine)).toEqual([
        '[*] --> a',
        'a --> failed:::final : timeout<br>[hasFailed]',
        'a --> done:::final : halt',
        'state "done<br>stopped" as done',
        'classDef final stroke-width:3px',
      ])
    })
  })

  test('marks final states with a border, but those inside a box, or without an arrow, as Mermaid does', () => {
    const machine = createMachine({
      initial: 'a',
      states: {
        a: { on: { go: 'b', end: 'ended' } },
        b: { initial: 'x', states: { x: { on: { go: 'y' } }, y: { type: 'final' } }, onDone: 'ended' },
        lost: { type: 'final' },
        ended: { type: 'final' },
      },
    })
    expect(toMermaid(machine, { overview: true })).toBe(`stateDiagram-v2
  [*] --> a
  a --> b : go
  a --> ended:::final : end
  state b {
    [*] --> x
    x --> y : go
    y --> [*]
  }
  b --> ended:::final : done
  lost --> [*]
  classDef final stroke-width:3px
`)
  })

  test('marks a final state that only an arrow from outside leads to', () => {
    const machine = createMachine({
      initial: 'a',
      states: {
        a: { on: { skip: '#end', go: 'b' } },
        b: { initial: 'x', states: { x: {}, y: { id: 'end', type: 'final' } } },
      },
    })
    const diagram = toMermaid(machine, { inside: 'b', overview: true })
    checkMermaid(diagram)
    expect(diagram).toBe(`stateDiagram-v2
  [*] --> x
  [*] --> y:::final : skip
  classDef final stroke-width:3px
`)
  })

  test('names guards without their events', () => {
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
      'a --> c : answer [else]',
      'a --> d : ask',
      'c --> b : [isY]',
      'c --> d : [else]',
    ])
  })

  test('keeps a guard where the source handles the event in other ways', () => {
    const machine = createMachine({
      initial: 'running',
      states: {
        running: {
          on: {
            report: [{ guard: 'isHandedOff', actions: 'start' }, { target: 'reviewing' }],
            end: 'reviewing',
          },
        },
        reviewing: {},
      },
    })
    expect(overview(machine)).toEqual(['[*] --> running', 'running --> reviewing : report [else]<br>end'])
  })

  test('has two lines of labels where six arrows lead to one state, and three elsewhere', () => {
    const step = (next: string) => ({ on: { [`to ${next}`]: next, [`end before ${next}`]: 'ending' } })
    const many = { on: { one: 'ending', two: 'ending', three: 'ending' } }
    const few = { a: step('b'), b: step('c'), c: step('d'), d: step('e'), e: many }
    const machineOf = (states: object) =>
      createMachine({ initial: 'a', states: { ...states, ending: { on: { again: 'a' } } } })

    expect(overview(machineOf(few))).toContain('e --> ending : one<br>two<br>three')
    expect(overview(machineOf({ ...few, f: step('e') }))).toEqual(
      expect.arrayContaining([
        'a --> ending : end before b',
        'e --> ending : one<br>… and 2 more',
        'ending --> a : again',
      ]),
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
