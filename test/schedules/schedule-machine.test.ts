/** The chart of a schedule: every state and every arrow, and any order of events. */
import { getShortestPaths } from '@xstate/graph'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { getMicrosteps, transition, type AnyMachineSnapshot, type AnyStateMachine } from 'xstate'
import {
  scheduleMachine,
  type MissedPolicy,
  type ScheduleContext,
  type ScheduleEvent,
  type ScheduleState,
} from '../../src/runtime/schedules/schedule-machine.ts'
import { firstState, stepped } from '../../src/runtime/schedules/schedule-state.ts'
import { latestAt, nextAfter, type TimePlan } from '../../src/runtime/schedules/time-plan.ts'
import { findingsIn, type MachineParts } from '../support/machine-config.ts'

const machine = scheduleMachine() as AnyStateMachine

test('it is wired', () => {
  expect(findingsIn(machine as unknown as MachineParts)).toEqual([])
})

const error = { name: 'Error', code: 'X', message: 'no' }

const first = (missed: MissedPolicy): ScheduleContext => ({
  missed,
  missedAfter: 10,
  due: 100,
  wakeAt: 100,
  started: 0,
  failures: 0,
})

const look = (
  now: number,
  latest: number,
  following: number | undefined,
  isBusy = false,
  next = following,
): ScheduleEvent => ({
  type: 'time.reached',
  now,
  latest,
  following,
  next,
  isBusy,
  claimUntil: now + 30,
  retryUntil: now + 60,
})

const events: readonly ScheduleEvent[] = [
  look(50, 100, 100),
  look(105, 100, 200),
  look(105, 100, 200, true),
  look(105, 100, undefined, true),
  look(350, 300, 400),
  look(305, 300, 400),
  look(350, 300, undefined),
  { type: 'run.started', due: 100, at: 105, next: 200 },
  { type: 'run.started', due: 100, at: 105 },
  { type: 'start.failed', due: 100, error, retryAt: 150 },
  { type: 'start.deferred', due: 100 },
  { type: 'run.deleted', due: 100, at: 110 },
  { type: 'schedule.paused' },
  { type: 'schedule.resumed', next: 500 },
  { type: 'schedule.resumed' },
]

interface Arrow {
  readonly source: string
  readonly target: string
  readonly event: string
}

/** From each state that can be reached, each event, as the steps that it leads through. */
function arrowsTaken(): ReadonlySet<string> {
  const taken = new Set<string>()
  const early = [{ from: 50, to: 150 }]
  for (const input of [first('skip'), first('once'), first('all'), { ...first('all'), early }]) {
    const paths = getShortestPaths(machine, {
      events: events as never,
      input,
      serializeState: ({ value, context }: AnyMachineSnapshot) => JSON.stringify([value, context]),
      stopWhen: ({ context }: AnyMachineSnapshot) =>
        context['started'] > 1 || context['failures'] > 1 || context['leaps'] !== undefined,
    } as never)
    for (const { state } of paths)
      for (const event of events)
        for (const { source, target, event: name } of stepsOf(state as never, event))
          taken.add(`${source} --${name}--> ${target}`)
  }
  return taken
}

/** Each arrow that an event takes. */
function stepsOf(state: AnyMachineSnapshot, event: ScheduleEvent): readonly Arrow[] {
  let source = String(state.value)
  let name: string = event.type
  return getMicrosteps(machine, state as never, event as never).map(([{ value }]) => {
    const arrow = { source, target: String(value), event: name }
    source = arrow.target
    name = ''
    return arrow
  })
}

/** The arrows that the config draws. */
function drawn(): readonly string[] {
  return Object.values(machine.root.states).flatMap((state) => [
    ...[...state.transitions.values()]
      .flat()
      .filter(({ eventType }) => eventType !== '')
      .map(({ target, eventType }) => `${state.key} --${eventType}--> ${target?.[0]?.key ?? state.key}`),
    ...(state.always ?? []).map(({ target }) => `${state.key} ----> ${target?.[0]?.key ?? state.key}`),
  ])
}

test('every arrow of the chart is taken', () => {
  const taken = arrowsTaken()
  expect([...new Set(drawn())].filter((arrow) => !taken.has(arrow))).toEqual([])
  expect(new Set(drawn()).size).toBeGreaterThan(18)
})

test('it rests in no state that decides', () => {
  const resting = new Set<string>()
  for (const missed of ['skip', 'once', 'all'] as const) {
    let states: readonly ScheduleState[] = [firstState(first(missed))]
    for (let depth = 0; depth < 3; depth++) {
      states = states.flatMap((state) => events.flatMap((event) => stepped(state, event) ?? []))
      for (const { status } of states) resting.add(status)
    }
  }
  expect([...resting].toSorted()).toEqual(['begun', 'ended', 'paused', 'refused', 'starting', 'waiting'])
})

test('a state is the same after it was written and read', () => {
  const [snapshot] = transition(
    machine,
    machine.resolveState({ value: 'waiting', context: first('all') }),
    look(105, 100, 200) as never,
  )
  expect(JSON.parse(JSON.stringify(snapshot.context))).toEqual(snapshot.context)
})

const plan: TimePlan = { type: 'every', every: 100, from: 0 }

test('whatever happens, no occurrence is started twice, and with the policy `all` none is left out', () => {
  const act = fc.oneof(
    fc.record({ type: fc.constant('look' as const), after: fc.integer({ min: 0, max: 450 }) }),
    fc.constant({ type: 'started' as const }),
    fc.constant({ type: 'failed' as const }),
    fc.constant({ type: 'deferred' as const }),
  )
  fc.assert(
    fc.property(
      fc.constantFrom<MissedPolicy>('skip', 'once', 'all'),
      fc.array(act, { maxLength: 40 }),
      (missed, acts) => {
        let state = firstState(first(missed))
        let now = 0
        const started: number[] = []
        const tell = (event: ScheduleEvent): void => {
          state = stepped(state, event) ?? state
        }
        for (const one of acts) {
          const { due } = state.context
          switch (one.type) {
            case 'look':
              now += one.after
              tell({
                type: 'time.reached',
                now,
                latest: latestAt(plan, due, now, undefined),
                following: nextAfter(plan, now, undefined),
                next: nextAfter(plan, due, undefined),
                isBusy: false,
                claimUntil: now + 30,
                retryUntil: now + 60,
              })
              break
            case 'started':
              if (state.status === 'starting') started.push(due)
              tell({ type: 'run.started', due, at: now, next: nextAfter(plan, due, undefined) })
              break
            case 'failed':
              tell({ type: 'start.failed', due, error, retryAt: now + 10 })
              break
            case 'deferred':
              tell({ type: 'start.deferred', due })
              break
          }
          expect(state.context.due).toBeGreaterThanOrEqual(due)
        }
        expect(new Set(started).size).toBe(started.length)
        if (missed === 'all') expect(started).toEqual(started.map((_, index) => 100 * (index + 1)))
        expect(state.context.started).toBe(started.length)
      },
    ),
  )
})
