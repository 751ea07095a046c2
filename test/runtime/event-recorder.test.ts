/** The events of a run, and those of a part of a run whose root is elsewhere. */
import { expect, test } from 'vitest'
import { createEmptyActor } from 'xstate'
import { EventRecorder } from '../../src/runtime/handle/event-recorder.ts'
import { event } from '../../src/machines/contract/events.ts'

const run = { runId: 'r', agent: 'lead' }
const source = {
  ref: createEmptyActor(),
  agent: 'scout',
  path: 'lead/delegation:1.1/scout',
  delegationId: 'lead/delegation:1.1',
}

test('a run records its own events in the name of its root agent, in one order with those of its machines', () => {
  const recorder = new EventRecorder(run, {})
  recorder.recordRun('run-start', { task: 'Go' }, 1)
  recorder.record(source, event('step-start', { step: 1 }), 2)
  recorder.recordRun('suspended', { awaiting: [] }, 3)
  expect(
    recorder.log.toArray().map(({ type, seq, at, agent, path }) => [type, seq, at, agent, path]),
  ).toEqual([
    ['run-start', 1, 1, 'lead', 'lead'],
    ['step-start', 2, 2, 'scout', 'lead/delegation:1.1/scout'],
    ['suspended', 3, 3, 'lead', 'lead'],
  ])
})

test('a part of a run records the events of its machines alone: the run has one beginning and one end', () => {
  const recorder = new EventRecorder(run, { isSubrun: true })
  recorder.recordRun('run-start', { task: 'Go' }, 1)
  recorder.record(source, event('step-start', { step: 1 }), 2)
  recorder.recordRun('suspended', { awaiting: [] }, 3)
  expect(recorder.log.toArray().map(({ type, seq }) => [type, seq])).toEqual([['step-start', 1]])
})
