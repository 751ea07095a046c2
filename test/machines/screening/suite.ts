import { screeningMachine, type ScreeningInput } from '../../../src/machines/screening.ts'
import { cancel, spent } from '../suites/support.ts'
import { hookOutcomes } from '../suites/loop-outcomes.ts'
import { suiteOf } from '../suites/suite.ts'

const input: ScreeningInput = {
  agent: 'lead',
  task: 'Write.',
  sayings: [
    { id: 'say:1', message: 'Be brief.', by: 'ann' },
    { id: 'say:2', message: 'And kind.', content: [{ type: 'text', text: 'And kind.' }] },
  ],
  processors: ['in-1', 'in-2'],
  scope: 'agent',
  hookErrors: 'fail',
  hookTimeout: 60_000,
}

/** Of the messages that the model would be given, none is one of the user. */
const leavesNothing = {
  name: 'leaves nothing',
  value: { messages: [{ role: 'system', content: 'Be kind.' }], next: 2, failure: null, tripwire: null },
}

export const screeningSuite = suiteOf(screeningMachine(), {
  inputs: {
    'two messages': input,
    'two messages, hook errors ignored': { ...input, hookErrors: 'ignore' },
    'no message': { ...input, sayings: [] },
  },
  outcomes: { hook: (request) => [...hookOutcomes(request), leavesNothing] },
  events: [cancel, spent],
})
