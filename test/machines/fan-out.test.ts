import { expect, test } from 'vitest'
import { initialTransition, transition } from 'xstate'
import { decides, ends, fanOutSuite, goal } from './suites/fan-out.ts'
import { loopInput } from './suites/loop-outcomes.ts'
import { testCover } from './test-cover.ts'

const { machine } = fanOutSuite

testCover(fanOutSuite, ({ status, output, context }) => {
  const { goals, completions } = context.work
  expect(context.live.length).toBeLessThanOrEqual(context.input.profile.toolCallConcurrency + 1)
  expect(new Set(completions.toArray().map(({ child }) => child)).size).toBe(completions.length)
  expect(completions.length).toBeLessThanOrEqual(goals.length)
  if (status === 'active') return
  expect(context.live).toEqual([])
  if (output?.outcome === 'failed') expect(output.error).toBeDefined()
  if (context.bail !== undefined && output?.outcome !== 'cancelled') expect(output?.outcome).toBe('bailed')
})

test('a completion that nobody waits for changes nothing', () => {
  const done = (child: string, output: unknown) => ({
    type: `xstate.done.actor.${child}` as const,
    actorId: child,
    output,
  })
  const report = ends('succeeded').value
  const steps = [
    done('decision:1', decides('wants goals', { value: { goals: [goal, goal, goal] } }).value),
    done('delegation:1.2', report),
  ]
  let [snapshot] = initialTransition(machine, loopInput({ toolCallConcurrency: 2 }))
  for (const step of steps) [snapshot] = transition(machine, snapshot, step as never)
  expect(snapshot.context.work.completions.toArray()).toMatchObject([{ child: 'delegation:1.2' }])
  const before = snapshot.context
  // Again, of a child that never was, and of one that is registered and not yet started.
  for (const child of ['delegation:1.2', 'delegation:9.9', 'delegation:1.4']) {
    ;[snapshot] = transition(machine, snapshot, done(child, report) as never)
    expect(snapshot.context).toEqual(before)
    expect(snapshot.value).toEqual({ collecting: 'working' })
  }
})
