/** No cycle of a state graph calls a model, unless something outside of the machine ends it. */
import { expect, test } from 'vitest'
import { coverMachine } from 'troupe/testing'
import { assign, setup } from 'xstate'
import { effect } from '../../../src/actors/effects/effect.ts'
import { childOutcomes, reply } from '../../machines/suites/loop-outcomes.ts'

const modelInput = {
  agent: 'a',
  model: 'scripted/scripted',
  message: 'm',
  messages: childOutcomes,
  tools: '',
  toolChoice: 'none',
} as never

const answers = reply('answers', { text: 'Yes.' })
const refuses = reply('refuses', { finishReason: 'refusal' })

/** Asks again after each refusal: at most so often, or for ever; by itself, or when it is told to. */
const asker = (most: number, isPatient = false) =>
  setup({
    types: { context: {} as { readonly asked: number }, events: {} as { type: 'again' } },
    actors: { model: effect('model'), timer: effect('timer') },
    guards: {
      isRefused: (_, { finishReason }: { readonly finishReason: string }) => finishReason === 'refusal',
      isSpent: ({ context }) => context.asked >= most,
      isImpatient: () => !isPatient,
    },
    delays: { aWhile: 1000 },
    actions: { count: assign(({ context }) => ({ asked: most === Infinity ? 0 : context.asked + 1 })) },
  }).createMachine({
    id: 'asker',
    context: { asked: 0 },
    initial: 'asking',
    states: {
      asking: {
        entry: 'count',
        invoke: {
          src: 'model',
          id: 'call',
          input: modelInput,
          onDone: [
            { guard: { type: 'isRefused', params: ({ event }) => event.output }, target: 'waiting' },
            { target: 'answered' },
          ],
        },
      },
      waiting: {
        always: { guard: 'isSpent', target: 'answered' },
        on: { again: 'asking' },
        after: { aWhile: { guard: 'isImpatient', target: 'asking' } },
      },
      answered: { type: 'final' },
    },
  })

const options = { inputs: { one: undefined }, outcomes: { model: [answers, refuses] } }

test('a machine that calls its model for ever is found, with the way there and the way round', () => {
  expect(() => coverMachine(asker(Infinity), options)).toThrow(
    [
      'The machine "asker" calls a model for ever: nothing ends this cycle, which starts "call" each time.',
      'after: call: refuses',
      'again and again: after aWhile in waiting → call: refuses',
    ].join('\n'),
  )
})

test('one that counts its calls has an end', () => {
  expect(coverMachine(asker(3), options).paths).not.toEqual([])
})

test('a call that a person asks for each time is no cycle of the machine', () => {
  const cover = coverMachine(asker(Infinity, true), {
    ...options,
    events: [{ name: 'again', event: { type: 'again' } }],
  })
  expect(cover.paths.map(({ name }) => name)).toContain('one → call: refuses → again')
})

test('an exception is named, with its reason, and names an outcome', () => {
  const reason = 'A filter refuses a text once at most.'
  expect(coverMachine(asker(Infinity), { ...options, mayRepeat: { refuses: reason } }).paths).not.toEqual([])
  expect(() => coverMachine(asker(3), { ...options, mayRepeat: { refused: reason } })).toThrow(
    'coverMachine("asker"): mayRepeat: no outcome of a child is named "refused".',
  )
})
