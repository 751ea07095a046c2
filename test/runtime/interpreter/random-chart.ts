/**
 * Charts of any form within the subset that the tables know. Guards bound every cycle of eventless transitions and raised
 * events. What an actor does is written into its trace, in the order in which it happens.
 */
import fc from 'fast-check'
import {
  and,
  assign,
  cancel,
  createMachine,
  emit,
  enqueueActions,
  not,
  raise,
  sendTo,
  spawnChild,
  stateIn,
  stopChild,
  type AnyStateMachine,
} from 'xstate'

export interface Context {
  readonly count: number
  /** Steps that the machine has made of its own accord. */
  readonly own: number
}

export type Trace = unknown[]

const mostOwn = 5

/** The events that are sent to a chart. */
export const events = ['a', 'b', 'x', 'x.y', 'x.y.z', 'end.k', 'fail.k'] as const

const names = ['one', 'two', 'three'] as const

const actionNames = [
  'count',
  'countBy',
  'log',
  'logWith',
  'tell',
  'raise',
  'raiseLate',
  'cancel',
  'spawn',
  'spawnOther',
  'stop',
  'send',
  'mixed',
  'nested',
  'unknown',
] as const

const rareActions = ['fail', 'failToAssign', 'sendToNobody'] as const

const guards = [
  'isInOne',
  'isEven',
  'isBelow',
  { type: 'isBelow', params: { limit: 3 } },
  { type: 'isBelow', params: ({ context }: Args) => ({ limit: context.own + 2 }) },
  'isEvenAndBelow',
  'isOdd',
  'isAlias',
] as const

type Gen = fc.GeneratorValue

interface Args {
  readonly context: Context
  readonly event: { readonly type: string; readonly output?: unknown }
}

/** `trace`: takes the traces of its actors. */
function childOf(trace: Trace): AnyStateMachine {
  return createMachine({
    id: 'child',
    context: ({ input }: { readonly input?: unknown }) => ({ input }),
    entry: ({ context }: { readonly context: unknown }) => trace.push(['child starts', context]),
    exit: () => trace.push('child exits'),
    initial: 'working',
    states: {
      working: {
        on: {
          end: 'done',
          fail: { actions: 'missing', target: 'failing' },
          ping: { actions: () => trace.push('child pinged') },
        },
      },
      failing: {
        entry: () => {
          throw new Error('the child fails')
        },
      },
      done: { type: 'final' },
    },
    output: 'child output',
  } as never)
}

function told(count: number): { readonly type: string } {
  return Object.assign({ type: 'told' }, { count })
}

function implementationsOf(trace: Trace): object {
  return {
    actors: { child: childOf(trace) },
    guards: {
      isEven: ({ context }: Args) => context.count % 2 === 0,
      isOdd: not('isEven'),
      isBelow: ({ context }: Args, params?: { readonly limit: number }) =>
        context.count < (params?.limit ?? 4),
      isEvenAndBelow: and(['isEven', { type: 'isBelow', params: { limit: 6 } }] as never),
      isAlias: 'isEven' as never,
      isOwn: ({ context }: Args) => context.own < mostOwn,
      isInOne: stateIn('one'),
      fails: () => {
        throw new Error('the guard fails')
      },
    },
    actions: {
      count: assign(({ context }: Args) => ({ count: context.count + 1 })),
      countBy: assign({
        count: ({ context }: Args, params?: { readonly by: number }) => context.count + (params?.by ?? 2),
      }),
      own: assign({ own: ({ context }: Args) => context.own + 1 }),
      log: ({ context, event }: Args) => trace.push(['log', context.count, event.type, event.output]),
      logWith: ({ context }: Args, params: unknown) => trace.push(['logWith', context.own, params]),
      tell: emit(({ context }: Args) => told(context.count)),
      raise: enqueueActions(({ context, enqueue }) => {
        if (context.own >= mostOwn) return
        enqueue('own')
        enqueue.raise({ type: 'raised' })
        enqueue(({ context: later }) => trace.push(['raised', later.own]))
      }),
      raiseLate: raise({ type: 'b' }, { delay: 10, id: 'late' }),
      cancel: cancel('late'),
      spawn: spawnChild('child', { id: 'k', input: ({ context }: Args) => context.count }),
      spawnOther: spawnChild('child', { id: (({ context }: Args) => `k${context.count}`) as never }),
      stop: stopChild('k'),
      send: enqueueActions(({ enqueue, self }) => {
        if ('k' in self.getSnapshot().children) enqueue.sendTo('k', { type: 'ping' })
      }),
      mixed: enqueueActions(({ context, enqueue, check }) => {
        enqueue('count')
        if (check('isEven')) enqueue.emit(told(-context.count))
        enqueue({ type: 'logWith', params: { from: 'mixed' } })
        enqueue.assign({ count: ({ context: later }: Args) => later.count + 1 })
        enqueue('tell')
        enqueue.stopChild('k')
      }),
      nested: enqueueActions(({ enqueue }) => {
        enqueue('mixed')
        enqueue(enqueueActions(({ enqueue: inner }) => inner('log')))
      }),
      fail: () => {
        throw new Error('the action fails')
      },
      failToAssign: assign(() => {
        throw new Error('the assignment fails')
      }),
      sendToNobody: sendTo('nobody', { type: 'ping' }),
    },
  }
}

