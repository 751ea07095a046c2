import { and, createMachine, fromPromise, not, or, setup, stateIn } from 'xstate'
import { describe, expect, test } from 'vitest'
import { toMermaid } from '../../src/diagram/index.ts'
import { ConfigurationError } from '../../src/errors.ts'
import { checkMermaid } from './mermaid-grammar.ts'

/** Every drawing is also checked against the grammar. */
function draw(...args: Parameters<typeof toMermaid>): string {
  const diagram = toMermaid(...args)
  checkMermaid(diagram)
  return diagram
}

const nested = createMachine({
  id: 'nested',
  initial: 'working',
  states: {
    working: {
      description: 'Does the work; may be interrupted.',
      initial: 'asking',
      on: { cancel: 'cancelled' },
      states: {
        asking: {
          on: { answer: [{ guard: 'isYes', target: 'acting' }, { target: '#nested.cancelled' }], tick: {} },
        },
        acting: {
          initial: 'slow',
          onDone: '#nested.completed',
          states: {
            slow: { on: { hurry: 'fast', 'give.up': '#nested.cancelled' } },
            fast: { on: { finish: 'finished' } },
            finished: { type: 'final' },
          },
        },
      },
    },
    completed: { type: 'final' },
    cancelled: { type: 'final' },
  },
})

