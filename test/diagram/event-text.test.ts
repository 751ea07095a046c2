import { createMachine, fromPromise } from 'xstate'
import { describe, expect, test } from 'vitest'
import { eventText } from '../../src/diagram/event-text.ts'

const machine = createMachine({
  id: 'm',
  initial: 'working',
  states: {
    working: {
      invoke: [
        { src: 'fetchUser' },
        { src: fromPromise(async () => 1) },
        { src: 'hook', id: 'hook:onStart' },
      ],
      after: { 500: 'rest', patience: 'rest' },
    },
    rest: {},
  },
})
const { working } = machine.root.states

describe('eventText', () => {
  test.each([
    ['go', 'go'],
    ['*', 'any event'],
    ['tool.*', 'tool.*'],
    ['xstate.done.actor.model', 'model done'],
    ['xstate.error.actor.model', 'model failed'],
    ['xstate.snapshot.model', 'model changed'],
    ['xstate.done.actor.*', 'child done'],
    ['xstate.error.actor.*', 'child failed'],
    ['xstate.done.actor.hook:onStart', 'hook onStart done'],
    ['xstate.done.actor.0.m.working', 'fetchUser done'],
    ['xstate.error.actor.1.m.working', 'failed'],
    ['xstate.done.state.m.working', 'done'],
    ['xstate.done.state.m.rest', 'rest done'],
    ['xstate.after.500.m.working', 'after 500 ms'],
    ['xstate.after.patience.m.working', 'after patience'],
  ])('%s is "%s"', (eventType, expected) => {
    expect(working && eventText(eventType, working)).toBe(expected)
  })
})