/** A random chart, which writes into `trace`. */
export function randomChart(gen: Gen, trace: Trace): AnyStateMachine {
  const root = randomState(gen, 0, '')
  const config = {
    ...root,
    id: 'random',
    context: { count: 0, own: 0 },
    output: ({ event, context }: Args) => ({ event, count: context.count }),
  }
  return createMachine(config as never, implementationsOf(trace) as never)
}

function randomState(gen: Gen, depth: number, path: string): object {
  const isCompound = depth === 0 || path === '.two' || (depth < 3 && gen(fc.integer, { min: 0, max: 9 }) < 4)
  const own = {
    ...maybe(gen, 'entry', () => randomActions(gen)),
    ...maybe(gen, 'exit', () => randomActions(gen)),
    ...maybe(gen, 'tags', () => [gen(fc.constantFrom, 'first', 'second')]),
    ...maybe(gen, 'meta', () => ({ path })),
    ...maybe(gen, 'on', () => randomOn(gen, depth)),
    ...maybe(gen, 'always', () =>
      gen(fc.boolean) ? { ...randomTransition(gen, depth), ...bounded } : { guard: 'isEven', actions: 'log' },
    ),
    ...(gen(fc.integer, { min: 0, max: 9 }) < 2 ? { invoke: randomInvoke(gen, depth, path) } : {}),
    ...(gen(fc.integer, { min: 0, max: 9 }) < 1 ? { after: { 20: randomTransition(gen, depth) } } : {}),
  }
  if (!isCompound) {
    return depth > 1 && gen(fc.integer, { min: 0, max: 9 }) < 2
      ? { type: 'final', entry: randomActions(gen), output: `output of ${path}` }
      : own
  }
  const states = Object.fromEntries(
    names.map((name) => [
      name,
      name === 'three' && gen(fc.integer, { min: 0, max: 9 }) < 3
        ? { type: 'final', entry: randomActions(gen), exit: randomActions(gen), tags: ['last'] }
        : randomState(gen, depth + 1, `${path}.${name}`),
    ]),
  )
  return {
    ...own,
    ...(depth > 0 ? { onDone: { ...randomTransition(gen, depth), ...bounded } } : {}),
    initial: randomInitial(gen),
    states,
  }
}

const bounded = { guard: 'isOwn', actions: ['own', 'log'] }

function randomOn(gen: Gen, depth: number): object {
  const on: Record<string, unknown> = {}
  for (const type of ['a', 'b', 'x.y', 'raised']) {
    if (gen(fc.boolean))
      on[type] = gen(fc.boolean)
        ? randomTransition(gen, depth)
        : [randomTransition(gen, depth), randomTransition(gen, depth)]
  }
  for (const type of ['x.*', '*', 'x.y.*']) {
    if (gen(fc.integer, { min: 0, max: 9 }) < 2) on[type] = { ...randomTransition(gen, depth), ...bounded }
  }
  if (gen(fc.integer, { min: 0, max: 9 }) < 1) on['a'] = { actions: [] }
  return on
}

function randomInitial(gen: Gen): unknown {
  const target = gen(fc.constantFrom, 'one', 'two')
  return gen(fc.boolean) ? target : { target, actions: randomActions(gen) }
}

function randomInvoke(gen: Gen, depth: number, path: string): object {
  return {
    src: 'child',
    id: gen(fc.constantFrom, 'k', `invoked${path}`),
    input: ({ context }: Args) => ({ invokedAt: context.count }),
    ...maybe(gen, 'onDone', () => randomTransition(gen, depth)),
    ...maybe(gen, 'onError', () => randomTransition(gen, depth)),
    ...(gen(fc.integer, { min: 0, max: 9 }) < 2 ? { onSnapshot: { actions: 'log' } } : {}),
    ...(gen(fc.integer, { min: 0, max: 9 }) < 1 ? { systemId: 'named' } : {}),
  }
}

/** From a state at any depth to a state anywhere below the root, or to none. */
function randomTransition(gen: Gen, depth: number): object {
  const kind = gen(fc.integer, { min: 0, max: 29 })
  const sibling = gen(fc.constantFrom, ...names)
  const target =
    kind < 5
      ? undefined
      : kind < 10
        ? gen(fc.constantFrom, '#random.two', '#random.two.one')
        : kind === 10
          ? '#random'
          : depth === 0
            ? `.${sibling}`
            : sibling
  return {
    ...(target === undefined ? {} : { target }),
    ...(gen(fc.integer, { min: 0, max: 9 }) < 5 ? { guard: gen(fc.constantFrom, ...guards) } : {}),
    ...(gen(fc.integer, { min: 0, max: 99 }) < 2 ? { guard: 'fails' } : {}),
    ...(depth > 0 && kind !== 10 && gen(fc.integer, { min: 0, max: 9 }) < 2 ? { reenter: true } : {}),
    actions: randomActions(gen),
  }
}

function randomActions(gen: Gen): readonly unknown[] {
  const chosen = gen(fc.array, fc.constantFrom(...actionNames), { maxLength: 3 }) as readonly string[]
  const rare = gen(fc.integer, { min: 0, max: 199 })
  const withParams = chosen.map((name) =>
    name === 'logWith' ? { type: name, params: ({ context }: Args) => context.count } : name,
  )
  return rare < rareActions.length ? [...withParams, rareActions[rare]] : withParams
}

function maybe(gen: Gen, name: string, make: () => unknown): object {
  return gen(fc.boolean) ? { [name]: make() } : {}
}