describe('toMermaid', () => {
  test('draws states and events', () => {
    const machine = createMachine({
      initial: 'red',
      states: {
        red: { on: { next: 'green', stop: 'off' } },
        green: { on: { next: 'red', halt: 'red', tick: { actions: 'count' }, off: {} } },
        off: { type: 'final' },
      },
    })
    expect(draw(machine)).toBe(`stateDiagram-v2
  [*] --> red
  red --> green : next
  red --> off : stop
  green --> red : next
  green --> red : halt
  green --> green : tick
  green --> green : off (ignored)
  off --> [*]
`)
  })

  test('draws always, with guards and an else', () => {
    const machine = createMachine({
      initial: 'choosing',
      states: {
        choosing: {
          always: [
            { guard: 'isTooDeep', target: 'rejected' },
            { guard: { type: 'endsAs', params: { outcome: 'failed' } }, target: 'rejected' },
            { guard: () => true, target: 'asking' },
            { target: 'passing' },
          ],
        },
        asking: { on: { answer: [{ guard: 'isYes', target: 'passing' }, { target: 'rejected' }] } },
        passing: { always: 'rejected' },
        rejected: { type: 'final' },
      },
    })
    expect(draw(machine)).toBe(`stateDiagram-v2
  [*] --> choosing
  choosing --> rejected : [isTooDeep]
  choosing --> rejected : [endsAs failed]
  choosing --> asking : [condition]
  choosing --> passing : [else]
  asking --> passing : answer [isYes]
  asking --> rejected : answer [else]
  passing --> rejected
  rejected --> [*]
`)
  })

  test('draws combinators of guards', () => {
    const machine = createMachine({
      initial: 'a',
      states: {
        a: {
          always: [
            { guard: not('isBusy'), target: 'b' },
            { guard: and(['isReady', or(['isNew', { type: 'isAbove', params: { min: 3 } }])]), target: 'b' },
            { guard: not(and(['isReady', stateIn('#late')])), target: 'b' },
          ],
        },
        b: { id: 'late' },
      },
    })
    expect(draw(machine)).toBe(`stateDiagram-v2
  [*] --> a
  a --> b : [not isBusy]
  a --> b : [isReady and (isNew or isAbove 3)]
  a --> b : [not (isReady and in late)]
`)
  })

  test('draws how invoked and spawned children end, and delays', () => {
    const machine = setup({
      actors: { chatModel: fromPromise(async () => 'text') },
      actions: { record: () => {} },
    }).createMachine({
      initial: 'thinking',
      states: {
        thinking: {
          invoke: { src: 'chatModel', id: 'model', onDone: 'acting', onError: 'failed', onSnapshot: {} },
          after: { 5000: 'failed' },
        },
        acting: {
          invoke: { src: 'chatModel', onDone: { target: 'thinking', actions: 'record' } },
          on: { 'xstate.done.actor.*': 'thinking', 'xstate.error.actor.*': 'failed', '*': 'thinking' },
        },
        failed: { type: 'final' },
      },
    })
    expect(draw(machine)).toBe(`stateDiagram-v2
  [*] --> thinking
  thinking --> acting : model done
  thinking --> failed : model failed
  thinking --> thinking : model changed (ignored)
  thinking --> failed : after 5000 ms
  acting --> thinking : child done
  acting --> failed : child failed
  acting --> thinking : any event
  acting --> thinking : chatModel done
  failed --> [*]
`)
  })

  test('draws nested states as boxes, with the arrows that cross borders outside of them', () => {
    expect(draw(nested)).toBe(`stateDiagram-v2
  [*] --> working
  state working {
    [*] --> asking
    asking --> acting : answer [isYes]
    asking --> asking : tick (ignored)
    state acting {
      [*] --> slow
      slow --> fast : hurry
      fast --> finished : finish
      finished --> [*]
    }
  }
  working --> cancelled : cancel
  asking --> cancelled : answer [else]
  acting --> completed : done
  slow --> cancelled : give.up
  completed --> [*]
  cancelled --> [*]
`)
  })

  test('lifts the arrows of hidden states to the box that hides them', () => {
    expect(draw(nested, { depth: 2 })).toBe(`stateDiagram-v2
  [*] --> working
  state working {
    [*] --> asking
    asking --> acting : answer [isYes]
  }
  working --> cancelled : cancel
  asking --> cancelled : answer [else]
  acting --> completed : done
  acting --> cancelled : give.up
  completed --> [*]
  cancelled --> [*]
`)
    expect(draw(nested, { depth: 1 })).toBe(`stateDiagram-v2
  [*] --> working
  working --> cancelled : cancel<br>answer [else]<br>give.up
  working --> completed : done
  completed --> [*]
  cancelled --> [*]
`)
  })

  test('draws lifted arrows once', () => {
    const bail = { on: { bail: '#bailed' } }
    const machine = createMachine({
      initial: 'working',
      states: { working: { initial: 'a', states: { a: bail, b: bail } }, bailed: { id: 'bailed' } },
    })
    expect(draw(machine, { depth: 1 })).toBe(`stateDiagram-v2
  [*] --> working
  working --> bailed : bail
`)
  })

  test('draws parallel regions', () => {
    const machine = createMachine({
      initial: 'running',
      states: {
        running: {
          type: 'parallel',
          onDone: 'completed',
          on: { reset: '.timer.waiting' },
          states: {
            work: { initial: 'busy', states: { busy: { on: { finish: 'idle' } }, idle: { type: 'final' } } },
            timer: {
              initial: 'waiting',
              states: { waiting: { on: { expire: 'expired', abort: '#over' } }, expired: { type: 'final' } },
            },
            log: {},
          },
        },
        completed: { type: 'final', id: 'over' },
      },
    })
    expect(draw(machine)).toBe(`stateDiagram-v2
  [*] --> running
  state running {
    state work {
      [*] --> busy
      busy --> idle : finish
      idle --> [*]
    }
    --
    state timer {
      [*] --> waiting
      waiting --> expired : expire
      expired --> [*]
      state "any state" as any_timer
      any_timer --> waiting : reset
    }
    --
    log
  }
  running --> completed : done
  waiting --> completed : abort
  completed --> [*]
`)
  })

  test('draws a parallel machine, and one without states, as a box', () => {
    const parallel = createMachine({
      id: 'both sides',
      type: 'parallel',
      states: { left: { id: 'left' }, right: { on: { hop: '#left' } } },
      on: { tick: { actions: 'count' } },
    })
    expect(draw(parallel)).toBe(`stateDiagram-v2
  [*] --> both_sides
  state "both sides" as both_sides {
    left
    --
    right
  }
  both_sides --> both_sides : tick
  right --> left : hop
`)
    expect(draw(createMachine({ id: 'lamp', on: { flip: { actions: 'toggle' } } }))).toBe(`stateDiagram-v2
  [*] --> lamp
  lamp --> lamp : flip
`)
  })

  test('draws what the whole machine does as one arrow from any state', () => {
    const machine = createMachine({
      id: 'agent',
      initial: 'thinking',
      on: { cancel: '.cancelled', pause: '.waiting.paused', tick: { actions: 'count' } },
      states: {
        thinking: { on: { ask: 'waiting' } },
        waiting: { initial: 'idle', states: { idle: {}, paused: {} } },
        cancelled: { type: 'final' },
      },
    })
    expect(draw(machine)).toBe(`stateDiagram-v2
  [*] --> thinking
  thinking --> waiting : ask
  state waiting {
    [*] --> idle
    paused
  }
  cancelled --> [*]
  state "any state" as any
  any --> cancelled : cancel
  any --> any : tick
  any --> paused : pause
`)
  })

  test('draws arrows between a box and what is in it inside the box', () => {
    const machine = createMachine({
      id: 'm',
      initial: 'box',
      states: {
        box: {
          id: 'box',
          initial: 'a',
          on: { skip: '.b', again: { target: 'box', reenter: true } },
          states: { a: { on: { next: 'b', over: '#m' } }, b: { on: { restart: '#box' } } },
        },
      },
    })
    expect(draw(machine)).toBe(`stateDiagram-v2
  [*] --> box
  state box {
    [*] --> a
    a --> b : next
    a --> a : over
    b --> a : restart
    state "any state" as any_box
    any_box --> b : skip
  }
  box --> box : again
`)
    expect(draw(machine, { depth: 1 })).toBe(`stateDiagram-v2
  [*] --> box
  box --> box : again
`)
  })

  test('draws history', () => {
    const machine = createMachine({
      initial: 'off',
      states: {
        off: { on: { resume: 'on.last', restore: 'on.all' } },
        on: {
          initial: 'one',
          states: { one: {}, two: {}, last: { type: 'history', target: 'two' }, all: { history: 'deep' } },
        },
      },
    })
    expect(draw(machine)).toBe(`stateDiagram-v2
  [*] --> off
  off --> last : resume
  off --> all : restore
  state on {
    [*] --> one
    state "H" as last
    last --> two
    state "H*" as all
  }
`)
  })

  test('shows actions, notes and a direction when asked to', () => {
    const machine = setup({
      actions: { record: () => {}, announce: (_args, _params: { to: string }) => {} },
    }).createMachine({
      initial: 'thinking',
      description: 'The machine itself has no place for a note.',
      states: {
        thinking: {
          description: 'Asks the model: once.',
          on: {
            answer: { target: 'completed', actions: ['record', { type: 'announce', params: { to: 'all' } }] },
          },
          initial: { target: 'starting', actions: 'record' },
          states: { starting: { always: { target: '#end', actions: () => {} } } },
        },
        completed: { id: 'end', description: 'Done.' },
      },
    })
    expect(draw(machine, { actions: true, notes: true, direction: 'LR' })).toBe(`stateDiagram-v2
  direction LR
  [*] --> thinking
  state thinking {
    direction LR
    [*] --> starting : / record
  }
  note right of thinking : Asks the model#58; once.
  thinking --> completed : answer / record, announce
  starting --> completed : / action
  completed
  note right of completed : Done.
`)
  })

  test('keeps names that are not Mermaid ids', () => {
    const machine = createMachine({
      initial: 'tool-call',
      states: {
        'tool-call': { on: { 'tool:end': 'default', 'a;b': 'default' } },
        default: { initial: 'say "hi"', states: { 'say "hi"': {} } },
      },
    })
    expect(draw(machine)).toBe(`stateDiagram-v2
  [*] --> tool_call
  state "tool-call" as tool_call
  tool_call --> default_ : tool#58;end
  tool_call --> default_ : a#59;b
  state "default" as default_ {
    [*] --> say__hi_
    state "say #34;hi#34;" as say__hi_
  }
`)
  })

  test('draws the inside of a state, with the outer states that it leads to', () => {
    expect(draw(nested, { inside: 'working' })).toBe(`stateDiagram-v2
  [*] --> asking
  asking --> acting : answer [isYes]
  asking --> asking : tick (ignored)
  asking --> cancelled:::outside : answer [else]
  state acting {
    [*] --> slow
    slow --> fast : hurry
    fast --> finished : finish
    finished --> [*]
  }
  acting --> completed:::outside : done
  slow --> cancelled:::outside : give.up
  state "any state" as any_working
  any_working --> cancelled:::outside : cancel
  classDef outside fill:none,stroke-dasharray:4
`)
    expect(draw(nested, { inside: 'working', depth: 1 })).toBe(`stateDiagram-v2
  [*] --> asking
  asking --> acting : answer [isYes]
  asking --> cancelled:::outside : answer [else]
  acting --> completed:::outside : done
  acting --> cancelled:::outside : give.up
  state "any state" as any_working
  any_working --> cancelled:::outside : cancel
  classDef outside fill:none,stroke-dasharray:4
`)
    expect(draw(nested, { inside: 'working.acting' })).toBe(`stateDiagram-v2
  [*] --> slow
  slow --> fast : hurry
  slow --> cancelled:::outside : give.up
  fast --> finished : finish
  finished --> [*]
  state "any state" as any_acting
  any_acting --> completed:::outside : done
  classDef outside fill:none,stroke-dasharray:4
`)
  })

  test('draws how the inside of a state is entered past its start', () => {
    const machine = createMachine({
      initial: 'off',
      states: {
        off: { on: { start: 'on', resume: '#last', wake: '#first' } },
        'stand-by': { on: { resume: '#last', start: 'on' } },
        on: {
          initial: 'one',
          states: {
            one: { id: 'first', on: { next: 'two', rest: '#rest' } },
            two: { id: 'last', on: { stop: '#off' } },
          },
        },
        resting: { id: 'rest', initial: 'deep', states: { deep: {} } },
        ending: { id: 'off' },
      },
    })
    expect(draw(machine, { inside: 'on', depth: 1 })).toBe(`stateDiagram-v2
  [*] --> one
  one --> two : next
  one --> resting:::outside : rest
  two --> ending:::outside : stop
  [*] --> two : resume
  classDef outside fill:none,stroke-dasharray:4
`)
  })

  test('draws the inside of a parallel state as a box', () => {
    const machine = createMachine({
      initial: 'both',
      states: {
        both: {
          type: 'parallel',
          on: { leave: 'tool-call' },
          states: { left: { initial: 'a', states: { a: { on: { go: '#b' } }, b: { id: 'b' } } }, right: {} },
        },
        'tool-call': {},
      },
    })
    expect(draw(machine, { inside: 'both' })).toBe(`stateDiagram-v2
  [*] --> both
  state both {
    state left {
      [*] --> a
      a --> b : go
    }
    --
    right
  }
  both --> tool_call:::outside : leave
  state "tool-call" as tool_call
  classDef outside fill:none,stroke-dasharray:4
`)
  })

  test('refuses a depth that shows nothing', () => {
    expect(() => toMermaid(nested, { depth: 0 })).toThrow('depth must be at least 1, not 0')
    expect(() => toMermaid(nested, { depth: Number.NaN })).toThrow(ConfigurationError)
  })

  test('refuses the inside of what is no composite state', () => {
    expect(() => toMermaid(nested, { inside: 'acting' })).toThrow(
      'toMermaid: inside must be a composite state of nested, not "acting".',
    )
    expect(() => toMermaid(nested, { inside: 'completed' })).toThrow(ConfigurationError)
  })
})
